"""Similar documents and authors by their topics, similar topics by their words."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Sequence, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pitmanyor.call_checks import callers_level, checked_call
from pitmanyor.errors import EvidenceWarning, PlanError
from pitmanyor.results.fitted import Fitted
from pitmanyor.topics.authors import author_shares
from pitmanyor.topics.blocks import document_blocks
from pitmanyor.topics.counts import WordTables
from pitmanyor.topics.topic_view import View, view

Floats = NDArray[np.float64]
FEWEST_POSTS = 5  # with fewer, the estimate is close to the mean of all authors


@dataclass(frozen=True)
class Scored:
    """A document, author, topic or tag with its score; higher is better."""

    label: Hashable
    score: float


@checked_call()
def similar(
    fit: Fitted,
    *,
    document: int | None = None,
    author: Hashable | None = None,
    topic: int | str | None = None,
    n: int = 10,
) -> list[Scored]:
    """The documents, authors or topics most similar to a given one, the most similar first.

    The score is the affinity of two distributions, sum_k sqrt(p_k q_k): 1 if they are equal, 0 if they are disjoint.
    Documents and authors are compared by their topics, topics by their words. Authors with fewer than five posts cannot
    be told apart; an EvidenceWarning names them.

    Parameters
    ----------
    fit
        A fit.
    document, author, topic
        What to compare with; exactly one of them. A topic is a number or a name.
    n
        Number of results.
    """
    given = [what for what in (document, author, topic) if what is not None]
    if len(given) != 1:
        raise PlanError("give exactly one of document=, author= and topic=")
    if topic is not None:
        tables = WordTables(fit)
        shown = view(fit, tables=tables)
        words, _ = tables[fit.stream().name].pooled(shown.members)
        return nearest(words, shown.find(topic), shown.topics, n, _empty(fit, shown))
    if author is not None:
        labels, shares = author_shares(fit)
        found = nearest(view(fit).fold(shares), place_of(author, labels), labels, n)
        warn_of_few_posts(fit, author, found)
        return found
    assert document is not None
    if not 0 <= document < fit.corpus.n_documents:
        raise PlanError(f"there is no document {document}: they are numbered 0 to {fit.corpus.n_documents - 1}")
    return best(_near_documents(fit, document), range(fit.corpus.n_documents), n, leave_out={document})


def _near_documents(fit: Fitted, document: int) -> Floats:
    """The affinity of all documents with one of them."""
    shown = view(fit)
    one = next(
        block.shares[document - block.start] for block in document_blocks(fit, shown) if document < block.documents.stop
    )
    return np.concatenate([affinity(block.shares, one) for block in document_blocks(fit, shown)])


def place_of(author: Hashable, labels: list[Hashable]) -> int:
    if author not in labels:
        raise PlanError(f"there is no author {author!r} in this fit; there are {len(labels)}, such as {labels[0]!r}")
    return labels.index(author)


def warn_of_few_posts(fit: Fitted, author: Hashable, found: Sequence[Scored]) -> None:
    """Warn if an author, or an author that was found, has too few posts to tell what they write about.

    With sampled links there is no warning, because links are evidence too.
    """
    group = fit.corpus.groups.get("author")
    if group is None or fit.state.network or not fit.graph.streams:
        return
    counts = np.bincount(group.codes, minlength=len(group.labels))
    posts = dict(zip(group.labels, counts.tolist(), strict=True))
    said = []
    if posts.get(author, FEWEST_POSTS) < FEWEST_POSTS:
        said.append(f"{author!r} has only {posts[author]} posts, too few to tell whom they are like")
    few = [one.label for one in found if posts.get(one.label, FEWEST_POSTS) < FEWEST_POSTS]
    if few:
        said.append(
            f"{len(few)} of {len(found)} authors found have fewer than {FEWEST_POSTS} posts, such as {few[0]!r}"
        )
    if said:
        warnings.warn("; ".join(said), EvidenceWarning, stacklevel=callers_level())


def affinity(rows: Floats, one: Floats) -> Floats:
    """sum_k sqrt(p_k q_k) of every row with one distribution."""
    return np.sqrt(rows) @ np.sqrt(one)


def nearest(
    rows: Floats, place: int, labels: Sequence[Hashable], n: int, empty: Set[int] = frozenset()
) -> list[Scored]:
    """The rows most similar to the one at a place, excluding itself and empty ones."""
    return best(affinity(rows, rows[place]), labels, n, leave_out=empty | {place})


def best(scores: Floats, labels: Sequence[Hashable], n: int, leave_out: Set[int]) -> list[Scored]:
    """The n highest scores, with their labels."""
    if n < 1:
        raise PlanError(f"n is how many to show, 1 or more, not {n}")
    order = [int(i) for i in np.argsort(-scores, kind="stable")[: n + len(leave_out)] if i not in leave_out]
    return [Scored(labels[i], float(scores[i])) for i in order[:n]]


def _empty(fit: Fitted, shown: View) -> set[int]:
    """Places of topics without a token."""
    return set(range(len(shown.names))) - set(shown.place[fit.state.text.topic].tolist())
