"""Canonical values, and the sentence that explains a wrong one."""

import math

import numpy as np
import pytest

from pitmanyor.errors import GraphError
from pitmanyor.graph import Beta, Gamma
from pitmanyor.graph.values import (
    as_concentration,
    as_concentration_per,
    as_discount,
    as_name,
    as_over,
    as_plate,
    as_prior,
    as_weights,
)


@pytest.mark.parametrize("name", ["", "two words", "3d", None, 7])
def test_a_name_is_an_identifier(name: object) -> None:
    with pytest.raises(GraphError, match="cannot name a node: use an identifier"):
        as_name("node", name)


@pytest.mark.parametrize("name", ["document", "topic", "vocabulary"])
def test_words_of_the_language_are_no_names(name: str) -> None:
    with pytest.raises(GraphError, match=f"may not be called '{name}'"):
        as_name("token stream", name)


def test_discounts_become_floats() -> None:
    assert as_discount("nu", 0) == 0.0
    assert type(as_discount("nu", np.float32(0.5))) is float


@pytest.mark.parametrize("value", [1, -0.1, math.nan, True, "0.5", None, Gamma(1, 1)])
def test_a_wrong_discount_shows_both_ways(value: object) -> None:
    message = "the discount of 'nu' is .* from 0 up to but not including 1 .* or a prior such as Beta"
    with pytest.raises(GraphError, match=message):
        as_discount("nu", value)


def test_a_discount_is_a_number_or_a_prior() -> None:
    assert as_discount("nu", Beta(1, 2)) == Beta(1.0, 2.0)


@pytest.mark.parametrize("prior", [Beta(0, 1), Beta(1, -1), Beta(math.nan, 1), Beta("1", 1)])  # type: ignore[arg-type]
def test_a_prior_of_a_discount_needs_two_positive_numbers(prior: Beta) -> None:
    with pytest.raises(GraphError, match="'nu' has the discount prior .* alpha and beta must both be positive"):
        as_discount("nu", prior)


def test_a_concentration_is_a_number_or_a_prior() -> None:
    assert as_concentration("nu", 3) == 3.0
    assert as_concentration("nu", Gamma(2, 1)) == Gamma(2.0, 1.0)


@pytest.mark.parametrize("value", [0, -1, math.inf, (0.1, 0.1), True])
def test_a_wrong_concentration_shows_both_ways(value: object) -> None:
    with pytest.raises(GraphError, match="the concentration of 'nu' is .* positive number .* or a prior such as Gamma"):
        as_concentration("nu", value)


@pytest.mark.parametrize("prior", [Gamma(0, 1), Gamma(1, -1), Gamma(math.nan, 1)])
def test_a_prior_needs_positive_shape_and_rate(prior: Gamma) -> None:
    with pytest.raises(GraphError, match="shape and rate must both be positive"):
        as_concentration("nu", prior)


def test_a_concentration_is_per_layer_or_per_instance() -> None:
    assert as_concentration_per("nu", "instance") == "instance"
    with pytest.raises(GraphError, match="concentration_per='all', but it must be 'layer' .* or 'instance'"):
        as_concentration_per("nu", "all")


def test_plates_are_sorted_tuples() -> None:
    assert as_plate("nu", None) == ()
    assert as_plate("nu", "author") == ("author",)
    assert as_plate("phi", ("topic", "document")) == as_plate("phi", ["document", "topic"]) == ("document", "topic")


@pytest.mark.parametrize(
    ("plate", "message"),
    [
        (3, "must be None, a name"),
        (("author", 3), "must be None, a name"),
        ("", "must be None, a name"),
        ("vocabulary", "say over='vocabulary'"),
        (("author", "author"), "names the same plate twice"),
    ],
)
def test_wrong_plates(plate: object, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        as_plate("nu", plate)


def test_over_is_a_vocabulary_or_a_number_of_topics() -> None:
    assert as_over("phi", "vocabulary") == "vocabulary"
    assert as_over("theta", 20) == 20
    for wrong in (0, True, 2.5, "two words", None):
        with pytest.raises(GraphError, match="must be 'vocabulary', the name of a token stream"):
            as_over("phi", wrong)


def test_a_single_prior_counts_for_all_parents() -> None:
    assert as_prior("mix", 3, 2) == (2.0, 2.0, 2.0)
    assert as_prior("mix", 2, [1, 3]) == (1.0, 3.0)


@pytest.mark.parametrize("prior", [(1, 2, 3), "11", None, (1, "x")])
def test_a_prior_has_one_number_for_each_parent(prior: object) -> None:
    with pytest.raises(GraphError, match="one number for each of 2 parents"):
        as_prior("mix", 2, prior)


def test_priors_and_weights_are_positive() -> None:
    with pytest.raises(GraphError, match="must be positive for every parent"):
        as_prior("mix", 2, (1, 0))
    with pytest.raises(GraphError, match="leave a parent of weight 0 out"):
        as_weights("mix", 2, (1, 0))


def test_weights_add_up_to_one() -> None:
    assert as_weights("mix", 3, [0.1, 0.2, 0.7]) == (0.1, 0.2, 0.7)
    with pytest.raises(GraphError, match=r"add up to 1.1, but they must add up to 1"):
        as_weights("mix", 2, (0.5, 0.6))
