"""Simulated authors whose vectors are known: hidden links as both text and links predict them, and either alone.

Run `python -m benchmarks.simulated_links --seeds 101 102 103 104 105` for the table of docs/results/simulated-links.md.
Few pairs are seen and little is written, so that neither is enough. `tests/test_links_recover.py` runs one of the rows.
"""

from __future__ import annotations

import argparse
from dataclasses import astuple, dataclass, fields

import numpy as np
from numpy.typing import NDArray

from pitmanyor import Corpus, Fit, Network, fit
from pitmanyor.corpus.hold import HeldOut
from pitmanyor.graph import Graph
from pitmanyor.models import author_topic
from pitmanyor.network.auc import auc

Floats = NDArray[np.float64]
SAMPLES = 30
LONGER = 2  # times as many sweeps for text alone and for links alone: they shall not fall behind for want of time


@dataclass(frozen=True)
class Setting:
    """Who is alike follows each other, with probability `most` at best; a share of all pairs is hidden."""

    authors: int = 120
    topics: int = 12
    posts: int = 4  # of every author
    words: int = 7  # of every post
    most: float = 0.8
    hidden: float = 0.7
    alpha: float = 0.25  # of the Dirichlet that vectors come from


@dataclass(frozen=True)
class World:
    """What was drawn: all links, the vectors, and how likely every pair was to be linked. Author i is `names[i]`."""

    corpus: Corpus
    nu: Floats
    chance: Floats
    names: list[str]


@dataclass(frozen=True)
class Scores:
    """AUC of hidden pairs, by each way of guessing; then the correlation of all pairs' cosines with the true ones."""

    both: float
    links: float
    text: float
    words: float  # by the cosine of word counts, without a model
    truth: float  # by the probability that the link was drawn with: nobody can do better
    vectors_both: float
    vectors_links: float
    vectors_text: float

    @property
    def margin(self) -> float:
        """How far both together are above the best of the others."""
        return self.both - max(self.links, self.text, self.words)


def cosines(vectors: Floats) -> Floats:
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(unit @ unit.T)


def draw_world(seed: int, setting: Setting) -> World:
    rng = np.random.default_rng(seed)
    n, k, n_words = setting.authors, setting.topics, 10 * setting.topics
    nu = rng.dirichlet(np.full(k, setting.alpha), n)
    phi = rng.dirichlet(np.full(n_words, 0.15), k)
    chance = setting.most / (1 + np.exp(-10 * (cosines(nu) - 0.7)))
    linked = (rng.random((n, n)) < chance) & ~np.eye(n, dtype=bool)
    names = [f"author{i:03d}" for i in range(n)]
    texts, authors = [], []
    for i, name in enumerate(names):
        for _ in range(setting.posts):
            topics = rng.choice(k, setting.words, p=rng.dirichlet(5 * nu[i] + 1e-3))
            texts.append([f"w{rng.choice(n_words, p=phi[topic])}" for topic in topics])
            authors.append(name)
    follows = [(names[i], names[j]) for i, j in np.argwhere(linked)]
    return World(Corpus.from_tokens(texts, {"author": authors}, {"follows": follows}), nu, chance, names)


def with_links(graph: Graph) -> Graph:
    graph = graph.copy()
    graph.links("follows", between="nu", signal=4.0, length=0.5, noise=0.3, intercept=True)
    return graph


def links_alone() -> Graph:
    graph = Graph()
    graph.pyp("nu", base=graph.gem("mu"), plate="author")
    return with_links(graph)


def fit_both(corpus: Corpus, seed: int, sweeps: int) -> Fit:
    """Text and links from the first sweep on: topics that text alone has settled on are slow to change."""
    return fit(
        with_links(author_topic()), corpus, sweeps=sweeps, network=Network(text_sweeps=0), keep=SAMPLES, seed=seed
    )


def fit_links(corpus: Corpus, seed: int, sweeps: int, n_topics: int) -> Fit:
    return fit(links_alone(), corpus, sweeps=sweeps, keep=SAMPLES, seed=seed, network=Network(n_topics=n_topics))


def predicted(fitted: Fit, held: HeldOut) -> float:
    """AUC of hidden pairs by their probabilities."""
    sources, targets = zip(*held.pairs, strict=True)
    return auc(fitted.link_probability(list(sources), list(targets)), held.linked)


def average_cosines(fitted: Fit) -> Floats:
    return np.asarray(np.mean([cosines(sample.mean("nu", "discard")) for sample in fitted.samples], axis=0))


def correlation(found: Floats, nu: Floats) -> float:
    """Of cosines found with true ones, over all pairs."""
    pairs = np.tril_indices(len(nu), -1)
    return float(np.corrcoef(found[pairs], cosines(nu)[pairs])[0, 1])


def word_counts(corpus: Corpus) -> Floats:
    """How often each author has each word."""
    stream, authors = corpus.streams["word"], corpus.groups["author"]
    counts = np.zeros((len(authors.labels), len(corpus.vocabulary)))
    np.add.at(counts, (authors.codes[stream.documents], stream.words), 1.0)
    return counts


def scores(seed: int, sweeps: int, setting: Setting = Setting()) -> Scores:  # noqa: B008
    """One world, three fits of it; those of text alone and of links alone have twice as many sweeps."""
    world = draw_world(seed, setting)
    corpus, held = world.corpus.hide_links("follows", by="author", share=setting.hidden, seed=seed)
    both = fit_both(corpus, seed, sweeps)
    links = fit_links(corpus, seed, LONGER * sweeps, setting.topics)
    text = fit(author_topic(), corpus, sweeps=LONGER * sweeps, keep=SAMPLES, seed=seed)
    place = {name: i for i, name in enumerate(world.names)}
    ends = tuple(np.array([[place[a], place[b]] for a, b in held.pairs]).T)
    alike = [average_cosines(item) for item in (both, links, text)]
    return Scores(
        both=predicted(both, held),
        links=predicted(links, held),
        text=auc(alike[2][ends], held.linked),
        words=auc(cosines(word_counts(corpus))[ends], held.linked),
        truth=auc(world.chance[ends], held.linked),
        vectors_both=correlation(alike[0], world.nu),
        vectors_links=correlation(alike[1], world.nu),
        vectors_text=correlation(alike[2], world.nu),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[101, 102, 103, 104, 105])
    parser.add_argument("--sweeps", type=int, default=240, help="of both; the others have twice as many")
    for field in fields(Setting):
        parser.add_argument(f"--{field.name}", type=type(field.default), default=field.default)
    given = parser.parse_args()
    setting = Setting(**{field.name: getattr(given, field.name) for field in fields(Setting)})
    names = [field.name.replace("_", ": ") for field in fields(Scores)]
    print(f"| seed | {' | '.join(names)} | margin |\n| ---: |{' ---: |' * (len(names) + 1)}")
    rows = []
    for seed in given.seeds:
        found = scores(seed, given.sweeps, setting)
        rows.append([*astuple(found), found.margin])
        print(f"| {seed} | {' | '.join(f'{value:.3f}' for value in rows[-1])} |", flush=True)
    print(f"| mean | {' | '.join(f'{value:.3f}' for value in np.mean(rows, axis=0))} |")


if __name__ == "__main__":
    main()
