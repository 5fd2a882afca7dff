"""evaluate and diagnose on the command line."""

import json
import math

import pytest

from calling import call, facts
from pitmanyor import Corpus, Network, Sampler, Start, evaluate, fit, load, models, read
from pitmanyor.evaluate.diagnosis import SAID
from pitmanyor.simulation import simulate_microblog


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A run with links and kept states, two chains without, and posts nobody fitted."""
    home = tmp_path_factory.mktemp("measure")
    simulate_microblog(posts=80, authors=6, seed=1).write(home)
    (home / "new").mkdir()
    simulate_microblog(posts=30, authors=6, seed=2).write(home / "new")
    corpus = read(str(home / "simulated_posts.jsonl"), links=str(home / "simulated_follows.csv"))
    options = {"sweeps": 30, "keep": 2, "network": Network(text_sweeps=8), "sampler": Sampler(moves=False)}
    fit(models.tntm(), corpus, seed=1, save_to=home / "run", **options)
    for chain in (0, 1):
        out = home / "chains" / f"chain-{chain}"
        fit(models.hpyp(), corpus, sweeps=20, seed=1, start=Start(chain=chain), save_to=out)
    return home


def test_evaluate_tells_what_the_functions_say(home):
    result = load(home / "run")
    found = facts("evaluate", home / "run")
    words = evaluate.top_words(result, 10, large=True)
    assert found["n_topics"] == len(words) == result.topic_count().n_large
    assert (found["coherence"]["window of npmi"], found["coherence"]["window of c_v"]) == (10, 110)
    assert found["coherence"]["npmi"] == pytest.approx(evaluate.coherence(words, result.corpus).mean())
    assert found["diversity"] == evaluate.diversity(words)
    assert found["effective_topics"] == pytest.approx(evaluate.effective_topics(result))
    likely = found["network log likelihood"]["follows"]
    assert likely["log_likelihood"] == pytest.approx(result.network_log_likelihood().log_likelihood)
    assert "perplexity" not in found and "--test POSTS" in found["next"][0]


def test_company_of_words_is_the_document_if_asked_or_if_words_have_no_order(home):
    found = facts("evaluate", home / "run", "--window", 0)["coherence"]
    result = load(home / "run")
    words = evaluate.top_words(result, 10, large=True)
    assert found["npmi"] == pytest.approx(evaluate.coherence(words, result.corpus, window=0).mean())
    bags = Corpus.from_tokens([sorted(["a", "b", "b", "c", "d", "a"]), ["c", "c", "d"]] * 4)
    fit(models.lda(2), bags, sweeps=2, seed=1, save_to=home / "bags")
    assert facts("evaluate", home / "bags", "--words", 3)["coherence"]["window of npmi"] == "whole documents"
    assert facts("evaluate", home / "bags", "--words", 3, "--window", 4)["coherence"]["window of npmi"] == 4


def test_posts_without_a_label_are_in_no_cluster(home):
    lines = (home / "new" / "simulated_posts.jsonl").read_text().splitlines()
    posts = [json.loads(line) for line in lines]
    for post in posts[:7]:
        post["label"] = None
    cut, rest = home / "cut.jsonl", home / "rest.jsonl"
    cut.write_text("\n".join(map(json.dumps, posts)))
    rest.write_text("\n".join(lines[7:]))
    found = facts("evaluate", home / "run", "--test", cut)["clusters"]
    assert found.pop("posts without a label, left out") == 7
    test, result = read(str(rest), duplicates="keep", missing_author="keep", min_tokens=0), load(home / "run")
    whole = read(str(cut), duplicates="keep", missing_author="keep", min_tokens=0)
    clusters = evaluate.dominant_topics(result.infer(whole).shares)[7:]
    assert found["purity"] == pytest.approx(evaluate.purity(clusters, test.groups["label"].codes))


def test_evaluate_on_posts_that_were_not_fitted(home):
    posts = home / "new" / "simulated_posts.jsonl"
    found = facts("evaluate", home / "run", "--test", posts, "--observed", 0.25, "--seed", 3)
    options = {"duplicates": "keep", "missing_author": "keep", "min_tokens": 0}
    test, result = read(str(posts), **options), load(home / "run")
    exact = result.perplexity(test, observed=0.25, seed=3)
    assert found["perplexity"]["of all"] == pytest.approx(exact.total)
    assert found["perplexity"]["word"] == pytest.approx(exact.by_stream["word"])
    assert found["perplexity"]["states averaged over"] == 2
    group = test.groups["label"]
    clusters = evaluate.dominant_topics(result.infer(test, seed=3).shares)
    labels = [group.labels[code] for code in group.codes]
    assert found["clusters"]["nmi"] == pytest.approx(evaluate.nmi(clusters, labels))
    assert found["clusters"]["purity"] == pytest.approx(evaluate.purity(clusters, labels))
    said = call("evaluate", home / "run", "--test", posts).stdout
    assert "perplexity\n  of all: " in said and "clusters\n  purity: " in said


def test_diagnose_says_whether_to_trust_the_run(home):
    said = call("diagnose", home / "chains").stdout
    assert said.splitlines()[0] in SAID.values()
    assert "R-hat" in said and "log_joint" in said
    found = facts("diagnose", home / "chains")
    fits = [load(home / "chains" / f"chain-{i}") for i in (0, 1)]
    exact = evaluate.diagnose(fits)
    assert (found["verdict"], found["n_chains"]) == (exact.verdict, 2)
    assert found["stability"]["share"] == pytest.approx(exact.stability.share)
    assert found["stability"]["found"] == exact.stability.found
    finite = [one.rhat if math.isfinite(one.rhat) else None for one in exact.quantities]
    assert [one["rhat"] for one in found["quantities"]] == [x if x is None else pytest.approx(x) for x in finite]
    assert sum(found["topic_count"]["probability"].values()) == pytest.approx(1.0)
    assert found["advice"]["sentences"] == exact.advice.sentences and f"> {exact.advice.sentences[0]}" in said
    assert f"--sweeps {exact.advice.sweeps} " in found["next"][0]
    named = facts("diagnose", home / "chains" / "chain-0", home / "chains" / "chain-1")
    assert named["quantities"] == found["quantities"]


def test_json_has_no_infinity(home, monkeypatch):
    still = evaluate.Quantity("topics/large", 3.0, 1.0, math.inf, 2.0)
    monkeypatch.setattr("pitmanyor.evaluate.diagnosis.convergence", lambda fits, discard: [still])
    said = call("diagnose", home / "run", "--json").stdout
    assert json.loads(said, parse_constant=pytest.fail)["quantities"][0]["rhat"] is None


def test_diagnose_one_chain_with_a_network(home):
    found = facts("diagnose", home / "run")
    names = [one["name"] for one in found["quantities"]]
    assert "network/log_likelihood/follows" in names and "topics/large" in names
    assert found["verdict"] != "trust" and found["stability"] is None
    assert any("--chains 4" in line for line in found["next"])


def test_runs_that_have_nothing_in_common_are_refused(home):
    assert "of different models" in call("diagnose", home / "run", home / "chains" / "chain-0", code=3).stderr
    assert "not a run" in call("diagnose", home / "none", code=4).stderr
    assert "there is no such file" in call("evaluate", home / "run", "--test", home / "none.csv", code=4).stderr
    assert "observed must be the share" in call(
        "evaluate", home / "run", "--test", home / "simulated_posts.jsonl", "--observed", 2, code=3
    ).stderr  # fmt: skip


def test_links_that_a_run_held_out_are_predicted(home):
    follows = home / "simulated_follows.csv"
    call(
        "fit", home / "simulated_posts.jsonl", "--links", follows, "--hold-links", 0.4, "--model", "tntm",
        "--sweeps", 6, "--text-sweeps", 3, "--keep", 2, "--seed", 5, "-o", home / "held",
    )  # fmt: skip
    found = facts("evaluate", home / "held", "--links", follows)["held-out links"]["follows"]
    whole, result = read(str(home / "simulated_posts.jsonl"), links=str(follows)), load(home / "held")
    left, held = whole.hide_links("follows", by="author", share=0.4, seed=5)
    assert result.corpus.content_hash == left.content_hash
    exact = result.link_scores(held)
    assert (found["AUC"], found["average precision"]) == (exact.auc, exact.average_precision)
    assert (found["pairs"], found["share linked, what guessing has"]) == (len(held.pairs), held.linked.mean())


def test_links_that_nobody_held_out_are_not_scored(home):
    follows = home / "simulated_follows.csv"
    assert "was shown all pairs" in call("evaluate", home / "run", "--links", follows, code=3).stderr
    assert "has sampled none" in call("evaluate", home / "chains", "--links", follows, code=3).stderr
    posts = home / "simulated_posts.jsonl"
    assert "needs a model with links" in call("fit", posts, "--hold-links", 0.1, "-o", home / "no", code=3).stderr


def test_another_corpus_for_company_fewer_clusters_and_whole_posts(home):
    posts, result = home / "new" / "simulated_posts.jsonl", load(home / "run")
    found = facts(
        "evaluate", home / "run", "--reference", posts, "--test", posts, "--n-topics", 2, "--left-to-right", "--seed", 3
    )  # fmt: skip
    other = read(str(posts), duplicates="keep", missing_author="keep", min_tokens=0)
    words = evaluate.top_words(result, 10, large=True)
    assert found["coherence"]["pmi"] == pytest.approx(evaluate.coherence(words, other, "pmi").mean())
    assert found["coherence"]["pmi"] != pytest.approx(evaluate.coherence(words, result.corpus, "pmi").mean())
    assert found["clusters"]["dominant topics"] <= 2
    whole = found["perplexity of whole posts, from left to right"]
    assert whole["of all"] == pytest.approx(result.left_to_right(other, seed=3).total)


def test_all_commands_say_the_same_number_of_topics(home):
    result = load(home / "run")
    exact = result.topic_count()
    assert exact.n_large + exact.n_small < result.n_topics  # a network leaves room to spare
    for command in (
        ["evaluate", home / "run"],
        ["topics", home / "run"],
        ["report", home / "run", "-o", home / "r.html"],
    ):
        found = facts(*command)
        assert (found["n_topics"], found["small_topics"]) == (exact.n_large, exact.n_small)
        assert found["n_topics_90"] == [exact.low, exact.high]
    found = facts("diagnose", home / "run")["topic_count"]
    assert (found["n_large"], found["n_small"]) == (exact.n_large, exact.n_small)
    for command in ("diagnose", "topics", "label"):
        assert f"{exact}." in call(command, home / "run").stdout


def test_columns_that_a_prediction_does_not_need_may_be_missing(home):
    posts = [json.loads(line) for line in (home / "simulated_posts.jsonl").read_text().splitlines()]
    named = read(str(home / "simulated_posts.jsonl"), author="author", time="created_at")
    fit(models.author_topic(), named, sweeps=4, seed=1, save_to=home / "named")
    bare = home / "bare.jsonl"
    bare.write_text("\n".join(json.dumps({"text": post["text"]}) for post in posts[:20]))
    done = call("evaluate", home / "named", "--test", bare, "--json")
    assert json.loads(done.stdout)["test documents"] == 20
    assert "no column 'author' for author" in done.stderr and "created_at" not in done.stderr
    bare.write_text(bare.read_text() + "\n{broken")
    assert "--skip-bad-lines" in call("evaluate", home / "named", "--test", bare, code=3).stderr
    assert facts("evaluate", home / "named", "--test", bare, "--skip-bad-lines")["test documents"] == 20


def test_words_without_company_have_no_coherence_but_the_rest_is_told(home):
    alone = home / "alone.jsonl"
    alone.write_text("\n".join(json.dumps({"text": "bread"}) for _ in range(6)))
    fit(models.hpyp(), read(str(alone), duplicates="keep"), sweeps=4, seed=1, save_to=home / "alone")
    found = facts("evaluate", home / "alone", "--test", alone)
    assert "coherence" not in found and found["perplexity"]["of all"] == pytest.approx(1.0)


def test_a_seed_below_zero_is_refused(home):
    posts = home / "new" / "simulated_posts.jsonl"
    assert "seed must be 0 or more" in call("evaluate", home / "run", "--test", posts, "--seed", -1, code=3).stderr
