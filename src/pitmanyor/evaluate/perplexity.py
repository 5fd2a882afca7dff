"""Perplexity of held-out documents, by completion and left to right (docs/evaluation.md)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.call_checks import checked_call
from pitmanyor.corpus import Corpus
from pitmanyor.errors import PlanError
from pitmanyor.evaluate.token_parts import Mask, pick, places, whole, with_tokens
from pitmanyor.fold_in import Completion, Way, main_stream, predict
from pitmanyor.plan.silence import is_silent
from pitmanyor.results.posterior import Posterior

Floats = NDArray[np.float64]
MOST_TOKENS = 20_000_000  # most tokens of all prefixes together


@dataclass(frozen=True)
class Perplexity:
    """exp of minus the mean log probability of the scored tokens, in total and by stream.

    `n_dropped` counts the tokens of each stream that were not scored because the fit does not know their words.
    """

    log_likelihood: dict[str, float]
    n_scored: dict[str, int]
    n_dropped: dict[str, int]
    n_states: int

    @property
    def n_tokens(self) -> int:
        """Number of scored tokens, over all streams."""
        return sum(self.n_scored.values())

    @property
    def total(self) -> float:
        """Perplexity of the tokens of all streams together."""
        return float(np.exp(-sum(self.log_likelihood.values()) / self.n_tokens))

    @property
    def by_stream(self) -> dict[str, float]:
        """Perplexity of each stream."""
        return {name: float(np.exp(-self.log_likelihood[name] / n)) for name, n in self.n_scored.items() if n}

    def __str__(self) -> str:
        parts = ", ".join(f"{name} {value:,.1f}" for name, value in self.by_stream.items())
        return f"perplexity {self.total:,.1f} of {self.n_tokens:,} tokens ({parts})"


class Stage(NamedTuple):
    """A stream to be scored: the observed tokens, and the tokens of the stream that are scored."""

    stream: str
    given: Corpus
    scored: Corpus


@checked_call()
def perplexity(
    fit: Posterior,
    test: Corpus,
    *,
    completion: Completion = "gibbs",
    observed: float = 0.5,
    sweeps: int = 20,
    seed: int = 0,
    threads: int | None = None,
) -> Perplexity:
    """Perplexity of held-out documents by document completion, averaged over the states that the fit kept.

    A random share of the words of every document is observed and not scored. Other streams (hashtags) are scored given
    these words, one stream after the other; then the remaining words, given everything before.

    Parameters
    ----------
    fit
        A `Fit`, or one state of it.
    test
        Documents that were not fitted.
    completion
        "gibbs" for Gibbs sweeps over the observed tokens; "paper" for the paper's single pass, which is biased.
    observed
        Share of the words that is observed. 0 is the paper's formula: hashtags by themselves, all words given hashtags.
    sweeps
        Number of Gibbs sweeps, or of passes with "paper".
    seed
        Random seed; it also selects the observed words.
    threads
        Number of threads. Results do not depend on it.
    """
    if not 0.0 <= observed < 1.0:
        raise PlanError(f"observed must be the share of words that are given, from 0 to below 1, not {observed!r}")
    return _score(fit, _completion_stages(fit, test, observed, seed), Way(completion, sweeps, seed, threads))


@checked_call()
def left_to_right(
    fit: Posterior, test: Corpus, *, sweeps: int = 200, seed: int = 0, threads: int | None = None
) -> Perplexity:
    """Perplexity of whole documents: every token given all tokens before it, hashtags before words.

    The product is the probability of the document itself, averaged over states. It folds in the document once per
    token, so it is a check for small data.

    Parameters
    ----------
    fit
        A `Fit`, or one state of it.
    test
        Documents that were not fitted.
    sweeps
        Number of Gibbs sweeps for each token.
    seed
        Random seed.
    threads
        Number of threads. Results do not depend on it.
    """
    return _score_documents(fit, test, Way("gibbs", sweeps, seed, threads))


@checked_call()
def token_probabilities(
    fit: Posterior,
    given: Corpus,
    scored: Corpus,
    *,
    stream: str | None = None,
    completion: Completion = "gibbs",
    sweeps: int = 20,
    seed: int = 0,
    threads: int | None = None,
) -> Floats:
    """Probability of every token of `scored` given the tokens of `given`, averaged over posterior states.

    Words that the fit does not know have the value nan.

    Parameters
    ----------
    fit
        A `Fit`, or one state of it.
    given
        Observed tokens.
    scored
        Tokens to score, in the same documents.
    stream
        Stream to score; by default the words.
    completion, sweeps, seed, threads
        As in `perplexity`.
    """
    name = stream or streams_of(fit)[-1]
    if name not in streams_of(fit) or name not in scored.streams:
        raise PlanError(
            f"no stream {name!r}: the fit has {', '.join(streams_of(fit))}, the corpus {', '.join(scored.streams)}"
        )
    if given.n_documents != scored.n_documents:
        raise PlanError(
            f"given and scored are the same documents, but one has {given.n_documents} and one {scored.n_documents}"
        )
    return _averaged(fit, Stage(name, given, scored), Way(completion, sweeps, seed, threads))


def streams_of(fit: Posterior) -> list[str]:
    """The streams in the order in which they are scored: words last (if there are none, the first stream last)."""
    if is_silent(fit.state.plan.graph):
        raise PlanError("this model has links only, so there is no text to score")
    main = main_stream(fit.state.plan).name
    return [*(stream.name for stream in fit.state.plan.graph.streams if stream.name != main), main]


def _completion_stages(fit: Posterior, test: Corpus, observed: float, seed: int) -> Iterator[Stage]:
    names = [name for name in streams_of(fit) if name in test.streams]
    given: dict[str, Mask] = {}
    if names and names[-1] == streams_of(fit)[-1]:
        given[names[-1]] = pick(test.streams[names[-1]], observed, seed)
    for name in names:
        rest = ~given[name] if name in given else whole(test.streams[name])
        yield Stage(name, with_tokens(test, given), with_tokens(test, {name: rest}))
        given[name] = whole(test.streams[name])


def _prefix_stages(fit: Posterior, test: Corpus) -> Iterator[Stage]:
    """Make every token a separate document, given the tokens before it in its document."""
    names = [name for name in streams_of(fit) if name in test.streams]
    for s, name in enumerate(names):
        stream = test.streams[name]
        owner, place = stream.documents, places(stream)
        size = sum(int(test.streams[earlier].lengths[owner].sum()) for earlier in names[:s]) + int(place.sum())
        if size > MOST_TOKENS:
            raise PlanError(
                f"from left to right these documents need {size:,} tokens to be folded in, more than {MOST_TOKENS:,}; "
                "take fewer or shorter ones (test.subset), or use perplexity"
            )
        copies = test.subset(owner)
        own = copies.streams[name]
        before = places(own) < np.repeat(place, own.lengths)
        at = places(own) == np.repeat(place, own.lengths)
        given = {earlier: whole(copies.streams[earlier]) for earlier in names[:s]} | {name: before}
        yield Stage(name, with_tokens(copies, given), with_tokens(copies, {name: at}))


def _score(fit: Posterior, stages: Iterator[Stage], way: Way) -> Perplexity:
    logs, scored, dropped = {}, {}, {}
    for stage in stages:
        chances = _averaged(fit, stage, way)
        known = ~np.isnan(chances)
        logs[stage.stream] = float(np.log(chances[known]).sum())
        scored[stage.stream], dropped[stage.stream] = int(known.sum()), int((~known).sum())
    return _checked(Perplexity(logs, scored, dropped, len(fit.weighted_draws)))


def document_log_likelihoods(fit: Posterior, test: Corpus, *, observed: float = 0.5, seed: int = 0) -> Floats:
    """Log probability of the scored tokens of every document, by completion as in `perplexity`."""
    total = np.zeros(test.n_documents)
    for stage in _completion_stages(fit, test, observed, seed):
        chances = _averaged(fit, stage, Way("gibbs", None, seed, None))
        known = ~np.isnan(chances)
        total += np.bincount(stage.scored.streams[stage.stream].documents[known], np.log(chances[known]), len(total))
    return total


def _score_documents(fit: Posterior, test: Corpus, way: Way) -> Perplexity:
    """Average whole documents over states, because the first tokens say which states explain the rest.

    The contribution of a stream is what it adds to the log probability of the documents, given the streams before it.
    """
    logs, scored, dropped = {}, {}, {}
    draws = fit.weighted_draws
    sums, before = np.zeros((len(draws), test.n_documents)), 0.0
    weights = np.log([weight for _, weight in draws])[:, None]
    for stage in _prefix_stages(fit, test):
        owner = test.streams[stage.stream].documents
        for total, (draw, _) in zip(sums, draws, strict=True):
            chances = predict(draw, stage.given, stage.scored, stage.stream, way)
            known = ~np.isnan(chances)  # the same for all states
            total += np.bincount(owner[known], np.log(chances[known]), test.n_documents)
        scored[stage.stream], dropped[stage.stream] = int(known.sum()), int((~known).sum())
        so_far = float(np.logaddexp.reduce(sums + weights, axis=0).sum())
        logs[stage.stream], before = so_far - before, so_far
    return _checked(Perplexity(logs, scored, dropped, len(draws)))


def _checked(found: Perplexity) -> Perplexity:
    if not found.n_tokens:
        raise PlanError(
            "no token of these documents is in the vocabulary of the fit, so none can be scored; read them with the "
            "options that its corpus was read with"
        )
    return found


def _averaged(fit: Posterior, stage: Stage, way: Way) -> Floats:
    """Probabilities averaged over states. Topics and words of different states are never combined (label switching)."""
    draws, weights = zip(*fit.weighted_draws, strict=True)
    chances = [predict(draw, stage.given, stage.scored, stage.stream, way) for draw in draws]
    return np.asarray(np.average(chances, axis=0, weights=weights))
