"""From the strings that a text falls into to words: each distinct string is looked at once, however often it comes.

A token is a code: the number of its word times 8, plus its kind. Negative codes say why a string is no token.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

from pitmanyor.errors import CorpusError
from pitmanyor.escape import whole_text
from pitmanyor.reading.options import TextOptions
from pitmanyor.reading.stop_lists import stop_words

WORD, HASHTAG, MENTION, URL, EMOJI = range(5)
KINDS = 8
STREAMS = {WORD: "word", HASHTAG: "hashtag", MENTION: "mention", URL: "url", EMOJI: "emoji"}
SEPARATOR, EMPTY, STOP, SHORT, NUMBER, NO_MENTION, NO_HASHTAG, EMAIL = range(-1, -9, -1)
REASONS = {
    STOP: ("stop words", "{stop_words}"),
    SHORT: ("short words", "fewer than {min_length} characters"),
    NUMBER: ("numbers", "no letter in them"),
    NO_MENTION: ("mentions", "@names in the text"),
    NO_HASHTAG: ("hashtags in text", "{hashtags}"),
    EMAIL: ("e-mail addresses", "they are no words"),
}
MARK, URL_MARK = "\x01", "\x02"  # between posts; before a domain
DOT, DASH = "\x03", "\x04"  # within a domain
FORGET = 2_000_000  # distinct strings remembered; words are never forgotten


class Words(dict[str, int]):
    """Numbers for words, in the order they first come."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


class Lexicon(dict[str, int]):
    """The code of every string met in texts; a new one is classified when it first comes."""

    def __init__(self, words: Words, options: TextOptions, inline_tags: bool = True) -> None:
        super().__init__()
        self.words = words
        self.options = options
        self.stop = stop_words(options.stop_words)
        self.stem = stemmer(options.stem)
        self.takes_tags = inline_tags and options.hashtags != "drop"
        self[MARK] = SEPARATOR

    def __missing__(self, raw: str) -> int:
        if len(self) > FORGET:
            self.clear()
            self[MARK] = SEPARATOR
        code = self[raw] = self.code(whole_text(raw))
        return code

    def code(self, raw: str) -> int:
        if raw.isalpha():
            return self._keep(raw)
        first = raw[0]
        if first == "#":
            return self._hashtag(raw)
        if first == "@":
            name = raw.strip("@'")
            if self.options.mentions == "drop" or not name:
                return NO_MENTION if name else EMPTY
            return self.words["@" + name] * KINDS + MENTION
        if first == URL_MARK:
            return self.words[raw[1:].replace(DOT, ".").replace(DASH, "-")] * KINDS + URL
        if "@" in raw:
            return EMAIL
        if not first.isalnum() and is_emoji(first):
            return self.words[raw] * KINDS + EMOJI
        return self._word(raw)

    def tag(self, raw: str) -> int:
        """The word of a hashtag that comes without its sign, or -1."""
        body = clean_tag(raw)
        return self.words[self.stem(body)] if body else -1

    def _hashtag(self, raw: str) -> int:
        body = clean_tag(raw)
        if not body:
            return EMPTY
        if not any(map(str.isalpha, body)):
            return NUMBER if not self.options.numbers else self._word(body)
        if not self.takes_tags:
            return NO_HASHTAG
        return self.words[self.stem(body)] * KINDS + HASHTAG

    def _word(self, raw: str) -> int:
        word = raw.strip("'_\u200c\u200d").removesuffix("'s")
        if not word:
            return EMPTY
        if not any(map(str.isalpha, word)):
            if not any(map(str.isalnum, word)):
                return EMPTY
            if not self.options.numbers:
                return NUMBER
        return self._keep(word)

    def _keep(self, word: str) -> int:
        if word in self.stop:
            return STOP
        if len(word) < self.options.min_length:
            return SHORT
        return self.words[self.stem(word)] * KINDS + WORD


def clean_tag(raw: str) -> str:
    """A hashtag without its sign, a trailing possessive and empty ends."""
    return raw.lstrip("#\uff03").split("'")[0].strip("_\u200c\u200d")


def is_emoji(character: str) -> bool:
    return unicodedata.category(character) in ("So", "Sk") or "\U0001f1e6" <= character <= "\U0001faff"


def stemmer(language: str | None) -> Callable[[str], str]:
    if language is None:
        return str
    try:
        import snowballstemmer
    except ImportError:
        raise CorpusError("stem= needs the package snowballstemmer: pip install 'pitmanyor[text]'") from None
    if language not in snowballstemmer.algorithms():
        raise CorpusError(f"stem={language!r}: choose one of {', '.join(snowballstemmer.algorithms())}")
    stem: Callable[[str], str] = snowballstemmer.stemmer(language).stemWord
    return stem
