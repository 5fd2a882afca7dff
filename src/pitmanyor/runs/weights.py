"""The weights of chains, kept beside them: `weights.json`, which holds as long as the chains are where they were."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pitmanyor.errors import FileError
from pitmanyor.files import atomic_write, open_regular
from pitmanyor.runs.advance import Run

FORMAT, WEIGHTS = "pitmanyor weights 1", "weights.json"
MOST_BYTES = 1 << 20
Floats = NDArray[np.float64]


def read_weights(home: Path, runs: Sequence[Run]) -> Floats | None:
    """The weights of these chains; None if none are there, or if they are those of earlier sweeps."""
    try:
        with open_regular(home / WEIGHTS) as file:
            said = json.loads(file.read(MOST_BYTES))
        if said["format"] != FORMAT or said["chains"] != _states(runs):
            return None
        weights = np.array([float(weight) for weight in said["weights"]])
    except (OSError, ValueError, KeyError, TypeError):  # it can be computed again at any time
        return None
    sound = len(weights) == len(runs) and (weights >= 0.0).all() and abs(weights.sum() - 1.0) < 1e-9
    return weights if sound else None


def write_weights(home: Path, runs: Sequence[Run], weights: Floats) -> None:
    """Keep the weights of these chains; where nothing can be written they are computed again the next time."""
    body = json.dumps({"format": FORMAT, "chains": _states(runs), "weights": weights.tolist()}, indent=1)
    with suppress(FileError), atomic_write(home / WEIGHTS) as file:
        file.write(body.encode() + b"\n")


def _states(runs: Sequence[Run]) -> list[list[float]]:
    """What tells the states of chains apart."""
    return [[run.settings.chain, run.chain.n_sweeps, run.chain.measures.log_joint] for run in runs]
