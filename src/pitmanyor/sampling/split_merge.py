"""Moves that split a topic in two or merge two into one (maths 4, splitting and merging topics).

A move takes all tokens of its topics out along a path, drawing how each leaves, and seats them again. With a(x) the
weight of a seat and q(x) the probability with which it was proposed, the Metropolis-Hastings ratio (4.4) is

    log alpha = sum log a'/q' - sum log a/q + log Q(selection | after) - log Q(selection | before)

for any graph, because the product of (2.1) along a path telescopes. Two kernels of this kind: `documents in turn`
allocates each document given those before it, and is good at merging; `launch first` leans on a guess that has seen
more, and is good at splitting.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor import purposes
from pitmanyor.kernels.documents.general.scratch import DocumentScratch
from pitmanyor.kernels.restaurant.arrays import CUSTOMERS, DOOR
from pitmanyor.kernels.split_merge.allocate import BLOCK_TOKENS, Launch, Path, Room
from pitmanyor.kernels.split_merge.launch import fit_launch
from pitmanyor.kernels.split_merge.moves import (
    count_words,
    empty_path,
    measure_documents,
    overlaps,
    restore,
    seat_path,
    settle,
    unseat,
)
from pitmanyor.kernels.split_merge.paths import index_topics, lay_path
from pitmanyor.kernels.split_merge.visits import Arrays
from pitmanyor.seeds import Seed, generator
from pitmanyor.state.some_documents import documents_of, n_tokens_of
from pitmanyor.state.state import State
from pitmanyor.state.topic_columns import grow
from pitmanyor.state.topic_sizes import is_large

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
MOVES = 0.008  # in a sweep, for each large topic
COLLAPSED = 6.0  # times as many beside collapsed sweeps, which take that much longer for a token
USUAL = 0.9  # how often a kernel tries the direction that it is good at
GUESSED = 0.3  # the weight of a token in the launch
POWER, FLOOR = 4, 1e-6  # of the overlap by which the second topic of a merge is chosen
MOST_TOKENS = 8_000_000  # of the documents that hold a topic of a move, which bounds its time, and its memory in shards
NONE = -1
MoveSeed = tuple[int, int, int, int]  # seed, chain, sweep, number of the move


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


class Given(NamedTuple):
    """What the kernels of a move take, in their order."""

    world: Arrays
    room: Room
    path: Path
    launch: Launch
    documents: Ints


class Proposal(NamedTuple):
    """A move that has been carried out: its log acceptance ratio, and what is needed to take it back."""

    selection: Selection
    log_alpha: float
    path: Path
    documents: Ints
    code: NDArray[np.uint32] | None


@dataclass
class Tally:
    """Moves that were tried, and those that were accepted."""

    tried_splits: int = 0
    tried_merges: int = 0
    splits: int = 0
    merges: int = 0


class SplitMerge:
    """Tries moves on the counts of a state."""

    most = MOST_TOKENS

    def __init__(self, state: State) -> None:
        plan, n_streams = state.plan, len(state.plan.graph.streams)
        longest = max(plan.topic_walks.longest, plan.word_walks.longest) + 1
        self.room = Room(
            values=np.zeros((4, longest)),
            weights=np.zeros((BLOCK_TOKENS, 2)),
            worth=np.zeros((BLOCK_TOKENS, 2)),
            lean=np.zeros((BLOCK_TOKENS, 2)),
            opens=np.ones((4, longest)),
            done=np.ones((4, longest)),
            ahead=np.zeros((BLOCK_TOKENS + 1, BLOCK_TOKENS + 2)),
            leaves=np.zeros((n_streams, 4)),
            found=np.zeros(2, np.int64),
        )
        sizes = [len(plan.words[stream.emit]) for stream in plan.graph.streams]
        offset = np.concatenate([[0], np.cumsum(sizes)])
        self.launch = Launch(
            share=np.zeros(0),
            counts=np.zeros((offset[-1], 2)),
            frequency=np.zeros(offset[-1]),
            seen=np.zeros(offset[-1]),
            spread=np.zeros(2),
            totals=np.zeros((n_streams, 2)),
            offset=offset[:-1],
            weight=np.zeros(1),
        )
        self.mixed = any(node.local and node.side == "word" and not node.per_topic for node in plan.nodes)
        self.order, self.first = np.zeros(0, np.int32), np.zeros(1, np.int64)

    def step(self, state: State, seed: Seed, kernels: Sequence[Kernel]) -> Tally:
        """Try one move by each of the kernels, one after the other."""
        tally, rng = Tally(), generator(seed, purposes.MOVE_SELECTION)
        self.index(state)
        for number, kernel in enumerate(kernels):
            self._try(state, kernel, (*seed, number), rng, tally)
        return tally

    def index(self, state: State) -> None:
        """List the tokens of every topic: before the first move after anything else has changed the state."""
        self.make_room(state)
        self._list_tokens(state)

    def _list_tokens(self, state: State) -> None:
        self.first = np.zeros(state.capacity + 1, np.int64)
        if len(self.order) != len(state.text.topic):
            self.order = np.zeros(len(state.text.topic), np.int32)
        index_topics(state.text.topic, self.first, self.order)

    def sizes(self) -> Ints:
        """Tokens of every topic."""
        return np.diff(self.first)

    def hold(self, state: State, topics: Sequence[int]) -> bool:
        """Have all documents with a token of these topics at hand; False if they have too many tokens.

        A move and the one that undoes it ask for the same documents, so that the bound changes no law.
        """
        if state.plan.n_tokens <= self.most:
            return True
        documents = documents_of(state.text, np.sort(np.concatenate([self.tokens_of(k) for k in topics])))
        return n_tokens_of(state.text, documents) <= self.most

    def let_go(self, state: State, accepted: Proposal | None) -> None:
        """Documents that were held are no longer needed; those of an accepted move have changed."""

    def make_room(self, state: State) -> None:
        if state.plan.n_topics is None and state.n_topics + 2 > state.capacity:
            grow(state, state.n_topics + 2)

    def _try(self, state: State, kernel: Kernel, seed: MoveSeed, rng: np.random.Generator, tally: Tally) -> None:
        """One step of Metropolis and Hastings."""
        splits = rng.random() < kernel.splits
        tally.tried_splits += splits
        tally.tried_merges += not splits
        selection = self.select(state, rng, splits)
        if selection is None:
            return
        proposal = self.propose(state, kernel, selection, seed)
        accepted = rng.random() < math.exp(min(proposal.log_alpha, 0.0))
        if accepted:
            self.accept(state, proposal, seed)
            tally.splits += splits
            tally.merges += not splits
        else:
            self.refuse(state, proposal)
        self.let_go(state, proposal if accepted else None)

    def select(self, state: State, rng: np.random.Generator, splits: bool) -> Selection | None:
        """What to split or to merge, if anything can be; its documents are held."""
        choice = self._choose_split(state, rng) if splits else self._choose_merge(state, rng)
        if choice is None or not self.hold(state, [k for k in choice.before if k != NONE]):
            return None
        one, other = choice.before
        i, j = self.tokens_of(one)[choice.ranks[0]], self.tokens_of(one if other == NONE else other)[choice.ranks[1]]
        return Selection(choice.before, choice.after, (int(i), int(j)))

    def accept(self, state: State, proposal: Proposal, seed: MoveSeed) -> None:
        """Keep what has been carried out: all that follows from the counts follows them."""
        world, selection = _arrays(state), proposal.selection
        settle(world, selection.after if selection.is_split else selection.before)
        measure_documents(world, np.unique(proposal.documents), seed)
        self.index(state)

    def refuse(self, state: State, proposal: Proposal) -> None:
        """Leave the state as it was before."""
        world = _arrays(state)
        unseat(world, proposal.path, proposal.documents)
        restore(world, proposal.path, proposal.documents)
        if proposal.code is not None:
            state.text.code[:] = proposal.code

    def propose(self, state: State, kernel: Kernel, selection: Selection, seed: MoveSeed) -> Proposal:
        """Carry a move out. Either `accept` or `refuse` must follow."""
        log_alpha = -self._log_choice(state, kernel, selection)
        given, code = self._prepare(state, kernel, selection, seed)
        log_alpha -= empty_path(*given, selection.before, (self.mixed, True), seed)
        log_alpha += seat_path(*given, selection.after, seed)
        log_alpha += self._log_choice_back(state, kernel, selection, len(given.path.token))
        return Proposal(selection, log_alpha, given.path, given.documents, code)

    def split(self, state: State, selection: Selection, seed: MoveSeed) -> None:
        """Split a topic, for better or worse."""
        given, code = self._prepare(state, LAUNCH_FIRST, selection, seed)
        empty_path(*given, selection.before, (self.mixed, False), seed)
        seat_path(*given, selection.after, seed)
        self.accept(state, Proposal(selection, math.inf, given.path, given.documents, code), seed)

    def absorb(self, state: State, one: int, other: int, seed: MoveSeed) -> None:
        """Give all tokens of a topic to another, whose own stay where they are, for better or worse."""
        tokens = self.tokens_of(one)
        given, _ = self._prepare(
            state, IN_TURN, Selection((one, NONE), (other, NONE), (int(tokens[0]), int(tokens[-1]))), seed
        )
        empty_path(*given, (one, NONE), (self.mixed, False), seed)
        seat_path(*given, (other, NONE), seed)
        settle(given.world, (one, other))
        measure_documents(given.world, np.unique(given.documents), seed)
        self.index(state)

    def merge_or_split_again(self, state: State, selection: Selection, seed: MoveSeed) -> Proposal:
        """Carry a merge out; its log alpha is minus that of splitting the same tokens again, from a launch.

        Two topics that sweeps have told apart are hard to propose, so a merge looks worse than it is. A split that
        must be found anew does not know what sweeps have made of chance. Either `accept` or `refuse` must follow.
        """
        given, code = self._prepare(state, LAUNCH_FIRST, selection, seed)
        changing = (given.path.n_in, *given.launch)
        empty_path(*given, selection.before, (self.mixed, False), seed)
        kept = [array.copy() for array in changing]
        split = seat_path(*given, selection.before, seed)
        unseat(given.world, given.path, given.documents)
        for array, values in zip(changing, kept, strict=True):
            array[:] = values
        merged = seat_path(*given, selection.after, seed)
        return Proposal(selection, merged - split, given.path, given.documents, code)

    def _prepare(
        self, state: State, kernel: Kernel, selection: Selection, seed: MoveSeed
    ) -> tuple[Given, NDArray[np.uint32] | None]:
        """What a move needs before tokens leave; and the codes of all tokens, where a move changes those of others."""
        world, path, documents = self._path(state, selection, seed)
        count_words(state.text, path, documents, self.launch)
        path.n_in[:] = [np.count_nonzero(path.topic == k) for k in selection.before]
        launch = self._guess(state, kernel, path, documents)
        return Given(world, self.room, path, launch, documents), state.text.code.copy() if self.mixed else None

    def _path(self, state: State, selection: Selection, seed: MoveSeed) -> tuple[Arrays, Path, Ints]:
        tokens = np.sort(np.concatenate([self.tokens_of(k) for k in selection.before if k != NONE]))
        n, world = len(tokens), _arrays(state)
        wide = world.topics.scratch.shape[1] + world.words.scratch.shape[1]
        path = Path(
            np.empty(n, np.int64),
            np.empty(n + 3, np.int64),
            np.empty(n, np.int32),
            np.empty(n, np.uint32),
            np.empty((n, wide), np.int8),
            np.empty((n, wide), np.int8),
            np.zeros(2, np.int64),
        )
        documents, starts = np.empty(n + 2, np.int64), np.empty(n, np.int64)
        n_visits = lay_path(state.text, tokens, np.array(selection.anchors), starts, path, documents, seed)
        return world, path._replace(bounds=path.bounds[: n_visits + 1]), documents[:n_visits]

    def tokens_of(self, k: int) -> NDArray[np.int32]:
        return self.order[self.first[k] : self.first[k + 1]]

    def _guess(self, state: State, kernel: Kernel, path: Path, documents: Ints) -> Launch:
        """A launch, or none: it has no weight then."""
        launch = self.launch._replace(share=np.zeros(len(path.token)))
        launch.weight[0] = GUESSED if kernel.launch else 0.0
        if kernel.launch:
            fit_launch(state.text, path, documents, launch, np.empty((len(documents), 2)))
        return launch

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


def rate_of(sizes: Ints, collapsed: bool) -> float:
    """How many moves a sweep should make for a quarter of its time or less: the more topics, the smaller each is."""
    return MOVES * (COLLAPSED if collapsed else 1.0) * np.count_nonzero(is_large(sizes))


def attempts(seed: Seed, rate: float) -> list[Kernel]:
    """The kernels of a sweep's moves, either with the same chance; `rate` of them on average."""
    rng = generator(seed, purposes.MOVE_ATTEMPTS)
    return [LAUNCH_FIRST if rng.random() < 0.5 else IN_TURN for _ in range(int(rate + rng.random()))]


def _log_split(state: State, kernel: Kernel, n_topics: int, n: int) -> float:
    n_doors = 1 if state.plan.n_topics is None else state.plan.n_topics - n_topics
    return math.log(kernel.splits / (n_topics * n * (n - 1) * n_doors))


def _pick(rng: np.random.Generator, n: int) -> int:
    return min(int(rng.random() * n), n - 1)


def _pick_from(rng: np.random.Generator, p: Floats) -> int:
    x, cumulative, last = rng.random(), np.cumsum(p), int(np.flatnonzero(p)[-1])
    return next((i for i in range(last) if x < cumulative[i]), last)


def _arrays(state: State) -> Arrays:
    doc = DocumentScratch(*(array[0] for array in state.document_scratch))
    return Arrays(state.net, state.tables, state.terms, doc, state.text, state.topics, state.words)


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
