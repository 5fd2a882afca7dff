"""Drawings of a graph: a plate diagram as SVG, and Graphviz's DOT for custom styles."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from html import escape
from math import hypot
from typing import TYPE_CHECKING

from pitmanyor.graph.draw_layout import lay_out
from pitmanyor.graph.draw_rows import Item, Layout, Shape
from pitmanyor.graph.nodes import Node
from pitmanyor.graph.text import discount_text, node_line, number

if TYPE_CHECKING:
    from pitmanyor.graph.graph import Graph

ROW = 84.0
HEIGHT = 36.0
NOTE = 19.0
MARGIN = 16.0
PAD = 13.0
GREEK = {unicodedata.name(letter).split()[-1].lower(): letter for letter in "αβγδεζηθικμνξπρστφχψω"} | {"lambda": "λ"}
# Every rule is scoped, for the style of an inline SVG holds for the whole page.
_RULES = """
text {font-family:"Helvetica Neue",Helvetica,Arial,"DejaVu Sans",sans-serif;text-anchor:middle;fill:#1f2933}
.name {font-size:15px}
.greek {font-size:18px;font-style:italic}
.sub {font-size:11px;text-anchor:start}
.note {font-size:10px;fill:#7b8794}
.plate {fill:#5b6b7c;fill-opacity:.05;stroke:#9aa5b1;stroke-width:1}
.label {font-size:11px;fill:#52606d;text-anchor:end}
.topic {fill:#e3eefb;stroke:#2f6fb3;stroke-width:1.4}
.word {fill:#e6f4ea;stroke:#2e8b57;stroke-width:1.4}
.latent {fill:#fff;stroke:#52606d;stroke-width:1.4}
.seen {fill:#c9ced6;stroke:#3e4c59;stroke-width:1.4}
.root {fill:none}
.edge {stroke:#52606d;stroke-width:1.4;fill:none}
.mixed {stroke:#c2571a}
"""
STYLE = "".join(f".pitmanyor-graph {rule}" for rule in _RULES.strip().splitlines())
MARKERS = "".join(
    f'<marker id="{key}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
    f'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 .8 8 4 0 7.2z" fill="{fill}"/></marker>'
    for key, fill in (("pitmanyor-arrow", "#52606d"), ("pitmanyor-arrow-mixed", "#c2571a"))
)


def to_svg(graph: Graph) -> str:
    """A self-contained SVG; hovering over a node shows its declaration."""
    layout = lay_out(graph, _width)
    for item in layout.items.values():
        item.y *= ROW
    boxes = _boxes(layout)
    body = [_plate(box) for box in boxes]
    body += [_edge(graph, layout, boxes, source, target) for source, target in layout.edges]
    body += [_item(graph, item) for item in layout.items.values()]
    extents = [(box.left, box.top, box.right, box.bottom) for box in boxes]
    extents += [_extent(item) for item in layout.items.values()]
    lefts, tops, rights, bottoms = zip(*extents, strict=True) if extents else ((0.0,),) * 4
    x, y = min(lefts) - MARGIN, min(tops) - MARGIN
    width, height = max(rights) + MARGIN - x, max(bottoms) + MARGIN - y
    frame = f'viewBox="{x:.1f} {y:.1f} {width:.1f} {height:.1f}" width="{width:.0f}" height="{height:.0f}"'
    head = f'<svg class="pitmanyor-graph" xmlns="http://www.w3.org/2000/svg" {frame} role="img">'
    head += f"<style>{STYLE}</style><defs>{MARKERS}</defs>"
    paper = f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="#fff"/>'
    return "\n".join([head, paper, *body, "</svg>"])


def _extent(item: Item) -> tuple[float, float, float, float]:
    below = NOTE if item.shape == "node" else 0.0
    return item.x - item.width / 2, item.y - HEIGHT / 2, item.x + item.width / 2, item.y + HEIGHT / 2 + below


def _width(name: str, shape: Shape) -> float:
    least = HEIGHT if shape in ("node", "topic") else 58.0
    return max(least, sum(_text_widths(*_split(name))) + 20)


def _text_widths(stem: str, rest: str) -> tuple[float, float]:
    return 9.0 * len(stem) + 1.0, 6.4 * len(rest)


def _split(name: str) -> tuple[str, str]:
    """A symbol and its subscript: theta_tag is θ with 'tag', mu0 is μ with '0'; other names stay whole."""
    match = re.fullmatch(r"([a-z]+?)(?:_(\w+)|(\d+))?", name)
    if match and match[1] in GREEK:
        return GREEK[match[1]], (match[2] or match[3] or "").replace("_", " ")
    return name, ""


@dataclass(frozen=True)
class Box:
    """A plate's rectangle around its items."""

    label: str
    keys: tuple[str, ...]
    left: float
    top: float
    right: float
    bottom: float


def _boxes(layout: Layout) -> list[Box]:
    """The document's box first, so that the others are drawn on it."""
    local = [item for item in layout.items.values() if item.local]
    plates = [("document", local, 2.2 * PAD)] if local else []
    plates += [(block.label, block.items, PAD) for block in layout.blocks if block.label]
    boxes = []
    for label, items, pad in plates:
        left, right = min(i.x - i.width / 2 for i in items) - pad, max(i.x + i.width / 2 for i in items) + pad
        top, bottom = min(i.y for i in items) - HEIGHT / 2 - pad, max(i.y for i in items) + HEIGHT / 2 + NOTE + pad
        boxes.append(Box(label, tuple(item.key for item in items), left, top, right, bottom))
    return boxes


def _plate(box: Box) -> str:
    width, height = box.right - box.left, box.bottom - box.top
    return (
        f'<rect class="plate" x="{box.left:.1f}" y="{box.top:.1f}" width="{width:.1f}" height="{height:.1f}" rx="8"/>'
        f'<text class="label" x="{box.right - 8:.1f}" y="{box.bottom - 5:.1f}">{escape(box.label)}</text>'
    )


def _edge(graph: Graph, layout: Layout, boxes: list[Box], source: str, target: str) -> str:
    a, b = layout.items[source], layout.items[target]
    (x1, y1), (x2, y2) = _border(a, b), _border(b, a)
    alone = next((box for box in boxes if box.keys == (source,)), None)
    if b.shape == "links" and alone:  # links join the instances of a plate, so they start at its box
        y1 = alone.bottom if y2 > y1 else alone.top
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    node = graph[target] if b.shape == "node" else None
    if node is None or len(node.parents) < 2:
        return f'<line class="edge" marker-end="url(#pitmanyor-arrow)" {ends}/>'
    weight = "learned" if node.mix_weights is None else number(node.mix_weights[node.parents.index(source)])
    return (
        f'<line class="edge mixed" marker-end="url(#pitmanyor-arrow-mixed)" {ends}>'
        f"<title>{source} in the mixture of {target}: weight {weight}</title></line>"
    )


def _border(item: Item, towards: Item) -> tuple[float, float]:
    """Where the line to another item leaves the pill around this one: two half circles joined by a bar."""
    radius, bar = HEIGHT / 2, (item.width - HEIGHT) / 2
    dx, dy = towards.x - item.x, towards.y - item.y
    if dy and abs(dx * radius / dy) <= bar:
        return item.x + dx * radius / abs(dy), item.y + (radius if dy > 0 else -radius)
    # on the half circle around (centre, 0): |t (dx, dy) - (centre, 0)| = radius
    centre = bar if dx > 0 else -bar
    length = hypot(dx, dy)
    ux, uy = dx / length, dy / length
    t = ux * centre + ((ux * centre) ** 2 - bar**2 + radius**2) ** 0.5
    return item.x + t * ux, item.y + t * uy


def _item(graph: Graph, item: Item) -> str:
    node = graph[item.key] if item.shape == "node" else None
    kind = node.side if node else "latent" if item.shape == "topic" else "seen"
    stem, rest = _split("z" if item.shape == "topic" else item.key)
    radius = 4 if item.shape == "links" else HEIGHT / 2
    left, top = item.x - item.width / 2, item.y - HEIGHT / 2
    size = f'width="{item.width:.1f}" height="{HEIGHT}" rx="{radius}"'
    parts = [f'<rect class="{kind}" x="{left:.1f}" y="{top:.1f}" {size}/>']
    if node and not node.parents:  # a second outline marks a root
        parts.append(
            f'<rect class="{kind} root" x="{left + 3:.1f}" y="{top + 3:.1f}" '
            f'width="{item.width - 6:.1f}" height="{HEIGHT - 6}" rx="{radius - 3}"/>'
        )
    symbol = "greek" if item.shape == "topic" or stem != item.key else "name"
    stem_width, rest_width = _text_widths(stem, rest)
    x, y = item.x - rest_width / 2, item.y + 5
    parts.append(f'<text class="{symbol}" x="{x:.1f}" y="{y:.1f}">{escape(stem)}</text>')
    if rest:
        parts.append(f'<text class="sub" x="{x + stem_width / 2 + 1:.1f}" y="{y + 4:.1f}">{escape(rest)}</text>')
    if node:
        parts.append(f'<text class="note" x="{item.x:.1f}" y="{item.y + HEIGHT / 2 + 12:.1f}">{_note(node)}</text>')
    title = node_line(node) if node else item.key
    return f"<g><title>{escape(title)}</title>{''.join(parts)}</g>"


def _note(node: Node) -> str:
    if node.kind == "dirichlet":
        return f"Dirichlet {node.over}" if isinstance(node.over, int) else "Dirichlet"
    return f"{'GEM' if node.kind == 'gem' else 'PYP'} {discount_text(node.discount)}"


def to_dot(graph: Graph) -> str:
    """DOT with one cluster per plate; a crossed plate is a cluster inside the document's, or one of its own."""
    lines = ["digraph {", "  rankdir=LR;", "  node [shape=ellipse];"]
    plates: dict[tuple[str, ...], list[str]] = {}
    for node in graph.nodes:
        outline = " peripheries=2" if not node.parents else ""
        plates.setdefault(node.plate, []).append(f'"{node.name}" [tooltip="{_dot(node_line(node))}"{outline}];')
    for stream in graph.streams:
        plates.setdefault(("document",), []).append(f'"{stream.name}" [style=filled fillcolor=lightgrey];')
    for plate, members in plates.items():
        lines += _cluster(plate, members)
    for links in graph.link_sets:
        lines.append(f'  "{links.name}" [shape=box style=filled fillcolor=lightgrey];')
    for node in graph.nodes:
        style = " [color=chocolate]" if len(node.parents) > 1 else ""
        lines += [f'  "{parent}" -> "{node.name}"{style};' for parent in node.parents]
    for stream in graph.streams:
        lines += [f'  "{stream.topic}" -> "{stream.name}";', f'  "{stream.emit}" -> "{stream.name}";']
    lines += [f'  "{links.between}" -> "{links.name}";' for links in graph.link_sets]
    return "\n".join([*lines, "}"])


def _cluster(plate: tuple[str, ...], members: list[str]) -> list[str]:
    """Nested clusters, the document outermost; Graphviz joins clusters of the same name."""
    names = sorted(plate, key=lambda part: (part != "document", part))
    lines = []
    for depth, name in enumerate(names):
        key = "cluster_" + "_x_".join(re.sub(r"\W", "_", part) for part in names[: depth + 1])
        lines.append(f'{"  " * (depth + 1)}subgraph {key} {{ label="{_dot(name)}";')
    lines += ["  " * (len(names) + 1) + member for member in members]
    return lines + ["  " * (depth + 1) + "}" for depth in reversed(range(len(names)))]


def _dot(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
