"""Tokens and plate instances of a toy corpus, worked out in the plainest way (nothing shared with the product)."""

from __future__ import annotations

from dataclasses import dataclass

from pitmanyor.corpus import Corpus
from pitmanyor.graph import Graph, Node

Key = tuple[int, ...]


@dataclass(frozen=True)
class Token:
    document: int
    topic_node: str
    emit_node: str
    word: int


def list_tokens(graph: Graph, corpus: Corpus) -> list[Token]:
    """Document by document, within it stream by stream in graph order, within it in corpus order."""
    tokens = []
    for document in range(corpus.n_documents):
        for stream in graph.streams:
            data = corpus.streams[stream.name]
            for word in data.words[data.offsets[document] : data.offsets[document + 1]]:
                tokens.append(Token(document, stream.topic, stream.emit, int(word)))
    return tokens


def instance(corpus: Corpus, plate: tuple[str, ...], document: int, topic: int | None) -> Key:
    """The instance of a plate that a token of a document, with a topic, visits."""
    key = []
    for name in plate:
        if name == "document":
            key.append(document)
        elif name == "topic":
            assert topic is not None, "a topic-side plate has no topic"
            key.append(topic)
        else:
            key.append(int(corpus.groups[name].codes[document]))
    return tuple(key)


def parent_instance(corpus: Corpus, child: Node, key: Key, parent: Node) -> Key:
    """The instance of the parent that an instance of the child sends its tables to, from the child's key alone."""
    known = dict(zip(child.plate, key, strict=True))
    for document in range(corpus.n_documents):
        mine = {"document": document} | {name: int(group.codes[document]) for name, group in corpus.groups.items()}
        if all(mine[name] == value for name, value in known.items() if name != "topic"):
            return tuple(known.get(name, mine.get(name, -1)) for name in parent.plate)
    raise AssertionError(f"no document belongs to instance {key} of {child.name!r}")


def n_dishes(graph: Graph, corpus: Corpus, root: Node, sizes: dict[str, int] | None = None) -> int:
    """How many dishes a finite root has; a stream's own vocabulary is what occurs in it unless `sizes` says more."""
    if isinstance(root.over, int):
        return root.over
    assert root.over is not None
    if sizes and root.over in sizes:
        return sizes[root.over]
    if root.over == "vocabulary":
        return len(corpus.vocabulary)
    return len({int(word) for word in corpus.streams[root.over].words})
