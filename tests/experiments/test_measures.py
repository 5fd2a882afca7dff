"""One cell: a fit and its numbers, of every experiment; on a microblog small enough for seconds."""

from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

from pitmanyor import evaluate, fit, models
from pitmanyor.baselines import merged
from pitmanyor.corpus import Grouping
from pitmanyor.experiments import measures
from pitmanyor.experiments.data import in_one_stream, split
from pitmanyor.experiments.measures import compute
from pitmanyor.experiments.settings import Settings
from pitmanyor.reading.build import UNKNOWN
from small_cells import SHORT, cell, row_of, small_corpus


@pytest.fixture(scope="module")
def corpus():
    return small_corpus()


def timeless(facts):
    return {k: v for k, v in facts["numbers"].items() if not k.endswith("seconds")}


@pytest.fixture(scope="module")
def full(corpus):
    return cell(corpus, "ablation", "full")


def test_the_whole_model_has_all_numbers(full):
    assert set(timeless(full)) == {
        "topics", "perplexity", "perplexity_joint", "perplexity_word", "perplexity_hashtag",
        "network_log_likelihood", "link_auc", "link_average_precision",
    }  # fmt: skip
    assert all(np.isfinite(value) for value in full["numbers"].values())
    assert full["seed"] == 1 and full["sweeps"] == 12 and len(full["trace"]["log_joint"]) == 12


def test_a_cell_is_the_same_every_time_and_another_seed_gives_another(corpus, full):
    assert timeless(cell(corpus, "ablation", "full")) == timeless(full)
    other = cell(corpus, "ablation", "full", repeat=1)
    assert other["seed"] == 2 and timeless(other) != timeless(full)


def test_without_hashtags_there_is_no_perplexity_of_all_tokens(corpus):
    numbers = timeless(cell(corpus, "ablation", "no_hashtag"))
    assert "perplexity_word" in numbers and not {"perplexity", "perplexity_joint", "perplexity_hashtag"} & set(numbers)


def test_merged_baselines_are_scored_on_the_same_tokens(corpus, full, monkeypatch):
    seen = {}
    score = evaluate.perplexity

    def spy(fitted, *args, **options):
        seen[fitted.graph] = score(fitted, *args, **options)
        return seen[fitted.graph]

    monkeypatch.setattr(measures.evaluate, "perplexity", spy)
    third = replace(corpus, streams={**corpus.streams, "emoji": corpus.streams["hashtag"]})
    numbers = timeless(cell(third, "fit", "hdp_lda"))  # a stream that no row knows changes nothing
    cell(corpus, "ablation", "no_hashtag")
    poured, bare = seen.values()
    assert numbers["perplexity"] == poured.total and numbers["perplexity_joint"] > 1.0
    assert poured.n_scored["word"] == bare.n_scored["word"] and poured.n_scored["hashtag"] > 0
    assert poured.n_dropped == {"hashtag": 0, "word": 0}  # the vocabulary was fixed before the split


def test_the_network_by_itself_has_no_perplexity(corpus):
    assert set(timeless(cell(corpus, "fit", "random_function"))) == {
        "network_log_likelihood",
        "link_auc",
        "link_average_precision",
    }


def test_clusters_are_of_posts_after_pooling(corpus, monkeypatch):
    seen = []
    score = evaluate.purity
    monkeypatch.setattr(measures.evaluate, "purity", lambda c, labels: seen.append(len(c)) or score(c, labels))
    group = corpus.groups["label"]
    codes = np.append(group.codes[:-1], len(group.labels)).astype(np.int32)
    bare = replace(corpus, groups={**corpus.groups, "label": Grouping((*group.labels, UNKNOWN), codes)})
    facts = cell(bare, "clustering", "lda10_author")
    numbers = timeless(facts)
    assert facts["notes"] == [f"1 of {corpus.n_documents} posts have no label: they are fitted, but not scored"]
    assert seen == [corpus.n_documents - 1]  # one has no label
    assert numbers["clusters"] <= 10 and 5 < numbers["topics"] <= 10 and 0 < numbers["nmi"] <= 1


def test_topics_are_capped_in_clustering(corpus):
    assert timeless(cell(corpus, "clustering", "tntm"))["topics"] <= 20


def test_words_of_topics_are_said_as_words(corpus):
    tags = set(corpus.streams["hashtag"].words.tolist()) - set(corpus.streams["word"].words.tolist())
    result = fit(merged(models.lda(3)), corpus, sweeps=4, seed=1)
    best = np.argsort(-result.topic_words("word"), axis=1)[:, :10]
    assert {result.words_of("word")[w] for w in best.flat} & {corpus.vocabulary[tag] for tag in tags}  # else vain
    lists = evaluate.top_words(result, 10, "word")
    assert not {word for words in lists for word in words} & {corpus.vocabulary[tag] for tag in tags}
    assert [len(words) for words in lists] == [10] * 3


def test_without_a_topic_that_counts_there_are_no_numbers(corpus, monkeypatch):
    module = import_module("pitmanyor.evaluate.topic_count")  # a function has its name
    monkeypatch.setattr(module, "is_large", lambda sizes: np.zeros(len(sizes), bool))
    facts = cell(corpus, "labels", "tntm")
    assert facts["labels"] == [] and not {"npmi", "diversity", "label_npmi"} & set(timeless(facts))


@pytest.mark.parametrize(("linked", "said"), [(False, "not linked"), (True, "linked")])
def test_held_out_pairs_of_one_kind_have_no_scores(corpus, linked, said):
    def one_sided(*args):
        data = split(*args)
        return replace(data, held=data.held._replace(linked=np.full(len(data.held.linked), linked)))

    settings = Settings("fit", **SHORT)
    facts = compute(row_of(corpus, settings, "random_function"), one_sided(corpus, settings), settings, 0)
    assert set(timeless(facts)) == {"network_log_likelihood"}
    assert f"held-out pairs are {said}, so" in facts["notes"][0]


def test_labels_list_topics_by_size(corpus):
    facts = cell(corpus, "labels", "tntm")
    labels = facts["labels"]
    shares = [topic["share"] for topic in labels]
    assert shares == sorted(shares, reverse=True) and all(len(topic["hashtags"]) == 3 for topic in labels)
    one = in_one_stream(corpus)
    by_hand = [
        evaluate.coherence([(tag, word)], one, window=0)[0]
        for topic in labels
        for tag in topic["hashtags"]
        for word in topic["words"]
        if tag != word
    ]
    assert facts["numbers"]["label_npmi"] == pytest.approx(np.mean(by_hand))


def test_half_a_fit_is_no_cell(corpus, monkeypatch):
    whole = measures.fit
    monkeypatch.setattr(measures, "fit", lambda *args, **options: whole(*args, **(options | {"sweeps": 6, "keep": 1})))
    with pytest.raises(KeyboardInterrupt):
        cell(corpus, "fit", "hdp_lda")
