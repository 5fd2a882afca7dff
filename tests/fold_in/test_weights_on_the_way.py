"""Every token of a new document is drawn and seated by what its counts ask for, whatever the kernels keep (maths 7).

As in the file of this name for kernels/documents, documents hold more topics than a vector has lanes, and slots are
given up and taken again. Short documents come after long ones. At every draw all weights and rows are computed from the
counts.
"""

from collections import Counter
from unittest.mock import patch

import numpy as np
import pytest

from kernels.documents.test_weights_on_the_way import share, terms
from oracle.toys import diamond, three_layers
from pitmanyor import models
from pitmanyor.corpus import Corpus
from pitmanyor.fold_in.fold import Fixed, fold_network, fold_plain
from pitmanyor.graph import Graph, mix, uniform
from pitmanyor.kernels.documents.fold_in import fold_one_node, fold_topic_nodes
from pitmanyor.kernels.documents.fold_in.fold_own_words import TOPIC, chance
from pitmanyor.kernels.documents.fold_in.fold_values import CHANCES, SUMS, TO, VALUES, C, T
from pitmanyor.kernels.runtime.simd import WIDTH
from pitmanyor.plan import Plan, compile_plan

pytestmark = pytest.mark.nojit

# Rows are of float32, which rounds a number by up to 6e-8 of itself. A row takes a few steps from the counts, all of
# them with positive numbers (3e-7 of itself was the worst), and a slot's weight is the difference of two sums (1e-7 of
# the total). A row that is not as it should be is off by much more.
CLOSE = 1e-5
N_TOPICS, SIZES = 20, (27, 3, 27, 1, 20)
VOCABULARY = ["v", "w", "x", "y", "z"]
SWEEPS = fold_one_node.Sweeps(
    5, 2, 5, 2, seed=1, by_chance=True
)  # some are kept, which leaves means in the rows, some not


def deep() -> Graph:
    """A leaf of three parents, and one beside it: a node is on the way from the one alone, or from both."""
    g = Graph()
    mu = g.gem("mu")
    nu = g.pyp("nu", base=mu, plate="author")
    eta = g.pyp("eta", base=nu, plate="document", discount=0.2)
    spot = g.pyp("spot", base=eta, plate="document", discount=0.4)
    other = g.pyp("other", base=mix(eta, mu, weights=[0.6, 0.4]), plate="document", discount=0.3)
    theta = g.pyp("theta", base=mix(eta, other, nu), plate="document", discount=0.5)
    phi = g.pyp("phi", base=uniform("vocabulary"), plate="topic")
    g.tokens("hashtag", topic=spot, emit=phi)
    g.tokens("word", topic=theta, emit=phi)
    return g


def apart() -> Graph:
    """Words rest on a node that hashtags pass by."""
    g = Graph()
    mu = g.gem("mu")
    eta = g.pyp("eta", base=mu, plate="document", discount=0.2)
    theta = g.pyp("theta", base=mix(eta, mu), plate="document", discount=0.5)
    tags = g.pyp("tags", base=mu, plate="document", discount=0.4)
    phi = g.pyp("phi", base=uniform("vocabulary"), plate="topic")
    g.tokens("word", topic=theta, emit=phi)
    g.tokens("hashtag", topic=tags, emit=phi)
    return g


class OneNode:
    """Stands in for `draw` of fold_in/fold_one_node.py: both seats of every topic are as likely as the counts say."""

    module = fold_one_node

    def __init__(self) -> None:
        self.seen, self.right = Counter(), {"draw": fold_one_node.draw}  # draws by how many topics the document held

    def draw(self, *given):
        drawn = self.right["draw"](*given)
        rows, folded, i, row, base, gain, n_slots, *_ = given
        a, b = rows.discount, rows.concentration
        p, phi = (x[:N_TOPICS].astype(np.float64) for x in (rows.bases[base], rows.words[row]))
        topic, customers, tables = (x[:n_slots] for x in (folded.topic, folded.customers, folded.tables))
        assert folded.sums[i] == pytest.approx(p @ phi, rel=CLOSE)
        found, expected = np.stack([0.0 * p, gain * p * phi]), np.stack([0.0 * p, (b + a * tables.sum()) * p * phi])
        found[:, topic] += folded.weights[: 2 * n_slots].reshape(-1, 2).T
        for k, c, t in zip(topic, customers, tables, strict=True):
            stay, opens = terms(int(c), int(t), a) if a else (c, 1.0)  # without a discount tables are summed out
            expected[:, k] = stay * phi[k], opens * expected[1, k]
        assert np.abs(share(found) - share(expected)).max() < CLOSE
        self.seen[int(n_slots)] += 1
        return drawn


class Nodes:
    """Stands in for `draw` and `seat` of fold_in/fold_topic_nodes.py, and so of fold_in/fold_own_words.py."""

    module = fold_topic_nodes

    def __init__(self) -> None:
        self.seen, self.right = Counter(), {"draw": fold_topic_nodes.draw, "seat": fold_topic_nodes.seat}

    def draw(self, *given):
        """All topics are as likely as the counts say, by slots, entries of own words and the form together."""
        drawn = self.right["draw"](*given)
        rows, _, net, own, bench, documents, d, i, row, s, leaf, n_slots, *_ = given
        self.p = rows.bases[documents.base[d], :N_TOPICS].astype(np.float64)
        phi, n_bases, flat = rows.words[row, :N_TOPICS].astype(np.float64), len(bench.kept), rows_of(bench)
        assert bench.sums[i * n_bases : (i + 1) * n_bases] == pytest.approx(self.p @ phi, rel=CLOSE)
        found = flat[VALUES + n_bases + leaf, :n_bases] @ self.p * phi
        found *= [chance(own, bench, s, leaf, k) for k in range(N_TOPICS)]
        total = flat[SUMS, n_slots - 1]
        assert np.abs(flat[SUMS, n_slots : -(-n_slots // WIDTH) * WIDTH] - total).max(initial=0.0) <= CLOSE * total
        assert not flat[CHANCES : VALUES + n_bases + len(net.discount), n_slots:].any(), "a slot that nobody uses"
        found[bench.topic[n_bases:n_slots]] += np.diff(flat[SUMS, :n_slots])[n_bases - 1 :]
        eaten = Eaten(own, documents, d, s, i)
        for e in eaten.places:
            found[own.entries[e, TOPIC]] += own.weights[e]
        slots = {int(bench.topic[h]): h for h in range(n_bases, n_slots)}
        expected = [values(net, bench, leaf, slots.get(k), self.p[:, k])[leaf, -1] for k in range(N_TOPICS)]
        expected *= np.array([eaten.word(k, phi[k]) for k in range(N_TOPICS)])
        assert np.abs(share(found) - share(expected)).max() < CLOSE
        self.seen[len(slots)] += 1
        return drawn

    def seat(self, rows, tables, net, bench, leaf, h, key, n):
        """Terms, mixtures of the parents and A of the nodes on the way are right at every slot, a new one included."""
        n_bases, n_local, flat = len(bench.kept), len(net.discount), rows_of(bench)
        used = np.flatnonzero(bench.slot_of >= 0)
        assert sorted(bench.slot_of[used]) == list(range(n_bases, n_bases + len(used)))
        expected = np.array([values(net, bench, leaf, bench.slot_of[k], self.p[:, k]) for k in used])
        for j in np.flatnonzero(net.above[leaf]):
            first = VALUES + n_bases + n_local + 3 * j  # of three rows: stay, open, and the mixture
            found = flat[[first, first + 1, first + 2, VALUES + n_bases + j]][:, bench.slot_of[used]]
            np.testing.assert_allclose(found.T, expected[:, j], rtol=CLOSE)
        return self.right["seat"](rows, tables, net, bench, leaf, h, key, n)


def rows_of(bench) -> np.ndarray:
    return bench.flat.reshape(-1, len(bench.topic))


def values(net, bench, leaf: int, h: int | None, p: np.ndarray) -> np.ndarray:
    """stay, open, the mixture of the parents and A of all nodes above a leaf (maths 2), at a slot or where none is."""
    counts = bench.counts[:, :, bench.slot_of[bench.slot_of >= 0]]
    out, by_parent = np.full((len(net.discount), 4), np.nan), np.append(p, np.full(len(net.discount), np.nan))
    for j in np.flatnonzero(net.above[leaf]):
        n, a, b = net.n_parents[j], net.discount[j], net.concentration[j]
        totals, mixing = counts[j].sum(axis=1), net.prior[j, : net.n_parents[j]]
        if n > 1 and net.learned[j]:
            mixing = (mixing + totals[TO : TO + n]) / (mixing.sum() + totals[T])
        base = mixing @ by_parent[net.parents[j, :n]]
        stay, opens = terms(*(int(x) for x in bench.counts[j, [C, T], h]), a) if h is not None else (0.0, 1.0)
        by_parent[len(p) + j] = (stay + (b + a * totals[T]) * opens * base) / (b + totals[C])
        out[j] = stay, opens, base, by_parent[len(p) + j]
    return out


class Eaten:
    """Who eats a document's own words at the word node of a stream, if it has one (fold_in/fold_own_words.py)."""

    def __init__(self, own, documents, d: int, s: int, i: int) -> None:
        self.places, self.at_all, self.here = [], Counter(), {}
        self.shared = own is None or own.node[s] < 0
        if self.shared:
            return
        self.a, self.b = own.discount[own.node[s]], own.concentration[own.node[s]]
        first = documents.first[d * len(own.node) :]
        of_node = [np.arange(first[r], first[r + 1]) for r in np.flatnonzero(own.node == own.node[s])]
        for dish in set(own.dish[np.concatenate(of_node)]):
            for e in range(dish, dish + own.n_entries[dish]):
                c, t, k = (int(x) for x in own.entries[e])
                self.at_all.update({(k, C): c, (k, T): t})
                if dish == own.dish[first[0] + i]:
                    self.places.append(e)
                    self.here[k] = c, t

    def word(self, k: int, phi: float) -> float:
        """A of topic k's words at the token's own (maths 4)."""
        if self.shared:
            return phi
        stay, opens = terms(*self.here.get(k, (0, 0)), self.a)
        return (stay + (self.b + self.a * self.at_all[k, T]) * opens * phi) / (self.b + self.at_all[k, C])


CASES = {
    "one node": (three_layers()[0], OneNode),
    "one node without discount": (three_layers(discounts=False)[0], OneNode),
    "tntm": (diamond()[0], Nodes),
    "deep": (deep(), Nodes),
    "apart": (apart(), Nodes),
    "bursty tntm": (models.bursty(diamond()[0], discount=0.45), Nodes),
    "bursty apart": (models.bursty(apart(), discount=0.45), Nodes),  # both streams have one node of words
}


def new_documents(graph: Graph) -> tuple[Plan, Fixed]:
    """Documents of many words and of few, the first of them also as hashtags, and vectors by chance."""
    rng = np.random.default_rng(3)
    words = [[VOCABULARY[i] for i in rng.integers(5, size=size)] for size in SIZES]
    text = {s.name: words if s.name == "word" else [document[:6] for document in words] for s in graph.streams}
    authors = ["ann" if d % 2 else "bob" for d in range(len(SIZES))]
    plan = compile_plan(graph, Corpus.from_tokens(text, groups={"author": authors}, vocabulary=VOCABULARY))
    vectors = {}
    for node in plan.nodes:
        if not node.local:
            size = N_TOPICS if node.side == "topic" else len(VOCABULARY)
            shape = len(plan.instances[node.name]), N_TOPICS if node.per_topic else 1
            vectors[node.name] = rng.dirichlet(np.full(size, 2.0), shape)
    discounts = {node.name: float(node.discount) for node in plan.nodes if node.local}
    return plan, Fixed(vectors, {name: 6.0 + 2.5 * i for i, name in enumerate(discounts)}, discounts, N_TOPICS)


@pytest.mark.parametrize("case", CASES)
def test_weights_are_those_of_the_counts(case):
    graph, watch = CASES[case]
    (plan, fixed), watched = new_documents(graph), watch()
    with patch.multiple(watch.module, **{name: getattr(watched, name) for name in watched.right}):
        if watch is OneNode:
            fold_plain(plan, fixed, SWEEPS, 1)
        else:
            fold_network(plan, fixed, "theta", SWEEPS, 1)
    assert sum(watched.seen.values()) > 400
    assert min(watched.seen) == 0 and max(watched.seen) > WIDTH, "from no topic to more than a vector has lanes"
