"""Nonparametric Bayesian topic models from networks of Pitman-Yor processes.

Nothing heavy is imported before it is used: kernels and Numba come with the first `fit`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pitmanyor import models
    from pitmanyor.corpus import Corpus
    from pitmanyor.errors import CorpusError, GraphError, PitmanyorError, PlanError, StateError
    from pitmanyor.fitting import Fit, fit
    from pitmanyor.graph import Gamma, Graph, mix, uniform
    from pitmanyor.simulation import Simulation, simulate

__version__ = "0.1.0"

_HOME = {
    "Corpus": "corpus",
    "CorpusError": "errors",
    "Fit": "fitting",
    "Gamma": "graph",
    "Graph": "graph",
    "GraphError": "errors",
    "PitmanyorError": "errors",
    "PlanError": "errors",
    "Simulation": "simulation",
    "StateError": "errors",
    "fit": "fitting",
    "mix": "graph",
    "simulate": "simulation",
    "uniform": "graph",
}

__all__ = [
    "Corpus",
    "CorpusError",
    "Fit",
    "Gamma",
    "Graph",
    "GraphError",
    "PitmanyorError",
    "PlanError",
    "Simulation",
    "StateError",
    "fit",
    "mix",
    "models",
    "simulate",
    "uniform",
]


def __getattr__(name: str) -> Any:
    if name == "models":
        return import_module("pitmanyor.models")
    if name in _HOME:
        return getattr(import_module(f"pitmanyor.{_HOME[name]}"), name)
    raise AttributeError(f"module 'pitmanyor' has no attribute {name!r}")
