"""JSON lines: nested fields, pages of an API, bad lines by line and column."""

import gzip
import json
import os
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitmanyor import Corpus
from pitmanyor.errors import CorpusError, PitmanyorError
from pitmanyor.reading import read
from pitmanyor.reading.chunks import getter, paths

POST = {
    "id": "7",
    "author_id": "42",
    "text": "Hello #World and stars",
    "created_at": "2026-01-02T03:04:05.000Z",
    "public_metrics": {"like_count": 3},
    "entities": {"hashtags": [{"start": 6, "tag": "World"}, {"start": 9, "tag": "Sky"}]},
}


def write(tmp_path, *lines, name="x.jsonl"):
    path = tmp_path / name
    content = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines).encode()
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return path


@pytest.mark.parametrize("name", ["x.jsonl", "x.ndjson", "x.json", "x.jsonl.gz"])
def test_a_post_of_twitter_s_api(tmp_path, name):
    corpus = read(
        write(tmp_path, POST, POST | {"id": "8", "text": "more stars"}, name=name), groups=["public_metrics.like_count"]
    )
    assert {column.role: column.name for column in corpus.report.columns} == {
        "text": "text", "author": "author_id", "tags": "entities.hashtags[].tag", "time": "created_at", "id": "id",
        "group public_metrics.like_count": "public_metrics.like_count",
    }  # fmt: skip
    assert corpus.groups["author"].labels == ("42",)
    assert corpus.groups["public_metrics.like_count"].labels == ("3",)
    stream = corpus.streams["hashtag"]
    assert [corpus.vocabulary[w] for w in stream.words] == ["world", "sky"] * 2
    assert str(corpus.times[0]) == "2026-01-02T03:04:05.000"


@pytest.mark.parametrize("indent", [None, 2])
def test_one_list_and_pages(tmp_path, indent):
    many = [POST, POST | {"id": "8"}, POST | {"id": "9"}]
    for value in (many, {"data": many, "meta": {"result_count": 3}}):
        assert read(write(tmp_path, json.dumps(value, indent=indent), name="x.json")).n_documents == 3
    pages = [{"data": many[:1], "meta": {}}, {"data": many[1:], "meta": {}}]
    assert read(write(tmp_path, *pages)).rows.tolist() == [1, 2, 2]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            [POST, '{"text": "x"', POST],
            "line 2: column 13: not JSON (Expecting ',' delimiter); each line",
        ),
        ([POST, "[1, 2]"], "line 2: a JSON list where an object {...} was expected"),
        ([POST, "", "7"], "line 3: a JSON int where an object"),
        (["[" * 5000 + "]" * 5000, POST], "line 1: not JSON that can be read"),
        ([POST, '{"text": ' + "9" * 5000 + "}"], "line 2: not JSON that can be read"),
    ],
)
def test_bad_lines(tmp_path, lines, message):
    path = write(tmp_path, *lines)
    with pytest.raises(CorpusError, match=re.escape(f"{path}, {message}")):
        read(path)
    corpus = read(path, skip_bad_lines=True, duplicates="keep")
    assert corpus.report.n_bad_lines == 1
    assert corpus.n_documents == sum(line is POST for line in lines)


def test_half_of_a_surrogate_pair_is_no_trouble(tmp_path):
    corpus = read(write(tmp_path, '{"text": "odd \\ud83d stars", "user": "\\ud83d"}'))
    assert corpus.vocabulary == ("odd", "stars")
    corpus.save(tmp_path / "c")
    assert corpus.load(tmp_path / "c").groups["author"].labels == ("\ufffd",)


def test_columns_of_nested_records():
    record = {"a": {"b": 1, "c": {"d": 2}}, "e": [{"f": 3}, {"f": 4, "g": 5}], "h": [6], "i.j": 7}
    assert paths(record) == ["a.b", "a.c.d", "e[].f", "e[].g", "h", "i.j"]
    assert [getter(path)(record) for path in paths(record)] == [1, 2, [3, 4], [None, 5], [6], 7]
    assert [getter(path)({"a": 1, "e": None}) for path in ("a.b", "e[].f", "x", "x.y")] == [None] * 4


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.filterwarnings("ignore::pitmanyor.errors.ReadWarning")
@settings(max_examples=100)
@given(st.lists(st.dictionaries(st.sampled_from(["text", "user", "hashtags", "created_at", "x"]), JSON), max_size=4))
def test_any_objects_give_a_corpus_or_an_error_of_ours(tmp_path_factory, records):
    path = write(tmp_path_factory.mktemp("json"), {"text": "some words"}, *records)
    try:
        read(path, skip_bad_lines=True)
    except PitmanyorError as error:
        assert str(error)


@settings(max_examples=150)
@given(st.binary(max_size=120))
def test_any_bytes_give_a_corpus_or_an_error_of_ours(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("bytes") / "x.jsonl"
    path.write_bytes(b'{"text": "some words"}\n' + content)
    try:
        corpus = read(path, skip_bad_lines=True, encoding="latin-1")
        assert corpus.n_documents >= 1
    except PitmanyorError as error:
        assert str(path) in str(error)


@pytest.mark.parametrize(
    "lines",
    [
        ['{"text": "one"}, {"text": "two"}', '{"text": ["three"', '"four"]}'],
        ['{"text": "one"} {"text": "two"}'],
        ['{"text": "one"', '"author": "two"}'],
        ['{"text": "one"},', '{"text": "two"}'],
        ['{"text": "one"}', "5", '{"text": "two"}'],
    ],
)
def test_lines_that_make_sense_only_together_are_bad_lines(tmp_path, lines):
    """Lines are parsed a megabyte at a time; what crosses from one to the next must not pass."""
    path = tmp_path / "x.jsonl"
    path.write_text("\n".join(['{"text": "zero"}', *lines]))
    with pytest.raises(CorpusError, match="x.jsonl, line [23]"):
        read(path)


def test_halves_of_characters_are_replaced_so_that_the_corpus_can_be_written(tmp_path):
    path, half = tmp_path / os.fsdecode(b"x\xff.jsonl"), "\ud800"
    posts = [{"text": f"oven {half}bread", "author": f"a{half}", "id": f"1{half}", "hashtags": [f"b{half}", "c"]}]
    path.write_text(json.dumps(posts[0]) + "\n")
    corpus = read(path)
    assert corpus.vocabulary == ("bread", "b\ufffd", "c", "oven") and corpus.groups["author"].labels == ("a\ufffd",)
    assert list(corpus.ids) == ["1\ufffd"]
    corpus.save(tmp_path / "corpus.safetensors")
    assert Corpus.load(tmp_path / "corpus.safetensors").report.files == corpus.report.files
    assert read(posts, text="hashtags").vocabulary == ("b\ufffd", "c")
    assert read([f"oven{half} bread"], tokeniser="whitespace").vocabulary == ("bread", "oven\ufffd")
