"""The number of topics that people are shown."""

from types import SimpleNamespace

import numpy as np
import pytest

from pitmanyor import Corpus, Graph, Network, Start, fit, models, read, simulate, simulate_microblog
from pitmanyor.evaluate import effective_topics, topic_count
from pitmanyor.evaluate.topic_count import TopicCount
from pitmanyor.state.topic_sizes import effective_number, is_large


class Traced(SimpleNamespace):
    """A fit with a trace that no fit has made; functions know fits by the names of their classes."""


def sizes_of(fitted):
    return np.bincount(fitted.state.text.topic, minlength=fitted.n_topics)


@pytest.fixture(scope="module")
def chains():
    corpus = simulate(models.hpyp(), documents=80, tokens=15, vocabulary=30, seed=1).corpus
    return [fit(models.hpyp(), corpus, sweeps=20, seed=1, start=Start(chain=chain), keep=4) for chain in range(2)]


def test_the_headline_is_the_large_topics_of_the_state_that_is_shown(chains):
    found, sizes = topic_count(chains), sizes_of(chains[0])
    large = is_large(sizes)
    assert (found.n_large, found.n_small) == (large.sum(), np.count_nonzero(sizes[~large]))
    assert found.small_share == pytest.approx(sizes[~large].sum() / sizes.sum())
    assert found.least == 0.005


def test_the_interval_is_over_the_second_half_of_all_chains(chains):
    found = topic_count(chains)
    values = np.concatenate([chain.trace["topics/large"][10:] for chain in chains])
    assert found.probability == {int(n): np.mean(values == n) for n in np.unique(values)}
    assert found.mean == pytest.approx(values.mean())
    low, high = np.quantile(values, [0.05, 0.95], method="nearest")
    assert (found.low, found.high) == (low, high)
    effective = np.concatenate([chain.trace["topics/effective"][10:] for chain in chains])
    assert found.effective == pytest.approx(effective.mean())
    assert effective_topics(chains[0]) == pytest.approx(chains[0].trace["topics/effective"][10:].mean())


def test_the_trace_has_the_numbers_of_every_state(chains):
    one = chains[0]
    for sweep, draw in one.run.samples.items():
        sizes = sizes_of(draw)
        assert one.trace["topics/large"][sweep - 1] == is_large(sizes).sum()
        assert one.trace["topics/effective"][sweep - 1] == pytest.approx(effective_number(sizes))
    assert len(one.run.samples) == 4


def test_spare_topics_of_a_network_are_not_counted():
    blog = simulate_microblog(posts=40, authors=4, seed=1)
    found = fit(models.tntm(), read(blog.records, links=blog.links), sweeps=12, seed=1, network=Network(text_sweeps=6))
    count = found.topic_count()
    assert count.n_large + count.n_small == len(np.unique(found.state.text.topic)) < found.n_topics
    values = found.trace["topics/large"][-3:]  # the second half of the sweeps since it joined
    assert count.probability == {int(n): np.mean(values == n) for n in np.unique(values)}


def test_links_alone_have_the_topics_that_were_asked_for():
    g = Graph()
    g.links("follows", between=g.pyp("nu", base=g.gem("mu"), plate="author", discount=0))
    people = {"author": ["ann", "bob", "cid"]}
    corpus = Corpus.from_tokens([["x"]] * 3, groups=people, links={"follows": [("ann", "bob")]})
    assert str(fit(g, corpus, sweeps=2, seed=1, network=Network(n_topics=2)).topic_count()) == "2 topics"


def test_before_the_first_sweep_the_state_is_all_there_is(chains):
    found = fit(models.lda(3), chains[0].corpus, sweeps=0, seed=1).topic_count()
    assert found.n_large == found.low == found.high == 3 and found.probability == {3: 1.0}


def test_sweeps_of_a_version_without_these_numbers_do_not_count(chains):
    one = chains[0]
    trace = dict(one.trace) | {"topics/large": np.array([np.nan] * 18 + [4.0, 5.0])}
    old = Traced(state=one.state, n_topics=one.n_topics, trace=trace, burnt_share=one.burnt_share)
    old.chains = [old]
    assert topic_count([old]).probability == {4: 0.5, 5: 0.5}


def test_an_interval_is_left_out_where_parts_of_a_chain_disagree(chains):
    """The states of a chain that still drifts give an interval that is far too narrow."""
    one, drift = chains[0], np.repeat([50.0, 40.0, 32.0, 30.0], 10) + np.tile([0.0, 1.0], 20)
    found = topic_count([drifting(one, np.concatenate([np.zeros(40), drift]))])
    assert (found.settled, found.low < found.high) == (False, True)
    assert "(not settled yet)" in str(found) and "probability" not in str(found)
    mixed = topic_count([drifting(one, np.tile([30.0, 31.0, 32.0], 30))])
    assert mixed.settled and "(30-32 with 90 % probability)" in str(mixed)


def drifting(one, values):
    trace = {"log_joint": np.zeros(len(values)), "topics/large": values, "topics/effective": values}
    old = Traced(state=one.state, n_topics=one.n_topics, trace=trace, burnt_share=0.5)
    old.chains = [old]
    return old


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        (
            (23, 20, 26, 41, 0.0203),
            "23 topics (20-26 with 90 % probability), and 41 smaller ones that hold 2.0 % of the tokens",
        ),
        ((1, 1, 1, 1, 0.31), "1 topic, and 1 smaller one that holds 31 % of the tokens"),
        ((6, 6, 6, 0, 0.0), "6 topics"),
        ((6, 6, 6, 3, 0.0004), "6 topics, and 3 smaller ones that hold less than 0.1 % of the tokens"),
    ],
)  # fmt: skip
def test_how_it_is_said(numbers, said):
    assert str(TopicCount(*numbers, effective=5.0, least=0.005, probability={})) == said
