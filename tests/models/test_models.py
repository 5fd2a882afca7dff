"""Every ready model is a valid graph whose knobs reach its nodes."""

from collections.abc import Callable

import pytest

from pitmanyor import models
from pitmanyor.errors import GraphError
from pitmanyor.graph import Gamma, Graph

READY: dict[str, Callable[..., Graph]] = {
    "lda": lambda **knobs: models.lda(10, **knobs),
    "hdp_lda": models.hdp_lda,
    "hpyp": models.hpyp,
    "author_topic": models.author_topic,
    "tntm": models.tntm,
    "author_blocks": models.author_blocks,
    "author_traits": models.author_traits,
}
WITH_DISCOUNTS = ("hpyp", "author_topic", "tntm", "author_blocks", "author_traits")


@pytest.mark.parametrize("name", READY)
def test_valid_also_when_bursty(name: str) -> None:
    READY[name]().validate()
    models.bursty(READY[name]()).validate()


@pytest.mark.parametrize("name", READY)
def test_the_concentration_reaches_every_node(name: str) -> None:
    assert {node.concentration for node in READY[name]().nodes} == {Gamma(0.1, 0.1)}
    assert {node.concentration for node in READY[name](concentration=4).nodes} == {4.0}


@pytest.mark.parametrize("name", WITH_DISCOUNTS)
def test_discounts_by_side(name: str) -> None:
    for graph, topic, word in (
        (READY[name](), 0.0, 0.5),
        (READY[name](topic_discount=0.1, word_discount=0.2), 0.1, 0.2),
    ):
        assert {(node.side, node.discount) for node in graph.nodes} == {("topic", topic), ("word", word)}


def test_lda_and_hdp_lda_have_no_power_law() -> None:
    assert {node.discount for graph in (models.lda(3), models.hdp_lda()) for node in graph.nodes} == {0.0}


def test_lda_has_its_number_of_topics() -> None:
    assert models.lda(17)["theta"].over == 17
    with pytest.raises(GraphError, match="'theta' is over 0"):
        models.lda(0)
