"""Cells of seconds: a small simulated microblog with all columns, a row by its key, and what its cell comes to."""

from pitmanyor import Corpus, read, simulate_microblog
from pitmanyor.experiments.data import split
from pitmanyor.experiments.home import Facts
from pitmanyor.experiments.measures import compute
from pitmanyor.experiments.rows import Row, rows_of
from pitmanyor.experiments.settings import Kind, Settings

SHORT = {"sweeps": 12, "keep": 2}


def small_corpus() -> Corpus:
    blog = simulate_microblog(posts=150, authors=8, seed=1)
    return read(blog.records, links=blog.links, label="label", min_df=2)


def row_of(corpus: Corpus, settings: Settings, key: str) -> Row:
    return next(row for row in rows_of(settings, corpus) if row.key == key)


def cell(corpus: Corpus, kind: Kind, key: str, repeat: int = 0) -> Facts:
    settings = Settings(kind, **SHORT)
    return compute(row_of(corpus, settings, key), split(corpus, settings), settings, repeat)
