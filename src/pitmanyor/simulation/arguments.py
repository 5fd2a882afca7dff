"""The arguments of `simulate`, checked and expanded: lengths, groups and vocabularies."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from numbers import Integral
from random import Random

from pitmanyor.call_kinds import check_as
from pitmanyor.errors import PlanError
from pitmanyor.graph import Graph

Lengths = int | Mapping[str, int | Sequence[int]]
Groups = Mapping[str, int | Sequence[Hashable]]
Vocabulary = int | Sequence[str] | Mapping[str, int | Sequence[str]]


def spell_lengths(tokens: Lengths, streams: Sequence[str], documents: int) -> dict[str, list[int]]:
    """Number of tokens of every document, by stream."""
    given = dict(tokens) if isinstance(tokens, Mapping) else dict.fromkeys(streams, tokens)
    _check_names("tokens", given, streams, "a stream")
    lengths = {}
    for name in streams:
        length = given[name]
        row = [int(length)] * documents if isinstance(length, int | Integral) else _whole(name, length)
        if len(row) != documents:
            raise PlanError(f"tokens[{name!r}] has {len(row)} lengths for {documents} documents; give one for each")
        if min(row) < 0:
            raise PlanError(f"tokens[{name!r}] has a negative length ({min(row)}); use 0 for an empty document")
        lengths[name] = row
    return lengths


def _whole(name: str, lengths: Sequence[int]) -> list[int]:
    check_as(f"tokens[{name!r}]", lengths, "int | Sequence[int]", PlanError)
    return [int(n) for n in lengths]


def spell_groups(groups: Groups | None, documents: int, rng: Random) -> dict[str, list[Hashable]]:
    """One label per document, by group; a number stands for that many labels, assigned at random."""
    labels: dict[str, list[Hashable]] = {}
    for name, given in (groups or {}).items():
        if isinstance(given, int | Integral):
            if given < 1:
                raise PlanError(f"groups[{name!r}] asks for {given} labels; at least one is needed")
            labels[name] = [f"{name}{rng.randrange(int(given))}" for _ in range(documents)]
        else:
            labels[name] = list(given)
        if len(labels[name]) != documents:
            raise PlanError(
                f"groups[{name!r}] has {len(labels[name])} labels for {documents} documents; give one for each"
            )
    return labels


def spell_vocabularies(vocabulary: Vocabulary, graph: Graph) -> dict[str, list[str]]:
    """The words of every vocabulary that the graph names; "vocabulary" stands for all words of the corpus."""
    names = list(dict.fromkeys(node.over for node in graph.nodes if isinstance(node.over, str)))
    if isinstance(vocabulary, Mapping):
        given = dict(vocabulary)
    elif isinstance(vocabulary, int | Integral) or len(names) == 1:
        given = dict.fromkeys(names, vocabulary)
    else:
        raise PlanError(
            f"the graph has {len(names)} vocabularies ({', '.join(names)}) but only one list of words is given; "
            f"give a dict, vocabulary={{{names[0]!r}: [...], ...}}"
        )
    _check_names("vocabulary", given, names, "a vocabulary")
    words = {name: _words(name, given[name]) for name in names}
    _check_distinct(words)
    if "vocabulary" in words:
        words["vocabulary"] = [word for own in words.values() for word in own]
    return words


def _words(name: str, given: int | Sequence[str]) -> list[str]:
    if isinstance(given, str):
        raise PlanError(f"vocabulary[{name!r}] is a string; give a list of words, or how many there are")
    stem = "w" if name == "vocabulary" else f"{name}_"
    words = [f"{stem}{i}" for i in range(int(given))] if isinstance(given, int | Integral) else list(given)
    if not words:
        raise PlanError(f"vocabulary[{name!r}] is empty; at least one word is needed")
    return words


def _check_distinct(vocabularies: Mapping[str, Sequence[str]]) -> None:
    owner: dict[str, str] = {}
    for name, words in vocabularies.items():
        for word in words:
            if word in owner:
                raise PlanError(
                    f"the word {word!r} occurs twice (vocabulary {owner[word]!r} and {name!r}); every word must come "
                    "once: a stream's own vocabulary shares no word with another"
                )
            owner[word] = name


def _check_names(argument: str, given: Mapping[str, object], wanted: Sequence[str], what: str) -> None:
    missing = [name for name in wanted if name not in given]
    if missing:
        raise PlanError(f"{argument} says nothing about {missing[0]!r}, {what} of the graph; add {missing[0]!r}: ...")
    unknown = [name for name in given if name not in wanted]
    if unknown:
        raise PlanError(f"{argument} names {unknown[0]!r}, but the graph only has {', '.join(map(repr, wanted))}")
