"""The heights of a drawing: nothing overlaps, and edges avoid what they can."""

import pytest

from pitmanyor.graph.draw_rows import CROSSING, THROUGH, Block, Item, Layout, Score, place_rows


def _item(key: str, column: int, y: float = 0.0) -> Item:
    return Item(key, "node", column, 36.0, x=100.0 * column, y=y)


def _layout(columns: dict[str, int], edges: list[tuple[str, str]]) -> Layout:
    items = {key: _item(key, column) for key, column in columns.items()}
    return Layout(items, [Block("", [item]) for item in items.values()], edges)


def test_the_score_counts_crossings_and_collisions() -> None:
    layout = _layout({"a": 0, "b": 0, "c": 1, "d": 1}, [("a", "d"), ("b", "c")])
    for block, y in zip(layout.blocks, (0, 1, 0, 1), strict=True):
        block.stack()
        block.move(y)
    assert Score(layout)() == pytest.approx(2 + CROSSING)
    straight = _layout({"a": 0, "between": 1, "b": 2}, [("a", "b")])
    for block in straight.blocks:
        block.stack()
    assert Score(straight)() == pytest.approx(THROUGH)


def test_a_chain_is_straight() -> None:
    layout = _layout({"a": 0, "b": 1, "c": 2}, [("a", "b"), ("b", "c")])
    place_rows(layout)
    assert len({item.y for item in layout.items.values()}) == 1


def test_crossed_edges_are_uncrossed() -> None:
    layout = _layout({"a": 0, "b": 0, "c": 1, "d": 1}, [("a", "d"), ("b", "c")])
    place_rows(layout)
    y = {key: item.y for key, item in layout.items.items()}
    assert (y["a"] - y["b"]) * (y["d"] - y["c"]) > 0 and abs(y["a"] - y["b"]) >= 1


def test_an_edge_goes_round_what_stands_between() -> None:
    layout = _layout({"a": 0, "b": 1, "c": 2}, [("a", "b"), ("b", "c"), ("a", "c")])
    place_rows(layout)
    a, b, c = (layout.items[key].y for key in "abc")
    assert abs(b - (a + c) / 2) >= 0.5


def test_the_items_of_a_block_are_reordered() -> None:
    items = {key: _item(key, column) for key, column in {"a": 0, "b": 0, "c": 1, "d": 1}.items()}
    blocks = [Block("left", [items["a"], items["b"]]), Block("right", [items["c"], items["d"]])]
    layout = Layout(items, blocks, [("a", "d"), ("b", "c")])
    place_rows(layout)
    assert (items["a"].y, items["b"].y) == (items["d"].y, items["c"].y)
