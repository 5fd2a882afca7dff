"""Nonparametric Bayesian topic models from networks of Pitman-Yor processes.

Nothing heavy is imported before it is used: kernels and Numba come with the first `fit`.
"""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pitmanyor.version import __version__ as __version__

if TYPE_CHECKING:
    from pitmanyor import evaluate, models
    from pitmanyor.corpus import Corpus
    from pitmanyor.errors import (
        CorpusError,
        EvidenceWarning,
        FileError,
        GraphError,
        PitmanyorError,
        PlanError,
        ReadWarning,
        SaveWarning,
        StateError,
    )
    from pitmanyor.export import table
    from pitmanyor.graph import Beta, Gamma, Graph, mix, uniform
    from pitmanyor.reading.read import read
    from pitmanyor.report import write_report
    from pitmanyor.results.fitting import Fit, fit, load, resume
    from pitmanyor.runs.fit_options import Network, Sampler, Start
    from pitmanyor.simulation import Simulation, simulate, simulate_microblog
    from pitmanyor.topics import (
        labels,
        prevalence,
        recommend_authors,
        recommend_tags,
        representative,
        similar,
        topics_over_time,
    )

_HOME = {
    "Corpus": "corpus",
    "CorpusError": "errors",
    "EvidenceWarning": "errors",
    "FileError": "errors",
    "Fit": "results.fitting",
    "Beta": "graph",
    "Gamma": "graph",
    "Graph": "graph",
    "GraphError": "errors",
    "Network": "runs.fit_options",
    "PitmanyorError": "errors",
    "PlanError": "errors",
    "ReadWarning": "errors",
    "Sampler": "runs.fit_options",
    "SaveWarning": "errors",
    "Simulation": "simulation",
    "Start": "runs.fit_options",
    "StateError": "errors",
    "fit": "results.fitting",
    "labels": "topics",
    "load": "results.fitting",
    "mix": "graph",
    "prevalence": "topics",
    "read": "reading",
    "recommend_authors": "topics",
    "recommend_tags": "topics",
    "representative": "topics",
    "resume": "results.fitting",
    "similar": "topics",
    "simulate": "simulation",
    "simulate_microblog": "simulation",
    "table": "export",
    "topics_over_time": "topics",
    "uniform": "graph",
    "write_report": "report",
}

_SUBMODULES = (
    "baselines", "evaluate", "experiments", "export", "figures", "graph", "models", "reading", "report", "simulation",
    "sklearn", "topics",
)  # fmt: skip

__all__ = [
    "Corpus",
    "CorpusError",
    "EvidenceWarning",
    "FileError",
    "Fit",
    "Beta",
    "Gamma",
    "Graph",
    "GraphError",
    "Network",
    "PitmanyorError",
    "PlanError",
    "ReadWarning",
    "Sampler",
    "SaveWarning",
    "Simulation",
    "Start",
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
    "table",
    "topics_over_time",
    "uniform",
    "write_report",
]


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return import_module(f"pitmanyor.{name}")
    if name in _HOME:
        return getattr(import_module(f"pitmanyor.{_HOME[name]}"), name)
    known = {one.lower(): one for one in (*_SUBMODULES, *__all__)}
    near = get_close_matches(name.lower(), known, 1) if not name.startswith("_") else []
    meant = f"; did you mean {known[near[0]]}?" if near else ""
    raise AttributeError(f"module 'pitmanyor' has no attribute {name!r}{meant}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_SUBMODULES, "__version__", "__doc__", "__name__", "__file__", "__path__"})
