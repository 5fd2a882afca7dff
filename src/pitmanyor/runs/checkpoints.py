"""Checkpoints: the state of a run written every so often, each in place of the one before, all at once."""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pitmanyor.call_checks import callers_level
from pitmanyor.errors import FileError, PlanError, SaveWarning
from pitmanyor.files import write_arrays
from pitmanyor.runs.directory import SAMPLE, SAMPLES, STATE, Header, Place
from pitmanyor.runs.kept import Kept
from pitmanyor.runs.saved import SAMPLE_KIND, SCHEMA, STATE_KIND
from pitmanyor.runs.states import pack, table_shapes
from pitmanyor.sampling.health import check_terms

if TYPE_CHECKING:
    from pitmanyor.runs.advance import Run


class Checkpoints:
    """Writes a run into its directory, at most every given number of seconds; `hold` the directory meanwhile."""

    def __init__(self, path: Place, header: Header, every: float = 300.0) -> None:
        if not every >= 0:
            raise PlanError(f"save_every must be a number of seconds, 0 or more, not {every!r}")
        self.home, self.header, self.every = Path(path), header, every
        self._last = time.monotonic()

    @property
    def due(self) -> bool:
        return time.monotonic() - self._last >= self.every

    def write(self, run: Run) -> None:
        """The states kept since the last time, then the state of the chain, which names them; others go."""
        state = run.chain.whole()
        check_terms(state)
        for sweep, sample in run.samples.items():
            if not (self.home / SAMPLE.format(sweep)).exists():
                self._write_sample(sweep, sample)
        said = self._said(STATE_KIND) | {
            "n_sweeps": run.chain.n_sweeps,
            "seconds": run.seconds,
            "samples": list(run.samples),
            "tables": table_shapes(state.tables),
        }
        trace = {f"trace/{name}": np.array(values, np.float64) for name, values in run.chain.trace.items()}
        write_arrays(self.home / STATE, said, pack(state) | trace)
        for place in set(self.home.glob(SAMPLES)) - {self.home / SAMPLE.format(sweep) for sweep in run.samples}:
            place.unlink(missing_ok=True)
        self._last = time.monotonic()

    def attempt(self, run: Run) -> None:
        """Write; if the disk will not have it, say so and let the chain go on: the last good checkpoint is there."""
        try:
            self.write(run)
        except FileError as error:
            self._last = time.monotonic()
            warnings.warn(
                f"sweep {run.chain.n_sweeps} was not saved: {error}. Make room, or save the fit elsewhere at its end",
                SaveWarning,
                stacklevel=callers_level(),
            )

    def _write_sample(self, sweep: int, sample: Kept) -> None:
        said = self._said(SAMPLE_KIND) | {"sweep": sweep, "log_joint": sample.log_joint}
        write_arrays(self.home / SAMPLE.format(sweep), said, sample.arrays)

    def _said(self, kind: str) -> dict[str, Any]:
        return {"kind": kind, "schema": SCHEMA, "run": self.header.run}
