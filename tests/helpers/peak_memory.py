"""Fit a corpus in shards in a process of its own, and print how much memory it ever had (bytes), and a digest."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from high_water import high_water
from pitmanyor.corpus import Corpus
from pitmanyor.models import lda
from pitmanyor.shards.sharded import bounds_of, empty_state, in_files
from pitmanyor.shards.sharded_chain import ShardedChain

if __name__ == "__main__":
    place, home, size, sweeps = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    corpus, graph = Corpus.load(place, mapped=True), lda(20)
    bounds, has_tokens = bounds_of(graph, corpus, size)
    state = empty_state(graph, corpus, bounds)
    chain = ShardedChain(state, in_files(state, corpus, bounds, has_tokens, home), seed=1, passes=2)
    chain.initialise(20)
    for _ in range(sweeps):
        chain.step()
    whole = chain.whole()
    peak = high_water()
    arrays = (whole.text.topic, whole.text.code, whole.net.counts, whole.net.rests)
    print(peak, hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest())
