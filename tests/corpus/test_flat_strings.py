"""Strings in two arrays are a sequence like any other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitmanyor import Corpus
from pitmanyor.corpus.flat_strings import Strings
from pitmanyor.reading import read

POSTS = [
    {"id": "x7", "text": "bread oven"},
    {"id": "", "text": "the"},
    {"id": "ü9", "text": "stars"},
    {"id": None, "text": "moon"},
]


@given(st.lists(st.text(max_size=4), max_size=6), st.data())
def test_they_are_a_list(texts, data):
    made = Strings.of(texts)
    assert list(made) == texts and len(made) == len(texts) and made[1:3] == texts[1:3] and made[::-1] == texts[::-1]
    assert list(Strings.joined([made, made])) == texts + texts
    if texts:
        at = data.draw(st.integers(-len(texts), len(texts) - 1))
        assert made[at] == texts[at]
        with pytest.raises(IndexError):
            made[len(texts)]


def test_ids_stay_with_their_documents(tmp_path):
    corpus = read(POSTS)
    assert list(corpus.ids) == ["x7", "ü9", ""] and corpus.rows.tolist() == [0, 2, 3]
    assert list(corpus.subset([2, 0]).ids) == ["", "x7"]
    corpus.save(tmp_path / "c")
    found = Corpus.load(tmp_path / "c")
    assert list(found.ids) == list(corpus.ids)
    assert found.content_hash == read([{"text": post["text"]} for post in POSTS]).content_hash  # ids are no content
    assert read([{"text": "bread"}]).ids is None


def test_ids_are_as_they_were_written():
    assert list(read({"id": [1.0, 2.0], "text": ["bread", "oven"]}).ids) == ["1", "2"]
    assert list(read({"key": ["007", "08"], "text": ["bread", "oven"]}, id="key").ids) == ["007", "08"]
