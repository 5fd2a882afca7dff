"""What the page says about trust."""

import sys

import numpy as np
import pytest

from pitmanyor import fit as fit_model
from pitmanyor import models, read, simulate_microblog
from pitmanyor.evaluate import convergence, matching
from pitmanyor.evaluate.convergence import agreement
from pitmanyor.report import trust
from pitmanyor.report.trust import (
    judge,
    judge_topics,
    rhats_of,
    shared_topics,
    thinned,
    topic_numbers,
    trust_facts,
)
from pitmanyor.report.view import atlas_of


def test_rhats_are_those_of_diagnose(blog):
    other = fit_model(blog.graph, blog.corpus, sweeps=20, seed=9)
    for chains in ([blog], [blog, other]):
        said = {one.name: round(one.rhat, 3) for one in convergence(chains)}
        assert dict(trust_facts(atlas_of(blog), chains, redact=False)["rhat"]) == said and len(said) > 5


@pytest.mark.parametrize(
    ("rhats", "chains", "sweeps", "level", "words"),
    [
        ([1.01, 1.0], 4, 500, "good", "numbers of 4 chains agree (R-hat 1.01)"),
        ([1.01], 1, 500, "fair", "a second chain would confirm"),
        ([1.0, 1.1], 4, 500, "fair", "Nearly settled"),
        ([1.0, np.inf], 2, 500, "poor", "the chains disagree"),
        ([1.5], 1, 500, "poor", "still moving"),
        ([1.0], 4, 99, "poor", "Only 99 sweeps"),
        ([np.nan], 4, 500, "poor", "too few to judge"),
    ],
)
def test_one_plain_sentence(rhats, chains, sweeps, level, words):
    found = judge({str(i): value for i, value in enumerate(rhats)}, chains, sweeps)
    assert found[0] == level and words in found[1]


@pytest.mark.parametrize(
    ("shared", "level", "words"),
    [
        (None, "fair", "not compared"),
        (0.9, "good", "the same topics"),
        (0.5, "fair", "alike only in part"),
        (0.1, "poor", "different topics"),
    ],
)
def test_chains_are_good_if_their_topics_agree_too(shared, level, words):
    found = judge_topics("Numbers agree", shared)
    assert found[0] == level and words in found[1] and (shared is None or f"stability {shared:.2f}" in found[1])


def test_topics_of_chains_are_compared_where_they_can_be(blog, monkeypatch):
    other = fit_model(blog.graph, blog.corpus, sweeps=20, seed=9)
    assert shared_topics([blog, other]) == pytest.approx(matching.stability([blog, other]))
    assert shared_topics([blog]) is None
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    assert shared_topics([blog, other]) is None
    said = trust_facts(atlas_of(blog), [blog, other], redact=False)
    assert [len(traces) for traces in said["traces"].values()] == [2, 2]
    kept = np.concatenate([blog.trace["n_topics"][-10:], other.trace["n_topics"][-10:]])
    assert sum(n for _, n in said["n_topics"]["counts"]) == len(kept) and "of 2 chains" in said["n_topics"]["how"]
    assert said["n_topics"]["low"] >= kept.min() and said["n_topics"]["high"] <= kept.max()
    monkeypatch.setattr(trust, "judge", lambda *_: ("good", "The numbers agree"))
    said = trust_facts(atlas_of(blog), [blog, other], redact=False)
    assert said["level"] == "fair" and "topics were not compared" in said["sentence"]


def test_traces_are_thinned_and_keep_their_ends():
    points = thinned(np.arange(1000.0))
    assert len(points) == 300 and points[0] == [1, 0.0] and points[-1] == [1000, 999.0]
    assert thinned(np.array([2.0])) == [[1, 2.0]]


def test_what_was_removed_is_told_without_paths(blog, home):
    said = trust_facts(atlas_of(blog), [blog], redact=False)
    removed = said["removed"]
    assert removed["n_read"] == 240 and removed["filters"][0][:2] == ["stop words", "words that carry no topic"]
    assert any("simulated_follows.csv" in note for note in removed["notes"])
    assert not any(str(home) in note for note in removed["notes"])
    assert "notes" not in trust_facts(atlas_of(blog), [blog], redact=True)["removed"]


def test_the_number_of_topics_is_that_of_the_second_half(blog):
    said = trust_facts(atlas_of(blog), [blog, blog], redact=False)
    second = blog.trace["n_topics"][len(blog.trace["n_topics"]) // 2 :]
    assert sum(n for _, n in said["n_topics"]["counts"]) == len(second)
    assert min(second) <= said["n_topics"]["low"] <= said["n_topics"]["high"] <= max(second)
    assert [len(traces) for traces in said["traces"].values()] == [1, 1]  # a copy of a chain confirms nothing


def test_with_a_network_spare_topics_are_not_counted():
    blog = simulate_microblog(posts=40, authors=4, seed=1)
    corpus = read(blog.records, links=blog.links)
    found = fit_model(models.tntm(), corpus, sweeps=12, seed=1, samples=3, text_sweeps=6)
    atlas = atlas_of(found)
    counts, how = topic_numbers(atlas, [found])
    assert "3 posterior samples" in how and max(counts) <= found.n_topics
    said = trust_facts(atlas, [found], redact=False)
    assert "Only 6 sweeps of the whole model" in said["sentence"]
    assert said["joined"] == 6 and len(said["traces"]["n_topics"][0]) == 6
    assert "n_topics" not in dict(said["rhat"]) and atlas.n_topics == len(np.unique(found.state.text.topic))


def test_sweeps_before_the_network_joined_do_not_count_and_there_may_be_none():
    blog = simulate_microblog(posts=40, authors=4, seed=1)
    corpus = read(blog.records, links=blog.links)
    late = fit_model(models.tntm(), corpus, sweeps=40, seed=1, text_sweeps=20)
    log_joint = late.trace["log_joint"][-10:]  # half of those since, not of all
    assert rhats_of([late])["log_joint"] == pytest.approx(agreement(log_joint[None]))
    at_once = fit_model(models.tntm(), corpus, sweeps=3, seed=1, text_sweeps=0)
    said = trust_facts(atlas_of(at_once), [at_once], redact=False)
    n = len(np.unique(at_once.state.text.topic))
    assert said["n_topics"]["counts"] == [[n, 1]] and "last state" in said["n_topics"]["how"]
    assert list(said["traces"]) == ["log_joint"] and said["joined"] == 0
