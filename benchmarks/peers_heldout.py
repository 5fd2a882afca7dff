"""Side by side with other packages at equal CPU time: held-out perplexity by one and the same script, NPMI, topics.

`python -m benchmarks.peers_heldout --seconds 15 30 60 --seeds 1 2 3 --results FILE` races on every corpus at hand. All
learn on one core, and are scored alike after so many CPU seconds: topics are fixed, a document's shares are folded in
on half of its words, the other half is scored (benchmarks/heldout.py). One column lets our models predict by
themselves, from the same halves: burstiness is no matter of topics, so a fold-in over fixed topics cannot show it.
FILE gets a line of JSON a score; races that it has are not run again, and the tables are made of all it has.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from statistics import fmean, stdev
from time import process_time

# One core for everybody. Read when numpy and numba are first imported, hence before them.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import numpy as np  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

from benchmarks.corpora import CORPORA, zipf  # noqa: E402
from benchmarks.heldout import Split, perplexity, split, take, words_as_corpus  # noqa: E402
from benchmarks.learners import LEARNERS, Ours, Topics  # noqa: E402
from benchmarks.speed import machine  # noqa: E402
from pitmanyor import evaluate  # noqa: E402
from pitmanyor.corpus import Corpus  # noqa: E402

FOLD_IN = 100  # sweeps of our own predictor over a test document; fewer add noise, which costs a percent or two
SMALL = 0.001  # of a document's prior: topics below it are not counted as found, nor their words judged
REAL = ("kos_blog", "congress_follow")


@dataclass(frozen=True)
class Score:
    """What a learner has come to: after `seconds` asked for, and `spent` in truth."""

    corpus: str
    name: str
    seed: int
    seconds: float
    spent: float
    n_steps: int
    perplexity: float
    own: float | None
    npmi: float
    n_topics: int


def race(where: str, name: str, test: Split, n_topics: int, times: Sequence[float], seed: int) -> Iterator[Score]:
    """Let it learn for so many CPU seconds, and some more. A step begun is finished; scoring is not counted."""
    learner = LEARNERS[name](test.train, n_topics, seed)
    n_steps, spent = 0, 0.0
    for seconds in times:
        start = process_time()
        while spent + process_time() - start < seconds:
            learner.step()
            n_steps += 1
        spent += process_time() - start
        topics = learner.topics()
        found = topics.prior / topics.prior.sum() >= SMALL
        own = own_perplexity(learner, test) if isinstance(learner, Ours) else None
        worth = perplexity(topics.phi, topics.prior, test), own, coherence(topics, found, test.train)
        yield Score(where, name, seed, seconds, spent, n_steps, *worth, int(found.sum()))


def own_perplexity(learner: Ours, test: Split) -> float:
    """By the model's own predictor, given the same tokens and of the same tokens."""
    given, scored = (words_as_corpus(part, test.train) for part in (test.estimate, test.score))
    chances = evaluate.token_probabilities(learner.posterior, given, scored, stream="word", sweeps=FOLD_IN, threads=1)
    return float(np.exp(-np.log(chances).mean()))


def coherence(topics: Topics, found: NDArray[np.bool_], train: Corpus) -> float:
    best = np.argsort(-topics.phi[found], axis=1, kind="stable")[:, :10]
    words = [[train.vocabulary[w] for w in row] for row in best]
    return float(np.mean(evaluate.coherence(words, train, window=0)))


def laid_out(corpus: Corpus, n_documents: int | None) -> Split:
    """The words of a corpus, or of so many of its documents, with some set aside to be predicted."""
    if n_documents and corpus.n_documents > n_documents:
        chosen = np.random.default_rng(0).permutation(corpus.n_documents)[:n_documents]
        corpus = take(corpus, np.sort(chosen))
    return split(Corpus(corpus.vocabulary, {"word": corpus.streams["word"]}, corpus.groups))


def read_scores(file: Path) -> list[Score]:
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return [Score(**json.loads(line)) for line in lines]


def run(args: argparse.Namespace) -> None:
    """Race all who have not raced yet, and put every score away as it comes in."""
    ready = False
    for where, seed, name in product(args.corpora, args.seeds, args.learners):
        done = {s.seconds for s in read_scores(args.results) if (s.corpus, s.seed, s.name) == (where, seed, name)}
        corpus = None if done >= set(args.seconds) else CORPORA[where](args.topics)
        if corpus is None:
            continue
        if not ready:
            warm_up(args.learners)
            ready = True
        for score in race(where, name, laid_out(corpus, args.documents), args.topics, sorted(args.seconds), seed):
            if score.seconds not in done:
                with args.results.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(score)) + "\n")
        gc.collect()


def tables(scores: Sequence[Score]) -> Iterator[str]:
    """A table for every corpus and time: mean and standard deviation over seeds."""
    for where, seconds in sorted({(s.corpus, s.seconds) for s in scores}):
        here = [s for s in scores if (s.corpus, s.seconds) == (where, seconds)]
        yield from (f"## {where}, {seconds:g} CPU s", "")
        yield "| | seeds | steps | perplexity, fixed topics | perplexity, own predictor | NPMI | topics |"
        yield "|---|---:|---:|---:|---:|---:|---:|"
        for name in (name for name in LEARNERS if any(s.name == name for s in here)):
            mine = [s for s in here if s.name == name]
            own = [s.own for s in mine if s.own is not None]
            cells = (
                _mean([s.n_steps for s in mine], 0),
                _mean([s.perplexity for s in mine], 1),
                _mean(own, 1),
                _mean([s.npmi for s in mine], 3),
                _mean([s.n_topics for s in mine], 0),
            )
            yield f"| {name} | {len(mine)} | " + " | ".join(cells) + " |"
        yield ""


def _mean(values: Sequence[float], digits: int) -> str:
    if not values:
        return ""
    spread = f" ± {stdev(values):,.{digits}f}" if len(values) > 1 else ""
    return f"{fmean(values):,.{digits}f}{spread}"


def warm_up(learners: Sequence[str]) -> None:
    """Compile, and load what is loaded once, before the clock runs."""
    tiny = split(zipf(n_tokens=30_000, n_topics=5, vocabulary=300, n_authors=5))
    for name in learners:
        list(race("tiny", name, tiny, 5, [0.2], 0))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, nargs="+", default=[60.0], help="CPU seconds to learn")
    parser.add_argument(
        "--topics", type=int, default=100, help="of the finite models, and to begin with for the others"
    )
    parser.add_argument("--documents", type=int, help="take so many documents at random")
    parser.add_argument("--corpora", nargs="+", choices=list(CORPORA), default=list(REAL))
    parser.add_argument("--learners", nargs="+", choices=list(LEARNERS), default=list(LEARNERS))
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--results", type=Path, default=Path("peers.jsonl"), help="where scores are kept")
    args = parser.parse_args()
    run(args)
    print("\n".join(["# Side by side at equal CPU time", "", machine(), "", *tables(read_scores(args.results))]))


if __name__ == "__main__":
    main()
