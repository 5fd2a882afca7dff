"""What an annotation asks for, in words, and whether a value is that."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from numbers import Integral, Real
from typing import NamedTuple

from pitmanyor.errors import PitmanyorError

LONGEST = 60  # characters of a value that a message repeats


class Kind(NamedTuple):
    """What is asked for, and whether a value is that."""

    said: str
    fits: Callable[[object], bool]
    what: Callable[[object], str] | None = None  # how to speak of something else, if not as `shown` does


def _is_whole(value: object) -> bool:
    return isinstance(value, Integral) and not _is_switch(value)


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not _is_switch(value)


def _is_switch(value: object) -> bool:
    return type(value).__name__ in ("bool", "bool_")  # the latter is NumPy's


def is_label(value: object) -> bool:
    """Whether a value can be a label: not a list, nor anything else that has no hash."""
    try:
        hash(value)
    except TypeError:
        return False
    return isinstance(value, Hashable)


def _is_list(value: object) -> bool:
    if not isinstance(value, Iterable) or isinstance(value, str | bytes | Mapping):
        return False
    return getattr(value, "ndim", 1) > 0  # an array of no dimension cannot be gone through


def _is_a(name: str) -> Callable[[object], bool]:
    """Whether a value is of the class of that name, which need not be imported for it."""
    return lambda value: any(one.__name__ == name for one in type(value).__mro__)


def _no_graph(value: object) -> str:
    if isinstance(value, str):
        return f"the text {value!r:.50}"
    if isinstance(value, type) or not callable(value):
        first = "; the graph comes first: fit(graph, corpus)" if _is_a("Corpus")(value) else ""
        return f"{type(value).__name__}{first}"
    return f"a function: call it, {getattr(value, '__name__', 'it')}()"


FIT = "a Fit, as fit and load return it"
KINDS = {
    "None": Kind("None", lambda value: value is None),
    "int": Kind("a whole number", _is_whole),
    "float": Kind("a number", _is_number),
    "bool": Kind("True or False", _is_switch),
    "str": Kind("a text", lambda value: isinstance(value, str)),
    "Hashable": Kind("a label", is_label),
    "Sequence": Kind("a list", _is_list),
    "Iterable": Kind("a list", _is_list),
    "Mapping": Kind("a dict", lambda value: isinstance(value, Mapping)),
    "Path": Kind("a path", lambda value: isinstance(value, os.PathLike)),
    "os.PathLike": Kind("a path", lambda value: isinstance(value, os.PathLike)),
    "Corpus": Kind("a Corpus, as read and Corpus.from_tokens make it", _is_a("Corpus")),
    "Posterior": Kind(FIT, _is_a("Posterior")),
    "Traced": Kind(FIT, _is_a("Traced")),
    "Fitted": Kind(FIT, _is_a("Fitted")),
    "Fit": Kind(FIT, _is_a("Fit")),
    "Table": Kind("a dict of arrays", lambda value: isinstance(value, Mapping)),
    "Axes": Kind("matplotlib's Axes", _is_a("Axes")),
    "Groups": Kind("a dict of labels, or of their number", lambda value: isinstance(value, Mapping)),
    "Lengths": Kind(
        "a whole number, or a dict by stream", lambda value: _is_whole(value) or isinstance(value, Mapping)
    ),
    "Vocabulary": Kind(
        "a list of words or their number", lambda value: _is_whole(value) or isinstance(value, Iterable)
    ),
    "Graph": Kind("a Graph such as pitmanyor.models.hpyp()", _is_a("Graph"), _no_graph),
    "Node": Kind("a node", _is_a("Node")),
    "Tokens": Kind("a token stream", _is_a("Tokens")),
    "Links": Kind("a link set", _is_a("Links")),
    "Sampler": Kind("a Sampler(...)", _is_a("Sampler")),
    "Start": Kind("a Start(...)", _is_a("Start")),
    "Network": Kind("a Network(...)", _is_a("Network")),
    "Post": Kind("a text or a list of tokens", lambda value: isinstance(value, str) or _is_list(value)),
    "Labels": Kind("a list of labels", _is_list),
    "Floats": Kind("an array", lambda value: getattr(value, "ndim", 0) > 0),
    "TopicShares": Kind("what its infer returns", _is_a("TopicShares")),
    "Prevalence": Kind("what its prevalence returns", _is_a("Prevalence")),
    "HeldOut": Kind("what Corpus.hide_links returns beside the corpus", _is_a("HeldOut")),
}
LISTS_OF = {
    "int": "whole numbers",
    "str": "texts",
    "Post": "texts or lists of tokens",
    "Fit": "fits",
    "Traced": "fits",
    "Posterior": "fits",
    "Node": "nodes",
    "Tokens": "token streams",
    "Links": "link sets",
}


def check(name: str, value: object, kinds: tuple[Kind, ...], error: type[PitmanyorError]) -> None:
    """Raise unless a value is of one of these kinds."""
    if not any(kind.fits(value) for kind in kinds):
        said = " or ".join(dict.fromkeys(kind.said for kind in kinds))
        raise error(f"{name} must be {said}, not {(kinds[0].what or shown)(value)}")


def check_as(name: str, value: object, annotation: str, error: type[PitmanyorError]) -> None:
    """Raise unless a value is what an annotation names."""
    check(name, value, _named(annotation), error)


def plain(value: object) -> object:
    """A number of NumPy as one of Python, which every file can hold; anything else as it is."""
    if type(value).__module__ == "numpy" and isinstance(value, Real | Integral) or type(value).__name__ == "bool_":
        return getattr(value, "item", lambda: value)()
    return value


def shown(value: object) -> str:
    """A value as a message repeats it: short ones as they are written, of others the type."""
    plain = isinstance(value, str | int | float | list | tuple | dict | set | None) or type(value).__module__ == "numpy"
    said = repr(value) if plain else ""
    if said and len(said) <= LONGEST:
        return said
    return f"{said[:LONGEST]}..." if isinstance(value, str) else f"a {type(value).__name__}"


def kinds_of(signature: inspect.Signature) -> Iterator[tuple[str, tuple[Kind, ...]]]:
    """The kinds of every parameter whose annotation consists of known ones."""
    for name, parameter in signature.parameters.items():
        if isinstance(parameter.annotation, str) and parameter.kind is not parameter.VAR_KEYWORD:
            kinds = _named(parameter.annotation)
            if kinds:
                yield name, (_each_of(kinds),) if parameter.kind is parameter.VAR_POSITIONAL else kinds


def _named(annotation: str) -> tuple[Kind, ...]:
    """The kinds that an annotation names; none if it names anything else."""
    kinds = [_kind(part) for part in _alternatives(annotation)]
    return tuple(kind for kind in kinds if kind) if all(kinds) else ()


def _alternatives(annotation: str) -> list[str]:
    """The parts of a union.

    >>> _alternatives("int | Sequence[int | str] | None")
    ['int', 'Sequence[int | str]', 'None']
    """
    parts, depth = [""], 0
    for letter in annotation:
        depth += (letter == "[") - (letter == "]")
        if letter == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def _kind(annotation: str) -> Kind | None:
    name, _, inner = annotation.partition("[")
    kind, of = KINDS.get(name), inner.removesuffix("]")
    if kind is None or name not in ("Sequence", "Iterable") or of not in LISTS_OF:
        return kind
    return Kind(f"a list of {LISTS_OF[of]}", lambda value: _is_list(value) and _all_fit(value, KINDS[of]))


def _all_fit(values: object, kind: Kind) -> bool:
    """Whether the entries of a list are of a kind; what can be gone through only once is not looked into."""
    return not isinstance(values, Collection) or all(map(kind.fits, values))


def _each_of(kinds: tuple[Kind, ...]) -> Kind:
    """The kind of `*names`."""
    said = " or ".join(kind.said for kind in kinds)
    return Kind(f"{said} each", lambda values: all(any(kind.fits(one) for kind in kinds) for one in values))  # type: ignore[attr-defined]
