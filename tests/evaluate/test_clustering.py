"""Purity, NMI and adjusted Rand against scikit-learn, and where they would be 0/0."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix

from pitmanyor import Corpus, Graph, PlanError, fit, models, uniform
from pitmanyor.evaluate import adjusted_rand, dominant_topics, nmi, purity

PAIRS = st.lists(st.tuples(st.integers(0, 4), st.sampled_from("abcd")), min_size=1, max_size=40)


@given(PAIRS)
def test_scores_are_those_of_scikit_learn(pairs):
    clusters, labels = zip(*pairs, strict=True)
    table = contingency_matrix(labels, clusters)
    assert purity(clusters, labels) == pytest.approx(table.max(axis=0).sum() / len(pairs), abs=1e-12)
    assert nmi(clusters, labels) == pytest.approx(normalized_mutual_info_score(labels, clusters), abs=1e-9)
    assert adjusted_rand(clusters, labels) == pytest.approx(adjusted_rand_score(labels, clusters), abs=1e-9)


def test_the_formula_of_the_paper_by_hand():
    """Two clusters (3 and 1 documents), labels a a b | b: MI = 0.5 log2(4/3) + 0.25 log2(2/3) + 0.25 log2 2."""
    clusters, labels = [0, 0, 0, 1], ["a", "a", "b", "b"]
    information = 0.5 * np.log2(4 / 3) + 0.25 * np.log2(2 / 3) + 0.25
    entropy = -0.75 * np.log2(0.75) + 0.5
    assert purity(clusters, labels) == 0.75
    assert nmi(clusters, labels) == pytest.approx(2 * information / (entropy + 1.0), abs=1e-12)


def test_degenerate_partitions():
    one, each = [0] * 5, list(range(5))
    assert (purity(one, one), nmi(one, one), adjusted_rand(one, one)) == (1.0, 1.0, 1.0)
    assert (purity(each, each), nmi(each, each), adjusted_rand(each, each)) == (1.0, 1.0, 1.0)
    assert (purity(each, one), nmi(each, one), adjusted_rand(each, one)) == (1.0, 0.0, 0.0)
    assert (purity(one, each), nmi(one, each), adjusted_rand(one, each)) == (0.2, 0.0, 0.0)
    assert nmi(["x", "x", None], [1, 1, "1"]) == pytest.approx(1.0)  # labels of any kind
    with pytest.raises(PlanError, match="every document needs a cluster and a label, not 2 clusters and 3 labels"):
        purity([0, 1], [0, 1, 2])
    with pytest.raises(PlanError, match="not 0 clusters"):
        nmi([], [])


def test_dominant_topics_of_a_fit_are_those_of_its_documents():
    corpus = Corpus.from_tokens([["a"] * 6, ["b"] * 6, ["a"] * 5, ["b"] * 5] * 4)
    result = fit(models.lda(2), corpus, sweeps=30, seed=1)
    found = dominant_topics(result)
    assert found.tolist() == result.mean("theta").argmax(axis=1).tolist() == result.dominant_topics().tolist()
    assert nmi(found, [0, 1] * 8) == 1.0
    assert set(dominant_topics(result, n_topics=1)) == {result.mean("theta").sum(axis=0).argmax()}


def test_a_shared_leaf_gives_each_document_the_topic_of_its_group():
    g = Graph()
    nu = g.pyp("nu", base=g.gem("mu"), plate="author")
    g.tokens("word", topic=nu, emit=g.pyp("phi", base=uniform("vocabulary"), plate="topic"))
    corpus = Corpus.from_tokens([["a", "b"], ["c"] * 9, ["a"]], groups={"author": ["x", "y", "x"]})
    result = fit(g, corpus, sweeps=3, seed=1)
    best = result.mean("nu", "discard").argmax(axis=1)
    assert dominant_topics(result).tolist() == best[[0, 1, 0]].tolist()


def test_shares_must_be_a_table():
    with pytest.raises(PlanError, match=r"not of shape \(3,\)"):
        dominant_topics([0.2, 0.3, 0.5])
    with pytest.raises(PlanError, match="as many in every row"):
        dominant_topics([[0.2, 0.8], [1.0]])
    with pytest.raises(PlanError, match="row 1 has others"):
        dominant_topics([[0.2, 0.8], [np.nan, 1.0]])
    with pytest.raises(PlanError, match="n_topics must be 1 or more"):
        dominant_topics([[0.2, 0.8]], n_topics=0)


@pytest.mark.parametrize("score", [purity, nmi, adjusted_rand])
def test_what_is_no_label_is_refused(score):
    for labels, said in ((np.array([1.0, np.nan]), "labels has nan"), ([[0, 1], [1, 0]], r"labels has \[0, 1\]")):
        with pytest.raises(PlanError, match=said):
            score([0, 1], labels)
        with pytest.raises(PlanError, match=said):
            score([0, 1], np.asarray(labels))
    with pytest.raises(PlanError, match="clusters has nan"):
        score([0.0, float("nan")], [0, 1])
