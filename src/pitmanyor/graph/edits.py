"""Edits of graphs. Each returns a new graph and leaves the old one unchanged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from pitmanyor.errors import GraphError
from pitmanyor.graph.bases import Base, base_fields
from pitmanyor.graph.nodes import Links, Node
from pitmanyor.graph.validate import lineage, needs, text_needs
from pitmanyor.graph.values import as_prior

if TYPE_CHECKING:
    from pitmanyor.graph.graph import Graph

LINK_FIELDS = tuple(field.name for field in fields(Links) if field.name != "name")
_FIELDS = ("discount", "concentration", "concentration_per", "plate", "mix_prior", "mix_weights")


def without(graph: Graph, name: str) -> Graph:
    """Remove an item, then everything that cannot exist without it, then everything that is no longer needed.

    A node is removed when all its parents are. A mixture that loses a parent keeps the others: priors stay, fixed
    weights are rescaled, and a mixture of one becomes a plain base.
    """
    if name not in graph:
        known = ", ".join(map(repr, graph.names)) or "nothing"
        raise GraphError(f"this graph has no {name!r} to remove; it has {known}")
    gone = {name}
    kept = []
    for node in graph.nodes:
        parents = [parent for parent in node.parents if parent not in gone]
        if node.name in gone or (node.parents and not parents):
            gone.add(node.name)
        else:
            kept.append(node if len(parents) == len(node.parents) else _with_parents(node, parents))
    streams = [s for s in graph.streams if not gone & {s.name, s.topic, s.emit}]
    links = [item for item in graph.link_sets if not gone & {item.name, item.between}]
    left = _drop_idle(graph, graph.from_parts(kept, streams, links))
    if not left.nodes:
        raise GraphError(
            f"nothing would be left without {name!r}: everything depends on it; "
            "to replace it, use rebase(...) on its children"
        )
    return left


def _with_parents(node: Node, parents: list[str]) -> Node:
    """The node with only these parents of its mixture."""
    if len(parents) == 1:
        return replace(node, parents=tuple(parents), mix_prior=None, mix_weights=None)
    index = [node.parents.index(parent) for parent in parents]
    prior, weights = node.mix_prior, node.mix_weights
    if prior is not None:
        return replace(node, parents=tuple(parents), mix_prior=tuple(prior[i] for i in index))
    kept = [weights[i] for i in index] if weights is not None else []
    return replace(node, parents=tuple(parents), mix_weights=tuple(weight / sum(kept) for weight in kept))


def rebase(graph: Graph, name: str, base: Base) -> Graph:
    """Give a pyp another base of the same side, then remove what is no longer needed."""
    node = graph[name]
    if node.kind != "pyp":
        raise GraphError(f"{name!r} is a {node.kind}, a root without a base; only a pyp can be rebased")
    fields = base_fields(name, base, graph.by_name)
    for parent in fields.parents:
        if name in lineage(graph, [parent]):
            raise GraphError(f"{parent!r} cannot be a base of {name!r}, because it descends from it")
    sides = {graph[parent].side for parent in fields.parents} or {"word"}
    if sides != {node.side}:
        other = "words" if node.side == "topic" else "topics"
        raise GraphError(
            f"{name!r} is a distribution over {node.side}s and the new base is over {other}; "
            "give it a base of its own side"
        )
    return _drop_idle(graph, _with_nodes(graph, {name: replace(node, **fields._asdict())}))


def set_fields(graph: Graph, pattern: str, changes: Mapping[str, Any]) -> Graph:
    """Change fields of all nodes whose names match a shell-style pattern, or of a link set by its name.

    With a wildcard, nodes that cannot have the field (a dirichlet has no discount) are skipped; by name it is an error.
    """
    if any(links.name == pattern for links in graph.link_sets):
        return _set_links(graph, pattern, changes)
    for field in changes:
        if field not in _FIELDS:
            raise GraphError(
                f"set() cannot change {field!r}; it changes {', '.join(_FIELDS)} (see also rebase, without)"
            )
    if not changes:
        raise GraphError(f"set({pattern!r}) changes nothing; give it a field such as discount=0")
    matches = [node for node in graph.nodes if fnmatchcase(node.name, pattern)]
    if not matches:
        raise GraphError(f"no node matches {pattern!r}; the nodes are {', '.join(repr(n.name) for n in graph.nodes)}")
    changed = {node.name: node for node in matches}
    for field, value in changes.items():
        able = [node for node in matches if _why_not(node, field) is None]
        if not able or (pattern in changed and len(able) < len(matches)):
            raise GraphError(f"set({pattern!r}, {field}=...): {_why_not(matches[0], field)}")
        for node in able:
            changed[node.name] = _with_field(changed[node.name], field, value)
    return _with_nodes(graph, changed)


def _set_links(graph: Graph, name: str, changes: Mapping[str, Any]) -> Graph:
    """A link set with other fields; a node that only it needed goes."""
    for field in changes:
        if field not in LINK_FIELDS:
            raise GraphError(
                f"set() cannot change {field!r} of the links {name!r}; it changes {', '.join(LINK_FIELDS)}"
            )
    if "between" in changes:
        changes = {**changes, "between": getattr(changes["between"], "name", changes["between"])}
    links = [replace(item, **changes) if item.name == name else item for item in graph.link_sets]
    return _drop_idle(graph, graph.from_parts(graph.nodes, graph.streams, links))


def _why_not(node: Node, field: str) -> str | None:
    if field == "discount" and node.kind == "dirichlet":
        return f"{node.name!r} is a dirichlet and has no discount"
    if field in ("plate", "concentration_per") and node.kind == "gem":
        return f"{node.name!r} is a gem, of which there is only one, and has no {field}"
    if field in ("mix_prior", "mix_weights") and len(node.parents) < 2:
        return f"{node.name!r} does not mix several parents; rebase it on mix(...) first"
    return None


def _with_field(node: Node, field: str, value: Any) -> Node:
    if field == "mix_prior":
        prior = as_prior(f"the base of {node.name!r}", len(node.parents), value)
        return replace(node, mix_prior=prior, mix_weights=None)
    if field == "mix_weights":
        return replace(node, mix_weights=value, mix_prior=None)
    return replace(node, **{field: value})


def prune(graph: Graph) -> Graph:
    """Remove the nodes that no stream and no link set needs."""
    needed = needs(graph)
    return graph.from_parts((n for n in graph.nodes if n.name in needed), graph.streams, graph.link_sets)


def _with_nodes(graph: Graph, changed: Mapping[str, Node]) -> Graph:
    return graph.from_parts((changed.get(n.name, n) for n in graph.nodes), graph.streams, graph.link_sets)


def _drop_idle(before: Graph, after: Graph) -> Graph:
    """Remove from `after` what was needed in `before` and is not needed now; what was idle before stays.

    A link set whose node no token needs any more is removed with that node, unless there is no text left.
    """
    links: Iterable[Links] = after.link_sets
    if after.streams:
        released = text_needs(before) - text_needs(after)
        links = [item for item in links if item.between not in released]
    always_idle = {node.name for node in after.nodes} - needs(before)
    needed = text_needs(after) | lineage(after, {item.between for item in links} | always_idle)
    return after.from_parts((n for n in after.nodes if n.name in needed), after.streams, links)
