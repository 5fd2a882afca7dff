"""Figures for papers, by matplotlib (`pip install 'pitmanyor[figures]'`). Each function returns a Figure to save."""

from pitmanyor.figures.heat import author_heat_map
from pitmanyor.figures.network import draw_authors
from pitmanyor.figures.topics import topic_table
from pitmanyor.figures.traces import traces
from pitmanyor.figures.write import write_figures

__all__ = ["author_heat_map", "draw_authors", "topic_table", "traces", "write_figures"]
