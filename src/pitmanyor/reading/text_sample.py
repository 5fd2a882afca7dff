"""A look at the first texts: are they in the language of the stop words, and are there blanks between words?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec

from pitmanyor.reading.language import NO_LANGUAGE
from pitmanyor.reading.stop_lists import languages

LOOKED_AT = 200  # texts
FEWEST_WORDS = 100  # of all texts, below which nothing is said about their language
USUAL = 0.15  # share of stop words that English text always has: a third and more is common
MOST = 0.5  # of the texts must be in another language, or of the letters in a script without blanks
# Scripts that put no blanks between words: Thai, Lao, Myanmar, Khmer, Japanese syllables, Chinese characters.
UNSEGMENTED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)


def unsegmented(texts: Sequence[str]) -> str | None:
    """A sentence if most letters are of a script without blanks between words, so that sentences become tokens."""
    letters = "".join(character for text in texts for character in text if character.isalpha())
    if len(UNSEGMENTED.findall(letters)) <= MOST * len(letters) or not letters:
        return None
    return (
        "most of the text is in a script that puts no blanks between words (such as Chinese, Japanese or Thai), so "
        "that whole phrases become tokens; pass tokeniser= a function that splits a text into its words, or token lists"
    )


def not_english(texts: Sequence[str], n_words: int, n_stop: int) -> str | None:
    """A sentence if English stop words were asked for, and the texts are in another language.

    n_words, n_stop: words of all texts, stop words among them included, and stop words. Where these are as common as
    English text has them, nobody looks further. py3langid tells the language, if it is installed.
    """
    if n_words < FEWEST_WORDS or n_stop >= USUAL * n_words:
        return None
    few = f"English stop words are only {n_stop / n_words:.1%} of the words"
    if find_spec("py3langid") is None:
        return (
            f"{few}; if the texts are in another language, name it with stop_words= (the languages and their detection "
            "come with pip install 'pitmanyor[text]'), or pass stop_words=None"
        )
    classify = import_module("py3langid").classify
    found = Counter(classify(NO_LANGUAGE.sub(" ", text))[0] for text in texts)
    code, n = found.most_common(1)[0]
    if code == "en" or n <= MOST * len(texts):
        return None
    known = languages()
    fix = f"stop_words={known[code]!r}" if code in known else "stop_words= a list of its words, or None"
    return f"{few}, and {n} of {len(texts)} texts that were looked at are in the language {code!r}; pass {fix}"
