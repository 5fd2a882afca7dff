"""Pairs of a link set that are held out for prediction."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor import purposes
from pitmanyor.corpus.parts import LinkSet, frozen
from pitmanyor.errors import CorpusError
from pitmanyor.seeds import generator


class HeldOut(NamedTuple):
    """Held-out pairs (source, target), and whether they are linked."""

    pairs: tuple[tuple[Hashable, Hashable], ...]
    linked: NDArray[np.bool_]


def hide(
    links: LinkSet, labels: tuple[Hashable, ...], share: float, seed: int, directed: bool
) -> tuple[LinkSet, HeldOut]:
    """Hold out a random share of all pairs of two different labels; their links are removed."""
    if not 0.0 < share < 1.0:
        raise CorpusError(f"share must be between 0 and 1, not {share!r}")
    names = (*links.labels, *(label for label in labels if label not in set(links.labels)))
    code = {name: i for i, name in enumerate(names)}
    among = np.array([code[label] for label in labels], np.int64)
    i, j = np.nonzero(~np.eye(len(among), dtype=bool))
    if not directed:
        i, j = i[i > j], j[i > j]
    if not len(i):
        raise CorpusError(
            f"no pair to hold out: at least two labels are needed, and there is {len(labels)}; leave the links out"
        )
    rng = generator((seed, len(i)), purposes.FIRST_CHOICE)
    chosen = np.sort(rng.choice(len(i), max(1, round(share * len(i))), replace=False))
    pairs = np.stack([among[i[chosen]], among[j[chosen]]], axis=1)
    matrix = np.zeros((len(names), len(names)), bool)
    matrix[links.sources, links.targets] = True
    if not directed:
        matrix |= matrix.T
    linked = matrix[pairs[:, 0], pairs[:, 1]]
    gone = np.zeros_like(matrix)
    gone[pairs[:, 0], pairs[:, 1]] = True
    if not directed:
        gone |= gone.T
    stay = ~gone[links.sources, links.targets]
    hidden = np.concatenate([links.hidden, pairs])
    left = LinkSet(
        names,
        frozen(links.sources[stay], np.int32),
        frozen(links.targets[stay], np.int32),
        frozen(hidden, np.int32),
    )
    return left, HeldOut(tuple((names[a], names[b]) for a, b in pairs.tolist()), linked)


def reveal(links: LinkSet, truth: Iterable[tuple[Hashable, Hashable]], directed: bool) -> HeldOut:
    """The held-out pairs of a link set, with the truth from a complete list of links."""
    known = set(truth)
    if not directed:
        known |= {(b, a) for a, b in known}
    if not len(links.hidden):
        raise CorpusError("no pair of these links is held out, so there is none to predict; hold some out first")
    if lost := [pair for pair in links.pairs if pair not in known]:
        a, b = lost[0]
        raise CorpusError(
            f"{len(lost):,} links that are not held out are not in this list, such as {a!r} to {b!r}; "
            "give the list of all links that the corpus was read with"
        )
    names = links.labels
    pairs = tuple((names[a], names[b]) for a, b in links.hidden.tolist())
    return HeldOut(pairs, np.array([pair in known for pair in pairs], bool))
