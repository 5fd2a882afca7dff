"""The paper's ablations, each equal to the graph one would write by hand."""

from collections.abc import Callable

import pytest

from pitmanyor.graph import Graph, mix, uniform
from pitmanyor.models import tntm


def _by_hand(  # the model with parts left out
    *, author: bool = True, hashtag: bool = True, mu1: bool = True, joined: bool = True, discount: float | None = None
) -> Graph:
    g = Graph()
    topic = 0.0 if discount is None else discount
    word = 0.5 if discount is None else discount
    g.gem("mu0", discount=topic)
    if author:
        g.pyp("nu", base="mu0", plate="author", discount=topic)
        g.links("follows", between="nu")
    g.pyp("eta", base="nu" if author else "mu0", plate="document", discount=topic)
    g.pyp("gamma", base=uniform("vocabulary"), discount=word)
    if hashtag and mu1:
        g.pyp("mu1", base="mu0", discount=topic)
    if hashtag:
        g.pyp("theta_tag", base=mix("mu1", "eta") if mu1 else "eta", plate="document", discount=topic)
        g.pyp("psi_tag", base="gamma", plate="topic", discount=word)
        g.tokens("hashtag", topic="theta_tag", emit="psi_tag")
    g.pyp("theta", base=mix("eta", "theta_tag") if hashtag and joined else "eta", plate="document", discount=topic)
    g.pyp("psi", base="gamma", plate="topic", discount=word)
    g.tokens("word", topic="theta", emit="psi")
    return g


ABLATIONS: dict[str, tuple[Callable[[Graph], Graph], Graph]] = {
    "none": (lambda g: g, _by_hand()),
    "no author": (lambda g: g.rebase("eta", "mu0"), _by_hand(author=False)),
    "no hashtag": (lambda g: g.without("theta_tag"), _by_hand(hashtag=False)),
    "no mu1": (lambda g: g.rebase("theta_tag", "eta"), _by_hand(mu1=False)),
    "no connection": (lambda g: g.rebase("theta", "eta"), _by_hand(joined=False)),
    "no power law": (lambda g: g.set("*", discount=0), _by_hand(discount=0)),
}


@pytest.mark.parametrize("name", ABLATIONS)
def test_ablation(name: str) -> None:
    edit, expected = ABLATIONS[name]
    ablated = edit(tntm())
    assert ablated == expected
    ablated.validate()


def test_text_only() -> None:
    text = tntm().without("follows")
    assert text.link_sets == () and text.nodes == tntm().nodes and text.streams == tntm().streams


def test_ablations_combine() -> None:
    plain = tntm().rebase("eta", "mu0").without("theta_tag").set("*", discount=0)
    assert plain == _by_hand(author=False, hashtag=False, discount=0)
