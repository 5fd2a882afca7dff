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
from pitmanyor.kernels.split_merge.allocate import BLOCK_TOKENS, Launch, Path, Room
from pitmanyor.kernels.split_merge.launch import fit_launch
from pitmanyor.kernels.split_merge.moves import (
    count_words,
    empty_path,
    measure_documents,
    restore,
    seat_path,
    settle,
    unseat,
)
from pitmanyor.kernels.split_merge.paths import index_topics, lay_path
from pitmanyor.kernels.split_merge.visits import Arrays
from pitmanyor.sampling.move_choices import IN_TURN, LAUNCH_FIRST, Choices, Selection
from pitmanyor.sampling.move_choices import NONE as NONE
from pitmanyor.sampling.move_choices import Ints as Ints
from pitmanyor.sampling.move_choices import Kernel as Kernel
from pitmanyor.seeds import Seed, generator
from pitmanyor.state.some_documents import documents_of, n_tokens_of
from pitmanyor.state.state import State
from pitmanyor.state.topic_columns import grow
from pitmanyor.state.topic_sizes import is_large

MOVES = 0.008  # in a sweep, for each large topic
COLLAPSED = 6.0  # times as many beside collapsed sweeps, which take that much longer for a token
GUESSED = 0.3  # the weight of a token in the launch
MOST_TOKENS = 8_000_000  # of the documents that hold a topic of a move, which bounds its time, and its memory in shards
MoveSeed = tuple[int, int, int, int]  # seed, chain, sweep, number of the move


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


class SplitMerge(Choices):
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

    def _guess(self, state: State, kernel: Kernel, path: Path, documents: Ints) -> Launch:
        """A launch, or none: it has no weight then."""
        launch = self.launch._replace(share=np.zeros(len(path.token)))
        launch.weight[0] = GUESSED if kernel.launch else 0.0
        if kernel.launch:
            fit_launch(state.text, path, documents, launch, np.empty((len(documents), 2)))
        return launch


def rate_of(sizes: Ints, collapsed: bool) -> float:
    """How many moves a sweep should make for a quarter of its time or less: the more topics, the smaller each is."""
    return MOVES * (COLLAPSED if collapsed else 1.0) * np.count_nonzero(is_large(sizes))


def attempts(seed: Seed, rate: float) -> list[Kernel]:
    """The kernels of a sweep's moves, either with the same chance; `rate` of them on average."""
    rng = generator(seed, purposes.MOVE_ATTEMPTS)
    return [LAUNCH_FIRST if rng.random() < 0.5 else IN_TURN for _ in range(int(rate + rng.random()))]


def _arrays(state: State) -> Arrays:
    doc = DocumentScratch(*(array[0] for array in state.document_scratch))
    return Arrays(state.net, state.tables, state.terms, doc, state.text, state.topics, state.words)
