"""Posts by what they mention, as the paper builds its corpora: a term, a #tag or a phrase in the text."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from pitmanyor.errors import CorpusError
from pitmanyor.reading.lexicon import HASHTAG, KINDS, SEPARATOR, WORD, Lexicon
from pitmanyor.reading.options import Query

NO_HIT, SEVERAL = -1, -2


class Matcher:
    """Which label each post hits.

    A term such as `music` is hit by the word and by the hashtag, `#music` by the hashtag only, and `swine flu` by the
    two words in a row. Terms go the way of all words, so with stemming they hit every word of that stem.
    """

    def __init__(self, query: Query, lexicon: Lexicon) -> None:
        if isinstance(query, str):
            raise CorpusError(f"query={query!r}: give a list of terms, or a dict from labels to terms")
        spelled = query if isinstance(query, Mapping) else {term: term for term in query}
        if not spelled:
            raise CorpusError("query= has no term; give a list of terms, or leave it out")
        self.labels = tuple(spelled)
        self.phrases: list[tuple[int, tuple[tuple[int, ...], ...]]] = []
        for i, terms in enumerate(spelled.values()):
            for term in [terms] if isinstance(terms, str) else terms:
                self.phrases.append((i, _codes(term, lexicon)))

    def hits(self, codes: NDArray[np.int32], tags: NDArray[np.int64] | None, n_posts: int) -> NDArray[np.int16]:
        """By post: the label it hits, NO_HIT or SEVERAL. `tags` has pairs (post, word) of hashtags from a column."""
        post = np.cumsum(codes == SEPARATOR) - 1
        found = np.zeros((n_posts, len(self.labels)), bool)
        for label, phrase in self.phrases:
            at = np.isin(codes, phrase[0])
            for step, wanted in enumerate(phrase[1:], 1):
                at[:-step] &= np.isin(codes[step:], wanted)
                at[-step:] = False
            found[post[at], label] = True
            if tags is not None and len(phrase) == 1:
                found[tags[np.isin(tags[:, 1] * KINDS + HASHTAG, phrase[0]), 0], label] = True
        several = found.sum(1)
        return np.where(several > 1, SEVERAL, np.where(several == 1, found.argmax(1), NO_HIT)).astype(np.int16)


def _codes(term: str, lexicon: Lexicon) -> tuple[tuple[int, ...], ...]:
    """For each word of a term, the codes that match it."""
    out = []
    for part in term.lower().replace("-", " ").split():
        code = lexicon.code(part)
        if code < 0:
            raise CorpusError(
                f"query term {term!r}: {part!r} never becomes a token, for it is a stop word, too short, a number or "
                "of a kind that is dropped; change the term or the options of the text"
            )
        word = code // KINDS
        out.append((code,) if part.startswith("#") else (word * KINDS + WORD, word * KINDS + HASHTAG))
    if not out:
        raise CorpusError("query= has an empty term; remove it")
    return tuple(out)
