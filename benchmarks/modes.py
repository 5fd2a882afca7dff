"""How far apart are the modes of the posterior? Log acceptance ratios of splits and merges at the end of a chain.

`python -m benchmarks.modes --corpora crisislex_events` fits a chain, proposes to merge every large topic with the one
that shares most words with it and to split it, and prints quantiles of log alpha (maths 4.4) in nats. A chain stays in
its mode if its best proposals are all refused by much.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np

from benchmarks.defaults import CORPORA, MODELS
from pitmanyor import fit
from pitmanyor.sampling.split_merge import IN_TURN, LAUNCH_FIRST, NONE, Selection, SplitMerge
from pitmanyor.state.state import State
from pitmanyor.state.topic_sizes import is_large

QUANTILES = (1.0, 0.9, 0.5)
Ratios = list[float]


def ratios(state: State, seed: int) -> tuple[Ratios, Ratios]:
    """Log alpha of merging each large topic with its nearest, and of splitting it. The state stays as it is."""
    moves, rng = SplitMerge(state), np.random.default_rng(seed)
    moves.index(state)
    out: tuple[Ratios, Ratios] = ([], [])
    for number, (kernel, selection) in enumerate(_proposals(state, moves, rng)):
        proposal = moves.propose(state, kernel, selection, (seed, 0, 0, number))
        moves.refuse(state, proposal)
        out[selection.is_split].append(proposal.log_alpha)
    return out


def _proposals(state: State, moves: SplitMerge, rng: np.random.Generator) -> Iterator[tuple]:
    sizes = moves.sizes()
    topics = np.flatnonzero(sizes)
    for k in np.flatnonzero(is_large(sizes)):
        one = int(k)
        partners = moves.partners(state, topics, one)
        other = int(topics[np.argmax(partners)])
        i, j = (int(rng.choice(moves.tokens_of(topic))) for topic in (one, other))
        yield IN_TURN, Selection((one, other), (one, NONE), (i, j))
        i, j = rng.choice(moves.tokens_of(one), 2, replace=False)
        yield LAUNCH_FIRST, Selection((one, NONE), (one, int(moves.empty(state)[0])), (int(i), int(j)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpora", nargs="+", choices=list(CORPORA), default=list(CORPORA)[:3])
    parser.add_argument("--models", nargs="+", choices=list(MODELS), default=["hpyp", "bursty(hpyp)"])
    parser.add_argument("--sweeps", type=int, default=150)
    chosen = parser.parse_args()
    print("| | | proposals | best | best tenth | median |\n|---|---|---:|---:|---:|---:|")
    for name in chosen.corpora:
        corpus = CORPORA[name]()
        for model in chosen.models if corpus is not None else ():
            result = fit(MODELS[model](), corpus, chosen.sweeps, seed=1, threads=1, keep=0, progress=False)
            for kind, found in zip(("merges", "splits"), ratios(result.state, 1), strict=True):
                cells = " | ".join(f"{value:,.0f}" for value in np.quantile(found, QUANTILES))
                print(f"| {name}, {model} | {kind} | {len(found)} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
