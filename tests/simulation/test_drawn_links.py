"""Links drawn from the prior: moments by the formula of maths 6, the axes of a fit, and what goes into the corpus."""

import warnings

import numpy as np
import pytest

from pitmanyor import simulate
from pitmanyor.errors import PlanError
from pitmanyor.graph import Graph, Links, mix
from pitmanyor.models import author_topic, author_traits, tntm
from pitmanyor.network.features import kernel_of
from pitmanyor.network.observed import LINKED, UNSEEN
from pitmanyor.network.similar_links import SimilarLinks
from pitmanyor.plan import compile_plan
from pitmanyor.sampling.text_and_network import observed_links
from pitmanyor.simulation.drawn_links import draw_links

NU = np.array([[0.8, 0.2, 0.0], [0.1, 0.6, 0.3], [0.0, 0.1, 0.9]])
NAMES = ("ann", "bob", "cat")
N_DRAWS = 2_000
SIZE = {"documents": 12, "tokens": 5, "groups": {"author": 4}, "vocabulary": 9, "seed": 3}


def cosine(i, j):
    return NU[i] @ NU[j] / np.linalg.norm(NU[i]) / np.linalg.norm(NU[j])


def both_linked(means, covariance, noise):
    """E[sigmoid(Q) sigmoid(Q')] of two Gaussian scores, each with its own noise, by quadrature."""
    x, weight = np.polynomial.hermite_e.hermegauss(60)
    weight = weight / weight.sum()
    root = np.linalg.cholesky(np.array(covariance) + (noise**2 + 1e-12) * np.eye(2))
    one = means[0] + root[0, 0] * x[:, None]
    other = means[1] + root[1, 0] * x[:, None] + root[1, 1] * x
    return float((weight[:, None] * weight / (1 + np.exp(-one)) / (1 + np.exp(-other))).sum())


def formula(links: Links, pair, other):
    """Means and covariance of the scores of two pairs, without their noise."""
    s2, gap = links.signal**2 / 2, 2 * links.length**2
    if links.kernel == "similarity":
        means = [cosine(*pair), cosine(*other)]
        alike = np.exp(-((means[0] - means[1]) ** 2) / gap)
        covariance = [[s2, s2 * alike], [s2 * alike, s2]]
    else:
        corners, means = np.eye(3), [0.0, 0.0]  # of the simplex, where the projection is the kernel itself
        k = np.exp(-((corners[:, None] - corners) ** 2).sum(axis=2) / gap)

        def between(p, q):
            back = 0.0 if links.directed else k[p[0], q[1]] * k[p[1], q[0]]
            return s2 * (k[p[0], q[0]] * k[p[1], q[1]] + back)

        covariance = [[between(p, q) for q in (pair, other)] for p in (pair, other)]
    return means, np.array(covariance) + 25.0 * links.intercept


@pytest.mark.parametrize(
    "links",
    [
        Links("follows", "nu", length=0.3, noise=0.5, signal=3.0),
        Links("follows", "nu", intercept=True, noise=0.0),
        Links("follows", "nu", kernel="pair", length=0.8, signal=2.0),
        Links("follows", "nu", kernel="pair", directed=False, signal=2.0, noise=0.3),
    ],
    ids=["similarity", "intercept", "pair", "pair, undirected"],
)
def test_links_have_the_moments_of_the_formula(links):
    rng = np.random.default_rng(1)
    vectors = NU if links.kernel == "similarity" else np.eye(3)
    drawn = np.array([draw_links(links, NAMES, vectors, rng).linked for _ in range(N_DRAWS)], np.float64)
    for pair, other in [((1, 0), (2, 0)), ((1, 0), (2, 1)), ((2, 0), (2, 1))]:
        means, covariance = formula(links, pair, other)
        seen = drawn[:, pair[0], pair[1]] * drawn[:, other[0], other[1]]
        expected = both_linked(means, covariance, links.noise)
        assert abs(seen.mean() - expected) < 4 * np.sqrt(expected * (1 - expected) / N_DRAWS)
        alone = both_linked([means[0], 50.0], [[covariance[0, 0], 0.0], [0.0, 0.0]], links.noise)
        assert abs(drawn[:, pair[0], pair[1]].mean() - alone) < 4 * np.sqrt(alone * (1 - alone) / N_DRAWS)


def test_links_come_with_their_probabilities():
    rng, links = np.random.default_rng(2), Links("follows", "nu", noise=0.4, self_links=True)
    drawn = [draw_links(links, NAMES, NU, rng) for _ in range(500)]
    p, linked = (np.array([getattr(item, what) for item in drawn]) for what in ("probability", "linked"))
    assert (np.abs((linked - p).sum(axis=0)) < 4 * np.sqrt((p * (1 - p)).sum(axis=0))).all()


def test_weights_are_in_the_axes_of_a_fit():
    links = Links("follows", "nu", length=0.2, signal=3.0, noise=0.4, intercept=True, self_links=True)
    drawn = draw_links(links, NAMES, NU, np.random.default_rng(3))
    fitted = SimilarLinks(kernel_of(links))
    fitted.weights = drawn.weights
    likeness = np.array([[min(cosine(i, j), 1.0) for j in range(3)] for i in range(3)])
    assert np.allclose(np.exp(fitted.log_probability(likeness.ravel())), drawn.probability.ravel(), atol=1e-7)


def several() -> Graph:
    g = author_topic(topic_discount=0.5, word_discount=0.7)  # drawn without a discount, authors would have one topic
    g.links("follows", between="nu", intercept=True)
    g.links("mentions", between="nu", directed=False, self_links=True)
    return g


@pytest.fixture(scope="module")
def drawn():
    return simulate(several(), **SIZE)


def test_a_plan_sees_the_links_as_they_were_drawn(drawn):
    plan = compile_plan(several(), drawn.corpus)
    for links in several().link_sets:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            seen = observed_links(plan, links)
        truth = drawn.links[links.name]
        assert truth.labels == plan.instances["nu"].labels
        assert np.array_equal(seen.pairs == LINKED, truth.linked & (seen.pairs != UNSEEN))
        assert seen.n_links == len(truth.pairs) > 0
        assert truth.vectors.shape[0] == 4 and np.allclose(truth.vectors.sum(axis=1), 1)
    assert not np.diag(drawn.links["follows"].probability).any() and np.diag(drawn.links["mentions"].probability).all()
    assert np.allclose(drawn.links["mentions"].probability, drawn.links["mentions"].probability.T)
    assert drawn.links["follows"].vectors is not drawn.links["mentions"].vectors
    assert np.array_equal(drawn.links["follows"].vectors, drawn.links["mentions"].vectors)


def test_same_seed_same_bytes_and_the_text_does_not_change(drawn):
    again, other = simulate(several(), **SIZE), simulate(several(), **(SIZE | {"seed": 4}))
    for name, links in drawn.links.items():
        for what in ("vectors", "weights", "probability", "linked"):
            assert getattr(links, what).tobytes() == getattr(again.links[name], what).tobytes()
        assert links.weights.tobytes() != other.links[name].weights.tobytes()
    plain = simulate(author_topic(topic_discount=0.5, word_discount=0.7), **SIZE)
    assert plain.corpus.streams["word"].words.tolist() == drawn.corpus.streams["word"].words.tolist()
    assert plain.links == {} and not plain.corpus.links and set(drawn.corpus.links) == {"follows", "mentions"}


def test_links_between_venues_and_between_nodes_that_are_not_on_the_root():
    g = author_topic(topic_discount=0.5, word_discount=0.7)  # drawn without a discount, authors would have one topic
    place = g.pyp("place", base=mix("mu", "nu"), plate=("author",))
    g.links("near", between=place, length=0.2)
    g.links("follows", between="nu")
    found = simulate(g, documents=6, tokens=3, groups={"author": "abcabc"}, vocabulary=4, seed=1)
    labels = {end for links in found.corpus.links.values() for pair in links.pairs for end in pair}
    assert labels <= set("abc") and found.links["near"].vectors.shape == found.links["follows"].vectors.shape


def test_authors_of_empty_posts_are_linked_too():
    tokens = {"word": [3, 3, 0], "hashtag": [1, 0, 0]}
    found = simulate(tntm(), documents=3, tokens=tokens, groups={"author": "abc"}, vocabulary=5, seed=2)
    assert (
        found.links["follows"].labels == ("a", "b", "c") and (found.links["follows"].vectors.sum(axis=1) > 0.999).all()
    )


def test_what_cannot_be_drawn_is_refused():
    g = author_topic(topic_discount=0.5, word_discount=0.7)  # drawn without a discount, authors would have one topic
    g.links("follows", between="nu", kernel="pair")
    with pytest.raises(PlanError, match="a gem has no end of topics"):
        simulate(g, **SIZE)
    alone = Graph()
    alone.links("follows", between=alone.pyp("nu", base=alone.gem("mu"), plate="author"))
    with pytest.raises(PlanError, match="the graph has no tokens"):
        simulate(alone, **SIZE)


def test_pairs_over_a_finite_root():
    g = Graph()
    mu = g.dirichlet("mu", over=3)
    nu = g.pyp("nu", base=mu, plate="author")
    g.tokens("word", topic=nu, emit=g.dirichlet("phi", over="vocabulary", plate="topic"))
    g.links("follows", between=nu, kernel="pair", intercept=True)
    found = simulate(g, **SIZE).links["follows"]
    assert found.vectors.shape == (4, 3) and len(found.weights) == 4**2 + 1


def test_links_between_traits_come_as_often_as_they_are_said_to():
    """Given traits, and both directions of a pair together more often than apart."""
    rng, links = np.random.default_rng(1), Links("follows", "nu", kernel="traits", popularity=True, reciprocity=True)
    drawn = [draw_links(links, NAMES, NU, rng) for _ in range(N_DRAWS)]
    linked, likely = (np.array([getattr(one, what) for one in drawn], float) for what in ("linked", "probability"))
    news = linked - likely
    assert not linked[:, range(3), range(3)].any() and not likely[:, range(3), range(3)].any()
    for i, j in [(0, 1), (1, 0), (2, 0), (1, 2)]:
        assert abs(news[:, i, j].mean()) < 4 * news[:, i, j].std() / np.sqrt(N_DRAWS)
    both = (news * news.transpose(0, 2, 1))[:, [1, 2, 2], [0, 0, 1]].sum(axis=1)
    assert both.mean() > 4 * both.std() / np.sqrt(N_DRAWS)


def test_traits_need_no_end_of_topics():
    drawn = simulate(author_traits(), **SIZE)
    assert drawn.links["follows"].linked.shape == (4, 4)
