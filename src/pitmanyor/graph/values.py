"""Numbers and names that a node may have. Each function returns the canonical value or explains what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from numbers import Integral, Real
from typing import get_args

from pitmanyor.errors import GraphError
from pitmanyor.graph.nodes import Beta, ConcentrationPer, Gamma

PRIOR = Gamma(0.1, 0.1)
TOPIC_DISCOUNT = 0.0
WORD_DISCOUNT = 0.5
LEAST_DISCOUNT, MOST_DISCOUNT = 0.001, 0.999  # of those that are sampled (maths 5)
RESERVED = ("document", "topic", "vocabulary")
WEIGHT_TOLERANCE = 1e-9


def as_name(what: str, name: object) -> str:
    """A name is a Python identifier: it appears in traces, files and drawings, and `repr` must be valid code."""
    if not isinstance(name, str) or not name.isidentifier():
        raise GraphError(f"{name!r} cannot name a {what}: use an identifier such as 'theta' or 'theta_tag'")
    if name in RESERVED:
        raise GraphError(f"a {what} may not be called {name!r}: that word is reserved")
    return name


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    number = float(value)
    return number if isfinite(number) else None


def as_discount(name: str, value: object) -> float | Beta:
    """A number is a fixed discount, a Beta is a prior under which it is sampled (maths 5)."""
    if isinstance(value, Beta):
        alpha, beta = _number(value.alpha), _number(value.beta)
        if alpha is None or beta is None or alpha <= 0 or beta <= 0:
            raise GraphError(
                f"{name!r} has the discount prior {value!r}, but alpha and beta must both be positive "
                "(Beta(1, 1) is uniform)"
            )
        return Beta(alpha, beta)
    number = _number(value)
    if number is None or not 0 <= number < 1:
        raise GraphError(
            f"the discount of {name!r} is {value!r}, but it must be a number from 0 up to but not including 1 "
            "(0 makes the node a Dirichlet process, 0.5 to 0.8 suit power laws; then it is fixed) or a prior such as "
            "Beta(1, 1) (then it is sampled)"
        )
    return number


def as_concentration(name: str, value: object) -> float | Gamma:
    """A number is a fixed concentration, a Gamma is a prior under which it is sampled (maths 5)."""
    if isinstance(value, Gamma):
        shape, rate = _number(value.shape), _number(value.rate)
        if shape is None or rate is None or shape <= 0 or rate <= 0:
            raise GraphError(
                f"{name!r} has the concentration prior {value!r}, but shape and rate must both be positive"
            )
        return Gamma(shape, rate)
    number = _number(value)
    if number is None or number <= 0:
        raise GraphError(
            f"the concentration of {name!r} is {value!r}, but it must be a positive number (then it is fixed) "
            "or a prior such as Gamma(0.1, 0.1) (then it is sampled)"
        )
    return number


def as_scale(name: str, what: str, value: object, least: float, most: float) -> float:
    """A parameter of a link set's Gaussian process, within bounds that keep it numerically stable."""
    number = _number(value)
    if number is None or not least <= number <= most:
        raise GraphError(f"the links {name!r} have {what}={value!r}; it must be a number from {least:g} to {most:g}")
    return number


def as_concentration_per(name: str, value: object) -> ConcentrationPer:
    for known in get_args(ConcentrationPer):
        if value == known:
            return known  # type: ignore[no-any-return]
    raise GraphError(
        f"{name!r} has concentration_per={value!r}, but it must be 'layer' (one concentration for all its instances) "
        "or 'instance' (one for each)"
    )


def as_plate(name: str, plate: object) -> tuple[str, ...]:
    """The canonical plate: a sorted tuple, so that ("topic", "document") equals ("document", "topic")."""
    parts = () if plate is None else (plate,) if isinstance(plate, str) else plate
    if not isinstance(parts, Sequence) or not all(isinstance(part, str) and part for part in parts):
        raise GraphError(
            f"{name!r} has plate={plate!r}, but it must be None, a name such as 'document', 'topic' or 'author', "
            "or a tuple of such names"
        )
    if "vocabulary" in parts:
        raise GraphError(
            f"{name!r} has the plate 'vocabulary', but words are what a node is over, not what it is repeated for; "
            "say over='vocabulary' or base=uniform('vocabulary') instead"
        )
    if len(set(parts)) != len(parts):
        raise GraphError(f"{name!r} has plate={plate!r}, which names the same plate twice")
    return tuple(sorted(parts))


def as_over(name: str, over: object) -> str | int:
    """What a root is over: a vocabulary (its name) or a number of topics."""
    if isinstance(over, str) and (over == "vocabulary" or over.isidentifier()):
        return over
    if isinstance(over, Integral) and not isinstance(over, bool) and int(over) >= 1:
        return int(over)
    raise GraphError(
        f"{name!r} is over {over!r}, but it must be 'vocabulary', the name of a token stream (its own words), "
        "or a number of topics"
    )


def as_prior(place: str, n_parents: int, prior: object) -> tuple[float, ...]:
    """One positive lambda for each parent; a single number applies to all."""
    entries = _entries(place, "prior", n_parents, [prior] * n_parents if isinstance(prior, Real) else prior)
    if any(entry <= 0 for entry in entries):
        raise GraphError(f"{place}: the prior {prior!r} must be positive for every parent")
    return entries


def as_weights(place: str, n_parents: int, weights: object) -> tuple[float, ...]:
    """One positive fixed weight for each parent; they add up to 1."""
    entries = _entries(place, "weights", n_parents, weights)
    if any(entry <= 0 for entry in entries):
        raise GraphError(f"{place}: the weights {weights!r} must be positive; leave a parent of weight 0 out")
    if abs(sum(entries) - 1) > WEIGHT_TOLERANCE:
        raise GraphError(f"{place}: the weights {weights!r} add up to {sum(entries):g}, but they must add up to 1")
    return entries


def _entries(place: str, what: str, n_parents: int, values: object) -> tuple[float, ...]:
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        raise GraphError(f"{place}: {what}={values!r} must be a sequence of one number for each of {n_parents} parents")
    numbers = [_number(value) for value in values]
    entries = tuple(number for number in numbers if number is not None)
    if len(entries) != len(numbers) or len(entries) != n_parents:
        raise GraphError(f"{place}: {what}={values!r} must hold one number for each of {n_parents} parents")
    return entries
