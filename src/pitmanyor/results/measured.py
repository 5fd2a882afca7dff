"""Measures of a fit: the functions of `pitmanyor.evaluate` as methods of the same names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor import evaluate
from pitmanyor.call_checks import checked_methods
from pitmanyor.corpus import Corpus
from pitmanyor.corpus.hold import HeldOut
from pitmanyor.errors import PlanError
from pitmanyor.evaluate import Diagnosis, LinkScores, Matching, Perplexity, Quantity, Stability, TopicCount
from pitmanyor.evaluate.clustering import Labels
from pitmanyor.evaluate.coherence import Measure
from pitmanyor.fold_in import Completion
from pitmanyor.results.new_documents import to_infer
from pitmanyor.results.posterior import Posterior, Traced

Floats = NDArray[np.float64]


@checked_methods()
class Measured(Traced, ABC):
    """A chain with its corpus, and its measures. docs/evaluation.md has every formula."""

    @property
    @abstractmethod
    def corpus(self) -> Corpus:
        """The corpus that was fitted."""

    def perplexity(
        self,
        test: Any,
        *,
        completion: Completion = "gibbs",
        observed: float = 0.5,
        sweeps: int = 20,
        seed: int = 0,
        threads: int | None = None,
    ) -> Perplexity:
        """Perplexity of held-out documents by document completion.

        Parameters
        ----------
        test
            Documents that were not fitted: a Corpus, or whatever `infer` takes.
        completion, observed, sweeps, seed, threads
            As in `pitmanyor.evaluate.perplexity`.
        """
        test = to_infer(test, self.corpus, self.stream().name)
        return evaluate.perplexity(
            self, test, completion=completion, observed=observed, sweeps=sweeps, seed=seed, threads=threads
        )

    def left_to_right(self, test: Any, *, sweeps: int = 200, seed: int = 0, threads: int | None = None) -> Perplexity:
        """Perplexity of whole held-out documents, token by token: a check for small data.

        Parameters
        ----------
        test
            Documents that were not fitted: a Corpus, or whatever `infer` takes.
        sweeps, seed, threads
            As in `pitmanyor.evaluate.left_to_right`.
        """
        test = to_infer(test, self.corpus, self.stream().name)
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
        """Probability of every token of `scored` given the tokens of `given`, in the same documents.

        Parameters
        ----------
        given
            Observed tokens.
        scored
            Tokens to score.
        stream, completion, sweeps, seed, threads
            As in `pitmanyor.evaluate.token_probabilities`.
        """
        return evaluate.token_probabilities(
            self, given, scored, stream=stream, completion=completion, sweeps=sweeps, seed=seed, threads=threads
        )

    def link_scores(self, held: HeldOut, links: str | None = None) -> LinkScores:
        """AUC and average precision on held-out pairs.

        Parameters
        ----------
        held
            The pairs that `Corpus.hide_links` held out.
        links
            Link set, if the model has several.
        """
        return evaluate.link_scores(self, held, links)

    def dominant_topics(self, *, n_topics: int | None = None) -> NDArray[np.int64]:
        """The topic with the largest share in each document.

        Parameters
        ----------
        n_topics
            Consider only this many topics, the largest over all documents.
        """
        return evaluate.dominant_topics(self, n_topics=n_topics)

    def purity(self, labels: str | Labels, *, n_topics: int | None = None) -> float:
        """Share of documents whose label is the most common one of their dominant topic.

        Parameters
        ----------
        labels
            One label per document, or the name of a grouping; documents without a label are ignored.
        n_topics
            As in `dominant_topics`.
        """
        return evaluate.purity(*self._clusters(labels, n_topics))

    def nmi(self, labels: str | Labels, *, n_topics: int | None = None) -> float:
        """Normalised mutual information of dominant topics and labels.

        Parameters
        ----------
        labels, n_topics
            As in `purity`.
        """
        return evaluate.nmi(*self._clusters(labels, n_topics))

    def adjusted_rand(self, labels: str | Labels, *, n_topics: int | None = None) -> float:
        """Adjusted Rand index of dominant topics and labels.

        Parameters
        ----------
        labels, n_topics
            As in `purity`.
        """
        return evaluate.adjusted_rand(*self._clusters(labels, n_topics))

    def _clusters(self, labels: str | Labels, n_topics: int | None) -> tuple[Labels, Labels]:
        """Dominant topics and labels of the documents that have a label."""
        clusters = self.dominant_topics(n_topics=n_topics)
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
        """Coherence of the most likely words of every topic.

        Parameters
        ----------
        measure
            "npmi", "pmi" or "c_v".
        reference
            Corpus in which co-occurrences are counted; by default the fitted one.
        n_words
            Number of words per topic.
        window
            Window size in tokens; 0 for whole documents.
        """
        words = evaluate.top_words(self, n_words)
        return evaluate.coherence(words, reference or self.corpus, measure, window=window)

    def diversity(self, n_words: int = 10, stream: str | None = None, *, large: bool = False) -> float:
        """Share of distinct words among the most likely words of all topics.

        Parameters
        ----------
        n_words
            Number of words per topic.
        stream
            Stream; by default the words.
        large
            Only the large topics, those that `topic_count` counts.
        """
        return evaluate.diversity(evaluate.top_words(self, n_words, stream, large=large))

    def topic_count(self, *others: Traced, discard: float | None = None) -> TopicCount:
        """The number of large topics with an interval over all chains, and the smaller topics; `print` it.

        Parameters
        ----------
        others
            More chains of the same model.
        discard
            Share of the sweeps to discard at the beginning; by default the burn-in of the fit.
        """
        return evaluate.topic_count([self, *others], discard=discard)

    def effective_topics(self) -> float:
        """Posterior mean of the effective number of topics, exp of the entropy of their shares."""
        return evaluate.effective_topics(self)

    def convergence(self, *others: Traced, discard: float | None = None) -> list[Quantity]:
        """R-hat and effective sample size of every quantity of the trace.

        Parameters
        ----------
        others
            More chains of the same model.
        discard
            Share of the sweeps to discard at the beginning; by default the burn-in of the fit.
        """
        return evaluate.convergence([self, *others], discard=discard)

    def match_topics(self, other: Posterior, stream: str | None = None) -> Matching:
        """Pair the topics of this fit with those of another.

        Parameters
        ----------
        other
            A fit with the same vocabulary.
        stream
            Stream whose words are compared; by default the words.
        """
        return evaluate.match_topics(self, other, stream)

    def stability(self, *others: Traced, stream: str | None = None) -> Stability:
        """How many chains found each topic.

        Parameters
        ----------
        others
            More chains of the same model, in addition to those of this fit.
        stream
            Stream whose words are compared; by default the words.
        """
        chains = [chain for fit in (self, *others) for chain in fit.chains if chain.state is not self.state]
        return evaluate.stability(self, chains, stream)

    def diagnose(self, *others: Traced, discard: float | None = None) -> Diagnosis:
        """Judge whether the chains have converged; `print` the result.

        Parameters
        ----------
        others
            More chains of the same model.
        discard
            Share of the sweeps to discard at the beginning; by default the burn-in of the fit.
        """
        return evaluate.diagnose([self, *others], discard=discard)
