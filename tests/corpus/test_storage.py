"""A corpus in a file: everything comes back, and the hash depends on content only."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitmanyor.corpus import BadLine, Column, Corpus, Filter, ReadReport
from pitmanyor.errors import FileError
from pitmanyor.files import read_arrays, write_arrays

REPORT = ReadReport(
    "x.csv", 9, (Column("text", "t", True),), (Filter("min_df", "rare", 1, 2, 3),), ("a note",), 1, (BadLine(4, "bad"),)
)


def small(**changes):
    fields = {
        "documents": {"word": [["a", "b"], ["ü"], []], "tag": [["a"], [], ["#"]]},
        "groups": {"author": ["x", "y", "x"], "mixed": [1, 2.5, None]},
        "links": {"follows": [("x", "y"), ("y", "z")]},
    }
    return Corpus.from_tokens(**(fields | changes))


def test_round_trip(tmp_path):
    corpus = small()
    corpus = Corpus(
        corpus.vocabulary, corpus.streams, corpus.groups, corpus.links,
        np.array(["2026-01-01", "NaT", "2026-01-03"], "datetime64[ms]"), np.array([2, 3, 9]), REPORT,
    )  # fmt: skip
    corpus.save(tmp_path / "c")
    found = Corpus.load(tmp_path / "c")
    assert found.content_hash == corpus.content_hash
    assert (found.vocabulary, found.report) == (corpus.vocabulary, REPORT)
    assert found.groups["mixed"].labels == (1, 2.5, None)
    assert [type(label) for label in found.groups["mixed"].labels] == [int, float, type(None)]
    assert found.links["follows"].pairs == (("x", "y"), ("y", "z"))
    assert np.array_equal(found.times, corpus.times, equal_nan=True)
    assert found.rows.tolist() == [2, 3, 9]
    for name, stream in corpus.streams.items():
        assert found.streams[name].words.tolist() == stream.words.tolist()
        assert found.streams[name].offsets.tolist() == stream.offsets.tolist()
        with pytest.raises(ValueError, match="read-only"):
            found.streams[name].words[0] = 1


@settings(max_examples=25)
@given(st.lists(st.lists(st.text(max_size=4), max_size=4), min_size=1, max_size=5))
def test_any_words_come_back(tmp_path_factory, documents):
    corpus = Corpus.from_tokens([*documents, ["x"]], groups={"g": [str(d) for d in documents] + ["\ud800"]})
    path = tmp_path_factory.mktemp("any") / "c"
    corpus.save(path)
    found = Corpus.load(path)
    assert (found.vocabulary, found.content_hash) == (corpus.vocabulary, corpus.content_hash)
    assert found.groups["g"].labels == corpus.groups["g"].labels


def test_the_hash_is_stable_and_sees_every_part():
    assert small().content_hash == small().content_hash == "a602996423be3c05fc34ef90355b7019"
    others = [
        small(documents={"word": [["a", "b"], ["ü"], ["a"]], "tag": [["a"], [], ["#"]]}),
        small(groups={"author": ["x", "y", "x"]}),
        small(groups={"author": ["x", "y", "x"], "mixed": ["1", 2.5, None]}),
        small(links={"follows": [("x", "y"), ("z", "y")]}),
    ]
    assert len({corpus.content_hash for corpus in [small(), *others]}) == 5


def test_labels_of_other_types_are_refused(tmp_path):
    with pytest.raises(FileError, match=r"group/g/labels: a label of type tuple .* use text or numbers"):
        Corpus.from_tokens([["a"]], groups={"g": [(1, 2)]}).save(tmp_path / "c")


def test_files_of_another_kind_or_schema_are_refused(tmp_path):
    path = tmp_path / "c"
    write_arrays(path, {"kind": "run"}, {})
    with pytest.raises(FileError, match="holds 'run', not a corpus"):
        Corpus.load(path)
    write_arrays(path, {"kind": "pitmanyor corpus", "schema": 99}, {})
    with pytest.raises(FileError, match="schema 99 and this version of pitmanyor reads 1"):
        Corpus.load(path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("stream/word/words", np.array([0, 1, 9], np.int32)),
        ("stream/word/offsets", np.array([0, 3, 2, 3])),
        ("stream/word/offsets", np.array([0, 3])),
        ("group/author/codes", np.array([0, -1, 0], np.int32)),
        ("group/author/codes", np.array([0, 1], np.int32)),
        ("link/follows/sources", np.array([7, 0], np.int32)),
        ("vocabulary/ends", np.array([9, 9, 9, 9])),
        ("rows", np.array([1])),
    ],
)
def test_parts_that_do_not_fit_are_refused(tmp_path, name, value):
    path = tmp_path / "c"
    small().save(path)
    header, arrays = read_arrays(path)
    write_arrays(path, header, arrays | {name: value})
    with pytest.raises(FileError, match="its parts do not fit together"):
        Corpus.load(path)
