"""The other contestants: tomotopy's LDA and HDP, one thread, in CPU time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.heldout import Split, perplexity
from pitmanyor.corpus import Corpus


@dataclass(frozen=True)
class Race:
    """One race: burn in, then time whole sweeps; perplexity is looked at every `look` sweeps of the burn-in."""

    test: Split
    n_topics: int
    burn_in: int = 100
    sweeps: int = 20
    times: int = 4  # the sweeps are timed in so many parts, of which the best counts: other work only slows down
    look: int = 25
    seed: int = 1

    @property
    def train(self) -> Corpus:
        return self.test.train


@dataclass
class Result:
    """What a contestant did; `curve` holds (CPU seconds of sampling so far, held-out perplexity)."""

    name: str
    n_topics: int
    tokens_per_second: float
    perplexity: float
    curve: list[tuple[float, float]] = field(default_factory=list)


Contestant = Callable[[Race], Result]


def tomotopy_lda(race: Race) -> Result:
    """Plain LDA with tomotopy's own defaults (alpha 0.1 re-estimated every ten sweeps, eta 0.01)."""
    import tomotopy

    model = tomotopy.LDAModel(k=race.n_topics, seed=race.seed)
    return _run("tomotopy LDA", model, race, lambda: np.asarray(model.alpha, float))


def tomotopy_hdp(race: Race) -> Result:
    """HDP started at `n_topics`; the number it holds in the end is its own and is reported."""
    import tomotopy

    model = tomotopy.HDPModel(initial_k=race.n_topics, seed=race.seed)

    def prior() -> NDArray[np.float64]:
        # tomotopy tells tokens per topic, not tables per topic: the shares stand in for the global measure.
        counts = np.asarray(model.get_count_by_topics(), float)
        return float(model.alpha) * counts / counts.sum() + 1e-12

    return _run("tomotopy HDP", model, race, prior)


def _run(name: str, model: Any, race: Race, prior: Callable[[], NDArray[np.float64]]) -> Result:
    add_words(model, race.train)
    model.train(0, workers=1)
    curve = []
    spent, done = 0.0, 0
    while done < race.burn_in:
        steps = min(race.look, race.burn_in - done)
        spent += _train(model, steps)
        done += steps
        curve.append((spent, _perplexity(model, race, prior)))
    seconds = min(_train(model, race.sweeps // race.times) for _ in range(race.times))
    score = _perplexity(model, race, prior)
    curve.append((spent + seconds * race.times, score))
    n_tokens = len(race.train.streams["word"].words)
    n_topics = int(getattr(model, "live_k", model.k))
    return Result(name, n_topics, n_tokens * (race.sweeps // race.times) / seconds, score, curve)


def _train(model: Any, sweeps: int) -> float:
    start = process_time()
    model.train(sweeps, workers=1)
    return process_time() - start


def add_words(model: Any, corpus: Corpus) -> None:
    """Words go in as their index, so that phi can be put back into the order of our vocabulary."""
    stream = corpus.streams["word"]
    names = np.arange(len(corpus.vocabulary)).astype(str)
    for start, stop in zip(stream.offsets[:-1], stream.offsets[1:], strict=True):
        if stop > start:
            model.add_doc(names[stream.words[start:stop]].tolist())


def _perplexity(model: Any, race: Race, prior: Callable[[], NDArray[np.float64]]) -> float:
    live, phi = topic_words(model, len(race.train.vocabulary))
    return perplexity(phi, prior()[live], race.test)


def topic_words(model: Any, n_words: int) -> tuple[list[int], NDArray[np.float64]]:
    """The topics alive, and their word probabilities in the order of our vocabulary."""
    live = [k for k in range(model.k) if not hasattr(model, "is_live_topic") or model.is_live_topic(k)]
    columns = np.array([int(word) for word in model.used_vocabs])
    phi = np.zeros((len(live), n_words))
    for row, k in enumerate(live):
        phi[row, columns] = model.get_topic_word_dist(k)
    return live, phi


PEERS: dict[str, Contestant] = {"tomotopy LDA": tomotopy_lda, "tomotopy HDP": tomotopy_hdp}
