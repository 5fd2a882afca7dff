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
    from pitmanyor.reading import read
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
    "load": "fitting",
    "mix": "graph",
    "read": "reading",
    "resume": "fitting",
    "simulate": "simulation",
    "simulate_microblog": "simulation",
    "uniform": "graph",
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
    "load",
    "mix",
    "models",
    "read",
    "resume",
    "simulate",
    "simulate_microblog",
    "uniform",
]


def __getattr__(name: str) -> Any:
    if name in ("evaluate", "models"):
        return import_module(f"pitmanyor.{name}")
    if name in _HOME:
        return getattr(import_module(f"pitmanyor.{_HOME[name]}"), name)
    raise AttributeError(f"module 'pitmanyor' has no attribute {name!r}")
