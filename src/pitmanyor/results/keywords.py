"""Keywords that a function does not have, and graphs that are none: the error says what to write instead."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import fields
from difflib import get_close_matches
from typing import ParamSpec, TypeVar

from pitmanyor.corpus import Corpus
from pitmanyor.runs.fit_options import Network, Sampler, Start

P = ParamSpec("P")
R = TypeVar("R")
Hint = str | Callable[[object], str]


def fixed_number(n_topics: object) -> str:
    """What to write for a number of topics."""
    return (
        "The number of topics is part of the model or inferred from the data: for a fixed number fit "
        f"models.lda({n_topics}), for an upper bound pass max_topics={n_topics}"
    )


def no_graph(given: object) -> str:
    """What to write instead of what is given for the graph of `fit`."""
    if isinstance(given, str):
        return f"graph is a Graph such as pitmanyor.models.hpyp(), not the text {given!r:.50}"
    if callable(given):
        name = getattr(given, "__name__", "it")
        return f"graph is a Graph such as pitmanyor.models.hpyp(), not a function: call it, {name}()"
    if isinstance(given, Corpus):
        return (
            "graph is a Graph such as pitmanyor.models.hpyp(), not a Corpus; the graph comes first: fit(graph, corpus)"
        )
    return f"graph is a Graph such as pitmanyor.models.hpyp(), not {type(given).__name__}"


def _fields(kind: type, keyword: str) -> dict[str, Hint]:
    """Hints for the fields of a group of options."""
    return {field.name: functools.partial(_grouped, keyword, kind.__name__, field.name) for field in fields(kind)}


def _grouped(keyword: str, group: str, name: str, value: object) -> str:
    return f"pass {keyword}={group}({name}={value!r})"


_SAVING: dict[str, Hint] = {"checkpoint": "it is called save_to", "checkpoint_every": "it is called save_every"}
FIT_HINTS: dict[str, Hint] = {
    **_fields(Sampler, "sampler"),
    **_fields(Start, "start"),
    **_fields(Network, "network"),
    **dict.fromkeys(("n_topics", "num_topics", "n_components", "topics", "k", "K", "T"), fixed_number),
    **dict.fromkeys(("samples", "n_samples", "draws"), "it is called keep"),
    **dict.fromkeys(("iterations", "n_iter", "iter", "max_iter", "epochs"), "it is called sweeps"),
    **dict.fromkeys(("random_state", "random_seed"), "it is called seed"),
    **dict.fromkeys(("n_jobs", "workers"), "it is called threads"),
    **dict.fromkeys(("tune", "warmup", "burnin"), "it is called burn_in"),
    **dict.fromkeys(("verbose", "progressbar"), "it is called progress"),
    **_SAVING,
    "model": "it is called graph",
    "initial_topics": functools.partial(_grouped, "start", "Start", "topics"),
    "sweep": functools.partial(_grouped, "sampler", "Sampler", "kind"),
}
RESUME_HINTS: dict[str, Hint] = {
    "checkpoint_every": "it is called save_every",
    **dict.fromkeys(
        ("seed", "keep", "burn_in", "max_topics", "chains", "sampler", "start", "network", "preset", "save_to"),
        "the run keeps what its fit was asked for",
    ),
}


def teach_keywords(hints: Mapping[str, Hint]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make a function answer unknown keywords with a TypeError that says what to write instead.

    >>> @teach_keywords({"checkpoint": "it is called save_to"})
    ... def f(*, save_to=None): pass
    >>> f(checkpoint="run")
    Traceback (most recent call last):
    TypeError: f has no keyword 'checkpoint': it is called save_to
    >>> f(save_ot="run")
    Traceback (most recent call last):
    TypeError: f has no keyword 'save_ot': did you mean save_to?
    """

    def wrap(function: Callable[P, R]) -> Callable[P, R]:
        known = list(inspect.signature(function).parameters)

        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            for name, value in kwargs.items():
                if name not in known:
                    hint = _hint(name, value, hints, known)
                    raise TypeError(f"{function.__name__} has no keyword {name!r}: {hint}")
            return function(*args, **kwargs)

        return call

    return wrap


def _hint(name: str, value: object, hints: Mapping[str, Hint], known: list[str]) -> str:
    hint = hints.get(name)
    if hint is not None:
        return hint if isinstance(hint, str) else hint(value)
    near = get_close_matches(name, [*known, *hints], 1)
    if near and near[0] in known:
        return f"did you mean {near[0]}?"
    if near:
        return _hint(near[0], value, hints, known)
    return f"it takes {', '.join(known)}"
