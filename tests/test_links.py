"""Fitting graphs with links: text first, then both; predictions; runs that resume; links alone."""

import numpy as np
import pytest

from pitmanyor import Corpus, Network, fit, load, resume
from pitmanyor.errors import PlanError
from pitmanyor.graph import Beta, Graph, mix, uniform
from pitmanyor.models import author_traits, tntm
from pitmanyor.network.auc import auc


def posts(seed=0, n=40):
    """Six authors of two kinds, who follow their own kind."""
    rng = np.random.default_rng(seed)
    names, kinds = ["ann", "bob", "cat", "dan", "eve", "fay"], [0, 0, 0, 1, 1, 1]
    words = [["sun", "sea", "sand", "surf"], ["code", "test", "type", "loop"]]
    authors = [names[int(i)] for i in rng.integers(6, size=n)]
    kind = [kinds[names.index(a)] for a in authors]
    text = [[words[k][int(w)] for w in rng.integers(4, size=4)] for k in kind]
    tags = [[words[k][0]] for k in kind]
    pairs = [(a, b) for a in names for b in names if a != b]
    follows = [
        (a, b) for a, b in pairs if rng.random() < (0.9 if kinds[names.index(a)] == kinds[names.index(b)] else 0.1)
    ]
    mentions = [(a, b) for a, b in pairs if rng.random() < 0.3]
    links = {"follows": follows, "mentions": mentions}
    return Corpus.from_tokens({"word": text, "hashtag": tags}, {"author": authors}, links)


def links_alone(**given) -> Graph:
    g = Graph()
    mu = g.gem("mu")
    nu = g.pyp("nu", base=mu, plate="author")
    g.links("follows", between=nu, **given)
    return g


def same(one, other):
    assert one.trace.keys() == other.trace.keys()
    for name, values in one.trace.items():
        assert np.array_equal(values, other.trace[name], equal_nan=True), name
    assert one.state.network.keys() == other.state.network.keys()
    for name, values in one.state.network.items():
        assert values.tobytes() == other.state.network[name].tobytes(), name
    assert one.state.text.topic.tobytes() == other.state.text.topic.tobytes()


def test_discounts_of_linked_nodes_stay_when_the_network_joins(tmp_path):
    """They and the root are vectors from then on; the others are sampled as before."""
    graph, corpus, join = tntm().set("*", discount=Beta(1, 1)), posts(), 8
    whole = fit(graph, corpus, sweeps=20, network=Network(text_sweeps=join, spare_topics=3), keep=2, seed=1)
    found = {name.removeprefix("discount/"): x for name, x in whole.trace.items() if name.startswith("discount/")}
    assert set(found) == {node.name for node in graph.nodes}
    assert len(set(found["nu"][:join])) == 3 and set(found["nu"][join:]) == {found["nu"][join - 1]}
    assert np.isfinite(found["mu0"][:join]).all() and np.isnan(found["mu0"][join:]).all()
    assert all(len(set(found[name][join:])) >= 3 for name in found if name not in ("mu0", "nu"))
    fit(graph, corpus, sweeps=13, network=Network(text_sweeps=join, spare_topics=3), seed=1, save_to=tmp_path / "run")
    same(
        resume(tmp_path / "run", 20),
        fit(graph, corpus, sweeps=20, network=Network(text_sweeps=join, spare_topics=3), seed=1),
    )


@pytest.fixture(scope="module")
def joined():
    return fit(tntm(), posts(), sweeps=12, network=Network(text_sweeps=6, spare_topics=3), keep=2, seed=1)


def test_the_network_joins_and_fixes_the_topics(joined):
    topics, likelihood = joined.trace["n_topics"], joined.trace["network/log_likelihood/follows"]
    assert np.isnan(likelihood[:6]).all() and np.isfinite(likelihood[6:]).all()
    assert len(set(topics[6:])) == 1 and topics[6] == topics[5] + 3
    assert np.isfinite(joined.trace["log_joint"]).all()
    assert (joined.trace["network/slice_steps"][6:] > 0).all()
    nu = joined.mean("nu")
    assert nu.shape == (6, joined.n_topics)
    assert np.allclose(nu.sum(axis=1), 1) and np.allclose(joined.mean("theta").sum(axis=1), 1)
    assert joined.graph == tntm()


def test_probabilities_and_likelihood(joined):
    p = joined.link_probability(["ann", "eve"], ["bob", "bob"])
    assert p.shape == (2,) and ((p > 0) & (p < 1)).all()
    assert joined.link_probability("ann", "bob") == pytest.approx(p[:1])
    last = [sample.link_probability("ann", "bob")[0] for sample in joined.samples]
    assert p[0] == pytest.approx(np.mean(last))
    value, error = joined.network_log_likelihood()
    assert -60 < value < 0 and error < 0.5
    with pytest.raises(PlanError, match="'zoe' is not an instance"):
        joined.link_probability("ann", "zoe")
    with pytest.raises(PlanError, match="no links 'likes'"):
        joined.link_probability("ann", "bob", links="likes")


@pytest.mark.parametrize(
    ("options", "message"), [({"n_draws": 1}, "n_draws must be 2 or more"), ({"seed": -1}, "seed must be 0")]
)
def test_a_likelihood_needs_draws_and_a_seed(joined, options, message):
    with pytest.raises(PlanError, match=message):
        joined.network_log_likelihood(**options)


def test_text_alone_has_no_network():
    alone = fit(tntm().without("follows"), posts(), sweeps=2, seed=1)
    assert not any(name.startswith("network/") for name in alone.trace)
    with pytest.raises(PlanError, match="the graph has no links"):
        alone.link_probability("ann", "bob")


@pytest.mark.parametrize("at", [3, 9])
def test_a_run_goes_on_bit_for_bit(tmp_path, joined, at):
    """Stopped before the network joins, and after."""
    settings = {"network": Network(text_sweeps=6, spare_topics=3), "seed": 1}
    fit(tntm(), posts(), sweeps=at, save_to=tmp_path / "run", **settings)
    same(resume(tmp_path / "run", 12), fit(tntm(), posts(), sweeps=12, **settings))


def test_saved_and_loaded(tmp_path, joined):
    joined.save(tmp_path / "run")
    again = load(tmp_path / "run")
    same(again, joined)
    assert again.graph == joined.graph
    pair = ("ann", "bob")
    assert again.link_probability(*pair) == joined.link_probability(*pair)


def test_several_link_sets_undirected_with_intercept_and_self_links():
    g = tntm().without("follows").copy()
    g.links("follows", between="nu", directed=False, intercept=True)
    g.links("mentions", between="nu", self_links=True, length=0.4, noise=0.2)
    both = fit(g, posts(), sweeps=8, network=Network(text_sweeps=4), seed=2)
    assert np.isfinite(both.trace["network/log_likelihood/mentions"][4:]).all()
    assert both.link_probability("ann", "bob", links="mentions").shape == (1,)
    with pytest.raises(PlanError, match="say which links"):
        both.link_probability("ann", "bob")


def test_links_without_text(tmp_path):
    alone = fit(links_alone(), posts(), sweeps=30, seed=1, network=Network(n_topics=4), save_to=tmp_path / "run")
    assert alone.mean("nu").shape == (6, 4) and alone.n_topics == 4
    assert not any("_" in name.split("/")[-1][:1] for name in alone.trace)
    longer = resume(tmp_path / "run", 40)
    same(longer, fit(links_alone(), posts(), sweeps=40, seed=1, network=Network(n_topics=4)))
    with pytest.raises(PlanError, match="cannot infer its topics"):
        fit(links_alone(), posts(), sweeps=2, seed=1)


@pytest.mark.parametrize("directed", [True, False])
def test_links_over_pairs_of_vectors(directed):
    pairs = links_alone(kernel="pair", directed=directed, intercept=True)
    pairs = pairs.set("*", concentration=2.0)  # a free one may put all authors on one topic, where both ways are one
    alone = fit(pairs, posts(), sweeps=20, seed=1, network=Network(n_topics=3))
    same(alone, fit(pairs, posts(), sweeps=20, seed=1, network=Network(n_topics=3)))
    assert np.isfinite(alone.trace["network/log_likelihood/follows"]).all()
    there, back = alone.link_probability("ann", "eve"), alone.link_probability("eve", "ann")
    assert (there == pytest.approx(back)) == (not directed)
    mixed = tntm().without("follows").copy()
    mixed.links("follows", between="nu", kernel="pair")
    mixed.links("mentions", between="nu")
    both = fit(mixed, posts(), sweeps=6, network=Network(text_sweeps=3), seed=1)
    assert np.isfinite(both.trace["network/log_likelihood/follows"][3:]).all()
    assert both.network_log_likelihood("mentions").error < 0.5


def test_the_paper_s_method_is_there_and_resumes(tmp_path):
    given = {"network": Network(text_sweeps=3, method="paper"), "seed": 3}
    fit(tntm(), posts(), sweeps=6, save_to=tmp_path / "run", **given)
    whole = fit(tntm(), posts(), sweeps=9, **given)
    same(resume(tmp_path / "run", 9), whole)
    assert whole.method == load(tmp_path / "run").method == "paper"
    assert "not posterior-correct" in repr(whole)


def test_an_exact_fit_is_not_labelled(joined):
    assert joined.method == "exact" and "posterior-correct" not in repr(joined)


def test_links_between_instances_of_several_plates():
    """Authors follow each other, and so do venues: two linked nodes on one root, moved together."""
    text = posts()
    venues = [f"v{d % 3}" for d in range(text.n_documents)]
    words = [[text.vocabulary[w] for w in text.streams["word"].words[4 * d : 4 * d + 4]] for d in range(len(venues))]
    authors = [text.groups["author"].labels[code] for code in text.groups["author"].codes]
    links = {"follows": [("ann", "bob"), ("eve", "fay")], "near": [("v0", "v1"), ("v1", "v0"), ("v2", "v2")]}
    corpus = Corpus.from_tokens(words, {"author": authors, "venue": venues}, links)
    g = Graph()
    mu = g.gem("mu")
    nu = g.pyp("nu", base=mu, plate="author")
    place = g.pyp("place", base=mu, plate="venue")
    theta = g.pyp("theta", base=mix(nu, place), plate="document")
    g.tokens("word", topic=theta, emit=g.pyp("phi", base=uniform("vocabulary"), plate="topic"))
    g.links("follows", between=nu)
    g.links("near", between=place, directed=False)
    corpus, held = corpus.hide_links("near", by="venue", share=0.4, seed=1, directed=False)
    both = fit(g, corpus, sweeps=8, network=Network(text_sweeps=4), seed=2)
    nodes = both.chain.network.network.nodes
    assert nodes["nu"].seen["follows"].n_links == 2 and nodes["nu"].seen["follows"].n_pairs == 30
    assert nodes["place"].seen["near"].n_pairs == 3 - len(held.pairs) == 2
    there, back = (both.link_probability(*pair, links="near") for pair in (("v0", "v2"), ("v2", "v0")))
    assert there == back and both.network_log_likelihood("near").log_likelihood < 0
    assert np.allclose(both.mean("place").sum(axis=1), 1)


def test_links_between_vectors_of_their_own(tmp_path):
    """Follows between vectors that stand on those of the text, mentions between these; both stay vectors."""
    g = tntm().without("follows").set("mu0", concentration=1.0).set("nu", concentration=2.0).copy()
    g.pyp("chi", base="nu", plate="author", concentration=2.0)
    g.links("follows", between="chi")
    g.links("mentions", between="nu")
    given = {"network": Network(text_sweeps=4), "seed": 2}
    both = fit(g, posts(), sweeps=10, keep=2, **given)
    fit(g, posts(), sweeps=7, save_to=tmp_path / "run", **given)
    same(resume(tmp_path / "run", 10), both)
    nu, chi = both.mean("nu"), both.mean("chi")
    assert np.allclose(chi.sum(axis=1), 1) and np.allclose(both.mean("mu0").sum(), 1) and not np.allclose(nu, chi)
    assert both.link_probability("ann", "bob", links="follows") != both.link_probability("ann", "bob", links="mentions")
    assert both.chain.network.network.nodes["chi"].masses.log_base is both.chain.network.network.nodes["nu"].log_nu
    alone = fit(g.without("word").without("hashtag"), posts(), sweeps=10, network=Network(n_topics=4), seed=1)
    assert np.isfinite(alone.trace["network/log_likelihood/follows"]).all()


@pytest.mark.parametrize("weights", [(0.5, 0.5), None])
def test_links_between_vectors_over_a_mixture(tmp_path, weights):
    """The text goes through nu; links are between vectors that also stand on the root."""
    g = tntm().without("follows").set("mu0", concentration=1.0).set("nu", concentration=2.0).copy()
    g.pyp("chi", base=mix("nu", "mu0", weights=weights), plate="author", concentration=2.0)
    g.links("follows", between="chi")
    g.links("mentions", between="nu")
    given = {"network": Network(text_sweeps=4), "seed": 2}
    both = fit(g, posts(), sweeps=10, keep=2, **given)
    fit(g, posts(), sweeps=7, save_to=tmp_path / "run", **given)
    same(resume(tmp_path / "run", 10), both)
    state, rho = both.chain.state, both.mix_weight("chi")
    assert ("chi/log_mix_weight" in state.network) == (weights is None)
    assert np.allclose(rho.sum(axis=1), 1) and np.allclose(rho, 0.5) == (weights is not None)
    nodes, mu = both.chain.network.network.nodes, np.exp(state.network["log_mu"])
    own = nodes["chi"].base.log_weights
    over = np.exp(own[:, :1]) * nodes["nu"].nu + np.exp(own[:, 1:]) * mu
    assert np.allclose(np.exp(nodes["chi"].masses.log_base), over)
    assert both.link_probability("ann", "bob", links="follows") != both.link_probability("ann", "bob", links="mentions")
    alone = fit(g.without("word").without("hashtag"), posts(), sweeps=10, network=Network(n_topics=4), seed=1)
    assert np.isfinite(alone.trace["network/log_likelihood/follows"]).all()


def test_links_between_traits_resume_and_hear_the_text(tmp_path):
    settings = {"seed": 1, "network": Network(text_sweeps=3)}
    both = fit(author_traits(), posts(), sweeps=10, **settings)
    fit(author_traits(), posts(), sweeps=7, save_to=tmp_path / "run", **settings)
    same(resume(tmp_path / "run", 10), both)
    pairs = [(a, b) for a in ("ann", "bob") for b in ("dan", "eve")]
    within = [("ann", "bob"), ("bob", "cat"), ("dan", "eve"), ("eve", "fay")]
    near, far = (both.link_probability(*map(list, zip(*chosen, strict=True))) for chosen in (within, pairs))
    assert near.mean() > far.mean() and ((near > 0) & (near < 1)).all()
    with pytest.raises(PlanError, match='kernel="traits", whose unknowns are too many'):
        both.network_log_likelihood()
    mentions = author_traits().copy()
    mentions.links("mentions", between="nu", kernel="traits")
    two = fit(mentions, posts(), sweeps=6, **settings)
    assert two.link_probability("ann", "bob", "mentions") != two.link_probability("ann", "bob", "follows")


def test_the_paper_s_settings():
    own = fit(tntm(), posts(), sweeps=8, network=Network(text_sweeps=4), seed=1, preset="paper")
    assert own.run.settings.network.text_sweeps == 4  # what is given stays
    b = own.chain.network.network.nodes["nu"].masses.concentration
    assert len(set(b.tolist())) == 6  # one each, and sampled
    assert own.graph == tntm().set("*", concentration_per="instance")


def test_held_out_pairs_are_not_seen():
    corpus, held = posts().hide_links("follows", by="author", share=0.2, seed=1)
    assert len(held.pairs) == 6 and len(corpus.links["follows"]) + held.linked.sum() == len(posts().links["follows"])
    seen = fit(tntm(), corpus, sweeps=4, network=Network(text_sweeps=2), seed=1)
    sources, targets = zip(*held.pairs, strict=True)
    assert 0 <= auc(seen.link_probability(list(sources), list(targets)), held.linked) <= 1
    assert seen.chain.network.network.nodes["nu"].seen["follows"].n_pairs == 30 - 6


def test_what_cannot_be_sampled_is_refused():
    g = tntm().without("follows").copy()
    g.pyp("circle", base=mix("nu", "mu0"), plate="author")
    g.links("follows", between="circle")
    with pytest.raises(PlanError, match=r"'circle', whose base is mix\('nu', 'mu0'\), has tokens"):
        fit(g.rebase("eta", "circle"), posts(), sweeps=2, seed=1)
    lone = Corpus.from_tokens({"word": [["a"]], "hashtag": [["b"]]}, {"author": ["ann"]})
    with pytest.raises(PlanError, match="none of that name"):
        fit(tntm(), lone, sweeps=2, seed=1)
    with pytest.raises(PlanError, match="method must be one of"):
        fit(tntm(), posts(), sweeps=2, seed=1, network=Network(method="guess"))
