"""Of each author: whom they follow and might follow, and whether words, links or popularity bring these near."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.report.view import Atlas, Floats

MOST_COMPARED = 300  # authors with most links, each of whom is compared with all of them
TOLD = 4  # of those followed, and of those suggested
PARTS = ("words", "links", "popularity", "answer")


def reason_facts(atlas: Atlas, name: str, shown: Sequence[Hashable]) -> dict[str, Any] | None:
    """The nearest of each author, by their numbers in `shown`; None if the model does not have these links.

    A row is a target, whether the link is there, its probability in thousandths, and the parts of its score in tenths
    of log-odds. Likely links come first.
    """
    fit = atlas.fit
    if not fit.state.network or name not in {links.name for links in fit.graph.link_sets}:
        return None
    number = {label: i for i, label in enumerate(shown)}
    among = list(shown[:MOST_COMPARED])
    pairs = [(a, b) for a in among for b in among if a != b]
    sources, targets = (list(side) for side in zip(*pairs, strict=True))
    chances = fit.link_probability(sources, targets, name)
    linked = {(a, b) for a, b in fit.corpus.links[name].pairs}
    directed = next(links.directed for links in fit.graph.link_sets if links.name == name)
    if not directed:
        linked |= {(b, a) for a, b in linked}
    there = np.array([pair in linked for pair in pairs], bool)
    chosen = _nearest(chances.reshape(len(among), -1), there.reshape(len(among), -1))
    parts = fit.link_parts([sources[p] for p in chosen], [targets[p] for p in chosen], name)
    tenths = np.rint(10 * np.stack([getattr(parts, part) for part in PARTS], axis=1)).astype(int).tolist()
    near: dict[int, list[list[int]]] = {}
    for p, row in zip(chosen, tenths, strict=True):
        said = [number[targets[p]], int(there[p]), round(1000 * float(chances[p])), *row]
        near.setdefault(number[sources[p]], []).append(said)
    return {"parts": list(PARTS), "of": near}


def _nearest(chances: Floats, there: NDArray[np.bool_]) -> list[int]:
    """Places of the likeliest pairs of each row: a few with a link, then a few without."""
    found = []
    for i, (row, linked) in enumerate(zip(chances, there, strict=True)):
        order = np.argsort(-row, kind="stable")
        for kind in (True, False):
            found += [i * len(row) + int(j) for j in order[linked[order] == kind][:TOLD]]
    return found
