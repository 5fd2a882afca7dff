"""Authors: what they write about, and who follows whom."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.insight import author_shares
from pitmanyor.report.clean import clean
from pitmanyor.report.view import Atlas, Floats, Ints

MOST_AUTHORS = 500
MOST_LINKED, MOST_LINKS = 250, 4_000
STEPS = 200
AUTHOR = "author"


def author_facts(atlas: Atlas, order: Ints, salt: bytes | None) -> dict[str, Any]:
    """Names, numbers of posts and topic shares of the authors with most posts; with a `salt` names are hashed."""
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
    """Authors by their number of posts: so the page numbers them."""
    group = atlas.fit.corpus.groups[AUTHOR]
    return np.argsort(-np.bincount(group.codes, minlength=len(group.labels)), kind="stable")


def hashed(name: str, salt: bytes) -> str:
    """A name that cannot be found by trying names, for nobody keeps the salt."""
    return "author-" + blake2b(name.encode("utf-8", "replace"), key=salt, digest_size=4).hexdigest()


def shares_of(atlas: Atlas) -> tuple[Floats, str]:
    """A row of topic shares for each author of the corpus, and what they are."""
    labels, rows = author_shares(atlas.fit)
    number = {label: i for i, label in enumerate(atlas.fit.corpus.groups[AUTHOR].labels)}
    shares = np.zeros((len(number), atlas.n_topics))
    shares[[number[label] for label in labels]] = atlas.fold(rows)
    own = any(node.side == "topic" and node.plate == (AUTHOR,) for node in atlas.fit.state.plan.nodes)
    return shares, "posterior means of the authors' own topics" if own else "means of the topics of the author's posts"


def link_facts(atlas: Atlas, order: Ints) -> dict[str, Any] | None:
    """The authors with most links, their places in the plane, and the links between them."""
    corpus = atlas.fit.corpus
    if AUTHOR not in corpus.groups or not any(len(links) for links in corpus.links.values()):
        return None
    name, links = next((name, links) for name, links in corpus.links.items() if len(links))
    number = {corpus.groups[AUTHOR].labels[a]: i for i, a in enumerate(order[:MOST_AUTHORS].tolist())}
    pairs = {(number[a], number[b]) for a, b in links.pairs if a in number and b in number and a != b}
    degree = np.bincount(np.array(list(pairs), np.int64).reshape(-1), minlength=len(number))
    shown = [int(a) for a in np.argsort(-degree, kind="stable")[:MOST_LINKED] if degree[a]]
    if not shown:
        return None
    place = {a: i for i, a in enumerate(shown)}
    kept = sorted((place[a], place[b]) for a, b in pairs if a in place and b in place)
    drawn = np.array(kept, np.int64)[np.linspace(0, len(kept) - 1, min(len(kept), MOST_LINKS)).astype(int)]
    xy = spread(len(shown), np.array(kept, np.int64))
    return {
        "name": name,
        "nodes": [[a, round(float(x), 3), round(float(y), 3)] for a, (x, y) in zip(shown, xy, strict=True)],
        "links": drawn.tolist(),
        "n_links": len(links),
        "n_drawn": len(drawn),
    }


def spread(n: int, links: Ints, steps: int = STEPS) -> NDArray[np.float64]:
    """Places from -1 to 1: links pull, all nodes push, and everything leans to the middle (Fruchterman-Reingold)."""
    turn = np.arange(n) * 2.399963229728653  # a sunflower: even, and the same every time
    xy = np.sqrt((np.arange(n) + 0.5) / n)[:, None] * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    weight = np.zeros((n, n))
    np.add.at(weight, (links[:, 0], links[:, 1]), 1.0)
    weight = np.minimum(weight + weight.T, 1.0)
    weight /= np.sqrt(np.maximum(weight.sum(axis=1), 1.0))[:, None]  # those who are linked to all do not pull all in
    weight = (weight + weight.T) / 2
    unit = np.sqrt(1.0 / n)
    for step in range(steps):
        apart = xy[:, None] - xy
        distance = np.maximum(np.sqrt((apart**2).sum(axis=2)), 1e-3)
        force = unit**2 / distance**2 - weight * distance / unit
        move = (force[:, :, None] * apart).sum(axis=1) - 0.4 * xy
        length = np.maximum(np.sqrt((move**2).sum(axis=1, keepdims=True)), 1e-9)
        xy += move / length * np.minimum(length, 0.1 * (1 - step / steps))
    xy -= np.median(xy, axis=0)
    spread_out = xy / np.maximum(np.quantile(np.abs(xy), 0.98, axis=0), 1e-9)
    return np.asarray(np.clip(spread_out, -1.0, 1.0))  # a few outsiders do not crowd the rest
