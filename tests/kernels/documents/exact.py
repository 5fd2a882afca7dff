"""Exact transition probabilities of the real kernels: symbolic uniforms.

With the JIT off the kernels are plain Python. Here `uniform` gives a `Symbol`, an interval instead of a number. A
comparison that the interval does not decide splits it, and the update is run again for every outcome. The lengths of
the intervals are the probabilities of what came out: no random number, no tolerance but rounding.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import Any, TypeVar
from unittest.mock import patch

import numpy as np
from numba import config
from numpy.typing import NDArray
from scipy.sparse import csr_array

from oracle.bridge import lay, state_of
from oracle.enumerate_states import enumerate_states, posterior
from oracle.states import State as OracleState
from oracle.toys import Toy
from pitmanyor.kernels.documents.general.collapsed import put_token, take_token, visit_document
from pitmanyor.kernels.documents.general.document import (
    load_document,
    load_run,
    save_document,
    save_run,
    set_word_cells,
    word_leaf,
    word_part,
)
from pitmanyor.kernels.documents.sweep_arrays import SweepArrays, in_thread
from pitmanyor.kernels.numbers.draws import bernoulli_sum_concentration, bernoulli_sum_tables, log_one_minus_beta
from pitmanyor.kernels.numbers.stirling import build_tables
from pitmanyor.kernels.restaurant.arrays import FIRST, LEAF, SHARED, WORD_LIST
from pitmanyor.kernels.runtime.random import uniform, uniform_in, uniform_pair
from pitmanyor.plan import compile_plan
from pitmanyor.state import Rule, State, new_state
from pitmanyor.state.engines import counted_arrays_of

Outcomes = dict[OracleState, float]
Result = TypeVar("Result")
NO_CHANCE = 1e-13  # a branch less likely than this is rounding: the interval does not really reach there
REMOVED = -1


class Choices:
    """The outcomes of one run's undecided comparisons: some prescribed, the rest taken as they come."""

    def __init__(self, prescribed: tuple[bool, ...]) -> None:
        self.made = list(prescribed)
        self.next = 0
        self.probability = 1.0
        self.other: list[tuple[bool, ...]] = []  # runs that turn another way after what was prescribed

    def choose(self, chance: float) -> bool:
        """Is an event of this chance to happen in this run?"""
        if chance < NO_CHANCE or chance > 1.0 - NO_CHANCE:
            return chance > 0.5
        if self.next == len(self.made):
            self.other.append((*self.made, False))
            self.made.append(True)
        happens = self.made[self.next]
        self.next += 1
        self.probability *= chance if happens else 1.0 - chance
        return happens


class Uniform:
    """A uniform variable, known to be in [low, high)."""

    def __init__(self, choices: Choices) -> None:
        self.low, self.high, self.choices = 0.0, 1.0, choices

    def below(self, x: float) -> bool:
        """Is the variable below x? Cuts the interval."""
        chance = min(max((x - self.low) / (self.high - self.low), 0.0), 1.0)
        yes = self.choices.choose(chance)
        if 0.0 < chance < 1.0:
            self.low, self.high = (self.low, x) if yes else (x, self.high)
        return yes


class Symbol:
    """factor * u + shift for a uniform u: all that the kernels do with a uniform before they compare it."""

    __array_ufunc__ = None  # numpy scalars on the left leave the operation to this class

    def __init__(self, u: Uniform, factor: float = 1.0, shift: float = 0.0) -> None:
        self.u, self.factor, self.shift = u, factor, shift

    def __mul__(self, x: float) -> Symbol:
        return Symbol(self.u, self.factor * float(x), self.shift * float(x))

    def __add__(self, x: float) -> Symbol:
        return Symbol(self.u, self.factor, self.shift + float(x))

    def __truediv__(self, x: float) -> Symbol:
        return self * (1.0 / float(x))

    def __sub__(self, x: float) -> Symbol:
        return self + -float(x)

    __rmul__, __radd__ = __mul__, __add__

    def __lt__(self, x: float) -> bool:
        assert self.factor > 0.0, f"comparison of a uniform times {self.factor}"
        return self.u.below((float(x) - self.shift) / self.factor)

    def __ge__(self, x: float) -> bool:
        return not self < x

    __le__, __gt__ = __lt__, __ge__  # equality has no probability

    def __int__(self) -> int:
        """The whole number below."""
        whole = int(self.shift)
        while self >= whole + 1:
            whole += 1
        return whole


@cache
def _homes(function: Callable[..., Any]) -> list[Any]:
    """Every module of ours that has the function (and this one)."""
    ours = [module for path, module in sys.modules.items() if path.startswith("pitmanyor.")]
    found = [m for m in (*ours, sys.modules[__name__]) if getattr(m, function.__name__, None) is function]
    assert found, f"no module has {function.__name__}"
    return found


@contextmanager
def replaced(original: Callable[..., Any], other: Callable[..., Any]) -> Iterator[None]:
    """Another function in place of one of the kernels', wherever that is called."""
    name, homes = original.__name__, _homes(original)
    before = [getattr(module, name) for module in homes]
    for module in homes:
        setattr(module, name, other)
    try:
        yield
    finally:
        for module, function in zip(homes, before, strict=True):
            setattr(module, name, function)


@contextmanager
def symbolic(choices: Callable[[], Choices]) -> Iterator[None]:
    """Kernels draw symbols, which ask the choices of the run at hand."""
    with ExitStack() as stack:
        stack.enter_context(replaced(uniform, lambda key, n: Symbol(Uniform(choices()))))
        stack.enter_context(replaced(uniform_in, lambda real, key, n: Symbol(Uniform(choices()))))
        pair = lambda real, key, n: (Symbol(Uniform(choices())), Symbol(Uniform(choices())))  # noqa: E731
        stack.enter_context(replaced(uniform_pair, pair))
        for measure in (log_one_minus_beta, bernoulli_sum_concentration, bernoulli_sum_tables):
            # draws for concentrations, which leave the state alone
            stack.enter_context(replaced(measure, lambda *arguments: (0.0, arguments[-1])))
        yield


def outcomes(update: Callable[[], Result]) -> dict[Result, float]:
    """Every result of an update, which starts from the same place each time it is called, with its probability."""
    found: dict[Result, float] = {}
    waiting: list[tuple[bool, ...]] = [()]
    choices = Choices(())
    with symbolic(lambda: choices):
        while waiting:
            choices = Choices(waiting.pop())
            result = update()
            found[result] = found.get(result, 0.0) + choices.probability
            waiting.extend(choices.other)
    return found


@cache
def _small_tables(discounts: tuple[float, ...]) -> Any:
    return build_tables(discounts, 66, 66)


def interpreted_state(toy: Toy, rule: Rule, max_topics: int | None = None) -> State:
    """An empty state for a toy. Its Stirling tables are small: filling large ones takes seconds without the JIT."""
    assert config.DISABLE_JIT, "symbolic uniforms need the kernels in plain Python: run with NUMBA_DISABLE_JIT=1"
    plan = compile_plan(*toy)
    if plan.n_topics is None and max_topics is None:
        max_topics = plan.n_tokens + 1  # never reached, and keeps the arrays small
    with patch("pitmanyor.state.stirling_sizes.build_tables", lambda discounts, *_: _small_tables(tuple(discounts))):
        return new_state(plan, rule=rule, precision=np.float64, max_topics=max_topics)


class Chain:
    """Transition matrices over all states of a toy; with a topic cap, over the states it allows."""

    def __init__(self, toy: Toy, rule: Rule, max_topics: int | None = None) -> None:
        self.state = interpreted_state(toy, rule, max_topics)
        cap = max_topics or sys.maxsize
        self.states = [state for state in enumerate_states(*toy) if len(set(state.topics)) <= cap]
        self.index = {target: i for i, target in enumerate(self.states)}
        self.pi = posterior(self.states)

    @property
    def _arrays(self) -> list[NDArray[Any]]:
        net, text = self.state.net, self.state.text
        counts = [net.counts, net.to, net.totals, net.n_to, net.status]
        return [*counts, net.stay, net.open, net.rests, net.weight, text.topic, text.code]

    def _from(self, start: OracleState, unseen: int | None, update: Callable[[], None]) -> Outcomes:
        """What an update makes of a state."""
        lay(self.state, start, unseen)
        saved = [array.copy() for array in self._arrays]

        def once() -> OracleState:
            for array, values in zip(self._arrays, saved, strict=True):
                array[:] = values
            update()
            return state_of(self.state)

        return outcomes(once)

    def _in_document(self, token: int, act: Callable[..., Any]) -> None:
        """Load a token's document and word, call a kernel on the token, and put all away."""
        s = self.state
        text, topics, words, arrays = s.text, s.topics, s.words, self._arrays_of_thread()
        (franchise, doc), order = (arrays.franchise, arrays.scratch), s.plan.order
        d, stream, word = int(order.document[token]), int(order.stream[token]), int(order.word[token])
        context = text.context[d]
        load_document(franchise, doc, text, topics, words, d)
        s.visit.marks[0] = 0
        which = text.leaf[context, stream, WORD_LIST]
        part = (topics.lists[context, FIRST], topics.lists[context, SHARED], True)
        place = (part, text.leaf[context, stream, LEAF], word_part(words, which, True), word_leaf(words, which))
        if text.partner[stream, stream]:
            load_run(franchise, doc, text, words, d, stream, word)
        set_word_cells(words, text, which, token)
        act(arrays, place, token, np.uint64(0), 0)
        if text.partner[stream, stream]:
            save_run(franchise, doc, text, words, d, stream, word)
        save_document(franchise, doc, text, topics, d, np.uint64(0), 0)

    def _arrays_of_thread(self) -> SweepArrays:
        return in_thread(counted_arrays_of(self.state, self.state.document_scratch), 0)

    def _take(self, arrays: SweepArrays, place: Any, token: int, *stream: Any) -> None:
        free, _ = take_token(arrays, place, token, *stream)
        if free:
            arrays.text.topic[token] = REMOVED

    def token_update(self, token: int) -> csr_array:
        """P of taking one token (the plan's number) out and putting it back.

        Many states leave the same counts behind when the token goes: from each it is put back but once.
        """
        put: dict[OracleState, Outcomes] = {}
        rows = []
        for start in self.states:
            row: Outcomes = {}
            for left, chance in self._from(start, None, lambda: self._in_document(token, self._take)).items():
                if left == start:  # rule `paper` kept it
                    row[start] = row.get(start, 0.0) + chance
                    continue
                if left not in put:
                    put[left] = self._from(left, token, lambda: self._in_document(token, put_token))
                for end, share in put[left].items():
                    row[end] = row.get(end, 0.0) + chance * share
            rows.append(row)
        return self._matrix(rows)

    def visit(self, d: int, starts: Sequence[int]) -> csr_array:
        """Rows of P of the whole visit of a document, from the states with these numbers."""
        arrays = self._arrays_of_thread()

        def update() -> None:
            visit_document(arrays, d, np.uint64(0))

        return self._matrix([self._from(self.states[i], None, update) for i in starts])

    def _matrix(self, rows: list[Outcomes]) -> csr_array:
        entries = [(i, self.index[end], chance) for i, row in enumerate(rows) for end, chance in row.items()]
        at, to, chances = zip(*entries, strict=True)
        return csr_array((chances, (at, to)), shape=(len(rows), len(self.states)))

    def error(self, matrix: csr_array) -> float:
        """max |pi P - pi|."""
        return float(np.abs(self.pi @ matrix - self.pi).max())

    def tokens(self, d: int | None = None, all_of_a_run: bool = True) -> list[int]:
        """Tokens of a document (or of all), in the order of a visit; or the last of every run of equal words."""
        order = self.state.plan.order
        kinds = [*zip(order.document, order.stream, order.word, strict=True), None]
        chosen = [i for i in range(len(order.word)) if d is None or order.document[i] == d]
        return [i for i in chosen if all_of_a_run or kinds[i] != kinds[i + 1]]
