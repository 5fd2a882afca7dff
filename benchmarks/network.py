"""CPU time and memory of one step of the network: every author proposed twice, mu0, scalars, weights.

Run `python -m benchmarks.network`. Authors have some 500 customers over 50 topics; one pair in ten is linked. Then
links between traits, as `author_traits` has them, and links as events between topics, mostly ten for each author:
between the vectors of a text, and between vectors that stand on these and the root, as `author_blocks` has them.
"""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from pitmanyor.kernels.network.masses import Masses
from pitmanyor.kernels.numbers.stirling import build_tables
from pitmanyor.network.block_links import BlockLinks
from pitmanyor.network.block_prior import Effects
from pitmanyor.network.dyads import sparse
from pitmanyor.network.features import Kernel
from pitmanyor.network.linked import LinkedNode, Seats
from pitmanyor.network.mixtures import Base, Parent, fixed_or_learned
from pitmanyor.network.network import Network, Shared
from pitmanyor.network.observed import Ends, observe
from pitmanyor.network.root import Prior, Root
from pitmanyor.network.similar_links import SimilarLinks
from pitmanyor.network.trait_links import TraitLinks
from pitmanyor.network.trait_prior import Parts

N_TOPICS, STEPS = 50, 5
ROOT = np.log(np.random.default_rng(1).dirichlet(np.ones(N_TOPICS)))


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


def text_of(n_authors: int, log_mu: NDArray[np.float64], rng: np.random.Generator) -> Masses:
    """Authors with customers from a text, over one root."""
    zeros, base = np.zeros(n_authors), np.zeros(n_authors, np.int64)
    customers = rng.poisson(rng.dirichlet(np.full(N_TOPICS, 0.2), n_authors) * 500).astype(np.int64)
    return Masses(np.zeros((n_authors, N_TOPICS)), zeros, np.full(n_authors, 5.0), customers, log_mu[None], base)


def started(nodes: dict[str, LinkedNode]) -> tuple[Network, dict[str, Seats]]:
    network, seats = network_of(2, 0.5)
    for node in nodes.values():
        node.start(seats["nu"], np.full(len(node.masses.log_u0), 40), (1, 0, 0))
        node.lay()
    root = Root(ROOT, 1.0, Prior(0.1, 0.1), np.full(N_TOPICS, 20))
    shared = dict.fromkeys(nodes, network.shared["nu"])
    return Network(root, nodes, shared), dict.fromkeys(nodes, seats["nu"])


def blocks_of(n_authors: int, links_each: int, own: bool) -> tuple[Network, dict[str, Seats]]:
    """Authors who link to a few others, perhaps by vectors of their own; nobody's pairs are hidden."""
    rng = np.random.default_rng(n_authors)
    ends = Ends(*rng.integers(0, n_authors, (2, n_authors * links_each)), np.zeros((0, 2), np.int64))
    effects = Effects(popularity=True, reciprocity=True, directed=True)
    blocks = {"follows": BlockLinks(effects, N_TOPICS, sparse(n_authors, ends, directed=True))}
    masses = text_of(n_authors, ROOT, rng)
    if not own:
        return started({"nu": LinkedNode(0.5, masses, {}, {}, blocks=blocks)})
    nu, each = LinkedNode(0.5, masses, {}, {}), np.arange(n_authors)
    parents = [Parent(nu, nu.log_nu, each), Parent(None, ROOT[None], np.zeros(n_authors, np.int64))]
    base = Base(parents, *fixed_or_learned(n_authors, (0.5, 0.5), None))
    chi = text_of(n_authors, ROOT, rng)
    log_base, above = base.room()
    chi = chi._replace(customers=np.zeros_like(chi.customers), log_base=log_base, above=above)
    return started({"nu": nu, "chi": LinkedNode(0.5, chi, {}, {}, over=base, blocks=blocks)})


def traits_of(n_authors: int) -> tuple[Network, dict[str, Seats]]:
    """Authors one pair of whom in ten is linked, and a tenth of whose pairs are hidden."""
    rng = np.random.default_rng(n_authors)
    pairs = np.argwhere(rng.random((n_authors, n_authors)) < 0.1)
    hidden = np.argwhere(rng.random((n_authors, n_authors)) < 0.1)
    observed = observe(n_authors, Ends(*pairs.T, hidden), directed=True, self_links=False)
    links = TraitLinks(Parts(popularity=True, reciprocity=True), N_TOPICS, observed)
    return started({"nu": LinkedNode(0.5, text_of(n_authors, ROOT, rng), {}, {}, traits={"follows": links})})


def milliseconds(network: Network, seats: dict[str, Seats]) -> float:
    """CPU time of a step, after a first one."""
    rng = np.random.default_rng(1)
    network.step(seats, (1, 0, 1), rng)
    start = time.process_time()
    for i in range(STEPS):
        network.step(seats, (1, 0, 2 + i), rng)
    return 1e3 * (time.process_time() - start) / STEPS


def race_traits() -> None:
    print("\ntraits: authors  CPU ms a step")
    for n_authors in (150, 500, 2_000):
        print(f"{n_authors:15d} {milliseconds(*traits_of(n_authors)):14.1f}")


def race_blocks() -> None:
    print("\nblocks: authors  links  own vectors  CPU ms a step")
    for n_authors, each in ((150, 43), (2_000, 10), (20_000, 10)):
        for own in (False, True):
            spent = milliseconds(*blocks_of(n_authors, each, own))
            print(f"{n_authors:15d} {n_authors * each:6d}  {'yes' if own else 'no':>11s} {spent:14.1f}")


def main() -> None:
    print("authors  discount  CPU ms a step  bytes a pair")
    for n_authors in (150, 500, 2000):
        for discount in (0.0, 0.5, 0.3):
            network, seats = network_of(n_authors, discount)
            spent = milliseconds(network, seats)
            node = network.nodes["nu"]
            likeness = node.likeness
            held = sum(a.nbytes for a in (likeness.cosine, likeness.ones, likeness.zeros, node.seen["follows"].pairs))
            print(f"{n_authors:7d}  {discount:8.1f}  {spent:13.1f}  {held / n_authors**2:12.1f}")
    race_traits()
    race_blocks()


if __name__ == "__main__":
    main()
