"""Fitted: what fitting a model leaves, of one chain or of several as one object.

People have a `Fit` (insights.py), which adds what the topics are good for.
"""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pitmanyor.call_checks import checked_methods
from pitmanyor.corpus import Corpus
from pitmanyor.evaluate.diagnosis import chains_agree
from pitmanyor.evaluate.matching import Stability, aligned, central
from pitmanyor.evaluate.stacking import held_out_densities, stacking_weights
from pitmanyor.files import atomic_write
from pitmanyor.fold_in import Completion, TopicShares, Way, infer
from pitmanyor.graph import Graph, Node
from pitmanyor.results.averages import Averages
from pitmanyor.results.measured import Measured
from pitmanyor.results.new_documents import to_infer
from pitmanyor.results.posterior import Posterior
from pitmanyor.results.summary_html import fit_html
from pitmanyor.runs.advance import Run
from pitmanyor.runs.checkpoints import Checkpoints
from pitmanyor.runs.directory import NAMES, create, new_header
from pitmanyor.runs.fit_options import Method
from pitmanyor.runs.lock import hold
from pitmanyor.runs.weights import read_weights, write_weights
from pitmanyor.sampling.chain import Chain
from pitmanyor.sampling.link_parts import LinkParts
from pitmanyor.state.means import NewTopic
from pitmanyor.state.memory import Memory, memory_of

Floats = NDArray[np.float64]
NOT_EXACT = '; links by method="paper", which is not posterior-correct'


@checked_methods()
class Fitted(Measured):
    """A fitted model: the last state of its chain, the states that were kept, and the trace of every sweep.

    Topics are numbered as in the last state, and estimates are means over the states that were kept (`averages`). With
    several chains, both are those of the chain whose topics agree best with the others (`run`). The number of topics,
    the diagnosis and predictions use all of them. `chains` has each by itself. `home` is the directory of the run, if
    it is saved.
    """

    def __init__(self, runs: Run | Sequence[Run], home: str | os.PathLike[str] | None = None) -> None:
        self.runs = [runs] if isinstance(runs, Run) else list(runs)
        states = [Posterior(run.chain.state, run.chain.measures.log_joint) for run in self.runs]
        self.run = self.runs[central(states)]
        super().__init__(self.run.chain.state, self.run.chain.measures.log_joint)
        self.home = None if home is None else Path(home)

    @cached_property
    def chains(self) -> Sequence[Self]:
        """Every chain by itself."""
        return [self] if len(self.runs) == 1 else [type(self)(run) for run in self.runs]

    @cached_property
    def shared_topics(self) -> Stability | None:
        """How many of its chains found each topic; None for one chain, or if topics have no words of their own."""
        return self.stability() if len(self.runs) > 1 and self.has_topic_words else None

    @property
    def chain(self) -> Chain:
        """The chain whose state is shown."""
        return self.run.chain

    @property
    def samples(self) -> list[Posterior]:
        """The kept states in order, one chain after the other."""
        return [sample for run in self.runs for sample in run.samples.values()]

    @property
    def draws(self) -> list[Posterior]:
        """The states that predictions are averaged over: kept ones or, if there are none, the last of each chain."""
        if len(self.runs) == 1:
            return self.samples or [self]
        return [draw for chain in self.chains for draw in chain.draws]

    @cached_property
    def averages(self) -> Averages:
        """Means over the kept states of the chain that is shown, or of its last state if it kept none.

        Once a network has joined, states from before are left out.
        """
        linked = bool(self.state.network)
        kept = [one for one in self.run.samples.values() if not linked or one.state.network]
        return Averages(self, kept or [self])

    def _mean(self, node: str, new_topic: NewTopic) -> Floats:
        return self.averages.mean(node, new_topic)

    def _mix_weight(self, node: Node) -> Floats:
        return self.averages.mix_weight(node)

    def topic_shares(self) -> Floats:
        """Share of each topic in the tokens of all streams, as a mean over the kept states."""
        super().topic_shares()  # refuses a model without tokens
        return self.averages.topic_shares()

    @cached_property
    def weights(self) -> Floats:
        """The weights with which the chains enter predictions: equal if the chains agree, otherwise by stacking.

        Chains agree if R-hat of the log joint is at most 1.05 and topics that all of them found hold 85 % of the
        tokens. Otherwise they are weighed by how well they predict documents that are held out from each
        (`pitmanyor.evaluate.stacking`), and a saved run keeps the weights.
        """
        if len(self.runs) == 1 or not self.graph.streams or chains_agree(self.chains, self.shared_topics):
            return np.full(len(self.runs), 1.0 / len(self.runs))
        weights = None if self.home is None else read_weights(self.home, self.runs)
        if weights is None:
            weights = stacking_weights(held_out_densities(self.chains, self.graph, self.run.settings))
            if self.home is not None:
                write_weights(self.home, self.runs, weights)
        return weights

    @property
    def weighted_draws(self) -> list[tuple[Posterior, float]]:
        """The draws of all chains with the weights of their chains; chains of weight 0 are left out."""
        chains = zip(self.chains, self.weights.tolist(), strict=True)
        return [(draw, weight / len(chain.draws)) for chain, weight in chains if weight for draw in chain.draws]

    @property
    def seconds(self) -> float:
        return self.run.seconds

    @property
    def trace(self) -> Mapping[str, Floats]:
        """One value per sweep: log_joint, n_topics, topics/large and topics/effective; and of every node tables/,
        customers/ and concentration/, and discount/ where that is sampled. With several chains, it is the trace of the
        chain that is shown.
        """
        return _Trace(self.chain.trace)

    @property
    def graph(self) -> Graph:
        return self.run.graph

    @property
    def corpus(self) -> Corpus:
        return self.state.plan.corpus

    @property
    def n_sweeps(self) -> int:
        return self.chain.n_sweeps

    @property
    def burnt_share(self) -> float:
        """Share of the sweeps (with links, of those since they joined) that belongs to the burn-in.

        It is half of them if no burn-in was asked for, or if the chain was interrupted before its end.
        """
        burn_in = self.run.settings.burn_in
        if burn_in is None or burn_in >= self.n_sweeps:
            return 0.5
        before = (self.run.settings.network.text_sweeps or 0) if self.state.network else 0
        return max(burn_in - before, 0) / (self.n_sweeps - before)

    @property
    def memory(self) -> Memory:
        """Bytes of the state: count tables, tokens, and scratch."""
        return memory_of(self.state)

    @property
    def method(self) -> Method:
        """How links were sampled: "exact", or "paper", which is not posterior-correct."""
        return self.run.settings.network.method

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a run directory that `load` and `resume` take. No pickle: JSON and safetensors.

        Names of topics are saved too.
        """
        headers = [new_header(run.graph, run.settings, self.corpus) for run in self.runs]
        for place, header, run in zip(create(path, headers, self.corpus), headers, self.runs, strict=True):
            with hold(place):
                Checkpoints(place, header).write(run)
        if self.home is not None and (self.home / NAMES).is_file():
            with atomic_write(Path(path) / NAMES) as file:
                file.write((self.home / NAMES).read_bytes())
        self.home = self.home or Path(path)

    def _link_probability(self, sources: Sequence[Hashable], targets: Sequence[Hashable], links: str | None) -> Floats:
        """Averaged over the draws that have a network."""
        kept = [(draw, weight) for draw, weight in self.weighted_draws if draw.state.network]
        if not kept or kept[0][0] is self:
            return super()._link_probability(sources, targets, links)
        likely = [draw.link_probability(sources, targets, links) for draw, _ in kept]
        return np.asarray(np.average(likely, axis=0, weights=[weight for _, weight in kept]))

    def _link_parts(self, sources: Sequence[Hashable], targets: Sequence[Hashable], links: str | None) -> LinkParts:
        """Averaged over the draws that have a network."""
        kept = [(draw, weight) for draw, weight in self.weighted_draws if draw.state.network]
        if not kept or kept[0][0] is self:
            return super()._link_parts(sources, targets, links)
        parts = [draw.link_parts(sources, targets, links) for draw, _ in kept]
        return LinkParts(*np.average(parts, axis=0, weights=[weight for _, weight in kept]))

    def infer(
        self,
        documents: Any,
        *,
        sweeps: int | None = None,
        seed: int = 0,
        completion: Completion = "gibbs",
        threads: int | None = None,
        node: str | None = None,
    ) -> TopicShares:
        """Topic proportions of documents that were not fitted, with everything learned held fixed.

        Groups (such as authors) that the fit has not seen are treated as new. Words outside the vocabulary are ignored
        and counted. With several chains the proportions are averaged with their `weights`; topics of another chain
        count as the topics shown that most of their tokens have.

        Parameters
        ----------
        documents
            A Corpus, or texts, token lists, a data frame, a path or anything else that `read` accepts, which is read in
            the same way as the fitted corpus, with one document per post.
        sweeps
            Number of Gibbs sweeps; by default 32 for models with one document node and 96 for models with several, such
            as `tntm`. Models with words of a document's own have 20, or 10 for documents of up to 16 tokens.
        seed
            Random seed.
        completion
            "gibbs" averages over the last three quarters of the sweeps; "paper" makes one pass through every document
            (maths 7).
        threads
            Number of threads. Results do not depend on it.
        node
            Node whose proportions are returned, such as `theta_tag`; by default that of the words.
        """
        way = Way(completion, sweeps, seed, threads)
        corpus = to_infer(documents, self.corpus, self.stream().name)
        found = infer(self, corpus, way, node)
        if len(self.runs) == 1:
            return found
        total, variance = np.zeros_like(found.shares), np.zeros_like(found.shares)
        for chain, weight in zip(self.chains, self.weights.tolist(), strict=True):
            if weight:
                own = chain.state is self.state
                one = found if own else infer(chain, corpus, way, node)
                shares, squares = one.shares, one.standard_errors.astype(np.float64) ** 2
                if not own:
                    shares, squares = self._in_own_topics(chain, shares), self._in_own_topics(chain, squares)
                    squares /= shares.sum(axis=1, keepdims=True) ** 2
                    shares /= shares.sum(axis=1, keepdims=True)
                total += weight * shares
                variance += weight**2 * squares
        return replace(found, shares=total, standard_errors=np.sqrt(variance).astype(np.float32))

    def _in_own_topics(self, chain: Self, shares: Floats) -> Floats:
        """Sums over the topics of another chain by the topics that are shown."""
        place = aligned(self, chain)
        out = np.zeros((len(shares), self.n_topics))
        for topic in np.flatnonzero(place >= 0):  # an empty topic is like no other
            out[:, place[topic]] += shares[:, topic]
        return out

    def _repr_html_(self) -> str:
        return fit_html(self)

    def __repr__(self) -> str:
        n = len(self.runs)
        return (
            f"Fit({self.topic_count()}; {f'{n} chains of ' if n > 1 else ''}{self.n_sweeps} sweeps of "
            f"{self.state.plan.n_tokens:,} tokens in {self.seconds:.1f} s, log joint {self.log_joint:,.1f}"
            f"{NOT_EXACT * (self.method == 'paper')})"
        )


class _Trace(Mapping[str, Floats]):
    """A chain's trace as arrays; each is made when it is asked for."""

    def __init__(self, values: Mapping[str, Sequence[float]]) -> None:
        self._values = values

    def __getitem__(self, name: str) -> Floats:
        if name not in self._values:
            raise KeyError(f"the trace has no {name!r}; it has {', '.join(self._values)}")
        return np.array(self._values[name], np.float64)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)
