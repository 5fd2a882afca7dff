"""How large shards may be, and whether a model fits, within a bound of memory."""

from __future__ import annotations

import re
from typing import NamedTuple

from pitmanyor.errors import PlanError
from pitmanyor.plan import Plan
from pitmanyor.sampling.sample_start import SAMPLED, is_sampled
from pitmanyor.sampling.split_merge import MOST_TOKENS
from pitmanyor.shards.cut import SHARD_TOKENS
from pitmanyor.state.layout import build_blocks
from pitmanyor.state.memory import EXPECTED_TOPICS, bytes_of_blocks, kept_bytes
from pitmanyor.state.state import State, padded

UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kmgt]?)b?\s*", re.IGNORECASE)
PROGRAM = 250_000_000  # bytes of Python, NumPy, Numba and compiled kernels
PER_TOKEN = 80  # bytes of a token of the shards that are in memory: one is read, one swept, one written
PER_DOCUMENT = 24  # bytes of a document at the driver
PER_COUNT = 8  # bytes of a count that shards add up, and of the vectors they read
LEAST_TOKENS = 50_000  # of a shard: smaller ones cost more than they save
PER_MOVED = 60  # bytes of a token of the documents that hold the topics of a move
PER_SEARCHED = 80  # bytes of a token of the documents in which a start is searched for
PART = 8  # of the memory that shards may take


def parse_memory(memory: str | int) -> int:
    """Bytes.

    >>> parse_memory("4GB"), parse_memory("512 MB"), parse_memory(10**9)
    (4000000000, 512000000, 1000000000)
    """
    found = SIZE.fullmatch(str(memory)) if not isinstance(memory, bool) else None
    n = 0 if found is None else int(float(found[1]) * UNITS[found[2].lower()])
    if not n:
        raise PlanError(f'memory must be a number of bytes such as "4GB" or "512MB", not {memory!r}')
    return n


def shard_size(memory: int | None) -> int:
    """Tokens of a shard. The size changes no result.

    >>> shard_size(None), shard_size(1_000_000_000)
    (2000000, 1562500)
    """
    if memory is None:
        return SHARD_TOKENS
    return min(max(memory // PART // PER_TOKEN, LEAST_TOKENS), SHARD_TOKENS)


def bytes_of_moves(plan: Plan, model: int) -> int:
    """What splits and merges add: the documents of a move, or before that the chain that searches for a start.

    A small corpus is searched with the counts that there are, a sample with counts of its own.
    """
    searched = min(plan.n_tokens, SAMPLED) * PER_SEARCHED + (model if is_sampled(plan) else 0)
    return max(searched, min(plan.n_tokens, MOST_TOKENS) * PER_MOVED)


class Wanted(NamedTuple):
    """What a fit is asked for that takes memory."""

    topics: int | None  # at first
    keep: int  # states of every chain
    moves: bool
    chains: int  # the counts of those that are done stay in memory


def refuse_if_over(memory: int, state: State, wanted: Wanted) -> None:
    """A PlanError if the driver of this model would need more memory than it may have."""
    plan = state.plan
    blocks = build_blocks(plan, max(padded((plan.n_topics or wanted.topics or EXPECTED_TOPICS) + 1), state.capacity))
    counts = sum(block.n_cells * block.width for block in blocks) * PER_COUNT
    model = bytes_of_blocks(blocks) + counts + state.tables.ratios.nbytes
    shards = shard_size(memory) * PER_TOKEN + plan.n_documents * PER_DOCUMENT
    done = (wanted.chains - 1) * bytes_of_blocks(blocks)
    kept = wanted.chains * wanted.keep * kept_bytes(plan, blocks)
    moved = bytes_of_moves(plan, model) if wanted.moves else 0
    need = PROGRAM + model + shards + done + kept + moved
    if need > memory:
        also = f", and the {wanted.chains * wanted.keep} states it keeps {kept / 1e9:.1f} GB" if kept else ""
        fewer = "pass a lower keep, " if kept and need - kept <= memory else ""
        if moved and need - moved <= memory:
            fewer += f"pass Sampler(moves=False), which saves {moved / 1e9:.1f} GB, "
        raise PlanError(
            f"memory={memory / 1e9:.1f} GB: this model needs {(need - kept) / 1e9:.1f} GB without its tokens{also}; "
            f"{fewer}allow more memory, lower max_topics or prune the vocabulary"
        )
