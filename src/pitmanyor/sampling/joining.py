"""When the network joins: the topics there are, and a few spare ones, under a finite root (maths 6)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pitmanyor.errors import PlanError
from pitmanyor.graph import Graph, Links, Node
from pitmanyor.graph.validate import text_needs
from pitmanyor.kernels.restaurant.arrays import CONCENTRATION, CUSTOMERS, RULE, TABLES
from pitmanyor.kernels.restaurant.refresh import refresh_all
from pitmanyor.plan import Plan, compile_plan
from pitmanyor.state.cell_counts import counts_by_cell, is_packed, pairs_of, set_pairs
from pitmanyor.state.discount_values import take_discounts
from pitmanyor.state.state import RULES, State, new_state
from pitmanyor.state.stirling_sizes import fit_tables


def tree_of(graph: Graph) -> list[Node]:
    """The root of all linked nodes, and the nodes between it and them, parents first; a PlanError for other graphs."""
    found: dict[str, Node] = {}
    texts = text_needs(graph)
    for links in graph.link_sets:
        for node in _lineage(graph, links.between):
            if not node.parents:
                _check_root(node, links)
            if len(node.parents) > 1 and node.name in texts:
                _refuse_text(node, links)
            found.setdefault(node.name, node)
    roots = [node.name for node in found.values() if not node.parents]
    if len(roots) != 1:
        raise PlanError(f"linked nodes stand on {len(roots)} roots, {', '.join(sorted(roots))}; they must share one")
    return list(found.values())


def _lineage(graph: Graph, name: str) -> list[Node]:
    """A node and all that it stands on, parents first."""
    found = [node for parent in graph[name].parents for node in _lineage(graph, parent)]
    return list(dict.fromkeys([*found, graph[name]]))


def _check_root(root: Node, links: Links) -> None:
    if root.plate or root.name == links.between:
        raise PlanError(
            f"the links {links.name!r} are between {links.between!r}, and {root.name!r}, on which that stands, is per "
            f"{' x '.join(root.plate)}; links are sampled between nodes that stand on one root of all topics: give "
            f"{root.name!r} no plate"
        )


def _refuse_text(mixed: Node, links: Links) -> None:
    parents = ", ".join(map(repr, mixed.parents))
    raise PlanError(
        f"the links {links.name!r} are between {links.between!r}, and {mixed.name!r}, whose base is mix({parents}), "
        "has tokens; a linked node, and what it stands on, may be a mixture only where no tokens go through it: let "
        f"them go through one of {parents}, and link another node, without tokens, whose base is mix({parents}); or "
        f"rebase({mixed.name!r}, ...) to one node; or leave the links out by without({links.name!r})"
    )


def root_of(graph: Graph) -> Node:
    """The node that all linked nodes stand on; a PlanError where they stand on something else."""
    return tree_of(graph)[0]


def finite(graph: Graph, n_topics: int) -> Graph:
    """The graph with a fixed number of topics: its root is Dirichlet(b/K, ..., b/K). A finite root stays as it is."""
    root = root_of(graph)
    if root.kind != "gem":
        return graph
    fixed = replace(root, kind="dirichlet", over=int(n_topics), discount=0.0)
    nodes = (fixed if node.name == root.name else node for node in graph.nodes)
    return Graph.from_parts(nodes, graph.streams, graph.link_sets)


def finite_plan(plan: Plan, n_topics: int) -> Plan:
    return compile_plan(finite(plan.graph, n_topics), plan.corpus)


def join_state(state: State, spare: int) -> State:
    """Copy a tidy state into a model with a fixed number of topics; all counts, assignments and discounts are kept."""
    plan = finite_plan(state.plan, state.n_topics + spare)
    rule = next(name for name, code in RULES.items() if code == state.net.status[RULE])
    new = new_state(plan, rule=rule, precision=state.net.stay.dtype)  # type: ignore[arg-type]
    live, old_net, net = state.n_topics, state.net, new.net
    for i, (old, block, node) in enumerate(zip(state.layout.blocks, new.layout.blocks, plan.nodes, strict=True)):
        wide, own = min(old.width, live), min(old.own, live)
        if is_packed(new, i):
            set_pairs(new, i, pairs_of(state, i))
        for column in (CUSTOMERS, TABLES):
            if column == TABLES and node.kind == "dirichlet":
                continue  # a Dirichlet has none
            if not is_packed(new, i):
                rows = counts_by_cell(state, i, column, wide)
                net.counts[block.rows, column].reshape(block.n_cells, block.width)[:, :wide] = rows
            rests = old_net.totals[old.rests, column].reshape(old.n_instances, old.own)
            net.totals[block.rests, column].reshape(block.n_instances, block.own)[:, :own] = rests[:, :own]
        if old.n_parents:
            to = old_net.to[old.to_rows].reshape(old.n_cells, old.width, old.n_parents)
            net.to[block.to_rows].reshape(block.n_cells, block.width, -1)[:, :wide] = to[:, :wide]
            n_to = old_net.n_to[old.to_rests].reshape(old.n_instances, old.own, old.n_parents)
            net.n_to[block.to_rests].reshape(block.n_instances, block.own, -1)[:, :own] = n_to[:, :own]
        b = old_net.rests[CONCENTRATION, old.rests].reshape(old.n_instances, old.own)
        mine = net.rests[CONCENTRATION, block.rests].reshape(block.n_instances, block.own)
        mine[:] = b[:, :1]
        mine[:, :own] = b[:, :own]
    for name in ("topic", "code", "concentration", "measures"):
        np.copyto(getattr(new.text, name), getattr(state.text, name))
    fit_tables(new)
    take_discounts(new, state)
    refresh_all(new.net, new.tables)
    return new
