"""Nonparametric Bayesian topic models from networks of Pitman-Yor processes.

Nothing heavy is imported before it is used: kernels and Numba come with the first `fit`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pitmanyor.version import __version__ as __version__

if TYPE_CHECKING:
    from pitmanyor import evaluate, models
    from pitmanyor.corpus import Corpus
    from pitmanyor.errors import (
        CorpusError,
        FileError,
        GraphError,
        PitmanyorError,
        PlanError,
        ReadWarning,
        SaveWarning,
        StateError,
    )
    from pitmanyor.fitting import Fit, fit, load, resume
    from pitmanyor.graph import Gamma, Graph, mix, uniform
    from pitmanyor.insight import (
        labels,
        prevalence,
        recommend_authors,
        recommend_tags,
        representative,
        similar,
        topics_over_time,
    )
    from pitmanyor.reading import read
    from pitmanyor.report import write_report
    from pitmanyor.simulation import Simulation, simulate, simulate_microblog

_HOME = {
    "Corpus": "corpus",
    "CorpusError": "errors",
    "FileError": "errors",
    "Fit": "fitting",
    "Gamma": "graph",
    "Graph": "graph",
    "GraphError": "errors",
    "PitmanyorError": "errors",
    "PlanError": "errors",
    "ReadWarning": "errors",
    "SaveWarning": "errors",
    "Simulation": "simulation",
    "StateError": "errors",
    "fit": "fitting",
    "labels": "insight",
    "load": "fitting",
    "mix": "graph",
    "prevalence": "insight",
    "read": "reading",
    "recommend_authors": "insight",
    "recommend_tags": "insight",
    "representative": "insight",
    "resume": "fitting",
    "similar": "insight",
    "simulate": "simulation",
    "simulate_microblog": "simulation",
    "topics_over_time": "insight",
    "uniform": "graph",
    "write_report": "report",
}

__all__ = [
    "Corpus",
    "CorpusError",
    "FileError",
    "Fit",
    "Gamma",
    "Graph",
    "GraphError",
    "PitmanyorError",
    "PlanError",
    "ReadWarning",
    "SaveWarning",
    "Simulation",
    "StateError",
    "evaluate",
    "fit",
    "labels",
    "load",
    "mix",
    "models",
    "prevalence",
    "read",
    "recommend_authors",
    "recommend_tags",
    "representative",
    "resume",
    "similar",
    "simulate",
    "simulate_microblog",
    "topics_over_time",
    "uniform",
    "write_report",
]


def __getattr__(name: str) -> Any:
    if name in ("evaluate", "models"):
        return import_module(f"pitmanyor.{name}")
    if name in _HOME:
        return getattr(import_module(f"pitmanyor.{_HOME[name]}"), name)
    raise AttributeError(f"module 'pitmanyor' has no attribute {name!r}")
