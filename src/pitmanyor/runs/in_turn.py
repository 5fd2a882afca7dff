"""Several chains over shards, one after the other: each may use all the memory and all the workers there are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pitmanyor.runs.advance import Run
from pitmanyor.runs.continuing import continue_run
from pitmanyor.runs.directory import STATE
from pitmanyor.runs.sharded_runs import Bounds, in_one_piece
from pitmanyor.sampling.progress import Bars, OfChain


def continue_in_turn(homes: Sequence[Path], options: dict[str, Any], where: Bounds, bars: Bars) -> list[Run]:
    """Go on with several runs. Ctrl-C ends the one at hand after its sweep, and the others are left as they are.

    options: those of `continue_run`. A KeyboardInterrupt if a chain has not begun when Ctrl-C comes.
    """
    runs: list[Run] = []
    for chain, home in enumerate(homes):
        place = where._replace(home=where.home / f"chain-{chain}")
        place.home.mkdir()
        run = continue_run(home, **options, progress=OfChain(bars, chain), where=place)
        runs.append(in_one_piece(run, options["threads"]))
        if run.chain.n_sweeps < run.settings.sweeps and not all((other / STATE).exists() for other in homes):
            raise KeyboardInterrupt
    return runs
