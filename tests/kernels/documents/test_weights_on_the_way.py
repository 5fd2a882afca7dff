"""Every token of a long document is drawn from the weights that maths 2 gives, whatever the fast kernels have kept.

Toys whose transition matrices can be enumerated have two or three tokens. Here documents hold more topics than a vector
has lanes, slots are given up and taken again, and at every draw the weights are computed anew from the counts.
"""

from collections import Counter
from unittest.mock import patch

import numpy as np
import pytest

from kernels.documents.exact import interpreted_state, replaced
from kernels.documents.exact_explicit import engine_for
from kernels.documents.test_explicit_transitions import two_layers
from oracle.pmf import stirling
from oracle.toys import Toy, bursty, bursty_layers, diamond, three_layers
from pitmanyor import models
from pitmanyor.corpus import Corpus
from pitmanyor.graph import Graph
from pitmanyor.kernels.documents.one_node import explicit as one_node
from pitmanyor.kernels.documents.one_node import own_words_draw
from pitmanyor.kernels.documents.own_words import scratch as own_words
from pitmanyor.kernels.documents.own_words import word_repeats
from pitmanyor.kernels.documents.topic_nodes import explicit as topic_nodes
from pitmanyor.kernels.documents.topic_nodes import own_words_draw as node_words_draw
from pitmanyor.kernels.documents.topic_nodes import scratch as rows
from pitmanyor.kernels.runtime.simd import WIDTH
from pitmanyor.sampling.explicit_sweep import Explicit
from pitmanyor.sampling.sweeps import initialise
from pitmanyor.sampling.switching import Switch
from pitmanyor.state.topic_columns import arrange

pytestmark = pytest.mark.nojit

N_LIVE, N_HELD, PASSES = 13, 11, 3
SIZES = (27, 6, 27)
VOCABULARY = ["v", "w", "x", "y", "z"]


def toy(graph: Graph) -> Toy:
    """Documents of many words and of few, in no order, with four hashtags where the graph has them."""
    rng = np.random.default_rng(3)
    words = [[VOCABULARY[i] for i in rng.integers(5, size=size)] for size in SIZES]
    streams = {"word": words}
    if len(graph.streams) > 1:
        streams["hashtag"] = [document[:4] for document in words]
    return graph, Corpus.from_tokens(streams, groups={"author": ["ann", "bob", "ann"]}, vocabulary=VOCABULARY)


def terms(c: int, t: int, a: float) -> tuple[float, float]:
    """stay and open under the rule `clamp`."""
    if c == 0:
        return 0.0, 1.0
    stay = stirling(c + 1, t, a) / stirling(c, t, a) * (1.0 if t == 1 else 1.0 - t / (c + 1))
    return stay, stirling(c + 1, t + 1, a) / stirling(c, t, a) * (t + 1) / (c + 1)


def share(weights: np.ndarray) -> np.ndarray:
    return weights / weights.sum()


def sums_of(prefix: np.ndarray, n_slots: int) -> np.ndarray:
    """The slots' weights; what lies beyond them, up to the end of the last vector, weighs nothing."""
    last = -(-n_slots // WIDTH) * WIDTH
    if n_slots == 0:
        return np.zeros(0)
    total = prefix[n_slots - 1]  # prefix sums of one vector are added in another order than the next
    assert np.all(np.abs(prefix[n_slots:last] - total) <= 1e-14 * total), "a slot that nobody uses has weight"
    return np.diff(prefix[:n_slots], prepend=0.0)


class Watch:
    """Stands in for a kernel's `draw`, and compares the weights it draws from with those that its counts ask for."""

    def __init__(self, right) -> None:
        self.right, self.seen = right, Counter()

    def compare(self, found: np.ndarray, expected: np.ndarray, n_slots: int) -> None:
        assert np.abs(share(found) - share(expected)).max() < 1e-11
        self.seen[n_slots] += 1

    def draw(self, given, mean, place: int, n_bases: int):
        """What is drawn, and what the token at a place of a new document brings by chance: to topics, and by base."""
        if not (len(mean) and mean.by_chance):
            return self.right(*given), None
        of_token = slice(place * n_bases, (place + 1) * n_bases)
        before = mean.shares.copy(), mean.sums.of_tokens[of_token].copy()
        drawn = self.right(*given)
        return drawn, (mean.shares - before[0], mean.sums.of_tokens[of_token] - before[1])

    def check(self, counted, brings: np.ndarray, products: np.ndarray) -> None:
        """To topics it is what is told; `products` are p_k phi_kw, a row per base."""
        if counted is not None:
            assert np.abs(counted[0] + counted[1] @ products - brings).max() < 1e-11 * brings.sum()
            self.counted += 1

    counted = 0


def brought(expected: np.ndarray, counts: np.ndarray, sits: np.ndarray, a: float) -> np.ndarray:
    """What a token brings to each topic by chance, less a t/c with what c and t are then (maths 7)."""
    c, t = counts
    return share(expected) * (1.0 - a * (t + 1.0 - sits) / (c + 1.0))


class OneNode(Watch):
    def __call__(self, *given):
        arrays, (_, shape, _), mean, token, (n_slots, _, _), (gain, _), _ = given
        net, active = arrays.franchise.net, arrays.scratch
        p = net.stay[shape.row : shape.row + N_HELD]
        phi = net.stay[int(token.row) : int(token.row) + N_HELD]
        found, expected, counts, sits = gain * p * phi, np.zeros(N_HELD), np.zeros((2, N_HELD)), np.zeros(N_HELD)
        beyond = sums_of(active.weights, n_slots)
        place = {int(active.topic[h]): h for h in range(n_slots) if active.slot_of[active.topic[h]] == h}
        for k in range(N_HELD):
            h = place.get(k)
            c, t = (int(active.customers[h]), int(active.tables[h])) if h is not None else (0, 0)
            found[k] += beyond[h] if h is not None else 0.0
            stay, opens = terms(c, t, shape.discount)
            expected[k] = (stay + gain * opens * p[k]) * phi[k]
            counts[:, k], sits[k] = (c, t), stay / (stay + gain * opens * p[k])
        self.compare(found, expected, n_slots)
        drawn, counted = self.draw(given, mean, int(token.seat), 1)
        self.check(counted, brought(expected, counts, sits, shape.discount), np.array([p * phi]))
        return drawn


class OneNodeOwn(Watch):
    def __call__(self, *given):
        arrays, (_, shape, _), mean, token, (n_slots, _, n_listed), (gain, _), _ = given
        net, active, own, word_node = arrays.franchise.net, arrays.scratch, arrays.own, token.word_node
        own_words_draw.weigh_dishes(arrays.franchise, active, own, shape, gain, token, n_listed)
        p = net.stay[shape.row : shape.row + N_HELD]
        phi = net.stay[int(token.row) : int(token.row) + N_HELD]
        beyond = sums_of(active.weights, n_slots)
        listed = {int(own.slot[i]): i for i in range(n_listed)}
        found, expected, counts, sits = gain * p * phi, np.zeros(N_HELD), np.zeros((2, N_HELD)), np.zeros(N_HELD)
        place = {int(active.topic[h]): h for h in range(n_slots) if active.slot_of[active.topic[h]] == h}
        a, b = word_node.discount, word_node.concentration
        for k in range(N_HELD):
            stay, opens, word = 0.0, 1.0, phi[k]
            if k in place:
                h = place[k]
                i = listed.get(h)
                found[k] = beyond[h] + (own.weights[i] if i is not None else 0.0)
                counts[:, k] = active.customers[h], active.tables[h]
                stay, opens = terms(int(active.customers[h]), int(active.tables[h]), shape.discount)
                dish = terms(int(own.seated[i]), int(own.opened[i]), a) if i is not None else (0.0, 1.0)
                word = (dish[0] + (b + a * own.tables[h]) * dish[1] * phi[k]) / (b + own.customers[h])
            expected[k] = (stay + gain * opens * p[k]) * word
            sits[k] = stay / (stay + gain * opens * p[k])
        self.compare(found, expected, n_slots)
        drawn, counted = self.draw(given, mean, int(token.seat), 1)
        self.check(counted, brought(expected, counts, sits, shape.discount), np.array([p * phi]))
        return drawn


class TopicNodes(Watch):
    def __call__(self, *given):
        arrays, frame, mean, gain, token, n_slots, _ = given
        net, node_rows, leaf = arrays.franchise.net, arrays.scratch, token.leaf
        chosen, counted = self.draw(given, mean, int(token.place), frame.n_bases)
        n_bases, width = frame.n_bases, int(frame.width)
        p = [net.stay[row : row + N_HELD] for row in node_rows.bases[1 : 2 * n_bases : 2]]
        phi = net.stay[int(token.row) : int(token.row) + N_HELD]
        weights = int(rows.prefix_row(frame))
        beyond = sums_of(node_rows.reals[weights : weights + width], n_slots)
        found = gain * sum(node_rows.form[r] * p[r] for r in range(n_bases)) * phi
        brings = np.zeros(N_HELD)
        expected, place = np.zeros(N_HELD), {int(node_rows.topic[h]): h for h in range(n_bases, n_slots)}
        for k in range(N_HELD):
            h = place.get(k)
            found[k] += beyond[h] if h is not None else 0.0
            expected[k] = self.value(node_rows, frame, leaf, h, [row[k] for row in p]) * phi[k]
            brings[k] = self.part
        self.compare(found, expected, n_slots)
        if len(mean) and leaf == mean.leaf:
            self.check(counted, brings * share(expected), np.array(p) * phi)
        return chosen

    def value(self, node_rows, frame, leaf: int, h: int | None, p: list[float]) -> float:
        """A(leaf, k) at a topic's slot, or where it has none (maths 2)."""
        width, by_row = int(frame.width), {}
        for r, mass in enumerate(p):
            by_row[r * width] = mass
        for j in range(leaf + 1):
            fact, scalar = j * int(rows.FACTS), j * int(rows.SCALARS)
            n_customers, n_tables, *sent = (int(x) for x in node_rows.facts[fact + int(rows.NODE_CUSTOMERS) :][:4])
            n_up = int(node_rows.facts[fact + int(rows.N_UP)])
            priors = node_rows.scalars[scalar + int(rows.PRIOR) : scalar + int(rows.PRIOR) + 2]
            ups = node_rows.facts[fact + int(rows.UP) : fact + int(rows.UP) + n_up]
            mixing = [(priors[i] + sent[i]) / (priors.sum() + n_tables) for i in range(2)] if n_up > 1 else [1.0]
            base = sum(r * by_row[int(up)] for r, up in zip(mixing, ups, strict=True))
            at = int(rows.count_at(frame, j, h)) if h is not None else 0
            c, t = (int(node_rows.counts[at]), int(node_rows.counts[at + 1])) if h is not None else (0, 0)
            a, b = float(node_rows.scalars[scalar + int(rows.STEP)]), float(node_rows.scalars[scalar + int(rows.CONC)])
            stay, opens = terms(c, t, a)
            value = (stay + (b + a * n_tables) * opens * base) / (b + n_customers)
            first_row = int(node_rows.facts[fact + int(rows.FIRST_ROW)])
            if h is not None and j < leaf:  # from which a token's walk is drawn, too
                assert node_rows.reals[first_row + h] == pytest.approx(value, rel=1e-11)
            by_row[first_row] = value
        self.part = (1.0 - a * (t + 1.0 - stay / value / (b + n_customers)) / (c + 1.0)) / (b + n_customers + 1.0)
        return value


class TopicNodesOwn(TopicNodes):
    """Topic nodes, and words of the document's own."""

    def __call__(self, *given):
        arrays, document, mean, gain, token, (n_slots, n_listed), _ = given
        net, node_rows, own, frame = arrays.franchise.net, arrays.scratch, arrays.own, document.frame
        leaf, word_node = token.leaf, token.word_node
        chosen, counted = self.draw(given, mean, int(token.place), frame.n_bases)
        n_bases, weights = frame.n_bases, int(rows.prefix_row(frame))
        p = [net.stay[row : row + N_HELD] for row in node_rows.bases[1 : 2 * n_bases : 2]]
        phi = net.stay[int(token.row) : int(token.row) + N_HELD]
        beyond = sums_of(node_rows.reals[weights : weights + int(frame.width)], n_slots)
        assert not beyond[:n_bases].any(), "what stands for no topic has weight"
        listed = {int(own.slot[i]): i for i in range(n_listed)}
        assert [own.place[h] for h in listed] == list(range(1, n_listed + 1)), "given up, and still on the list"
        found = gain * sum(node_rows.form[r] * p[r] for r in range(n_bases)) * phi
        brings = np.zeros(N_HELD)
        expected, place = np.zeros(N_HELD), {int(node_rows.topic[h]): h for h in range(n_bases, n_slots)}
        a, b = word_node.discount, word_node.concentration
        for k in range(N_HELD):
            h, word = place.get(k), phi[k]
            if h is not None:
                i, taken = listed.get(h), node_words_draw.chance(node_rows, own, frame, leaf, gain, k)
                self.refused += taken < 1.0
                found[k] = found[k] * taken + beyond[h] + (own.weights[i] if i is not None else 0.0)
                dish = terms(int(own.seated[i]), int(own.opened[i]), a) if i is not None else (0.0, 1.0)
                word = (dish[0] + (b + a * own.tables[h]) * dish[1] * phi[k]) / (b + own.customers[h])
            expected[k] = self.value(node_rows, frame, leaf, h, [row[k] for row in p]) * word
            brings[k] = self.part
        self.compare(found, expected, n_slots)
        if len(mean) and leaf == mean.leaf:
            self.check(counted, brings * share(expected), np.array(p) * phi)
        return chosen

    refused = 0


def counted_again(right, state):
    """Restaurants of own words, as they are put away, against the tokens of their stream."""

    def close(net, text, own, word_node, d, n_slots, joint):
        emits = [state.plan.index[stream.emit] for stream in state.plan.graph.streams]
        at, found = d * len(emits) + emits.index(word_node.node), Counter()
        for i in range(text.first[at], text.first[at + 1]):
            found[int(text.topic[i])] += 1 + 1000 * bool(text.code[i] & np.uint32(word_node.bit))
        counts = own.customers[:n_slots] + 1000 * own.tables[:n_slots]
        assert sorted(found.values()) == sorted(counts[counts > 0].tolist())
        right(net, text, own, word_node, d, n_slots, joint)

    return close


CASES = {
    "one node": ("one node", three_layers, one_node, OneNode),
    "bursty": ("one node", bursty, one_node, OneNodeOwn),
    "tntm": ("topic nodes", diamond, topic_nodes, TopicNodes),
    "two layers": ("topic nodes", lambda: (two_layers(), None), topic_nodes, TopicNodes),
    "bursty, as topic nodes": ("topic nodes", bursty, topic_nodes, TopicNodesOwn),
    "bursty layers": ("topic nodes", bursty_layers, topic_nodes, TopicNodesOwn),
    "bursty tntm": (
        "topic nodes",
        lambda: (models.bursty(diamond()[0], discount=0.3, concentration=0.8), None),
        topic_nodes,
        TopicNodesOwn,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_weights_are_those_of_the_counts(case):
    check(case)


@pytest.mark.parametrize("bug", ["restaurants stay behind", "nobody is struck"])
def test_planted_bugs_in_moving_slots_show(bug):
    """Where a slot takes the place of another, its restaurant must too, and the other's must leave the list."""
    right = word_repeats.move_restaurant if bug == "restaurants stay behind" else word_repeats.strike
    with replaced(right, lambda *arguments: arguments[-1]), pytest.raises(AssertionError):
        check("bursty tntm")


def watch_draws(watch: type[Watch], module):
    """Where a kernel draws topics, and what stands in for it."""
    name = "draw_own" if watch in (TopicNodesOwn, OneNodeOwn) else "draw"
    watched = watch(getattr(module, name))
    return watched, patch.object(module, name, watched)


def check(case: str) -> None:
    """Sweep documents and compare every draw."""
    engine, make, module, watch = CASES[case]
    state = interpreted_state(toy(make()[0]), "clamp")
    initialise(state, (1, 0, 0), n_topics=N_LIVE)
    assert arrange(state, np.arange(state.capacity) < N_HELD) == N_HELD
    Switch(state).down(state, (1, 0, 1))
    explicit = Explicit(state, 1, engine_for(state, engine))
    own, right = watch is TopicNodesOwn, own_words.close_stream
    watched, patched = watch_draws(watch, module)
    with patched, replaced(right, counted_again(right, state) if own else right):
        explicit.sweep(state, np.arange(len(SIZES)), N_HELD, (1, 0, 2), PASSES)
    assert sum(watched.seen.values()) > 100
    assert min(watched.seen) <= WIDTH < max(watched.seen), "slots of one vector and of two were to be seen"
    assert not own or watched.refused > 0, "topics that weigh less than by the form were to be seen"
    left = explicit.scratch[1]
    if len(left):
        assert not any(x.any() for x in (left.customers, left.tables, left.place)), "the next document would read it"
        assert np.all(left.factor == 1.0)
