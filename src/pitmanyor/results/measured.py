"""What a fit can be asked about its own worth: the measures of `pitmanyor.evaluate` as methods, one name for both."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from pitmanyor import evaluate
from pitmanyor.corpus import Corpus
from pitmanyor.corpus.hold import HeldOut
from pitmanyor.errors import PlanError
from pitmanyor.evaluate import Diagnosis, LinkScores, Matching, Perplexity, Quantity, Stability, TopicCount
from pitmanyor.evaluate.clustering import Labels
from pitmanyor.evaluate.coherence import Measure
from pitmanyor.fold_in import Completion
from pitmanyor.results.posterior import Posterior, Traced

Floats = NDArray[np.float64]


class Measured(Traced, ABC):
    """A chain with its corpus, and how good it is. docs/evaluation.md has every formula."""

    @property
    @abstractmethod
    def corpus(self) -> Corpus:
        """What was fitted."""

    def perplexity(
        self,
        test: Corpus,
        *,
        completion: Completion = "gibbs",
        observed: float = 0.5,
        sweeps: int = 20,
        seed: int = 0,
        threads: int | None = None,
    ) -> Perplexity:
        """Perplexity of documents that were not in the fit; see `pitmanyor.evaluate.perplexity`."""
        return evaluate.perplexity(
            self, test, completion=completion, observed=observed, sweeps=sweeps, seed=seed, threads=threads
        )

    def left_to_right(
        self, test: Corpus, *, sweeps: int = 200, seed: int = 0, threads: int | None = None
    ) -> Perplexity:
        """Perplexity of whole documents, token by token: a check, for small data."""
        return evaluate.left_to_right(self, test, sweeps=sweeps, seed=seed, threads=threads)

    def token_probabilities(
        self,
        given: Corpus,
        scored: Corpus,
        *,
        stream: str | None = None,
        completion: Completion = "gibbs",
        sweeps: int = 20,
        seed: int = 0,
        threads: int | None = None,
    ) -> Floats:
        """p(token) of every token of `scored` given those of `given`, which has the same documents."""
        return evaluate.token_probabilities(
            self, given, scored, stream=stream, completion=completion, sweeps=sweeps, seed=seed, threads=threads
        )

    def link_scores(self, held: HeldOut, links: str | None = None) -> LinkScores:
        """AUC and average precision on the pairs that `Corpus.hide_links` held out."""
        return evaluate.link_scores(self, held, links)

    def dominant_topics(self, *, cap: int | None = None) -> NDArray[np.int64]:
        """The topic with the largest share in each document; `cap` leaves only the so many largest topics to choose."""
        return evaluate.dominant_topics(self, cap=cap)

    def purity(self, labels: str | Labels, *, cap: int | None = None) -> float:
        """The share of documents whose label is the commonest one of their dominant topic.

        labels: one a document, or the name of a grouping of the corpus, in which documents without one are left out.
        """
        return evaluate.purity(*self._clusters(labels, cap))

    def nmi(self, labels: str | Labels, *, cap: int | None = None) -> float:
        """Normalised mutual information of dominant topics and labels; `labels` as in `purity`."""
        return evaluate.nmi(*self._clusters(labels, cap))

    def adjusted_rand(self, labels: str | Labels, *, cap: int | None = None) -> float:
        """The adjusted Rand index of dominant topics and labels; `labels` as in `purity`."""
        return evaluate.adjusted_rand(*self._clusters(labels, cap))

    def _clusters(self, labels: str | Labels, cap: int | None) -> tuple[Labels, Labels]:
        """Dominant topics and labels of the documents that have one."""
        clusters = self.dominant_topics(cap=cap)
        if not isinstance(labels, str):
            return clusters, labels
        if labels not in self.corpus.groups:
            known = ", ".join(map(repr, self.corpus.groups)) or "none"
            raise PlanError(f"no grouping {labels!r} to hold clusters against: this corpus has {known}")
        group = self.corpus.groups[labels]
        return clusters[group.known], group.codes[group.known]

    def coherence(
        self,
        measure: Measure = "npmi",
        *,
        reference: Corpus | None = None,
        n_words: int = 10,
        window: int | None = None,
    ) -> Floats:
        """The coherence of every topic's likeliest words in a reference corpus, by default the one that was fitted."""
        words = evaluate.top_words(self, n_words)
        return evaluate.coherence(words, reference or self.corpus, measure, window=window)

    def diversity(self, n_words: int = 10, stream: str | None = None, *, least: float = 0.0) -> float:
        """The share of different words among the topics' likeliest ones; `least`: a share of the tokens they need."""
        return evaluate.diversity(evaluate.top_words(self, n_words, stream, least=least))

    def topic_count(self, *others: Traced, discard: float = 0.5) -> TopicCount:
        """How many topics there are, with an interval over all chains, and how many smaller ones; `print` it."""
        return evaluate.topic_count([self, *others], discard=discard)

    def effective_topics(self) -> float:
        """How many topics of equal size would be as spread out: the posterior mean."""
        return evaluate.effective_topics(self)

    def topic_shares(self) -> Floats:
        """Each topic's share of the tokens of all streams."""
        return evaluate.topic_shares(self)

    def convergence(self, *others: Traced, discard: float = 0.5) -> list[Quantity]:
        """R-hat and effective sample sizes of this chain, better with others of the same model."""
        return evaluate.convergence([self, *others], discard=discard)

    def match_topics(self, other: Posterior, stream: str | None = None) -> Matching:
        """The topics of this fit paired with those of another."""
        return evaluate.match_topics(self, other, stream)

    def stability(self, *others: Traced, stream: str | None = None) -> Stability:
        """How many chains found each topic: of this fit, and of others of the same model."""
        chains = [chain for fit in (self, *others) for chain in fit.chains if chain.state is not self.state]
        return evaluate.stability(self, chains, stream)

    def diagnose(self, *others: Traced, discard: float = 0.5) -> Diagnosis:
        """Whether to trust this chain, better with others of the same model; `print` it."""
        return evaluate.diagnose([self, *others], discard=discard)
