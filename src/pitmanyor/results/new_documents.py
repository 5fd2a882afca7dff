"""Whatever people have as a corpus: to be fitted, or as later documents of a fit."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from pitmanyor.corpus import Corpus
from pitmanyor.runs.directory import refuse_existing


def to_fit(source: Any, save_to: str | os.PathLike[str] | None, file: Path | None = None) -> Corpus:
    """A corpus as it is; anything else is read with `read`'s defaults, unless there is a run already.

    file: where the corpus is put that is read, if not in memory.
    """
    if isinstance(source, Corpus):
        return source
    if save_to is not None:
        refuse_existing(save_to)
    from pitmanyor.reading import read

    return read(source, save_to=file)


def to_infer(source: Any, fitted: Corpus, stream: str) -> Corpus:
    """A corpus as it is; anything else is read as the fitted one was, with a document for every post.

    stream: where token lists go.
    """
    if isinstance(source, Corpus):
        return source
    if isinstance(source, str):
        source = source if os.path.isfile(source) else [source]
    if isinstance(source, list | tuple) and source and all(isinstance(one, list | tuple) for one in source):
        return Corpus.from_tokens({stream: [list(map(str, tokens)) for tokens in source]})
    from pitmanyor.reading.later import read_later

    return read_later(source, fitted, {"empty_posts": "keep", "language": None})
