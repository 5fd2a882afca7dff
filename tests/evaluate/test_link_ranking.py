"""AUC and average precision against scikit-learn."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from pitmanyor import Network, PlanError, fit, models, read
from pitmanyor.evaluate import auc, average_precision, link_scores
from pitmanyor.simulation import simulate_microblog

SCORES = st.lists(st.tuples(st.booleans(), st.integers(0, 9)), min_size=2, max_size=40)


@given(SCORES)
def test_scores_are_those_of_scikit_learn_with_ties(pairs):
    linked, scores = np.array([a for a, _ in pairs]), np.array([b / 10 for _, b in pairs])
    assume(linked.any() and not linked.all())
    assert auc(linked, scores) == pytest.approx(roc_auc_score(linked, scores), abs=1e-9)
    assert average_precision(linked, scores) == pytest.approx(average_precision_score(linked, scores), abs=1e-9)


def test_pairs_of_one_kind_are_refused():
    for linked, kind in (([True, True], "all 2 pairs are linked"), ([False], "all 1 pairs are not linked")):
        with pytest.raises(PlanError, match=kind):
            auc(linked, [0.5] * len(linked))
    with pytest.raises(PlanError, match="every pair has a truth and a score"):
        average_precision([True, False], [0.5])


def test_scores_that_are_no_numbers_are_refused():
    for score in (auc, average_precision):
        with pytest.raises(PlanError, match="1 of 2 are not"):
            score([True, False], [0.5, np.nan])


def test_held_out_links_of_a_fit(tmp_path):
    posts, follows = simulate_microblog(posts=120, authors=8, seed=2).write(tmp_path)
    corpus = read(str(posts), links=str(follows))
    seen, held = corpus.hide_links("follows", by="author", share=0.3, seed=1)
    result = fit(models.tntm(), seen, sweeps=8, network=Network(text_sweeps=4), seed=1)
    found = link_scores(result, held)
    assert result.link_scores(held, "follows") == found
    chances = result.link_probability([a for a, _ in held.pairs], [b for _, b in held.pairs])
    assert found.auc == pytest.approx(roc_auc_score(held.linked, chances), abs=1e-9)
    assert found.average_precision == pytest.approx(average_precision_score(held.linked, chances), abs=1e-9)
    assert (found.n_pairs, found.base_rate) == (len(held.pairs), held.linked.mean())
