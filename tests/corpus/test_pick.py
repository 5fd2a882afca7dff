"""Subsets and splits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitmanyor.corpus import Corpus
from pitmanyor.errors import CorpusError

AUTHORS = ["a"] * 40 + ["b"] * 10 + ["c"] * 50


@pytest.fixture(scope="module")
def corpus():
    return Corpus.from_tokens(
        {"word": [[f"w{i}"] * (i % 4) for i in range(100)], "tag": [["t"]] * 100}, groups={"author": AUTHORS}
    )


def texts(corpus, name="word"):
    stream = corpus.streams[name]
    words = [corpus.vocabulary[w] for w in stream.words]
    return [words[a:b] for a, b in zip(stream.offsets[:-1], stream.offsets[1:], strict=True)]


@given(st.lists(st.integers(0, 99), max_size=20))
def test_subset_by_indices_takes_those_in_that_order(corpus, chosen):
    part = corpus.subset(chosen)
    assert texts(part) == [texts(corpus)[i] for i in chosen]
    assert [part.groups["author"].labels[c] for c in part.groups["author"].codes] == [AUTHORS[i] for i in chosen]
    assert part.vocabulary == corpus.vocabulary


def test_subset_by_mask(corpus):
    mask = np.arange(100) % 3 == 0
    assert texts(corpus.subset(mask)) == texts(corpus.subset(np.flatnonzero(mask)))


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ([100], "there is no document 100: they are numbered 0 to 99"),
        ([-1], "there is no document -1"),
        ([True, False], "the mask has 2 entries for 100 documents"),
        ([0.5], "must be integers or a mask"),
        ([[1]], "flat list"),
    ],
)
def test_subset_refuses(corpus, documents, message):
    with pytest.raises(CorpusError, match=message):
        corpus.subset(documents)


@pytest.mark.parametrize("seed", range(5))
def test_a_split_by_author_gives_each_its_share(corpus, seed):
    train, test = corpus.split(test=0.2, by="author", seed=seed)
    assert (train.n_documents, test.n_documents) == (80, 20)
    assert np.bincount(test.groups["author"].codes).tolist() == [8, 2, 10]
    assert sorted(texts(train) + texts(test)) == sorted(texts(corpus))


def test_a_split_is_by_chance_and_by_seed(corpus):
    first, again, other = (corpus.split(test=30, seed=seed)[1] for seed in (1, 1, 2))
    assert first.n_documents == 30
    assert texts(first) == texts(again)
    assert texts(first) != texts(other)


@pytest.mark.parametrize("test", [0, 0.0, 1.0, 100, 0.001, -1])
def test_a_split_needs_documents_on_both_sides(corpus, test):
    with pytest.raises(CorpusError, match="so that both have some"):
        corpus.split(test=test)


def test_a_split_by_an_unknown_group_names_those_there_are(corpus):
    with pytest.raises(CorpusError, match="cannot split by 'day': the groups of this corpus are 'author'"):
        corpus.split(by="day")


def test_describe_is_the_table_of_the_paper(corpus):
    said = corpus.describe().as_dict()
    assert (said["documents"], said["authors"], said["vocabulary"]) == (100, 3, 76)
    assert (said["words per document"], said["tags per document"]) == (1.5, 1.0)
    assert "words per document" in str(corpus.describe())
