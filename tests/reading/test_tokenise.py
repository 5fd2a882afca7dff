"""Text to tokens: as the paper does for tweets, in any script."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitmanyor.errors import CorpusError
from pitmanyor.reading import read
from pitmanyor.reading.lexicon import KINDS, SEPARATOR, STREAMS, Lexicon, Words, stop_words
from pitmanyor.reading.options import TextOptions
from pitmanyor.reading.tokenise import Tokenise


def posts_of(texts, **options):
    """By post, its tokens as (stream, word)."""
    how = TextOptions(**({"stop_words": None} | options))
    words = Words()
    codes = Tokenise(Lexicon(words, how), how)(texts).codes.tolist()
    known, out = list(words), []
    for code in codes:
        if code == SEPARATOR:
            out.append([])
        elif code >= 0:
            out[-1].append((STREAMS[code % KINDS], known[code // KINDS]))
    return out


def tokens(text, **options):
    return posts_of([text], **options)[0]


def words(text, **options):
    return [word for _, word in tokens(text, **options)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello, World! It's 5 o'clock", ["hello", "world", "it", "o'clock"]),
        ("don’t DON'T 'quoted' rock'n'roll", ["don't", "don't", "quoted", "rock'n'roll"]),
        ("Obama's half-time _under_score_", ["obama", "half", "time", "under_score"]),
        ("see https://t.co/Ab1?x=y#z and www.bbc.co.uk, ok", ["see", "and", "ok"]),
        ("@Bob_1 hi .@ann: hello ann@example.org", ["hi", "hello", "org"]),
        ("fish &amp; chips &lt;3 caf&eacute;", ["fish", "chips", "café"]),
        ("4 42 3d 2026-01-01 covid19", ["3d", "covid19"]),
        ("a b cd", ["cd"]),
        ("cafe\u0301 CAFÉ", ["café", "café"]),
        ("हिन्दी में लिखा", ["हिन्दी", "में", "लिखा"]),
        ("می\u200cخواهم", ["می\u200cخواهم"]),
        ("Straße İstanbul", ["straße", unicodedata.normalize("NFC", "İstanbul".lower())]),
        ("lol😂😂 ok👍🏽 ❤️", ["lol", "ok"]),
        ("  \t\n ", []),
        ("", []),
    ],
)
def test_words(text, expected):
    assert words(text) == expected


def test_marks_that_nobody_sees_cut_no_word():
    """A soft hyphen, marks of the direction of writing, a joiner of words; a blank of no width does cut."""
    text = "exam\u00adple #\u200ftag \u2068@bob\u2069 \u05e9\u05dc\u200f\u05d5\u05dd we\u2060ird one\u200btwo"
    corpus = read([text], stop_words=None)
    assert set(corpus.vocabulary) == {"example", "tag", "\u05e9\u05dc\u05d5\u05dd", "weird", "one", "two"}
    assert len(corpus.streams["hashtag"].words) == 1


def test_addresses_go_whatever_they_begin_with():
    corpus = read(["see http://a.b/c, WWW.d.e https://www.f.g and www.h/http://i now \u00e9 www.j"], stop_words=None)
    assert set(corpus.vocabulary) == {"see", "and", "now"}


def test_hashtags_are_a_stream_that_shares_the_words():
    assert tokens("So #Happy today #sun#sky #happy's #1 # ＃wide") == [
        ("word", "so"), ("hashtag", "happy"), ("word", "today"), ("hashtag", "sun"), ("hashtag", "sky"),
        ("hashtag", "happy"), ("hashtag", "wide"),
    ]  # fmt: skip
    corpus = read(["happy #happy"])
    assert corpus.vocabulary == ("happy",)
    assert [stream.words.tolist() for stream in corpus.streams.values()] == [[0], [0]]


def test_where_each_kind_goes():
    text = "Go @Ann #sun https://www.BBC.co.uk/x-y?z 😂👩‍👩‍👧🇬🇧"
    corpus = read([text], mentions="stream", urls="stream", emoji="stream", hashtags="words")
    found = {name: [corpus.vocabulary[w] for w in stream.words] for name, stream in corpus.streams.items()}
    assert found == {"word": ["sun"], "mention": ["@ann"], "url": ["bbc.co.uk"], "emoji": ["😂", "👩‍👩‍👧", "🇬🇧"]}
    corpus = read([text], mentions="words", emoji="words", hashtags="drop")
    assert [corpus.vocabulary[w] for w in corpus.streams["word"].words] == ["@ann", "😂", "👩‍👩‍👧", "🇬🇧"]


def test_options_of_words():
    assert words("the cat sat", stop_words="english") == ["cat", "sat"]
    assert words("The Cat sat", stop_words=["SAT"]) == ["the", "cat"]
    assert words("a bcd 12", min_length=1, numbers=True) == ["a", "bcd", "12"]
    assert words("running runs #Running", stem="english") == ["run", "run", "run"]
    assert {"the", "don't", "rt"} <= stop_words("english")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stem": "klingon"}, "stem='klingon': choose one of .*english"),
        ({"stop_words": "klingon"}, "give one of them, the words themselves, or None"),
        ({"tokeniser": lambda text: ["\x01"]}, "must not pass control characters on"),
    ],
)
def test_refusals(options, message):
    with pytest.raises(CorpusError, match=message):
        tokens("x", **options)


def test_own_tokenisers():
    assert words("One,two Three", tokeniser="whitespace") == ["One,two", "Three"]
    assert tokens("ab cd", tokeniser=lambda text: [text[:2], "", "#tag", "@me"]) == [("word", "ab"), ("hashtag", "tag")]


@settings(max_examples=200)
@given(st.lists(st.text(max_size=25), min_size=1, max_size=6))
def test_a_chunk_is_cut_as_its_posts_are_one_by_one(texts):
    together = posts_of(texts, emoji="stream", urls="stream", mentions="stream")
    assert together == [tokens(text, emoji="stream", urls="stream", mentions="stream") for text in texts]


@settings(max_examples=200)
@given(st.text(max_size=40))
def test_tokens_are_clean(text):
    for stream, word in tokens(text, mentions="stream"):
        assert word == word.strip() and word
        assert not any(character in word.removeprefix("@") for character in "\x01\x02#@ .,!")
        assert stream == "mention" or any(map(str.isalpha, word))
