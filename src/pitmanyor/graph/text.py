"""A graph as the Python code that declares it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pitmanyor.graph.nodes import Beta, Gamma, Links, Node, Tokens
from pitmanyor.graph.values import PRIOR, TOPIC_DISCOUNT, WORD_DISCOUNT

if TYPE_CHECKING:
    from pitmanyor.graph.graph import Graph

_DISCOUNT = {"topic": TOPIC_DISCOUNT, "word": WORD_DISCOUNT}


def declaration(graph: Graph) -> str:
    lines = ["g = Graph()"]
    lines += [node_line(node) for node in graph.nodes]
    lines += [_stream_line(stream) for stream in graph.streams]
    lines += [_links_line(links) for links in graph.link_sets]
    return "\n".join(lines)


def number(value: float) -> str:
    """The shortest text that parses to the same number."""
    text = repr(float(value))
    return text.removesuffix(".0")


def node_line(node: Node) -> str:
    """One declaration, without fields that have their default values."""
    parts = [_quote(node.name)]
    if node.kind == "dirichlet":
        parts.append(f"over={node.over if isinstance(node.over, int) else _quote(str(node.over))}")
    elif node.kind == "pyp":
        parts.append(f"base={base_text(node)}")
    if node.plate:
        plates = ", ".join(_quote(plate) for plate in node.plate)
        parts.append(f"plate={plates}" if len(node.plate) == 1 else f"plate=({plates})")
    if node.kind != "dirichlet" and node.discount != _DISCOUNT[node.side]:
        parts.append(f"discount={discount_text(node.discount)}")
    if node.concentration != PRIOR:
        parts.append(f"concentration={concentration_text(node.concentration)}")
    if node.concentration_per != "layer":
        parts.append(f"concentration_per={_quote(node.concentration_per)}")
    return f"g.{node.kind}({', '.join(parts)})"


def base_text(node: Node) -> str:
    if not node.parents:
        return f"uniform({_quote(str(node.over))})"
    parents = [_quote(parent) for parent in node.parents]
    if len(parents) == 1:
        return parents[0]
    if node.mix_weights is not None:
        parents.append(f"weights={_numbers(node.mix_weights)}")
    elif node.mix_prior is not None and set(node.mix_prior) != {1.0}:
        equal = len(set(node.mix_prior)) == 1
        parents.append(f"prior={number(node.mix_prior[0]) if equal else _numbers(node.mix_prior)}")
    return f"mix({', '.join(parents)})"


def discount_text(value: float | Beta) -> str:
    return f"Beta({number(value.alpha)}, {number(value.beta)})" if isinstance(value, Beta) else number(value)


def concentration_text(value: float | Gamma) -> str:
    return f"Gamma({number(value.shape)}, {number(value.rate)})" if isinstance(value, Gamma) else number(value)


def _stream_line(stream: Tokens) -> str:
    return f"g.tokens({_quote(stream.name)}, topic={_quote(stream.topic)}, emit={_quote(stream.emit)})"


FLAGS = ("intercept", "self_links", "popularity", "reciprocity")


def _links_line(links: Links) -> str:
    parts = [_quote(links.name), f"between={_quote(links.between)}"]
    if not links.directed:
        parts.append("directed=False")
    if links.kernel != "similarity":
        parts.append(f"kernel={_quote(links.kernel)}")
    parts += [f"{flag}=True" for flag in FLAGS if getattr(links, flag)]
    scales = {name: getattr(links, name) for name in ("signal", "length", "noise")}
    parts += [f"{name}={number(value)}" for name, value in scales.items() if value != 1.0]
    return f"g.links({', '.join(parts)})"


def _numbers(values: tuple[float, ...]) -> str:
    return f"({', '.join(map(number, values))})"


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
