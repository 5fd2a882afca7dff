"""compare: runs side by side."""

import pytest

from calling import call, facts
from pitmanyor import Sampler, evaluate, fit, load, models, read
from pitmanyor.simulation import simulate_microblog


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """The same posts fitted by three models, one of them to a smaller vocabulary, and posts nobody fitted."""
    home = tmp_path_factory.mktemp("compare")
    posts, _ = simulate_microblog(posts=120, authors=6, seed=1).write(home)
    (home / "new").mkdir()
    simulate_microblog(posts=40, authors=6, seed=2).write(home / "new")
    corpus = read(str(posts))
    fit(models.lda(2), corpus, sweeps=30, seed=1, save_to=home / "two")
    fit(
        models.tntm().without("follows"), corpus, sweeps=30, seed=1, sampler=Sampler(moves=False), save_to=home / "tntm"
    )
    fit(models.lda(2), read(str(posts), min_df=4), sweeps=4, seed=1, save_to=home / "small")
    return home


def test_rows_are_what_the_functions_say_and_the_best_comes_first(home):
    new = home / "new" / "simulated_posts.jsonl"
    found = facts("compare", home / "two", home / "tntm", "--test", new)
    assert found["notes"] == [] and {row["run"] for row in found["runs"]} == {str(home / "two"), str(home / "tntm")}
    best, other = found["runs"]
    assert best["perplexity"] < other["perplexity"]
    for row in found["runs"]:
        result = load(row["run"])
        words = evaluate.top_words(result, 10, large=True)
        assert row["coherence"] == pytest.approx(evaluate.coherence(words, result.corpus).mean())
        assert row["n_topics"] == result.topic_count().n_large and row["verdict"] == result.diagnose().verdict
        exact = facts("evaluate", row["run"], "--test", new)["perplexity"]
        assert row["perplexity"] == pytest.approx(exact["word"])
    said = call("compare", home / "two", home / "tntm", "--test", new).stdout
    assert "perplexity" in said and "verdict" in said and f"pitmanyor report {best['run']}" in said
    assert {row["verdict"] for row in found["runs"]} == {"no"} and "not yet" in said  # as the guide calls it


def test_without_test_posts_there_is_no_perplexity(home):
    found = facts("compare", home / "two", home / "tntm")
    assert not any("perplexity" in row for row in found["runs"]) and "--test POSTS" in found["next"][0]


def test_what_cannot_be_compared_is_said(home):
    found = facts("compare", home / "two", home / "small", "--test", home / "new" / "simulated_posts.jsonl")
    assert found["notes"] == [
        "The runs have different vocabularies, so their perplexities cannot be compared.",
        "The runs are of different corpora.",
    ]
    assert "compare takes two runs or more" in call("compare", home / "two", code=3).stderr
