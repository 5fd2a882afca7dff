"""Initialisation of links without text. Any start leaves the posterior unchanged, but from some a chain never mixes.

At random vectors links seem unrelated to similarity, so the random function becomes flat, and a flat function does not
pull the vectors together. The function is therefore fixed for a while at what would be expected of K equally large
topics: linked pairs share a topic, and so does one in K of the unlinked pairs.
"""

from __future__ import annotations

import numpy as np

from pitmanyor.network.features import N_KNOTS
from pitmanyor.network.linked import Seats, Seed
from pitmanyor.network.mode import find_mode
from pitmanyor.network.network import Network
from pitmanyor.network.observed import Observed
from pitmanyor.network.similar_links import SimilarLinks

ROUNDS = 30
FIRST = 1 << 40  # rounds have their own random streams, keyed as very late sweeps


def find_places(network: Network, seats: dict[str, Seats], seed: Seed, rng: np.random.Generator) -> None:
    """Move the vectors for some rounds under fixed functions, which are then released."""
    n_topics = len(network.root.log_mu)
    for node in network.nodes.values():
        for name, links in node.sets.items():
            suppose_alike(links, node.seen[name], n_topics)
        node.refresh()
    for i in range(ROUNDS):
        network.move_vectors(seats, (seed[0], seed[1], FIRST + i), rng)


def suppose_alike(links: SimilarLinks, observed: Observed, n_topics: int) -> None:
    """The most likely weights if links were within topics: similarity is 1 there and 0 elsewhere."""
    apart = observed.n_pairs - observed.n_links
    links.laid = np.zeros((2, N_KNOTS))
    links.laid[0, -1] = observed.n_links
    links.laid[1, [0, -1]] = apart * (1.0 - 1.0 / n_topics), apart / n_topics
    links.weights = find_mode(links)[0]
