"""Edits return new graphs and leave the old as it was."""

import pytest

from pitmanyor.errors import GraphError
from pitmanyor.graph import Beta, Gamma, Graph, Mix, Uniform, mix, uniform
from pitmanyor.models import author_blocks, author_topic, hdp_lda, tntm


@pytest.fixture
def three() -> Graph:
    """A stream on a mixture of three."""
    g = Graph()
    g.gem("mu")
    for name, plate in (("a", "author"), ("b", "day"), ("c", None)):
        g.pyp(name, base="mu", plate=plate)
    g.pyp("theta", base=mix("a", "b", "c", prior=(1, 2, 3)), plate="document")
    g.pyp("eta", base=mix("a", "b", "c", weights=(0.2, 0.3, 0.5)), plate="document")
    g.dirichlet("phi", over="vocabulary", plate="topic")
    g.tokens("word", topic="theta", emit="phi")
    g.tokens("tag", topic="eta", emit="phi")
    return g


def test_edits_leave_the_old_graph_alone() -> None:
    g = tntm()
    g.without("theta_tag")
    g.rebase("eta", "mu0")
    g.set("*", discount=0)
    g.prune()
    assert g == tntm()


# ---------------------------------------------------------------- without


def test_without_links_nothing_else_goes() -> None:
    assert tntm().without("follows").names == tuple(name for name in tntm().names if name != "follows")


def test_without_a_stream_its_words_go_but_not_what_others_need() -> None:
    assert tntm().without("hashtag").names == (
        "mu0", "mu1", "nu", "eta", "theta_tag", "theta", "gamma", "psi", "word", "follows",
    )  # fmt: skip


def test_without_a_node_children_streams_and_links_go() -> None:
    g = tntm().without("nu")
    assert "eta" not in g and "follows" not in g
    assert g["theta_tag"].parents == ("mu1",) and g["theta"].parents == ("theta_tag",)
    g.validate()


def test_a_mixture_that_loses_a_parent_keeps_the_others(three: Graph) -> None:
    g = three.without("b")
    assert (g["theta"].parents, g["theta"].mix_prior) == (("a", "c"), (1.0, 3.0))
    assert g["eta"].mix_weights == pytest.approx((2 / 7, 5 / 7), abs=1e-15)
    g.validate()


def test_a_mixture_of_one_becomes_a_plain_base(three: Graph) -> None:
    g = three.without("a").without("b")
    for node in (g["theta"], g["eta"]):
        assert (node.parents, node.mix_prior, node.mix_weights) == (("c",), None, None)


def test_without_the_root_nothing_is_left() -> None:
    with pytest.raises(GraphError, match=r"nothing would be left without 'mu': .* use rebase"):
        hdp_lda().without("mu")


def test_without_something_unknown() -> None:
    with pytest.raises(GraphError, match="no 'phi' to remove; it has 'mu0'.*'follows'"):
        tntm().without("phi")


def test_what_was_idle_before_stays_with_its_parents() -> None:
    g = Graph()
    g.gem("mu")
    g.pyp("nu", base="mu", plate="author")
    g.pyp("spare", base="nu", plate="document")  # idle, but being built
    g.pyp("theta", base="nu", plate="document")
    g.dirichlet("phi", over="vocabulary", plate="topic")
    g.tokens("word", topic="theta", emit="phi")
    assert g.rebase("theta", "mu").names == ("mu", "nu", "spare", "theta", "phi", "word")


# ---------------------------------------------------------------- rebase


def test_rebase_takes_any_base() -> None:
    g = author_topic()
    assert g.rebase("theta", g["mu"])["theta"].parents == ("mu",)
    mixed = g.rebase("theta", mix("mu", "nu", prior=2))
    assert (mixed["theta"].parents, mixed["theta"].mix_prior) == (("mu", "nu"), (2.0, 2.0))
    assert g.rebase("phi", uniform("word"))["phi"].over == "word"
    assert "gamma" not in g.rebase("phi", uniform("word"))


def test_rebase_keeps_the_rest_of_the_node() -> None:
    before = tntm().set("theta", discount=0.3, concentration=7, concentration_per="instance")
    after = before.rebase("theta", "eta")["theta"]
    assert (after.discount, after.concentration, after.concentration_per, after.plate) == (
        0.3,
        7.0,
        "instance",
        ("document",),
    )


def test_links_that_the_text_never_needed_stay() -> None:
    g = author_topic()
    g.pyp("friends", base="mu", plate="author")
    g.links("knows", between="friends")
    assert g.rebase("theta", "mu").names == ("mu", "theta", "gamma", "phi", "friends", "word", "knows")


@pytest.mark.parametrize(
    ("name", "base", "message"),
    [
        ("mu0", "mu1", "'mu0' is a gem, a root without a base"),
        ("nu", "theta", "'theta' cannot be a base of 'nu', because it descends from it"),
        ("nu", "nu", "'nu' cannot be a base of 'nu'"),
        ("psi", "mu1", "'psi' is a distribution over words and the new base is over topics"),
        ("psi", "phi", "no node 'phi'; its nodes are"),
        ("phi", "gamma", "no node 'phi'"),
        ("theta", mix("eta", "psi"), "'theta' is a distribution over topics and the new base is over words"),
        ("mu1", uniform(), "'mu1' is a distribution over topics and the new base is over words"),
        ("mu1", "eta", "'mu1' is global but its base 'eta' is per document"),
    ],
)
def test_rebase_refuses_nonsense(name: str, base: str | Mix | Uniform, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        tntm().rebase(name, base)


# ---------------------------------------------------------------- set


def test_set_changes_what_matches() -> None:
    g = tntm().set("theta*", concentration=Gamma(2, 1), concentration_per="instance")
    for node in g.nodes:
        changed = (node.concentration, node.concentration_per) == (Gamma(2.0, 1.0), "instance")
        assert changed == node.name.startswith("theta")


def test_a_wildcard_skips_what_a_node_cannot_have() -> None:
    g = hdp_lda().set("*", discount=0.2, concentration_per="instance", plate="document")
    assert [(n.discount, n.concentration_per, n.plate) for n in g.nodes] == [
        (0.2, "layer", ()),
        (0.2, "instance", ("document",)),
        (0.0, "instance", ("document",)),
    ]


def test_discounts_are_learned_by_one_edit() -> None:
    g = hdp_lda().set("*", discount=Beta(1, 1))
    assert {node.name: node.discount for node in g.nodes} == {"mu": Beta(1, 1), "theta": Beta(1, 1), "phi": 0.0}
    assert g != hdp_lda().set("*", discount=Beta(1, 2)) and g.set("*", discount=0) == hdp_lda()
    with pytest.raises(GraphError, match="'phi' is a dirichlet and has no discount"):
        g.set("phi", discount=Beta(1, 1))


def test_set_mixing(three: Graph) -> None:
    g = three.set("*", mix_prior=5)
    assert g["theta"].mix_prior == g["eta"].mix_prior == (5.0, 5.0, 5.0) and g["eta"].mix_weights is None
    fixed = three.set("theta", mix_weights=(0.5, 0.25, 0.25))["theta"]
    assert (fixed.mix_prior, fixed.mix_weights) == (None, (0.5, 0.25, 0.25))


def test_set_a_plate() -> None:
    assert author_topic().set("nu", plate=("day", "author"))["nu"].plate == ("author", "day")


@pytest.mark.parametrize(
    ("pattern", "fields", "message"),
    [
        ("phi", {"discount": 0}, "'phi' is a dirichlet and has no discount"),
        ("ph*", {"discount": 0}, "'phi' is a dirichlet and has no discount"),
        ("mu", {"plate": "author"}, "'mu' is a gem, of which there is only one, and has no plate"),
        ("theta", {"mix_prior": 2}, r"'theta' does not mix several parents; rebase it on mix"),
        ("psi*", {"discount": 0}, "no node matches 'psi\\*'; the nodes are 'mu', 'theta', 'phi'"),
        ("*", {"colour": "red"}, "cannot change 'colour'; it changes discount, concentration"),
        ("*", {}, "changes nothing; give it a field"),
        ("theta", {"discount": 1}, "the discount of 'theta' is 1"),
        ("theta", {"concentration_per": "all"}, "'theta' has concentration_per='all'"),
    ],
)
def test_set_refuses_nonsense(pattern: str, fields: dict[str, object], message: str) -> None:
    with pytest.raises(GraphError, match=message):
        hdp_lda().set(pattern, **fields)


def test_links_are_set_by_name():
    graph = author_blocks()
    assert graph.set("follows", popularity=False).link_sets[0].popularity is False
    on_nu = graph.set("follows", between="nu")
    assert on_nu.link_sets[0].between == "nu" and "chi" not in on_nu
    with pytest.raises(
        GraphError, match=r"cannot change 'colour' of the links 'follows'; it changes between, directed"
    ):
        graph.set("follows", colour="red")
