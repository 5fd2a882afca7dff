"""The kernel of the network as a few features of one number, the similarity (maths 6)."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.errors import PlanError
from pitmanyor.graph import Links
from pitmanyor.network.cholesky import inverse_of_lower, pivoted_cholesky, product

Floats = NDArray[np.float64]
N_KNOTS = 1025  # of the similarity, 0 to 1: six-point interpolation is then good to 1e-12 for lengths of 0.1 and more
SHORTEST = 0.01  # length, ten knots: log-probabilities are read to 1e-5, by far less on average
LEFT_OUT = 1e-12  # of the kernel, by the features: less would be rounding
INTERCEPT = 5.0  # standard deviation of the prior of an intercept


class Kernel(NamedTuple):
    """Parameters of a link set's random function: the paper's s, l and sigma, and whether there is an intercept."""

    signal: float = 1.0
    length: float = 1.0
    noise: float = 1.0
    intercept: bool = False


def kernel_of(links: Links) -> Kernel:
    return Kernel(links.signal, links.length, links.noise, links.intercept)


def knots() -> Floats:
    return np.linspace(0.0, 1.0, N_KNOTS)


def _check(length: float) -> None:
    if not length >= SHORTEST:
        raise PlanError(f"length= of links must be {SHORTEST} or more, not {length}; similarities lie between 0 and 1")


@cache
def features(kernel: Kernel) -> Floats:
    """Phi at the knots: kappa = Phi Phi' + sigma^2 I, with the intercept as an additional column.

    It is a Cholesky factor of the kernel over fixed knots, so that it does not depend on the present similarities;
    otherwise the weights would change their meaning when these move.
    """
    out = _scaled(kernel, _axes(kernel.length).factor)
    out.flags.writeable = False  # it is kept and shared
    return out


def features_at(kernel: Kernel, similarity: Floats) -> Floats:
    """Phi at any similarities, one row each, for the same weights as `features`; accurate to 1e-9 of the signal.

    >>> kernel, some = Kernel(length=0.3, intercept=True), [0, 500, 1024]
    >>> bool(np.abs(features_at(kernel, knots()[some]) - features(kernel)[some]).max() < 1e-9)
    True
    """
    axes = _axes(kernel.length)
    gap = (np.asarray(similarity, np.float64)[:, None] - axes.places) / kernel.length
    return _scaled(kernel, product(np.exp(-0.5 * gap**2), axes.inverse.T))


class Axes(NamedTuple):
    """The similarities that features stand for, the kernel's factor over the knots, and its inverse at these places."""

    places: Floats
    factor: Floats
    inverse: Floats


@cache
def _axes(length: float) -> Axes:
    _check(length)
    u = knots() / length
    pivots, factor = pivoted_cholesky(np.exp(-0.5 * (u[:, None] - u) ** 2), LEFT_OUT)
    return Axes(knots()[pivots], factor, inverse_of_lower(factor[pivots]))


def _scaled(kernel: Kernel, factor: Floats) -> Floats:
    out = factor * (kernel.signal / np.sqrt(2.0))
    return np.hstack([out, np.full((len(out), 1), INTERCEPT)]) if kernel.intercept else out
