"""How many bytes a state takes, and a refusal before it takes too many."""

from __future__ import annotations

import os
from typing import NamedTuple

from pitmanyor.errors import PlanError
from pitmanyor.plan import Plan
from pitmanyor.state.layout import build_layout
from pitmanyor.state.state import State, padded

PER_COUNT = 16  # customers, tables, stay, open
PER_RESTAURANT = 16 + 24 + 40  # totals, what scoring reads, explicit vectors' scalars
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
    net, text = state.net, state.text
    tables = sum(
        a.nbytes for a in (net.counts, net.to, net.totals, net.n_to, net.stay, net.open, net.rests, net.weight)
    )
    tokens = sum(
        a.nbytes for a in (text.word, text.topic, text.code, text.cells, text.first, text.context, text.measures)
    )
    scratch = sum(a.nbytes for bundle in (state.desks, state.topics, state.words, state.visit) for a in bundle)
    return Memory(tables, tokens, scratch + state.tables.ratios.nbytes + net.cells.nbytes)


def refuse_if_too_large(plan: Plan, n_topics: int | None) -> None:
    """Raise before a fit starts whose count tables alone exceed this machine's memory."""
    columns = padded((plan.n_topics or n_topics or EXPECTED_TOPICS) + 1)
    n_counts, n_rests, n_to, n_to_rests = build_layout(plan, columns).sizes
    need = n_counts * PER_COUNT + n_rests * PER_RESTAURANT + n_to * 4 + n_to_rests * 16 + plan.n_tokens * 16
    have = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if need > have:
        raise PlanError(
            f"with {columns} topic columns this model needs {need / 1e9:.1f} GB, "
            f"and this machine has {have / 1e9:.1f}; lower max_topics, prune the vocabulary, or use a coarser plate"
        )
