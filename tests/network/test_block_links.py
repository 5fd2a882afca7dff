"""Links as events between topics: Geweke's joint test with customers from a text, and likelihoods by enumeration."""

import math
from functools import cache
from itertools import permutations, product
from unittest.mock import patch

import numpy as np
import pytest

from oracle.runs import z_scores
from pitmanyor.kernels.network.masses import Masses
from pitmanyor.kernels.numbers.stirling import build_tables
from pitmanyor.network import block_links, block_prior
from pitmanyor.network.block_links import BlockLinks
from pitmanyor.network.block_prior import Effects, draw_unknowns
from pitmanyor.network.dyads import dyads_of, hidden_of, sparse
from pitmanyor.network.linked import LinkedNode, Seats
from pitmanyor.network.network import Network, Shared
from pitmanyor.network.observed import Ends
from pitmanyor.network.root import Root, draw_log_gamma

N, K, WORDS = 4, 3, 2  # instances, topics, customers that a text sends to each
ROOT, B = 1.5, 1.2
LEVEL = (0.3, 0.5)
EVERYTHING = Effects(popularity=True, reciprocity=True, directed=True)
UNDIRECTED = Effects(popularity=True, reciprocity=False, directed=False)
HIDDEN = np.array([[0, 1], [1, 2], [2, 1], [3, 0]])  # one direction, both, and one that comes back to the first
N_STEPS, N_DRAWS = 12_000, 20_000


def empty(effects, hidden=HIDDEN):
    none = np.zeros(0, np.int64)
    return sparse(N, Ends(none, none, hidden), directed=effects.directed)


def network_of(effects, discount):
    log_mu, zeros = np.log(np.full(K, 1 / K)), np.zeros(N, np.int64)
    masses = Masses(np.zeros((N, K)), np.zeros(N), np.full(N, B), np.zeros((N, K), np.int64), log_mu[None], zeros)
    node = LinkedNode(discount, masses, {}, {}, blocks={"f": BlockLinks(effects, K, empty(effects))})
    root = Root(log_mu, ROOT, None, np.zeros(K, np.int64))
    return Network(root, {"nu": node}, {"nu": Shared(None, True)}), Seats(build_tables([discount], 64, 64, 1 << 20), 0)


def draw_linked(links, rng):
    """Links given vectors and unknowns, event by event; an undirected pair is below the diagonal."""
    i, j = np.indices((N, N)).reshape(2, -1)
    rates, q = links.pair_rates(i, j).reshape(N, N), float(links.unknowns.scalars[0])
    if not links.effects.directed:
        rates = np.tril(rates, -1)
    np.fill_diagonal(rates, 0.0)
    events = rng.poisson(np.minimum(rates, 1e6))
    answered = rng.binomial(events, q)
    return (events > 0) | (answered.T > 0)


def observe(links, linked):
    """Hand the links over, without the hidden ones."""
    links.links = sparse(N, Ends(*np.nonzero(linked), HIDDEN), directed=links.effects.directed)
    links.dyads = dyads_of(links.links)


def statistics(mu, nu, links, linked, customers):
    unknowns = links.unknowns
    logs = np.log(unknowns.rates).clip(-30), np.log(unknowns.sent).clip(-30), np.log(unknowns.received).clip(-30)
    level, within = np.log(unknowns.scalars[1:3])
    seen = links.links.status(*np.indices((N, N)).reshape(2, -1)).reshape(N, N) == 1
    out = [mu[0], (mu**2).sum(), nu[0, 0], (nu**2).sum(), (nu * mu).sum(), (nu * customers).sum()]
    out += [nu[0] @ nu[1], (linked * (nu @ nu.T)).sum(), linked.sum(), linked.sum() ** 2, (linked & linked.T).sum()]
    out += [seen.sum(), level, level**2, *(x.mean() for x in logs), *((x**2).mean() for x in logs)]
    out += [unknowns.scalars[0], unknowns.scalars[0] ** 2, *np.log(unknowns.scalars[3:]), within, within**2]
    out += [np.trace(logs[0]), linked.sum(axis=1) @ logs[1], linked.sum(axis=0) @ logs[2], level * linked.sum()]
    out += [unknowns.scalars[0] * (linked & linked.T).sum(), nu[0] @ logs[0] @ nu[1], links.log_likelihood()]
    exposed = links.exposure()
    tilted = [float(((row - row.mean()) * np.log(tilt_of(links, i))).sum()) for i, row in enumerate(nu)]
    return [float(x) for x in (*out, min(exposed, 30.0), np.mean(tilted), tilted[0] * linked.sum())]


def tilt_of(links, i):
    tilt = np.zeros(K)
    links.add_tilt(i, tilt)
    return np.maximum(tilt, 1e-9)


@pytest.fixture(autouse=True, scope="module")
def busy():
    """More events than the prior has on average: pairs that are not linked say more then."""
    with patch.object(block_links, "LEVEL", LEVEL), patch.object(block_prior, "LEVEL", LEVEL):
        yield


@cache
def prior(effects, discount, seed=1):
    """Independent draws from the prior, and of everything that it implies."""
    rng, rows = np.random.default_rng(seed), []
    network, seats = network_of(effects, discount)
    (node,), root = network.nodes.values(), network.root
    links = node.blocks["f"]
    for i in range(N_DRAWS):
        root.log_mu[:] = draw_log_gamma(np.full(K, ROOT / K), rng)
        root.log_mu -= np.logaddexp.reduce(root.log_mu)
        node.masses.customers[:] = 0
        node.start(seats, np.zeros(N, np.int64), (seed, 0, i))
        links.weights = draw_unknowns(N, K, effects, rng)
        links.place(node.nu)
        linked = draw_linked(links, rng)
        observe(links, linked)
        customers = np.array([rng.multinomial(WORDS, row / row.sum()) for row in node.nu])
        rows.append(statistics(np.exp(root.log_mu), node.nu, links, linked, customers))
    return np.array(rows)


def chain(effects, discount, n_steps=N_STEPS, seed=2):
    rng, rows = np.random.default_rng(seed), []
    network, seats = network_of(effects, discount)
    (node,) = network.nodes.values()
    links = node.blocks["f"]
    node.start(seats, np.zeros(N, np.int64), (seed, 0, 0))
    for i in range(n_steps):
        links.place(node.nu)
        node.masses.customers[:] = [rng.multinomial(WORDS, row / row.sum()) for row in node.nu]
        linked = draw_linked(links, rng)
        observe(links, linked)
        rows.append(statistics(np.exp(network.root.log_mu), node.nu, links, linked, node.masses.customers))
        network.step({"nu": seats}, (seed, 0, i), rng)
    return np.array(rows)


def worst(effects, discount, n_steps=N_STEPS):
    """The largest |z| of a difference of means; both sides are random."""
    rows, true = chain(effects, discount, n_steps), prior(effects, discount)
    varies = true.std(axis=0) > 1e-9
    mean, error = true.mean(axis=0), true.std(axis=0) / math.sqrt(len(true))
    z = z_scores(rows[:, varies], mean[varies])
    own = (rows.mean(axis=0) - mean)[varies] / np.where(z == 0, 1.0, z)  # the standard error of the chain's means
    return float(np.abs(z * np.abs(own) / np.hypot(own, error[varies])).max())


def some_links(effects, seed=3):
    """Vectors and unknowns, and pairs of which some are hidden."""
    rng = np.random.default_rng(seed)
    links = BlockLinks(effects, K, empty(effects))
    links.weights = draw_unknowns(N, K, effects, rng)
    links.unknowns.scalars[1:3] = 0.4
    links.unknowns.rates[:] = 0.4 + np.abs(links.unknowns.rates - 0.4).clip(0, 0.3)
    links.place(rng.dirichlet(np.ones(K), N))
    return links


def patterns(effects):
    """Every network of `N` instances, which has the pairs of the first three alone."""
    pairs = [(i, j) for i, j in permutations(range(3), 2) if effects.directed or i > j]
    for bits in product((False, True), repeat=len(pairs)):
        linked = np.zeros((N, N), bool)
        linked[tuple(np.array(pairs).T)] = bits
        yield linked, bits


def density(links, linked, hidden):
    """p(X) of the pairs that are not hidden."""
    links.links = sparse(N, Ends(*np.nonzero(linked), hidden), directed=links.effects.directed)
    links.dyads, links.hidden = dyads_of(links.links), hidden_of(links.links)
    return math.exp(links.log_likelihood())


LAST = np.array([pair for i in range(3) for pair in ((i, 3), (3, i))])  # the fourth has nothing to do with it


@pytest.mark.parametrize("effects", [EVERYTHING, UNDIRECTED], ids=["directed", "undirected"])
def test_likelihoods_of_all_networks_add_up_and_hidden_pairs_are_summed_over(effects):
    links, hidden = some_links(effects), np.vstack([LAST, [[0, 1], [1, 2], [2, 1]]])
    every = {bits: density(links, linked, LAST) for linked, bits in patterns(effects)}
    assert sum(every.values()) == pytest.approx(1, abs=1e-12)
    status = sparse(N, Ends(*np.zeros((2, 0), np.int64), hidden), directed=effects.directed).status
    for linked, bits in patterns(effects):
        pairs = [(i, j) for i, j in permutations(range(3), 2) if effects.directed or i > j]
        shown = [k for k, (i, j) in enumerate(pairs) if status(np.array([i]), np.array([j]))[0] == 0]
        total = sum(p for other, p in every.items() if all(other[k] == bits[k] for k in shown))
        assert density(links, linked, hidden) == pytest.approx(total, rel=1e-10)


def test_probabilities_follow_from_the_likelihoods():
    links = some_links(EVERYTHING)
    every = [(linked, density(links, linked, LAST)) for linked, _ in patterns(EVERYTHING)]
    for (i, j), back in product(permutations(range(3), 2), (0, 1)):
        known = [(linked[i, j], p) for linked, p in every if linked[j, i] == back]
        right = sum(p for yes, p in known if yes) / sum(p for _, p in known)
        density(links, back * np.eye(N, dtype=bool)[[j]].T @ np.eye(N, dtype=bool)[[i]], np.vstack([LAST, [[i, j]]]))
        assert links.probability(np.array([i]), np.array([j]))[0] == pytest.approx(right, rel=1e-10)
        density(links, np.zeros((N, N), bool), np.vstack([LAST, [[i, j], [j, i]]]))
        alone = sum(p for linked, p in every if linked[i, j])
        assert links.probability(np.array([i]), np.array([j]))[0] == pytest.approx(alone, rel=1e-10)


@pytest.mark.parametrize("discount", [0.0, 0.5])
@pytest.mark.parametrize("effects", [EVERYTHING, UNDIRECTED], ids=["directed", "undirected"])
def test_geweke(effects, discount):
    assert worst(effects, discount) < 4


def untilted(self, seats, i, whole, seed, tried):
    with patch.object(BlockLinks, "add_tilt", lambda self, i, tilt: None):
        return PROPOSE(self, seats, i, whole, seed, tried)


PROPOSE = LinkedNode._propose


def test_vectors_that_do_not_hear_who_is_not_linked_are_caught():
    with patch.object(LinkedNode, "_propose", untilted):
        assert worst(EVERYTHING, 0.0) > 5


def test_joint_moves_that_do_not_hear_links_are_caught():
    with (
        patch.object(BlockLinks, "exposure_at", lambda self, nu: self.exposure()),
        patch.object(LinkedNode, "move_instances", lambda *given: 0.0),
    ):
        assert worst(EVERYTHING, 0.0) > 5


def seen(links):
    """Hidden pairs that count as if they were not linked."""
    return links._replace(out=np.zeros_like(links.out), back=np.zeros_like(links.back))


def test_hidden_links_that_count_as_not_linked_are_caught():
    with patch.object(block_links, "hidden_of", lambda links: seen(hidden_of(links))):
        assert worst(EVERYTHING, 0.0) > 6


def test_effects_that_forget_exposure_are_caught():
    draw = block_links.draw_effects
    with patch.object(block_links, "draw_effects", lambda c, e, s, rng: draw(c, 0.5 * e, s, rng)):
        assert worst(EVERYTHING, 0.0) > 6


def test_answers_that_are_always_someones_own_are_caught():
    with patch.object(BlockLinks, "_half_hidden", lambda self: 0.0):
        assert worst(EVERYTHING, 0.0) > 6
