"""Encodings: found, named, or refused with the line and the byte."""

import gzip
import re

import pytest

from pitmanyor.errors import CorpusError, ReadWarning
from pitmanyor.reading import read

TEXT = "author,text\nann,Müsli schmeckt Möwen\nbob,Käse “gut” – ja\n"


def words(path, **options):
    return read(path, stop_words=None, **options).vocabulary


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("packed", [False, True])
def test_unicode_is_found_by_itself(tmp_path, encoding, packed):
    path = tmp_path / ("x.csv.gz" if packed else "x.csv")
    content = TEXT.encode(encoding)
    path.write_bytes(gzip.compress(content) if packed else content)
    corpus = read(path, stop_words=None)
    assert corpus.vocabulary == ("gut", "ja", "käse", "möwen", "müsli", "schmeckt")
    assert corpus.groups["author"].labels == ("ann", "bob")


@pytest.mark.parametrize(
    ("encoding", "text", "called"), [("cp1252", TEXT, "Windows Latin-1"), ("latin-1", "text\nMüsli \x81\n", "Latin-1")]
)
def test_latin_1_is_read_with_a_sentence(tmp_path, encoding, text, called):
    path = tmp_path / "x.csv"
    path.write_bytes(text.encode(encoding))
    with pytest.warns(ReadWarning, match=rf"x\.csv, line 2: byte 0xfc: not UTF-8, so read as {called}.*pass encoding="):
        corpus = read(path, stop_words=None)
    assert "müsli" in corpus.vocabulary
    assert any("read as" in note for note in corpus.report.notes)


def test_a_named_encoding_is_used(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes("text\nпривет мир\n".encode("koi8-r"))
    assert words(path, encoding="koi8-r") == ("мир", "привет")


@pytest.mark.parametrize(
    ("content", "encoding", "message"),
    [
        (b"text\nfine\n\xff\n", "utf-8", "line 3: byte 0xff: not utf-8; leave encoding= out"),
        (b"", None, "the file is empty"),
        (b"\x89PNG\x00\x01\xff\xfe" * 9, None, "neither text in UTF-8"),
        (b"\x1f\x8b\x08 cut", None, "cannot be unpacked or read"),
    ],
)
def test_refusals(tmp_path, content, encoding, message):
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    with pytest.raises(CorpusError, match=re.escape(message)) as refused:
        read(path, encoding=encoding)
    assert str(path) in str(refused.value)


def test_a_cut_gzip_file_is_refused(tmp_path):
    path = tmp_path / "x.csv.gz"
    path.write_bytes(gzip.compress(TEXT.encode() * 50)[:-30])
    with pytest.raises(CorpusError, match="the file is cut or damaged"):
        read(path)
