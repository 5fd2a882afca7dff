"""Lists of tokens, labels and pairs as the parts of a corpus, or an error that says where they are none."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence, Sized

import numpy as np

from pitmanyor.call_kinds import is_label, shown
from pitmanyor.corpus.parts import Grouping, LinkSet, Stream, frozen
from pitmanyor.errors import CorpusError

RESERVED = ("document", "topic", "vocabulary")


def check_streams(by_stream: Mapping[str, Sequence[Sequence[str]]]) -> int:
    if not by_stream:
        raise CorpusError("no token stream: give a list of token lists, or a dict of them by stream")
    sizes = {name: _length(f"stream {name!r}", docs) for name, docs in by_stream.items()}
    if len(set(sizes.values())) > 1:
        counts = ", ".join(f"{name!r} has {size}" for name, size in sizes.items())
        raise CorpusError(f"every stream needs one (maybe empty) token list per document, but {counts}")
    for name, docs in by_stream.items():
        for d, doc in enumerate(docs):
            where = f"stream {name!r}, document {d}"
            if isinstance(doc, str):
                raise CorpusError(f"{where} is a string; split it into a list of tokens first")
            if _length(where, doc) and not all(isinstance(token, str) for token in doc):
                strange = next(token for token in doc if not isinstance(token, str))
                raise CorpusError(f"{where}: a token must be a text, not {shown(strange)}")
    if not any(len(doc) for docs in by_stream.values() for doc in docs):
        raise CorpusError("the corpus has no tokens")
    return next(iter(sizes.values()))


def _length(where: str, entries: object) -> int:
    if not isinstance(entries, Sized):
        raise CorpusError(f"{where} must be a list, not {shown(entries)}")
    return len(entries)


def vocabulary_of(by_stream: Mapping[str, Sequence[Sequence[str]]], given: Sequence[str] | None) -> tuple[str, ...]:
    if given is None:
        return tuple(sorted({token for docs in by_stream.values() for doc in docs for token in doc}))
    words = tuple(given)
    if len(set(words)) != len(words):
        twice = next(word for i, word in enumerate(words) if word in words[:i])
        raise CorpusError(f"the vocabulary lists {twice!r} twice; every word must occur once")
    return words


def stream_of(name: str, docs: Sequence[Sequence[str]], index: Mapping[str, int]) -> Stream:
    offsets = np.zeros(len(docs) + 1, np.int64)
    np.cumsum([len(doc) for doc in docs], out=offsets[1:])
    words = np.empty(offsets[-1], np.int32)
    for d, doc in enumerate(docs):
        try:
            words[offsets[d] : offsets[d + 1]] = [index[token] for token in doc]
        except KeyError as missing:
            raise CorpusError(
                f"stream {name!r}, document {d}: token {missing.args[0]!r} is not in the vocabulary; "
                "add it there, or filter it out first"
            ) from None
    return Stream(frozen(words, np.int32), frozen(offsets, np.int64))


def grouping_of(name: str, labels: Sequence[Hashable], n_documents: int) -> Grouping:
    if name in RESERVED:
        raise CorpusError(f"a group may not be called {name!r}: that is the name of a plate")
    if (n_labels := _length(f"group {name!r}", labels)) != n_documents:
        raise CorpusError(f"group {name!r} has {n_labels} labels for {n_documents} documents; give one for each")
    if (strange := next((label for label in labels if not is_label(label)), None)) is not None:
        raise CorpusError(f"group {name!r}: a label is one text or number, not {shown(strange)}")
    codes: dict[Hashable, int] = {}
    values = [codes.setdefault(label, len(codes)) for label in labels]
    return Grouping(tuple(codes), frozen(values, np.int32))


def link_set_of(name: str, pairs: Iterable[tuple[Hashable, Hashable]]) -> LinkSet:
    if isinstance(pairs, str | Mapping) or not isinstance(pairs, Iterable):
        raise CorpusError(f"links {name!r} are a list of pairs (source, target), not {shown(pairs)}")
    out = []
    for i, pair in enumerate(pairs):
        if isinstance(pair, str) or not isinstance(pair, Sized) or len(pair) != 2:
            raise CorpusError(f"links {name!r}, entry {i}: {pair!r} is not a pair (source, target)")
        source, target = pair
        out.append((source, target))
    return LinkSet.from_pairs(out)
