"""What links are compared with: scores on tiny networks, splits that all methods share, rows that are found again."""

import doctest
from types import ModuleType

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from benchmarks import corpora, link_baselines, link_cases, link_models, link_tables
from benchmarks.link_baselines import TEXTUAL, Seen, baselines, fit_logistic, no_covariates, objective, path
from benchmarks.link_cases import AUTHORS, HIDDEN, choose, split
from benchmarks.link_tables import Rows
from pitmanyor import Corpus
from pitmanyor.evaluate import auc

pytestmark = pytest.mark.nojit


@pytest.mark.parametrize("module", [link_baselines, link_cases, link_models, link_tables])
def test_examples_in_the_docstrings(module: ModuleType):
    assert doctest.testmod(module).failed == 0


def communities(n: int = 60) -> tuple[Seen, np.ndarray]:
    """Two halves whose members follow each other, some more popular; and similarities that know the halves."""
    rng = np.random.default_rng(1)
    half = np.arange(n) % 2
    logits = 3.0 * (half[:, None] == half) - 2.5 + rng.normal(0.0, 1.0, n)  # of receivers
    linked = (rng.random((n, n)) < 1 / (1 + np.exp(-logits))) & ~np.eye(n, dtype=bool)
    similarity = np.clip(0.5 * (half[:, None] == half) + rng.normal(0.2, 0.1, (n, n)), 0, 1)
    return Seen(~np.eye(n, dtype=bool), linked), (similarity + similarity.T) / 2


def test_the_gradient_is_that_of_the_penalised_likelihood():
    seen = path(hidden=[(0, 3), (2, 0)])
    rng = np.random.default_rng(0)
    covariates = rng.normal(size=(2, 4, 4))
    at = rng.normal(size=1 + 8 + 2 * 4 * 3 + 2)
    _, slope = objective(at, seen, covariates, 3, (0.7, 1.3))
    for i in range(len(at)):
        step = np.zeros(len(at))
        step[i] = 1e-5
        two = [objective(at + sign * step, seen, covariates, 3, (0.7, 1.3))[0] for sign in (1, -1)]
        assert_allclose(slope[i], (two[0] - two[1]) / 2e-5, rtol=1e-5, atol=1e-7)


def test_without_features_popularity_balances_sums_of_links():
    """At the maximum, what is expected of a sender falls short of what was seen by the penalty times the effect."""
    seen, _ = communities()
    made = fit_logistic(seen, no_covariates(seen), 0, (1.0, 1.0))
    missing = (np.where(seen.known, seen.linked - 1 / (1 + np.exp(-made.logits(no_covariates(seen)))), 0.0)).sum(axis=1)
    assert_allclose(missing, made.sender, atol=1e-2)


def test_hidden_pairs_change_no_score(monkeypatch):
    monkeypatch.setattr(link_baselines, "LATENT", (2.0,))
    seen, similarity = communities(12)
    hidden = choose(12, "0.1", np.random.default_rng(2))
    one = seen.without(hidden)
    other = Seen(seen.known, seen.linked ^ hidden).without(hidden)  # the same but for what is hidden
    rules = baselines(similarity, lambda given, fold: choose(12, "0.5", np.random.default_rng(fold), given.known))
    for name, scores in rules.items():
        assert_array_equal(scores(one), scores(other), err_msg=name)


def test_what_knows_the_halves_predicts_hidden_links(monkeypatch):
    monkeypatch.setattr(link_baselines, "LATENT", (2.0,))
    monkeypatch.setattr(link_baselines, "N_FEATURES", 2)
    seen, similarity = communities()
    hidden = choose(60, "0.1", np.random.default_rng(2))
    rules = baselines(similarity, lambda given, fold: choose(60, "0.1", np.random.default_rng(fold), given.known))
    found = {name: auc(seen.linked[hidden], scores(seen.without(hidden))[hidden]) for name, scores in rules.items()}
    assert min(found.values()) > 0.55
    assert found["popularity + latent features"] > found["popularity"] + 0.1
    assert found["spectral embedding"] > found["popularity"] + 0.1


@pytest.mark.parametrize("hidden", HIDDEN)
def test_splits_do_not_depend_on_the_order_of_posts(hidden: str):
    authors = [f"a{i % 20}" for i in range(400)]
    links = [(f"a{i}", f"a{j}") for i in range(20) for j in range(20) if i != j and (i + j) % 3 == 0]
    cases = [
        split(Corpus.from_tokens([["word"]] * 400, {"author": order}, {"cites": links}), "cites", hidden, seed=3)
        for order in (authors, authors[::-1])
    ]
    assert cases[0].held.pairs == cases[1].held.pairs
    for case in cases:
        left = set(case.corpus.links["cites"].pairs)
        truth = {pair for pair, linked in zip(case.held.pairs, case.held.linked, strict=True) if linked}
        assert left | truth == set(links)
        assert not left & set(case.held.pairs)
        rows, columns = case.place()
        assert not case.seen.known[rows, columns].any()
        aside = case.aside(case.seen, 0)
        assert aside.any()
        assert not (aside & ~case.seen.known).any()


def test_all_links_of_an_author_are_hidden():
    hidden = choose(30, AUTHORS, np.random.default_rng(1))
    cold = np.flatnonzero(hidden.sum(axis=1) == 29)
    assert len(cold) == 3
    assert hidden.sum() == 2 * 3 * 27 + 3 * 2


def test_a_row_that_was_cut_off_is_measured_again(tmp_path):
    file = tmp_path / "rows.jsonl"
    key = {"links": "cites", "posts": 5, "hidden": "0.1", "seed": 1}
    rows = Rows(file)
    rows.add(key | {"method": "one", "auc": 0.12345678})
    rows.add(key | {"method": "two", "auc": 0.5})
    file.write_text(file.read_text()[:-9])
    again = Rows(file)
    assert again.has(key | {"method": "one"})
    assert not again.has(key | {"method": "two"})
    assert not again.has(key | {"method": "one", "seed": 2})
    again.add(key | {"method": "two", "auc": 0.5})
    assert [row["auc"] for row in Rows(file).rows] == [0.123457, 0.5]


def test_so_many_posts_of_every_author():
    rows, authors = list(range(10, 20)), ["ann"] * 7 + ["bob"] * 3
    kept = corpora._at_most(4, rows, authors)
    assert kept == sorted(kept)
    assert [sum(authors[row - 10] == name for row in kept) for name in ("ann", "bob")] == [4, 3]


def test_what_reads_no_posts_is_measured_once(tmp_path, monkeypatch):
    rows = Rows(tmp_path / "rows.jsonl")
    authors = [f"a{i % 6}" for i in range(60)]
    links = [(f"a{i}", f"a{j}") for i in range(6) for j in range(6) if (i + j) % 2]
    case = split(Corpus.from_tokens([["word"]] * 60, {"author": authors}, {"cites": links}), "cites", "0.5", seed=1)
    counted = []
    rules = {name: lambda seen, name=name: counted.append(name) or np.eye(6) for name in ("one", TEXTUAL[0])}
    monkeypatch.setattr(link_tables, "baselines", lambda similarity, hide: rules)
    monkeypatch.setattr(link_cases.Case, "hashtags", lambda case: None)
    for posts in ("all", 60, 60):
        link_tables.baseline_rows(case, {"links": "cites", "posts": posts, "hidden": "0.5", "seed": 1}, rows)
    assert counted == ["one", TEXTUAL[0], TEXTUAL[0]] and len(rows.rows) == 4
    assert [row["posts"] for row in rows.rows] == ["all", "all", 60, 60]


def test_a_text_model_is_fitted_once_for_all_links(monkeypatch):
    calls = []
    monkeypatch.setattr(link_models, "fit", lambda graph, corpus, sweeps, **options: calls.append(graph) or "fit")
    authors = [f"a{i % 6}" for i in range(60)]
    corpus = Corpus.from_tokens([["word"]] * 60, {"author": authors}, {"cites": [("a0", "a1")]})
    cases = [split(corpus, "cites", hidden, seed=1) for hidden in ("0.5", AUTHORS)]
    fits, effort = link_models.Fits(), link_models.Effort(5)
    for name in ("tntm-links", "tntm"):
        graph = link_models.graph_named(name, "cites")
        assert [fits.fitted(graph, case, effort, 1)[0] for case in cases] == ["fit"] * 2
    assert len(calls) == 1 + 2 and not calls[0].link_sets
