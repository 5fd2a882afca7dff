"""Models that learn step by step, ours and others', so that all can be stopped after the same CPU time.

Every learner hands over the same two things: its topics' word probabilities, and the Dirichlet pseudo-counts of a
document's topics. Ours also hands over its state, with which it can predict by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers import add_words, topic_words
from pitmanyor import Graph, Sampler, models
from pitmanyor.corpus import Corpus
from pitmanyor.plan import compile_plan
from pitmanyor.results.posterior import Posterior
from pitmanyor.sampling.chain import Chain
from pitmanyor.state import new_state

Floats = NDArray[np.float64]
BATCH = 256  # documents of a mini-batch, for those who learn online
COLLAPSED_FIRST = 0  # sweeps of ours before mixed ones; one takes as long as many of those
DIRICHLET_ROUNDS = 200


class Topics(NamedTuple):
    """phi (topics x words) and the pseudo-counts of a document's topics."""

    phi: Floats
    prior: Floats


class Learner(Protocol):
    def step(self) -> None:
        """Learn a little more."""

    def topics(self) -> Topics: ...


class Ours:
    """A graph sampled sweep by sweep, on one thread, with as many topics as it finds (but at most ten times K)."""

    def __init__(self, graph: Graph, train: Corpus, n_topics: int, seed: int) -> None:
        plan = compile_plan(graph, train)
        gem = any(node.kind == "gem" for node in graph.nodes)
        state = new_state(plan, max_topics=10 * n_topics if gem else None)
        self.chain = Chain(
            state, seed=seed, collapsed_first=COLLAPSED_FIRST, passes=Sampler().passes, n_threads=1, moves=gem
        )
        self.n_topics = n_topics  # topics dealt at first

    def step(self) -> None:
        if not self.chain.started:
            self.chain.initialise(self.n_topics)
        self.chain.step()

    @property
    def posterior(self) -> Posterior:
        return Posterior(self.chain.state, 0.0)

    def topics(self) -> Topics:
        """A document's prior is the Dirichlet that explains the fitted documents' topics best, as tomotopy learns it.

        Documents of a Pitman-Yor process have no such pseudo-counts of their own.
        """
        graph, stream = self.chain.state.plan.graph, self.chain.state.plan.graph.streams[0]
        words = next(name for name in (stream.emit, *graph[stream.emit].parents) if graph[name].plate == ("topic",))
        documents = self.chain.state.plan.corpus.streams[stream.name].documents
        prior = likeliest_dirichlet(documents, self.posterior.token_topics(), self.chain.state.n_topics)
        return Topics(self.posterior.mean(words), prior)


def likeliest_dirichlet(documents: NDArray[np.int64], topics: NDArray[np.int64], n_topics: int) -> Floats:
    """The Dirichlet of highest likelihood, given the topic of every token of every document (Minka's fixed point)."""
    from scipy.special import digamma

    keys, counts = np.unique(documents * n_topics + topics, return_counts=True)
    both, times = np.unique(np.stack([keys % n_topics, counts]), axis=1, return_counts=True)  # equal ones together
    lengths, alike = np.unique(np.bincount(documents), return_counts=True)
    prior = np.full(n_topics, 0.1)
    for _ in range(DIRICHLET_ROUNDS):
        gain = times * (digamma(both[1] + prior[both[0]]) - digamma(prior[both[0]]))
        loss = (alike * (digamma(lengths + prior.sum()) - digamma(prior.sum()))).sum()
        prior = np.maximum(prior * np.bincount(both[0], gain, n_topics) / loss, 1e-12)
    return np.asarray(prior)


class Tomotopy:
    """tomotopy's LDA or HDP with its own defaults, one worker."""

    def __init__(self, kind: str, train: Corpus, n_topics: int, seed: int) -> None:
        import tomotopy

        self.n_words, self.kind = len(train.vocabulary), kind
        made = {"LDA": lambda: tomotopy.LDAModel(k=n_topics, seed=seed)}
        made["HDP"] = lambda: tomotopy.HDPModel(initial_k=n_topics, seed=seed)
        self.model: Any = made[kind]()
        add_words(self.model, train)
        self.model.train(0, workers=1)

    def step(self) -> None:
        self.model.train(1, workers=1)

    def topics(self) -> Topics:
        live, phi = topic_words(self.model, self.n_words)
        if self.kind == "LDA":
            return Topics(phi, np.asarray(self.model.alpha, float)[live])
        counts = np.asarray(self.model.get_count_by_topics(), float)  # stand in for the global measure
        return Topics(phi, (float(self.model.alpha) * counts / counts.sum() + 1e-12)[live])


class GensimHdp:
    """gensim's online variational HDP with its own defaults, fed with mini-batches in a random order."""

    def __init__(self, train: Corpus, n_topics: int, seed: int) -> None:
        from gensim.corpora import Dictionary
        from gensim.models import HdpModel

        bags = _bags(train)
        names = Dictionary.from_corpus(bags, dict(enumerate(train.vocabulary)))
        self.n_words = len(train.vocabulary)
        # Its first topics are scaled by the size of the corpus, so it is given all; it learns one chunk of it at once.
        self.model: Any = HdpModel(bags, names, random_state=seed, chunksize=BATCH, max_chunks=1)
        self.batches = cycle(_batches(len(bags), seed))
        self.bags = bags

    def step(self) -> None:
        self.model.update_chunk([self.bags[d] for d in next(self.batches)])

    def topics(self) -> Topics:
        self.model.update_expectations()
        prior, phi = self.model.hdp_to_lda()
        full = np.full((len(phi), self.n_words), 1e-12)
        full[:, : phi.shape[1]] = phi
        return Topics(full / full.sum(axis=1, keepdims=True), np.asarray(prior) + 1e-12)


class SklearnLda:
    """scikit-learn's online variational LDA with its own defaults, fed with mini-batches in a random order."""

    def __init__(self, train: Corpus, n_topics: int, seed: int) -> None:
        from scipy.sparse import csr_matrix
        from sklearn.decomposition import LatentDirichletAllocation

        stream = train.streams["word"]
        ones, shape = np.ones(len(stream.words)), (train.n_documents, len(train.vocabulary))
        self.counts = csr_matrix((ones, (stream.documents, stream.words)), shape)
        self.model = LatentDirichletAllocation(n_topics, random_state=seed, n_jobs=1, total_samples=shape[0])
        self.batches = cycle(_batches(shape[0], seed))

    def step(self) -> None:
        self.model.partial_fit(self.counts[next(self.batches)])

    def topics(self) -> Topics:
        weight = self.model.components_
        prior = np.full(len(weight), self.model.doc_topic_prior_)
        return Topics(weight / weight.sum(axis=1, keepdims=True), prior)


def _batches(n_documents: int, seed: int) -> list[NDArray[np.int64]]:
    order = np.random.default_rng(seed).permutation(n_documents)
    return [order[start : start + BATCH] for start in range(0, n_documents, BATCH)]


def _bags(train: Corpus) -> list[list[tuple[int, int]]]:
    stream, out = train.streams["word"], []
    for start, stop in zip(stream.offsets[:-1], stream.offsets[1:], strict=True):
        words, counts = np.unique(stream.words[start:stop], return_counts=True)
        out.append(list(zip(words.tolist(), counts.tolist(), strict=True)))
    return out


Maker = Callable[[Corpus, int, int], Learner]
LEARNERS: dict[str, Maker] = {
    "scikit-learn LDA": SklearnLda,
    "gensim HDP": GensimHdp,
    "tomotopy LDA": lambda train, k, seed: Tomotopy("LDA", train, k, seed),
    "tomotopy HDP": lambda train, k, seed: Tomotopy("HDP", train, k, seed),
    "our LDA": lambda train, k, seed: Ours(models.lda(k), train, k, seed),
    "our HDP-LDA": lambda train, k, seed: Ours(models.hdp_lda(), train, k, seed),
    "our HPYP": lambda train, k, seed: Ours(models.hpyp(), train, k, seed),
    "our bursty HPYP": lambda train, k, seed: Ours(models.bursty(models.hpyp()), train, k, seed),
}
