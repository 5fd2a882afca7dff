"""Checks of a single declaration, given those before it. Checks of the whole graph are in `validate.py`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import get_args

from pitmanyor.errors import GraphError
from pitmanyor.graph.bases import check_parents
from pitmanyor.graph.nodes import Kernel, Links, Node, Side, Tokens
from pitmanyor.graph.values import (
    as_concentration,
    as_concentration_per,
    as_discount,
    as_name,
    as_over,
    as_plate,
    as_prior,
    as_scale,
    as_weights,
)


def in_order(nodes: Iterable[Node]) -> list[Node]:
    """Sort parents before children, otherwise in the given order."""
    waiting = list(nodes)
    names = {node.name for node in waiting}
    placed: dict[str, Node] = {}
    while waiting:
        ready = next((node for node in waiting if all(p in placed or p not in names for p in node.parents)), None)
        if ready is None:
            around = ", ".join(repr(node.name) for node in waiting)
            raise GraphError(f"the bases of {around} form a cycle; one of these nodes needs another base")
        placed[ready.name] = ready
        waiting.remove(ready)
    return list(placed.values())


def checked_node(node: Node, earlier: Mapping[str, Node]) -> Node:
    """Return the node with canonical values and its side (topics or words), or raise a GraphError."""
    name = as_name("node", node.name)
    parents = [_parent(name, parent, earlier) for parent in node.parents]
    over = None if node.over is None else as_over(name, node.over)
    node = replace(
        node,
        over=over,
        plate=as_plate(name, node.plate),
        discount=as_discount(name, node.discount),
        concentration=as_concentration(name, node.concentration),
        concentration_per=as_concentration_per(name, node.concentration_per),
        side=_side(node, parents),
    )
    _check_kind(node)
    _check_plate(node, parents)
    vocabularies = {vocabulary(parent.name, earlier) for parent in parents}
    if len(vocabularies) > 1:
        listed = " and ".join(sorted(map(repr, vocabularies)))
        raise GraphError(f"{name!r} mixes parents over different vocabularies, {listed}; all must be over the same")
    return _checked_mix(node)


def _parent(name: str, parent: str, earlier: Mapping[str, Node]) -> Node:
    if parent not in earlier:
        known = ", ".join(map(repr, earlier)) or "none yet"
        raise GraphError(
            f"the base {parent!r} of {name!r} is not a node of this graph; declare it first (there are {known})"
        )
    return earlier[parent]


def _side(node: Node, parents: list[Node]) -> Side:
    if not parents:
        return "word" if isinstance(node.over, str) else "topic"
    first = parents[0]
    for other in parents[1:]:
        if other.side != first.side:
            raise GraphError(
                f"{node.name!r} mixes {first.name!r}, a distribution over {first.side}s, with {other.name!r}, one over "
                f"{other.side}s; a node is over topics or over words, so mix parents of one side only"
            )
    return first.side


def _check_kind(node: Node) -> None:
    name = node.name
    if node.kind == "gem":
        if node.parents or node.over is not None:
            raise GraphError(
                f"{name!r} is a gem, the root of infinitely many topics, and has no base; use pyp for a base"
            )
        if node.plate:
            raise GraphError(
                f"{name!r} is a gem with plate {plate_text(node.plate)}, but the topics have one root for all; "
                f"declare a gem without a plate and a pyp per {plate_text(node.plate)} with it as base"
            )
    elif node.kind == "dirichlet":
        if node.parents or node.over is None:
            raise GraphError(f"{name!r} is a dirichlet, which is a root: say what it is `over` and give it no base")
        if node.discount:
            raise GraphError(f"{name!r} is a dirichlet and has no discount; use pyp over uniform(...) for a power law")
    elif node.kind == "pyp":
        if not node.parents and not isinstance(node.over, str):
            raise GraphError(f"{name!r} is a pyp without a base; give it a node, mix(...) or uniform('vocabulary')")
        if node.parents and node.over is not None:
            raise GraphError(f"{name!r} has both parents and a vocabulary of its own; give it one base")
    else:
        raise GraphError(f"{name!r} is of kind {node.kind!r}; the kinds are 'gem', 'pyp' and 'dirichlet'")


def _check_plate(node: Node, parents: list[Node]) -> None:
    """Raise if a child's plate does not determine its parent's instance, as far as can be told without a corpus."""
    if node.side == "topic" and node.per_topic:
        raise GraphError(
            f"{node.name!r} is a distribution over topics and cannot be repeated per topic; drop that plate"
        )
    groupings = set(node.plate) - {"topic"}
    for parent in parents:
        for plate in ("topic", "document"):
            if plate in parent.plate and plate not in node.plate:
                raise GraphError(
                    f"{node.name!r} is {_per(node)} but its base {parent.name!r} is per {plate}, so it is ambiguous "
                    f"which {plate}'s is meant; add {plate!r} to its plate, or give it a base that all share"
                )
        if not groupings and set(parent.plate) - {"topic"}:
            raise GraphError(
                f"{node.name!r} is {_per(node)} but its base {parent.name!r} is {_per(parent)}, so it is ambiguous "
                f"which one is meant; give {node.name!r} that plate too, or another base"
            )


def _checked_mix(node: Node) -> Node:
    place = f"the base of {node.name!r}"
    n_parents = len(node.parents)
    if n_parents < 2:
        if node.mix_prior is not None or node.mix_weights is not None:
            raise GraphError(f"{place} is not a mixture, so it has no mixing prior or weights")
        return node
    check_parents(place, node.parents)
    if (node.mix_prior is None) == (node.mix_weights is None):
        raise GraphError(f"{place} mixes {n_parents} parents and needs either a prior or fixed weights")
    if node.mix_prior is not None:
        return replace(node, mix_prior=as_prior(place, n_parents, node.mix_prior))
    return replace(node, mix_weights=as_weights(place, n_parents, node.mix_weights))


def vocabulary(name: str, nodes: Mapping[str, Node]) -> str | None:
    """The vocabulary of a node over words; None for a node over topics."""
    node = nodes[name]
    while node.parents:
        node = nodes[node.parents[0]]
    return node.over if isinstance(node.over, str) else None


def checked_stream(stream: Tokens, nodes: Mapping[str, Node]) -> Tokens:
    name = as_name("token stream", stream.name)
    for role, side, of in (("topic", "topic", stream.topic), ("emit", "word", stream.emit)):
        if of not in nodes:
            raise GraphError(
                f"the stream {name!r} has {role}={of!r}, which is not a node of this graph; declare it first"
            )
        if nodes[of].side != side:
            raise GraphError(
                f"the stream {name!r} has {role}={of!r}, a distribution over {nodes[of].side}s; `topic` takes a "
                "node over topics (it leads to a gem), `emit` one over words (it leads to a vocabulary)"
            )
    own = vocabulary(stream.emit, nodes)
    if own not in ("vocabulary", name):
        raise GraphError(
            f"the stream {name!r} emits from {stream.emit!r}, which is over the words of {own!r}; a stream's words "
            f"are over 'vocabulary', shared by all streams, or {name!r}, its own"
        )
    return stream


def checked_links(links: Links, nodes: Mapping[str, Node]) -> Links:
    name = as_name("link set", links.name)
    if links.between not in nodes:
        raise GraphError(f"the links {name!r} are between {links.between!r}, which is not a node; declare it first")
    node = nodes[links.between]
    if node.side != "topic":
        raise GraphError(
            f"the links {name!r} are between {node.name!r}, a distribution over words; take one over topics"
        )
    if len(node.plate) != 1 or node.local:
        raise GraphError(
            f"the links {name!r} are between {node.name!r}, which is {_per(node)}; links join the instances of one "
            "grouping, so take a node with a plate such as 'author'"
        )
    if links.kernel not in get_args(Kernel):
        raise GraphError(
            f"the links {name!r} have kernel={links.kernel!r}; the kernels are 'similarity', 'pair', 'blocks' and "
            "'traits'"
        )
    _check_kernel(links)
    return replace(
        links,
        signal=as_scale(name, "signal", links.signal, 0.0, 100.0),
        length=as_scale(name, "length", links.length, 0.01, 1e6),
        noise=as_scale(name, "noise", links.noise, 0.0, 30.0),
    )


def _check_kernel(links: Links) -> None:
    """Options of one kernel are refused with another."""
    effects = [option for option in ("popularity", "reciprocity") if getattr(links, option)]
    others = [name for name in ("intercept", "self_links") if getattr(links, name)]
    others += [name for name in ("signal", "length", "noise") if getattr(links, name) != 1.0]
    has_effects = links.kernel in ("blocks", "traits")
    if has_effects and others:
        raise GraphError(
            f'the links {links.name!r} have kernel="{links.kernel}", which has no {others[0]}; leave it out, or take '
            'kernel="similarity"'
        )
    if not has_effects and effects:
        raise GraphError(
            f"the links {links.name!r} have {effects[0]}=True and kernel={links.kernel!r}; it is a part of "
            'kernel="blocks" and kernel="traits"'
        )
    if links.kernel == "traits" and not links.directed:
        raise GraphError(
            f'the links {links.name!r} are undirected, and with kernel="traits" sources and targets have traits of '
            'their own; give every link in both directions, with directed=True, or take kernel="blocks"'
        )
    if links.reciprocity and not links.directed:
        raise GraphError(f"the links {links.name!r} are undirected, so none of them answers another; reciprocity=False")


def plate_text(plate: Iterable[str]) -> str:
    return " x ".join(plate) or "global"


def _per(node: Node) -> str:
    return f"per {plate_text(node.plate)}" if node.plate else "global"
