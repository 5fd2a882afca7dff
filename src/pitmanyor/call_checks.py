"""Calls that do not fit a function, taught: unknown keywords, positions that it does not have, values of another kind.

`checked_call` compares a call with the signature of a public function, and values with the kinds that annotations name:
whole numbers, numbers, texts, lists, fits. What an annotation says beyond that, functions check themselves.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import ParamSpec, TypeVar

from pitmanyor.call_kinds import check, kinds_of, plain, shown
from pitmanyor.errors import PitmanyorError, PlanError

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
Hint = str | Callable[[object], str]
TOPICS = "n_topics"
PACKAGE = __name__.partition(".")[0]


def checked_call(
    *,
    error: type[PitmanyorError] = PlanError,
    hints: Mapping[str, Hint] | None = None,
    values: bool = True,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make a function teach callers who do not know it.

    A call that does not fit the signature is a TypeError, a value of the wrong kind an error of the kind given here.
    `hints` says what to write for keywords of other libraries. Without `values` the function checks all values itself.

    >>> @checked_call(hints={"checkpoint": "it is called save_to"})
    ... def f(text: str, *, n: int = 5, save_to=None): pass
    >>> f("a", checkpoint="run")
    Traceback (most recent call last):
    TypeError: f has no keyword 'checkpoint': it is called save_to
    >>> f("a", save_ot="run")
    Traceback (most recent call last):
    TypeError: f has no keyword 'save_ot': did you mean save_to?
    >>> f("a", "n", 3)
    Traceback (most recent call last):
    TypeError: f takes n and save_to by name: write f(text, n=3)
    >>> f("a", n="five")
    Traceback (most recent call last):
    pitmanyor.errors.PlanError: n must be a whole number, not 'five'
    """

    def wrap(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)
        kinds = dict(kinds_of(signature)) if values else {}

        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                bound = signature.bind(*args, **kwargs)
            except TypeError:
                raise TypeError(_unfit(function.__name__, signature, args, kwargs, hints or {})) from None
            given = bound.arguments
            for name, kind in kinds.items():
                if name in given:
                    check(name, given[name], kind, error)
                    given[name] = plain(given[name])
            return function(*bound.args, **bound.kwargs)

        return call

    return wrap


def checked_methods(error: type[PitmanyorError] = PlanError) -> Callable[[type[T]], type[T]]:
    """Make the public methods of a class teach as `checked_call` does."""

    def wrap(kind: type[T]) -> type[T]:
        for name, thing in list(vars(kind).items()):
            if name.startswith("_"):
                continue
            if inspect.isfunction(thing):
                setattr(kind, name, checked_call(error=error)(thing))
            elif isinstance(thing, classmethod):
                setattr(kind, name, classmethod(checked_call(error=error)(thing.__func__)))
        return kind

    return wrap


def checked_fields(kind: type[T]) -> type[T]:
    """Make a frozen value teach what its fields are called."""
    made = kind.__init__
    signature = inspect.signature(made)

    @functools.wraps(made)
    def init(self: T, *args: object, **kwargs: object) -> None:
        try:
            bound = signature.bind(self, *args, **kwargs)
        except TypeError:
            raise TypeError(_unfit(kind.__name__, signature, (self, *args), kwargs, {})) from None
        made(self, **{name: plain(value) for name, value in bound.arguments.items() if name != "self"})

    kind.__init__ = init  # type: ignore[assignment]
    return kind


def callers_level() -> int:
    """The `stacklevel` with which a warning of this caller names the line outside the package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == PACKAGE:
        level, frame = level + 1, frame.f_back
    return level


def _unfit(
    function: str,
    signature: inspect.Signature,
    args: tuple[object, ...],
    kwargs: Mapping[str, object],
    hints: Mapping[str, Hint],
) -> str:
    """Why a call does not fit a signature, and what to write instead."""
    known = [one for one in signature.parameters.values() if one.name not in ("self", "cls")]
    args = args[len(signature.parameters) - len(known) :]
    names = [one.name for one in known if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)]
    for name, value in kwargs.items():
        if name not in names:
            return f"{function} has no keyword {name!r}: {_hint(name, value, hints, names)}"
    first = [one.name for one in known if one.kind is one.POSITIONAL_OR_KEYWORD]
    if len(args) > len(first):
        extra = args[len(first) :]
        if not first and len(extra) == 1 and isinstance(extra[0], int) and TOPICS in hints:
            return f"{function} takes no number of topics: {_hint(TOPICS, extra[0], hints, names)}"
        return _too_many(function, first, [name for name in names if name not in first], extra)
    if twice := [name for name in first[: len(args)] if name in kwargs]:
        return f"{function} was given {twice[0]} twice: by position and by name"
    needed = [one.name for one in known if one.default is one.empty and one.name in names]
    missing = [name for name in needed if name not in (*first[: len(args)], *kwargs)]
    whole = ", ".join(name if name in first else f"{name}=..." for name in needed)
    return f"{function} needs {_listed(missing)}: write {function}({whole})"


def _too_many(function: str, first: list[str], named: list[str], extra: tuple[object, ...]) -> str:
    """What to write instead of arguments by position; `similar("author", "ann")` names what it means."""
    if not named:
        return f"{function} takes {_listed(first) or 'no argument'}, and was given {len(extra)} more"
    pairs = list(zip(extra[::2], extra[1::2], strict=False))
    if len(extra) % 2 == 0 and all(isinstance(name, str) and name in named for name, _ in pairs):
        meant = [f"{name}={shown(value)}" for name, value in pairs]
    else:
        meant = [f"{named[0]}={shown(extra[0])}"]
    return f"{function} takes {_listed(named)} by name: write {function}({', '.join([*first, *meant])})"


def _listed(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def _hint(name: str, value: object, hints: Mapping[str, Hint], known: list[str]) -> str:
    hint = hints.get(name)
    if hint is not None:
        return hint if isinstance(hint, str) else hint(value)
    near = get_close_matches(name, [*known, *hints], 1)
    if near and near[0] in known:
        return f"did you mean {near[0]}?"
    if near:
        return _hint(near[0], value, hints, known)
    return f"it takes {', '.join(known)}" if known else "it takes none"
