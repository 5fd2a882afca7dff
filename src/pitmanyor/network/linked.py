"""A linked node: its instances as masses, and the link sets between them. One step updates all of it (maths 6)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor import purposes
from pitmanyor.kernels.network.block_exposure import propose_tilted
from pitmanyor.kernels.network.masses import (
    Masses,
    TableLaw,
    change_of_bases,
    column_density,
    count_tables,
    density_over,
    log_shares,
    move_scalars,
    propose_one,
    redraw_columns,
    start_masses,
    widen_all,
)
from pitmanyor.kernels.network.similarity import Likeness, cosines, move_instances, row_ratio, unit_rows
from pitmanyor.kernels.numbers.stirling import StirlingTables
from pitmanyor.network.block_links import BlockLinks
from pitmanyor.network.density import StableDensity, stable_density
from pitmanyor.network.features import N_KNOTS
from pitmanyor.network.mixtures import Base, Parent
from pitmanyor.network.observed import Observed
from pitmanyor.network.pair_links import PairLinks
from pitmanyor.network.similar_links import SimilarLinks
from pitmanyor.network.slices import move_weights
from pitmanyor.network.trait_links import TraitLinks
from pitmanyor.seeds import generator

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Seed = tuple[int, int, int]
LEAST_LOG_SHARE = -1e4  # of a base: far below the smallest number, and small enough for differences of logs
NO_DENSITY = StableDensity(0.0, 0.0, 0.0, 1.0, np.zeros(6))


class Seats(NamedTuple):
    """Stirling numbers, and the index of their discount."""

    tables: StirlingTables
    which: int


class Columns(NamedTuple):
    """A pending joint move of some topics of the base and of all instances."""

    log_base: Floats
    log_mass: Floats
    unit: Floats
    cosine: Floats
    log_nu: Floats
    change: float  # of log p(X), and of the density of masses that are not drawn anew


class LinkedNode:
    """The instances of one node, and the sets of links between them.

    `nu` depends only on the masses, so that scalars, base and concentrations can be drawn given nu without regard to
    links, and proposals from the text alone are accepted by the ratio of p(X), and of the density of the masses that
    stand on nu: those of the nodes in `below`, whose base is `log_nu`, or a mixture of it and other vectors. What this
    node itself stands on is `base`: the root if nothing is given, another node, or a `Base`.
    """

    def __init__(
        self,
        discount: float,
        masses: Masses,
        sets: dict[str, SimilarLinks],
        seen: dict[str, Observed],
        pairs: dict[str, PairLinks] | None = None,
        over: LinkedNode | Base | None = None,
        blocks: dict[str, BlockLinks] | None = None,
        traits: dict[str, TraitLinks] | None = None,
    ) -> None:
        self.discount, self.masses, self.sets, self.seen = discount, masses, sets, seen
        self.pairs, self.blocks, self.traits = pairs or {}, blocks or {}, traits or {}
        self.base = over if isinstance(over, Base) else Base([Parent(over, masses.log_base, masses.above)])
        self.below = list[LinkedNode]()
        for parent in self.base.parents:
            if parent.node:
                parent.node.below.append(self)
        self.log_nu = np.zeros_like(masses.log_mass)
        self.density = stable_density(discount) if discount > 0 else NO_DENSITY
        n, n_topics = masses.log_mass.shape
        counts = [both for name in sets for both in seen[name].both_ways()]
        self.likeness = Likeness(
            unit=np.zeros((n, n_topics)),
            cosine=np.zeros((n, n) if sets else (0, 0)),
            ones=np.array(counts[0::2], np.uint8).reshape(len(sets), n, n),
            zeros=np.array(counts[1::2], np.uint8).reshape(len(sets), n, n),
            curves=np.zeros((len(sets), 2, N_KNOTS)),
            work=np.zeros((4, max(n, n_topics))),
        )

    @property
    def nu(self) -> Floats:
        """The vectors, one row per instance."""
        masses = self.masses.log_mass
        out = np.exp(masses - masses.max(axis=1, keepdims=True))
        return np.asarray(out / out.sum(axis=1, keepdims=True))

    @property
    def log_total(self) -> Floats:
        """log sum J of every instance."""
        top = self.masses.log_mass.max(axis=1)
        return np.asarray(top + np.log(np.exp(self.masses.log_mass - top[:, None]).sum(axis=1)))

    def start(self, seats: Seats, n_tables: Ints, seed: Seed) -> None:
        """Initial masses, from customers and tables."""
        self.base.renew(self.masses.log_base)
        start_masses(self.masses, self._law(seats), n_tables, seed)
        self.refresh()

    def refresh(self) -> None:
        """Recompute what follows from masses and weights, those of the nodes above included."""
        self.base.renew(self.masses.log_base)
        unit_rows(self.masses.log_mass, self.likeness.unit)
        if self.sets:
            self.likeness = self.likeness._replace(cosine=cosines_of(self.likeness.unit))
        log_shares(self.masses.log_mass, LEAST_LOG_SHARE, self.log_nu)
        self.refresh_curves()
        self.lay()

    def refresh_curves(self) -> None:
        curves = [links.curves(links.weights) for links in self.sets.values()]
        self.likeness = self.likeness._replace(curves=np.array(curves).reshape(len(curves), 2, N_KNOTS))

    def lay(self) -> None:
        for s, links in enumerate(self.sets.values()):
            links.lay(self.likeness.cosine, self.likeness.ones[s], self.likeness.zeros[s])
        nu = self.nu
        for item in self.placed:
            item.place(nu)

    @property
    def scored(self) -> dict[str, SimilarLinks | PairLinks]:
        """The sets with a Gaussian process of scores."""
        return {**self.sets, **self.pairs}

    @property
    def placed(self) -> list[PairLinks | BlockLinks | TraitLinks]:
        """The sets that keep the vectors."""
        return [*self.pairs.values(), *self.blocks.values(), *self.traits.values()]

    @property
    def all_sets(self) -> dict[str, SimilarLinks | PairLinks | BlockLinks | TraitLinks]:
        return {**self.sets, **self.pairs, **self.blocks, **self.traits}

    def take_events(self, seed: Seed) -> None:
        """Draw the events behind links between topics: they are customers of the vectors until `leave_events`."""
        for links in self.blocks.values():
            self.masses.customers[:] += links.draw_events(seed)

    def leave_events(self) -> None:
        for links in self.blocks.values():
            self.masses.customers[:] -= links.events.customers

    def log_likelihood(self) -> dict[str, float]:
        """log p(X | nu, w) by link set, at the last vectors."""
        return {name: links.log_likelihood(links.weights) for name, links in self.all_sets.items()}

    def _law(self, seats: Seats) -> TableLaw:
        return TableLaw(seats.tables, seats.which, self.discount)

    def move_instances(self, seats: Seats, whole: bool, seed: Seed) -> float:
        """Propose every instance once; returns the acceptance rate."""
        if self.placed or self.below or not self.sets:
            return self._move_one_by_one(seats, whole, seed)
        given = (self.masses, self.likeness, self._law(seats), int(whole), seed)
        return float(move_instances(*given)) / len(self.masses.log_u0)

    def _move_one_by_one(self, seats: Seats, whole: bool, seed: Seed) -> float:
        """The same if not only similarities judge: pairs of vectors, events, and nodes that stand on this one."""
        rng = generator(seed, purposes.ONE_BY_ONE + whole)
        k, n, likeness, accepted = self.masses.log_mass.shape[1], len(self.masses.log_u0), self.likeness, 0
        tried, unit, log_nu, row = np.empty(k), np.empty((1, k)), np.empty((1, k)), np.empty(n)
        for i in range(n):
            change = self._propose(seats, i, whole, seed, tried)
            unit_rows(tried[None], unit)
            if self.sets:
                row[:] = (likeness.unit * unit).sum(axis=1)
                row[i] = 1.0
                change += row_ratio(likeness, i, row)
            nu = unit[0] / unit[0].sum()
            log_shares(tried[None], LEAST_LOG_SHARE, log_nu)
            change += sum(links.change(i, nu) for links in self.judges)
            if -rng.standard_exponential() < change + self._change_below(i, log_nu[0]):
                self.masses.log_mass[i], likeness.unit[i], self.log_nu[i] = tried, unit[0], log_nu[0]
                if self.sets:
                    likeness.cosine[i], likeness.cosine[:, i] = row, row
                for item in self.placed:
                    item.place_one(i, nu)
                self._renew_below(i)
                accepted += 1
        return accepted / n

    def _propose(self, seats: Seats, i: int, whole: bool, seed: Seed, tried: Floats) -> float:
        """Into `tried` a proposal for instance i by its customers; returns what it leaves to judge of the blocks."""
        if not self.blocks:
            propose_one(self.masses, self._law(seats), i, int(whole), seed, tried)
            return 0.0
        tilt = np.zeros(len(tried))
        for links in self.blocks.values():
            links.add_tilt(i, tilt)
        work = np.empty((2, len(tried)))
        return float(propose_tilted(self.masses, self._law(seats), i, int(whole), seed, tilt, work, tried))

    def _change_below(self, i: int, log_nu: Floats) -> float:
        """The change of the log density of all masses that stand on instance i if its shares were others."""
        return sum(
            node.log_density(j, log_base) - node.log_density(j, node.masses.log_base[j])
            for node in self.below
            for j, log_base in node.base.rows_under(self, i, log_nu)
        )

    def _renew_below(self, i: int) -> None:
        """Bases that are mixtures, after instance i has moved; others are its vector itself."""
        for node in self.below:
            for j, log_base in node.base.rows_under(self, i, self.log_nu[i]):
                node.masses.log_base[j] = log_base

    def log_density(self, j: int, log_base: Floats) -> float:
        """log p(masses of all instances whose base is row j of `log_base` | what that is)."""
        return float(density_over(self.density, self.masses, j, log_base))

    def move_scalars(self, seed: Seed) -> None:
        if self.discount > 0:
            move_scalars(self.density, self.masses, seed)

    @property
    def judges(self) -> list[PairLinks | TraitLinks]:
        """The sets of which proposals from the text know nothing; similarities are judged together."""
        return [*self.pairs.values(), *self.traits.values()]

    def settle(self, seed: Seed, rng: np.random.Generator) -> None:
        """First unknowns of sets that can find them for the first vectors."""
        self.lay()
        for links in self.traits.values():
            links.settle(seed, rng)

    def move_weights(self, rng: np.random.Generator, times: int) -> int:
        """Update the weights of every link set; returns the number of steps of elliptical slice sampling."""
        self.lay()
        steps = sum(move_weights(links, rng, times) for links in self.scored.values())
        for blocks in self.blocks.values():
            blocks.move(rng)
        self.refresh_curves()
        return steps

    def move_traits(self, seed: Seed, rng: np.random.Generator) -> None:
        """Update all unknowns of links between traits, at the vectors that the sets have."""
        for links in self.traits.values():
            links.move(seed, rng)

    def move_mixing(self, rng: np.random.Generator) -> None:
        """Learned weights of a mixture, given all masses: nu stays, so links have no say."""
        self.base.move_weights(self.log_density, rng)
        self.base.renew(self.masses.log_base)

    def column_density(self, k: int, log_mu: float) -> float:
        """log p(masses of topic k | the root's share of it)."""
        return float(column_density(self.density, self.masses, k, self.base.column(k, log_mu)))

    def widen(self, seed: Seed) -> Floats:
        log_q = np.zeros(len(self.masses.log_u0))
        widen_all(self.masses, self.discount, seed, log_q)
        return log_q

    def tables_of(self, seats: Seats, log_q: Floats, chosen: Ints, seed: Seed) -> Ints:
        """Tables that every instance sends up for each of the chosen topics, with the masses integrated out."""
        out = np.zeros_like(self.masses.customers)
        count_tables(self.masses, self._law(seats), log_q, chosen, seed, out)
        return out[:, chosen]

    def try_columns(self, seats: Seats, log_q: Floats, chosen: Ints, log_base: Floats, seed: Seed) -> Columns:
        """Redraw the chosen topics of all instances under other bases."""
        out, is_chosen = np.empty_like(self.masses.log_mass), np.zeros(self.masses.log_mass.shape[1], bool)
        is_chosen[chosen] = True
        redraw_columns(self.masses, self._law(seats), log_q, chosen, log_base, seed, out)
        unit = np.empty_like(out)
        unit_rows(out, unit)
        cosine, change = cosines_of(unit) if self.sets else self.likeness.cosine, 0.0
        if not self.base.only_root:  # of the root, the shares of the other topics and the sum of these stay as they are
            change = float(change_of_bases(self.density, self.masses, log_q, is_chosen, log_base))
        for s, links in enumerate(self.sets.values()):
            before = links.log_likelihood(links.weights)
            links.lay(cosine, self.likeness.ones[s], self.likeness.zeros[s])
            change += links.log_likelihood(links.weights) - before
        nu = unit / unit.sum(axis=1, keepdims=True)
        for pairs in self.pairs.values():
            before = pairs.log_likelihood(pairs.weights)
            pairs.place(nu)
            change += pairs.log_likelihood(pairs.weights) - before
        change -= sum(links.exposure_at(nu) - links.exposure() for links in self.blocks.values())
        change += sum(links.change_of_all(nu) for links in self.traits.values())
        log_nu = np.empty_like(out)
        log_shares(out, LEAST_LOG_SHARE, log_nu)
        return Columns(log_base, out, unit, cosine, log_nu, change)

    def keep_columns(self, columns: Columns) -> None:
        self.masses.log_base[:] = columns.log_base  # the one array of all that stand on it
        self.masses.log_mass[:] = columns.log_mass
        self.log_nu[:] = columns.log_nu
        self.likeness = self.likeness._replace(unit=columns.unit, cosine=columns.cosine)


def cosines_of(unit: Floats) -> Floats:
    out = np.empty((len(unit), len(unit)))
    cosines(unit, out)
    return out
