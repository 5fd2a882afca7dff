"""Make a fit go on with mixed sweeps, moves and two threads, and kill it when it is about to take a step on files.

Arguments: where its run is or will be, the number of its sweeps, and the step; -1 for a fit that is not killed.
"""

from __future__ import annotations

import sys
from pathlib import Path
from unittest.mock import patch

from kill_outputs import steps
from pitmanyor import fit, resume
from saving import GRAPHS, OPTIONS, corpus_of, sweeping


def go_on(path: Path | None, sweeps: int) -> object:
    """The fit itself, and the same from where it was."""
    with sweeping("mixed"), patch("pitmanyor.sampling.split_merge.MOVES", 2.0):
        if path is not None and path.exists():
            return resume(path, sweeps, threads=2, save_every=0, progress=False)
        graph, corpus = GRAPHS["hpyp"], corpus_of("hpyp")
        return fit(graph, corpus, sweeps=sweeps, save_to=path, save_every=0, **OPTIONS | {"threads": 2})


if __name__ == "__main__":
    if (at := int(sys.argv[3])) >= 0:
        steps(at, str(Path(sys.argv[1]).parent))
    go_on(Path(sys.argv[1]), int(sys.argv[2]))
