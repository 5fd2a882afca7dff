"""Which topics a move splits or merges, by which tokens, and with what probability (maths 4)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.kernels.restaurant.arrays import CUSTOMERS, DOOR
from pitmanyor.kernels.split_merge.moves import (
    overlaps,
)
from pitmanyor.state.state import State

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
USUAL = 0.9  # how often a kernel tries the direction that it is good at
POWER, FLOOR = 4, 1e-6  # of the overlap by which the second topic of a merge is chosen
NONE = -1


class Kernel(NamedTuple):
    """One of the two kernels: whether it makes a launch, and how often it tries to split rather than to merge."""

    launch: bool
    splits: float


IN_TURN, LAUNCH_FIRST = Kernel(False, 1.0 - USUAL), Kernel(True, USUAL)


class Selection(NamedTuple):
    """What a move is about: its topics before and after (NONE where there is no second) and the two anchor tokens."""

    before: tuple[int, int]
    after: tuple[int, int]
    anchors: tuple[int, int]

    @property
    def is_split(self) -> bool:
        return self.before[1] == NONE


class Choice(NamedTuple):
    """A selection whose anchor tokens are not looked up yet: which of the tokens of their topics they are."""

    before: tuple[int, int]
    after: tuple[int, int]
    ranks: tuple[int, int]


class Choices:
    """Chooses moves on a state whose tokens are listed by topic."""

    order: NDArray[np.int32]  # tokens by topic
    first: Ints  # where the tokens of each topic begin

    def sizes(self) -> Ints:
        """Tokens of every topic."""
        return np.diff(self.first)

    def tokens_of(self, k: int) -> NDArray[np.int32]:
        return self.order[self.first[k] : self.first[k + 1]]

    def _choose_split(self, state: State, rng: np.random.Generator) -> Choice | None:
        """A topic, an empty one, and two of its tokens, all uniformly."""
        sizes = self.sizes()
        topics = np.flatnonzero(sizes)
        k, empty = int(topics[_pick(rng, len(topics))]), self.empty(state)
        if sizes[k] < 2 or not len(empty):
            return None
        door, n = int(empty[_pick(rng, len(empty))]), int(sizes[k])
        i, j = _pick(rng, n), _pick(rng, n - 1)
        return Choice((k, NONE), (k, door), (i, j + (j >= i)))

    def empty(self, state: State) -> Ints:
        """Empty topics that a split may open: the door below a gem, any below a finite root."""
        if state.plan.n_topics is not None:
            return np.flatnonzero(self.sizes()[: state.plan.n_topics] == 0)
        door = state.net.status[DOOR : DOOR + 1]
        return door[door >= 0]

    def _choose_merge(self, state: State, rng: np.random.Generator) -> Choice | None:
        """A topic uniformly, another by the words they share, and a token of each."""
        sizes = self.sizes()
        topics = np.flatnonzero(sizes)
        if len(topics) < 2:
            return None
        one = int(topics[_pick(rng, len(topics))])
        other = int(topics[_pick_from(rng, self.partners(state, topics, one))])
        i, j = _pick(rng, int(sizes[one])), _pick(rng, int(sizes[other]))
        return Choice((one, other), (one, NONE), (i, j))

    def partners(self, state: State, topics: Ints, one: int) -> Floats:
        """The probability of each topic to be merged with one, by the words they share."""
        weight = self.shared_words(state, one)[topics] ** POWER + FLOOR
        weight[topics == one] = 0.0
        return np.asarray(weight / weight.sum())

    def shared_words(self, state: State, one: int) -> Floats:
        """How much of its words every topic shares with one: 1 minus the total variation."""
        cells, sizes = word_cells(state)
        out = np.zeros(state.capacity)
        overlaps(state.net, cells, np.maximum(sizes, 1), one, out)
        return out

    def _log_choice(self, state: State, kernel: Kernel, selection: Selection) -> float:
        """log Q of the selection, in the state before the move."""
        sizes = self.sizes()
        if selection.is_split:
            return _log_split(state, kernel, int((sizes > 0).sum()), int(sizes[selection.before[0]]))
        n = [int(sizes[k]) for k in selection.before]
        return self._log_merge(state, kernel, np.flatnonzero(sizes), selection.before, n)

    def _log_choice_back(self, state: State, kernel: Kernel, selection: Selection, n: int) -> float:
        """log Q of the selection that undoes the move, in the state after it."""
        sizes = self.sizes()
        if not selection.is_split:
            return _log_split(state, kernel, int((sizes > 0).sum()) - 1, n)
        second = int(np.count_nonzero(state.text.topic[self.tokens_of(selection.before[0])] == selection.after[1]))
        topics = np.sort(np.append(np.flatnonzero(sizes), selection.after[1]))
        return self._log_merge(state, kernel, topics, selection.after, [n - second, second])

    def _log_merge(self, state: State, kernel: Kernel, topics: Ints, pair: tuple[int, int], n: list[int]) -> float:
        partner = self.partners(state, topics, pair[0])[np.searchsorted(topics, pair[1])]
        return math.log((1.0 - kernel.splits) * partner / (len(topics) * n[0] * n[1]))


def _log_split(state: State, kernel: Kernel, n_topics: int, n: int) -> float:
    n_doors = 1 if state.plan.n_topics is None else state.plan.n_topics - n_topics
    return math.log(kernel.splits / (n_topics * n * (n - 1) * n_doors))


def _pick(rng: np.random.Generator, n: int) -> int:
    return min(int(rng.random() * n), n - 1)


def _pick_from(rng: np.random.Generator, p: Floats) -> int:
    x, cumulative, last = rng.random(), np.cumsum(p), int(np.flatnonzero(p)[-1])
    return next((i for i in range(last) if x < cumulative[i]), last)


def word_cells(state: State) -> tuple[Ints, Ints]:
    """The cells of words by which topics are compared, and each topic's customers there.

    Those of the lowest shared node per topic of each stream that has one for every word.
    """
    cells, sizes = [np.zeros(0, np.int64)], np.zeros(state.capacity, np.int64)
    for i in compared_nodes(state):
        block, at = state.layout.blocks[i], state.plan.cells.of(i)
        cells.append(np.arange(at.start, at.stop))
        sizes += state.net.totals[block.rests, CUSTOMERS].reshape(block.n_instances, block.own).sum(axis=0)
    return np.concatenate(cells), sizes


def compared_nodes(state: State) -> list[int]:
    plan, found = state.plan, dict[int, None]()
    for stream in plan.graph.streams:
        names = [stream.emit]
        while names:
            node = plan.graph[names.pop()]
            if node.per_topic and not node.local and len(plan.instances[node.name]) == 1:
                found[plan.index[node.name]] = None
                break
            names.extend(node.parents)
    return list(found)
