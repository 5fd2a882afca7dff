"""Leaves counted cell by cell: the same bytes as the walk through every token, on every shape of graph."""

from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from numpy.typing import NDArray

from leaf_graphs import author_words, two_streams, two_word_parents
from oracle.invariants import check
from pitmanyor.corpus import Corpus
from pitmanyor.graph import Graph, uniform
from pitmanyor.kernels.switching.leaf_tables import Leaves
from pitmanyor.models import author_topic, bursty, hdp_lda, hpyp, lda, tntm
from pitmanyor.plan import compile_plan
from pitmanyor.sampling.explicit_sweep import Explicit
from pitmanyor.sampling.leaves import LeafIndex, find_emitters, find_leaves
from pitmanyor.sampling.sweeps import Sweeper, held_topics, initialise
from pitmanyor.sampling.switching import Switch
from pitmanyor.simulation import simulate
from pitmanyor.state import State, new_state
from pitmanyor.state.topic_columns import arrange


def some_bursty() -> Graph:
    """One stream emits from a node per document and topic, the other from the node above it, which is no leaf then."""
    g = bursty(two_streams(shared=True).without("tag"))
    g.tokens("tag", topic="theta", emit="phi")
    return g


def words_first() -> Graph:
    """Counts of words lie before those of topics."""
    g = Graph()
    phi = g.pyp("phi", base=g.pyp("gamma", base=uniform("vocabulary")), plate="topic")
    nu = g.pyp("nu", base=g.gem("mu"), plate="author")
    g.tokens("word", topic=g.pyp("theta", base=nu, plate="document"), emit=phi)
    return g


GRAPHS: dict[str, tuple[Callable[[], Graph], set[str]]] = {
    "hpyp": (hpyp, {"phi"}),
    "hdp_lda": (hdp_lda, {"phi"}),
    "lda": (lambda: lda(4), {"phi"}),
    "author_topic": (author_topic, {"phi"}),
    "tntm": (lambda: tntm().without("follows"), {"psi", "psi_tag"}),
    "bursty": (lambda: bursty(hpyp()), {"phi"}),
    "bursty, two streams": (lambda: bursty(tntm().without("follows")), {"psi", "psi_tag"}),
    "bursty, two streams, one node": (lambda: bursty(two_streams(shared=True)), {"phi"}),
    "bursty, author words": (lambda: bursty(author_words(also_emits=True)), {"own"}),
    "bursty and not": (some_bursty, set()),
    "two word parents": (two_word_parents, {"phi"}),
    "two streams, one node": (lambda: two_streams(shared=True), {"phi"}),
    "two streams, own words": (lambda: two_streams(shared=False), {"phi", "psi"}),
    "author words": (lambda: author_words(also_emits=False), {"own"}),
    "words first": (words_first, {"phi"}),
    "author words over an emitter": (lambda: author_words(also_emits=True), {"own"}),
}


def corpus_for(graph: Graph) -> Corpus:
    """Some 700 tokens a stream, of 60 words."""
    fixed = graph.set("*", concentration=2.0)
    return simulate(fixed, documents=40, tokens=18, groups={"author": 5}, vocabulary=60, seed=4).corpus


def swept(graph: Graph, n_threads: int = 1) -> State:
    state = new_state(compile_plan(graph, corpus_for(graph)))
    initialise(state, (7, 0, 0), None if state.plan.n_topics else 40)
    sweeper = Sweeper(state, "explicit" if state.plan.n_topics else "mixed", anchors=0.3, n_threads=n_threads)
    for sweep in range(1, 4):
        sweeper.step(state, (7, 0, sweep))
    return state


def no_leaves(state: State) -> LeafIndex:
    """All tokens by their walks."""
    first, streams = np.zeros(len(state.net.cells) + 1, np.int64), np.zeros(len(state.plan.graph.streams), np.int64)
    return LeafIndex({}, Leaves(first, np.zeros(0, np.int32), streams, streams.astype(np.uint32)))


def bytes_of(state: State) -> dict[str, bytes]:
    arrays = {**state.net._asdict(), "topic": state.text.topic, "code": state.text.code}
    return {name: value.tobytes() for name, value in arrays.items()}


@pytest.mark.parametrize("name", GRAPHS)
def test_leaves_give_the_bytes_of_the_walk_through_every_token(name):
    make, leaves = GRAPHS[name]
    graph = make()
    state = swept(graph)
    assert set(find_emitters(state.plan)) == leaves
    check(state)
    with patch("pitmanyor.sampling.switching.find_leaves", no_leaves):
        walked = swept(graph)
    assert bytes_of(state) == bytes_of(walked)


@pytest.mark.parametrize("name", GRAPHS)
def test_documents_in_parts_count_as_they_do_in_one(name, monkeypatch):
    monkeypatch.setattr("pitmanyor.sampling.switching.SMALL_SHARE", 1e-6)
    state = swept(GRAPHS[name][0]())
    leaves, found = find_leaves(state), []
    for n_threads in (1, 3):
        switch = Switch(state, n_threads)
        state.net.counts[:], state.net.totals[:] = 0, 0
        switch._count(state, leaves)
        found.append((state.net.counts.copy(), state.net.totals.copy()))
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_array_equal(found[0][1], found[1][1])
    assert found[0][0].any() or found[0][1].any()
    n_parts = 3 if leaves.tokens.streams.all() else 1  # else words' cells are counted, where parts would meet
    assert switch.parts is not None and len(switch.parts.bounds) - 1 == n_parts


@pytest.mark.parametrize("name", ["hpyp", "two streams, one node", "author words", "tntm"])
def test_tokens_lie_at_the_cells_they_are_emitted_from(name):
    graph = GRAPHS[name][0]()
    plan = compile_plan(graph, corpus_for(graph))
    state = new_state(plan)
    leaves = find_leaves(state)
    first, token = leaves.tokens.first, leaves.tokens.token
    assert sorted(token.tolist()) == list(range(plan.n_tokens))
    document, stream = plan.order.document, plan.order.stream
    for i, runs in leaves.nodes.items():
        cells, node = plan.cells.of(i), plan.nodes[i]
        assert runs.bounds[0] == cells.start and runs.bounds[-1] == cells.stop and (np.diff(runs.bounds) > 0).all()
        for a, b in runs.instances:
            of_cell = plan.cells.instance[runs.bounds[a] : runs.bounds[b]]
            assert (of_cell == of_cell[0]).all()
        for cell in range(cells.start, cells.stop):
            here = token[first[cell] : first[cell + 1]]
            assert (np.diff(here) > 0).all()
            assert (plan.order.word[here] == plan.cells.word[cell]).all()
            assert (plan.instances[node.name].of_document[document[here]] == plan.cells.instance[cell]).all()
            assert all(graph.streams[s].emit == node.name for s in stream[here])


def test_common_words_are_in_short_runs():
    """Threads take runs as they come: a run of the commonest words may not hold most of the work."""
    rng = np.random.default_rng(0)
    words = np.minimum(rng.zipf(1.3, 20_000) - 1, 999)
    documents = [[f"w{w:03d}" for w in part] for part in np.array_split(words, 100)]
    corpus = Corpus.from_tokens(documents, vocabulary=[f"w{w:03d}" for w in range(1000)])
    state = new_state(compile_plan(hpyp(), corpus))
    leaves = find_leaves(state)
    runs = leaves.nodes[state.plan.index["phi"]]
    n_tokens = np.diff(leaves.tokens.first[runs.bounds])
    commonest = np.bincount(words).max()
    assert len(n_tokens) >= 10
    assert n_tokens.max() <= max(commonest, 2 * 20_000 / len(n_tokens)) + 20_000 / len(n_tokens)


@pytest.mark.parametrize("name", ["hpyp", "hdp_lda", "tntm", "bursty", "two word parents", "author words"])
def test_words_of_topics_that_are_not_held_stay_counts(name):
    """Vectors are drawn for held topics alone; the others keep customers, tables and terms to the last byte."""
    state = swept(GRAPHS[name][0]())
    is_anchor, seed = np.arange(state.plan.n_documents) < 2, (7, 0, 9)
    n_held = arrange(state, held_topics(state, is_anchor))
    assert 0 < n_held < state.n_topics - 2
    wide = [i for i, node in enumerate(state.plan.nodes) if node.per_topic and not node.local]
    before = [columns(state, i) for i in wide]
    switch = Switch(state)
    switch.down(state, seed, n_held=n_held)
    Explicit(state, 1).sweep(state, np.flatnonzero(~is_anchor), n_held, seed)
    switch.up(state, seed)
    check(state)
    for then, now in zip(before, (columns(state, i) for i in wide), strict=True):
        for old, new in zip(then, now, strict=True):
            assert old[:, n_held:].tobytes() == new[:, n_held:].tobytes()
    assert any((a[0][:, :n_held] != columns(state, i)[0][:, :n_held]).any() for a, i in zip(before, wide, strict=True))


def columns(state: State, i: int) -> list[NDArray[Any]]:
    """Counts and terms of a node per topic, by cell and column."""
    net, block = state.net, state.layout.blocks[i]
    return [
        values[block.rows].reshape(block.n_cells, block.width, -1).copy() for values in (net.counts, net.stay, net.open)
    ]
