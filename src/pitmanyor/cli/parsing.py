"""Words on the command line turned into values: durations, models, options of `read`."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from typing import Any

from pitmanyor import plugins
from pitmanyor.errors import GraphError, PitmanyorError, PlanError
from pitmanyor.graph import Graph

UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}
NOT_HERE = ("source", "links", "vocabulary", "save_to")  # parameters of `read` that name other sources and files
PLAIN = ("author_blocks", "author_topic", "author_traits", "hdp_lda", "hpyp", "tntm")  # models without an argument
READY = (*PLAIN, "lda:K", "bursty:NAME")


def parse_seconds(text: str) -> float:
    """A duration such as 90, 90s, 5m or 1.5h in seconds.

    >>> parse_seconds("5m"), parse_seconds("1s"), parse_seconds("90")
    (300.0, 1.0, 90.0)
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh]?)", text.strip().lower())
    if found is None:
        raise PlanError(f"{text!r} is not a duration; write seconds, minutes or hours such as 30s, 5m or 1h")
    return float(found[1]) * UNITS[found[2]]


def find_model(name: str) -> Graph:
    """A ready model (`hpyp`, `lda:20`, `bursty:hpyp`), or a graph in a file of one's own (`my_model.py:graph`).

    >>> find_model("lda:20")["theta"].over
    20
    """
    from pitmanyor import models

    place, _, rest = name.rpartition(":")
    if place.endswith(".py") or name.endswith(".py"):
        return _own_graph(place if place.endswith(".py") else name, rest if place.endswith(".py") else "graph")
    kind, _, argument = name.partition(":")
    if kind == "bursty":
        return models.bursty(find_model(argument or "hpyp"))
    if kind == "lda" and argument.isdecimal():
        return models.lda(int(argument))
    if kind in PLAIN and not argument:
        ready: Graph = getattr(models, kind)()
        return ready
    if kind in plugins.names(plugins.MODELS):
        return _plugged_in(kind, argument)
    known = ", ".join((*READY, *plugins.names(plugins.MODELS)))
    raise GraphError(
        f"there is no model {name!r}; the ready ones are {known}, and a file of your own is given as my_model.py:graph"
    )


def _plugged_in(name: str, argument: str) -> Graph:
    """A model that another package offers; what comes after the colon is its argument, a whole number or text."""
    make = plugins.load(plugins.MODELS, name, error=GraphError)
    given: list[Any] = [int(argument) if argument.isdecimal() else argument] if argument else []
    try:
        graph = make(*given)
    except PitmanyorError:
        raise
    except Exception as error:
        raise GraphError(f"model {name!r}: making it failed with {type(error).__name__}: {error}") from error
    if not isinstance(graph, Graph):
        raise GraphError(f"model {name!r} must be a Graph, not {type(graph).__name__}; its package must return one")
    return graph


def _own_graph(place: str, attribute: str) -> Graph:
    path = Path(place)
    if not path.is_file():
        raise GraphError(f"{place}: there is no such file; --model takes my_model.py:graph")
    spec = importlib.util.spec_from_file_location("pitmanyor_own_model", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        found = getattr(module, attribute, None)
        graph = found() if callable(found) else found
    except PitmanyorError:
        raise
    except Exception as error:
        raise GraphError(f"{place}: running it failed with {type(error).__name__}: {error}") from error
    if not isinstance(graph, Graph):
        raise GraphError(f"{place}: {attribute!r} is not there, or no Graph nor a function that returns one")
    return graph


def _value(text: str) -> Any:
    """A value as JSON, or as Python writes truth values and None; anything else is text."""
    plain = text.strip().lower()
    if plain in ("true", "false", "none", "null"):
        return {"true": True, "false": False}.get(plain)
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def parse_options(given: list[str]) -> dict[str, Any]:
    """Options NAME=VALUE of `read`; values are numbers, lists (as JSON), true, false, none, or else text.

    >>> parse_options(["min_df=5", "language=en", "in_network=true", "numbers=False", "stop_words=None"])
    {'min_df': 5, 'language': 'en', 'in_network': True, 'numbers': False, 'stop_words': None}
    """
    found: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise PlanError(f"write -O NAME=VALUE, such as -O min_df=5, not -O {text}")
        name = name.replace("-", "_")
        if name in NOT_HERE:
            raise PlanError(
                f"--option {name}: this is not an option of pitmanyor.read; --help lists the options that are"
            )
        found[name] = _value(value)
    return found
