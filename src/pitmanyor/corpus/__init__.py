"""Corpora: what was observed, as frozen arrays."""

from pitmanyor.corpus.corpus import Corpus, Grouping, LinkSet, Stream

__all__ = ["Corpus", "Grouping", "LinkSet", "Stream"]
