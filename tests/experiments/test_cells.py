"""Every kind of cell recomputed from a fit made by hand, and what a cell asks of `fit`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from pitmanyor import Corpus, Fit, Graph, Start, evaluate, fit, models
from pitmanyor.baselines import SCHEMES, merged, pool
from pitmanyor.experiments import measures
from pitmanyor.experiments.data import Data, split
from pitmanyor.experiments.home import Facts, Home
from pitmanyor.experiments.rows import Row, rows_of
from pitmanyor.experiments.settings import KINDS, Kind, Settings
from pitmanyor.experiments.streams import joint_perplexity
from small_cells import SHORT, cell, small_corpus

REPEAT = 1
SPLIT_SEED, CHAIN_SEED = 1, 1 + REPEAT
Asked = Callable[[Row, Data, Settings], tuple[Corpus, dict[str, Any]]]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return small_corpus()


def fit_by_hand(graph: Graph, posts: Corpus, **options: Any) -> Fit:
    return fit(graph, posts, **SHORT, seed=CHAIN_SEED, threads=1, **options)


def assert_has(facts: Facts, by_hand: dict[str, float]) -> None:
    assert {name: facts["numbers"][name] for name in by_hand} == pytest.approx(by_hand, rel=1e-12, abs=1e-12)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """What a cell hands to `fit`: the posts and the options. Nothing is fitted."""

    class NotFittedError(Exception):
        pass

    def hand(graph: Graph, posts: Corpus, **options: Any) -> Fit:
        raise NotFittedError(posts, options)

    def ask(row: Row, data: Data, settings: Settings) -> tuple[Corpus, dict[str, Any]]:
        with pytest.raises(NotFittedError) as handed:
            measures.compute(row, data, settings, REPEAT)
        posts, options = handed.value.args
        return posts, options

    monkeypatch.setattr(measures, "fit", hand)
    return ask


def test_every_row_is_fitted_to_its_own_pools(corpus: Corpus, asked: Asked) -> None:
    settings = Settings("clustering", **SHORT)
    seen = set()
    for row in rows_of(settings, corpus):
        posts, _ = asked(row, Data(corpus), settings)
        assert posts.content_hash == pool(corpus, row.pooling).content_hash
        seen.add(posts.content_hash)
    assert len(seen) == len(SCHEMES)  # none of them pools like another


@pytest.mark.parametrize("kind", KINDS)
def test_every_fit_has_the_sweeps_the_states_and_the_seed_of_its_cell(corpus: Corpus, asked: Asked, kind: Kind) -> None:
    settings = Settings(kind, sweeps=20, keep=3, seed=7)
    for row in rows_of(settings, corpus):
        _, options = asked(row, split(corpus, settings), settings)
        common = {name: options[name] for name in ("sweeps", "keep", "seed", "threads")}
        assert common == {"sweeps": 20, "keep": 3, "seed": 7 + REPEAT, "threads": 1}


@pytest.fixture(scope="module")
def pooled(corpus: Corpus) -> Fit:
    return fit_by_hand(merged(models.lda(10)), pool(corpus, "author"), start=Start(topics=10))


def test_clusters_are_the_dominant_topics_of_posts_by_themselves(corpus: Corpus, pooled: Fit) -> None:
    clusters = pooled.infer(corpus, sweeps=50, threads=1).shares.argmax(axis=1)
    labels = corpus.groups["label"].codes
    by_hand = {
        "purity": evaluate.purity(clusters, labels),
        "nmi": evaluate.nmi(clusters, labels),
        "adjusted_rand": evaluate.adjusted_rand(clusters, labels),
        "clusters": len(set(clusters.tolist())),
    }
    assert_has(cell(corpus, "clustering", "lda10_author", REPEAT), by_hand)


def tokens_of(corpus: Corpus, stream: str) -> list[list[str]]:
    found = corpus.streams[stream]
    return [[corpus.vocabulary[w] for w in words] for words in np.split(found.words, found.offsets[1:-1])]


def test_words_are_judged_by_their_company_in_whole_posts_with_hashtags(corpus: Corpus, pooled: Fit) -> None:
    posts, tags = (tokens_of(corpus, stream) for stream in ("word", "hashtag"))
    said, names = {word for post in posts for word in post}, pooled.words_of("word")
    topics = [
        [names[w] for w in np.argsort(-row, kind="stable") if names[w] in said][:10]
        for row, share in zip(pooled.topic_words("word"), evaluate.topic_shares(pooled), strict=True)
        if share >= 0.005
    ]
    whole = Corpus.from_tokens([post + more for post, more in zip(posts, tags, strict=True)])
    by_hand = {
        "npmi": float(np.mean(evaluate.coherence(topics, whole, "npmi", window=0))),
        "diversity": evaluate.diversity(topics),
    }
    assert_has(cell(corpus, "clustering", "lda10_author", REPEAT), by_hand)


def test_held_out_tokens_are_picked_by_the_seed_of_the_split_whatever_the_repeat(corpus: Corpus) -> None:
    train, test = corpus.split(0.1, by="author", seed=SPLIT_SEED)
    fitted = fit_by_hand(merged(models.hdp_lda()), train, start=Start(topics=100))
    found = evaluate.perplexity(fitted, test, observed=0.5, sweeps=50, seed=SPLIT_SEED, threads=1)
    by_hand = {
        "perplexity": found.total,
        "perplexity_word": found.by_stream["word"],
        "perplexity_hashtag": found.by_stream["hashtag"],
        "perplexity_joint": joint_perplexity(found, fitted.graph, train, test, observed=0.5, seed=SPLIT_SEED),
    }
    assert_has(cell(corpus, "fit", "hdp_lda", REPEAT), by_hand)


def test_links_are_scored_by_all_samples_and_against_the_links_that_there_are(corpus: Corpus) -> None:
    train, _ = corpus.split(0.1, by="author", seed=SPLIT_SEED)
    shown, held = train.hide_links("follows", by="author", share=0.1, seed=SPLIT_SEED)
    fitted = fit_by_hand(models.tntm(), shown, start=Start(topics=100))
    logs = [sample.network_log_likelihood(seed=SPLIT_SEED).log_likelihood for sample in fitted.samples]
    sources, targets = zip(*held.pairs, strict=True)
    chances = fitted.link_probability(sources, targets)
    linked = [pair in corpus.links["follows"].pairs for pair in held.pairs]
    by_hand = {
        "network_log_likelihood": float(np.mean(logs)),
        "link_auc": roc_auc_score(linked, chances),
        "link_average_precision": average_precision_score(linked, chances),
    }
    assert len(logs) == SHORT["keep"]
    assert_has(cell(corpus, "fit", "tntm", REPEAT), by_hand)


def test_all_rows_and_repeats_have_the_same_split(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, settings = Home(tmp_path / "out"), Settings("fit", **SHORT)
    home.prepare(settings, corpus)
    seen = []

    def remember(row: Row, data: Data, settings: Settings, repeat: int) -> Facts:
        seen.append(data)
        return {}

    monkeypatch.setattr(measures, "compute", remember)
    for key, repeat in (("hdp_lda", 0), ("tntm", 0), ("tntm", 1)):
        measures._opened.cache_clear()  # as in a worker of its own
        measures.run_cell(str(home.path), key, repeat)
    exact = split(corpus, settings)
    for data in seen:
        assert data.train.content_hash == exact.train.content_hash
        assert data.test.content_hash == exact.test.content_hash
        assert data.held.pairs == exact.held.pairs
    assert len(seen) == 3
