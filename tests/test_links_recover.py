"""Simulated authors with known vectors: links and text together predict better than either, and find the vectors."""

import numpy as np
import pytest

from pitmanyor import Corpus, fit
from pitmanyor.graph import Graph
from pitmanyor.links.predict import auc
from pitmanyor.models import author_topic

N_TOPICS, N_WORDS = 4, 40


def simulated(seed, n_authors, n_posts):
    """Few, short posts an author; who is alike follows each other. Returns the corpus and the vectors."""
    rng = np.random.default_rng(seed)
    nu = rng.dirichlet(np.full(N_TOPICS, 0.25), n_authors)
    phi = rng.dirichlet(np.full(N_WORDS, 0.15), N_TOPICS)
    linked = rng.random((n_authors, n_authors)) < 1 / (1 + np.exp(-8 * (cosines(nu) - 0.6)))
    names = [f"author{i:02d}" for i in range(n_authors)]
    texts, authors = [], []
    for i, name in enumerate(names):
        for _ in range(n_posts):
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


def hidden(corpus, share, seed):
    """The corpus without a share of its pairs, their ends, and whether they are linked."""
    left, held = corpus.hide_links("follows", by="author", share=share, seed=seed)
    return left, [list(side) for side in zip(*held.pairs, strict=True)], held.linked


def fit_both(corpus, seed):
    return fit(with_links(author_topic().copy()), corpus, sweeps=200, text_sweeps=60, samples=30, seed=seed)


def fit_alone(corpus, seed):
    return fit(links_alone(), corpus, sweeps=300, samples=30, seed=seed, n_topics=N_TOPICS)


def three_scores(seed):
    """AUC of hidden pairs by both, by links alone, by cosines of text: 14 words an author, 7 % of the pairs seen."""
    corpus, ends, linked = hidden(simulated(seed, 80, 2)[0], 0.93, seed)
    text = fit(author_topic(), corpus, sweeps=200, samples=30, seed=seed)
    place = {label: i for i, label in enumerate(text.axes("nu")["author"])}
    alike = np.mean([cosines(sample.mean("nu", "discard")) for sample in text.samples], axis=0)
    by_links = [auc(item.link_probability(*ends), linked) for item in (fit_both(corpus, seed), fit_alone(corpus, seed))]
    return [*by_links, auc([alike[place[a], place[b]] for a, b in zip(*ends, strict=True)], linked)]


def test_both_predict_links_better_than_either_where_each_says_little():
    both, alone, text = np.mean([three_scores(seed) for seed in (1, 2, 3, 4)], axis=0)
    assert both > alone + 0.05
    assert both > text + 0.05


@pytest.mark.parametrize("seed", [1, 2])
def test_with_most_links_seen_vectors_are_recovered_and_links_alone_do(seed):
    whole, nu = simulated(seed, 40, 3)
    corpus, ends, linked = hidden(whole, 0.1, seed)
    found = np.mean([cosines(sample.mean("nu")) for sample in fit_both(corpus, seed).samples], axis=0)
    pairs = np.tril_indices(len(nu), -1)
    assert np.corrcoef(found[pairs], cosines(nu)[pairs])[0, 1] > 0.9
    assert auc(fit_alone(corpus, seed).link_probability(*ends), linked) > 0.9  # not if it started with a topic or two
