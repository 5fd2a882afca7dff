"""Links between authors, from an edge list, a graph file, a networkx graph or a sparse matrix."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pitmanyor.corpus import LinkSet
from pitmanyor.corpus.parts import frozen
from pitmanyor.errors import CorpusError
from pitmanyor.reading.badlines import BadLines
from pitmanyor.reading.chunks import Block, Table
from pitmanyor.reading.delimited import open_delimited
from pitmanyor.reading.encodings import find_encoding, open_text
from pitmanyor.reading.graphxml import read_xml_graph
from pitmanyor.reading.label_codes import Labels
from pitmanyor.reading.options import FileOptions
from pitmanyor.reading.sources import open_source

SOURCES = ("source", "src", "from", "follower", "user", "author", "head")
BLANKS = (".txt", ".edges", ".edgelist")
TARGETS = ("target", "dst", "to", "followee", "followed", "friend", "following", "tail")


class Links(NamedTuple):
    """Links as read, without loops and repetitions, and sentences about what was left out."""

    links: LinkSet
    notes: list[str]


def read_links(source: Any, options: FileOptions, authors: Sequence[str]) -> Links:
    """Any source of links. `authors` settle whether a graph file means its ids or its labels."""
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        if path.suffix.lower() in (".graphml", ".gexf"):
            return _from_xml(path, authors)
        return _from_table(*_edge_table(path, options))
    if hasattr(source, "edges") and hasattr(source, "is_directed"):
        pairs = [(a, b) for a, b, *_ in source.edges()]
        return _links("the graph", pairs if source.is_directed() else pairs + [(b, a) for a, b in pairs])
    if isinstance(source, tuple) and len(source) == 2 and hasattr(source[0], "tocoo"):
        return _from_matrix(*source)
    if hasattr(source, "tocoo"):
        raise CorpusError("links= is a matrix without names; give a pair (matrix, labels of its rows)")
    if isinstance(source, LinkSet):
        return _links("the links", source.pairs)
    if isinstance(source, Iterable) and not hasattr(source, "columns"):
        return _from_pairs(source)
    return _from_table(*open_source(source, options))


def _edge_table(path: Path, options: FileOptions) -> tuple[Table, BadLines]:
    """A file with two columns; a first line that names no known columns holds a link already."""
    if path.suffix.lower() in (".parquet", ".pq") or path.suffix.lower().startswith(".json"):
        return open_source(path, options)
    if not os.path.exists(path):
        raise CorpusError(f"{path}: there is no such file of links; check the name")
    bad = BadLines(str(path), options.skip_bad_lines)
    if options.delimiter is None and path.suffix.lower() in BLANKS:
        encoding, notes = find_encoding(path, options.encoding)
        return Table(str(path), _blank_lines(path, encoding, bad), ["source", "target"], notes), bad
    table = open_delimited(path, replace(options, header=True), bad)
    if any(name.strip().lower() in SOURCES + TARGETS for name in table.columns):
        return table, bad
    bad = BadLines(str(path), options.skip_bad_lines)
    return open_delimited(path, replace(options, header=False), bad), bad


def _blank_lines(path: Path, encoding: str, bad: BadLines) -> Iterator[Block]:
    """Two names a line with blanks between, and comments after # or %."""
    lines, rows = [], []
    with open_text(path, encoding) as file:
        for i, line in enumerate(file, 1):
            fields = line.split()
            if not fields or fields[0][0] in "#%":
                continue
            if len(fields) < 2:
                bad.add(i, "one name where a link has two, with a blank between")
                continue
            lines.append(i)
            rows.append(tuple(fields[:2]))
    yield Block(lines, rows)


def _from_table(table: Table, bad: BadLines) -> Links:
    columns = list(table.columns)
    if len(columns) < 2:
        raise CorpusError(f"{table.name}: links need two columns, source and target, and it has {columns}")
    plain = {name.strip().lower(): name for name in columns}
    source = next((plain[name] for name in SOURCES if name in plain), columns[0])
    target = next((plain[name] for name in TARGETS if name in plain and plain[name] != source), None)
    if target is None:
        target = next(name for name in columns if name != source)
    index, ends = Labels(), []
    for chunk in table.chunks([source, target]):
        both = np.stack([index.encode(chunk.columns[name]) for name in (source, target)], 1)
        for i in np.flatnonzero(np.any(both < 0, 1)):
            bad.add(int(chunk.lines[i]), f"a link without its {source!r} or {target!r}")
        ends.append(both[np.all(both >= 0, 1)])
    notes = [f"links from {table.name}: {source!r} follows {target!r}", *table.notes]
    if bad.count:
        notes.append(f"{bad.source}: skipped {bad.count:,} bad lines, the first: {bad.first[0]}")
    found = np.concatenate(ends) if ends else np.empty((0, 2), np.int32)
    return _tidy(table.name, tuple(index.codes), found, notes)


def _from_xml(path: Path, authors: Sequence[str]) -> Links:
    graph = read_xml_graph(path)
    known = set(authors)
    if sum(name in known for name in graph.names.values()) > sum(name in known for name in graph.names):
        return _links(str(path), [(graph.names.get(a, a), graph.names.get(b, b)) for a, b in graph.pairs()])
    return _links(str(path), graph.pairs())


def _from_matrix(matrix: Any, labels: Sequence[Any]) -> Links:
    if matrix.shape != (len(labels), len(labels)):
        raise CorpusError(f"links= has a matrix of shape {matrix.shape} and {len(labels)} labels; give one per row")
    entries = matrix.tocoo()
    there = np.asarray(entries.data) != 0
    pairs = np.stack([entries.row[there], entries.col[there]], 1).astype(np.int32)
    index = Labels()
    codes = index.encode(list(labels))
    return _tidy("the matrix", tuple(index.codes), codes[pairs], [])


def _from_pairs(pairs: Iterable[Any]) -> Links:
    listed = list(pairs)
    for i, pair in enumerate(listed):
        if isinstance(pair, dict):
            return _from_table(*open_source(listed, FileOptions()))
        if isinstance(pair, str) or not hasattr(pair, "__len__") or len(pair) != 2:
            raise CorpusError(f"links=, entry {i}: {pair!r} is not a pair (source, target)")
    return _links("the links", listed)


def _links(name: str, pairs: Iterable[tuple[Any, Any]]) -> Links:
    index, listed = Labels(), list(pairs)
    both = np.stack([index.encode([pair[end] for pair in listed]) for end in (0, 1)], 1)
    return _tidy(name, tuple(index.codes), both[np.all(both >= 0, 1)], [])


def _tidy(name: str, labels: tuple[str, ...], pairs: Any, notes: list[str]) -> Links:
    """Every link once, and none from an author to itself."""
    loops = pairs[:, 0] == pairs[:, 1]
    unique = np.unique(pairs[~loops], axis=0)
    n_again = len(pairs) - int(loops.sum()) - len(unique)
    if loops.any():
        notes.append(f"{name}: left out {int(loops.sum()):,} links of an author to itself")
    if n_again:
        notes.append(f"{name}: left out {n_again:,} links that came before")
    return Links(LinkSet(labels, frozen(unique[:, 0], np.int32), frozen(unique[:, 1], np.int32)), notes)
