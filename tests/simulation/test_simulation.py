"""simulate: against enumeration, against known moments, and at its edges."""

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest

from oracle.enumerate_states import enumerate_states
from oracle.simulated import flat, state_of
from oracle.toys import TOYS, author_words, diamond, finite_topics, own_vocabularies, three_layers
from pitmanyor.corpus import Corpus
from pitmanyor.errors import PlanError
from pitmanyor.graph import Gamma, Graph, mix, uniform
from pitmanyor.simulation import simulate


def chi_square_excess(seen, exact, n):
    """(chi2 - df)/sqrt(2 df) over cells of at least 5 expected, the rest pooled; near N(0, 1) when all is right."""
    big = {cell: n * p for cell, p in exact.items() if n * p >= 5}
    chi2 = sum((seen[cell] - expected) ** 2 / expected for cell, expected in big.items())
    rest = n - sum(big.values())
    if rest >= 5:
        chi2 += (n - sum(seen[cell] for cell in big) - rest) ** 2 / rest
    df = len(big) - (rest < 5)
    return (chi2 - df) / math.sqrt(2 * df)


def exact_joint(graph, lengths, groups):
    """Probability of every (words, state) over all data sets of two words."""
    n_tokens = sum(map(sum, lengths.values()))
    n_documents = len(next(iter(lengths.values())))
    out = {}
    for words in product("xy", repeat=n_tokens):
        left = iter(words)
        documents = {name: [[] for _ in range(n_documents)] for name in lengths}
        for d in range(n_documents):
            for name, row in lengths.items():
                documents[name][d] = [next(left) for _ in range(row[d])]
        corpus = Corpus.from_tokens(documents, groups, vocabulary=["x", "y"])
        codes = tuple("xy".index(word) for word in words)
        out |= {(codes, state): math.exp(state.log_weight) for state in enumerate_states(graph, corpus)}
    return out


@pytest.mark.parametrize(
    ("toy", "lengths", "labels"),
    [
        ("three_layers", {"word": [2, 1]}, None),
        ("two_parents", {"word": [2, 1]}, ["ann", "bob"]),
        ("fixed_mix", {"word": [2, 1]}, ["ann", "ann"]),
        ("diamond", {"hashtag": [1], "word": [2]}, ["ann"]),
        ("bursty", {"word": [2, 1]}, None),
        ("author_words", {"word": [2, 1]}, ["ann", "bob"]),
        ("dirichlet_words", {"word": [2, 1]}, None),
        ("finite_topics", {"word": [2, 1]}, None),
    ],
)
def test_frequencies_match_the_exact_joint_of_words_topics_and_tables(toy, lengths, labels):
    graph, _ = TOYS[toy]()
    groups = {"author": labels} if labels else None
    exact = exact_joint(graph, lengths, groups)
    assert sum(exact.values()) == pytest.approx(1.0, abs=1e-12)
    n = 4000
    seen: Counter = Counter()
    for seed in range(n):
        documents = len(next(iter(lengths.values())))
        drawn = simulate(graph, documents=documents, tokens=lengths, groups=groups, vocabulary=["x", "y"], seed=seed)
        rows = {s: np.split(stream.words, stream.offsets[1:-1]) for s, stream in drawn.corpus.streams.items()}
        seen[flat(graph, rows), state_of(graph, drawn)] += 1
    assert set(seen) <= set(exact)
    assert abs(chi_square_excess(seen, exact, n)) < 4


@pytest.mark.parametrize("discount", [0.0, 0.6])
def test_number_of_topics_has_the_prior_mean(discount):
    """E[K] of a Pitman-Yor process: b/a (prod (b + a + i)/(b + i) - 1), or sum b/(b + i) without discount."""
    b, n, runs = 1.7, 60, 400
    g = Graph()
    mu = g.gem("mu", discount=discount, concentration=b)
    phi = g.dirichlet("phi", over="vocabulary", plate="topic", concentration=1.0)
    g.tokens("word", topic=mu, emit=phi)
    drawn = [simulate(g, documents=1, tokens=n, vocabulary=3, seed=s).n_topics for s in range(runs)]
    if discount:
        mean = b / discount * (math.prod((b + discount + i) / (b + i) for i in range(n)) - 1)
    else:
        mean = sum(b / (b + i) for i in range(n))
    assert abs(np.mean(drawn) - mean) < 4 * np.std(drawn) / math.sqrt(runs)


def test_tables_of_a_parent_are_customers_of_its_parents():
    graph, _ = diamond()
    drawn = simulate(graph, documents=20, tokens={"hashtag": 3, "word": 8}, groups={"author": 4}, vocabulary=30, seed=2)
    customers, tables_to = drawn.customers, drawn.tables_to
    sent: Counter = Counter({"theta_tag": 60, "theta": 160, "psi_tag": 60, "psi": 160})
    for name, keys in tables_to.items():
        for i, parent in enumerate(graph[name].parents):
            sent[parent] += sum(to[i] for dishes in keys.values() for to in dishes.values())
    assert dict(sent) == {name: sum(n for k in keys.values() for n in k.values()) for name, keys in customers.items()}
    for name, keys in drawn.tables.items():
        assert all(1 <= t <= customers[name][key][dish] for key, dishes in keys.items() for dish, t in dishes.items())
    assert set(drawn.tables["mu0"][()].values()) == {1}


def test_the_truth_tells_the_topics_of_the_corpus():
    graph, _ = three_layers()
    drawn = simulate(graph, documents=3, tokens={"word": [4, 0, 6]}, vocabulary=5, seed=4)
    assert drawn.corpus.streams["word"].offsets.tolist() == [0, 4, 4, 10]
    assert [len(topics) for topics in drawn.topics["word"]] == [4, 0, 6]
    assert drawn.corpus.vocabulary == ("w0", "w1", "w2", "w3", "w4")
    assert drawn.n_topics == len(drawn.customers["mu"][()])
    words = np.split(drawn.corpus.streams["word"].words, [4, 4])
    pairs = Counter(
        (k, w) for ks, ws in zip(drawn.topics["word"], words, strict=True) for k, w in zip(ks, ws, strict=True)
    )
    assert pairs == {(k, w): n for (k,), ws in drawn.customers["phi"].items() for w, n in ws.items()}


def test_instances_use_the_codes_of_the_corpus():
    graph, _ = author_words()
    labels = ["bob", "ann", "bob"]
    drawn = simulate(graph, documents=3, tokens={"word": [1, 5, 2]}, groups={"author": labels}, vocabulary=4, seed=0)
    assert drawn.corpus.groups["author"].labels == ("bob", "ann")
    sizes = {key: sum(dishes.values()) for key, dishes in drawn.customers["nu"].items()}
    assert sizes == {(0,): 3, (1,): 5}


def test_same_seed_same_corpus():
    graph, _ = three_layers()
    first, again, other = (simulate(graph, documents=4, tokens=9, vocabulary=50, seed=s) for s in (7, 7, 8))
    words = [drawn.corpus.streams["word"].words.tolist() for drawn in (first, again, other)]
    assert words[0] == words[1] != words[2]
    assert first.customers == again.customers
    assert first.tables == again.tables


def test_concentrations_come_from_their_priors():
    g = Graph()
    mu = g.gem("mu", concentration=Gamma(2.0, 4.0))
    nu = g.pyp("nu", base=mu, plate="author", concentration=Gamma(2.0, 0.5), concentration_per="instance")
    phi = g.pyp("phi", base=uniform("vocabulary"), plate="topic", concentration=0.25)
    g.tokens("word", topic=nu, emit=phi)
    drawn = [simulate(g, documents=3, tokens=1, groups={"author": "abc"}, vocabulary=2, seed=s) for s in range(300)]
    assert {d.concentrations["phi"] for d in drawn} == {0.25}
    layer = [d.concentrations["mu"] for d in drawn]
    assert abs(np.mean(layer) - 0.5) < 4 * math.sqrt(2.0) / 4.0 / math.sqrt(300)
    single = [list(d.concentrations["nu"].values()) for d in drawn]
    assert {len(set(values)) for values in single} == {3}
    assert abs(np.mean(single) - 4.0) < 4 * math.sqrt(2.0) / 0.5 / math.sqrt(900)
    spread = np.std(single)
    assert 0.8 < spread / (math.sqrt(2.0) / 0.5) < 1.2


def test_own_vocabularies_share_no_word():
    graph, _ = own_vocabularies()
    drawn = simulate(graph, documents=5, tokens=20, vocabulary={"word": 3, "tag": ["#a", "#b"]}, seed=1)
    assert drawn.corpus.vocabulary == ("word_0", "word_1", "word_2", "#a", "#b")
    assert drawn.vocabularies["tag"].tolist() == [3, 4]
    assert set(drawn.corpus.streams["word"].words.tolist()) == {0, 1, 2}
    assert set(drawn.corpus.streams["tag"].words.tolist()) == {3, 4}


def test_the_shared_vocabulary_is_every_word_of_the_corpus():
    g = Graph()
    mu = g.gem("mu")
    phi = g.dirichlet("phi", over="vocabulary", plate="topic", concentration=50.0)
    psi = g.dirichlet("psi", over="tag", plate="topic", concentration=50.0)
    g.tokens("word", topic=mu, emit=phi)
    g.tokens("tag", topic=mu, emit=psi)
    drawn = simulate(g, documents=1, tokens=100, vocabulary={"vocabulary": 2, "tag": 2}, seed=1)
    assert len(drawn.corpus.vocabulary) == 4
    assert set(drawn.corpus.streams["word"].words.tolist()) == {0, 1, 2, 3}
    assert set(drawn.corpus.streams["tag"].words.tolist()) == set(drawn.vocabularies["tag"].tolist())


def test_finite_topics_stay_within_the_root():
    graph, _ = finite_topics()
    drawn = simulate(graph, documents=30, tokens=5, vocabulary=4, seed=1)
    assert drawn.n_topics == 2
    assert drawn.tables["mu"][()] == {}


def test_a_mix_sends_its_tables_by_the_fixed_weights():
    g = Graph()
    mu = g.gem("mu")
    one, two = g.pyp("one", base=mu), g.pyp("two", base=mu)
    theta = g.pyp("theta", base=mix(one, two, weights=(0.2, 0.8)), plate="document", discount=0.0, concentration=1e9)
    phi = g.dirichlet("phi", over="vocabulary", plate="topic")
    g.tokens("word", topic=theta, emit=phi)
    drawn = simulate(g, documents=1, tokens=2000, vocabulary=2, seed=1)
    to_one = sum(to[0] for to in drawn.tables_to["theta"][0,].values())
    assert abs(to_one - 400) < 4 * math.sqrt(2000 * 0.2 * 0.8)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"documents": 0}, "documents is 0; at least one"),
        ({"groups": None}, "'nu' is per author, but there is no 'author' among the groups"),
        ({"groups": {"author": ["ann"]}}, r"groups\['author'\] has 1 labels for 2 documents"),
        ({"groups": {"author": 0}}, r"groups\['author'\] asks for 0 labels"),
        ({"tokens": {"word": 2}}, "tokens says nothing about 'hashtag', a stream of the graph"),
        (
            {"tokens": {"word": 2, "hashtag": 1, "url": 1}},
            "tokens names 'url', but the graph only has 'hashtag', 'word'",
        ),
        ({"tokens": {"word": [2], "hashtag": 1}}, r"tokens\['word'\] has 1 lengths for 2 documents"),
        ({"tokens": -1}, "negative length"),
        ({"vocabulary": 0}, r"vocabulary\['vocabulary'\] is empty"),
        ({"vocabulary": ["a", "b", "a"]}, "the word 'a' occurs twice"),
        ({"vocabulary": "abc"}, "is a string; give a list of words"),
        ({"vocabulary": {"tags": 3}}, "vocabulary says nothing about 'vocabulary'"),
    ],
)
def test_errors_teach(changed, message):
    graph, _ = diamond()
    right = {"documents": 2, "tokens": 3, "groups": {"author": 2}, "vocabulary": 5, "seed": 1}
    with pytest.raises(PlanError, match=message):
        simulate(graph, **(right | changed))


def test_one_list_of_words_cannot_serve_two_vocabularies():
    graph, _ = own_vocabularies()
    with pytest.raises(PlanError, match="2 vocabularies .word, tag. but only one list"):
        simulate(graph, documents=1, tokens=1, vocabulary=["x"], seed=1)
