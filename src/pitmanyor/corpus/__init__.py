"""Corpora: what was observed, as frozen arrays."""

from pitmanyor.corpus.corpus import Corpus
from pitmanyor.corpus.parts import Grouping, LinkSet, Stream
from pitmanyor.corpus.read_report import BadLine, Column, Filter, ReadReport

__all__ = ["BadLine", "Column", "Corpus", "Filter", "Grouping", "LinkSet", "ReadReport", "Stream"]
