"""A graph prints as its declaration, and the text reads back."""

import pytest

from pitmanyor.graph import Beta, Gamma, Graph, mix, uniform
from pitmanyor.graph.text import number
from pitmanyor.models import author_topic, bursty, hdp_lda, hpyp, lda, tntm


def _odd() -> Graph:
    g = Graph()
    g.gem("mu", discount=0.1 + 0.2, concentration=Gamma(2, 1 / 3))
    g.pyp("day", base="mu", plate='the "day"', concentration=5, concentration_per="instance")
    g.pyp("nu", base="mu", plate=("author", "day"))
    g.pyp("theta", base=mix("mu", "nu", "day", weights=(0.2, 0.3, 0.5)), plate="document")
    g.pyp("theta_tag", base=mix("mu", "theta", prior=(1, 2.5)), plate="document")
    g.pyp("eta", base=mix("theta", "theta_tag", prior=3), plate="document")
    g.dirichlet("phi", over="word", plate=("author", "topic"), concentration=1e-3, concentration_per="instance")
    g.pyp("chi", base=uniform("tag"), plate="topic", discount=0)
    g.pyp("idle", base="chi", plate="topic", discount=Beta(1, 2 / 3))
    g.tokens("word", topic="eta", emit="phi")
    g.tokens("tag", topic="theta_tag", emit="chi")
    g.pyp("venue", base="mu", plate="venue")
    g.links("cites", between="venue", directed=False, kernel="pair", intercept=True, self_links=True)
    return g


@pytest.mark.parametrize(
    "graph",
    [Graph(), lda(7), hdp_lda(), hpyp(), author_topic(), tntm(), bursty(tntm()), _odd()],
    ids=lambda g: g.names[:1],
)
def test_the_text_reads_back(graph: Graph) -> None:
    scope: dict[str, object] = {"Graph": Graph, "Beta": Beta, "Gamma": Gamma, "mix": mix, "uniform": uniform}
    exec(str(graph), scope)
    assert scope["g"] == graph
    assert repr(scope["g"]) == repr(graph)


def test_only_what_is_not_default_is_said() -> None:
    assert str(_odd()).splitlines()[2:6] == [
        'g.pyp("day", base="mu", plate="the \\"day\\"", concentration=5, concentration_per="instance")',
        'g.pyp("nu", base="mu", plate=("author", "day"))',
        'g.pyp("theta", base=mix("mu", "nu", "day", weights=(0.2, 0.3, 0.5)), plate="document")',
        'g.pyp("theta_tag", base=mix("mu", "theta", prior=(1, 2.5)), plate="document")',
    ]


def test_numbers_are_short_and_exact() -> None:
    assert [number(x) for x in (1.0, 0.5, 1e-7, 0.1 + 0.2)] == ["1", "0.5", "1e-07", "0.30000000000000004"]
