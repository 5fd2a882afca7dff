"""Stacking: weights of chains that disagree, by how well each predicts documents that were held out.

Chains that are stuck in different modes are not draws of one posterior, and the number of chains in a mode says nothing
about its mass. Yao, Vehtari and Gelman (2018; 2022 for chains that do not mix) weigh them by what they predict:

    w = argmax over the simplex of  sum_d log sum_c w_c p_c(d)

where p_c(d) is the density of document d under chain c without that document. Leaving out one document at a time by
importance sampling fails here, because a document may have a topic of its own. So a tenth of the documents is taken out
of all chains; each chain sweeps the others for a while, from the topics that it had found, so that it stays in its mode
but forgets what only the held-out documents supported; and p_c(d) is the probability of one half of the words of d
given the other half, as in `perplexity`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pitmanyor import purposes
from pitmanyor.corpus import Corpus
from pitmanyor.evaluate.perplexity import document_log_likelihoods
from pitmanyor.graph import Graph
from pitmanyor.plan import compile_plan
from pitmanyor.results.posterior import Posterior
from pitmanyor.runs.advance import default_threads
from pitmanyor.runs.chain_settings import Settings
from pitmanyor.sampling.chain import Chain
from pitmanyor.seeds import generator
from pitmanyor.state import new_state
from pitmanyor.state.discount_values import take_discounts

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
HELD_OUT, MOST_HELD_OUT = 0.1, 1_000  # share of the documents, and their largest number
SWEEPS = 10  # of the other documents, before the held-out ones are scored
NEGLIGIBLE = 1e-3  # a smaller weight is none


def stacking_weights(log_densities: Floats, steps: int = 10_000, tolerance: float = 1e-10) -> Floats:
    """The weights of chains (rows) under which the log densities of documents (columns) of their mixture are largest.

    The function is concave; the EM algorithm goes up at every step.

    >>> stacking_weights(np.log([[0.2, 0.2, 0.1], [0.1, 0.1, 0.1]])).round(3)
    array([1., 0.])
    >>> stacking_weights(np.log([[0.2, 0.1], [0.1, 0.2]])).round(3)
    array([0.5, 0.5])
    """
    densities = np.exp(log_densities - log_densities.max(axis=0))
    weights = np.full(len(densities), 1.0 / len(densities))
    for _ in range(steps):
        mixed = weights[:, None] * densities
        new = (mixed / mixed.sum(axis=0)).mean(axis=1)
        done = np.abs(new - weights).max() < tolerance
        weights = new
        if done:
            break
    weights[weights < NEGLIGIBLE] = 0.0
    return np.asarray(weights / weights.sum())


def held_out_densities(chains: Sequence[Posterior], graph: Graph, settings: Settings) -> Floats:
    """log p_c(d): a row for each chain, a column for each document that is held out.

    graph: of the text; links are left out, as the documents are what is scored.
    """
    corpus = chains[0].state.plan.corpus
    for links in graph.link_sets:
        graph = graph.without(links.name)
    n_held = min(max(1, round(HELD_OUT * corpus.n_documents)), MOST_HELD_OUT)
    chosen = generator(settings.seed, purposes.HELD_DOCUMENTS).choice(corpus.n_documents, n_held, replace=False)
    held = np.zeros(corpus.n_documents, bool)
    held[chosen] = True
    test, rest = corpus.subset(held), corpus.subset(~held)
    rows = [document_log_likelihoods(_without(one, ~held, rest, graph, settings), test) for one in chains]
    return np.array(rows)


def _without(one: Posterior, kept: NDArray[np.bool_], rest: Corpus, graph: Graph, settings: Settings) -> Posterior:
    """A chain's state of the other documents, after some sweeps from the topics that it had found."""
    plan = compile_plan(graph, rest)
    state = new_state(plan, max_topics=settings.max_topics, rule=settings.sampler.rule)
    take_discounts(state, one.state)  # so few sweeps would not find them
    chain = Chain(
        state,
        seed=settings.seed,
        chain=settings.chain,
        passes=settings.sampler.passes,
        n_threads=default_threads(plan.n_tokens),
    )
    topics = np.empty(plan.n_tokens, np.int64)
    for s, stream in enumerate(plan.graph.streams):
        at = np.flatnonzero(plan.order.stream == s)
        found = one.token_topics(stream.name)[kept[one.state.plan.corpus.streams[stream.name].documents]]
        topics[at] = found[plan.order.source[at]]
    chain.initialise_at(np.unique(topics, return_inverse=True)[1])
    for _ in range(SWEEPS):
        chain.step()
    return Posterior(chain.state, chain.measures.log_joint)
