"""A fit in shards that waits to be killed: prints the number of every sweep that begins, and stays in the fourth.

Arguments: a corpus, and the run directory to create.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from pitmanyor import Corpus, Sampler, fit
from pitmanyor.models import hpyp
from pitmanyor.sampling import chain
from pitmanyor.shards import budget
from pitmanyor.shards.shard_files import InFiles

OPTIONS = {"seed": 3, "keep": 3, "progress": False, "threads": 1, "sampler": Sampler(anchors=0.1, moves=False)}
STAYS = 4


def main(corpus: Path, run: Path) -> None:
    chain.SMALL_CORPUS, budget.LEAST_TOKENS, budget.PER_TOKEN = 0, 100, 10**6
    sweep = InFiles.sweep

    def swept(self, shared, orders):
        number = shared.seed[2]
        if number == STAYS:
            sweep(self, shared, orders)  # shards have moved on, and their driver has not
        print(number, flush=True)
        if number == STAYS:
            time.sleep(600)
        return sweep(self, shared, orders)

    InFiles.sweep = swept
    fit(hpyp(), Corpus.load(corpus, mapped=True), 6, memory="2GB", save_to=run, save_every=0, **OPTIONS)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
