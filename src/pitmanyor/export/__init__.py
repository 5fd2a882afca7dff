"""A fit for other tools: tables, graphs, ArviZ, pyLDAvis, MALLET. All of them use the names and merges of the run."""

from pitmanyor.export.arviz_draws import to_arviz, write_arviz
from pitmanyor.export.frames import as_frame, table
from pitmanyor.export.lda_tools import pyldavis, write_mallet, write_pyldavis
from pitmanyor.export.sheets import write_table
from pitmanyor.export.tables import tables, write_tables
from pitmanyor.export.xmlgraph import author_graph, write_gexf, write_graphml

__all__ = [
    "as_frame",
    "author_graph",
    "pyldavis",
    "table",
    "tables",
    "to_arviz",
    "write_arviz",
    "write_gexf",
    "write_graphml",
    "write_mallet",
    "write_pyldavis",
    "write_table",
    "write_tables",
]
