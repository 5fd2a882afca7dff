"""From a run on disk to a page on disk."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pitmanyor.errors import FileError
from pitmanyor.files import atomic_write
from pitmanyor.fitting import Fit, load
from pitmanyor.report.page import build_page
from pitmanyor.report.payload import build_payload
from pitmanyor.report.view import Floats
from pitmanyor.runs.directory import find_runs, read_header
from pitmanyor.runs.saved import read_saved


def write_report(
    run: Fit | str | Path, out: str | Path, *, posts: str | Path | None = None, redact: bool = False
) -> Path:
    """Write the page of a fit, or of a run directory (of several chains: the one with the highest log joint).

    posts: the file with the posts' texts, if it is not where it was when it was read.
    redact: authors by hashes, and no texts.
    """
    fit, chains = (run, None) if isinstance(run, Fit) else open_run(run)
    payload = build_payload(fit, chains=chains, posts=None if posts is None else Path(posts), redact=redact)
    return write_page(build_page(payload), out)


def write_page(page: str, out: str | Path) -> Path:
    target = Path(out)
    if not target.parent.is_dir() or target.is_dir():
        raise FileError(f"{target}: give the name of a file, such as report.html, in a directory that exists")
    with atomic_write(target) as file:
        file.write(page.encode())
    return target


def open_run(path: str | Path) -> tuple[Fit, list[Mapping[str, Floats]]]:
    """The fit of a run, of several chains the best one; and the traces of all chains."""
    runs = find_runs(path)
    traces = [_trace(run) for run in runs]
    best = max(range(len(runs)), key=lambda i: traces[i]["log_joint"][-1] if len(traces[i]["log_joint"]) else -np.inf)
    return load(runs[best]), [trace for trace in traces if len(trace["log_joint"])]


def _trace(run: Path) -> dict[str, Any]:
    trace = read_saved(run, read_header(run)).trace
    return {"log_joint": np.empty(0)} | {name: np.array(values) for name, values in trace.items()}
