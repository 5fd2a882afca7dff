"""Where links alone begin: at a place that links speak for, and not under a flat function."""

import numpy as np

from pitmanyor import Corpus, Network, fit
from pitmanyor.graph import Graph
from pitmanyor.network.beginning import suppose_alike
from pitmanyor.network.features import Kernel
from pitmanyor.network.observed import Ends, observe
from pitmanyor.network.similar_links import SimilarLinks

KERNEL = Kernel(signal=4.0, length=0.5, noise=0.0, intercept=True)


def circles(n_circles, size, share, seed):
    """Circles of authors who follow a share of their own and nobody else."""
    rng = np.random.default_rng(seed)
    circle = np.repeat(np.arange(n_circles), size)
    linked = (circle[:, None] == circle) & (rng.random((len(circle), len(circle))) < share)
    np.fill_diagonal(linked, False)
    return circle, np.stack(np.nonzero(linked))


def test_the_first_function_is_that_of_links_within_topics():
    circle, (sources, targets) = circles(5, 12, 0.4, seed=1)
    n = len(circle)
    observed = observe(n, Ends(sources, targets, np.zeros((0, 2), int)), directed=True, self_links=False)
    links = SimilarLinks(KERNEL)
    suppose_alike(links, observed, 5)
    p = np.exp(links.log_probability(np.array([0.0, 1.0])))
    apart = observed.n_pairs - observed.n_links
    assert p[0] < 0.01
    assert abs(p[1] - observed.n_links / (observed.n_links + apart / 5)) < 0.02


def test_a_chain_begins_where_links_hold_together():
    """One that begins at vectors of the prior, under the prior's function, is 200 below and may stay there."""
    circle, ends = circles(6, 12, 0.25, seed=3)
    pairs = [(f"a{i:02d}", f"a{j:02d}") for i, j in ends.T]
    names = [f"a{i:02d}" for i in range(len(circle))]
    corpus = Corpus.from_tokens([["x"]] * len(names), {"author": names}, {"follows": pairs})
    g = Graph()
    g.pyp("nu", base=g.gem("mu"), plate="author")
    g.links("follows", between="nu", **KERNEL._asdict())
    for seed in (1, 2, 3):
        begun = fit(g, corpus, sweeps=3, seed=seed, network=Network(n_topics=6))
        n, m = len(names) * (len(names) - 1), len(pairs)
        nothing = m * np.log(m / n) + (n - m) * np.log(1 - m / n)  # all pairs alike
        assert begun.trace["network/log_likelihood/follows"][-1] > nothing + 100
