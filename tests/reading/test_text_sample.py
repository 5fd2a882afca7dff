"""Texts that are not what the defaults take them for are noticed."""

import sys

import pytest

from pitmanyor.errors import CorpusError, ReadWarning
from pitmanyor.reading import read
from pitmanyor.reading.stop_lists import languages, stop_words

GERMAN = [
    "Das Brot ist frisch aus dem Ofen und riecht sehr gut",
    "Wir gehen morgen mit den Kindern in den Garten und pflanzen Bäume",
    "Der Zug nach München hat heute wieder eine Stunde Verspätung gehabt",
    "Ich habe gestern mit meiner Schwester über das Wetter gesprochen",
]
ENGLISH = [
    "The bread is fresh from the oven and it smells very good",
    "Tomorrow we will go to the garden with the children and plant trees",
    "The train to London was delayed by an hour again today",
    "I talked with my sister about the weather yesterday",
]
CHINESE = ["我们明天和孩子们一起去花园种树", "面包刚从烤箱里拿出来，闻起来很香"]


def unlike(texts):
    return [f"{text} {'ab' * (i + 1)}x" for i, text in enumerate(texts * 10)]


def test_english_stop_words_for_german_texts_are_noticed():
    with pytest.warns(ReadWarning, match=r"are in the language 'de'; pass stop_words='german'"):
        corpus = read(unlike(GERMAN))
    assert "pass stop_words='german'" in str(corpus.report)


def test_without_a_package_that_tells_languages_few_stop_words_are_noticed(monkeypatch):
    monkeypatch.setitem(sys.modules, "py3langid", None)
    monkeypatch.setattr("pitmanyor.reading.text_sample.find_spec", lambda name: None)
    with pytest.warns(ReadWarning, match=r"English stop words are only .* of the words; if the texts are in another"):
        read(unlike(GERMAN))


def test_stop_words_of_other_languages(recwarn):
    corpus = read(unlike(GERMAN), stop_words="german")
    assert "brot" in corpus.vocabulary and not {"das", "ist", "und", "der"} & set(corpus.vocabulary)
    assert "stop words: words of the German list" in str(corpus.report)
    assert stop_words("de") == stop_words("german") and len(languages()) > 30
    assert not recwarn


@pytest.mark.parametrize("texts", [unlike(ENGLISH), ["bread oven flour"] * 5, GERMAN[:1]])
def test_nothing_is_said_about_english_or_about_little_text(texts, recwarn):
    read(texts, duplicates="keep")
    assert not recwarn


def test_languages_without_a_list_or_package_are_refused(monkeypatch):
    with pytest.raises(
        CorpusError, match="there are lists for arabic, .*; give one of them, the words themselves, or None"
    ):
        read(["bread"], stop_words="klingon")
    monkeypatch.setitem(sys.modules, "stop_words", None)
    with pytest.raises(CorpusError, match=r"come with the package stop-words: pip install 'pitmanyor\[text\]'"):
        read(["bread"], stop_words="german")
    assert languages() == {"en": "english"}


def test_text_without_blanks_between_words_is_noticed(recwarn):
    with pytest.warns(ReadWarning, match="no blanks between words .* pass tokeniser="):
        read(CHINESE)
    recwarn.clear()
    read(CHINESE, tokeniser=list, min_length=1)
    assert not recwarn
