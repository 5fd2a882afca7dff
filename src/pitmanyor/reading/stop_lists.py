"""Stop words: the package's own English list, and those of the package stop-words for other languages."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files

from pitmanyor.errors import CorpusError


def stop_words(given: str | Iterable[str] | None) -> frozenset[str]:
    """The words of a list by its language ("english", "german" or "de"), the given words, or none."""
    if given is None:
        return frozenset()
    if not isinstance(given, str):
        return frozenset(word.lower() for word in given)
    if given.lower() in ("english", "en"):
        return frozenset(files("pitmanyor.reading").joinpath("words/english.txt").read_text("utf-8").split())
    try:
        from stop_words import get_stop_words
    except ImportError:
        raise CorpusError(
            f"stop_words={given!r}: lists other than 'english' come with the package stop-words: "
            "pip install 'pitmanyor[text]'; or give the words themselves, or None"
        ) from None
    names = languages()
    if given.lower() not in {*names, *names.values()}:
        raise CorpusError(
            f"stop_words={given!r}: there are lists for {', '.join(sorted(names.values()))}; give one of them, the "
            "words themselves, or None"
        )
    return frozenset(word.lower() for word in get_stop_words(given.lower()))


def languages() -> dict[str, str]:
    """Languages that have a list, by their codes; English alone if the package stop-words is not installed.

    >>> languages()["en"]
    'english'
    """
    try:
        from stop_words import LANGUAGE_MAPPING
    except ImportError:
        return {"en": "english"}
    return {**LANGUAGE_MAPPING, "en": "english"}


def described(given: str | Iterable[str] | None) -> str:
    """How a report names the list.

    >>> described("english"), described(["a", "the"])
    ('words of the English list', 'words of the given list')
    """
    return f"words of the {given.capitalize() if isinstance(given, str) else 'given'} list"
