"""Authors: their topics, and who follows whom."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np

from pitmanyor.report.clean import clean
from pitmanyor.report.reason_facts import reason_facts
from pitmanyor.report.view import Atlas, Floats, Ints
from pitmanyor.topics import author_shares
from pitmanyor.topics.network_backbone import backbone
from pitmanyor.topics.network_layout import arrange

MOST_AUTHORS = 2_000
MOST_LINKED, MOST_LINKS = 2_000, 40_000
AUTHOR = "author"


def author_facts(atlas: Atlas, order: Ints, salt: bytes | None) -> dict[str, Any]:
    """Names, numbers of posts and topic proportions of the authors with most posts; a `salt` hashes the names."""
    group = atlas.fit.corpus.groups[AUTHOR]
    posts = np.bincount(group.codes, minlength=len(group.labels))
    shares, said = shares_of(atlas)
    shown = order[:MOST_AUTHORS]
    names = [str(group.labels[a]) for a in shown]
    return {
        "names": [clean(name) if salt is None else hashed(name, salt) for name in names],
        "posts": posts[shown].tolist(),
        "shares": np.rint(1000 * shares[shown]).astype(int).tolist(),
        "said": said,
    }


def order_of(atlas: Atlas) -> Ints:
    """Authors by number of posts, which is how the page numbers them."""
    group = atlas.fit.corpus.groups[AUTHOR]
    by_posts = np.argsort(-np.bincount(group.codes, minlength=len(group.labels)), kind="stable")
    first = dict.fromkeys([*_most_linked(atlas), *by_posts.tolist()])
    told = np.isin(by_posts, list(first)[:MOST_AUTHORS])
    return np.concatenate([by_posts[told], by_posts[~told]])


def _pairs(atlas: Atlas) -> tuple[str, Ints]:
    """The name of the first link set, and its links as pairs of author numbers."""
    corpus = atlas.fit.corpus
    number = {label: a for a, label in enumerate(corpus.groups[AUTHOR].labels)}
    for name, links in corpus.links.items():
        pairs = {(number[a], number[b]) for a, b in links.pairs if a in number and b in number and a != b}
        if pairs:
            return name, np.array(sorted(pairs), np.int64)
    return "", np.empty((0, 2), np.int64)


def _most_linked(atlas: Atlas) -> list[int]:
    """The authors with most links, as many as are drawn."""
    degree = np.bincount(_pairs(atlas)[1].ravel(), minlength=1)
    return [a for a in np.argsort(-degree, kind="stable")[:MOST_LINKED].tolist() if degree[a]]


def hashed(name: str, salt: bytes) -> str:
    """A hash of a name that cannot be found by trying names, because the salt is not kept."""
    return "author-" + blake2b(name.encode("utf-8", "replace"), key=salt, digest_size=4).hexdigest()


def shares_of(atlas: Atlas) -> tuple[Floats, str]:
    """Topic proportions of the authors of the corpus, one row each, and what they are."""
    labels, rows = author_shares(atlas.fit)
    number = {label: i for i, label in enumerate(atlas.fit.corpus.groups[AUTHOR].labels)}
    shares = np.zeros((len(number), atlas.n_topics))
    shares[[number[label] for label in labels]] = atlas.fold(rows)
    own = any(node.side == "topic" and node.plate == (AUTHOR,) for node in atlas.fit.state.plan.nodes)
    return shares, "posterior means of the authors' own topics" if own else "means of the topics of the author's posts"


def link_facts(atlas: Atlas, order: Ints) -> dict[str, Any] | None:
    """The authors with most links, their places in the plane, the links between them, and the pairs that are drawn.

    `to` and `of` are numbers of links from and to each author; `backbone` has the pairs that show the shape of the
    network; `links` are those to show of one author, all of them unless there are too many; `near` says who is near,
    and why.
    """
    name, pairs = _pairs(atlas)
    if not len(pairs):
        return None
    number = {a: i for i, a in enumerate(order.tolist())}
    shown = _most_linked(atlas)
    place = {a: i for i, a in enumerate(shown)}
    between = sorted((place[a], place[b]) for a, b in pairs.tolist() if a in place and b in place)
    links = np.array(between, np.int64).reshape(-1, 2)
    told = links[np.linspace(0, len(links) - 1, min(len(links), MOST_LINKS)).astype(int)]
    drawn = backbone(len(shown), links)
    xy = np.round(arrange(len(shown), drawn.pairs, drawn.strength), 3).tolist()
    size = len(number)
    labels = atlas.fit.corpus.groups[AUTHOR].labels
    return {
        "name": name,
        "nodes": [[number[a], x, y] for a, (x, y) in zip(shown, xy, strict=True)],
        "to": np.bincount(pairs[:, 0], minlength=size)[shown].tolist(),
        "of": np.bincount(pairs[:, 1], minlength=size)[shown].tolist(),
        "links": told.tolist(),
        "backbone": drawn.pairs.tolist(),
        "n_authors": len(np.unique(pairs)),
        "n_links": len(pairs),
        "near": reason_facts(atlas, name, [labels[a] for a in shown]),
    }
