"""Discounts: the likelihood against the oracle's, draws against quadrature, what follows them, simulated text."""

from unittest.mock import patch

import numpy as np
import pytest

from oracle import toys
from oracle.bridge import state_of
from oracle.discounts import likelihood, moments
from oracle.enumerate_states import enumerate_states
from oracle.runs import errors
from outside import outside
from pitmanyor.graph import Beta, Gamma, Graph, mix, uniform
from pitmanyor.graph.values import LEAST_DISCOUNT, MOST_DISCOUNT
from pitmanyor.kernels.monitor.discount_likelihood import log_likelihood
from pitmanyor.kernels.monitor.seatings import COUNTED_CUSTOMERS, COUNTED_TABLES, Seatings
from pitmanyor.kernels.numbers import stirling
from pitmanyor.kernels.restaurant.arrays import DISCOUNT, TABLE
from pitmanyor.kernels.restaurant.refresh import refresh_all
from pitmanyor.models import bursty, hpyp
from pitmanyor.plan import compile_plan
from pitmanyor.sampling import discounts
from pitmanyor.sampling.chain import Chain
from pitmanyor.sampling.concentrations import Measures
from pitmanyor.sampling.discounts import Opened, draw_discount, no_seatings, seatings_of, statistics_of
from pitmanyor.sampling.sweeps import Sweeper, initialise
from pitmanyor.simulation import simulate
from pitmanyor.state import State, new_state
from pitmanyor.state.discount_values import discount_of, set_discounts
from pitmanyor.state.state import new_terms
from precisions import PRECISION, ROUNDING

LEARNED = Beta(2, 1.5)
OWN = {"concentration": Gamma(2, 1), "concentration_per": "instance"}


def two_streams() -> Graph:
    """Two streams with one node of words per document and topic, over one per document whatever the topic."""
    g = Graph()
    mu = g.gem("mu", discount=0.3, concentration=0.9)
    theta = g.pyp("theta", base=mu, plate="document", discount=0.5, concentration=1.3)
    gamma = g.pyp("gamma", base=uniform("vocabulary"), discount=0.6, concentration=0.7)
    own = g.pyp("own", base=gamma, plate="document", discount=0.4, concentration=1.1)
    phi = g.pyp("phi", base=gamma, plate="topic", discount=0.2, concentration=1.6)
    both = g.pyp("both", base=mix(own, phi), plate=("document", "topic"), discount=0.5, concentration=0.8)
    g.tokens("word", topic=theta, emit=both)
    g.tokens("tag", topic=theta, emit=both)
    return g


GRAPHS: dict[str, Graph] = {
    "three layers": toys.three_layers()[0],
    "two parents": toys.two_parents()[0],
    "tntm": toys.diamond()[0],
    "bursty": toys.bursty()[0],
    "bursty tntm": bursty(toys.diamond()[0]),
    "one burst for two streams": two_streams(),
    "own vocabularies": toys.own_vocabularies()[0],
    "authors' words": toys.author_words()[0],
    "own concentrations": toys.three_layers()[0].set("theta", **OWN).set("phi", **OWN),
}


def swept(graph: Graph, n_sweeps: int = 3, sweep: str = "collapsed") -> State:
    """A state of some text with discounts to be learned, after a few sweeps."""
    groups = {"author": ["ann", "bob", "ann", "cal"] * 3}
    corpus = simulate(graph, documents=12, tokens=9, groups=groups, vocabulary=6, seed=4).corpus
    state = new_state(compile_plan(graph.set("*", discount=LEARNED), corpus), precision=PRECISION)
    initialise(state, (2, 0, 0))
    sweeper = Sweeper(state, sweep, anchors=0.3)
    for n in range(1, n_sweeps + 1):
        sweeper.step(state, (2, 0, n))
        if state.text.concentration.size:
            state.text.concentration[:] = np.random.default_rng(n).gamma(2.0, size=state.text.concentration.shape)
    return state


@pytest.mark.nojit
@pytest.mark.parametrize("model", GRAPHS)
def test_the_likelihood_is_that_of_the_count_pmf(model):
    state = swept(GRAPHS[model])
    for i in state.plan.sampled_discounts:
        given, exact = statistics_of(*seatings_of(state, i)), likelihood(state, state.plan.nodes[i].name)
        shift = log_likelihood(0.5, given) - exact(0.5)
        for a in (0.001, 0.03, 0.31, 0.77, 0.98, 0.999):
            assert log_likelihood(a, given) - exact(a) == pytest.approx(shift, abs=1e-9), state.plan.nodes[i].name


@pytest.mark.nojit
def test_large_counts_are_beyond_the_rows_and_count_as_well():
    """Pairs on both sides of every edge, against sums of logs of tabulated ratios; restaurants of many tables."""
    many, few = COUNTED_CUSTOMERS, COUNTED_TABLES
    pairs = [(1, 1), (2, 2), (many - 1, 1), (many - 1, few - 1), (many - 1, few), (many, 1), (many, 2), (900, 899)]
    pairs += [(900, 900), (few, few), (few + 1, few), (700, 300), (3, 2), (40, 17), (40, 3)]
    seatings = Seatings(*(part[0] for part in no_seatings(0, 1)))
    large = []
    for c, t in pairs:
        if c < many and t < few:
            seatings.small[c, t] += 1
        else:
            large.append((c, t))
    opened = Opened(np.array([2, 63, 64, 65, 5000]), np.array([0.3, 1e-6, 20.0, 4.0, 1e3]), np.array([7, 1, 3, 1, 2]))
    given = statistics_of(seatings._replace(large=np.array(large)), opened)
    log_stirling = outside(stirling.log_stirling)
    for a in (0.001, 0.2, 0.5, 0.9, 0.999):
        tables = stirling.build_tables([a], 1000, 1000)
        wanted = sum(log_stirling(tables, 0, c, t) for c, t in pairs)
        for n, b, times in zip(*opened, strict=True):
            wanted += times * np.log(b + a * np.arange(1, n)).sum()
        assert log_likelihood(a, given) == pytest.approx(wanted, rel=1e-11)


@pytest.mark.parametrize(
    ("model", "node"),
    [
        ("three layers", "mu"),
        ("three layers", "gamma"),
        ("three layers", "theta"),
        ("tntm", "eta"),
        ("bursty", "burst"),
    ],
)
def test_draws_have_the_posterior_found_by_quadrature(model, node):
    state = swept(GRAPHS[model], 6)
    exact = moments(state, node, (LEAST_DISCOUNT, MOST_DISCOUNT))
    rng, i, drawn = np.random.default_rng(3), state.plan.index[node], []
    for _ in range(4_000):
        draw_discount(state, i, rng)
        drawn.append(discount_of(state, node))
    a = np.array(drawn)
    means, error = errors(np.stack([a, a * a, np.sqrt(a)], axis=1))
    assert np.abs((means - exact) / error).max() < 4.5


def test_without_customers_a_discount_has_its_prior():
    graph, corpus = toys.three_layers()
    state = new_state(compile_plan(graph.set("nu", discount=Beta(3, 2)), corpus))
    rng, i, drawn = np.random.default_rng(5), state.plan.index["nu"], []
    for _ in range(4_000):
        draw_discount(state, i, rng)
        drawn.append((discount_of(state, "nu"), discount_of(state, "nu") ** 2))
    means, error = errors(np.array(drawn))
    assert np.abs((means - [0.6, 0.4]) / error).max() < 4.5


def everything_follows(state: State) -> bool:
    """Are tables, terms and what scoring reads those of a state made with these discounts from the start?"""
    tables = stirling.shaped_tables(
        state.tables.discount, list(zip(state.tables.n_rows.tolist(), state.tables.n_cols.tolist(), strict=True))
    )
    mine = [state.net.reals[i, DISCOUNT] for i in state.plan.sampled_discounts]
    theirs = [state.tables.discount[state.net.nodes[i, TABLE]] for i in state.plan.sampled_discounts]
    terms = new_terms(state.plan, state.net, tables)
    net = state.net._replace(**{name: getattr(state.net, name).copy() for name in ("stay", "open", "rests", "status")})
    refresh_all(net, tables)
    return (
        mine == theirs
        and np.array_equal(tables.ratios, state.tables.ratios)
        and np.array_equal(terms.small, state.terms.small)
        and np.array_equal(terms.flat, state.terms.flat)
        and all(np.array_equal(getattr(net, name), getattr(state.net, name)) for name in ("stay", "open", "rests"))
    )


@pytest.mark.parametrize("model", GRAPHS)
def test_everything_follows_a_new_discount(model):
    state = swept(GRAPHS[model])
    assert everything_follows(state)
    for turn, i in enumerate(state.plan.sampled_discounts):
        set_discounts(state, {i: 0.05 + 0.07 * turn})
        assert everything_follows(state)


@pytest.mark.parametrize("forgotten", ["refill", "_refill_terms", "refresh_occupied", "refresh_restaurants"])
def test_what_does_not_follow_is_caught(forgotten):
    """Planted: one of the things that hang on a discount stays as it was."""
    state = swept(GRAPHS["three layers"])
    with patch(f"pitmanyor.state.discount_values.{forgotten}", lambda *_: None):
        set_discounts(state, dict.fromkeys(state.plan.sampled_discounts, 0.35))
    assert not everything_follows(state)


@pytest.mark.nojit
@pytest.mark.parametrize("sweep", ["collapsed", "mixed"])
@pytest.mark.parametrize("toy", ["three_layers", "bursty"])
def test_the_log_joint_is_that_of_the_discounts_there_are(toy, sweep):
    graph, corpus = toys.TOYS[toy]()
    state = new_state(compile_plan(graph.set("*", discount=LEARNED), corpus), precision=PRECISION)
    measures, sweeper = Measures(state), Sweeper(state, sweep, anchors=0.3)
    initialise(state, (1, 0, 0))
    for n in range(1, 9):
        discounts.sample_discounts(state, (1, 0, n))
        sweeper.step(state, (1, 0, n))
        measures.take(state, (1, 0, n))
        if n % 4 == 0:
            known = graph
            for node in graph.nodes:
                known = known.set(node.name, discount=discount_of(state, node.name)) if node.discount else known
            weights = {found: found.log_weight for found in enumerate_states(known, corpus)}
            assert measures.log_joint == pytest.approx(weights[state_of(state)], abs=ROUNDING)


def test_fixed_discounts_are_left_alone():
    graph = hpyp().set("phi", discount=LEARNED)
    state = swept(graph.set("*", concentration=1.0))
    state = new_state(compile_plan(graph, state.plan.corpus))
    with pytest.raises(ValueError, match="the discount of 'theta' is fixed"):
        set_discounts(state, {state.plan.index["theta"]: 0.2})
    chain = Chain(state, seed=1)
    chain.initialise()
    for _ in range(8):
        chain.step()
    assert [name for name in chain.trace if name.startswith("discount/")] == ["discount/phi"]
    assert len(set(chain.trace["discount/phi"])) == 3  # its turn comes every fourth sweep
    assert discount_of(state, "theta") == 0.0


@pytest.mark.parametrize("true", [0.2, 0.5, 0.8])
def test_the_discount_of_simulated_words_is_found(true):
    graph = hpyp(topic_discount=0.3, word_discount=true).set("*", concentration=5.0)
    drawn = simulate(graph, documents=40, tokens=50, vocabulary=400, seed=7)
    learned = graph.set("phi", discount=Beta(1, 1)).set("gamma", discount=Beta(1, 1))
    chain = Chain(new_state(compile_plan(learned, drawn.corpus)), seed=1)
    chain.initialise()
    for _ in range(300):
        chain.step()
    for name in ("phi", "gamma"):
        kept = np.array(chain.trace[f"discount/{name}"][60:])
        assert abs(kept.mean() - true) < 3 * kept.std() < 0.45


def test_discounts_of_simulated_text_are_covered():
    """Central 90 % intervals of two layers of words over twelve corpora drawn from the prior: 21.6 of 24 on average.

    Sixteen or fewer would come once in some five hundred times. There is one topic: nothing but tables stands between
    the words and the discounts.
    """
    g = Graph()
    mu = g.dirichlet("mu", over=1, concentration=1.0)
    gamma = g.pyp("gamma", base=uniform("vocabulary"), discount=Beta(2, 2), concentration=3.0)
    own = g.pyp("own", base=gamma, plate=("author", "topic"), discount=Beta(2, 2), concentration=2.0)
    g.tokens("word", topic=mu, emit=own)
    covered = 0
    for seed in range(12):
        drawn = simulate(g, documents=30, tokens=30, groups={"author": 10}, vocabulary=300, seed=seed)
        chain = Chain(new_state(compile_plan(g, drawn.corpus)), seed=seed)
        chain.initialise()
        for _ in range(600):
            chain.step()
        for name in ("gamma", "own"):
            low, high = np.quantile(chain.trace[f"discount/{name}"][100:], [0.05, 0.95])
            covered += int(low <= drawn.discounts[name] <= high)
    assert covered > 16
