"""From a run's directory back to a run, as it was when its last checkpoint was written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from pitmanyor.corpus import Corpus
from pitmanyor.errors import FileError, PitmanyorError, StateError
from pitmanyor.plan import Plan, compile_plan
from pitmanyor.runs.advance import Run, new_chain, new_run
from pitmanyor.runs.chain_settings import Settings
from pitmanyor.runs.directory import CORPUS, SAMPLE, STATE, Header, Place, read_header
from pitmanyor.runs.kept import Kept, Shell
from pitmanyor.runs.saved import SAMPLE_KIND, Saved, finite_number, misfit, read_checked, read_saved
from pitmanyor.runs.states import NETWORK, build_shapes, n_columns, table_shapes, unpack, with_columns
from pitmanyor.runs.trace_checks import check_log_joint, check_trace
from pitmanyor.sampling.joining import finite_plan
from pitmanyor.state import State, new_state
from pitmanyor.state.discount_values import restore_tables, stirling_discounts
from pitmanyor.state.soundness import check_state, check_terms

WRONG = (KeyError, IndexError, TypeError, ValueError, OverflowError, MemoryError, StateError)  # about what a file says
LARGEST = 1 << 20  # topics of a network: no file may ask for more memory than there is


def restore(path: Place, threads: int | None = None, beside: int = 1, plan: Plan | None = None) -> tuple[Header, Run]:
    """A run as its last checkpoint has it; a FileError if it has none, or a file is not as written.

    plan: that of another chain, which is taken instead of reading the corpus again if it is of the same.
    """
    header = read_header(path)
    if not (Path(path) / STATE).exists():
        raise FileError(
            f"{path}: this run was stopped before its first checkpoint; start it over by "
            f"pitmanyor.resume({str(path)!r})"
        )
    saved = read_saved(path, header)
    if plan is None or plan.corpus.content_hash != header.corpus_hash or plan.graph != header.graph:
        plan = _read_plan(path, header)
    empties = Empties(plan, header.settings)
    try:
        state = _restore_state(empties, saved)
    except WRONG as error:
        raise misfit(Path(path) / STATE, error) from error
    unknowns = {name: values.shape for name, values in state.network.items()}
    samples = {sweep: read_sample(path, header, empties, sweep, unknowns) for sweep in saved.samples}
    chain = new_chain(state, header.settings, threads, beside)
    run = Run(header.graph, header.settings, chain, samples, saved.seconds)
    try:
        run.chain.continue_from(saved.n_sweeps, saved.trace)
        check_log_joint(saved, run.chain.measures.log_joint)
    except WRONG as error:
        raise misfit(Path(path) / STATE, error) from error
    return header, run


def _restore_state(empties: Empties, saved: Saved) -> State:
    """The state in a file, once everything in it is known to be possible."""
    state = unpack(empties.of(saved.arrays), saved.arrays)
    check_state(state, is_whole=True)
    check_trace(state, saved)
    restore_tables(state, build_shapes(stirling_discounts(state), saved.tables, table_shapes(state.tables)))
    check_terms(state)
    return state


class Empties:
    """New states for what was packed: of the text alone, and of text and network once they know their topics."""

    def __init__(self, plan: Plan, settings: Settings, text: State | None = None) -> None:
        self.plan, self.settings = plan, settings
        self._text = text  # made when first needed
        self._joined: dict[int, State] = {}
        self._shells: dict[tuple[int, int], Shell] = {}

    def shell(self, arrays: Mapping[str, NDArray[Any]]) -> Shell:
        """What kept states share with others of the same columns."""
        empty = self.of(arrays)
        key = id(empty), len(arrays["status"])
        if key not in self._shells:
            self._shells[key] = Shell(with_columns(empty, arrays["status"]))
        return self._shells[key]

    def of(self, arrays: Mapping[str, NDArray[Any]]) -> State:
        if not any(name.startswith(NETWORK) for name in arrays):
            if self._text is None:
                self._text = new_state(self.plan, max_topics=self.settings.max_topics, rule=self.settings.sampler.rule)
            return self._text
        n_topics = n_columns(arrays)
        if not (self.plan.graph.link_sets and 0 < n_topics <= LARGEST):
            raise ValueError("a network that the graph does not have")
        if n_topics not in self._joined:
            self._joined[n_topics] = new_state(finite_plan(self.plan, n_topics), rule=self.settings.sampler.rule)
        return self._joined[n_topics]


def reopen(path: Place, threads: int | None = None, beside: int = 1) -> tuple[Header, Run]:
    """A run to go on with; one that has no checkpoint yet starts over."""
    header = read_header(path)
    if (Path(path) / STATE).exists():
        return restore(path, threads, beside)
    return header, new_run(_read_plan(path, header), header.graph, header.settings, threads, beside)


def _read_plan(path: Place, header: Header) -> Plan:
    place = Path(path) / CORPUS
    corpus = read_corpus(place, header)
    try:
        return compile_plan(header.graph, corpus)
    except PitmanyorError as error:
        raise FileError(f"{place}: does not fit the graph of this run ({error})") from error


def read_corpus(place: Path, header: Header, mapped: bool = False) -> Corpus:
    """The corpus of a run; one that is `mapped` stays in its file."""
    corpus = Corpus.load(place, mapped=mapped)
    if corpus.content_hash != header.corpus_hash:
        raise FileError(f"{place}: is not the corpus of this run (its hash differs); put back the one that it wrote")
    return corpus


def read_sample(
    path: Place, header: Header, empties: Empties, sweep: int, unknowns: Mapping[str, tuple[int, ...]]
) -> Kept:
    """A state that the run has kept."""
    place = Path(path) / SAMPLE.format(sweep)
    said, arrays = read_checked(place, SAMPLE_KIND, header)
    try:
        if said["sweep"] != sweep:
            raise ValueError(f"the state after sweep {said['sweep']}")
        shell = empties.shell(arrays)
        shell.check(arrays, unknowns)
        return Kept(shell, arrays, finite_number(said["log_joint"]))
    except WRONG as error:
        raise misfit(place, error) from error
