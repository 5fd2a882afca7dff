"""CPU time and memory of one step of the network: every author proposed twice, mu0, scalars, weights.

Run `python -m benchmarks.network`. Authors have some 500 customers over 50 topics; one pair in ten is linked. Then
links as events between topics, mostly ten for each author.
"""

from __future__ import annotations

import time

import numpy as np

from pitmanyor.kernels.network.masses import Masses
from pitmanyor.kernels.numbers.stirling import build_tables
from pitmanyor.network.block_links import BlockLinks
from pitmanyor.network.block_prior import Effects
from pitmanyor.network.dyads import sparse
from pitmanyor.network.features import Kernel
from pitmanyor.network.linked import LinkedNode, Seats
from pitmanyor.network.network import Network, Shared
from pitmanyor.network.observed import Ends, observe
from pitmanyor.network.root import Prior, Root
from pitmanyor.network.similar_links import SimilarLinks

N_TOPICS, STEPS = 50, 5


def network_of(n_authors: int, discount: float) -> tuple[Network, dict[str, Seats]]:
    rng = np.random.default_rng(n_authors)
    sources, targets = np.nonzero(rng.random((n_authors, n_authors)) < 0.1)
    ends = Ends(sources, targets, np.zeros((0, 2), np.int64))
    observed = observe(n_authors, ends, directed=True, self_links=False)
    log_mu = np.log(rng.dirichlet(np.ones(N_TOPICS)))
    customers = rng.poisson(rng.dirichlet(np.full(N_TOPICS, 0.2), n_authors) * 500).astype(np.int64)
    zeros, base = np.zeros(n_authors), np.zeros(n_authors, np.int64)
    masses = Masses(np.zeros((n_authors, N_TOPICS)), zeros, np.full(n_authors, 5.0), customers, log_mu[None], base)
    node = LinkedNode(discount, masses, {"follows": SimilarLinks(Kernel())}, {"follows": observed})
    seats = Seats(build_tables([discount], 1024, 256, 1 << 26), 0)
    node.start(seats, np.full(n_authors, 40), (1, 0, 0))
    root = Root(log_mu, 1.0, Prior(0.1, 0.1), np.full(N_TOPICS, 20))
    return Network(root, {"nu": node}, {"nu": Shared(Prior(0.1, 0.1), True)}), {"nu": seats}


def blocks_of(n_authors: int, links_each: int) -> tuple[Network, dict[str, Seats]]:
    """Authors who link to a few others; nobody's pairs are hidden."""
    network, seats = network_of(2, 0.5)
    rng, zeros = np.random.default_rng(n_authors), np.zeros(n_authors)
    log_mu, base = network.root.log_mu, np.zeros(n_authors, np.int64)
    customers = rng.poisson(rng.dirichlet(np.full(N_TOPICS, 0.2), n_authors) * 500).astype(np.int64)
    masses = Masses(np.zeros((n_authors, N_TOPICS)), zeros, np.full(n_authors, 5.0), customers, log_mu[None], base)
    ends = Ends(*rng.integers(0, n_authors, (2, n_authors * links_each)), np.zeros((0, 2), np.int64))
    effects = Effects(popularity=True, reciprocity=True, directed=True)
    links = BlockLinks(effects, N_TOPICS, sparse(n_authors, ends, directed=True))
    node = LinkedNode(0.5, masses, {}, {}, blocks={"follows": links})
    node.start(seats["nu"], np.full(n_authors, 40), (1, 0, 0))
    return Network(network.root, {"nu": node}, network.shared), seats


def race_blocks() -> None:
    print("\nblocks: authors  links  CPU ms a step")
    for n_authors, each in ((150, 43), (2_000, 10), (20_000, 10)):
        network, seats = blocks_of(n_authors, each)
        rng = np.random.default_rng(1)
        network.step(seats, (1, 0, 1), rng)
        start = time.process_time()
        for i in range(STEPS):
            network.step(seats, (1, 0, 2 + i), rng)
        spent = (time.process_time() - start) / STEPS
        print(f"{n_authors:15d} {n_authors * each:6d} {1e3 * spent:13.1f}")


def main() -> None:
    print("authors  discount  CPU ms a step  bytes a pair")
    for n_authors in (150, 500, 2000):
        for discount in (0.0, 0.5, 0.3):
            network, seats = network_of(n_authors, discount)
            rng = np.random.default_rng(1)
            network.step(seats, (1, 0, 1), rng)
            start = time.process_time()
            for i in range(STEPS):
                network.step(seats, (1, 0, 2 + i), rng)
            spent = (time.process_time() - start) / STEPS
            node = network.nodes["nu"]
            likeness = node.likeness
            held = sum(a.nbytes for a in (likeness.cosine, likeness.ones, likeness.zeros, node.seen["follows"].pairs))
            print(f"{n_authors:7d}  {discount:8.1f}  {1e3 * spent:13.1f}  {held / n_authors**2:12.1f}")
    race_blocks()


if __name__ == "__main__":
    main()
