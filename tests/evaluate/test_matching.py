"""Topics matched against all assignments; how many chains found each topic of a planted corpus."""

import itertools

import numpy as np
import pytest

from pitmanyor import Corpus, PlanError, Start, fit, models, simulate
from pitmanyor.evaluate import match_topics, matching, stability, topic_shares
from pitmanyor.evaluate.matching import aligned, central, similarities

THEMES = [["bread", "butter", "oven", "cheese"], ["goal", "match", "team", "ball"], ["tax", "vote", "law", "poll"]]


def planted(seed=0):
    rng = np.random.default_rng(seed)
    return Corpus.from_tokens([rng.choice(THEMES[d % 3], 12).tolist() for d in range(60)])


@pytest.fixture(scope="module")
def chains():
    graph, corpus = models.lda(3).set("*", concentration=1.0), planted()
    return [fit(graph, corpus, sweeps=60, seed=1, start=Start(chain=chain)) for chain in range(4)]


@pytest.fixture(scope="module")
def two_of_three(chains):
    """A chain of the same corpus that may have two topics only, so it has merged two themes."""
    return fit(models.lda(2).set("*", concentration=1.0), chains[0].corpus, sweeps=60, seed=1)


def test_topics_are_matched_as_the_best_of_all_assignments(chains):
    one, other = chains[:2]
    phi, psi = one.mean("phi"), other.mean("phi")
    cosine = [[float(x @ y / np.sqrt((x @ x) * (y @ y))) for y in psi] for x in phi]
    assert similarities(phi, psi) == pytest.approx(np.array(cosine), abs=1e-12)
    best = max(itertools.permutations(range(3)), key=lambda p: sum(cosine[k][p[k]] for k in range(3)))
    found = match_topics(one, other)
    assert [(i, j) for i, j, _ in found.pairs] == [(k, best[k]) for k in range(3)]
    weights = [(topic_shares(one)[k] + topic_shares(other)[best[k]]) / 2 for k in range(3)]
    assert found.score == pytest.approx(sum(w * cosine[k][best[k]] for k, w in enumerate(weights)), abs=1e-12)


@pytest.mark.parametrize(
    ("alike", "partners"),
    [
        ([[0.9, 0.8, 0.0], [0.8, 0.1, 0.0], [0.0, 0.0, 0.5]], [1, 0, 2]),  # the best pair of all is in no best matching
        ([[0.9, 0.0, 0.4], [0.8, 0.1, 0.0], [0.7, 0.0, 0.5]], [0, 1, 2]),  # all would have the same partner
    ],
)
def test_no_topic_has_two_partners_and_the_sum_is_the_largest(chains, monkeypatch, alike, partners):
    monkeypatch.setattr(matching, "similarities", lambda one, other: np.array(alike))
    found = match_topics(*chains[:2])
    assert found.pairs == [(k, partners[k], alike[k][partners[k]]) for k in range(3)]
    one, other = (topic_shares(chain) for chain in chains[:2])
    score = sum((one[i] + other[j]) / 2 * similarity for i, j, similarity in found.pairs)
    assert found.score == pytest.approx(score, abs=1e-12)


def test_a_fit_matches_itself_and_spare_topics_have_no_partner(chains, two_of_three):
    assert match_topics(chains[0], chains[0]).score == pytest.approx(1.0)
    assert len(match_topics(chains[0], two_of_three).pairs) == 2


def test_planted_topics_are_found_by_all_chains_and_merged_ones_are_not(chains, two_of_three):
    found = stability(chains[0], chains[1:])
    assert (found.n_chains, found.found, found.share) == (4, [4, 4, 4], 1.0)
    mixed = stability(chains[0], [chains[1], two_of_three])
    assert sorted(mixed.found) == [2, 2, 3]  # the third chain has one theme as it is, and the two others as one
    alone = mixed.found.index(3)
    assert mixed.share == pytest.approx(topic_shares(chains[0])[alone])
    assert mixed.least([alone]) == 3 and mixed.least([0, 1, 2]) == 2


def test_the_chain_in_the_middle_is_shown(chains, two_of_three):
    assert central([two_of_three, *chains[:2]]) in (1, 2)
    assert central([chains[0]]) == central(chains[:2]) == 0


def test_topics_of_another_chain_go_where_their_tokens_are(chains, two_of_three):
    """In a planted corpus every token of a document has the document's theme."""
    place = aligned(chains[0], chains[1])
    assert sorted(place.tolist()) == [0, 1, 2]
    assert (place[chains[1].state.text.topic] == chains[0].state.text.topic).mean() > 0.99
    merged = aligned(two_of_three, chains[0])
    assert sorted(merged.tolist()) in ([0, 0, 1], [0, 1, 1])
    spare = fit(models.lda(9), planted().subset([0, 3]), sweeps=2, seed=1)  # more topics than tokens have
    empty = np.flatnonzero(np.bincount(spare.state.text.topic, minlength=9) == 0)
    assert (aligned(spare, spare)[empty] == -1).all()


def test_what_cannot_be_compared_is_refused(chains):
    with pytest.raises(PlanError, match="compares chains with each other: give two or more"):
        stability(chains[0], [])
    other = simulate(models.lda(3), documents=20, tokens=8, vocabulary=5, seed=1).corpus
    with pytest.raises(PlanError, match="different vocabularies"):
        match_topics(chains[0], fit(models.lda(3), other, sweeps=1, seed=1))
