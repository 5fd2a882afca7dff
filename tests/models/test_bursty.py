"""A node per document and topic under each emit node."""

import pytest

from pitmanyor.errors import GraphError
from pitmanyor.graph import Graph
from pitmanyor.models import bursty, hpyp, tntm


def test_every_stream_emits_from_its_burst_node() -> None:
    g = bursty(tntm(), discount=0.3, concentration=2)
    assert [(s.name, s.emit) for s in g.streams] == [("hashtag", "psi_tag_burst"), ("word", "psi_burst")]
    burst = g["psi_burst"]
    assert (burst.parents, burst.plate, burst.discount, burst.concentration) == (
        ("psi",),
        ("document", "topic"),
        0.3,
        2.0,
    )
    assert g.link_sets == tntm().link_sets
    assert g.without("psi_burst") == bursty(tntm().without("word"), discount=0.3, concentration=2)


def test_the_old_graph_stays() -> None:
    g = hpyp()
    bursty(g)
    assert g == hpyp()


def test_streams_that_share_words_share_bursts() -> None:
    g = hpyp()
    g.tokens("title", topic="nu", emit="phi")
    both = bursty(g)
    assert [s.emit for s in both.streams] == ["phi_burst", "phi_burst"]
    assert len(both.nodes) == len(g.nodes) + 1


def test_twice_is_refused() -> None:
    with pytest.raises(GraphError, match="'word' emits from 'phi_burst', which is per document already"):
        bursty(bursty(hpyp()))


def test_a_name_that_is_taken_is_refused() -> None:
    g = hpyp()
    g.pyp("phi_burst", base="gamma", plate="topic")
    with pytest.raises(GraphError, match="already has a 'phi_burst'"):
        bursty(g)


def test_no_stream_no_bursts() -> None:
    g = Graph()
    g.gem("mu")
    with pytest.raises(GraphError, match="has no token stream"):
        bursty(g)
