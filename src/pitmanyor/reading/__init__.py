"""From what people have to a Corpus: readers, text to tokens, filters, links."""

from pitmanyor.reading.options import FileOptions, FilterOptions, TextOptions
from pitmanyor.reading.read import read

__all__ = ["FileOptions", "FilterOptions", "TextOptions", "read"]
