"""Pairs that were held out, and the answers from a list of all links."""

import pytest

from pitmanyor import Corpus
from pitmanyor.errors import CorpusError

NAMES = ["ann", "bob", "cid", "dan"]
PAIRS = [("ann", "bob"), ("bob", "ann"), ("cid", "dan"), ("dan", "ann")]


def corpus():
    return Corpus.from_tokens([["a"]] * 4, groups={"author": NAMES}, links={"follows": PAIRS})


@pytest.mark.parametrize("directed", [True, False])
def test_the_answers_are_those_that_were_hidden(directed):
    left, held = corpus().hide_links("follows", by="author", share=0.5, seed=2, directed=directed)
    found = left.reveal_links("follows", PAIRS, directed)
    assert found.pairs == held.pairs
    assert found.linked.tolist() == held.linked.tolist()
    assert 0 < held.linked.sum() < len(held.linked)


def test_another_list_is_refused():
    left, _ = corpus().hide_links("follows", by="author", share=0.3, seed=1)
    with pytest.raises(CorpusError, match="are not in this list"):
        left.reveal_links("follows", [("x", "y")])
    with pytest.raises(CorpusError, match="no pair of these links is held out"):
        corpus().reveal_links("follows", PAIRS)
    with pytest.raises(CorpusError, match="no 'likes' among 'follows'"):
        left.reveal_links("likes", PAIRS)


def test_one_label_has_no_pairs():
    alone = Corpus.from_tokens([["a"]], groups={"author": ["ann"]}, links={"follows": []})
    with pytest.raises(CorpusError, match="at least two labels are needed, and there is 1"):
        alone.hide_links("follows", by="author")
