"""Figures for papers, drawn with matplotlib (``pip install 'pitmanyor[figures]'``). Each function returns a Figure;
those of one panel draw on axes of yours, if they are given as `ax`."""

from pitmanyor.figures.all_figures import write_figures
from pitmanyor.figures.author_network import draw_authors
from pitmanyor.figures.heat import author_heat_map
from pitmanyor.figures.topic_table import topic_table
from pitmanyor.figures.traces import traces

__all__ = ["author_heat_map", "draw_authors", "topic_table", "traces", "write_figures"]
