"""Pools of posts: every scheme on a toy whose pools are known, and similarity against plain cosines."""

from dataclasses import replace

import numpy as np
import pytest

from pitmanyor import Corpus, CorpusError, read
from pitmanyor.baselines import SCHEMES, pool
from pitmanyor.baselines.bursts import burst_terms
from pitmanyor.baselines.pooling import pools_nothing
from pitmanyor.baselines.tfidf import most_similar

WORDS = [["a", "b"], ["c"], ["a", "a", "d"], ["c", "e"], ["f"], []]
TAGS = [["x"], ["y", "x", "y"], [], [], [], ["z"]]
TIMES = ["2026-01-01T10:05", "2026-01-01T10:55", "2026-01-01T11:00", "2026-01-02T10:30", "NaT", "2026-01-02T10:00"]


@pytest.fixture(scope="module")
def corpus():
    made = Corpus.from_tokens(
        {"word": WORDS, "hashtag": TAGS}, groups={"author": ["ann", "bob", "ann", "bob", "cy", "cy"]}
    )
    return replace(made, times=np.array(TIMES, "datetime64[ms]"))


def pools_of(corpus):
    """The pools as {name: (words, hashtags)}, tokens sorted."""
    names = [corpus.groups["pool"].labels[code] for code in corpus.groups["pool"].codes]
    out = {}
    for d, name in enumerate(names):
        texts = []
        for stream in ("word", "hashtag"):
            one = corpus.streams[stream]
            tokens = one.words[one.offsets[d] : one.offsets[d + 1]]
            texts.append("".join(sorted(corpus.vocabulary[w] for w in tokens)))
        out[name] = tuple(texts)
    return out


def test_no_pooling_is_the_corpus_itself(corpus):
    assert pool(corpus, "none") is corpus


def test_authors(corpus):
    assert pools_of(pool(corpus, "author")) == {"ann": ("aaabd", "x"), "bob": ("cce", "xyy"), "cy": ("f", "z")}


def test_hours_are_of_one_day_and_posts_without_a_time_stay_alone(corpus):
    assert pools_of(pool(corpus, "hour")) == {
        "2026-01-01T10": ("abc", "xxyy"),
        "2026-01-01T11": ("aad", ""),
        "2026-01-02T10": ("ce", "z"),
        "('post', 4)": ("f", ""),
    }


def test_hashtags_gather_their_posts_and_those_without_join_the_most_similar(corpus):
    # The third post is like the first (a), which has #x; the fourth like the second (c), which #y holds purest; the
    # fifth shares no word with any.
    assert pools_of(pool(corpus, "hashtag")) == {
        "x": ("aaabcd", "xxyy"),
        "y": ("cce", "xyy"),
        "z": ("", "z"),
        "('post', 4)": ("f", ""),
    }


def burst_corpus(n_storm):
    """A dull post a day for forty days, a day with so many posts of a storm, and one with an echo of it."""
    words = [*([["dull"]] * 40), *([["storm"]] * n_storm), ["dull"], ["storm"]]
    days = np.datetime64("2026-01-01") + np.array([*range(40), *([40] * n_storm), 41, 41])
    return replace(Corpus.from_tokens(words), times=days.astype("datetime64[ms]"))


def test_bursts():
    corpus = burst_corpus(6)
    counts = np.zeros(42)
    counts[[40, 41]] = 6, 1
    score = (6 - counts.mean()) / counts.std()
    assert score > 5
    for threshold, terms in ((score - 1e-6, ["storm"]), (score + 1e-6, [])):
        burst, _, _ = burst_terms(corpus, threshold)
        assert [corpus.vocabulary[term] for term in burst] == terms
    assert pools_of_words(pool(corpus, "burst"))["storm"] == 7  # with the echo of another day
    assert pool(corpus, "burst").n_documents == 42  # the pool and 41 posts without the term


def test_a_few_posts_are_no_burst():
    assert len(burst_terms(burst_corpus(4))[0]) == 0  # over five deviations, but four posts


def pools_of_words(corpus):
    return dict(zip(corpus.groups["pool"].labels, corpus.streams["word"].lengths.tolist(), strict=True))


def test_no_token_is_lost_and_only_tags_and_bursts_copy_posts(corpus):
    for scheme in SCHEMES:
        pooled = pool(corpus, scheme)
        same = scheme in ("none", "author", "hour", "burst")  # nothing bursts here
        assert (pooled.n_tokens == corpus.n_tokens) if same else (pooled.n_tokens > corpus.n_tokens), scheme
        assert pooled.vocabulary == corpus.vocabulary


def test_what_a_corpus_lacks_is_told():
    bare = Corpus.from_tokens([["a"], ["b"]])
    for scheme, lack in (("author", "authors"), ("hour", "times"), ("burst", "times"), ("hashtag", "hashtags")):
        with pytest.raises(CorpusError, match=f"no {lack}"):
            pool(bare, scheme)
    with pytest.raises(CorpusError, match="none, author, hour, burst, hashtag"):
        pool(bare, "week")
    with pytest.raises(CorpusError, match="no words"):
        pool(Corpus.from_tokens({"hashtag": [["x"], []]}), "hashtag")


def test_pools_of_one_post_each_are_none(corpus):
    assert [scheme for scheme in SCHEMES if pools_nothing(corpus, scheme)] == ["burst"]
    lonely = corpus.subset([0, 5])  # other authors, other hours, other hashtags
    assert [scheme for scheme in SCHEMES if not pools_nothing(lonely, scheme)] == ["none"]
    assert not pools_nothing(corpus.subset([0, 2, 3]), "hashtag")  # one has no hashtag and joins the other
    assert not pools_nothing(burst_corpus(6), "burst")


def test_most_similar_is_the_largest_cosine():
    rng = np.random.default_rng(3)
    texts = [[f"w{w}" for w in rng.zipf(1.6, rng.integers(1, 9)) if w < 30] or ["w1"] for _ in range(60)]
    corpus = Corpus.from_tokens(texts)
    stream, n = corpus.streams["word"], len(corpus.vocabulary)
    posts, pools, others = np.arange(30), rng.integers(0, 7, 30), np.arange(30, 60)
    table = np.zeros((60, n))
    np.add.at(table, (stream.documents, stream.words), 1)
    idf = np.log(60 / (table > 0).sum(axis=0))
    vectors = np.zeros((7, n))
    np.add.at(vectors, pools, table[posts])
    vectors, new = vectors * idf, table[others] * idf
    scores = new @ (vectors / np.maximum(np.linalg.norm(vectors, axis=1), 1e-300)[:, None]).T
    found = most_similar(stream, n, posts, pools, others)
    expected = np.where(scores.max(axis=1) > 0, scores.argmax(axis=1), -1)
    assert found.tolist() == expected.tolist()
    assert len(set(found.tolist())) > 2


def test_posts_of_nobody_are_no_pool():
    posts = read(
        [{"text": "a b", "author": name} for name in ("ann", None, None, "ann")],
        missing_author="keep",
        stop_words=None,
        min_length=1,
    )
    assert sorted(np.diff(pool(posts, "author").streams["word"].offsets).tolist()) == [2, 2, 4]
