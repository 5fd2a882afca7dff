"""Insights as methods of a fit: the functions of `pitmanyor.topics`, with the fit in front."""

import numpy as np
import pytest

from pitmanyor import Corpus, Fit, Start, fit, load, models, topics

THEMES = {"sport": ["goal", "match", "team", "score"], "food": ["bread", "oven", "flour", "butter"]}


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    rng = np.random.default_rng(1)
    names = ["sport" if d % 2 else "food" for d in range(40)]
    documents = {
        "word": [rng.choice(THEMES[name], 6).tolist() for name in names],
        "hashtag": [[f"#{name}"] for name in names],
    }
    groups = {"author": [f"{name}-{d % 3}" for d, name in enumerate(names)]}
    home = tmp_path_factory.mktemp("insights") / "run"
    corpus = Corpus.from_tokens(documents, groups)
    return fit(models.tntm().without("follows"), corpus, 30, seed=1, start=Start(topics=3), save_to=home)


def test_methods_say_what_the_functions_say(result):
    assert result.labels(2, by="probability") == topics.labels(result, 2, by="probability")
    for mine, theirs in (
        (result.prevalence("author", 0.5), topics.prevalence(result, "author", 0.5)),
        (result.prevalence(), topics.prevalence(result)),
    ):
        assert mine.rows() == theirs.rows() and mine.interval == theirs.interval
    (mine, shares), (theirs, others) = result.author_shares(), topics.author_shares(result)
    assert mine == theirs and np.array_equal(shares, others)
    assert result.representative(0, n=3) == topics.representative(result, 0, 3)
    assert result.similar(document=3, n=2) == topics.similar(result, document=3, n=2)
    assert result.recommend_tags(["goal"], n=2, seed=3) == topics.recommend_tags(result, ["goal"], n=2, seed=3)
    given = result.corpus.subset([0, 1])
    assert np.array_equal(result.tag_probabilities(given)[1], topics.tag_probabilities(result, given)[1])
    found = result.recommend_authors("sport-0", n=2)
    assert found == topics.recommend_authors(result, "sport-0", n=2) and len(found) == 2


def test_names_are_kept_in_the_run(result):
    result.rename({0: "one"})
    assert load(result.home).labels()[0] == "one"
    result.merge([0, 1], "both")
    assert result.labels()[:2] == ["both", "both"] == topics.labels(load(result.home))[:2]
    result.reset()
    assert "both" not in result.labels()


def test_chains_by_themselves_have_them_too(result):
    both = Fit([result.run, fit(result.graph, result.corpus, 30, seed=2).run])
    assert all(isinstance(chain, Fit) and chain.labels() for chain in both.chains)
