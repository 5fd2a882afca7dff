"""Corpus.from_tokens: what it keeps, and every refusal by its sentence."""

import re

import numpy as np
import pytest

from pitmanyor.corpus import Corpus
from pitmanyor.errors import CorpusError


def test_tokens_become_indices_into_a_sorted_vocabulary():
    corpus = Corpus.from_tokens([["b", "a", "b"], [], ["c"]])
    assert corpus.vocabulary == ("a", "b", "c")
    assert corpus.streams["word"].words.tolist() == [1, 0, 1, 2]
    assert corpus.streams["word"].offsets.tolist() == [0, 3, 3, 4]
    assert (corpus.n_documents, corpus.n_tokens) == (3, 4)


def test_a_given_vocabulary_keeps_its_order_and_words_that_do_not_occur():
    corpus = Corpus.from_tokens([["b", "a"]], vocabulary=["z", "b", "a"])
    assert corpus.vocabulary == ("z", "b", "a")
    assert corpus.streams["word"].words.tolist() == [1, 2]


def test_streams_share_one_vocabulary():
    corpus = Corpus.from_tokens({"word": [["b"], ["c"]], "hashtag": [["#a", "b"], []]})
    assert corpus.vocabulary == ("#a", "b", "c")
    assert corpus.streams["hashtag"].words.tolist() == [0, 1]
    assert corpus.streams["hashtag"].offsets.tolist() == [0, 2, 2]


def test_group_labels_are_numbered_as_they_come():
    author = Corpus.from_tokens([["a"]] * 3, groups={"author": ["bob", "ann", "bob"]}).groups["author"]
    assert author.labels == ("bob", "ann")
    assert author.codes.tolist() == [0, 1, 0]


def test_links_are_kept_as_pairs():
    corpus = Corpus.from_tokens([["a"]], links={"follows": iter([("ann", "bob"), ["bob", "cy"]])})
    assert corpus.links["follows"].pairs == (("ann", "bob"), ("bob", "cy"))


def test_repr_tells_sizes_streams_groups_and_links():
    corpus = Corpus.from_tokens(
        {"word": [["a", "b"]] * 1000, "tag": [["a"]] * 1000},
        groups={"day": range(1000), "author": ["x"] * 1000},
        links={"follows": []},
    )
    assert repr(corpus) == (
        "Corpus(1,000 documents, 3,000 tokens, 2 words, streams: word, tag, groups: day, author, links: follows)"
    )


def test_arrays_and_mappings_are_frozen():
    corpus = Corpus.from_tokens([["a", "b"]], groups={"author": ["x"]}, links={"follows": []})
    stream = corpus.streams["word"]
    for array in (stream.words, stream.offsets, corpus.groups["author"].codes):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    for mapping in (corpus.streams, corpus.groups, corpus.links):
        with pytest.raises(TypeError):
            mapping["new"] = None
    with pytest.raises(AttributeError):
        corpus.vocabulary = ()
    assert (stream.words.dtype, stream.offsets.dtype) == (np.int32, np.int64)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"documents": {}}, "no token stream: give a list of token lists"),
        (
            {"documents": {"word": [["a"]], "tag": []}},
            "every stream needs one (maybe empty) token list per document, but 'word' has 1, 'tag' has 0",
        ),
        (
            {"documents": [["a"], "a cat"]},
            "stream 'word', document 1 is a string; split it into a list of tokens first",
        ),
        ({"documents": [[], []]}, "the corpus has no tokens"),
        ({"documents": []}, "the corpus has no tokens"),
        (
            {"documents": [["a"], ["a", "b"]], "vocabulary": ["a"]},
            "stream 'word', document 1: token 'b' is not in the vocabulary; add it there, or filter it out first",
        ),
        (
            {"documents": [["a"]], "vocabulary": ["a", "b", "a"]},
            "the vocabulary lists 'a' twice; every word must occur once",
        ),
        (
            {"documents": [["a"]], "groups": {"topic": ["x"]}},
            "a group may not be called 'topic': that is the name of a plate",
        ),
        (
            {"documents": [["a"], ["b"]], "groups": {"author": ["x"]}},
            "group 'author' has 1 labels for 2 documents; give one for each",
        ),
        (
            {"documents": [["a"]], "links": {"follows": [("x", "y"), ("x",)]}},
            "links 'follows', entry 1: ('x',) is not a pair (source, target)",
        ),
        (
            {"documents": [["a"]], "links": {"follows": ["xy"]}},
            "links 'follows', entry 0: 'xy' is not a pair (source, target)",
        ),
    ],
)
def test_refusals_name_the_place_and_the_way_out(arguments, message):
    with pytest.raises(CorpusError, match=re.escape(message)):
        Corpus.from_tokens(**arguments)
