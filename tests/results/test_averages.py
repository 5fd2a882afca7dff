"""Estimates of a fit are means over its kept states, in the topics of its last one."""

import numpy as np
import pytest

from pitmanyor import Corpus, Sampler, Start, fit, models, simulate, table
from pitmanyor.results.averages import Averages
from pitmanyor.results.posterior import Posterior
from pitmanyor.topics.blocks import document_blocks

SCATTERED = {"sampler": Sampler(moves=False), "start": Start(topics=5)}  # labels switch, topics come and go
GRAPHS = {"author_topic": models.author_topic(), "tntm": models.tntm().without("follows"), "lda": models.lda(4)}


@pytest.fixture(scope="module", params=list(GRAPHS))
def result(request):
    graph = GRAPHS[request.param]
    corpus = simulate(graph, documents=40, tokens=9, groups={"author": 4}, vocabulary=15, seed=3).corpus
    found = fit(graph, corpus, sweeps=30, seed=2, keep=6, **(SCATTERED if request.param != "lda" else {}))
    assert len(found.samples) == 6 and found.n_topics > 2
    return found


def where(shown, sample):
    """For every topic of a kept state, the topic shown that most of its tokens have, counted one token at a time."""
    pairs = list(zip(sample.state.text.topic.tolist(), shown.state.text.topic.tolist(), strict=True))
    mapped = []
    for topic in range(sample.n_topics):
        counts = [pairs.count((topic, other)) for other in range(shown.n_topics)]
        mapped.append(int(np.argmax(counts)) if any(counts) else min(topic, shown.n_topics - 1))
    return mapped


def test_topic_proportions_are_means_over_kept_states(result):
    for node in ("theta", "nu") if "nu" in result.state.plan.index else ("theta",):
        exact = np.zeros_like(result.mean(node, "renormalise"))
        for sample in result.samples:
            rows = sample.mean(node, "renormalise")
            for topic, at in enumerate(where(result, sample)):
                exact[:, at] += rows[:, topic] / len(result.samples)
        assert result.mean(node, "renormalise") == pytest.approx(exact)
        assert exact.sum(axis=1) == pytest.approx(1.0)
        assert result.mean(node).sum(axis=1) == pytest.approx(1.0)
    last = Posterior(result.state, result.log_joint)
    assert np.abs(result.mean("theta", "renormalise") - last.mean("theta", "renormalise")).max() > 0.01


def test_the_mass_of_unseen_topics_is_a_mean_too(result):
    if result.state.plan.n_topics is not None:
        assert np.array_equal(result.mean("theta", "keep"), result.mean("theta", "discard"))
        return
    new = np.mean([sample.mean("theta")[:, -1] for sample in result.samples], axis=0)
    assert result.mean("theta")[:, -1] == pytest.approx(new)
    assert np.array_equal(result.mean("theta", "discard"), result.mean("theta")[:, :-1])


def test_words_of_topics_are_means_weighted_by_tokens(result):
    exact = np.zeros((result.n_topics, len(result.words_of())))
    weight = np.zeros(result.n_topics)
    for sample in result.samples:
        phi, sizes = sample.topic_words(), np.bincount(sample.state.text.topic, minlength=sample.n_topics)
        for topic, at in enumerate(where(result, sample)):
            exact[at] += sizes[topic] * phi[topic]
            weight[at] += sizes[topic]
    assert (weight > 0).all()
    assert result.topic_words() == pytest.approx(exact / weight[:, None])
    assert result.topic_shares() == pytest.approx(weight / weight.sum())
    word, p = result.topics(1)[0][0]
    assert p == pytest.approx((exact / weight[:, None])[0].max()) and word in result.words_of()


def test_mixing_weights_and_nodes_without_topics_are_plain_means(result):
    for node in result.graph.nodes:
        if len(node.parents) == 2:
            exact = np.mean([sample.mix_weight(node.name) for sample in result.samples], axis=0)
            assert result.mix_weight(node.name) == pytest.approx(exact)
        if node.side == "word" and not node.per_topic:
            exact = np.mean([sample.mean(node.name) for sample in result.samples], axis=0)
            assert result.mean(node.name) == pytest.approx(exact)


def test_documents_are_the_same_in_blocks_in_tables_and_in_one_piece(result, monkeypatch):
    whole = result.document_shares()
    monkeypatch.setattr("pitmanyor.topics.blocks.CELLS", 4 * result.n_topics)  # 4 documents per block
    blocks = list(document_blocks(result))
    assert [block.start for block in blocks] == list(range(0, 40, 4))
    assert np.concatenate([block.shares for block in blocks]) == pytest.approx(whole)
    columns = table(result, "documents", kind="dict")
    assert columns["main_topic"].tolist() == whole.argmax(axis=1).tolist()


def test_new_documents_are_inferred_given_the_mean_topics():
    corpus = Corpus.from_tokens([["goal", "match", "team"] * 3, ["bread", "oven", "flour"] * 3] * 10)
    result = fit(models.lda(2), corpus, sweeps=20, seed=1, keep=5)
    alone = fit(models.lda(2), corpus, sweeps=20, seed=1, keep=0)
    assert np.array_equal(result.state.text.topic, alone.state.text.topic)
    new = [["goal", "bread"]]
    assert not np.array_equal(result.infer(new, seed=1).shares, alone.infer(new, seed=1).shares)
    assert result.infer(new, seed=1).shares.tobytes() == result.infer(new, seed=1).shares.tobytes()


def test_a_fit_that_kept_nothing_has_the_estimates_of_its_last_state():
    corpus = Corpus.from_tokens([["goal", "match"], ["bread", "oven"]] * 5)
    result = fit(models.hpyp(), corpus, sweeps=6, seed=1, keep=0)
    last = Posterior(result.state, result.log_joint)
    for node in ("theta", "phi", "gamma", "mu"):
        assert result.mean(node) == pytest.approx(last.mean(node))
    assert result.topic_shares().tolist() == last.topic_shares().tolist()


def test_a_topic_that_no_kept_state_has_keeps_the_words_of_the_last_state():
    """As after Ctrl-C: the last state is not among those kept."""
    corpus = simulate(models.hpyp(), documents=30, tokens=6, vocabulary=15, seed=3).corpus
    result = fit(models.hpyp(), corpus, sweeps=20, seed=1, keep=0, **SCATTERED)
    other = fit(models.hpyp(), corpus, sweeps=20, seed=1, max_topics=1)
    averages = Averages(result, [Posterior(other.state, other.log_joint)])
    missing = np.flatnonzero(averages.topic_shares() == 0)
    assert len(missing) == result.n_topics - 1 > 0
    last = Posterior(result.state, result.log_joint)
    assert averages.mean("phi", "keep")[missing] == pytest.approx(last.mean("phi")[missing])
    assert averages.mean("theta", "renormalise")[:, missing].max() == 0.0


def test_a_mean_that_is_changed_by_its_reader_is_not_changed_for_the_next(result):
    before = result.topic_words().copy()
    result.topic_words()[:] = 0.0
    assert np.array_equal(result.topic_words(), before)
