"""Small files that unfold into large ones, and records without end: refused, or read in little memory."""

import gzip
import json

import pytest

from pitmanyor.errors import CorpusError
from pitmanyor.reading import encodings, graphxml, read

POSTS = {"text": ["oven bread", "planets stars"], "author": ["ann", "bob"]}
EDGE = '<edge source="ann" target="bob"/></graph></graphml>'
GRAPH = '<?xml version="1.0"{}?><graphml><graph edgedefault="directed">{}' + EDGE


@pytest.mark.parametrize("name", ["x.csv.gz", "x.txt.gz", "x.jsonl.gz"])
def test_a_line_without_end(tmp_path, monkeypatch, name):
    monkeypatch.setattr(encodings, "LONGEST_LINE", 1 << 20)
    monkeypatch.setattr("pitmanyor.reading.jsonlines.LONGEST_LINE", 1 << 20)
    monkeypatch.setattr(encodings.find_encoding, "__defaults__", (1 << 20,))
    with gzip.open(tmp_path / name, "wb") as file:
        file.write(b'{"text": "' + b"a" * (1 << 22))
    with pytest.raises(CorpusError, match="line 1: more than 1,048,576 characters in one line"):
        read(tmp_path / name)


def test_a_long_list_in_one_line_is_fine(tmp_path, monkeypatch):
    monkeypatch.setattr("pitmanyor.reading.jsonlines.LONGEST_LINE", 10)
    (tmp_path / "x.json").write_text(json.dumps([{"text": "oven bread"}, {"text": "stars"}]))
    assert read(tmp_path / "x.json").n_documents == 2


@pytest.mark.parametrize("inside", ['<node id="' + "x" * (1 << 21), "<!--" + "x" * (1 << 21), "<" + "x" * (1 << 21)])
def test_a_tag_without_end(tmp_path, inside):
    (tmp_path / "x.graphml").write_text(GRAPH.format("", inside))
    with pytest.raises(CorpusError, match="a tag of more than 1,048,576 bytes"):
        read(POSTS, links=tmp_path / "x.graphml")


def test_a_name_without_end(tmp_path):
    inside = '<key id="k" attr.name="label"/><node id="ann"><data key="k">' + "x\n" * (1 << 20) + "</data></node>"
    (tmp_path / "x.graphml").write_text(GRAPH.format("", inside))
    with pytest.raises(CorpusError, match="a name of more than 1,048,576 characters"):
        read(POSTS, links=tmp_path / "x.graphml")


@pytest.mark.parametrize("encoding", ["klingon", "utf-32", "hex", "utf-7", "idna", "undefined", "shift_jis"])
def test_unknown_encodings_of_xml(tmp_path, encoding):
    (tmp_path / "x.gexf").write_text(GRAPH.format(f' encoding="{encoding}"', ""))
    with pytest.raises(CorpusError, match="encoding"):
        read(POSTS, links=tmp_path / "x.gexf")


def test_damaged_graph_files(tmp_path):
    packed = bytearray(gzip.compress(GRAPH.format("", "").encode() * 50))
    packed[30:40] = b"\xff" * 10
    for content in (b"", b"\xff\xfe<\0g", GRAPH.format("", "\xff").encode("latin-1"), bytes(packed), b"\x1f\x8b"):
        (tmp_path / "x.graphml").write_bytes(content)
        with pytest.raises(CorpusError, match=r"x\.graphml"):
            graphxml.read_xml_graph(tmp_path / "x.graphml")


@pytest.mark.parametrize("shape", ["objects", "lists"])
def test_objects_within_objects_without_end(tmp_path, shape):
    deep = '{"a":' * 900 + "1" + "}" * 900 if shape == "objects" else "[" * 900 + "]" * 900
    (tmp_path / "x.jsonl").write_text(f'{{"text": "oven bread", "more": {deep}}}\n{{"text": "stars"}}\n')
    with pytest.raises(CorpusError, match=r"x\.jsonl, line 1: an object of more than 100 levels"):
        read(tmp_path / "x.jsonl")
    assert read(tmp_path / "x.jsonl", skip_bad_lines=True).n_documents == 1


def test_a_table_of_100000_columns(tmp_path):
    names = ",".join(f"c{i}" for i in range(100_000))
    row = "," * 99_999
    (tmp_path / "x.csv").write_text(f"text,{names}\noven bread,{row}\nplanets stars,{row}\n")
    assert read(tmp_path / "x.csv").n_documents == 2
