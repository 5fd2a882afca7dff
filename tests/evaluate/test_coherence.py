"""Coherence against gensim, and windows counted one by one."""

import numpy as np
import pytest
from gensim.corpora import Dictionary
from gensim.models import CoherenceModel

from pitmanyor import Corpus, PlanError, fit, models
from pitmanyor.evaluate import coherence, diversity, top_words
from pitmanyor.evaluate import windows as module
from pitmanyor.evaluate.windows import count_together
from pitmanyor.state.topic_sizes import is_large

WORDS = [f"w{i:02d}" for i in range(30)]
NAMES = {"npmi": "c_npmi", "pmi": "c_uci", "c_v": "c_v"}


def documents(longest, seed=0, repeats=True):
    """Words with company of their own. Gensim loses a word that comes twice in a window which slides off the first."""
    rng = np.random.default_rng(seed)
    out = []
    for _ in range(200):
        chances = np.where(np.arange(30) % 3 == rng.integers(3), 8.0, 1.0)
        n = rng.integers(1, longest + 1)
        out.append(rng.choice(WORDS, n, p=chances / chances.sum(), replace=repeats).tolist())
    return out


TOPICS = [[WORDS[i] for i in range(start, 30, step)][:6] for start, step in ((0, 3), (1, 3), (2, 3), (0, 1))]


@pytest.mark.parametrize("measure", NAMES)
@pytest.mark.parametrize(("longest", "window"), [(9, None), (25, 5), (25, 0)])
def test_coherence_is_gensims(measure, longest, window):
    texts = documents(longest, repeats=window != 5)
    found = coherence(TOPICS, Corpus.from_tokens(texts), measure, window=window)
    size = 1_000 if window == 0 else window
    theirs = CoherenceModel(
        topics=TOPICS,
        texts=texts,
        dictionary=Dictionary(texts),
        coherence=NAMES[measure],
        window_size=size,
        processes=1,
    )
    assert found == pytest.approx(theirs.get_coherence_per_topic(), abs=1e-9)


@pytest.mark.parametrize("window", [0, 1, 3, 7])
def test_windows_counted_one_by_one(window, monkeypatch):
    monkeypatch.setattr(module, "AT_ONCE", 70)  # several pieces
    texts = [*documents(12, seed=3)[:40], []]
    corpus = Corpus.from_tokens(texts)
    numbers = np.array([corpus.vocabulary.index(word) for word in WORDS[:5]] + [-1])
    tables, n_windows = count_together(corpus.streams["word"], [numbers], len(corpus.vocabulary), window)
    seen = []
    for text in texts:
        size = window if 0 < window < len(text) else len(text)
        seen += [set(text[i : i + size]) for i in range(len(text) - size + 1) if size]
    assert n_windows == len(seen)
    asked = [*WORDS[:5], None]
    assert tables[0].tolist() == [[sum({v, w} <= one for one in seen) for w in asked] for v in asked]


def test_words_that_are_nowhere_or_everywhere_count_nothing():
    corpus = Corpus.from_tokens([["a", "b"], ["a", "b", "c"]])
    assert coherence([["a", "b"], ["a", "x"], ["x", "y"]], corpus).tolist() == [0.0, 0.0, 0.0]
    assert coherence([["x", "y"]], corpus, "c_v").tolist() == [0.0]


def test_topics_of_a_fit():
    corpus = Corpus.from_tokens(documents(9), vocabulary=WORDS)
    result = fit(models.lda(3), corpus, sweeps=15, keep=2, seed=1)
    words = top_words(result, 5)
    assert words == [[word for word, _ in topic] for topic in result.topics(5)]
    assert result.coherence("c_v", n_words=5) == pytest.approx(coherence(words, corpus, "c_v"))
    other = Corpus.from_tokens(documents(9, seed=8))
    assert result.coherence(reference=other, n_words=5) == pytest.approx(coherence(words, other))
    assert diversity(words) == len({word for topic in words for word in topic}) / 15


def test_large_topics_are_those_of_the_count():
    many = fit(models.lda(250), Corpus.from_tokens(documents(9), vocabulary=WORDS), sweeps=15, keep=2, seed=1)
    words, large = top_words(many, 5), is_large(np.bincount(many.state.text.topic, minlength=250))
    assert top_words(many, 5, large=True) == [topic for topic, shown in zip(words, large, strict=True) if shown]
    assert large.sum() == many.topic_count().n_large < 250


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda c: coherence([["a", "b"]], c, "umass"), "measure must be one of npmi, pmi, c_v, not 'umass'"),
        (lambda c: coherence([["a"]], c), "a topic must be a list of two or more different words"),
        (lambda c: coherence(["ab"], c), "a topic must be a list of two or more different words"),
        (
            lambda c: coherence([["a", "b"]], c, window=-1),
            "window must be a number of tokens, or 0 for whole",
        ),
        (lambda c: coherence([["a", "b"]], c, stream="tag"), "no stream 'tag'; this corpus has word"),
        (lambda c: diversity(["ab"]), "topics are lists of words"),
    ],
)
def test_arguments_are_refused_with_a_sentence(call, message):
    with pytest.raises(PlanError, match=message):
        call(Corpus.from_tokens([["a", "b"]]))
