"""The summary of a corpus, modelled on the paper's table of data sets."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from pitmanyor.corpus.parts import Grouping
from pitmanyor.corpus.read_report import ReadReport
from pitmanyor.escape import visible

if TYPE_CHECKING:
    from pitmanyor.corpus.corpus import Corpus

Value = int | float | str
LISTED = 6  # labels of a grouping that are listed


@dataclass(frozen=True)
class Description:
    """Sizes of a corpus by name, and what reading did, if it was read."""

    rows: tuple[tuple[str, Value], ...]
    report: ReadReport | None = None

    def as_dict(self) -> dict[str, Value]:
        return dict(self.rows)

    def to_html(self) -> str:
        """An HTML table for notebooks, followed by what reading did."""
        cells = [(escape(visible(name)), escape(visible(_shown(value)))) for name, value in self.rows]
        table = "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in cells)
        said = f"<pre>{escape(visible(str(self.report)))}</pre>" if self.report else ""
        return f"<table><tbody>{table}</tbody></table>{said}"

    def __str__(self) -> str:
        width = max(len(name) for name, _ in self.rows)
        lines = [f"{name:<{width}}  {_shown(value)}" for name, value in self.rows]
        return "\n".join(lines + (["", str(self.report)] if self.report else []))


def describe(corpus: Corpus) -> Description:
    n_documents = corpus.n_documents
    rows: list[tuple[str, Value]] = [("documents", n_documents)]
    for name, group in corpus.groups.items():
        n_labels = len(np.unique(group.codes))
        if name == "author":
            rows.append(("authors", n_labels))
        else:
            rows += [(f"{name} labels", n_labels), (f"documents by {name}", _largest(group))]
    rows += [("vocabulary", len(corpus.vocabulary)), ("tokens", corpus.n_tokens)]
    for name, stream in corpus.streams.items():
        rows += [
            (f"{name} tokens", len(stream.words)),
            (f"{name} types", len(np.unique(stream.words))),
            (f"{name}s per document", round(len(stream.words) / max(n_documents, 1), 2)),
        ]
    for name, links in corpus.links.items():
        n_ends = len(np.unique(np.concatenate([links.sources, links.targets])))
        rows += [(f"{name} links", len(links)), (f"{name} labels linked", n_ends)]
    if corpus.times is not None and not np.all(np.isnat(corpus.times)):
        known = corpus.times[~np.isnat(corpus.times)]
        rows += [("first", str(known.min())), ("last", str(known.max()))]
    return Description(tuple(rows), corpus.report)


def _largest(group: Grouping) -> str:
    """The most common labels, with their numbers of documents.

    >>> _largest(Grouping(("left", "right"), np.array([0, 1, 1], np.int32)))
    'right 2, left 1'
    """
    counts = np.bincount(group.codes, minlength=len(group.labels))
    order = [i for i in np.argsort(-counts, kind="stable").tolist() if counts[i]]
    shown = [f"{group.labels[i]} {counts[i]:,}" for i in order[:LISTED]]
    return ", ".join(shown + ([f"and {len(order) - LISTED:,} more"] if len(order) > LISTED else []))


def _shown(value: Value) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
