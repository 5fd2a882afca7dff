"""Tokens are found where they are in the text."""

import pytest

from pitmanyor import read
from pitmanyor.report.spans import Span, align, cut, units

HINDI = "\u0928\u092e\u0938\u094d\u0924\u0947 \u0926\u0941\u0928\u093f\u092f\u093e"


def found(text, tokens, tagged=None):
    return [None if span is None else text[slice(*span)] for span in align(cut(text), tokens, tagged)]


@pytest.mark.parametrize(
    ("text", "tokens", "places"),
    [
        ("Goal! What a GOAL", ["goal", "goal"], ["Goal", "GOAL"]),
        ("the runner's running", ["runner", "run"], ["runner's", "running"]),
        ("caf\u00e9 \u0130stanbul na\u00efve", ["caf\u00e9", "na\u00efve"], ["caf\u00e9", "na\u00efve"]),
        (HINDI, [HINDI.split()[1]], [HINDI.split()[1]]),
        ("soft\u00adhyphen here", ["softhyphen"], ["soft\u00adhyphen"]),
        ("nothing of it", ["bread", "of"], [None, "of"]),
        ("soft[U+00AD]hyphen [U+202E]here", ["softhyphen", "here"], ["soft[U+00AD]hyphen", "[U+202E]here"]),
        ("rundown: run fast", ["run", "fast"], ["run", "fast"]),
        ("running, run", ["run", "run"], ["running", "run"]),
        (
            "running fast then he went home. run",
            ["run", "fast", "went", "home", "run"],
            ["running", "fast", "went", "home", "run"],
        ),
        ("", ["bread"], [None]),
    ],
)  # fmt: skip
def test_tokens_are_found(text, tokens, places):
    assert found(text, tokens) == places


def test_hashtags_and_words_are_told_apart():
    text = "jazz #jazz band#jazz"
    assert align(cut(text), ["jazz", "band"], tagged=False) == [Span(0, 4), Span(11, 15)]
    assert align(cut(text), ["jazz", "jazz"], tagged=True) == [Span(5, 10), Span(15, 20)]


def test_browsers_count_in_units_of_utf16():
    text = "\U0001f600 goal"
    assert units(text, align(cut(text), ["goal"])) == [Span(3, 7)]
    assert text.encode("utf-16-le")[6:14].decode("utf-16-le") == "goal"


def test_every_token_of_the_tokeniser_is_found():
    texts = [
        "RT @ann: It's the #Best_day, isn't it? Co-op caf\u00e9s, 3 wins & 2nd; o'clock's!",
        "snake_case '_quoted_' a.b",
    ]
    corpus = read(texts, stop_words=None, min_length=1, numbers=True)
    for d, text in enumerate(texts):
        for name, stream in corpus.streams.items():
            tokens = [corpus.vocabulary[w] for w in stream.words[stream.offsets[d] : stream.offsets[d + 1]]]
            assert None not in align(cut(text), tokens, name == "hashtag"), (tokens, text)
