"""The heights in a drawing: blocks of items slide up and down their columns until the edges run well.

Descent on a score: the length of the edges, their crossings, edges that run through an item, overlaps of blocks.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import combinations
from math import ceil, inf
from typing import Literal

STEP = 0.25
CLEAR = 0.42
OVERLAP, THROUGH, CROSSING = 1000.0, 12.0, 4.0
Shape = Literal["node", "topic", "tokens", "links"]


@dataclass
class Item:
    """One thing to draw, at (x pixels, y rows)."""

    key: str
    shape: Shape
    column: int
    width: float
    local: bool = False
    x: float = 0.0
    y: float = 0.0


@dataclass
class Block:
    """Items that move together; with a label it is a plate's box."""

    label: str
    items: list[Item]
    y: float = 0.0
    offset: dict[str, float] = field(default_factory=dict)

    def stack(self) -> None:
        """Place the items of every column one under the other, centred on the block."""
        columns: dict[int, list[Item]] = defaultdict(list)
        for item in self.items:
            columns[item.column].append(item)
        self.offset = {item.key: i - (len(c) - 1) / 2 for c in columns.values() for i, item in enumerate(c)}
        self.half = max(map(len, columns.values())) / 2 + (0.2 if self.label else 0.0)
        self.first, self.last = min(columns), max(columns)

    def move(self, y: float) -> None:
        self.y = y
        for item in self.items:
            item.y = y + self.offset[item.key]


@dataclass
class Layout:
    items: dict[str, Item]
    blocks: list[Block]
    edges: list[tuple[str, str]]


class Score:
    """How bad the present heights are. The columns stand still, so what can meet at all is found once."""

    def __init__(self, layout: Layout) -> None:
        items = layout.items
        self.lines = [(items[a], items[b]) for a, b in layout.edges]
        self.rivals = [
            (one, other)
            for one, other in combinations(layout.blocks, 2)
            if one.first <= other.last and other.first <= one.last
        ]
        self.in_the_way = [(a, b, item) for a, b in self.lines for item in items.values() if _may_hit(a, b, item)]
        self.pairs = [(*one, *other) for one, other in combinations(self.lines, 2) if _may_cross(*one, *other)]

    def __call__(self, limit: float = inf) -> float:
        """The score, or any number above `limit` as soon as that is passed."""
        cost = OVERLAP * sum(max(0.0, one.half + other.half - abs(one.y - other.y)) for one, other in self.rivals)
        cost += sum((a.y - b.y) ** 2 for a, b in self.lines)
        if cost > limit:
            return cost
        cost += sum(_collision(a, b, item) for a, b, item in self.in_the_way)
        return cost + CROSSING * sum(_cross(*pair) for pair in self.pairs)


def place_rows(layout: Layout) -> None:
    """Coordinate descent from a plain stack: move a block, exchange two, or two items of a block, while it helps."""
    at: dict[int, float] = defaultdict(float)
    for block in layout.blocks:
        block.stack()
        top = max(at[column] for column in range(block.first, block.last + 1))
        block.move(STEP * ceil((top + block.half) / STEP))
        at.update(dict.fromkeys(range(block.first, block.last + 1), block.y + block.half))
    heights = [STEP * i for i in range(ceil(max(at.values(), default=0) / STEP) + 1)]
    score = Score(layout)
    best = score()
    while True:
        before = best
        for block in layout.blocks:
            best = _best_move(score, block, heights, best)
        for one, other in combinations(layout.blocks, 2):
            best = _try_exchange(score, one, other, best)
        for block in layout.blocks:
            best = _try_reorder(score, block, best)
        if best > before - 1e-9:
            return


def _best_move(score: Score, block: Block, heights: list[float], best: float) -> float:
    home = block.y
    for y in heights:
        block.move(y)
        cost = score(best)
        if cost < best - 1e-9:
            best, home = cost, y
    block.move(home)
    return best


def _try_exchange(score: Score, one: Block, other: Block, best: float) -> float:
    here, there = one.y, other.y
    one.move(there)
    other.move(here)
    cost = score(best)
    if cost < best - 1e-9:
        return cost
    one.move(here)
    other.move(there)
    return best


def _try_reorder(score: Score, block: Block, best: float) -> float:
    for i, j in combinations(range(len(block.items)), 2):
        items = block.items
        if items[i].column != items[j].column:
            continue
        items[i], items[j] = items[j], items[i]
        block.stack()
        block.move(block.y)
        cost = score(best)
        if cost < best - 1e-9:
            best = cost
        else:
            items[i], items[j] = items[j], items[i]
            block.stack()
            block.move(block.y)
    return best


def _may_hit(a: Item, b: Item, item: Item) -> bool:
    if item is a or item is b:
        return False
    return item.x == a.x if a.x == b.x else min(a.x, b.x) < item.x < max(a.x, b.x)


def _collision(a: Item, b: Item, item: Item) -> float:
    if a.x == b.x:
        return THROUGH if min(a.y, b.y) < item.y < max(a.y, b.y) else 0.0
    slope = (b.y - a.y) / (b.x - a.x)
    middle = a.y + slope * (item.x - a.x) - item.y
    distance = max(0.0, abs(middle) - abs(slope) * item.width / 2)
    return THROUGH * max(0.0, 1 - distance / CLEAR)


def _may_cross(a: Item, b: Item, c: Item, d: Item) -> bool:
    apart = a is not c and a is not d and b is not c and b is not d
    return apart and min(a.x, b.x) <= max(c.x, d.x) and min(c.x, d.x) <= max(a.x, b.x)


def _cross(a: Item, b: Item, c: Item, d: Item) -> bool:
    return _turn(a, b, c) * _turn(a, b, d) < 0 and _turn(c, d, a) * _turn(c, d, b) < 0


def _turn(a: Item, b: Item, c: Item) -> float:
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
