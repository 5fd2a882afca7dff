"""Where everything stands in the drawing of a graph. Pure Python, deterministic, made for a few dozen nodes.

The story runs from left to right: shared nodes over topics, local ones, tokens, local nodes over words, shared ones. A
local node never has a shared child, so the document's plate is always a block of neighbouring columns of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from pitmanyor.graph.draw_rows import Block, Item, Layout, Shape, place_rows
from pitmanyor.graph.nodes import Node

if TYPE_CHECKING:
    from pitmanyor.graph.graph import Graph

GAP = 46.0
DOCUMENT_GAP = 26.0


def lay_out(graph: Graph, width: Callable[[str, Shape], float]) -> Layout:
    """Places for all nodes, token streams (topic and token) and link sets; `width` measures a name in pixels."""
    items = _items(graph, width)
    blocks = _blocks(graph, items)
    layout = Layout(items, blocks, _edges(graph))
    _place_columns(layout)
    place_rows(layout)
    return layout


def _items(graph: Graph, width: Callable[[str, Shape], float]) -> dict[str, Item]:
    columns = _columns(graph)
    items = {
        node.name: Item(node.name, "node", columns[node.name], width(node.name, "node"), node.local)
        for node in graph.nodes
    }
    for stream in graph.streams:
        at = columns["tokens of a stream"]
        items[f"z {stream.name}"] = Item(f"z {stream.name}", "topic", at, width("z", "topic"), True)
        items[stream.name] = Item(stream.name, "tokens", at + 1, width(stream.name, "tokens"), True)
    for links in graph.link_sets:
        items[links.name] = Item(links.name, "links", columns[links.between], width(links.name, "links"))
    return items


def _columns(graph: Graph) -> dict[str, int]:
    """The column of every node: four sections one after the other, the longest path inside each."""
    up = _depths(graph.nodes, lambda node: [parent.name for parent in graph.parents(node.name)])
    down = _depths(graph.nodes[::-1], lambda node: [child.name for child in graph.children(node.name)])
    columns: dict[str, int] = {}
    at = 0
    for side, local, depth in (("topic", False, up), ("topic", True, up), ("word", True, down), ("word", False, down)):
        if side == "word" and local and graph.streams:
            columns["tokens of a stream"] = at
            at += 2
        section = [node for node in graph.nodes if (node.side, node.local) == (side, local)]
        columns.update({node.name: at + depth[node.name] for node in section})
        at += 1 + max((depth[node.name] for node in section), default=-1)
    return columns


def _depths(nodes: Iterable[Node], before: Callable[[Node], list[str]]) -> dict[str, int]:
    """Longest path to a node through nodes of its own section."""
    depth: dict[str, int] = {}
    kind: dict[str, tuple[str, bool]] = {}
    for node in nodes:
        kind[node.name] = (node.side, node.local)
        depth[node.name] = 1 + max((depth[b] for b in before(node) if kind[b] == kind[node.name]), default=-1)
    return depth


def _blocks(graph: Graph, items: dict[str, Item]) -> list[Block]:
    """One block for every plate other than the document's, one for every stream; all else stands alone."""
    boxed: dict[tuple[str, tuple[str, ...]], list[Item]] = defaultdict(list)
    alone: list[Block] = []
    for node in graph.nodes:
        if set(node.plate) <= {"document"}:
            alone.append(Block("", [items[node.name]]))
        else:
            boxed[node.side, node.plate].append(items[node.name])
    blocks = alone
    for (_, plate), members in boxed.items():
        blocks.append(Block(" × ".join(part for part in plate if part != "document"), members))
    blocks += [Block(f"each {s.name}", [items[f"z {s.name}"], items[s.name]]) for s in graph.streams]
    blocks += [Block("", [items[links.name]]) for links in graph.link_sets]
    return blocks


def _edges(graph: Graph) -> list[tuple[str, str]]:
    edges = [(parent, node.name) for node in graph.nodes for parent in node.parents]
    for s in graph.streams:
        edges += [(s.topic, f"z {s.name}"), (f"z {s.name}", s.name), (s.emit, s.name)]
    return edges + [(links.between, links.name) for links in graph.link_sets]


def _place_columns(layout: Layout) -> None:
    """Columns as wide as their widest item, with more room where the document's plate begins and ends."""
    widest: dict[int, float] = defaultdict(float)
    local: dict[int, bool] = {}
    for item in layout.items.values():
        widest[item.column] = max(widest[item.column], item.width)
        local[item.column] = item.local
    at, x = 0.0, {}
    for column in sorted(widest):
        at += DOCUMENT_GAP if local.get(column - 1, local[column]) != local[column] else 0.0
        x[column] = at + widest[column] / 2
        at += widest[column] + GAP
    for item in layout.items.values():
        item.x = x[item.column]
