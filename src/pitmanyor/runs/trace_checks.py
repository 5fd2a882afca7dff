"""The trace of a stored run: names that a chain writes, numbers that are numbers, and its last line as the state is."""

from __future__ import annotations

import math
from dataclasses import fields

import numpy as np

from pitmanyor.runs.saved import Saved
from pitmanyor.sampling import split_merge
from pitmanyor.sampling.chain import RATE
from pitmanyor.sampling.split_merge import Tally
from pitmanyor.shards.shard_sweeper import Costs
from pitmanyor.shards.sharded_chain import COSTS
from pitmanyor.state import State
from pitmanyor.state.topic_sizes import LEAST_SHARE

ALWAYS = ("n_topics", "log_joint")
SMALLEST_DIFFERENCE = 1e-9  # of log joints, as a share


def check_trace(state: State, saved: Saved) -> None:
    """A ValueError if a trace cannot be that of this chain."""
    trace = saved.trace
    known, has_links = _names(state), bool(state.plan.graph.link_sets)
    if any(name not in known and not (has_links and name.startswith("network/")) for name in trace):
        raise ValueError("a trace of something unknown")
    if any(np.isinf(values).any() for values in trace.values()):
        raise ValueError("a trace that is infinite")
    if not saved.n_sweeps:
        return
    if not all(name in trace and np.isfinite(trace[name]).all() for name in ALWAYS):
        raise ValueError("a trace that is no number")
    if trace["n_topics"][-1] != state.n_topics or not math.isfinite(trace.get("topics/large", [0.0])[-1]):
        raise ValueError("a trace of other topics")
    if RATE in trace and not 0.0 <= trace[RATE][0] <= split_merge.MOVES * split_merge.COLLAPSED / LEAST_SHARE:
        raise ValueError("more moves in a sweep than there are")


def check_log_joint(saved: Saved, log_joint: float) -> None:
    """A ValueError if the state has another log joint than the trace says."""
    if not math.isfinite(log_joint):
        raise ValueError("a log joint that is no number")
    if saved.n_sweeps and not math.isclose(saved.trace["log_joint"][-1], log_joint, rel_tol=SMALLEST_DIFFERENCE):
        raise ValueError("another log joint than that of its trace")


def _names(state: State) -> set[str]:
    """All that a chain may remember beside its network (sampling/chain.py, shards/sharded_chain.py)."""
    kinds, nodes = ("customers", "tables", "concentration", "discount"), state.plan.nodes
    moves = {f"moves/{field.name}" for field in fields(Tally)}
    costs = {f"{COSTS}{name}" for name in Costs._fields}
    return {*ALWAYS, "topics/large", "topics/effective", RATE, *moves, *costs} | {
        f"{kind}/{node.name}" for kind in kinds for node in nodes
    }
