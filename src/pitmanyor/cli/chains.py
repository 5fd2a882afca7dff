"""Chains side by side, a process each; signals reach them all."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import FrameType
from typing import Any

from pitmanyor.cli.answers import DATA, code_of
from pitmanyor.corpus import Corpus
from pitmanyor.errors import FileError, PitmanyorError, PlanError
from pitmanyor.graph import Graph
from pitmanyor.runs.directory import CORPUS


def fit_chains(graph: Graph, corpus: Corpus, out: Path, options: dict[str, Any], chains: int) -> None:
    """Fit so many chains, each into its own run below `out`."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise FileError(f"{out}: there is something already; take a new place, or go on with: pitmanyor resume {out}")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{out}: no run can be made there ({error.strerror or error})") from error
    corpus.save(out / CORPUS)
    share = options | {"threads": options["threads"] or _share(chains)}
    homes = [out / f"chain-{chain}" for chain in range(chains)]
    _side_by_side(_fit_one, [(graph.to_dict(), str(out / CORPUS), str(home), share, i) for i, home in enumerate(homes)])
    (out / CORPUS).unlink()


def resume_chains(runs: list[Path], options: dict[str, Any]) -> None:
    share = options | {"threads": options["threads"] or _share(len(runs))}
    _side_by_side(_resume_one, [(str(run), share) for run in runs])


def _share(chains: int) -> int:
    return max(1, len(os.sched_getaffinity(0)) // chains)


def _fit_one(graph: dict[str, Any], corpus: str, out: str, options: dict[str, Any], chain: int) -> None:
    from pitmanyor.results.fitting import fit

    fit(Graph.from_dict(graph), Corpus.load(corpus), checkpoint=out, chain=chain, **options)


def _resume_one(run: str, options: dict[str, Any]) -> None:
    from pitmanyor.results.fitting import resume

    resume(run, **options)


def _guarded(work: Callable[..., None], call: tuple[Any, ...]) -> None:
    """What a process does: an error we raise on purpose is a sentence and a code, as on the command line."""
    try:
        work(*call)
    except PitmanyorError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(code_of(error))


def _side_by_side(work: Callable[..., None], calls: list[tuple[Any, ...]]) -> None:
    """Run all calls in processes of their own; Ctrl-C and SIGTERM are handed on, and every chain saves itself."""
    context = multiprocessing.get_context("spawn")
    processes: list[BaseProcess] = [context.Process(target=_guarded, args=(work, call)) for call in calls]
    asked: list[int] = []

    def hand_on(number: int, frame: FrameType | None) -> None:
        asked.append(number)
        for process in processes:
            if process.pid is not None and process.is_alive():
                os.kill(process.pid, number)

    old = {number: signal.signal(number, hand_on) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        for process in processes:
            process.start()
        for process in processes:
            process.join()
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)
    if signal.SIGTERM in asked:
        signal.raise_signal(signal.SIGTERM)
    failed = {i: process.exitcode for i, process in enumerate(processes) if process.exitcode}
    if failed and not asked:
        kind = PlanError if set(failed.values()) == {DATA} else FileError
        raise kind(f"chains {', '.join(map(str, failed))} failed, as told above; the others are saved")
