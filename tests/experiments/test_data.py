"""One split for all, words left out, streams in one."""

import numpy as np
import pytest

from pitmanyor import Corpus, CorpusError, read, simulate_microblog
from pitmanyor.experiments.data import in_one_stream, split, without_words
from pitmanyor.experiments.settings import Settings


@pytest.fixture(scope="module")
def corpus():
    blog = simulate_microblog(posts=120, authors=6, seed=2)
    return read(blog.records, links=blog.links)


def test_the_split_is_the_same_for_all_and_hides_pairs_of_authors_in_training(corpus):
    one, two = (split(corpus, Settings("fit")) for _ in range(2))
    assert one.train.content_hash == two.train.content_hash and one.test.content_hash == two.test.content_hash
    assert one.train.n_documents + one.test.n_documents == corpus.n_documents
    assert one.held.pairs == two.held.pairs and len(one.held.pairs) == 3
    assert len(one.train.links["follows"].hidden) == 3
    assert split(corpus, Settings("fit", seed=2)).test.content_hash != one.test.content_hash


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_tenth_of_every_authors_posts_is_held_out(seed):
    n_posts = {"ann": 10, "bob": 20, "cem": 10, "dee": 40, "eli": 30, "fay": 10}
    authors = [author for author, n in n_posts.items() for _ in range(n)]
    posts = Corpus.from_tokens([["a", "b"] for _ in authors], groups={"author": authors})
    data = split(posts, Settings("fit", seed=seed))
    for part, tenths in ((data.test, 1), (data.train, 9)):
        found = np.bincount(part.groups["author"].codes)
        assert found.tolist() == [n * tenths // 10 for n in n_posts.values()]


def test_nothing_is_held_out_of_clusters_and_labels(corpus):
    for kind in ("clustering", "labels"):
        data = split(corpus, Settings(kind))
        assert data.train is corpus and data.test is None and data.held is None


def test_no_links_are_held_out_if_none_are_asked_for(corpus):
    assert split(corpus, Settings("fit", held_links=0.0)).held is None


def test_words_left_out_are_gone_everywhere(corpus):
    gone = [corpus.vocabulary[w] for w in (corpus.streams["word"].words[0], corpus.streams["hashtag"].words[0])]
    left = without_words(corpus, gone)
    assert not set(gone) & set(left.vocabulary) and left.n_documents == corpus.n_documents
    for name, stream in corpus.streams.items():
        kept = [corpus.vocabulary[w] for w in stream.words if corpus.vocabulary[w] not in gone]
        assert [left.vocabulary[w] for w in left.streams[name].words] == kept
        assert left.streams[name].lengths.sum() == len(kept)
    with pytest.raises(CorpusError, match="'nobodysaidit'"):
        without_words(corpus, ["nobodysaidit"])


def test_the_report_says_what_was_left_out(corpus):
    assert without_words(corpus, corpus.vocabulary[:2]).report.notes[-1].startswith("words left out: ")


def test_posts_without_a_label_are_told_from_the_others():
    made = read([{"text": "apple pie", "label": "a"}, {"text": "plum pie", "label": None}], label="label")
    assert made.groups["label"].known.tolist() == [True, False]


def test_one_stream_has_all_tokens_of_each_document(corpus):
    one = in_one_stream(corpus).streams["word"]
    parts = [corpus.streams[name] for name in ("word", "hashtag")]
    for d in range(corpus.n_documents):
        both = np.concatenate([part.words[part.offsets[d] : part.offsets[d + 1]] for part in parts])
        assert sorted(one.words[one.offsets[d] : one.offsets[d + 1]]) == sorted(both)
