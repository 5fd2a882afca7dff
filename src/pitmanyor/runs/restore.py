"""From a run's directory back to a run, as it was when its last checkpoint was written."""

from __future__ import annotations

from pathlib import Path

from pitmanyor.corpus import Corpus
from pitmanyor.errors import FileError
from pitmanyor.plan import Plan, compile_plan
from pitmanyor.posterior import Posterior
from pitmanyor.runs.directory import CORPUS, SAMPLE, STATE, Header, Place, read_header
from pitmanyor.runs.run import Run, new_chain, new_run
from pitmanyor.runs.saved import SAMPLE_KIND, misfit, read_checked, read_saved
from pitmanyor.runs.states import build_shapes, unpack
from pitmanyor.state import State, new_state


def restore(path: Place, threads: int | None = None) -> tuple[Header, Run]:
    """A run as its last checkpoint has it; a FileError if it has none, or a file is not as written."""
    header = read_header(path)
    if not (Path(path) / STATE).exists():
        raise FileError(
            f"{path}: this run was stopped before its first checkpoint; start it over by "
            f"pitmanyor.resume({str(path)!r})"
        )
    saved = read_saved(path, header)
    plan = _read_plan(path, header)
    empty = new_state(plan, max_topics=header.settings.max_topics, rule=header.settings.rule)
    try:
        state = unpack(empty, saved.arrays)
        state.tables = build_shapes(plan.discounts, saved.tables)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise misfit(Path(path) / STATE, error) from error
    samples = {sweep: _read_sample(path, header, empty, sweep) for sweep in saved.samples}
    run = Run(header.settings, new_chain(state, header.settings, threads), samples, saved.seconds)
    run.chain.continue_from(saved.n_sweeps, saved.trace)
    return header, run


def reopen(path: Place, threads: int | None = None) -> tuple[Header, Run]:
    """A run to go on with; one that has no checkpoint yet starts over."""
    header = read_header(path)
    if (Path(path) / STATE).exists():
        return restore(path, threads)
    return header, new_run(_read_plan(path, header), header.settings, threads)


def _read_plan(path: Place, header: Header) -> Plan:
    place = Path(path) / CORPUS
    corpus = Corpus.load(place)
    if corpus.content_hash != header.corpus_hash:
        raise FileError(f"{place}: is not the corpus of this run (its hash differs); put back the one that it wrote")
    return compile_plan(header.graph, corpus)


def _read_sample(path: Place, header: Header, empty: State, sweep: int) -> Posterior:
    place = Path(path) / SAMPLE.format(sweep)
    said, arrays = read_checked(place, SAMPLE_KIND, header)
    try:
        if said["sweep"] != sweep:
            raise ValueError(f"the state after sweep {said['sweep']}")
        return Posterior(unpack(empty, arrays), float(said["log_joint"]))
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise misfit(place, error) from error
