"""Links between traits: Geweke's joint test with customers from a text, likelihoods by enumeration, laws of draws."""

import math
from functools import cache
from itertools import permutations, product
from unittest.mock import patch

import numpy as np
import pytest

from oracle.runs import z_scores
from outside import outside
from pitmanyor.kernels.network.masses import Masses
from pitmanyor.kernels.network.probit_pairs import draw_noise, normal_above, take_common
from pitmanyor.kernels.network.trait_columns import Column, Room, draw_column
from pitmanyor.kernels.numbers.stirling import build_tables
from pitmanyor.network import trait_links, trait_prior
from pitmanyor.network.linked import LinkedNode, Seats
from pitmanyor.network.network import Network, Shared
from pitmanyor.network.observed import UNSEEN, Ends, Observed, observe
from pitmanyor.network.root import Root, draw_log_gamma
from pitmanyor.network.trait_links import TraitLinks, move_shared
from pitmanyor.network.trait_prior import SHARED, Parts, TraitUnknowns, draw_unknowns, mean_scores

N, K, WORDS = 4, 3, 2  # instances, topics, customers that a text sends to each
ROOT, B = 1.5, 1.2
LEVEL = 0.7
EVERYTHING = Parts(popularity=True, reciprocity=True, n_latent=2)
PLAIN = Parts(popularity=False, reciprocity=False, n_latent=1)
HIDDEN = np.array([[0, 1], [1, 2], [2, 1]])  # one direction, and both
N_STEPS, N_DRAWS = 5_000, 20_000


@pytest.fixture(autouse=True, scope="module")
def even():
    """About as many links as pairs without one."""
    with patch.object(trait_links, "LEVEL", LEVEL), patch.object(trait_prior, "LEVEL", LEVEL):
        yield


def seen_of(linked, hidden=HIDDEN):
    return observe(N, Ends(*np.nonzero(linked), hidden), directed=True, self_links=False)


def network_of(parts, discount):
    log_mu, zeros = np.log(np.full(K, 1 / K)), np.zeros(N, np.int64)
    masses = Masses(np.zeros((N, K)), np.zeros(N), np.full(N, B), np.zeros((N, K), np.int64), log_mu[None], zeros)
    links = TraitLinks(parts, K, seen_of(np.zeros((N, N), bool)))
    node = LinkedNode(discount, masses, {}, {}, traits={"f": links})
    root = Root(log_mu, ROOT, None, np.zeros(K, np.int64))
    return Network(root, {"nu": node}, {"nu": Shared(None, True)}), Seats(build_tables([discount], 64, 64, 1 << 20), 0)


def draw_linked(links, rng):
    """Links given traits: a score for every pair, with a part that its other direction has too."""
    common = np.tril(rng.normal(0.0, math.sqrt(links.unknowns.shared[0]), (N, N)), -1)
    own = rng.normal(0.0, math.sqrt(1.0 - links.unknowns.shared[0]), (N, N))
    linked = mean_scores(links.unknowns) + common + common.T + own > 0.0
    np.fill_diagonal(linked, False)
    return linked


def statistics(mu, nu, links, linked, customers):
    unknowns = links.unknowns
    logs = np.r_[unknowns.shared, np.log(unknowns.variances.ravel())]
    traits, directions = np.arctan(unknowns.traits), np.arctan(unknowns.directions)
    means = np.arctan(mean_scores(unknowns))
    text = np.arctan(np.einsum("ck,ik->ci", unknowns.directions, np.sqrt(nu)))
    out = [mu[0], (mu**2).sum(), nu[0, 0], (nu**2).sum(), (nu * mu).sum(), (nu * customers).sum()]
    out += [linked.sum(), linked.sum() ** 2, (linked & linked.T).sum(), (linked * means).sum(), *logs, *logs**2]
    out += [
        unknowns.level[0],
        unknowns.level[0] ** 2,
        unknowns.level[0] * linked.sum(),
        logs[0] * (linked & linked.T).sum(),
    ]
    for c in range(len(traits)):
        out += [(traits[c] ** 2).sum(), (directions[c] ** 2).sum(), (traits[c] * text[c]).sum(), text[c].std()]
        out += [(directions[c] * mu).sum() * traits[c].sum()]
    out += [traits[0] @ linked.sum(axis=1), traits[1] @ linked.sum(axis=0), (means**2).sum(), links.log_likelihood()]
    left, right = np.split(traits[2:], 2)
    out += [(linked * (left.T @ right)).sum(), (linked * (nu @ nu.T)).sum(), (linked * (text[2:].T @ text[2:])).sum()]
    return [float(x) for x in out]


@cache
def prior(parts, discount, seed=1):
    """Independent draws from the prior, and of everything that it implies."""
    rng, rows = np.random.default_rng(seed), []
    network, seats = network_of(parts, discount)
    (node,), root = network.nodes.values(), network.root
    links = node.traits["f"]
    for i in range(N_DRAWS):
        root.log_mu[:] = draw_log_gamma(np.full(K, ROOT / K), rng)
        root.log_mu -= np.logaddexp.reduce(root.log_mu)
        node.masses.customers[:] = 0
        node.start(seats, np.zeros(N, np.int64), (seed, 0, i))
        links.weights = draw_unknowns(np.sqrt(node.nu), parts, rng)
        links.place(node.nu)
        linked = draw_linked(links, rng)
        links.seen = seen_of(linked).pairs
        customers = np.array([rng.multinomial(WORDS, row / row.sum()) for row in node.nu])
        rows.append(statistics(np.exp(root.log_mu), node.nu, links, linked, customers))
    return np.array(rows)


def chain(parts, discount, n_steps=N_STEPS, seed=2):
    rng, rows = np.random.default_rng(seed), []
    network, seats = network_of(parts, discount)
    (node,) = network.nodes.values()
    links = node.traits["f"]
    node.start(seats, np.zeros(N, np.int64), (seed, 0, 0))
    for i in range(n_steps):
        links.place(node.nu)
        node.masses.customers[:] = [rng.multinomial(WORDS, row / row.sum()) for row in node.nu]
        linked = draw_linked(links, rng)
        links.seen = seen_of(linked).pairs
        rows.append(statistics(np.exp(network.root.log_mu), node.nu, links, linked, node.masses.customers))
        network.step({"nu": seats}, (seed, 0, i), rng)
    return np.array(rows)


def worst(parts, discount, n_steps=N_STEPS):
    """The largest |z| of a difference of means; both sides are random."""
    rows, true = chain(parts, discount, n_steps), prior(parts, discount)
    varies = true.std(axis=0) > 1e-9
    mean, error = true.mean(axis=0), true.std(axis=0) / math.sqrt(len(true))
    z = z_scores(rows[:, varies], mean[varies])
    own = (rows.mean(axis=0) - mean)[varies] / np.where(z == 0, 1.0, z)  # the standard error of the chain's means
    return float(np.abs(z * np.abs(own) / np.hypot(own, error[varies])).max())


@pytest.mark.parametrize(
    ("parts", "discount"),
    [
        (EVERYTHING, 0.0),
        (PLAIN, 0.5),
        pytest.param(EVERYTHING, 0.5, marks=pytest.mark.long),
        pytest.param(PLAIN, 0.0, marks=pytest.mark.long),
    ],
)
def test_geweke(parts, discount):
    assert worst(parts, discount) < 4


def some_links(parts, seed=3):
    rng = np.random.default_rng(seed)
    links = TraitLinks(parts, K, seen_of(np.zeros((N, N), bool)))
    nu = rng.dirichlet(np.ones(K), N)
    links.weights = draw_unknowns(np.sqrt(nu), parts, rng)
    links.place(nu)
    return links


LAST = np.array([pair for i in range(3) for pair in ((i, 3), (3, i))])  # the fourth has nothing to do with it
PAIRS = list(permutations(range(3), 2))


def density(links, linked, hidden):
    """p(X) of the pairs that are not hidden."""
    links.seen = seen_of(linked, hidden).pairs
    return math.exp(links.log_likelihood())


def patterns():
    """Every network of three of the instances."""
    for bits in product((False, True), repeat=len(PAIRS)):
        linked = np.zeros((N, N), bool)
        linked[tuple(np.array(PAIRS).T)] = bits
        yield linked, bits


def test_likelihoods_of_all_networks_add_up_and_hidden_pairs_are_summed_over():
    links, hidden = some_links(EVERYTHING), np.vstack([LAST, HIDDEN])
    links.unknowns.shared[0] = 0.6
    every = {bits: density(links, linked, LAST) for linked, bits in patterns()}
    assert sum(every.values()) == pytest.approx(1, abs=1e-12)
    shown = [k for k, pair in enumerate(PAIRS) if list(pair) not in HIDDEN.tolist()]
    for linked, bits in patterns():
        total = sum(p for other, p in every.items() if all(other[k] == bits[k] for k in shown))
        assert density(links, linked, hidden) == pytest.approx(total, rel=1e-9)


@pytest.mark.parametrize("shared", [0.0, 0.3, 0.98])
def test_the_likelihood_of_a_pair_is_an_integral_over_what_its_directions_share(shared):
    links = some_links(EVERYTHING)
    links.unknowns.shared[0] = shared
    means = mean_scores(links.unknowns)
    x, weight = np.polynomial.legendre.leggauss(1000)
    x, weight = 10.0 * x, weight * np.exp(-0.5 * (10.0 * x) ** 2)
    g, weight = math.sqrt(shared) * x, weight / weight.sum()
    for k, (linked, _) in enumerate(patterns()):
        if k % 9 == 0:
            right = 0.0
            for i, j in ((1, 0), (2, 0), (2, 1)):
                signs = 2 * linked[i, j] - 1, 2 * linked[j, i] - 1
                one, other = (
                    trait_prior.normal_below(s * (m + g) / math.sqrt(1.0 - shared))
                    for s, m in zip(signs, (means[i, j], means[j, i]), strict=True)
                )
                right += math.log((weight * one * other).sum())
            assert math.log(density(links, linked, LAST)) == pytest.approx(right, abs=1e-8)


def test_probabilities_follow_from_the_likelihoods():
    links = some_links(EVERYTHING)
    links.unknowns.shared[0] = 0.6
    every = [(linked, density(links, linked, LAST)) for linked, _ in patterns()]
    for (i, j), back in product(PAIRS, (0, 1)):
        known = [(linked[i, j], p) for linked, p in every if linked[j, i] == back]
        right = sum(p for yes, p in known if yes) / sum(p for _, p in known)
        only = np.zeros((N, N), bool)
        only[j, i] = back
        density(links, only, np.vstack([LAST, [[i, j]]]))
        assert links.probability(np.array([i]), np.array([j]))[0] == pytest.approx(right, rel=1e-10)
        density(links, only, np.vstack([LAST, [[i, j], [j, i]]]))
        alone = sum(p for linked, p in every if linked[i, j])
        assert links.probability(np.array([i]), np.array([j]))[0] == pytest.approx(alone, rel=1e-10)


@pytest.mark.parametrize("signs", list(product((0, 1), repeat=2)))
@pytest.mark.parametrize("means", [(0.4, -0.8), (-1.5, 1.2)])
def test_noise_has_the_law_of_two_normals_given_the_links(means, signs):
    """Moments of the noise of both directions, and of what is not shared, against draws that have these links."""
    shared, seen, n_draws = 0.6, np.full((2, 2), 2, np.uint8), 20_000
    seen[1, 0], seen[0, 1] = signs
    table, rng, n = np.array([[0.0, means[1]], [means[0], 0.0]]), np.random.default_rng(1), 1_000_000
    g, own = rng.normal(0.0, math.sqrt(shared), n), rng.normal(0.0, math.sqrt(1.0 - shared), (2, n))
    kept = ((np.array(means)[:, None] + g + own > 0) == np.array(signs, bool)[:, None]).all(axis=0)
    x, y, one, other = np.array([*(g + own), *own])[:, kept]
    true = np.array([x, y, x * x, y * y, x * y, one, other, one * other, x * one])
    out, squares, found = np.zeros((2, 2)), np.zeros(3), []
    for i in range(n_draws):
        draw_noise(seen, table, shared, 0, (1, 0, i), out, squares)
        x, y = out[1, 0], out[0, 1]
        assert squares == pytest.approx([x * x + y * y, x * y, 1.0])
        take_common(seen, shared, 0, (1, 0, i), out)
        one, other = out[1, 0], out[0, 1]
        found.append((x, y, x * x, y * y, x * y, one, other, one * other, x * one))
    rows = np.array(found).T
    error = np.hypot(rows.std(axis=1) / n_draws**0.5, true.std(axis=1) / true.shape[1] ** 0.5)
    assert np.abs((rows.mean(axis=1) - true.mean(axis=1)) / error).max() < 4.5


@pytest.mark.parametrize("least", [-2.0, 0.2, 0.4, 6.0])
def test_normals_above_something_have_their_law(least):
    draws = np.array([outside(normal_above)(least, np.uint64(i), 0)[0] for i in range(1, 20_001)])
    x = least + np.linspace(0.0, 12.0, 200_001)
    weight = np.exp(-0.5 * (x**2 - least * abs(least)))
    mean = (x * weight).sum() / weight.sum()
    spread = math.sqrt(((x - mean) ** 2 * weight).sum() / weight.sum())
    assert draws.min() > least
    assert abs(draws.mean() - mean) < 4.5 * spread / math.sqrt(len(draws))
    assert draws.std() == pytest.approx(spread, rel=0.05)


def test_the_share_of_noise_in_common_has_the_density_of_a_correlation():
    """Means of a long run of slice sampling against the density, summed over a grid."""
    squares, rng, shared, found = np.array([21.0, 4.0, 10.0]), np.random.default_rng(2), 0.5, []
    for _ in range(20_000):
        shared = move_shared(shared, squares, rng)
        found.append((shared, shared**2))
    rho = np.linspace(*SHARED, 100_001)
    density = np.exp(-0.5 * squares[2] * np.log(1 - rho**2) - (0.5 * squares[0] - rho * squares[1]) / (1 - rho**2))
    true = [(rho**power * density).sum() / density.sum() for power in (1, 2)]
    assert np.abs(z_scores(np.array(found), np.array(true))).max() < 4


def test_a_trait_and_its_direction_have_the_law_of_one_regression():
    """Mean and covariance of (w, y) from the joint normal, written out."""
    rng, n, k, of_text, own = np.random.default_rng(4), 5, 3, 0.7, 0.2
    roots, precision = np.sqrt(rng.dirichlet(np.ones(k), n)), np.array([0.0, 1.0, 3.0, 0.4, 9.0])
    weighted = precision * rng.normal(0.0, 1.0, n)
    design = np.hstack([-roots, np.eye(n)])  # what y has beyond w
    inverse = design.T @ design / own + np.diag(np.r_[np.full(k, 1 / of_text), precision])
    covariance = np.linalg.inv(inverse)
    mean = covariance @ np.r_[np.zeros(k), weighted]
    room, draws = Room(np.zeros((k, k)), np.zeros(k)), np.empty((20_000, k + n))
    for row in draws:
        direction, trait = np.zeros(k), np.zeros(n)
        given = (roots, Column(precision, weighted), np.array([of_text, own]), rng.standard_normal(k + n))
        draw_column(*given, room, direction, trait)
        row[:] = np.r_[direction, trait]
    error = np.sqrt(np.diag(covariance) / len(draws))
    assert np.abs((draws.mean(axis=0) - mean) / error).max() < 4.5
    scale = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)) + covariance**2)
    assert np.abs((np.cov(draws.T) - covariance) / scale).max() < 4.5 / math.sqrt(len(draws))


def test_vectors_are_judged_by_the_density_of_the_traits():
    """One vector, all of them, and the joint move of the root with all of them."""
    links, rng = some_links(EVERYTHING), np.random.default_rng(6)
    new = rng.dirichlet(np.ones(K), N)

    def log_density(nu):
        means = np.einsum("ck,ik->ci", links.unknowns.directions, np.sqrt(nu))
        own = links.unknowns.variances[[0, 1, 2, 2, 2, 2], 1][:, None]
        return float((-0.5 * (links.unknowns.traits - means) ** 2 / own).sum())

    old = links.roots**2
    assert links.change_of_all(new) == pytest.approx(log_density(new) - log_density(old))
    one = np.vstack([old[:1], new[1:2], old[2:]])
    assert links.change(1, new[1]) == pytest.approx(log_density(one) - log_density(old))
    network, seats = network_of(EVERYTHING, 0.0)
    network.nodes["nu"].start(seats, np.zeros(N, np.int64), (1, 0, 0))
    for change, moved in ((-math.inf, 0), (math.inf, 20)):
        with patch.object(TraitLinks, "change_of_all", lambda self, nu, change=change: change):
            assert sum(network.move_columns({"nu": seats}, (1, 0, i), rng) for i in range(20)) == moved


@cache
def recovered(seed):
    """Sixty authors: the true scores of pairs, their posterior means, the hidden pairs, and what directions share."""
    rng, n, parts = np.random.default_rng(seed), 60, Parts(popularity=True, reciprocity=True, n_latent=2)
    nu = rng.dirichlet(np.full(K, 0.5), n)
    true = TraitUnknowns.among(draw_unknowns(np.sqrt(nu), parts, rng), n, K)
    true.level[0], true.shared[0] = 0.0, 0.5
    true.traits[:2] += rng.normal(0.0, 0.7, (2, n))
    means = mean_scores(true)
    common = np.tril(rng.normal(0.0, math.sqrt(0.5), (n, n)), -1)
    linked = means + common + common.T + rng.normal(0.0, math.sqrt(0.5), (n, n)) > 0.0
    hidden = np.argwhere(rng.random((n, n)) < 0.2)
    links = TraitLinks(parts, K, observe(n, Ends(*np.nonzero(linked), hidden), directed=True, self_links=False))
    links.place(nu)
    kept, shared = [], []
    for i in range(200):
        links.move((1, 0, i), rng)
        if i >= 60:
            kept.append(mean_scores(links.unknowns))
            shared.append(links.unknowns.shared[0])
    return means, np.mean(kept, axis=0), hidden[hidden[:, 0] != hidden[:, 1]].T, np.mean(shared)


@pytest.mark.parametrize("seed", [6, 9])
def test_traits_and_effects_are_recovered(seed):
    """The scores of all pairs and of hidden ones, who links and who is linked to."""
    means, found, (i, j), _ = recovered(seed)
    away = ~np.eye(len(means), dtype=bool)
    assert np.corrcoef(found[away], means[away])[0, 1] > 0.9
    assert np.corrcoef(found[i, j], means[i, j])[0, 1] > 0.85
    for side in range(2):
        assert np.corrcoef(found.mean(axis=1 - side), means.mean(axis=1 - side))[0, 1] > 0.9


def test_what_directions_share_is_recovered():
    """One network of this size leaves a standard deviation of 0.1; four of them half of that."""
    assert 0.4 < np.mean([recovered(seed)[3] for seed in (6, 9, 1, 2)]) < 0.6


def of_vectors(n_steps=6_000):
    """The largest |z| of moments of two vectors over two topics, whose traits are given, against quadrature."""
    rng, concentration, base = np.random.default_rng(7), 1.4, np.array([0.3, 0.7])
    customers, parts = np.array([[0, 0], [2, 1]]), Parts(popularity=True, reciprocity=True, n_latent=1)
    links = TraitLinks(parts, 2, Observed(np.full((2, 2), UNSEEN, np.uint8), True))
    masses = Masses(
        np.zeros((2, 2)), np.zeros(2), np.full(2, concentration), customers, np.log(base)[None], np.zeros(2, np.int64)
    )
    node = LinkedNode(0.0, masses, {}, {}, traits={"f": links})
    seats = Seats(build_tables([0.0], 64, 64, 1 << 20), 0)
    links.unknowns.variances[:] = 0.2
    links.unknowns.directions[:] = rng.normal(0.0, 1.0, links.unknowns.directions.shape)
    links.unknowns.traits[:] = rng.normal(0.0, 1.0, links.unknowns.traits.shape)
    share = (np.arange(20_000) + 0.5) / 20_000
    roots, true = np.sqrt(np.stack([share, 1.0 - share])), []
    for i in range(2):
        away = links.unknowns.traits[:, i : i + 1] - links.unknowns.directions @ roots
        alpha = concentration * base + customers[i]
        log_p = ((alpha - 1.0)[:, None] * np.log(roots**2)).sum(axis=0) - (away**2).sum(axis=0) / 0.4
        weight = np.exp(log_p - log_p.max())
        true += [float((weight * share**power).sum() / weight.sum()) for power in (1, 2)]
    node.start(seats, np.zeros(2, np.int64), (1, 0, 0))
    node.lay()
    rows = []
    for i in range(n_steps):
        node.move_instances(seats, bool(i % 2), (1, 0, i))
        rows.append([x for share in node.nu[:, 0] for x in (share, share**2)])
    return float(np.abs(z_scores(np.array(rows), np.array(true))).max())


def test_vectors_given_traits_have_the_density_that_quadrature_says():
    assert of_vectors() < 4


def test_vectors_that_do_not_hear_traits_are_caught():
    with patch.object(TraitLinks, "change", lambda self, i, nu: 0.0):
        assert of_vectors() > 8


@pytest.mark.long
def test_hidden_links_that_count_as_not_linked_are_caught():
    with patch.object(trait_links, "draw_noise", lambda seen, *rest: draw_noise(np.where(seen == 2, 0, seen), *rest)):
        assert worst(EVERYTHING, 0.0) > 6


@pytest.mark.long
def test_directions_that_forget_what_is_the_traits_own_are_caught():
    def sure(roots, column, variances, *rest):
        draw_column(roots, column, variances * np.array([1.0, 0.3]), *rest)

    with patch.object(trait_links, "draw_column", sure):
        assert worst(EVERYTHING, 0.0) > 6


@pytest.mark.long
def test_a_variance_that_misses_a_draw_is_caught():
    draw = trait_prior.draw_variance
    with patch.object(trait_links, "draw_variance", lambda squares, n, rng: draw(squares, max(n - 1, 0), rng)):
        assert worst(EVERYTHING, 0.0) > 6


def test_noise_that_directions_do_not_share_is_caught():
    with patch.object(trait_links, "take_common", lambda *given: None):
        assert worst(EVERYTHING, 0.0, 2_000) > 6


@pytest.mark.long
def test_scales_whose_variances_stay_behind_are_caught():
    real = trait_links.slice_sample

    def wrong(x, log_density, rng, *rest):
        return real(x, (lambda t: log_density(t) + 8.0 * t) if x == 0.0 else log_density, rng, *rest)

    with patch.object(trait_links, "slice_sample", wrong):
        assert worst(EVERYTHING, 0.0) > 6
