"""One cell of a table: fit a row once and measure it. Titles of the numbers are in `table_columns.py`."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from pitmanyor import evaluate
from pitmanyor.baselines import pool
from pitmanyor.corpus import Corpus
from pitmanyor.errors import StateError
from pitmanyor.evaluate.topic_count import which_are_large
from pitmanyor.experiments.data import Data, in_one_stream, split
from pitmanyor.experiments.home import Facts, Home
from pitmanyor.experiments.rows import Row, rows_of
from pitmanyor.experiments.settings import Settings
from pitmanyor.experiments.streams import STREAMS, joint_perplexity
from pitmanyor.results.fitting import Fit, fit
from pitmanyor.runs.fit_options import Network, Start
from pitmanyor.version import __version__

TRACED = 50  # values of each trace to keep
N_LABELS, N_WORDS = 3, 10
OBSERVED = 0.5  # the share of a held-out post's words that is given
FOLD_IN = 50  # sweeps over a held-out post; fewer cost a percent of perplexity
Numbers = dict[str, float]


def run_cell(path: str, key: str, repeat: int) -> None:
    """Fit and measure one row with one seed, and write the cell."""
    home = Home(Path(path))
    settings, data, rows = _opened(path)
    facts = compute(rows[key], data, settings, repeat)
    home.write_cell(key, repeat, {"row": key, "repeat": repeat} | facts)


@lru_cache(maxsize=1)
def _opened(path: str) -> tuple[Settings, Data, dict[str, Row]]:
    """What all cells of an experiment share; a worker reads it once."""
    home = Home(Path(path))
    settings, corpus = home.settings(), home.corpus()
    return settings, split(corpus, settings), {row.key: row for row in rows_of(settings, corpus)}


def compute(row: Row, data: Data, settings: Settings, repeat: int) -> Facts:
    """The contents of a cell's file."""
    start, seed = process_time(), settings.seed + repeat
    fitted = _fit(row, data.train, settings, seed)
    spent = process_time() - start
    numbers: Numbers = {}
    facts: Facts = {"seed": seed, "version": __version__, "sweeps": fitted.n_sweeps, "trace": _trace(fitted)}
    facts |= {"tokens": fitted.state.plan.n_tokens, "notes": _notes(data, settings)}
    if row.graph.streams:
        numbers["topics"] = fitted.topic_count().mean
    if data.test is not None and row.graph.streams:
        numbers |= _perplexity(fitted, data.train, data.test, settings)
    if row.graph.link_sets:
        numbers |= _network(fitted, data, settings)
    if settings.kind == "clustering":
        numbers |= _clusters(fitted, data.train)
    if settings.kind in ("clustering", "labels"):
        numbers |= _topics(fitted, data.train)
    if settings.kind == "labels":
        facts["labels"] = _labels(fitted)
        numbers |= _label_npmi(facts["labels"], data.train)
    numbers |= {"fit_seconds": spent, "measure_seconds": process_time() - start - spent}
    return facts | {"numbers": numbers}


def _fit(row: Row, train: Corpus, settings: Settings, seed: int) -> Fit:
    options: dict[str, Any] = {"sweeps": settings.sweeps, "keep": settings.keep, "seed": seed, "threads": 1}
    if not row.graph.streams:
        options["network"] = Network(n_topics=settings.network_topics)
    else:  # a fixed number of topics starts with all of them
        given = [node.over for node in row.graph.nodes if isinstance(node.over, int)]
        options["max_topics"] = None if given else row.max_topics
        most = row.max_topics or settings.start_topics
        options["start"] = Start(topics=min(settings.start_topics, most, *given))
    fitted = fit(row.graph, pool(train, row.pooling), progress=False, **options)
    if fitted.n_sweeps < settings.sweeps:
        raise KeyboardInterrupt  # Ctrl-C ends a fit early, and a partial fit is not a cell
    return fitted


def _notes(data: Data, settings: Settings) -> list[str]:
    """What cannot be computed for these data, for the notes of the table."""
    notes = []
    if data.held is not None and not _tells_apart(data):
        kind = "linked" if data.held.linked.any() else "not linked"
        notes.append(f"all {len(data.held.linked)} held-out pairs are {kind}, so there is nothing to tell apart")
    if settings.kind == "clustering" and (n_bare := int((~data.train.groups["label"].known).sum())):
        notes.append(f"{n_bare} of {data.train.n_documents} posts have no label: they are fitted, but not scored")
    return notes


def _tells_apart(data: Data) -> bool:
    return data.held is not None and bool(data.held.linked.any() and not data.held.linked.all())


def _perplexity(fitted: Fit, train: Corpus, test: Corpus, settings: Settings) -> Numbers:
    """Score the same tokens for all rows; a row without hashtags has no perplexity of all tokens."""
    seed = settings.seed
    found = evaluate.perplexity(fitted, test, observed=OBSERVED, sweeps=FOLD_IN, seed=seed, threads=1)
    out = {f"perplexity_{name}": value for name, value in found.by_stream.items()}
    if {stream.name for stream in fitted.graph.streams} == set(STREAMS):
        joint = joint_perplexity(found, fitted.graph, train, test, observed=OBSERVED, seed=seed)
        out |= {"perplexity": found.total, "perplexity_joint": joint}
    return out


def _network(fitted: Fit, data: Data, settings: Settings) -> Numbers:
    """The log likelihood of the links that were shown, averaged over states, and scores of the held-out ones."""
    joined = [draw for draw in fitted.draws if draw.state.network]  # the first states may be of the text alone
    logs = [draw.network_log_likelihood(seed=settings.seed).log_likelihood for draw in joined]
    out = {"network_log_likelihood": float(np.mean(logs))}
    if data.held is not None and _tells_apart(data):
        scores = evaluate.link_scores(fitted, data.held)
        out |= {"link_auc": scores.auc, "link_average_precision": scores.average_precision}
    if not np.isfinite(list(out.values())).all():
        raise StateError(f"a measure of the network is not finite: {out}")
    return out


def _clusters(fitted: Fit, posts: Corpus) -> Numbers:
    """Fold in every post by itself, whatever it was pooled with; its dominant topic is its cluster.

    Posts without a label are left out.
    """
    known = posts.groups["label"].known
    shares = fitted.infer(posts, sweeps=FOLD_IN, threads=1).shares
    clusters, labels = evaluate.dominant_topics(shares)[known], posts.groups["label"].codes[known]
    return {
        "purity": evaluate.purity(clusters, labels),
        "nmi": evaluate.nmi(clusters, labels),
        "adjusted_rand": evaluate.adjusted_rand(clusters, labels),
        "clusters": float(len(np.unique(clusters))),
    }


def _topics(fitted: Fit, posts: Corpus) -> Numbers:
    """Coherence and diversity of large topics; no number if there is no such topic, or fewer than two words."""
    words = evaluate.top_words(fitted, N_WORDS, "word", large=True)
    if not words or len(words[0]) < 2:
        return {}
    return {
        "npmi": float(np.mean(evaluate.coherence(words, in_one_stream(posts), window=0))),
        "diversity": evaluate.diversity(words),
    }


def _labels(fitted: Fit) -> list[Facts]:
    """Topics by size with their most likely hashtags and words."""
    shares, large = evaluate.topic_shares(fitted), which_are_large(fitted)
    tags, words = evaluate.top_words(fitted, N_LABELS, "hashtag"), evaluate.top_words(fitted, N_WORDS, "word")
    order = [k for k in np.argsort(-shares, kind="stable").tolist() if large[k]]
    return [{"share": float(shares[k]), "hashtags": tags[k], "words": words[k]} for k in order]


def _label_npmi(labels: list[Facts], posts: Corpus) -> Numbers:
    """Mean NPMI, in the posts, of every topic's hashtags with its words: whether labels co-occur with the words."""
    pairs = [(tag, word) for topic in labels for tag in topic["hashtags"] for word in topic["words"] if tag != word]
    if not pairs:
        return {}
    return {"label_npmi": float(np.mean(evaluate.coherence(pairs, in_one_stream(posts), window=0)))}


def _trace(fitted: Fit) -> dict[str, list[float]]:
    """The log joint and the number of topics, thinned, with their sweeps."""
    at = np.unique(np.linspace(1, fitted.n_sweeps, min(TRACED, fitted.n_sweeps)).round().astype(int))
    names = [name for name in ("log_joint", "n_topics", "topics/large") if name in fitted.trace]
    kept = {name: fitted.trace[name][at - 1].tolist() for name in names}
    return {"sweep": at.astype(float).tolist()} | kept
