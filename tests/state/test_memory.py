"""What a state takes, and the refusal before it is too much."""

import re

import numpy as np
import pytest

from oracle.bridge import state_of
from oracle.invariants import check
from pitmanyor import fit
from pitmanyor.corpus import Corpus
from pitmanyor.errors import PlanError
from pitmanyor.models import author_topic, hpyp, lda, tntm
from pitmanyor.plan import compile_plan
from pitmanyor.runs.kept import pack_kept
from pitmanyor.sampling.sweeps import initialise
from pitmanyor.state import State, new_state
from pitmanyor.state.layout import build_layout
from pitmanyor.state.memory import (
    KERNELS,
    PER_COUNT,
    PER_RESTAURANT,
    bytes_of_fit,
    expected_columns,
    kept_bytes,
    memory_of,
    refuse_if_too_large,
)
from pitmanyor.state.state import SPARE, padded
from pitmanyor.state.topic_columns import grow

DOCUMENTS = [[f"w{(7 * d + n) % 50}" for n in range(100)] for d in range(40)]
CORPUS = Corpus.from_tokens(DOCUMENTS, groups={"author": [d % 5 for d in range(40)]})


@pytest.mark.parametrize("model", [hpyp, author_topic])
def test_tokens_take_at_most_24_bytes_each(model):
    state = new_state(compile_plan(model(), CORPUS))
    memory = memory_of(state)
    assert 12 * state.plan.n_tokens <= memory.tokens <= 24 * state.plan.n_tokens
    assert memory.total == memory.tables + memory.tokens + memory.scratch


@pytest.mark.parametrize(("per", "fits"), [("layer", True), ("instance", False)])
def test_so_do_those_of_posts_as_short_as_the_papers_but_with_a_concentration_for_each_post(per, fits):
    words = [[f"w{(7 * d + n) % 50}" for n in range(6 + (d % 10 < 7))] for d in range(400)]
    tags = [[f"t{d % 9}"] for d in range(400)]
    corpus = Corpus.from_tokens({"word": words, "hashtag": tags}, groups={"author": [d % 5 for d in range(400)]})
    state = new_state(compile_plan(tntm().without("follows").set("eta", concentration_per=per), corpus))
    assert state.plan.n_tokens <= 7.7 * state.plan.n_documents
    assert (memory_of(state).tokens <= 24 * state.plan.n_tokens) == fits


def test_a_plan_keeps_the_words_and_no_more_per_token():
    plan = compile_plan(hpyp(), CORPUS)
    kept = sum(a.nbytes for a in vars(plan.order).values() if isinstance(a, np.ndarray)) + plan.cells.listed.nbytes
    assert kept <= 4 * plan.n_tokens + 8 * (plan.n_documents + 1) + 4


def test_count_tables_are_what_the_layout_says():
    state = new_state(compile_plan(hpyp(), CORPUS))
    n_counts = state.layout.sizes[0]
    assert n_counts == 32 + 32 + 1 + 50 + 50 * 32
    assert memory_of(state).tables >= n_counts * PER_COUNT


def test_a_fit_that_cannot_fit_is_refused_with_the_figure(monkeypatch):
    plan, left = compile_plan(hpyp(), CORPUS), [0]
    monkeypatch.setattr("pitmanyor.state.memory.room", lambda: left[0])
    left[0] = KERNELS + bytes_of_fit(plan, expected_columns(plan, 10, None))
    refuse_if_too_large(plan, 10)
    message = (
        "with 1104 topic columns this model needs 0.1 GB, and 0.1 GB are available to this process; lower max_topics"
    )
    with pytest.raises(PlanError, match=re.sub(r"0\\.1 GB", r"\\d+\\.\\d GB", re.escape(message))):
        refuse_if_too_large(plan, 1000)
    refuse_if_too_large(plan, 10, max_topics=1000)
    with pytest.raises(PlanError, match=r"and the 50 states it keeps \d+\.\d GB, .*; pass a lower keep, "):
        refuse_if_too_large(plan, 10, keep=50)
    with pytest.raises(PlanError, match="in 2 chains, and .* are available to this process; run fewer chains"):
        refuse_if_too_large(plan, 10, chains=2)
    left[0] -= 1
    with pytest.raises(PlanError, match="with 176 topic columns"):
        refuse_if_too_large(plan, 10)


def test_a_document_may_bring_as_many_topics_as_it_has_tokens():
    """Columns for them are there before it is swept, unless fewer topics are allowed, or may be found before that."""
    corpus = Corpus.from_tokens([[f"w{n % 50}" for n in range(5000)]])
    plan = compile_plan(hpyp(), corpus)
    assert expected_columns(plan, None, None) == padded(5000 + 64 + 1)
    assert expected_columns(plan, None, 100) == padded(SPARE * 100 + 1)
    assert expected_columns(compile_plan(lda(7), corpus), None, None) == 16
    for most, capacity in ((None, padded(5003)), (100, padded(102))):
        state = new_state(plan, max_topics=most)
        initialise(state, (1, 0, 0), 20)
        assert state.capacity <= 1.2 * capacity + 16


def test_more_topics_than_tokens_take_little():
    result = fit(lda(100_000), Corpus.from_tokens([["a", "b", "c"]] * 9), sweeps=3)
    assert result.n_topics == 100_000 and result.memory.total < 200e6


def test_linked_authors_take_memory_by_pairs_and_are_refused_before_any_is_laid_out(monkeypatch):
    names = [f"a{i}" for i in range(4000)]
    corpus = Corpus.from_tokens([["w"]] * 4000, groups={"author": names}, links={"follows": [("a1", "a2")]})
    graph = tntm().without("hashtag")
    plan = compile_plan(graph, corpus)
    assert bytes_of_fit(plan, 80) - bytes_of_fit(compile_plan(graph.without("follows"), corpus), 80) > 16 * 4000**2
    monkeypatch.setattr("pitmanyor.state.memory.room", lambda: 16 * 4000**2)
    laid = []
    monkeypatch.setattr("pitmanyor.results.fitting.ends_of", lambda *given: laid.append(given))
    with pytest.raises(PlanError, match=r"needs 0\.\d GB"):
        fit(graph, corpus, sweeps=2)
    assert not laid
    blocks = graph.set("follows", kernel="blocks")
    assert bytes_of_fit(compile_plan(blocks, corpus), 80) < bytes_of_fit(plan, 80) / 4


@pytest.mark.parametrize("words", [["w"] * 40_000, [f"w{n}" for n in range(40_000)]])
def test_common_words_and_many_words_are_in_the_figure(words):
    """As large Stirling tables, or as rows of a thread."""
    plan = compile_plan(lda(2), Corpus.from_tokens([words[i : i + 100] for i in range(0, 40_000, 100)]))
    state = new_state(plan)
    initialise(state, (1, 0, 0), 2)
    assert bytes_of_fit(plan, state.capacity) > 0.9 * memory_of(state).total


@pytest.mark.parametrize("model", [hpyp, author_topic])
def test_a_kept_state_takes_at_most_what_the_refusal_reckons_and_far_less_than_a_state(model):
    state = new_state(compile_plan(model(), CORPUS))
    initialise(state, (1, 0, 0), 20)
    kept = sum(part.nbytes for part in pack_kept(state).values())
    most = kept_bytes(state.plan, state.layout.blocks)
    assert most / 4 < kept <= most
    memory = memory_of(state)
    assert kept < (memory.tables + memory.tokens) / 3


def test_births_beyond_memory_are_refused_and_leave_the_state_whole(monkeypatch):
    state = new_state(compile_plan(hpyp(), CORPUS))
    initialise(state, (1, 0, 0), 20)
    before, layout, n_topics, columns = state_of(state), state.layout, state.n_topics, padded(state.capacity * 3 // 2)
    left = [_need(state, columns) - 1]
    monkeypatch.setattr("pitmanyor.state.memory.room", lambda: left[0])
    message = (
        f"this chain has {n_topics} topics, and new ones need room: {columns} columns beside the {state.capacity} they "
        "are filled from take 0.0 GB more, and 0.0 GB are available to this process; set max_topics, say to"
    )
    with pytest.raises(PlanError, match=re.escape(message)):
        grow(state, columns)
    assert state.layout is layout and state_of(state) == before
    check(state)
    left[0] += 1
    grow(state, columns)
    assert state.capacity == columns and state_of(state) == before


def test_columns_grow_by_half_and_by_less_if_they_are_very_many_whatever_memory_is_left(monkeypatch):
    """Where a count lies keys its random numbers: the same seed must not depend on what other programs do."""
    state, left = new_state(compile_plan(hpyp(), CORPUS)), [_need(new_state(compile_plan(hpyp(), CORPUS)), 96)]
    monkeypatch.setattr("pitmanyor.state.memory.room", lambda: left[0])
    grow(state, 64, exact=True)
    grow(state, 65)
    assert state.capacity == 96
    with pytest.raises(PlanError, match="144 columns beside the 96"):
        grow(state, 97)
    assert state.capacity == 96
    left[0] *= 1000
    grow(state, 97)
    assert state.capacity == 144
    grow(state, 5000)
    grow(state, state.capacity + 1)
    assert state.capacity == padded((padded(5625) + 1) * 9 // 8) < 5000 * 3 // 2


def _need(state: State, columns: int) -> int:
    """Bytes of tables with so many columns."""
    layout = build_layout(state.plan, padded(columns))
    return int(np.array(layout.sizes) @ [PER_COUNT, PER_RESTAURANT, 4, 16]) + layout.cells.nbytes
