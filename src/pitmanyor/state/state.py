"""State: the only thing that changes. Counts, topics of tokens, concentrations; as flat arrays for the kernels."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray

from pitmanyor.errors import PlanError
from pitmanyor.graph import Gamma, Node
from pitmanyor.kernels.documents.general.collapsed import UNSEEN
from pitmanyor.kernels.documents.general.scratch import DocumentScratch, fill_terms
from pitmanyor.kernels.monitor.log_joint import N_MEASURES, ZETA
from pitmanyor.kernels.numbers.stirling import StirlingTables
from pitmanyor.kernels.restaurant.arrays import (
    BLOCK,
    CLAMP,
    CONCENTRATION,
    LAYER,
    LIVE,
    N_LIVE,
    PAPER,
    RULE,
    SINGLETON,
    Net,
    Side,
    Text,
    Visit,
)
from pitmanyor.kernels.restaurant.refresh import refresh_all
from pitmanyor.kernels.restaurant.small_terms import SMALL_CUSTOMERS, SMALL_TABLES, Terms
from pitmanyor.plan import Plan
from pitmanyor.plan.plan import KINDS
from pitmanyor.state.engines import Engine, Scratch, engine_of
from pitmanyor.state.layout import Layout, build_layout, is_wide, spare_rows
from pitmanyor.state.scratch_arrays import local_nodes, new_document_scratch, new_scratch
from pitmanyor.state.stirling_sizes import first_tables

Rule = Literal["clamp", "paper", "singleton"]
RULES: dict[str, int] = {"clamp": CLAMP, "paper": PAPER, "singleton": SINGLETON}
START = {"topic": 1.0, "word": 100.0}  # where sampled concentrations start, by the side of the node
MAX_TOPICS = 2**30
SPARE = 5  # times as many topics may be found in a search for a start, which are gathered to those that are allowed
NOT_PACKED: Scratch = ((), (), ())


@dataclass(eq=False)
class State:
    """Counts and topics of one chain. `net`, `text`, `topics`, `words`, `visit`, `tables` are what kernels take."""

    plan: Plan
    layout: Layout
    net: Net
    text: Text
    topics: Side
    words: Side
    visit: Visit
    tables: StirlingTables
    terms: Terms
    document_scratch: DocumentScratch  # of the general engine, which any graph may need
    engine: Engine
    scratch: Scratch  # of the engine's own collapsed sweep, if it has one
    max_topics: int
    redrawn: Scratch = NOT_PACKED  # what packed words need while word nodes are vectors
    network: dict[str, NDArray[np.float64]] = field(default_factory=dict)  # unknowns of links, by name

    @property
    def n_topics(self) -> int:
        return int(self.net.status[N_LIVE])

    @property
    def capacity(self) -> int:
        return self.layout.capacity

    def over(self, text: Text) -> State:
        """The same restaurants with other documents."""
        return replace(self, text=text)


def new_state(
    plan: Plan,
    *,
    max_topics: int | None = None,
    rule: Rule = "clamp",
    precision: DTypeLike = np.float32,
    packs: bool = True,
) -> State:
    """An empty state: every token unseen, every restaurant empty, sampled concentrations where they start.

    packs: may counts of rare words be packed (packing.py)? Not where vectors are written into their rows.
    """
    if rule not in RULES:
        raise PlanError(f"removal rule {rule!r} is not one of {', '.join(RULES)}")
    if max_topics is not None and max_topics < 1:
        raise PlanError(f"max_topics must be at least 1, not {max_topics}")
    finite = plan.n_topics
    if finite is not None and max_topics is not None:
        raise PlanError(f"max_topics caps a gem root; this graph has {finite} topics, a fixed number: leave it out")
    cap = finite or max_topics or MAX_TOPICS
    layout = build_layout(plan, padded(min(cap, 31) + 1 if finite is None else finite), packs)
    tables = first_tables(plan)
    net = _new_net(plan, layout, RULES[rule], cap, np.dtype(precision))
    topics, words, visit = new_scratch(plan, layout.capacity, precision)
    engine = engine_of(plan)
    state = State(
        plan=plan,
        layout=layout,
        net=net,
        text=_new_text(plan, net, precision),
        topics=topics,
        words=words,
        visit=visit,
        tables=tables,
        terms=new_terms(plan, net, tables),
        document_scratch=new_document_scratch(plan, layout.capacity, 1),
        engine=engine,
        scratch=engine.scratch(plan, layout.capacity, 1, precision) if engine.own_collapsed else (),
        max_topics=cap,
    )
    refresh_all(net, tables)
    return state


def new_terms(plan: Plan, net: Net, tables: StirlingTables) -> Terms:
    """Terms of small counts under the discounts of the tables."""
    cells = net.cells[plan.cells.first[local_nodes(plan)]]
    small = np.zeros((len(tables.discount), SMALL_TABLES, SMALL_CUSTOMERS, 4))
    fill_terms(small, tables, tables.discount, int(net.status[RULE]))
    return Terms(small, cells, small.reshape(-1).astype(net.stay.dtype))


def padded(columns: int) -> int:
    """Columns rounded up to whole blocks, so that rows stay aligned."""
    return -(-columns // BLOCK) * BLOCK


def _own(plan: Plan) -> list[int]:
    """Local nodes with a concentration for each document."""
    own = [
        i
        for i in local_nodes(plan)
        if plan.nodes[i].concentration_per == "instance" and isinstance(plan.nodes[i].concentration, Gamma)
    ]
    for i in own:
        if plan.nodes[i].per_topic:
            raise PlanError(
                f"{plan.nodes[i].name!r} is per document and topic, and a concentration for each is not built; "
                "set concentration_per='layer' for it"
            )
    return own


def _new_text(plan: Plan, net: Net, precision: DTypeLike) -> Text:
    order, n, own = plan.order, len(plan.order.word), _own(plan)
    n_streams, local = len(plan.graph.streams), local_nodes(plan)
    n_documents = len(plan.context)
    n_measures = ZETA if net.nodes[local, LAYER].all() else N_MEASURES
    lists = np.broadcast_to(np.arange(n_streams), plan.leaf.shape)
    return Text(
        first=order.first,
        word=order.word,
        topic=np.full(n, UNSEEN, np.int32),
        code=np.zeros(n, np.uint32),
        cells=plan.cells.listed,
        context=plan.context,
        number=np.arange(n_documents, dtype=np.int32),
        leaf=np.stack([plan.leaf, lists], axis=2),
        partner=plan.partner,
        concentration=np.full((len(own), n_documents), START["topic"]),
        measures=np.zeros((n_documents, max(len(local), 1), n_measures), precision),
    )


def _starting_concentration(node: Node) -> float:
    """A document uses few topics. A topic uses many words: from a small value burst nodes would explain all of them."""
    return START[node.side] if isinstance(node.concentration, Gamma) else float(node.concentration)


def _new_net(plan: Plan, layout: Layout, rule: int, cap: int, precision: np.dtype[Any]) -> Net:
    n_counts, n_rests, n_to, n_to_rests = layout.sizes
    finite = plan.n_topics
    gem = [int(plan.cells.first[i]) for i, node in enumerate(plan.nodes) if node.kind == "gem"]
    status = np.zeros(LIVE + layout.capacity, np.int64)
    status[:LIVE] = [finite or 1, finite or 0, -1, cap, gem[0] if gem else -1, rule]
    status[LIVE : LIVE + (finite or 0)] = 1
    rests = np.ones((3, n_rests))
    for node, block in zip(plan.nodes, layout.blocks, strict=True):
        rests[CONCENTRATION, block.rests] = _starting_concentration(node)
    return Net(
        nodes=_node_table(plan, layout),
        reals=np.array(
            [
                (plan.discounts[plan.stirling_table[i]], _base(plan, i), *_own_prior(node))
                for i, node in enumerate(plan.nodes)
            ]
        ),
        prior=np.array([x for node in plan.nodes for x in _mixing(node)] or [0.0]),
        cells=layout.cells,
        counts=np.zeros((n_counts, 2), np.int32),
        to=np.zeros(max(n_to, 1), np.int32),
        totals=np.zeros((n_rests, 2), np.int64),
        n_to=np.zeros(max(n_to_rests, 1), np.int64),
        stay=np.zeros(n_counts, precision),
        open=np.ones(n_counts, precision),
        rests=rests,
        weight=np.zeros(max(n_to_rests, 1)),
        packed=np.zeros((layout.n_entries, 3), np.int32),
        packed_first=layout.packed_first,
        status=status,
    )


def _node_table(plan: Plan, layout: Layout) -> NDArray[np.int64]:
    """What kernels ask of a node, in the order of kernels.arrays: KIND, WIDE, ..., UNPACKED."""
    shift, mask = plan.shift_and_mask()
    local, own = local_nodes(plan), _own(plan)
    leaves = {stream.emit for stream in plan.graph.streams} - {name for node in plan.nodes for name in node.parents}
    rows, prior_first, spare = [], 0, spare_rows(layout.blocks)
    for i, node in enumerate(plan.nodes):
        row = (
            KINDS[node.kind],
            is_wide(node),
            node.per_topic,
            node.local,
            local.index(i) if node.local else -1,
            len(node.parents),
            node.mix_weights is None,
            prior_first,
            plan.stirling_table[i],
            shift[i],
            mask[i],
            0,
            len(plan.words.get(node.name, ())),
            own.index(i) if i in own else -1,
            node.kind == "pyp" and node.local and i not in own and (not node.per_topic or node.name in leaves),
            spare[i],
            -1,
        )
        rows.append(row)
        prior_first += len(_mixing(node))
    return np.array(rows, np.int64)


def _own_prior(node: Node) -> tuple[float, float]:
    """Shape and rate of the concentrations that a shared node has one of for each topic; zeros where it has not."""
    prior = node.concentration
    if isinstance(prior, Gamma) and node.concentration_per == "instance" and node.per_topic and not node.local:
        return prior.shape, prior.rate
    return 0.0, 0.0


def _mixing(node: Node) -> tuple[float, ...]:
    return node.mix_prior or node.mix_weights or ()


def _base(plan: Plan, i: int) -> float:
    node = plan.nodes[i]
    if node.parents or node.kind == "gem":
        return 0.0
    return 1.0 / (node.over if isinstance(node.over, int) else len(plan.words[node.name]))
