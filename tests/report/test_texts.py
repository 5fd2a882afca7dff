"""Texts are read again from the source, or it is said why not."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from pitmanyor import Corpus, CorpusError, FileError, read
from pitmanyor.report.texts import read_texts

ROWS = 'id,body\n1,"Fresh &amp; warm #bread, from the\noven"\n2,the of\n3,Goal! A great goal\u202e\n'


@pytest.fixture
def file(tmp_path):
    (tmp_path / "posts.csv").write_text(ROWS)
    return tmp_path / "posts.csv"


def test_texts_of_the_documents_that_stayed(file):
    corpus = read(file)
    texts = read_texts(corpus)
    assert texts.values == ["Fresh & warm #bread, from the oven", "Goal! A great goal[U+202E]"]
    assert texts.said == "Texts are from posts.csv."


def test_a_file_that_moved_can_be_named(file):
    corpus = read(file)
    moved = Path(shutil.move(file, file.with_name("moved.csv")))
    gone = read_texts(corpus)
    assert gone.values is None and "is not there" in gone.said
    assert read_texts(corpus, moved).values[1].startswith("Goal!")
    with pytest.raises(FileError, match="there is no such file"):
        read_texts(corpus, file)


@pytest.mark.parametrize("content", [ROWS.replace("body", "words"), "id,body\n1,other words\n2,x\n3,y\n", "id,body\n"])
def test_a_file_that_changed_is_not_shown(file, content):
    corpus = read(file)
    file.write_text(content)
    texts = read_texts(corpus)
    assert texts.values is None and "tokens and not texts" in texts.said
    with pytest.raises((FileError, CorpusError)):
        read_texts(corpus, file)


def test_hashtags_tell_where_there_are_no_words(tmp_path):
    place = tmp_path / "tags.csv"
    place.write_text("id,body\n1,the #bread\n2,the #oven\n")
    corpus = read(place)
    assert not len(corpus.streams["word"].words) and read_texts(corpus).values == ["the #bread", "the #oven"]
    place.write_text("id,body\n1,other\n2,texts\n")
    assert read_texts(corpus).values is None


def test_tokens_beyond_the_first_do_not_count_against_a_text(tmp_path):
    place = tmp_path / "long.csv"
    place.write_text("id,body\n1," + " ".join(f"bread{i}x" for i in range(900)) + "\n2,bread oven\n")
    assert read_texts(read(place)).values is not None


def test_a_corpus_from_memory_has_no_file(file):
    texts = read_texts(read(["fresh bread", "warm oven"]))
    assert texts.values is None and "is not there" in texts.said


def test_a_corpus_of_tokens_has_no_texts(plain, file):
    assert "made of tokens" in read_texts(plain.corpus).said
    with pytest.raises(CorpusError, match="was not read from a table"):
        read_texts(plain.corpus, file)


def test_texts_are_found_from_any_directory(file, tmp_path, monkeypatch):
    """A run knows its file by where it is, and not by how somebody called it from where they were."""
    monkeypatch.chdir(tmp_path)
    corpus = read("posts.csv")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert read_texts(corpus).values[1].startswith("Goal!")
    corpus.save("corpus.safetensors")
    assert read_texts(Corpus.load("corpus.safetensors")).values[1].startswith("Goal!")


def test_texts_of_several_files(file, tmp_path):
    (tmp_path / "more.csv").write_text("id,body\n4,A loaf of bread\n")
    texts = read_texts(read([file, tmp_path / "more.csv"]))
    assert texts.values[-1] == "A loaf of bread" and texts.said == "Texts are from posts.csv, more.csv."


def test_a_run_cannot_name_a_file_that_it_was_not_read_from(file, tmp_path):
    """Somebody who shares a run may put any path there, and tokens that fit; but not the checksum of a secret."""
    secret = tmp_path / "secret.csv"
    secret.write_text(file.read_text())
    corpus = read(file)
    for checksums in ((), ("",), ("0" * 32,)):
        forged = replace(corpus, report=replace(corpus.report, files=(str(secret),), checksums=checksums))
        secret.write_text(file.read_text() + "9,one line more\n")
        texts = read_texts(forged)
        assert texts.values is None and "has changed" in texts.said
    assert read_texts(forged, file).values is not None


def test_a_pipe_is_not_waited_for(file, tmp_path):
    corpus = read(file)
    os.mkfifo(tmp_path / "pipe")
    forged = replace(corpus, report=replace(corpus.report, files=(str(tmp_path / "pipe"),)))
    assert read_texts(forged).values is None
