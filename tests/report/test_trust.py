"""What the page says about trust: what `diagnose` says."""

import numpy as np

from pitmanyor import Fit, Network, Sampler, models, read, simulate_microblog
from pitmanyor import fit as fit_model
from pitmanyor.evaluate import diagnose
from pitmanyor.report.trust import LEVELS, thinned, trust_facts
from pitmanyor.report.view import atlas_of


def facts_of(fit, redact=False):
    return trust_facts(atlas_of(fit), redact)


def test_the_verdict_is_that_of_diagnose(blog):
    other = fit_model(blog.graph, blog.corpus, sweeps=20, seed=9, sampler=Sampler(moves=False))
    for fit in (blog, Fit([blog.run, other.run])):
        exact, said = diagnose([fit]), facts_of(fit)
        assert (said["level"], said["sentence"]) == (LEVELS[exact.verdict], exact.summary)
        assert [sentence for _, sentence in said["findings"]] == [one.sentence for one in exact.findings]
        assert said["advice"] == exact.advice.sentences
        assert {name: rhat for name, rhat, _, _ in said["rhat"]} == {
            one.title: round(one.rhat, 3) for one in exact.quantities
        }
        assert {name for name, _, _, vague in said["rhat"] if vague} == {
            one.title for one in exact.quantities if one.name.startswith("concentration/")
        }


def test_every_chain_has_its_trace(blog):
    other = fit_model(blog.graph, blog.corpus, sweeps=20, seed=9)
    said = facts_of(Fit([blog.run, other.run]))
    assert list(said["traces"]) == ["log_joint", "topics/large"]
    assert [len(chains) for chains in said["traces"].values()] == [2, 2]
    both = np.concatenate([chain.trace["topics/large"][chain.n_sweeps // 2 :] for chain in (blog, other)])
    assert [n for n, _ in said["n_topics"]["probability"]] == np.unique(both).tolist()


def test_the_number_of_topics_is_the_one_number(blog):
    said, exact = facts_of(blog)["n_topics"], blog.topic_count()
    assert (said["now"], said["low"], said["high"], said["small"]) == (
        exact.n_large,
        exact.low,
        exact.high,
        exact.n_small,
    )
    assert said["least"] == exact.least and sum(share for _, share in said["probability"]) == 1.0


def test_traces_are_thinned_and_keep_their_ends():
    points = thinned(np.arange(1000.0))
    assert len(points) == 300 and points[0] == [1, 0.0] and points[-1] == [1000, 999.0]
    assert thinned(np.array([np.nan, 2.0])) == [[2, 2.0]]


def test_what_was_removed_is_told_without_paths(blog, home):
    removed = facts_of(blog)["removed"]
    assert removed["n_read"] == 240 and removed["filters"][0][:2] == ["stop words", "words of the English list"]
    assert any("simulated_follows.csv" in note for note in removed["notes"])
    assert not any(str(home) in note for note in removed["notes"])
    assert "notes" not in facts_of(blog, redact=True)["removed"]


def test_a_network_joins_and_its_spare_topics_are_not_counted():
    blog = simulate_microblog(posts=40, authors=4, seed=1)
    corpus = read(blog.records, links=blog.links)
    found = fit_model(models.tntm(), corpus, sweeps=12, seed=1, keep=3, network=Network(text_sweeps=6))
    said, used = facts_of(found), len(np.unique(found.state.text.topic))
    assert "Too few sweeps" in said["sentence"] and said["joined"] == 6
    assert said["n_topics"]["now"] + said["n_topics"]["small"] == used < found.n_topics
    at_once = facts_of(fit_model(models.tntm(), corpus, sweeps=3, seed=1, network=Network(text_sweeps=0)))
    assert at_once["joined"] == 0 and len(at_once["traces"]["topics/large"][0]) == 3
