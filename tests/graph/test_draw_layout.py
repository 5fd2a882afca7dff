"""The columns tell the story from left to right, and the document's plate holds only what is local."""

from itertools import combinations

import pytest

from pitmanyor.graph import Graph, mix, uniform
from pitmanyor.graph.draw_layout import lay_out
from pitmanyor.graph.draw_rows import Layout, Shape
from pitmanyor.models import author_topic, bursty, lda, tntm


def _width(name: str, shape: Shape) -> float:
    return 40.0


def _deep() -> Graph:
    g = Graph()
    g.gem("mu")
    g.pyp("party", base="mu", plate="party")
    g.pyp("nu", base="party", plate="author")
    g.pyp("day", base="mu", plate="day")
    g.pyp("both", base=mix("nu", "day", "mu"), plate=("author", "day"))
    g.pyp("theta", base=mix("both", "mu"), plate="document")
    g.pyp("short", base="mu", plate="document")
    g.pyp("gamma", base=uniform())
    g.pyp("phi", base="gamma", plate="topic")
    g.pyp("own", base="phi", plate=("author", "topic"))
    g.tokens("word", topic="theta", emit="own")
    g.tokens("title", topic="short", emit="phi")
    g.links("follows", between="nu")
    return g


GRAPHS = {"lda": lda(5), "author": author_topic(), "tntm": tntm(), "bursty": bursty(tntm()), "deep": _deep()}


@pytest.fixture(params=GRAPHS)
def layout(request: pytest.FixtureRequest) -> Layout:
    return lay_out(GRAPHS[request.param], _width)


def test_columns_of_the_tntm() -> None:
    items = lay_out(tntm(), _width).items
    order = ["mu0", "nu", "eta", "theta_tag", "theta", "z word", "word", "psi", "gamma"]
    assert [items[key].column for key in order] == list(range(9))
    assert items["mu1"].column == items["follows"].column == items["nu"].column


def test_local_columns_hold_nothing_shared(layout: Layout) -> None:
    local = {item.column for item in layout.items.values() if item.local}
    shared = {item.column for item in layout.items.values() if not item.local}
    assert not local & shared
    assert sorted(local) == list(range(min(local), max(local) + 1))


def test_blocks_do_not_overlap(layout: Layout) -> None:
    for one, other in combinations(layout.blocks, 2):
        if one.first <= other.last and other.first <= one.last:
            assert abs(one.y - other.y) >= one.half + other.half - 1e-9


def test_columns_go_right(layout: Layout) -> None:
    x = {item.column: item.x for item in layout.items.values()}
    assert list(x) and all(x[c + 1] - x[c] >= 40.0 for c in x if c + 1 in x)
