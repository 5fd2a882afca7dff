"""How many bytes a state takes, and a refusal before it takes too many: at the start, or as topics are born."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pitmanyor.errors import PlanError
from pitmanyor.graph import Links
from pitmanyor.plan import Plan
from pitmanyor.room import room
from pitmanyor.state.layout import Block, Layout, build_blocks, build_layout, sizes_of
from pitmanyor.state.packing import PER_COUNT, PER_ENTRY
from pitmanyor.state.state import MAX_TOPICS, SPARE, State, padded
from pitmanyor.state.stirling_sizes import largest_tables

PER_CELL = 40  # where its counts and restaurants are
PER_RESTAURANT = 16 + 24 + 40  # totals, what scoring reads, explicit vectors' scalars
PER_TOKEN = 20  # word, topic, code and the index of explicit sweeps, with a little for documents
PER_KEPT_TOKEN, PER_KEPT_COUNT, PER_KEPT_RESTAURANT = 4, 12, 32  # of a kept state, which has no zeros (runs/kept.py)
PER_INDEXED, PER_VISITED = 4, 4  # what explicit sweeps keep of a token, and of a document
EXPECTED_TOPICS = 64
MANY_COLUMNS = 4096  # of topics: more are for a document that is that long, and half as many again would be too many
KERNELS = 120_000_000  # of Numba and compiled kernels, which the first fit loads
PROGRAM = 250_000_000  # of Python and NumPy with them, in the process of a chain of its own
PER_ROW = 72  # of a word: sums over topics that each thread keeps, and when they were made
PER_VECTOR = 96  # by topic, of an instance linked in blocks: its masses, customers and sums, and one more of all topics
PER_LINK = 96  # and for each link or hidden pair
PER_PAIR = 22  # of linked instances: what is seen of them, their similarity, and one that is proposed
PER_SCORE = 48  # of a pair whose link depends on traits: its score, what means leave of it, and steps between these


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


def refuse_if_too_large(
    plan: Plan, n_topics: int | None, keep: int = 0, chains: int = 1, max_topics: int | None = None
) -> None:
    """Raise before a fit starts that would take more memory than is left, with the states that it keeps.

    Of several chains all are in memory at the same time.
    """
    capacity = expected_columns(plan, n_topics, max_topics)
    need = chains * bytes_of_fit(plan, capacity) + (chains * PROGRAM if chains > 1 else KERNELS)
    kept, have = chains * keep * kept_bytes(plan, build_blocks(plan, capacity)), room()
    if need + kept > have:
        sets = plan.graph.link_sets
        also = f", and the {chains * keep} states it keeps {kept / 1e9:.1f} GB" if keep else ""
        fewer = "run fewer chains, " if chains > 1 else ""
        fewer += "pass a lower keep, " if keep and need <= have else ""
        large = any(links.kernel != "blocks" and len(plan.instances[links.between]) > 5_000 for links in sets)
        fewer += 'take kernel="blocks" for the links, ' if large else ""
        fewer += "split long documents, " if plan.n_topics is None and plan.longest > capacity // 2 else ""
        of = f" in {chains} chains" if chains > 1 else ""
        raise PlanError(
            f"with {capacity} topic columns this model needs {need / 1e9:.1f} GB{of}{also}, and "
            f"{have / 1e9:.1f} GB are available to this process; {fewer}lower max_topics, prune the "
            "vocabulary, or use a coarser plate"
        )


def expected_columns(plan: Plan, n_topics: int | None, max_topics: int | None) -> int:
    """Columns of topics: those that are expected, and as many as one document may bring."""
    if plan.n_topics is not None:
        return padded(plan.n_topics)
    expected = max(n_topics or 0, EXPECTED_TOPICS)
    return padded(min(expected + plan.longest, SPARE * max_topics if max_topics else MAX_TOPICS) + 1)


def bytes_of_fit(plan: Plan, capacity: int) -> int:
    """What a chain takes at its peak, apart from kernels and from states that are kept."""
    rows = PER_ROW * sum(len(plan.words[stream.emit]) for stream in plan.graph.streams)
    links = sum(_bytes_of_links(plan, links, capacity) for links in plan.graph.link_sets)
    return (
        bytes_of_blocks(build_blocks(plan, capacity)) + plan.n_tokens * PER_TOKEN + rows + largest_tables(plan) + links
    )


def _bytes_of_links(plan: Plan, links: Links, capacity: int) -> int:
    n = len(plan.instances[links.between].labels)
    if links.kernel != "blocks":
        return (PER_SCORE if links.kernel == "traits" else PER_PAIR) * n * n
    found = plan.corpus.links.get(links.name)
    known = 0 if found is None else len(found.sources) + len(found.hidden)
    return PER_VECTOR * (n + capacity) * capacity + PER_LINK * known


def kept_bytes(plan: Plan, blocks: Sequence[Block]) -> int:
    """Upper bound on the bytes of a kept state: no node has more counts above zero than there are tokens."""
    n_counts = sum(min(block.n_cells * block.width, plan.n_tokens) for block in blocks)
    n_rests = sum(block.n_instances * block.own for block in blocks)
    return plan.n_tokens * PER_KEPT_TOKEN + n_counts * PER_KEPT_COUNT + n_rests * PER_KEPT_RESTAURANT


def larger_layout(state: State, columns: int, exact: bool = False) -> Layout:
    """A layout with at least so many topic columns: half as many again as now, or some more if they are very many.

    Raises if they do not fit beside the old ones, from which they are filled; the state is as it was. The number does
    not depend on the memory that is left, because random numbers depend on it.
    """
    if exact:
        capacity = padded(columns)
    elif columns > MANY_COLUMNS:
        capacity = padded(columns + columns // 8)
    else:
        capacity = padded(max(columns, state.capacity * 3 // 2))
    tables, have = bytes_of_blocks(build_blocks(state.plan, capacity, state.layout.packs)), room()
    if tables <= have:
        return build_layout(state.plan, capacity, state.layout.packs)
    raise PlanError(
        f"this chain has {state.n_topics} topics, and new ones need room: {capacity} columns beside the "
        f"{state.capacity} they are filled from take {tables / 1e9:.1f} GB more, and {have / 1e9:.1f} GB are available "
        f"to this process; set max_topics, say to {state.n_topics}, prune the vocabulary, or use a coarser plate (the "
        "chain's state is whole: it stopped between two documents)"
    )


def bytes_of_blocks(blocks: Sequence[Block]) -> int:
    n_counts, n_rests, n_to, n_to_rests = sizes_of(blocks)
    cells = sum(PER_CELL * block.n_cells + PER_ENTRY * block.n_entries for block in blocks)
    return n_counts * PER_COUNT + n_rests * PER_RESTAURANT + n_to * 4 + n_to_rests * 16 + cells
