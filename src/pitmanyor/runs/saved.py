"""The files of states: what they say, checked as far as that goes without the corpus and without the sampler."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.errors import FileError
from pitmanyor.files import read_arrays
from pitmanyor.runs.directory import STATE, Header, Place

STATE_KIND, SAMPLE_KIND, SCHEMA = "pitmanyor state", "pitmanyor sample", 5
LARGEST = 1 << 32  # sweeps, rows of a table
Array = NDArray[Any]


class Saved(NamedTuple):
    """The last state file: what it says of the chain, and its arrays."""

    n_sweeps: int
    seconds: float
    samples: list[int]
    tables: list[list[int]]
    trace: dict[str, list[float]]
    arrays: dict[str, Array]


def read_saved(path: Place, header: Header, mapped: bool = False) -> Saved:
    """The state file of a run, checked as far as that goes without the corpus; arrays that are `mapped` stay in it."""
    place = Path(path) / STATE
    said, arrays = read_checked(place, STATE_KIND, header, mapped)
    try:
        trace = {name.removeprefix("trace/"): arrays.pop(name) for name in list(arrays) if name.startswith("trace/")}
        n_sweeps, seconds, samples, tables = (said[name] for name in ("n_sweeps", "seconds", "samples", "tables"))
        numbers = [n_sweeps, *samples, *(size for shape in tables for size in shape)]
        if not all(type(n) is int and 0 <= n < LARGEST for n in numbers) or finite_number(seconds) < 0:
            raise ValueError("a number that is none")
        if samples != sorted(set(samples)) or samples[-1:] > [n_sweeps]:
            raise ValueError("kept states of other sweeps")
        if any(values.shape != (n_sweeps,) or values.dtype != np.float64 for values in trace.values()):
            raise ValueError("a trace of another length")
    except (KeyError, TypeError, ValueError) as error:
        raise misfit(place, error) from error
    traced = {name: values.tolist() for name, values in trace.items()}
    return Saved(n_sweeps, float(seconds), samples, tables, traced, arrays)


def finite_number(value: object) -> float:
    """A number that is one."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{value!r} is no number")
    return float(value)


def read_checked(
    place: Path, kind: str, header: Header, mapped: bool = False
) -> tuple[Mapping[str, Any], dict[str, Array]]:
    said, arrays = read_arrays(place, mapped=mapped)
    if said.get("kind") != kind or said.get("schema") != SCHEMA:
        raise FileError(
            f"{place}: holds {said.get('kind')!r} of schema {said.get('schema')!r} where {kind!r} of schema {SCHEMA} "
            "is due; use the version of pitmanyor that wrote it"
        )
    if said.get("run") != header.run:
        raise FileError(f"{place}: belongs to another run; put back the file that this run wrote")
    return said, arrays


def misfit(place: Path, error: Exception) -> FileError:
    return FileError(f"{place}: does not fit its run ({error}); it was not written by this version of pitmanyor")
