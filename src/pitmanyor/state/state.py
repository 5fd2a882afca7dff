"""State: the only thing that changes. Counts, topics of tokens, concentrations; as flat arrays for the kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray

from pitmanyor.errors import PlanError
from pitmanyor.graph import Gamma
from pitmanyor.kernels.arrays import BLOCK, CLAMP, PAPER, RULE, SINGLETON, Net, Side, Text, Visit
from pitmanyor.kernels.collapsed import UNSEEN
from pitmanyor.kernels.desk import SMALL, Desk, Terms, fill_terms
from pitmanyor.kernels.refresh import refresh_all
from pitmanyor.kernels.stirling import StirlingTables, build_tables
from pitmanyor.plan import Plan
from pitmanyor.plan.walks import Walks
from pitmanyor.state.layout import Layout, build_layout, is_wide

Rule = Literal["clamp", "paper", "singleton"]
RULES: dict[str, int] = {"clamp": CLAMP, "paper": PAPER, "singleton": SINGLETON}
START = 0.5  # where sampled concentrations start, as in the paper
MAX_TOPICS = 2**30


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
    desks: Desk
    max_topics: int

    @property
    def n_topics(self) -> int:
        return int(self.net.status[1])

    @property
    def capacity(self) -> int:
        return self.layout.capacity


def new_state(
    plan: Plan, *, max_topics: int | None = None, rule: Rule = "clamp", precision: DTypeLike = np.float32
) -> State:
    """An empty state: every token unseen, every restaurant empty. Sampled concentrations start at 0.5."""
    if rule not in RULES:
        raise PlanError(f"removal rule {rule!r} is not one of {', '.join(RULES)}")
    if max_topics is not None and max_topics < 1:
        raise PlanError(f"max_topics must be at least 1, not {max_topics}")
    finite = plan.n_topics
    if finite is not None and max_topics is not None:
        raise PlanError(f"max_topics caps a gem root; this graph has {finite} topics for good: leave it out")
    cap = finite or max_topics or MAX_TOPICS
    layout = build_layout(plan, padded(min(cap, 31) + 1 if finite is None else finite))
    tables = build_tables(sorted({node.discount for node in plan.nodes}), 1024, 256)
    net = _new_net(plan, layout, tables, RULES[rule], cap, np.dtype(precision))
    topics, words, visit = new_scratch(plan, layout.capacity, precision)
    state = State(
        plan=plan,
        layout=layout,
        net=net,
        text=_new_text(plan),
        topics=topics,
        words=words,
        visit=visit,
        tables=tables,
        terms=_new_terms(plan, layout, net, tables),
        desks=new_desks(plan, layout.capacity, 1),
        max_topics=cap,
    )
    refresh_all(net, tables)
    return state


def _local(plan: Plan) -> list[int]:
    return [i for i, node in enumerate(plan.nodes) if node.local]


def _new_terms(plan: Plan, layout: Layout, net: Net, tables: StirlingTables) -> Terms:
    discounts = np.array(sorted({node.discount for node in plan.nodes}))
    local = _local(plan)
    terms = Terms(
        small=np.zeros((len(discounts), SMALL, SMALL, 2)),
        leave=np.zeros((len(discounts), SMALL, SMALL)),
        node=np.array(local, np.int64),
        rest=np.array([layout.blocks[i].rest for i in local], np.int64),
    )
    fill_terms(terms, tables, discounts, int(net.status[RULE]))
    return terms


def new_desks(plan: Plan, capacity: int, n_threads: int) -> Desk:
    """Desks for so many threads: slots for the topics of the longest document, and the common slot."""
    n_streams = len(plan.graph.streams)
    longest = int(np.diff(plan.order.first[::n_streams]).max())
    slots, nodes = min(longest, capacity) + 2, max(len(_local(plan)), 1)
    parents = max([len(plan.nodes[i].parents) for i in _local(plan)] + [1])
    shared = max(int(plan.topic_walks.n_shared.max()), int(plan.word_walks.n_shared.max()))

    def ints(*shape: int) -> NDArray[np.int64]:
        return np.zeros((n_threads, *shape), np.int64)

    def floats(*shape: int) -> NDArray[np.float64]:
        return np.zeros((n_threads, *shape))

    return Desk(
        topic=ints(slots),
        n_tokens=ints(slots),
        slot=ints(capacity) - 1,
        customers=ints(slots, nodes),
        tables=ints(slots, nodes),
        to=ints(slots, nodes, parents),
        stay=floats(slots, nodes),
        open=floats(slots, nodes) + 1.0,
        value=floats(slots, nodes),
        n_customers=ints(slots, nodes),
        n_tables=ints(slots, nodes),
        n_to=ints(slots, nodes, parents),
        gain=floats(slots, nodes),
        scale=floats(slots, nodes),
        weight=floats(slots, nodes, parents),
        concentration=floats(nodes),
        slope=floats(nodes, max(shared, 1)),
        offset=floats(nodes),
        form_slope=floats(2, max(shared, 1)),
        form_offset=floats(2),
        weights=floats(slots),
        blocks=floats(capacity // BLOCK + 1),
        scalars=ints(1),
    )


def new_scratch(plan: Plan, capacity: int, precision: DTypeLike) -> tuple[Side, Side, Visit]:
    """What the collapsed sweep writes on: lists of both sides with room for their values, and a visit."""
    topics = _side(plan.topic_walks, capacity, precision)
    words = _side(plan.word_walks, capacity, precision)
    return topics, words, _visit(capacity)


def padded(columns: int) -> int:
    """Columns rounded up to whole blocks, so that rows stay aligned."""
    return -(-columns // BLOCK) * BLOCK


def _side(walks: Walks, capacity: int, precision: DTypeLike) -> Side:
    longest = walks.longest
    return Side(
        walks.first,
        walks.cell,
        walks.mode,
        walks.par_first,
        walks.par,
        walks.n_shared,
        np.zeros(longest, np.int64),
        np.zeros(longest + 1, np.int64),
        np.zeros(longest + 1, np.int64),
        np.zeros((longest, capacity), precision),
    )


def _visit(capacity: int) -> Visit:
    return Visit(
        np.zeros(capacity),
        np.zeros(capacity),
        np.zeros(capacity // BLOCK + 1),
        np.zeros(1, np.int64),
    )


def _new_text(plan: Plan) -> Text:
    order, n = plan.order, plan.n_tokens
    own = [i for i, node in enumerate(plan.nodes) if node.local and node.share == "node" and not node.per_topic]
    for node in plan.nodes:
        if node.local and node.per_topic and node.share == "node" and isinstance(node.concentration, Gamma):
            raise PlanError(f"{node.name!r} is per document and topic: a concentration for each is not built; use share='layer'")
    rows = np.full(len(plan.nodes), -1, np.int64)
    rows[own] = np.arange(len(own))
    start = np.ones((max(len(own), 1), plan.n_documents if own else 1))
    for row, i in enumerate(own):
        start[row] = starting_concentration(plan.nodes[i].concentration)
    n_streams = len(plan.graph.streams)
    return Text(
        first=order.first,
        word=order.word,
        topic=np.full(n, UNSEEN, np.int32),
        code=np.zeros(n, np.uint32),
        cells=plan.cells.of_token,
        context=plan.context,
        leaf=plan.leaf,
        word_list=np.tile(np.arange(n_streams), (len(plan.leaf), 1)).astype(np.int64),
        has_local=np.diagonal(plan.partner).copy(),
        partner=plan.partner,
        local_concentration=start,
        own_concentration=rows,
    )


def starting_concentration(prior: float | Gamma) -> float:
    return START if isinstance(prior, Gamma) else float(prior)


def _new_net(
    plan: Plan, layout: Layout, tables: StirlingTables, rule: int, cap: int, precision: np.dtype[np.generic]
) -> Net:
    nodes, capacity = plan.nodes, layout.capacity
    n_counts, n_rests, n_to, n_to_rests = layout.sizes
    priors = [node.mix_prior or node.mix_weights or () for node in nodes]
    shift, mask = plan.shift_and_mask()
    discounts = sorted({node.discount for node in nodes})
    gem = [int(plan.cells.first[i]) for i, node in enumerate(nodes) if node.kind == "gem"]
    finite = plan.n_topics
    live = np.zeros(capacity, np.int64)
    live[: finite or 0] = 1
    status = np.array([finite or 1, finite or 0, -1, cap, gem[0] if gem else -1, rule], np.int64)
    concentration = np.empty(n_rests)
    for node, block in zip(nodes, layout.blocks, strict=True):
        concentration[block.rests] = starting_concentration(node.concentration)
    return Net(
        kind=_ints({"gem": 0, "pyp": 1, "dirichlet": 2}[node.kind] for node in nodes),
        wide=_ints(is_wide(node) for node in nodes),
        rest_wide=_ints(node.per_topic for node in nodes),
        local=_ints(node.local for node in nodes),
        desk=_desk_columns(plan),
        n_parents=_ints(len(node.parents) for node in nodes),
        base=np.array([_base(plan, i) for i in range(len(nodes))]),
        n_words=_ints(len(plan.words.get(node.name, ())) for node in nodes),
        learned=_ints(node.mix_weights is None for node in nodes),
        prior_first=_ints(np.cumsum([0] + [len(p) for p in priors])[:-1]),
        prior=np.array([x for p in priors for x in p] or [0.0], np.float64),
        discount=np.array([node.discount for node in nodes], np.float64),
        table=_ints(discounts.index(node.discount) for node in nodes),
        shift=shift,
        mask=mask,
        explicit=np.zeros(len(nodes), np.int64),
        node=np.repeat(np.arange(len(nodes)), np.diff(plan.cells.first)).astype(np.int32),
        row=layout.row,
        rest=layout.rest,
        to_row=layout.to_row,
        to_rest=layout.to_rest,
        customers=np.zeros(n_counts, np.int32),
        tables=np.zeros(n_counts, np.int32),
        to=np.zeros(max(n_to, 1), np.int32),
        n_customers=np.zeros(n_rests, np.int64),
        n_tables=np.zeros(n_rests, np.int64),
        n_to=np.zeros(max(n_to_rests, 1), np.int64),
        stay=np.zeros(n_counts, precision),
        open=np.ones(n_counts, precision),
        gain=np.zeros(n_rests),
        scale=np.ones(n_rests),
        weight=np.zeros(max(n_to_rests, 1)),
        concentration=concentration,
        live=live,
        status=status,
    )


def _desk_columns(plan: Plan) -> NDArray[np.int64]:
    columns = np.full(len(plan.nodes), -1, np.int64)
    columns[_local(plan)] = np.arange(len(_local(plan)))
    return columns


def _ints(values: object) -> NDArray[np.int64]:
    return np.array(list(values), np.int64)  # type: ignore[call-overload]


def _base(plan: Plan, i: int) -> float:
    node = plan.nodes[i]
    if node.parents or node.kind == "gem":
        return 0.0
    return 1.0 / (node.over if isinstance(node.over, int) else len(plan.words[node.name]))
