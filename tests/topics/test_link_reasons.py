"""Why authors are near each other: parts of the score of a link that add up to its probability."""

from statistics import NormalDist

import numpy as np
import pytest
from numpy.testing import assert_allclose

from pitmanyor import Graph, Network, PlanError, fit, models, recommend_authors
from pitmanyor.network.noise import log_link
from pitmanyor.sampling import link_parts as link_part_module
from pitmanyor.sampling.link_parts import link_parts, text_node
from pitmanyor.topics import LinkReason, link_reasons


@pytest.fixture(scope="module")
def own(microblog_corpus):
    """Links between vectors of their own, which stand on those of the text."""
    graph = models.tntm().without("follows").copy()
    graph.links("follows", between=graph.pyp("chi", base="nu", plate="author"), intercept=True)
    return fit(graph, microblog_corpus, sweeps=12, seed=1, keep=3, network=Network(text_sweeps=4))


@pytest.fixture(scope="module")
def microblog_corpus(joined):
    return joined.corpus


@pytest.fixture(scope="module")
def alone(microblog_corpus):
    """Links without text, by another kernel."""
    graph = Graph()
    nu = graph.pyp("nu", base=graph.gem("mu"), plate="author")
    graph.links("follows", between=nu, kernel="pair")
    return fit(graph, microblog_corpus, sweeps=6, seed=1, keep=2, network=Network(n_topics=3))


def all_pairs(made):
    labels = made.corpus.groups["author"].labels
    return zip(*[(a, b) for a in labels for b in labels if a != b], strict=True)


@pytest.mark.parametrize("which", ["joined", "own", "alone"])
def test_parts_add_up_to_the_probability(which, request):
    made = request.getfixturevalue(which)
    state = made.draws[-1].state
    sources, targets = all_pairs(made)
    parts = link_parts(state, sources, targets, None)
    noise = made.graph.link_sets[0].noise
    chances = made.draws[-1].link_probability(sources, targets)
    assert_allclose(np.exp(log_link(parts.score, noise)), chances, atol=1e-4)


def test_one_vector_for_both_is_words_and_links_without_text_are_links(joined, own, alone):
    one, two, three = (made.link_parts(*all_pairs(made)) for made in (joined, own, alone))
    assert np.abs(one.words).max() > 0.01 and not np.any(one.links)
    assert np.abs(two.words).max() > 0.01 and np.abs(two.links).max() > 0.01
    assert not np.any(three.words) and np.abs(three.links).max() > 0.01
    for made in (one, two, three):
        assert len(np.unique(made.base.round(12))) == 1
        assert_allclose([made.words.mean(), made.links.mean()], 0.0, atol=1e-9)  # of pairs as they are on average
        assert not np.any(made.popularity) and not np.any(made.activity) and not np.any(made.answer)


@pytest.fixture(scope="module", params=[True, False], ids=["text", "links alone"])
def of_traits(microblog_corpus, request):
    graph = models.author_traits() if request.param else models.author_traits().without("hashtag").without("word")
    network = Network(text_sweeps=4) if request.param else Network(n_topics=3)
    return fit(graph, microblog_corpus, sweeps=8, seed=1, keep=2, network=network)


def test_parts_of_traits_add_up_to_the_probability(of_traits):
    """In standard scores; what the text predicts is words, the rest of the traits is links."""
    sources, targets = all_pairs(of_traits)
    parts, last = of_traits.draws[-1].link_parts(sources, targets), of_traits.draws[-1]
    chances = last.link_probability(sources, targets)
    assert_allclose([NormalDist().cdf(score) for score in parts.score], chances, atol=1e-9)
    assert_allclose([parts.words.mean(), parts.links.mean()], 0.0, atol=1e-9)
    assert len(np.unique(parts.base.round(12))) == 1
    assert bool(parts.words.any()) == bool(of_traits.graph.streams)
    for part in (parts.links, parts.popularity, parts.activity, parts.answer):
        assert np.abs(part).max() > 0.01
    for side, part in ((targets, parts.popularity), (sources, parts.activity)):
        assert all(len({x for label, x in zip(side, part.round(12), strict=True) if label == who}) == 1 for who in side)


def test_words_are_read_from_the_vectors_of_the_text(own):
    """Pairs whose text vectors are more alike have more of their score from words, where the function rises."""
    state = own.draws[-1].state
    vectors = own.draws[-1].mean("nu", "discard")
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    labels = state.plan.instances["nu"].labels
    sources, targets = all_pairs(own)
    cosine = [unit[labels.index(a)] @ unit[labels.index(b)] for a, b in zip(sources, targets, strict=True)]
    words = link_parts(state, sources, targets, None).words
    order = np.argsort(cosine)
    steps = np.diff(words[order])
    assert np.abs(steps).max() < np.ptp(words)  # a function of the cosine alone
    same = np.flatnonzero(np.diff(np.array(cosine)[order]) < 1e-12)
    assert_allclose(steps[same], 0.0, atol=1e-9)


def test_effects_are_told_apart(joined, monkeypatch):
    """A kernel whose scorer has effects: whom links go to, whom they come from, and whether they are answered."""
    state = joined.draws[-1].state
    labels = state.plan.instances["nu"].labels
    follows = set(state.plan.corpus.links["follows"].pairs)
    sent, received = np.linspace(-1.0, 2.0, len(labels)), np.arange(len(labels)) ** 2.0
    sources, targets = all_pairs(joined)
    before = link_parts(state, sources, targets, None)

    def scorer(state, links):
        back = np.array([[(b, a) in follows for b in labels] for a in labels])
        plain = link_part_module.similarity_scorer(state, links)
        return plain._replace(sent=sent, received=received, answer=lambda i, j: 2.5 * back[i, j])

    monkeypatch.setitem(link_part_module.SCORERS, "similarity", scorer)
    parts = link_parts(state, sources, targets, None)
    i, j = ([labels.index(label) for label in side] for side in (sources, targets))
    assert_allclose(parts.popularity, received[j] - received.mean())
    assert_allclose(parts.activity, sent[i] - sent.mean())
    assert_allclose(parts.answer, [2.5 * ((b, a) in follows) for a, b in zip(sources, targets, strict=True)])
    assert_allclose(parts.words, before.words)
    assert_allclose(parts.score, before.score + sent[i] + received[j] + parts.answer)


def test_the_text_is_that_of_the_nearest_node_that_tokens_need():
    graph = models.tntm().without("follows").copy()
    graph.pyp("far", base=graph.pyp("chi", base="nu", plate="author"), plate="author")
    assert text_node(graph, "far") == text_node(graph, "chi") == text_node(graph, "nu") == "nu"
    apart = models.tntm().without("follows").copy()
    apart.pyp("alone", base="mu0", plate="author")
    assert text_node(apart, "alone") is None


def test_recommendations_say_why(joined, blog):
    who = joined.corpus.links["follows"].pairs[0][0]
    found = recommend_authors(joined, who, n=5)
    assert found == joined.recommend_authors(who, n=5)
    assert [one.reason.target for one in found] == [one.label for one in found]
    assert [one.reason.probability for one in found] == pytest.approx([one.score for one in found])
    assert all(one.reason.main in ("words", None) for one in found)  # the TNTM has no other part
    assert joined.link_reasons(who, found[0].label) == [found[0].reason] == link_reasons(joined, who, [found[0].label])
    assert {one.reason for one in recommend_authors(blog, who, n=5)} == {None}  # no network has joined
    with pytest.raises(PlanError, match="has not joined|no links"):
        blog.link_reasons(who, found[0].label)


@pytest.mark.parametrize(
    ("parts", "said", "main"),
    [
        ({"words": 1.0, "links": 2.0}, "because of links (+2.0), then words (+1.0)", "links"),
        (
            {"popularity": 2.0, "answer": 1.0, "words": 0.5},
            "simply popular (+2.0), then links back (+1.0)",
            "popularity",
        ),
        ({"answer": 0.4, "activity": 3.0}, "links back (+0.4)", "answer"),
        ({"words": 0.05, "links": -2.0}, "for no reason in particular", None),
    ],
)
def test_what_is_said(parts, said, main):
    reason = LinkReason("ann", "bob", 0.5, base=-1.0, **parts)
    assert str(reason) == said and reason.main == main
