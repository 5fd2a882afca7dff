"""The options of `read` in three bundles: how files are parsed, text becomes tokens, and posts and words stay."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Any, TypedDict

from pitmanyor.errors import CorpusError
from pitmanyor.reading.label_codes import PLACEHOLDERS
from pitmanyor.reading.option_kinds import check_kind

Tokeniser = Callable[[str], Iterable[str]]
Query = Sequence[str] | Mapping[str, str | Sequence[str]]


@dataclass(frozen=True)
class FileOptions:
    """How files are parsed: options of `read`.

    Parameters
    ----------
    encoding, delimiter
        Detected if not given.
    header
        False if the first line holds data.
    quoting
        False if quotation marks are ordinary characters, as in many TSV files.
    day_first
        Whether 3/4/2020 is the third of April. By default what suits the whole column.
    skip_bad_lines
        Skip and report lines that cannot be parsed, instead of stopping at the first.
    missing_values
        Texts that stand for a missing author, group or text.
    """

    encoding: str | None = None
    delimiter: str | None = None
    header: bool = True
    quoting: bool = True
    day_first: bool | None = None
    skip_bad_lines: bool = False
    missing_values: Iterable[str] = PLACEHOLDERS


@dataclass(frozen=True)
class TextOptions:
    """How text becomes tokens: options of `read`.

    Parameters
    ----------
    tokeniser
        A function from a text to tokens, or the name of one: "tweet", or one that a package offers under the entry
        point `pitmanyor.tokenisers`.
    stop_words
        A language such as "english" or "german", a list of words, or None.
    min_length
        Shortest word that is kept. Neither this nor stop words apply to hashtags, which are labels.
    numbers
        Whether to keep numbers.
    stem
        Language of a Snowball stemmer.
    hashtags, mentions, urls, emoji
        "drop", "words" to add them to the words, or "stream" for a separate stream. For URLs, the domain is kept.
    """

    tokeniser: str | Tokeniser = "tweet"
    stop_words: str | Iterable[str] | None = "english"
    min_length: int = 2
    numbers: bool = False
    stem: str | None = None
    hashtags: str = "stream"
    mentions: str = "drop"
    urls: str = "drop"
    emoji: str = "drop"


@dataclass(frozen=True)
class FilterOptions:
    """Which posts, authors and words are kept: options of `read`.

    Parameters
    ----------
    missing_author
        "drop", "keep" (as one author) or "error".
    empty_posts, retweets
        "keep" or "drop".
    duplicates
        "error" if an id occurs twice, "drop" to keep the first post with the same id, or author and text, or "keep".
    language
        Keep posts in this language, a code such as "en".
    language_by
        Package that detects the language, "py3langid" or "langid".
    query
        Keep posts that contain one of these terms. A dict from labels to terms also labels the posts; those that match
        several labels are dropped.
    min_posts
        Smallest number of posts of an author.
    in_network
        Keep only authors that have links.
    min_df, max_df
        Smallest and largest number (an int) or share (a float) of documents that contain a word.
    min_tokens
        Smallest number of tokens of a post.
    """

    missing_author: str = "drop"
    empty_posts: str = "drop"
    retweets: str = "keep"
    duplicates: str = "error"
    language: str | None = None
    language_by: str = "py3langid"
    query: Query | None = None
    min_posts: int = 1
    in_network: bool = False
    min_df: int | float = 1
    max_df: int | float = 1.0
    min_tokens: int = 1


class Options(TypedDict, total=False):
    """Every option by name, for those who call `read`."""

    encoding: str | None
    delimiter: str | None
    header: bool
    quoting: bool
    day_first: bool | None
    skip_bad_lines: bool
    missing_values: Iterable[str]
    tokeniser: str | Tokeniser
    stop_words: str | Iterable[str] | None
    min_length: int
    numbers: bool
    stem: str | None
    hashtags: str
    mentions: str
    urls: str
    emoji: str
    missing_author: str
    empty_posts: str
    retweets: str
    duplicates: str
    language: str | None
    language_by: str
    query: Query | None
    min_posts: int
    in_network: bool
    min_df: int | float
    max_df: int | float
    min_tokens: int


PLACES = ("drop", "words", "stream")
CHOICES = {
    "hashtags": PLACES,
    "mentions": PLACES,
    "urls": PLACES,
    "emoji": PLACES,
    "missing_author": ("drop", "keep", "error"),
    "empty_posts": ("drop", "keep"),
    "retweets": ("keep", "drop"),
    "duplicates": ("error", "drop", "keep"),
    "language_by": ("py3langid", "langid"),
}


# Parameters of `read` beside these options.
COLUMNS = ("text", "author", "tags", "time", "label", "id", "groups", "streams")
OTHERS = ("links", "vocabulary", "save_to")
# What reads new documents as the old ones were read; filters of posts and words are for one reading alone.
NAMED = ("text", "author", "tags", "time", "id")
ALIKE = (
    "groups",
    "streams",
    "encoding",
    "delimiter",
    "header",
    "quoting",
    "day_first",
    "missing_values",
    *(field.name for field in fields(TextOptions)),
)


def alike(given: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the options that later documents share, as JSON can say them: no columns of values.

    A tokeniser that is a function is None: it cannot be stored, and reading later documents differently would be wrong.
    """
    out = {name: given[name] for name in NAMED if isinstance(given.get(name), str | bool)}
    for name in ALIKE:
        value = given.get(name)
        if isinstance(value, list | tuple | set | frozenset) and all(isinstance(item, str) for item in value):
            out[name] = sorted(value)
        elif isinstance(value, Mapping) and all(isinstance(column, str) for column in value.values()):
            out[name] = dict(value)
        elif isinstance(value, str | bool | int) or (name == "stop_words" and name in given and value is None):
            out[name] = value
        elif name == "tokeniser" and callable(value):
            out[name] = None
    return out


def bundle(given: Mapping[str, Any]) -> tuple[FileOptions, TextOptions, FilterOptions]:
    """The three bundles, with every name and every choice checked."""
    kinds = (FileOptions, TextOptions, FilterOptions)
    known = {field.name: kind for kind in kinds for field in fields(kind)}
    given = {name: list(value) if isinstance(value, Iterator) else value for name, value in given.items()}
    for name, value in given.items():
        if name not in known:
            every = (*known, *COLUMNS, *OTHERS)
            near = get_close_matches(name, every, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(sorted(every))}"
            raise CorpusError(f"read has no option {name!r}; {hint}")
        if name in CHOICES and not (isinstance(value, str) and value in CHOICES[name]):
            raise CorpusError(f"{name}={value!r:.200}: choose one of {', '.join(map(repr, CHOICES[name]))}")
        check_kind(name, value)
    file, text, keep = ({k: v for k, v in given.items() if known[k] is kind} for kind in kinds)
    return FileOptions(**file), TextOptions(**text), FilterOptions(**keep)
