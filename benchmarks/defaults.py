"""Which model and which discounts should be the default? Plain and bursty, fixed and learned, on real text.

`python -m benchmarks.defaults --results FILE` fits every row from 10 and from 500 topics to nine documents in ten and
prints a table for each corpus at hand. FILE gets a line of JSON per row; rows that it has are not fitted again.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import numpy as np  # noqa: E402

from benchmarks.corpora import ap_news, congress_posts, crisislex, kos_blog  # noqa: E402
from benchmarks.heldout import Split, perplexity, split, words_as_corpus  # noqa: E402
from benchmarks.learners import likeliest_dirichlet  # noqa: E402
from pitmanyor import Beta, Corpus, Fit, Graph, Start, evaluate, fit, models  # noqa: E402
from pitmanyor.evaluate.matching import stability  # noqa: E402

STARTS = (10, 500)
LEARNED = Beta(1, 1)
FOLD_IN = 100  # sweeps of the model's own predictor over a test document
MODELS: dict[str, Callable[[], Graph]] = {
    "hpyp": models.hpyp,
    "hpyp, discounts learned": lambda: models.hpyp(topic_discount=LEARNED, word_discount=LEARNED),
    "bursty(hpyp)": lambda: models.bursty(models.hpyp()),
    "bursty(hpyp), discounts learned": lambda: models.bursty(
        models.hpyp(topic_discount=LEARNED, word_discount=LEARNED), discount=LEARNED
    ),
    "author_topic": models.author_topic,
    "bursty(author_topic)": lambda: models.bursty(models.author_topic()),
}
CORPORA: dict[str, Callable[[], Corpus | None]] = {
    "kos_blog": kos_blog,
    "ap_news": ap_news,
    "crisislex_events": crisislex,
    "congress_follow, 60,000 posts": congress_posts,
}
HEADER = """| | large | effective | shared | log joint apart | perplexity: own | fixed topics | NPMI | NMI | CPU s |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"""


@dataclass(frozen=True)
class Row:
    """Two chains of one model on one corpus; pairs are of the chains from few and from many topics."""

    corpus: str
    model: str
    sweeps: int
    large: tuple[float, float]
    effective: tuple[float, float]
    shared: float
    apart: float
    own: float
    fixed: float
    npmi: float
    nmi: float | None
    seconds: float

    def __str__(self) -> str:
        numbers = (
            " / ".join(f"{n:.0f}" for n in self.large),
            " / ".join(f"{n:.0f}" for n in self.effective),
            f"{self.shared:.0%}",
            f"{self.apart:.3f}",
            f"{self.own:,.0f}",
            f"{self.fixed:,.0f}",
            f"{self.npmi:.3f}",
            "" if self.nmi is None else f"{self.nmi:.3f}",
            f"{self.seconds:.0f}",
        )
        return f"| {self.model} | " + " | ".join(numbers) + " |"


def measure(corpus_name: str, model: str, corpus: Corpus, sweeps: int, most: int | None) -> Row:
    """Fit a model from few and from many topics."""
    test, graph = split(corpus), MODELS[model]()
    began = time.process_time()
    fits = [
        fit(graph, test.train, sweeps, seed=1, threads=1, max_topics=most, start=Start(topics, chain), progress=False)
        for chain, topics in enumerate(STARTS)
    ]
    seconds = (time.process_time() - began) / len(fits)
    late = [{name: float(values[sweeps // 2 :].mean()) for name, values in one.trace.items()} for one in fits]
    labels = "label" in corpus.groups
    return Row(
        corpus_name,
        model,
        sweeps,
        (late[0]["topics/large"], late[1]["topics/large"]),
        (late[0]["topics/effective"], late[1]["topics/effective"]),
        stability(fits[0], fits[1:]).share,
        abs(late[0]["log_joint"] - late[1]["log_joint"]) / test.train.n_tokens,
        _mean([own_perplexity(one, test) for one in fits]),
        _mean([fixed_perplexity(one, test) for one in fits]),
        _mean([npmi(one) for one in fits]),
        _mean([one.nmi("label") for one in fits]) if labels else None,
        seconds,
    )


def npmi(one: Fit) -> float:
    """Of the ten most likely words of each large topic, by document."""
    return float(np.mean(evaluate.coherence(evaluate.top_words(one, 10, large=True), one.corpus, window=0)))


def own_perplexity(one: Fit, test: Split) -> float:
    """By the model's own predictor, given one half of each document and of the other half."""
    given, scored = (words_as_corpus(part, test.train) for part in (test.estimate, test.score))
    chances = evaluate.token_probabilities(one, given, scored, stream="word", sweeps=FOLD_IN, threads=1)
    return float(np.exp(-np.log(chances).mean()))


def fixed_perplexity(one: Fit, test: Split) -> float:
    """By a fold-in over fixed topics, the same for every package."""
    stream = one.graph.streams[0]
    words = next(name for name in (stream.emit, *one.graph[stream.emit].parents) if one.graph[name].plate == ("topic",))
    documents = test.train.streams[stream.name].documents
    prior = likeliest_dirichlet(documents, one.token_topics(stream.name), one.n_topics)
    return perplexity(one.mean(words), prior, test)


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpora", nargs="+", choices=list(CORPORA), default=list(CORPORA))
    parser.add_argument("--models", nargs="+", choices=list(MODELS), default=list(MODELS))
    parser.add_argument("--sweeps", type=int, default=150)
    parser.add_argument("--max-topics", type=int)
    parser.add_argument("--results", type=Path, default=Path("defaults.jsonl"), help="where rows are kept")
    chosen = parser.parse_args()
    for corpus_name in chosen.corpora:
        print(f"\n**{corpus_name}**\n\n{HEADER}", flush=True)
        corpus = CORPORA[corpus_name]()
        for model in chosen.models:
            row = _read_row(chosen.results, corpus_name, model)
            if row is None and corpus is not None and _fits(MODELS[model](), corpus):
                row = measure(corpus_name, model, corpus, chosen.sweeps, chosen.max_topics)
                with chosen.results.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(row)) + "\n")
            if row is not None:
                print(row, flush=True)


def _fits(graph: Graph, corpus: Corpus) -> bool:
    """Whether the corpus has the columns that the graph needs."""
    plates = {part for node in graph.nodes for part in node.plate} - {"document", "topic"}
    return plates <= set(corpus.groups)


def _read_row(file: Path, corpus: str, model: str) -> Row | None:
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    rows = [Row(**json.loads(line)) for line in lines]
    return next((row for row in rows if (row.corpus, row.model) == (corpus, model)), None)


if __name__ == "__main__":
    main()
