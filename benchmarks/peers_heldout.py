"""Side by side with other packages at equal CPU time: held-out perplexity by one and the same script, NPMI, topics.

`python -m benchmarks.peers_heldout --seconds 60 --topics 100` races on every corpus at hand. All learn on one core for
so many CPU seconds. Then all are scored alike: topics are fixed, a document's shares are folded in on half of its
words, the other half is scored (benchmarks/heldout.py). The last column lets our models predict by themselves, from the
same halves: burstiness is no matter of topics, so a fold-in over fixed topics cannot show it.
"""

from __future__ import annotations

import argparse
import gc
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time

# One core for everybody. Read when numpy and numba are first imported, hence before them.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import numpy as np  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

from benchmarks.corpora import CORPORA, zipf  # noqa: E402
from benchmarks.heldout import Split, perplexity, split, take  # noqa: E402
from benchmarks.learners import LEARNERS, Learner, Ours, Topics  # noqa: E402
from benchmarks.speed import machine  # noqa: E402
from pitmanyor import evaluate  # noqa: E402
from pitmanyor.corpus import Corpus, Stream  # noqa: E402

FOLD_IN = 100  # sweeps of our own predictor over a test document; fewer add noise, which costs a percent or two
SMALL = 0.001  # of a document's prior: topics below it are not counted as found, nor their words judged
REAL = ("kos_blog", "congress_follow")


@dataclass(frozen=True)
class Score:
    name: str
    n_steps: int
    seconds: float
    perplexity: float
    own: float | None
    npmi: float
    n_topics: int


def learn(learner: Learner, seconds: float) -> tuple[int, float]:
    """Let it learn for so many CPU seconds; a step that was begun is finished."""
    n_steps, start = 0, process_time()
    while process_time() - start < seconds:
        learner.step()
        n_steps += 1
    return n_steps, process_time() - start


def race(name: str, test: Split, n_topics: int, seconds: float, seed: int) -> Score:
    learner = LEARNERS[name](test.train, n_topics, seed)
    n_steps, spent = learn(learner, seconds)
    topics = learner.topics()
    found = topics.prior / topics.prior.sum() >= SMALL
    own = own_perplexity(learner, test) if isinstance(learner, Ours) else None
    npmi = coherence(topics, found, test.train)
    return Score(name, n_steps, spent, perplexity(topics.phi, topics.prior, test), own, npmi, int(found.sum()))


def own_perplexity(learner: Ours, test: Split) -> float:
    """By the model's own predictor, given the same tokens and of the same tokens."""
    given, scored = (_corpus(part, test.train) for part in (test.estimate, test.score))
    chances = evaluate.token_probabilities(learner.posterior, given, scored, stream="word", sweeps=FOLD_IN, threads=1)
    return float(np.exp(-np.log(chances).mean()))


def coherence(topics: Topics, found: NDArray[np.bool_], train: Corpus) -> float:
    best = np.argsort(-topics.phi[found], axis=1, kind="stable")[:, :10]
    words = [[train.vocabulary[w] for w in row] for row in best]
    return float(np.mean(evaluate.coherence(words, train, window=0)))


def _corpus(documents: list[NDArray[np.int32]], like: Corpus) -> Corpus:
    offsets = np.append(0, np.cumsum([len(document) for document in documents])).astype(np.int64)
    return Corpus(like.vocabulary, {"word": Stream(np.concatenate(documents), offsets)})


def compare(name: str, corpus: Corpus, args: argparse.Namespace) -> Iterable[str]:
    """A table of one corpus, line by line as the figures come in."""
    if args.documents and corpus.n_documents > args.documents:
        chosen = np.random.default_rng(0).permutation(corpus.n_documents)[: args.documents]
        corpus = take(corpus, np.sort(chosen))
    corpus = Corpus(corpus.vocabulary, {"word": corpus.streams["word"]}, corpus.groups)
    test = split(corpus)
    tokens = len(test.train.streams["word"].words)
    yield from (f"## {name}: {test.train.n_documents:,} documents, {tokens:,} tokens to learn from", "")
    yield "| | steps | CPU s | perplexity, fixed topics | perplexity, own predictor | NPMI | topics |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for learner in args.learners:
        s = race(learner, test, args.topics, args.seconds, args.seed)
        gc.collect()
        yield _line(s)
    yield ""


def _line(s: Score) -> str:
    own = "" if s.own is None else f"{s.own:,.1f}"
    cells = (s.name, f"{s.n_steps:,}", f"{s.seconds:.1f}", f"{s.perplexity:,.1f}", own, f"{s.npmi:.3f}", s.n_topics)
    return "| " + " | ".join(map(str, cells)) + " |"


def warm_up(learners: Sequence[str]) -> None:
    """Compile, and load what is loaded once, before the clock runs."""
    tiny = split(zipf(n_tokens=30_000, n_topics=5, vocabulary=300, n_authors=5))
    for name in learners:
        race(name, tiny, 5, 0.2, 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="CPU seconds to learn")
    parser.add_argument(
        "--topics", type=int, default=100, help="of the finite models, and to begin with for the others"
    )
    parser.add_argument("--documents", type=int, help="take so many documents at random")
    parser.add_argument("--corpora", nargs="+", choices=list(CORPORA), default=list(REAL))
    parser.add_argument("--learners", nargs="+", choices=list(LEARNERS), default=list(LEARNERS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, help="also write the tables here")
    args = parser.parse_args()
    warm_up(args.learners)
    lines = ["# Side by side at equal CPU time", "", machine(), f"{args.seconds:g} s, K = {args.topics}.", ""]
    print("\n".join(lines), flush=True)
    for name in args.corpora:
        corpus = CORPORA[name](args.topics)
        if corpus is None:
            lines.append(f"{name}: not at hand on this machine.")
            print(lines[-1])
            continue
        for line in compare(name, corpus, args):
            print(line, flush=True)
            lines.append(line)
    if args.output is not None:
        args.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
