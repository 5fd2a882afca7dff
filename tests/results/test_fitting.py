"""fit, from outside: what a Fit holds, what it refuses, and that a seed is a promise."""

import os
import re
import signal
import threading

import numpy as np
import pytest

from pitmanyor import Corpus, Fit, Graph, PlanError, Sampler, Start, fit, models, simulate, uniform
from pitmanyor.results.posterior import Posterior
from pitmanyor.sampling.explicit_sweep import Explicit
from pitmanyor.sampling.sweeps import Sweeper
from pitmanyor.sampling.switching import Switch
from pitmanyor.state.layout import Layout

TRUTH = simulate(
    models.author_topic(topic_discount=0.5, word_discount=0.7),
    documents=20,
    tokens=12,
    groups={"author": 4},
    vocabulary=15,
    seed=2,
)
CORPUS = TRUTH.corpus


@pytest.fixture(scope="module")
def result() -> Fit:
    return fit(models.author_topic(), CORPUS, sweeps=12, seed=1, keep=3)


def test_the_trace_has_one_value_a_sweep_for_every_node(result):
    moves = {f"moves/{name}" for name in ("rate", "tried_splits", "tried_merges", "splits", "merges")}
    names = (
        {"n_topics", "topics/large", "topics/effective", "log_joint"}
        | moves
        | {f"{what}/{node.name}" for what in ("tables", "customers", "concentration") for node in result.graph.nodes}
    )
    assert set(result.trace) == names
    assert {len(values) for values in result.trace.values()} == {result.n_sweeps} == {12}
    assert result.trace["n_topics"][-1] == result.n_topics
    assert result.trace["log_joint"][-1] == result.log_joint
    assert (result.trace["customers/theta"] == CORPUS.n_tokens).all()
    assert np.array_equal(result.trace["customers/nu"], result.trace["tables/theta"])
    with pytest.raises(TypeError):
        result.trace["n_topics"] = np.zeros(12)


def test_a_name_that_is_not_in_the_trace_is_answered_with_those_that_are(result):
    with pytest.raises(KeyError, match="the trace has no 'topics'; it has .*n_topics, topics/large"):
        result.trace["topics"]


def test_samples_are_states_of_the_second_half(result):
    at = [7, 9, 11]  # sweeps 8, 10, 12
    assert [sample.n_topics for sample in result.samples] == result.trace["n_topics"][at].tolist()
    assert [sample.log_joint for sample in result.samples] == result.trace["log_joint"][at].tolist()
    last = Posterior(result.state, result.log_joint)
    assert np.array_equal(result.samples[-1].mean("phi"), last.mean("phi"))
    assert not np.array_equal(result.samples[0].mean("theta"), last.mean("theta"))


def test_means_have_named_axes(result):
    k = result.n_topics
    for name, rows, columns in (("nu", 4, k + 1), ("theta", 20, k + 1), ("phi", k, 15), ("gamma", 1, 15)):
        axes = result.axes(name)
        assert result.mean(name).shape == (rows, columns) == tuple(len(labels) for labels in axes.values())
        assert result.mean(name).sum(axis=1) == pytest.approx(1.0)
    assert list(result.axes("nu").values())[0] == list(CORPUS.groups["author"].labels)
    assert list(result.axes("nu").values())[1] == [*range(k), "new"]
    assert list(result.axes("phi").values())[1] == list(CORPUS.vocabulary)
    assert result.mean("nu", new_topic="discard").shape == (4, k)


def test_topics_are_the_likeliest_words_of_each(result):
    phi, topics = result.mean("phi"), result.topics(4)
    for k, topic in enumerate(topics):
        assert [p for _, p in topic] == sorted(phi[k], reverse=True)[:4]
        assert all(phi[k, CORPUS.vocabulary.index(word)] == p for word, p in topic)


def test_words_that_never_come_in_a_stream_are_not_listed_for_it():
    posts = Corpus.from_tokens(
        {"word": [["bread", "oven"], ["goal", "team"]] * 3, "hashtag": [["food"], ["goal"]] * 3},
        groups={"author": ["ann", "bob"] * 3},
    )
    found = fit(models.tntm().without("follows"), posts, sweeps=4, seed=1)
    assert set(found.words_of("hashtag")) == {"bread", "oven", "goal", "team", "food"}  # one vocabulary
    for stream, words in {"hashtag": {"food", "goal"}, "word": {"bread", "oven", "goal", "team"}}.items():
        assert [found.words_of(stream)[w] for w in found.occurring(stream)] == sorted(words)
        phi = found.topic_words(stream)
        for k, topic in enumerate(found.topics(10, stream)):
            assert {word for word, _ in topic} == words
            assert [p for _, p in topic] == sorted((phi[k, w] for w in found.occurring(stream)), reverse=True)


def test_mixing_weights_of_two_parents():
    graph = models.tntm().without("follows")
    text = {"word": [["x", "y", "x"], ["z"]], "hashtag": [["x"], ["z", "x"]]}
    result = fit(graph, Corpus.from_tokens(text, groups={"author": ["ann", "bob"]}), sweeps=3, seed=1)
    weights = result.mix_weight("theta")
    assert weights.shape == (2, 2)
    assert weights.sum(axis=1) == pytest.approx(1.0)
    assert len(result.topics(2, stream="hashtag")) == len(result.topics(2)) == result.n_topics
    with pytest.raises(PlanError, match=re.escape("'eta' has 1 parents; only a mix of several has weights")):
        result.mix_weight("eta")


def test_repr_and_memory_tell_the_size(result):
    said = r"Fit\(\d+ topics?.*; 12 sweeps of 240 tokens in [\d.]+ s, log joint -[\d,.]+\)"
    assert re.fullmatch(said, repr(result)) and repr(result).startswith(f"Fit({result.topic_count()}; ")
    assert result.memory.total > result.memory.tokens > 0


def test_there_are_never_more_topics_than_allowed():
    capped = fit(models.author_topic(), CORPUS, sweeps=6, seed=1, max_topics=2)
    assert capped.trace["n_topics"].max() <= 2
    free = fit(models.author_topic(), CORPUS, sweeps=6, seed=1, start=Start(topics=10), sampler=Sampler(moves=False))
    assert free.trace["n_topics"].max() > 2


def test_topics_are_dealt_at_random_at_first():
    begins = {
        k: fit(models.hpyp(), CORPUS, sweeps=0, seed=1, start=Start(topics=k), sampler=Sampler(moves=False))
        for k in (None, 0, 3)
    }
    assert [one.run.settings.start.topics for one in begins.values()] == [20, 0, 3]
    assert begins[None].n_topics == 20 and begins[3].n_topics == 3
    assert fit(models.hpyp(), CORPUS, sweeps=0, seed=1, max_topics=4, sampler=Sampler(moves=False)).n_topics == 4
    finite = fit(models.lda(5), CORPUS, sweeps=0, seed=1)
    assert finite.run.settings.start.topics == 5 and finite.topic_count().n_large == 5
    assert fit(models.lda(5), CORPUS, sweeps=0, seed=1, start=Start(topics=0)).run.settings.start.topics == 0


def test_the_same_seed_gives_the_same_bytes_and_another_does_not(result):
    again = fit(models.author_topic(), CORPUS, sweeps=12, seed=1, keep=3)
    other = fit(models.author_topic(), CORPUS, sweeps=12, seed=2)
    chain = fit(models.author_topic(), CORPUS, sweeps=12, seed=1, start=Start(chain=1))
    for name, values in result.trace.items():
        assert values.tobytes() == again.trace[name].tobytes(), name
    assert result.mean("theta").tobytes() == again.mean("theta").tobytes()
    for different in (other, chain):
        assert result.trace["log_joint"].tobytes() != different.trace["log_joint"].tobytes()


def test_no_sweep_at_all_leaves_the_first_seating():
    start = fit(models.author_topic(), CORPUS, sweeps=0, seed=1)
    assert start.n_sweeps == 0 and start.n_topics >= 1 and np.isfinite(start.log_joint)


def test_ctrl_c_returns_the_fit_so_far(result):
    before = signal.getsignal(signal.SIGINT)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    short = fit(models.author_topic(), CORPUS, sweeps=10**7, seed=1, sampler=Sampler(moves=False))
    timer.join()
    assert 0 < short.n_sweeps < 10**7
    assert len(short.trace["n_topics"]) == short.n_sweeps
    assert short.mean("nu").shape == (4, short.n_topics + 1)
    assert signal.getsignal(signal.SIGINT) is before


def no_topic_words() -> Graph:
    """Words per author, the same for all topics."""
    g = Graph()
    nu = g.pyp("nu", base=g.gem("mu"), plate="author")
    g.tokens("word", topic=nu, emit=g.pyp("own", base=uniform("vocabulary"), plate=("author", "topic")))
    return g


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sweeps": -1}, "sweeps must be a whole number, 0 or more, not -1"),
        ({"seed": -1}, "seed must be a whole number, 0 or more, not -1"),
        ({"seed": True}, "seed must be a whole number, not True"),
        ({"keep": -1}, "keep must be a whole number, 0 or more, not -1"),
        ({"chains": 0}, "chains must be a whole number, 1 or more, not 0"),
        ({"burn_in": 4}, "burn_in=4 leaves none of 4 sweeps"),
        ({"max_topics": 0}, "max_topics must be a whole number, 1 or more, not 0"),
        ({"max_topics": 2, "start": Start(topics=3)}, "cannot start with 3 topics: this chain may have at most 2"),
        ({"sampler": Sampler(kind="explicit")}, "an explicit sweep cannot give birth to topics"),
        ({"progress": "often"}, "progress is \"auto\", True or False, not 'often'"),
        ({"threads": 10_000}, "threads must be between 1 and"),
        ({"graph": "hpyp"}, "graph must be a Graph such as pitmanyor.models.hpyp(), not the text 'hpyp'"),
        ({"graph": models.lda(3), "max_topics": 2}, "this graph has 3 topics, a fixed number: leave it out"),
    ],
)
def test_arguments_are_refused_with_a_sentence(options, message):
    with pytest.raises(PlanError, match=re.escape(message)):
        fit(**({"graph": models.hpyp(), "corpus": CORPUS, "sweeps": 4, "seed": 1} | options))


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda r: r.mean("eta"), "no node 'eta'; this graph has mu"),
        (lambda r: r.mean("nu", new_topic="drop"), "new_topic must be one of keep, discard, renormalise, not 'drop'"),
        (lambda r: r.topics(3, stream="tag"), "no stream 'tag'; this graph has word"),
    ],
)
def test_questions_are_refused_with_a_sentence(result, ask, message):
    with pytest.raises(PlanError, match=re.escape(message)):
        ask(result)


def test_topics_without_words_of_their_own_are_refused():
    result = fit(no_topic_words(), CORPUS, sweeps=1, seed=1)
    with pytest.raises(PlanError, match="no node above 'own' is per topic alone"):
        result.topics(3)


def made_by(monkeypatch, kind):
    """Objects of a class that are made from here on."""
    made, init = [], kind.__init__

    def counted(self, *args, **given):
        made.append(self)
        init(self, *args, **given)

    monkeypatch.setattr(kind, "__init__", counted)
    return made


@pytest.mark.parametrize("small, n_made", [(True, 0), (False, 1)])
def test_a_fit_makes_its_parts_once_and_no_more_than_its_sweeps_need(small, n_made, monkeypatch):
    """Collapsed sweeps, at first or for good, need neither vectors nor scratch for them."""
    corpus = simulate(models.hpyp(concentration=1.0), documents=20, tokens=10, vocabulary=12, seed=1).corpus
    if not small:
        monkeypatch.setattr("pitmanyor.sampling.chain.SMALL_CORPUS", 0)
    layouts, sweepers = made_by(monkeypatch, Layout), made_by(monkeypatch, Sweeper)
    switches, explicits = made_by(monkeypatch, Switch), made_by(monkeypatch, Explicit)
    options = {"sampler": Sampler(collapsed_first=2, anchors=0.5, moves=False), "max_topics": 30, "threads": 1}
    fit(models.hpyp(), corpus, sweeps=6, seed=1, **options)
    assert [len(made) for made in (layouts, sweepers, switches, explicits)] == [1, 1, n_made, n_made]
