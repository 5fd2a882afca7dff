"""What the instances of a linked node stand on: one vector each, or a mixture of several (maths 6)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.network.slices import slice_sample

if TYPE_CHECKING:
    from pitmanyor.network.linked import LinkedNode

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
WIDTH = 2.0  # of a first slice, in logits


class Parent(NamedTuple):
    """A node that others stand on: the array of its log vectors, which moves with it, and its instance of each."""

    node: LinkedNode | None  # None is the root
    log_vectors: Floats
    above: Ints


class Base:
    """H_i = sum_p rho_ip P_p of every instance i. With one parent it is the parent's own vector, not a copy.

    `log_weights` (instance, parent) are log rho; they are learned if `prior` has the shapes of their Dirichlet.
    """

    def __init__(
        self, parents: Sequence[Parent], log_weights: Floats | None = None, prior: Floats | None = None
    ) -> None:
        self.parents, self.prior = tuple(parents), prior
        n = len(self.parents[0].above)
        self.log_weights = np.zeros((n, 1)) if log_weights is None else log_weights

    @property
    def mixed(self) -> bool:
        return len(self.parents) > 1

    @property
    def has_root(self) -> bool:
        return any(parent.node is None for parent in self.parents)

    @property
    def only_root(self) -> bool:
        return self.has_root and not self.mixed

    def room(self) -> tuple[Floats, Ints]:
        """`log_base` and `above` for the masses of these instances: rows of their own for mixtures, to be renewed."""
        if not self.mixed:
            return self.parents[0].log_vectors, self.parents[0].above
        n, k = len(self.log_weights), self.parents[0].log_vectors.shape[1]
        return np.zeros((n, k)), np.arange(n)

    def under(self, vectors: Callable[[Parent], Floats]) -> Floats:
        """log H, if the parents had these vectors."""
        if not self.mixed:
            return vectors(self.parents[0])
        return log_mixture(self.log_weights, [vectors(parent)[parent.above] for parent in self.parents])

    def renew(self, log_base: Floats) -> None:
        """Recompute log H in place after parents or weights have moved."""
        if self.mixed:
            log_base[:] = self.under(lambda parent: parent.log_vectors)

    def rows_under(self, node: LinkedNode, i: int, log_nu: Floats) -> Iterator[tuple[int, Floats]]:
        """The rows of `log_base` that depend on instance i of a parent, and what they were if its vector were this."""
        if not self.mixed:
            yield i, log_nu
            return
        (which,) = (p for p, parent in enumerate(self.parents) if parent.node is node)
        for j in np.flatnonzero(self.parents[which].above == i).tolist():
            terms = [parent.log_vectors[parent.above[j]][None] for parent in self.parents]
            terms[which] = log_nu[None]
            yield j, log_mixture(self.log_weights[j : j + 1], terms)[0]

    def column(self, k: int, log_mu: float) -> Floats:
        """log H_ik of all instances, if the root's share of topic k were this."""
        terms = [
            np.full((len(parent.above), 1), log_mu)
            if parent.node is None
            else parent.log_vectors[parent.above, k : k + 1]
            for parent in self.parents
        ]
        return log_mixture(self.log_weights, terms)[:, 0] if self.mixed else terms[0][:, 0]

    def send(self, tables: Ints, chosen: Ints, rng: np.random.Generator) -> list[Ints]:
        """Tables of the chosen topics by parent: each goes to parent p with probability rho_p P_p[k] / H[k]."""
        out, left = [], tables
        terms = [parent.log_vectors[np.ix_(parent.above, chosen)] for parent in self.parents]
        for p in range(len(terms) - 1):
            rest = log_mixture(self.log_weights[:, p:], terms[p:])
            share = np.exp(self.log_weights[:, p : p + 1] + terms[p] - rest)
            out.append(rng.binomial(left, np.minimum(share, 1.0)))
            left = left - out[-1]
        return [*out, left]

    def move_weights(self, density: Callable[[int, Floats], float], rng: np.random.Generator) -> None:
        """Learned weights given all masses, pairs of parents by slice sampling.

        `density` is the log density of the masses of an instance given its base.
        """
        if self.prior is None:
            return
        for j in range(len(self.log_weights)):
            order = rng.permutation(len(self.parents))
            for p, q in zip(order[0::2].tolist(), order[1::2].tolist(), strict=False):
                self._move_pair(j, (p, q), density, rng)

    def _move_pair(
        self, j: int, pair: tuple[int, int], density: Callable[[int, Floats], float], rng: np.random.Generator
    ) -> None:
        """How two parents of an instance share the sum of their weights."""
        assert self.prior is not None
        row, prior, (p, q) = self.log_weights[j], self.prior, pair
        both = float(np.logaddexp(row[p], row[q]))
        terms = [parent.log_vectors[parent.above[j]][None] for parent in self.parents]

        def parts(x: float) -> Floats:
            out: Floats = row.copy()
            out[p], out[q] = both - float(np.logaddexp(0.0, -x)), both - float(np.logaddexp(0.0, x))
            return out

        def log_target(x: float) -> float:
            log_w = parts(x)
            return float(prior[p] * log_w[p] + prior[q] * log_w[q]) + density(j, log_mixture(log_w[None], terms)[0])

        row[:] = parts(slice_sample(float(row[p] - row[q]), log_target, rng, WIDTH))


def log_mixture(log_weights: Floats, terms: Sequence[Floats]) -> Floats:
    """log sum_p rho_p P_p, a row per instance."""
    out = log_weights[:, :1] + terms[0]
    for p in range(1, len(terms)):
        out = np.logaddexp(out, log_weights[:, p : p + 1] + terms[p])
    return np.asarray(out)


def fixed_or_learned(
    n: int, weights: Sequence[float] | None, prior: Sequence[float] | None
) -> tuple[Floats, Floats | None]:
    """log weights of n instances, and the prior if they are learned, which then start at its mean."""
    at = np.asarray(weights if prior is None else prior, np.float64)
    log_weights = np.tile(np.log(at / at.sum()), (n, 1))
    return log_weights, None if prior is None else at
