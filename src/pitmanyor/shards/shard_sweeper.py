"""Sweeps over shards, from the driver: it has all counts, and asks for the documents that it updates by itself."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from pitmanyor import purposes
from pitmanyor.kernels.restaurant.arrays import Text
from pitmanyor.sampling.document_sums import DocumentSums, add_sums, sum_text
from pitmanyor.sampling.sweeps import TABLES_EVERY, Sweep, Sweeper, collapsed, held_topics
from pitmanyor.seeds import Seed, generator
from pitmanyor.shards.counted_switch import CountedSwitch
from pitmanyor.shards.outline import Outline
from pitmanyor.shards.shard import Moving, join, moving_of
from pitmanyor.shards.sharded import Sharded
from pitmanyor.shards.step import Delta, Orders, Shared
from pitmanyor.state.state import State
from pitmanyor.state.stirling_sizes import fit_tables
from pitmanyor.state.topic_columns import relabel

Array = NDArray[Any]
Ints = NDArray[np.int64]


class Costs(NamedTuple):
    """Bytes of a sweep to shards and from them; seconds of their work, of the way, at the driver, and of moves."""

    bytes_sent: int = 0
    bytes_received: int = 0
    seconds_computing: float = 0.0
    seconds_on_the_way: float = 0.0
    seconds_at_the_driver: float = 0.0
    seconds_moving: float = 0.0


class ShardSweeper(Sweeper):
    """Carries out sweeps of one kind over shards; leaves the bytes that `Sweeper` leaves of the whole corpus."""

    def __init__(
        self,
        state: State,
        sweep: Sweep,
        sharded: Sharded,
        *,
        anchors: float = 0.05,
        passes: int = 1,
        n_threads: int = 1,
        relabels: bool = True,
    ) -> None:
        how = {"anchors": anchors, "passes": passes, "n_threads": n_threads, "relabels": relabels}
        super().__init__(state, sweep, **how)  # type: ignore[arg-type]
        assert isinstance(state.plan, Outline)
        self.outline, self.sharded, self.holder = state.plan, sharded, sharded.holder
        self.counted = CountedSwitch(state, sharded.tokens, n_threads)
        self.resting = state.text  # no document, but the concentrations that documents have of their own
        self.place = np.arange(state.capacity, dtype=np.int32)  # labels of topics since shards were last told
        self.sizes = np.zeros(state.capacity, np.int64)  # tokens of every topic
        self.sums: DocumentSums = ()
        self.costs = Costs()
        self.ahead: tuple[Seed, list[Text]] | None = None  # the anchors of the next sweep, as shards have them

    def step(self, state: State, seed: Seed, sweep: Sweep | None = None) -> None:
        """One update of every token, and of those of explicit documents as many as there are passes."""
        numba.set_num_threads(self.n_threads)
        kind, started, self.costs = sweep or self.sweep, time.perf_counter(), Costs()
        if seed[2] % TABLES_EVERY == 0:
            fit_tables(state)
        if kind == "collapsed" or (kind == "mixed" and self.anchors == 1.0):
            self.update_all(state, lambda text, _: collapsed(state, np.arange(len(text.context)), seed))
            return
        chosen = self._pick(seed) if kind == "mixed" else [np.zeros(0, np.int64)] * len(self.holder)
        anchors, n_held = self._update_anchors(state, chosen, seed)
        if n_held:
            self.counted.down(state, seed, n_held=n_held)
        following = (seed[0], seed[1], seed[2] + 1)
        wanted = self._pick(following) if kind == "mixed" else chosen
        orders, asked = list(self._orders(chosen, anchors, wanted)), time.perf_counter()
        shared = Shared(state, self.counted.leaf_cells, n_held, seed, self.passes, self.relabels, self.n_threads)
        counts, deltas, waited = *self.holder.sweep(shared, orders), time.perf_counter()
        if n_held:
            self.counted.absorb(state, counts, seed)
        self._told(deltas)
        self.ahead = (following, [delta.wanted for delta in deltas])
        self.costs = self._costs(deltas, waited - asked, time.perf_counter() - started)

    def _costs(self, deltas: Sequence[Delta], asking: float, whole: float) -> Costs:
        """The last sweep took so many seconds as a whole, and shards answered after so many of them."""
        computing = sum(delta.seconds for delta in deltas) / self.holder.n_workers
        return Costs(*self.holder.traffic, computing, max(asking - computing, 0.0), whole - asking)

    def update_all(self, state: State, update: Callable[[Text, int], None], is_last: bool = True) -> None:
        """Update every document at the driver, shard after shard; `update` is told the text and its first document.

        Nothing is summed unless all tokens have their topics after it.
        """
        deltas = []
        for number, text in enumerate(self.holder.texts()):
            start, stop = self.sharded.bounds[number : number + 2]
            state.text = self.up_to_date(text, slice(int(start), int(stop)))
            update(state.text, int(start))
            self.holder.put(number, moving_of(state.text))
            if is_last:
                sizes = np.bincount(state.text.topic, minlength=state.capacity)
                deltas.append(Delta(sum_text(state), sizes, self.resting))
        state.text, self.ahead = self.resting, None
        if is_last:
            self._told(deltas)

    def all_documents(self) -> Text:
        """All documents as they are now, in memory."""
        texts = zip(self.holder.texts(), _pairs(self.sharded.bounds), strict=True)
        return join(self.outline, [self.up_to_date(text, slice(*documents)) for text, documents in texts])

    def up_to_date(self, text: Text, documents: slice | Ints) -> Text:
        """Documents as they would be if shards were told of every new label and concentration at once; a copy."""
        return text._replace(
            topic=np.where(text.topic >= 0, self.place[np.maximum(text.topic, 0)], text.topic),
            code=text.code.copy(),
            concentration=self.resting.concentration[:, documents].copy(),
            measures=text.measures.copy(),
        )

    def _told(self, deltas: Sequence[Delta]) -> None:
        """Shards have told all there is: labels are theirs."""
        self.sums = add_sums([delta.sums for delta in deltas])
        most = max(len(delta.sizes) for delta in deltas)
        self.sizes = np.sum([np.pad(delta.sizes, (0, most - len(delta.sizes))) for delta in deltas], axis=0)
        self.place = np.arange(most, dtype=np.int32)

    def _pick(self, seed: Seed) -> list[Ints]:
        """The anchors of every shard; see `pick_anchors`, whose choice this is."""
        rng, bounds, has_tokens = generator(seed, purposes.ANCHORS), self.sharded.bounds, self.sharded.has_tokens
        chosen = [np.flatnonzero(rng.random(stop - start) < self.anchors) for start, stop in _pairs(bounds)]
        some = any(has_tokens[start + found].any() for found, start in zip(chosen, bounds[:-1], strict=True))
        if not some and has_tokens.any():
            d = int(rng.choice(np.flatnonzero(has_tokens)))
            shard = int(np.searchsorted(bounds, d, side="right")) - 1
            chosen[shard] = np.union1d(chosen[shard], d - bounds[shard])
        return chosen

    def _update_anchors(self, state: State, chosen: Sequence[Ints], seed: Seed) -> tuple[Text, int]:
        """Update anchors at the driver, and let the topics that they hold come first; returns how many these are."""
        known = self.ahead is not None and self.ahead[0] == seed
        text = join(self.outline, self.ahead[1] if known and self.ahead else self.holder.anchors(chosen))
        state.text = self.up_to_date(text, text.number.astype(np.int64))
        documents = np.arange(len(text.context))
        collapsed(state, documents, seed)
        n_held = self._relabel(state, held_topics(state, np.ones(len(documents), bool)))
        anchors, state.text = state.text, self.resting
        return anchors, n_held

    def _relabel(self, state: State, first: NDArray[np.bool_]) -> int:
        n_first, place = relabel(state, first)
        self.grow_labels(state.capacity)
        if place is not None:
            inside = self.place < len(place)
            self.place[inside] = place[self.place[inside]]
            moved = self.sizes[: len(place)].copy()
            self.sizes[place] = moved
        return n_first

    def grow_labels(self, capacity: int) -> None:
        """As many labels as columns; those of new topics are their own."""
        n = len(self.place)
        if n < capacity:
            self.place = np.append(self.place, np.arange(n, capacity, dtype=np.int32))
            self.sizes = np.pad(self.sizes, (0, capacity - n))

    def tidy(self, state: State) -> None:
        """Live topics first."""
        self._relabel(state, np.ones(state.capacity, bool))

    def _orders(self, chosen: Sequence[Ints], anchors: Text, wanted: Sequence[Ints]) -> Iterator[Orders]:
        """What every shard is told, in their order."""
        bounds = _pairs(self.sharded.bounds)
        for (start, stop), moved, *documents in zip(bounds, shares_of(anchors, chosen), chosen, wanted, strict=True):
            own = self.resting.concentration[:, start:stop].copy()
            yield Orders(self.place.copy(), documents[0], moved, own, documents[1])


def shares_of(text: Text, chosen: Sequence[Ints]) -> Iterator[Moving]:
    """What each shard is to have of a text, in which the documents chosen of all shards follow each other."""
    n_streams, done = text.leaf.shape[1], 0
    for n in map(len, chosen):
        documents = slice(done, done + n)
        tokens = slice(*(int(text.first[d * n_streams]) for d in (documents.start, documents.stop)))
        yield Moving(text.topic[tokens], text.code[tokens], text.concentration[:, documents], text.measures[documents])
        done = documents.stop


def _pairs(bounds: Ints) -> list[tuple[int, int]]:
    return [(int(a), int(b)) for a, b in zip(bounds[:-1], bounds[1:], strict=True)]
