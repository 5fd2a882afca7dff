"""New documents: shares against enumeration, and what the fit knows nothing of."""

import itertools
import re

import numpy as np
import pytest

from exact_shares import Document
from pitmanyor import Corpus, PlanError, Sampler, fit, models, simulate
from pitmanyor.fold_in import Way
from pitmanyor.fold_in.adapt import adapt
from pitmanyor.fold_in.fixed_vectors import concentration_of, fixed_state, mean_vectors
from pitmanyor.fold_in.shares import _gibbs
from pitmanyor.kernels.restaurant.arrays import CONCENTRATION
from pitmanyor.state.engines import General

GRAPHS = {
    "hpyp": models.hpyp(),
    "hdp_lda": models.hdp_lda(),
    "lda": models.lda(3),
    "author_topic": models.author_topic(),
    "tntm": models.tntm().without("follows"),
    "bursty": models.bursty(models.hdp_lda()),
}


def fitted(name, sweeps=12, fixed_concentrations=False):
    graph = GRAPHS[name]
    fixed = graph.set("*", concentration=2.0)
    graph = fixed if fixed_concentrations else graph
    corpus = simulate(fixed, documents=25, tokens=8, groups={"author": 3}, vocabulary=12, seed=1).corpus
    return fit(
        graph, corpus, sweeps=sweeps, seed=1, max_topics=None if name == "lda" else 3, sampler=Sampler(moves=False)
    )


def seatings(topics, base, a, b):
    """(probability of the topics, mean of theta) summed over all table seatings of one document, over a fixed base."""
    states = {(): 1.0}  # tables as (topic, customers)
    for k in topics:
        new: dict = {}
        for tables, p in states.items():
            n = sum(size for _, size in tables)
            for i, (topic, size) in enumerate(tables):
                if topic == k:
                    grown = (*tables[:i], (k, size + 1), *tables[i + 1 :])
                    new[grown] = new.get(grown, 0.0) + p * (size - a) / (b + n)
            opened = (*tables, (k, 1))
            new[opened] = new.get(opened, 0.0) + p * (b + a * len(tables)) / (b + n) * base[k]
        states = new
    mean = np.zeros(len(base))
    for tables, p in states.items():
        theta = (b + a * len(tables)) * base
        for topic, size in tables:
            theta[topic] += size - a
        mean += p * theta / (b + len(topics))
    return sum(states.values()), mean


def exact_shares(result, words, base):
    """The posterior mean of theta given the words, by enumeration of all topics and seatings."""
    i = result.state.plan.index["theta"]
    node = result.graph["theta"]
    b = result.state.net.rests[CONCENTRATION, result.state.layout.blocks[i].rest]
    phi, k = result.mean("phi"), result.n_topics
    total, mass = np.zeros(k), 0.0
    for topics in itertools.product(range(k), repeat=len(words)):
        likelihood = np.prod([phi[z, w] for z, w in zip(topics, words, strict=True)])
        if node.kind == "dirichlet":
            counts, p = np.zeros(k), 1.0
            for n, z in enumerate(topics):
                p *= (counts[z] + b / k) / (b + n)
                counts[z] += 1
            mean = p * (counts + b / k) / (b + len(words))
        else:
            p, mean = seatings(topics, base, node.discount, b)
        total, mass = total + likelihood * mean, mass + likelihood * p
    return total / total.sum() if mass else total


@pytest.mark.parametrize("name", ["hpyp", "hdp_lda", "lda", "author_topic"])
def test_gibbs_shares_are_the_posterior_means(name):
    """Enumerated, with all shared nodes at their means. 40,000 sweeps leave an error below 0.01."""
    result = fitted(name)
    vocabulary = result.corpus.vocabulary
    documents = [[0, 0, 3], [1, 5, 7, 7], [2]]
    known = result.corpus.groups["author"].labels[0]
    new = Corpus.from_tokens(
        [[vocabulary[w] for w in document] for document in documents], groups={"author": [known, "nobody", known]}
    )
    found = result.infer(new, sweeps=40_000, seed=2)
    for d, document in enumerate(documents):
        if name == "author_topic":
            row = list(result.axes("nu").values())[0].index(known)
            base = result.mean("mu", "discard")[0] if d == 1 else result.mean("nu", "discard")[row]
        else:
            base = None if name == "lda" else result.mean(GRAPHS[name]["theta"].parents[0], "discard")[0]
        assert found.shares[d] == pytest.approx(exact_shares(result, document, base), abs=0.015)
    if name == "author_topic":
        assert found.n_unknown == {"author": 1}


def one_document(result, author, tokens):
    """A document over the vectors of a fit: (stream, word) of its tokens, and its author's number or None."""
    vectors = {}
    for node in result.graph.nodes:
        if not node.local:
            rows = result.mean(node.name, "discard") if node.side == "topic" else result.mean(node.name)
            vectors[node.name] = rows if node.per_topic else rows[0]
            if node.plate == ("author",):
                vectors[node.name] = rows[author] if author is not None else vectors[node.parents[0]]
    concentrations = {node.name: concentration_of(result.state, node.name) for node in result.graph.nodes if node.local}
    return Document(result.graph, vectors, concentrations, tuple(tokens))


DOCUMENTS = {
    "tntm": ([("hashtag", 3), ("word", 3), ("word", 5)], [("word", 1), ("word", 1), ("word", 2)], [("hashtag", 0)]),
    "bursty": ([("word", 0), ("word", 0), ("word", 3)], [("word", 1), ("word", 5), ("word", 5)], [("word", 2)]),
    "hpyp": ([("word", 0), ("word", 0), ("word", 3)], [("word", 1), ("word", 5), ("word", 5)], [("word", 2)]),
    "author_topic": ([("word", 0), ("word", 3), ("word", 3)], [("word", 4)] * 3, [("word", 2)]),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_gibbs_shares_of_any_network_are_the_posterior_means(name):
    """Every seating is enumerated. 40,000 sweeps (half of them kept) leave an error of some 0.003."""
    result = fitted(name)
    vocabulary, labels = result.corpus.vocabulary, result.corpus.groups["author"].labels
    streams = {stream.name: [] for stream in result.graph.streams}
    for tokens in DOCUMENTS[name]:
        for stream, documents in streams.items():
            documents.append([vocabulary[w] for s, w in tokens if s == stream])
    new = Corpus.from_tokens(streams, groups={"author": [labels[1], "nobody", labels[2]]}, vocabulary=vocabulary)
    found = result.infer(new, sweeps=40_000, seed=3).shares
    per_author = any(node.plate == ("author",) for node in result.graph.nodes)
    authors = list(result.axes("nu").values())[0] if per_author else []
    for d, tokens in enumerate(DOCUMENTS[name]):
        author = authors.index(labels[(1, 1, 2)[d]]) if authors and d != 1 else None
        exact = one_document(result, author, tokens).shares("theta")
        assert found[d] == pytest.approx(exact, abs=0.01)


def passes(document, expected=1.0, seen=()):
    """The paper's pass over a TNTM post, every way it can go: the expectation of its shares.

    Half of the customers of each node open tables, sent to its two parents in equal parts.
    """
    v, b, a = document.vectors, document.concentrations, document.graph["theta"].discount
    k = len(v["mu1"])
    words, tags = (sum((np.eye(k)[z] for s, z in seen if s == stream), np.zeros(k)) for stream in ("word", "hashtag"))

    def mean(customers, base, name):
        tables = customers / 2
        return (customers - a * tables + (b[name] + a * tables.sum()) * base) / (b[name] + customers.sum())

    def mixed(customers, first, second):
        to = customers.sum() / 4
        return ((1 + to) * first + (1 + to) * second) / (2 + 2 * to)

    at_tag = tags + words / 4
    eta = mean(words / 4 + at_tag / 4, v["nu"], "eta")
    theta_tag = mean(at_tag, mixed(at_tag, v["mu1"], eta), "theta_tag")
    theta = mean(words, mixed(words, eta, theta_tag), "theta")
    if len(seen) == len(document.tokens):
        return expected * theta / theta.sum()
    stream, word = document.tokens[len(seen)]
    weights = (theta if stream == "word" else theta_tag) * v["psi" if stream == "word" else "psi_tag"][:, word]
    chances = weights / weights.sum()
    return sum(passes(document, expected * chances[z], (*seen, (stream, z))) for z in range(k))


def test_the_pass_of_the_paper_over_a_network():
    """20,000 posts that are all alike leave an error of some 0.002; tokens come stream by stream, sorted by word."""
    result = fitted("tntm")
    vocabulary, author = result.corpus.vocabulary, result.corpus.groups["author"].labels[1]
    tokens = {"hashtag": [[vocabulary[3]]], "word": [[vocabulary[3], vocabulary[5]]]}
    post = Corpus.from_tokens(tokens, groups={"author": [author]}, vocabulary=vocabulary)
    row = list(result.axes("nu").values())[0].index(author)
    exact = passes(one_document(result, row, [("hashtag", 3), ("word", 3), ("word", 5)]))
    found = result.infer(post.subset([0] * 20_000), sweeps=1, seed=1, completion="paper").shares.mean(axis=0)
    assert found == pytest.approx(exact, abs=0.005)


@pytest.mark.parametrize("name", ["hpyp", "tntm"])
def test_long_documents_agree_with_the_general_engine(name):
    """Counts beyond those whose terms are tabulated. Small concentrations would keep chains in one mode."""
    result = fitted(name, fixed_concentrations=True)
    rng = np.random.default_rng(1)
    vocabulary, author = result.corpus.vocabulary, result.corpus.groups["author"].labels[1]
    words = [vocabulary[w] for w in rng.integers(12, size=400)]
    streams = {stream.name: [words] for stream in result.graph.streams}
    new = Corpus.from_tokens(streams, groups={"author": [author]}, vocabulary=vocabulary)
    found = result.infer(new, sweeps=3000, seed=1).shares[0]
    plan = adapt(result.state.plan, new).plan
    vectors = mean_vectors(result.state, plan, lambda node: result.mean(node, "discard"))
    state = fixed_state(result.state, plan, vectors)
    state.engine = General(plan)
    other = _gibbs(state, vectors, "theta", Way("gibbs", 3000, 2, 1))[0]
    assert found == pytest.approx(other / other.sum(), abs=0.02)


def test_words_that_come_often_in_a_document_of_its_own_words():
    """As above; words hold on to each other's topics, so a chain says little and hundreds are compared."""
    result = fitted("bursty", fixed_concentrations=True)
    vocabulary = result.corpus.vocabulary
    new = Corpus.from_tokens([[vocabulary[0]] * 90 + [vocabulary[1]] * 10] * 500, vocabulary=vocabulary)
    plan = adapt(result.state.plan, new).plan
    vectors = mean_vectors(result.state, plan, lambda node: result.mean(node, "discard"))
    state = fixed_state(result.state, plan, vectors)
    state.engine = General(plan)
    other = _gibbs(state, vectors, "theta", Way("gibbs", 200, 2, 1))
    one, other = result.infer(new, sweeps=200, seed=1, threads=1).shares, other / other.sum(axis=1, keepdims=True)
    error = np.sqrt((one.var(axis=0) + other.var(axis=0)) / 500)
    assert (np.abs(one.mean(axis=0) - other.mean(axis=0)) < 4.5 * error).all()
    assert error.max() < 0.03


def test_threads_do_not_change_shares():
    result = fitted("tntm", sweeps=4)
    new = result.corpus.subset(np.arange(25).repeat(10))
    one, two = (result.infer(new, sweeps=5, threads=threads).shares for threads in (1, 2))
    assert one.tobytes() == two.tobytes()


@pytest.mark.parametrize("completion", ["gibbs", "paper"])
@pytest.mark.parametrize("name", GRAPHS)
def test_known_and_unknown_words_authors_and_tags(name, completion):
    result = fitted(name, sweeps=4)
    word, author = result.corpus.vocabulary[0], result.corpus.groups["author"].labels[1]
    new = Corpus.from_tokens([[word, "never seen", word], [], ["unheard of"]], groups={"author": [author, "x", "y"]})
    before = result.state.net.counts.copy(), result.state.text.topic.copy()
    found = result.infer(new, sweeps=6, completion=completion)
    assert found.shares.shape == (3, result.n_topics) and found.topics == list(range(result.n_topics))
    assert found.shares.sum(axis=1) == pytest.approx(1.0) and (found.shares >= 0).all()
    assert found.n_dropped["word"] == 2
    assert np.array_equal(found.shares[1], found.shares[2])  # both have nothing but a fresh author
    assert not np.array_equal(found.shares[0], found.shares[1])
    again = result.infer(new, sweeps=6, completion=completion)
    assert found.shares.tobytes() == again.shares.tobytes()
    assert np.array_equal(before[0], result.state.net.counts) and np.array_equal(before[1], result.state.text.topic)


def test_a_corpus_without_authors_or_tags_will_do():
    result = fitted("tntm", sweeps=4)
    word = result.corpus.vocabulary[0]
    found = result.infer(Corpus.from_tokens([[word], [word, word]]), sweeps=4)
    assert found.shares.shape == (2, result.n_topics)
    assert (found.node, found.n_unknown) == ("theta", {"author": 1})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"completion": "guess"}, "completion must be one of gibbs, paper, not 'guess'"),
        ({"threads": 0}, "threads must be between 1 and"),
        ({"sweeps": 0}, "sweeps must be 1 or more, not 0"),
    ],
)
def test_arguments_are_refused_with_a_sentence(options, message):
    result = fitted("lda", sweeps=1)
    with pytest.raises(PlanError, match=re.escape(message)):
        result.infer(result.corpus, **options)
    with pytest.raises(PlanError, match="no token of these documents is in the vocabulary of the fit"):
        result.infer(Corpus.from_tokens([["never seen"]]))
