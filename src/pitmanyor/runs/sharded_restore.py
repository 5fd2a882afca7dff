"""From a run directory back to a run over shards, in bounded memory or on a cluster, as its last checkpoint has it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from pitmanyor.runs.advance import Run
from pitmanyor.runs.directory import CORPUS, STATE, Header, Place, read_header
from pitmanyor.runs.restore import WRONG, Empties, read_corpus, read_sample
from pitmanyor.runs.saved import Saved, misfit, read_saved
from pitmanyor.runs.sharded_runs import Bounds, Prepared, new_sharded_run, prepare
from pitmanyor.runs.states import TOKENS, build_shapes, check_tokens, table_shapes, unpack
from pitmanyor.runs.trace_checks import check_log_joint, check_trace
from pitmanyor.shards.deal import put_back
from pitmanyor.shards.sharded_chain import ShardedChain
from pitmanyor.shards.whole import whole_state
from pitmanyor.state.discount_values import restore_tables, stirling_discounts
from pitmanyor.state.soundness import check_state, check_terms
from pitmanyor.state.state import State


def reopen_in_shards(path: Place, threads: int | None, where: Bounds) -> tuple[Header, Run]:
    """A run to go on with; one that has no checkpoint yet starts over."""
    header = read_header(path)
    corpus = read_corpus(Path(path) / CORPUS, header, mapped=True)
    ready = prepare(corpus, header.graph, header.settings, where)
    if not (Path(path) / STATE).exists():
        return header, new_sharded_run(ready, header.graph, header.settings, threads, where)
    saved = read_saved(path, header, mapped=True)
    tokens = {name: saved.arrays[name] for name in ("topic", "code", "measures")}
    with _refused(path):
        state = _driver_state(ready, saved)
        check_trace(state, saved)
    run = new_sharded_run(ready._replace(state=state), header.graph, header.settings, threads, where)
    chain = run.chain
    assert isinstance(chain, ShardedChain)
    whole = chain.whole()  # its tokens have no topics yet
    with _refused(path):
        check_state(whole.over(whole.text._replace(**tokens)), is_whole=True)
        check_terms(state)
    put_back(chain.shards, chain.state, **tokens)
    with _refused(path):
        chain.continue_from(saved.n_sweeps, saved.trace)
        check_log_joint(saved, chain.measures.log_joint)
    run.seconds = saved.seconds
    empties = Empties(whole.plan, header.settings, whole_state(ready.state, corpus, whole.text))
    run.samples = {sweep: read_sample(path, header, empties, sweep, {}) for sweep in saved.samples}
    return header, run


@contextmanager
def _refused(path: Place) -> Iterator[None]:
    """A FileError for a state that no chain can be in."""
    try:
        yield
    except WRONG as error:
        raise misfit(Path(path) / STATE, error) from error


def _driver_state(ready: Prepared, saved: Saved) -> State:
    """What the driver had; the tokens of the whole corpus are checked, and stay in their file."""
    plan, nobody, arrays = ready.state.plan, ready.state.text, saved.arrays
    for name, n in (("topic", plan.n_tokens), ("code", plan.n_tokens), ("measures", plan.n_documents)):
        due = (n, *getattr(nobody, name).shape[1:]), getattr(nobody, name).dtype
        if (arrays[name].shape, arrays[name].dtype) != due:
            raise ValueError(f"{name} has shape {arrays[name].shape} where {due[0]} is due")
    own = {name: np.array(values) for name, values in arrays.items() if name not in TOKENS}
    none = {name: getattr(nobody, name) for name in TOKENS} | {"concentration": np.array(arrays["concentration"])}
    state = unpack(ready.state, own | none)
    restore_tables(state, build_shapes(stirling_discounts(state), saved.tables, table_shapes(state.tables)))
    bounds = np.linspace(0, plan.n_tokens, len(ready.bounds)).astype(int)
    for start, stop in zip(bounds[:-1], bounds[1:], strict=True):
        check_tokens(state, arrays["topic"][start:stop], arrays["code"][start:stop])
    return state
