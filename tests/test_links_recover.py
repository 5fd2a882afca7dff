"""Simulated authors with known vectors: links and text together predict better than either, and find the vectors."""

from functools import cache

import numpy as np

from pitmanyor import Corpus, fit
from pitmanyor.graph import Graph
from pitmanyor.links.predict import auc
from pitmanyor.models import author_topic

N_AUTHORS, N_TOPICS, N_WORDS, SEEDS = 40, 4, 40, (1, 2, 3, 4)


def simulated(seed):
    """Few, short documents an author; who is alike follows each other. Returns the corpus and the vectors."""
    rng = np.random.default_rng(seed)
    nu = rng.dirichlet(np.full(N_TOPICS, 0.25), N_AUTHORS)
    phi = rng.dirichlet(np.full(N_WORDS, 0.15), N_TOPICS)
    linked = rng.random((N_AUTHORS, N_AUTHORS)) < 1 / (1 + np.exp(-8 * (cosines(nu) - 0.6)))
    names = [f"author{i:02d}" for i in range(N_AUTHORS)]
    texts, authors = [], []
    for i, name in enumerate(names):
        for _ in range(3):
            topics = rng.choice(N_TOPICS, 7, p=rng.dirichlet(5 * nu[i] + 1e-3))
            texts.append([f"w{rng.choice(N_WORDS, p=phi[k])}" for k in topics])
            authors.append(name)
    links = {"follows": [(names[i], names[j]) for i, j in zip(*np.nonzero(linked), strict=True) if i != j]}
    return Corpus.from_tokens(texts, {"author": authors}, links), nu


def cosines(vectors):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit @ unit.T


def with_links(g: Graph) -> Graph:
    g.links("follows", between="nu", signal=4.0, length=0.5, noise=0.3)
    return g


def links_alone() -> Graph:
    g = Graph()
    g.pyp("nu", base=g.gem("mu"), plate="author")
    return with_links(g)


@cache
def scores():
    """A row per seed: AUC of held-out links by both, by links alone, by cosines of text alone; and how well the
    cosines of both follow the true ones (their correlation)."""
    rows = []
    for seed in SEEDS:
        whole, nu = simulated(seed)
        corpus, held = whole.hide_links("follows", by="author", share=0.1, seed=seed)
        sources, targets = (list(side) for side in zip(*held.pairs, strict=True))
        both = fit(with_links(author_topic().copy()), corpus, sweeps=200, text_sweeps=60, samples=30, seed=seed)
        alone = fit(links_alone(), corpus, sweeps=300, samples=30, seed=seed, n_topics=N_TOPICS)
        text = fit(author_topic(), corpus, sweeps=200, samples=30, seed=seed)
        place = {label: i for i, label in enumerate(text.axes("nu")["author"])}
        alike = np.mean([cosines(sample.mean("nu", "discard")) for sample in text.samples], axis=0)
        found = np.mean([cosines(sample.mean("nu")) for sample in both.samples], axis=0)
        pairs = np.tril_indices(N_AUTHORS, -1)
        row = [auc(item.link_probability(sources, targets), held.linked) for item in (both, alone)]
        row.append(auc([alike[place[a], place[b]] for a, b in held.pairs], held.linked))
        rows.append([*row, np.corrcoef(found[pairs], cosines(nu)[pairs])[0, 1]])
    return np.array(rows)


def test_both_predict_links_better_than_either():
    both, alone, text, _ = scores().mean(axis=0)
    assert both > alone + 0.05
    assert both > text + 0.05


def test_vectors_are_recovered():
    assert scores()[:, 3].min() > 0.9
