"""How many bytes a state takes, and a refusal before it takes too many: at the start, or as topics are born."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pitmanyor import machine
from pitmanyor.errors import PlanError
from pitmanyor.plan import Plan
from pitmanyor.state.layout import Block, Layout, build_blocks, build_layout, sizes_of
from pitmanyor.state.packing import PER_COUNT, PER_ENTRY
from pitmanyor.state.state import State, padded

PER_CELL = 40  # where its counts and restaurants are
PER_RESTAURANT = 16 + 24 + 40  # totals, what scoring reads, explicit vectors' scalars
PER_TOKEN = 20  # word, topic, code and the index of explicit sweeps, with a little for documents
PER_KEPT_TOKEN, PER_KEPT_COUNT, PER_KEPT_RESTAURANT = 4, 12, 32  # of a kept state, which has no zeros (runs/kept.py)
PER_INDEXED, PER_VISITED = 4, 4  # what explicit sweeps keep of a token, and of a document
LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")  # of a container
OWN_GROUPS = "/proc/self/cgroup"
UNKNOWN = 2**62  # bytes, where the system does not tell
EXPECTED_TOPICS = 64


class Memory(NamedTuple):
    """Bytes of a state: count tables, what is kept per token, and the rest."""

    tables: int
    tokens: int
    scratch: int

    @property
    def total(self) -> int:
        return self.tables + self.tokens + self.scratch


def memory_of(state: State) -> Memory:
    """What a state takes, with the index of tokens that explicit sweeps make when they are first asked for."""
    net, text = state.net, state.text
    tables = sum(
        a.nbytes
        for a in (net.counts, net.packed, net.to, net.totals, net.n_to, net.stay, net.open, net.rests, net.weight)
    )
    tokens = PER_INDEXED * state.plan.n_tokens + PER_VISITED * state.plan.n_documents
    tokens += sum(
        a.nbytes for a in (text.word, text.topic, text.code, text.cells, text.first, text.context, text.measures)
    )
    bundles = (state.document_scratch, state.topics, state.words, state.visit, *state.scratch, state.terms)
    scratch = sum(a.nbytes for bundle in bundles for a in bundle)
    return Memory(tables, tokens, scratch + state.tables.ratios.nbytes + net.cells.nbytes)


def refuse_if_too_large(plan: Plan, n_topics: int | None, keep: int = 0, chains: int = 1) -> None:
    """Raise before a fit starts whose count tables, and those of the states it keeps, exceed this machine's memory.

    Of several chains all are in memory at the same time.
    """
    capacity = padded((plan.n_topics or n_topics or EXPECTED_TOPICS) + 1)
    blocks = build_blocks(plan, capacity)
    need = chains * (bytes_of_blocks(blocks) + plan.n_tokens * PER_TOKEN)
    kept, have = chains * keep * kept_bytes(plan, blocks), physical_memory()
    if need + kept > have:
        also = f", and the {chains * keep} states it keeps {kept / 1e9:.1f} GB" if keep else ""
        fewer = "run fewer chains, " if chains > 1 else ""
        fewer += "pass a lower keep, " if keep and need <= have else ""
        of = f" in {chains} chains" if chains > 1 else ""
        raise PlanError(
            f"with {capacity} topic columns this model needs {need / 1e9:.1f} GB{of}{also}, and this machine "
            f"has {have / 1e9:.1f}; {fewer}lower max_topics, prune the vocabulary, or use a coarser plate"
        )


def kept_bytes(plan: Plan, blocks: Sequence[Block]) -> int:
    """Upper bound on the bytes of a kept state: no node has more counts above zero than there are tokens."""
    n_counts = sum(min(block.n_cells * block.width, plan.n_tokens) for block in blocks)
    n_rests = sum(block.n_instances * block.own for block in blocks)
    return plan.n_tokens * PER_KEPT_TOKEN + n_counts * PER_KEPT_COUNT + n_rests * PER_KEPT_RESTAURANT


def larger_layout(state: State, columns: int) -> Layout:
    """A layout with at least this number of topic columns: half as many again if memory allows, else just enough.

    Raises if even those do not fit beside the old ones, from which they are filled; the state is as it was.
    """
    have = physical_memory() - bytes_of_blocks(state.layout.blocks) - len(state.text.topic) * PER_TOKEN
    for capacity in (padded(max(columns, state.capacity * 3 // 2)), padded(columns)):
        tables = bytes_of_blocks(build_blocks(state.plan, capacity, state.layout.packs))
        if tables <= have:
            return build_layout(state.plan, capacity, state.layout.packs)
    need = (tables + physical_memory() - have) / 1e9
    raise PlanError(
        f"this chain has {state.n_topics} topics, and new ones need room: {capacity} columns beside the "
        f"{state.capacity} they are filled from take {need:.1f} GB, and this machine has "
        f"{physical_memory() / 1e9:.1f}; set max_topics, say to {state.n_topics}, prune the vocabulary, "
        "or use a coarser plate (the chain's state is whole: it stopped between two documents)"
    )


def bytes_of_blocks(blocks: Sequence[Block]) -> int:
    n_counts, n_rests, n_to, n_to_rests = sizes_of(blocks)
    cells = sum(PER_CELL * block.n_cells + PER_ENTRY * block.n_entries for block in blocks)
    return n_counts * PER_COUNT + n_rests * PER_RESTAURANT + n_to * 4 + n_to_rests * 16 + cells


def physical_memory() -> int:
    """Bytes of memory that this machine has, or that its container, its control group or `ulimit -v` leave to it."""
    have = min(machine.total_memory() or UNKNOWN, machine.address_space() or UNKNOWN)
    try:
        own = machine.own_groups(Path(OWN_GROUPS).read_text())
    except OSError:
        own = []
    for place in (*LIMITS, *own):
        try:
            text = Path(place).read_text()
        except OSError:
            continue
        if text.strip().isdigit():  # or "max"
            have = min(have, int(text))
    return have
