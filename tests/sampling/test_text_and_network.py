"""Text and network together: Geweke's joint test, discounts 0, above and sampled, hyperparameters included."""

from functools import cache
from unittest.mock import patch

import numpy as np
import pytest

from oracle.network_geweke import LinkedShape, marginal, successive
from oracle.runs import errors, z_scores
from pitmanyor.graph import Beta, Gamma, Graph, mix
from pitmanyor.models import author_topic, author_traits, tntm
from pitmanyor.network import linked, trait_links, trait_prior
from pitmanyor.sampling import text_and_network
from pitmanyor.sampling.joining import finite

N_STEPS, LARGEST = 1_500, 4.0


@pytest.fixture(autouse=True, scope="module")
def even():
    """About as many links as pairs without one: a level with a wide prior takes hundreds of steps to turn."""
    with patch.object(trait_links, "LEVEL", 0.7), patch.object(trait_prior, "LEVEL", 0.7):
        yield


def with_links() -> Graph:
    g = author_topic().copy()
    g.links("follows", between="nu", signal=4.0, length=0.3, noise=0.3)
    return g


def with_own_vectors() -> Graph:
    """Links between vectors of their own, which stand on those of the authors; the text has customers for both."""
    g = author_topic().copy()
    g.pyp("chi", base="nu", plate="author")
    g.links("follows", between="chi", signal=4.0, length=0.3, noise=0.3)
    return g.rebase("theta", mix("nu", "chi"))


def with_a_mixture(weights: tuple[float, ...] | None = (0.7, 0.3)) -> Graph:
    """Links between vectors over a mixture of the author's, through which the text goes, and the root."""
    g = author_topic().copy()
    g.pyp("chi", base=mix("nu", "mu", weights=weights), plate="author")
    g.links("follows", between="chi", signal=4.0, length=0.3, noise=0.3)
    return g


GRAPHS = {
    "author_topic": with_links,
    "own vectors": with_own_vectors,
    "tntm": tntm,
    "mixture": with_a_mixture,
    "learned mixture": lambda: with_a_mixture(None),
    "traits": author_traits,
}


@cache
def shape_of(model: str, discount: float | Beta) -> LinkedShape:
    graph = GRAPHS[model]()
    graph = finite(graph.set("*", discount=discount, concentration=Gamma(2, 1)), 3)
    if isinstance(discount, Beta):  # those of linked nodes are not sampled any more
        graph = graph.set("nu", discount=0.5)
    if "mixture" in model:  # close to its base, so that it feels any change of that
        graph = graph.set("chi", concentration=Gamma(20, 1))
    return LinkedShape(graph, n_tokens=2)


@cache
def prior_of(model: str, discount: float | Beta):
    return errors(marginal(shape_of(model, discount), 2 * N_STEPS, seed=1))


def worst(model: str, discount: float | Beta, n_steps: int = N_STEPS) -> float:
    prior, error = prior_of(model, discount)
    return float(np.abs(z_scores(successive(shape_of(model, discount), n_steps, seed=2), prior, error)).max())


@pytest.mark.parametrize(
    ("model", "discount"),
    [
        ("tntm", 0.0),
        ("tntm", 0.5),
        ("traits", 0.5),
        ("own vectors", 0.5),
        pytest.param("own vectors", 0.0, marks=pytest.mark.long),
        ("mixture", 0.5),
        pytest.param("mixture", 0.0, marks=pytest.mark.long),
        ("learned mixture", 0.0),
        pytest.param("learned mixture", 0.5, marks=pytest.mark.long),
        pytest.param("tntm", Beta(1, 1), marks=pytest.mark.long),
        pytest.param("author_topic", 0.5, marks=pytest.mark.long),
    ],
)
def test_prior_and_chain_have_the_same_means(model, discount):
    assert worst(model, discount) < LARGEST


def test_weights_of_a_mixture_given_to_the_wrong_parents_are_caught():
    real = text_and_network.fixed_or_learned
    with patch.object(text_and_network, "fixed_or_learned", lambda n, weights, prior: real(n, weights[::-1], prior)):
        assert worst("mixture", 0.5) > 8


def test_a_root_that_does_not_see_the_vectors_is_caught():
    """Planted: mu0 is drawn from tables alone, although every nu depends on it."""
    with patch.object(linked.LinkedNode, "column_density", lambda self, k, log_base: 0.0):
        assert worst("author_topic", 0.5) > 8
