"""Planted bugs in splits and merges: each must show in the flows between states, or those tests prove nothing."""

from __future__ import annotations

import inspect
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import pytest

from kernels.documents.exact import replaced
from kernels.documents.test_split_merge import CASES, KERNELS, TURNED, flows_of
from pitmanyor.kernels.split_merge import allocate, franchise, moves, visits
from pitmanyor.sampling import move_choices
from pitmanyor.sampling.split_merge import SplitMerge

pytestmark = pytest.mark.nojit


class Edit(NamedTuple):
    """A function with one piece of its text changed."""

    function: Callable[..., Any]
    right: str
    wrong: str

    def mutant(self) -> Callable[..., Any]:
        source, name = textwrap.dedent(inspect.getsource(self.function)), self.function.__name__
        assert source.count(self.right) == 1, f"{name} does not have {self.right!r} once"
        made = dict(vars(sys.modules[self.function.__module__]))
        exec(source.replace(self.right, self.wrong), made)
        return made[name]


@contextmanager
def planted(*edits: Edit) -> Iterator[None]:
    if not edits:
        yield
        return
    function, mutant = edits[0].function, edits[0].mutant()
    is_method = getattr(SplitMerge, function.__name__, None) is function
    where = patch.object(SplitMerge, function.__name__, mutant) if is_method else replaced(function, mutant)
    with where, planted(*edits[1:]):
        yield


@contextmanager
def partners_of_before() -> Iterator[None]:
    """sigma of the way back by the words of the state before the split, where the new topic has none."""
    propose, partners = SplitMerge.propose, SplitMerge.partners

    def stale(self: SplitMerge, state: Any, kernel: Any, selection: Any, seed: Any) -> Any:
        if not selection.is_split:
            return propose(self, state, kernel, selection, seed)
        topics = np.sort(np.append(np.flatnonzero(self.sizes()), selection.after[1]))
        before = partners(self, state, topics, selection.after[0])
        with patch.object(SplitMerge, "partners", lambda *arguments: before):
            return propose(self, state, kernel, selection, seed)

    with patch.object(SplitMerge, "propose", stale):
        yield


def of(*edits: tuple[Callable[..., Any], str, str]) -> Callable[[], Any]:
    return lambda: planted(*(Edit(*edit) for edit in edits))


TWIST = ("(one + two) / twist(room, i - lo, m, which)", "one + two")
MUTANTS: dict[str, tuple[Callable[[], Any], str]] = {
    "birth weight at the gem left out": (
        of((franchise.predict, "if c > 0 else b + a * n_tables", "if c > 0 else 1.0")),
        "single_parent",
    ),
    "twist not divided out": (of((allocate.seat_document, *TWIST), (allocate.empty_document, *TWIST)), "single_parent"),
    "twist not divided out of the way back": (of((allocate.empty_document, *TWIST)), "single_parent"),
    "opening factors not divided out": (
        of(
            (allocate.seat_token, "-math.log(one * two)", "0.0"),
            (allocate.log_walk, "-math.log(one * two)", "0.0"),
        ),
        "single_parent",
    ),
    "documents not emptied in reverse order": (
        of((moves.empty_path, "range(len(documents) - 1, -1, -1)", "range(len(documents))")),
        "single_parent",
    ),
    "tokens not emptied in reverse order": (
        of((allocate.empty_document, "range(hi - 1, lo - 1, -1)", "range(lo, hi)")),
        "single_parent",
    ),
    "partners not evaluated after a split": (partners_of_before, "single_parent"),
    "anchors of a split left out": (
        of((move_choices._log_split, "n_topics * n * (n - 1) * n_doors", "n_topics * n_doors")),
        "single_parent",
    ),
    "anchors of a merge left out": (
        of((SplitMerge._log_merge, "len(topics) * n[0] * n[1]", "len(topics)")),
        "single_parent",
    ),
    "empty finite topics not counted": (
        of((move_choices._log_split, "state.plan.n_topics - n_topics", "1")),
        "three_finite_topics",
    ),
    "topics after a merge not counted": (
        of((SplitMerge._log_choice_back, "int((sizes > 0).sum()) - 1", "int((sizes > 0).sum())")),
        "single_parent",
    ),
    "directions tried as often": (
        of((move_choices._log_split, "kernel.splits / ", "0.5 / ")),
        "single_parent",
    ),
    "tables leave half as often as they should": (
        of((franchise.stand_up, "uniform(key, n) < p", "uniform(key, n) < 0.5 * p")),
        "single_parent",
    ),
    "parents of tables drawn evenly": (
        of((franchise._choose_table, "uniform(key, n) * t, 0", "uniform(key, n) * 0.5 * t, 0")),
        "fixed_mix",
    ),
    "mixing urn ignored": (
        of((franchise.parent_weight, "prior + tables_sent", "prior + 0 * tables_sent")),
        "two_parents",
    ),
    "launch that counts a document among those to come": (
        of((allocate.seat_document, "expect(world, path, launch, visit, d, -1.0)", "pass")),
        "single_parent",
    ),
    "walks of other topics not written back": (
        of((visits.recode, "net.nodes[node, WIDE] == 0", "False")),
        "document_words",
    ),
    "tables of the rest of a document not written back": (
        of((allocate.empty_document, "    if some_left:\n", "    if False:\n")),
        "single_parent",
    ),
}


def shows(case: str) -> bool:
    """Do the flows there and back differ, by any kernel?"""
    kernels = [*reversed(KERNELS.values()), *TURNED.values()]
    flows = (flow for kernel in kernels for flow in flows_of(CASES[case], kernel))
    return any(abs(there - back) > 1e-6 * max(there, back) for there, back in flows)


@pytest.mark.parametrize("mutant", MUTANTS)
def test_planted_bug_is_caught(mutant: str) -> None:
    plant, case = MUTANTS[mutant]
    with plant():
        assert shows(case)


def test_planted_bugs_leave_with_their_test() -> None:
    for plant, _ in MUTANTS.values():
        with plant():
            pass
    assert not shows("single_parent")
