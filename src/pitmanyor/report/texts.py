"""The texts of posts, if their source file exists and has not changed."""

from __future__ import annotations

import html
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pitmanyor.corpus import Corpus
from pitmanyor.errors import CorpusError, FileError
from pitmanyor.files import file_checksum
from pitmanyor.reading.original_texts import original_texts, text_column
from pitmanyor.report.clean import clean
from pitmanyor.report.spans import align, cut

CHECKED = 200  # posts that are checked, and tokens of each
FOUND = 0.8  # share of their tokens that must be found


class Texts(NamedTuple):
    """A text for each document, or None; and a sentence on where they come from, or why there are none."""

    values: list[str] | None
    said: str


def read_texts(corpus: Corpus, file: Path | None = None) -> Texts:
    """The texts of all documents, from `file` or the source of the corpus.

    A file that is given must match. A run may be somebody else's and name any file of this machine, so the source is
    read only if it is the very file that was fitted, by its checksum. Otherwise tokens are shown and the page says so.
    """
    report, rows = corpus.report, corpus.rows
    if report is None or rows is None or text_column(report) is None:
        if file is not None:
            raise CorpusError(f"{file}: this corpus was not read from a table, so its texts cannot be found in one")
        return Texts(None, "The corpus was made of tokens, so these are tokens and not texts.")
    places = [file] if file is not None else [Path(name) for name in report.files or (report.source,)]
    if not all(place.is_file() for place in places):
        if file is not None:
            raise FileError(f"{file}: there is no such file; give the one that the posts were read from")
        return Texts(None, "The file that the posts were read from is not there, so these are tokens and not texts.")
    if file is None and (not report.files or [*map(file_checksum, report.files)] != [*report.checksums]):
        return Texts(None, "The file has changed since the posts were read, so these are tokens and not texts.")
    try:
        read = original_texts(places, report, rows)
    except CorpusError as error:
        if file is not None:
            raise
        return Texts(None, f"The texts could not be read again ({error}), so these are tokens and not texts.")
    found = None if read is None else [clean(html.unescape(text)) for text in read]
    if found is None or not _fit(corpus, found):
        if file is not None:
            raise FileError(f"{file}: its texts are not those of this run; give the file that was fitted")
        return Texts(
            None, "The file is not as the posts were read, or nothing tells, so these are tokens and not texts."
        )
    return Texts(found, f"Texts are from {clean(', '.join(place.name for place in places))}.")


def _fit(corpus: Corpus, texts: list[str]) -> bool:
    """Whether the words of some documents occur in their texts; the hashtags, if there are no words.

    Without any token it cannot be told whether these are the right texts.
    """
    checked = np.linspace(0, len(texts) - 1, min(CHECKED, len(texts))).astype(int).tolist()
    for name in sorted(corpus.streams, key=lambda name: name != "word"):
        n_tokens = n_found = 0
        for d in checked:
            tokens = _first_tokens(corpus, name, d)
            n_tokens += len(tokens)
            n_found += sum(place is not None for place in align(cut(texts[d]), tokens))
        if n_tokens:
            return n_found >= FOUND * n_tokens
    return False


def _first_tokens(corpus: Corpus, name: str, document: int) -> list[str]:
    stream = corpus.streams[name]
    start, end = stream.offsets[document : document + 2]
    return [corpus.vocabulary[w] for w in stream.words[start : min(end, start + CHECKED)]]
