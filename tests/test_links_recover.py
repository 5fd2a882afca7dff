"""Simulated authors with known vectors: links and text together predict better than either, and find the vectors."""

from functools import cache

import numpy as np
import pytest

from pitmanyor import Corpus, fit
from pitmanyor.graph import Graph
from pitmanyor.links.predict import auc
from pitmanyor.models import author_topic

WORDS_OF_A_POST, SEEDS = 7, (1, 2, 3, 4)


def simulated(seed, n_authors, n_posts, n_topics, most):
    """Few, short posts an author; who is alike follows each other, with probability `most` at best.

    Returns the corpus and the vectors.
    """
    rng = np.random.default_rng(seed)
    n_words = 10 * n_topics
    nu = rng.dirichlet(np.full(n_topics, 0.25), n_authors)
    phi = rng.dirichlet(np.full(n_words, 0.15), n_topics)
    linked = rng.random((n_authors, n_authors)) < most / (1 + np.exp(-10 * (cosines(nu) - 0.7)))
    names = [f"author{i:02d}" for i in range(n_authors)]
    texts, authors = [], []
    for i, name in enumerate(names):
        for _ in range(n_posts):
            topics = rng.choice(n_topics, WORDS_OF_A_POST, p=rng.dirichlet(5 * nu[i] + 1e-3))
            texts.append([f"w{rng.choice(n_words, p=phi[k])}" for k in topics])
            authors.append(name)
    links = {"follows": [(names[i], names[j]) for i, j in zip(*np.nonzero(linked), strict=True) if i != j]}
    return Corpus.from_tokens(texts, {"author": authors}, links), nu


def cosines(vectors):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit @ unit.T


def with_links(g: Graph) -> Graph:
    g.links("follows", between="nu", signal=4.0, length=0.5, noise=0.3, intercept=True)
    return g


def links_alone() -> Graph:
    g = Graph()
    g.pyp("nu", base=g.gem("mu"), plate="author")
    return with_links(g)


def hidden(corpus, share, seed):
    """The corpus without a share of its pairs, their ends, and whether they are linked."""
    left, held = corpus.hide_links("follows", by="author", share=share, seed=seed)
    return left, [list(side) for side in zip(*held.pairs, strict=True)], held.linked


def fit_both(corpus, seed):
    """Text and links from the first sweep on: topics that text alone has settled on are slow to change."""
    return fit(with_links(author_topic().copy()), corpus, sweeps=240, text_sweeps=0, samples=30, seed=seed)


def fit_alone(corpus, seed, n_topics):
    return fit(links_alone(), corpus, sweeps=240, samples=30, seed=seed, n_topics=n_topics)


def correlation(found, nu):
    """Of cosines found with true ones, over all pairs."""
    pairs = np.tril_indices(len(nu), -1)
    return np.corrcoef(found[pairs], cosines(nu)[pairs])[0, 1]


def average_cosines(fitted):
    return np.mean([cosines(sample.mean("nu", "discard")) for sample in fitted.samples], axis=0)


@cache
def half_seen(seed):
    """AUC of hidden pairs and correlation of cosines, by both, by links alone, by text alone.

    A sparse network: 80 authors of 8 topics follow 6 others each, and half of all pairs are seen. 21 words an author.
    """
    whole, nu = simulated(seed, 80, 3, n_topics=8, most=0.5)
    corpus, ends, linked = hidden(whole, 0.5, seed)
    text = fit(author_topic(), corpus, sweeps=200, samples=30, seed=seed)
    both, alone = fit_both(corpus, seed), fit_alone(corpus, seed, 8)
    place = {label: i for i, label in enumerate(text.axes("nu")["author"])}
    alike = average_cosines(text)
    aucs = [auc(item.link_probability(*ends), linked) for item in (both, alone)]
    aucs.append(auc([alike[place[a], place[b]] for a, b in zip(*ends, strict=True)], linked))
    return aucs, [correlation(average_cosines(item), nu) for item in (both, alone, text)]


def test_both_predict_links_better_than_either():
    scores = np.array([half_seen(seed)[0] for seed in SEEDS])
    both, alone, text = scores.mean(axis=0)
    assert both > alone + 0.05
    assert both > text + 0.05
    assert (scores[:, 0] > scores[:, 1:].max(axis=1)).all()  # for every seed


def test_both_find_the_vectors_better_than_either():
    found = np.array([half_seen(seed)[1] for seed in SEEDS])
    assert (found[:, 0] > found[:, 1:].max(axis=1) + 0.05).all()
    assert found[:, 0].mean() > 0.75


def test_links_alone_do_not_stay_under_a_flat_function():
    """From a start at random vectors the fourth stays at 0.51, which is chance, for as long as we have looked."""
    assert min(half_seen(seed)[0][1] for seed in SEEDS) > 0.65


@pytest.mark.parametrize("seed", [1, 2])
def test_with_most_links_seen_vectors_are_recovered_and_links_alone_do(seed):
    whole, nu = simulated(seed, 40, 3, n_topics=4, most=1.0)
    corpus, ends, linked = hidden(whole, 0.1, seed)
    assert correlation(average_cosines(fit_both(corpus, seed)), nu) > 0.9
    assert auc(fit_alone(corpus, seed, 4).link_probability(*ends), linked) > 0.9
