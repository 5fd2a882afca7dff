"""Packed counts: the same bytes as with a row for every word, whatever the model, the layout and the threads.

What is proved of rows (enumeration, transition matrices, Geweke's test) then holds of packed counts too.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from numba import config

from oracle.runs import exact_means, five_documents, run_sweeps, z_scores
from pitmanyor.graph import Beta, Graph
from pitmanyor.kernels.restaurant import packed_rows, refresh
from pitmanyor.kernels.restaurant.arrays import CUSTOMERS, DISH, LIVE, PACKED, ROW, UNPACKED
from pitmanyor.kernels.switching import leaf_tables, redrawn_rows, word_vectors
from pitmanyor.models import author_topic, bursty, hdp_lda, hpyp, lda, tntm
from pitmanyor.plan import compile_plan
from pitmanyor.runs.kept import Kept, Shell, pack_kept
from pitmanyor.runs.states import DENSE, TOKENS, pack, unpack
from pitmanyor.sampling.chain import Chain
from pitmanyor.sampling.split_merge import LAUNCH_FIRST, Selection, SplitMerge
from pitmanyor.simulation import simulate
from pitmanyor.state import State, new_state, packing
from pitmanyor.state.cell_counts import is_packed, pack_rows, pairs_of
from pitmanyor.state.means import mean
from pitmanyor.state.topic_columns import grow

# functions and constants of kernels can be replaced, and all models swept within seconds, where nothing is compiled
interpreted = pytest.mark.skipif(not config.DISABLE_JIT, reason="kernels are compiled")
LAWS: dict[str, Any] = {"topic_discount": 0.5, "word_discount": 0.7}
TNTM = tntm(**LAWS).without("follows")
GRAPHS: dict[str, Graph] = {
    "hpyp": hpyp(**LAWS),
    "no lanes": hpyp(word_discount=0.05),
    "no discount": hdp_lda(),
    "finite": lda(30),  # some topics stay empty
    "authors": author_topic(),
    "own words": bursty(hpyp(**LAWS)),
    "two streams": TNTM,
    "two streams, own words": bursty(TNTM),
    "sampled discounts": hpyp().set("*", discount=Beta(1, 1)),
}
N_WORDS = 40
PLENTY, SOME, NONE = 1 << 30, 8 * 32 * packing.PER_COUNT, 0  # room: for all words, for some, for those above LONGEST
SEARCH = {"AT_FIRST": 1, "AFTER_SPLITS": 1, "AFTER_MERGES": 1, "ROUNDS": 1, "DOUBLINGS": 1}


LANES = 16  # drawn together, in place of 512: rows of one word are drawn with those of others, and in pieces


@pytest.fixture(autouse=True, scope="module")
def few_lanes() -> Iterator[None]:
    """A packed word is drawn with all others that share its lanes: without the compiler that would take minutes."""
    users = ("kernels.numbers.stable_row_draws", "kernels.switching.word_vectors", "kernels.switching.redrawn_rows")
    with pytest.MonkeyPatch.context() as patches:
        for module in (*users, "sampling.redrawn") if config.DISABLE_JIT else ():
            patches.setattr(f"pitmanyor.{module}.LANES", LANES)
        yield


@contextmanager
def small(room: int) -> Iterator[None]:
    """So much room for rows, and a short search."""
    with ExitStack() as stack:
        stack.enter_context(patch.object(packing, "ROOM", room))
        stack.enter_context(patch("pitmanyor.sampling.chain.SMALL_CORPUS", 0))
        stack.enter_context(patch("pitmanyor.sampling.split_merge.MOVES", 0.2))
        for name, value in SEARCH.items():
            stack.enter_context(patch(f"pitmanyor.sampling.start.{name}", value))
        yield


def run(name: str, room: int, *, sweeps: int = 2, n_threads: int = 1, size: tuple[int, int] = (6, 12)) -> Chain:
    graph, (documents, tokens) = GRAPHS[name], size
    fixed = graph.set("*", concentration=20.0)
    fixed = fixed.set("*", discount=0.5) if name == "sampled discounts" else fixed
    sizes: dict[str, Any] = {"documents": documents, "tokens": tokens, "groups": {"author": 3}}
    corpus = simulate(fixed, **sizes, vocabulary=N_WORDS, seed=3).corpus
    with small(room):
        state = new_state(compile_plan(graph, corpus))
        chain = Chain(state, seed=1, anchors=0.3, n_threads=n_threads, passes=2, moves=True)
        chain.initialise()
        for _ in range(sweeps):
            chain.step()
    return chain


def facts(chain: Chain) -> dict[str, Any]:
    """Everything there is to a state, by names that do not depend on where counts lie."""
    state = chain.state
    net, text = state.net, state.text
    out: dict[str, Any] = {name: getattr(text, name).tobytes() for name in TOKENS}
    out |= {name: getattr(net, name).tobytes() for name in ("reals", *DENSE)}
    out |= chain.trace
    for i, node in enumerate(state.plan.nodes):
        if not node.local and node.per_topic:
            out |= {f"{node.name}/{field}": x.tobytes() for field, x in pairs_of(state, i)._asdict().items()}
            out[f"{node.name}/mean"] = mean(state, node.name).tobytes()
    return out


@cache
def known_facts(name: str, room: int) -> dict[str, Any]:
    return facts(run(name, room))


def packed_nodes(state: State) -> list[str]:
    return [node.name for i, node in enumerate(state.plan.nodes) if is_packed(state, i)]


@interpreted
@pytest.mark.nojit
@pytest.mark.parametrize("name", GRAPHS)
def test_a_chain_leaves_the_same_bytes_packed_or_not(name):
    rows = run(name, PLENTY)
    assert not packed_nodes(rows.state)
    for room in (SOME, NONE):
        packed = run(name, room)
        assert packed_nodes(packed.state)
        assert facts(packed) == facts(rows)


@pytest.mark.parametrize("name", ["hpyp", "two streams, own words"])
@pytest.mark.parametrize("n_threads", [1, 2])
def test_compiled_chains_too_on_any_number_of_threads(name, n_threads):
    rows, packed = run(name, PLENTY, size=(60, 25)), run(name, SOME, size=(60, 25), n_threads=n_threads)
    assert packed_nodes(packed.state) and facts(packed) == facts(rows)


@interpreted
@pytest.mark.nojit
def test_cells_that_share_a_place_among_the_kept_rows_draw_them_again():
    rows = known_facts("hpyp", PLENTY)
    with (
        patch("pitmanyor.kernels.switching.redrawn_rows.KEPT_ROWS", 2),
        patch("pitmanyor.sampling.redrawn.KEPT_ROWS", 2),
    ):
        assert facts(run("hpyp", NONE)) == rows


def test_mixed_sweeps_over_packed_words_have_the_exact_means():
    toy = five_documents()
    with patch.object(packing, "ROOM", NONE):
        means = run_sweeps(toy, "mixed", 10_000, seed=1)
    assert np.abs(z_scores(means, exact_means(toy))).max() < 4.5


@pytest.mark.nojit
def test_a_refused_move_leaves_the_terms_as_they_were():
    chain = run("hpyp", SOME)
    state, moves = chain.state, SplitMerge(chain.state)
    moves.index(state)
    before = facts(chain)
    k = int(np.argmax(moves.sizes()))
    i, j = moves.tokens_of(k)[:2].tolist()
    selection = Selection((k, -1), (k, int(moves.empty(state)[0])), (i, j))
    moves.refuse(state, moves.propose(state, LAUNCH_FIRST, selection, (1, 0, 9, 0)))
    assert (state.net.nodes[:, UNPACKED] == -1).all()
    assert facts(chain) == before


@pytest.mark.nojit
def test_a_state_that_is_packed_can_be_saved_and_goes_on_with_the_same_bytes():
    chain = run("hpyp", SOME)
    arrays = {name: values.copy() for name, values in pack(chain.state).items()}
    with small(SOME):
        again = unpack(new_state(chain.state.plan), arrays)
        assert all(np.array_equal(arrays[name], values) for name, values in pack(again).items())
        other = Chain(again, seed=1, anchors=0.3, passes=2, moves=True)
        other.continue_from(chain.n_sweeps, {name: list(values) for name, values in chain.trace.items()})
        for one in (chain, other):
            one.step()
    assert facts(chain) == facts(other)


@pytest.mark.nojit
def test_a_kept_state_has_the_same_means_while_the_chain_goes_on():
    chain = run("hpyp", SOME)
    kept, before = Kept(Shell(chain.state), pack_kept(chain.state), 0.0), mean(chain.state, "phi")
    with small(SOME):
        chain.step()
    assert np.array_equal(mean(kept.state, "phi"), before)
    assert not np.array_equal(mean(chain.state, "phi"), before)


@pytest.mark.nojit
def test_a_file_with_packed_counts_of_no_topic_is_refused():
    state = run("hpyp", NONE).state
    arrays = {name: values.copy() for name, values in pack(state).items()}
    arrays["packed"][0, DISH] = state.n_topics
    with small(NONE), pytest.raises(ValueError, match="not there"):
        unpack(new_state(state.plan), arrays)


@pytest.mark.nojit
def test_growing_columns_keep_all_counts_and_may_pack_more_of_them():
    chain = run("hpyp", PLENTY)
    state, before = chain.state, facts(chain)
    assert not packed_nodes(state)
    i = state.plan.index["phi"]
    pairs = pairs_of(state, i)
    with small(SOME):
        grow(state, 100)
    assert packed_nodes(state) == ["phi"]
    assert all(np.array_equal(a, b) for a, b in zip(pairs, pairs_of(state, i), strict=True))
    assert mean(state, "phi").tobytes() == before["phi/mean"]


def test_common_words_have_rows_and_lists_have_room_for_all_tokens():
    chain = run("hpyp", SOME)
    state = chain.state
    i = state.plan.index["phi"]
    at, counts = state.plan.cells.of(i), np.bincount(state.plan.order.word, minlength=N_WORDS)
    pack_rows(state)
    listed = state.net.cells[at, ROW] == PACKED
    assert counts[listed].max() <= counts[~listed].min()
    assert np.array_equal(np.diff(state.net.packed_first)[at][listed], counts[listed])


def no_scale(net, drawn, lanes, cell, row):
    """Masses that are not divided by their sum."""
    redrawn_rows._draw_lanes(net, drawn, lanes, cell, row)


def no_customers(net, cell, first, value, a, key, n):
    return n


def unsorted(net, cell, place):
    """Topics that are relabelled and left in the old order."""
    first, last = packed_rows.entries_of(net, cell)
    for e in range(first, last):
        net.packed[e, DISH] = place[net.packed[e, DISH]]


def other_numbers(net, drawn, lanes, cell, row):
    """Random numbers of another sweep."""
    drawn.seed[2] += 1
    DRAW_AGAIN(net, drawn, lanes, cell, row)
    drawn.seed[2] -= 1


def tables_left_behind(net, family, cell, n_columns, sends):
    """Tables of packed words stay customers of the parent."""


def nothing_kept(net, cell, n_held, n_new):
    """Topics that are not held lose their counts."""
    first, stop = net.packed_first[cell], net.packed_first[cell + 1]
    packed_rows.clear_entries(net, first, stop)
    return first


def terms_left_behind(net, cell):
    """Terms of counts that a move took away stay in the spare row."""
    row = slice(net.cells[cell, ROW], net.cells[cell, ROW] + len(net.status) - LIVE)
    left, stay = net.counts[row, CUSTOMERS] == 0, net.stay[row].copy()
    PACK(net, cell)
    net.stay[row][left] = stay[left]


PACK = packed_rows._pack
DRAW_AGAIN = redrawn_rows.draw_again


MUTANTS = {
    "terms left behind": (packed_rows, "_pack", terms_left_behind),
    "other numbers": (redrawn_rows, "draw_again", other_numbers),
    "unsorted": (refresh, "relabel_entries", unsorted),
    "no scale": (redrawn_rows, "draw_again", no_scale),
    "no customers": (redrawn_rows, "add_customers_of_entries", no_customers),
    "no customers at first": (word_vectors, "add_customers_of_entries", no_customers),
    "tables left behind": (word_vectors, "_take_tables", tables_left_behind),
    "nothing kept": (leaf_tables, "_make_room", nothing_kept),
}


@interpreted
@pytest.mark.nojit
@pytest.mark.parametrize("mutant", MUTANTS)
def test_planted_bugs_change_the_bytes(mutant):
    module, name, wrong = MUTANTS[mutant]
    right = known_facts("hpyp", SOME)
    with patch.object(module, name, wrong):
        try:
            found = facts(run("hpyp", SOME))
        except (AssertionError, IndexError, OverflowError, ValueError):
            return
    assert found != right
