"""What the score of a link consists of: words, links, who is popular, who is active, who answers."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.errors import PlanError
from pitmanyor.graph import Graph, Links
from pitmanyor.graph.validate import text_needs
from pitmanyor.network.block_prior import LEAST
from pitmanyor.network.cholesky import product
from pitmanyor.network.features import kernel_of, knots
from pitmanyor.network.inducing import PairFunction
from pitmanyor.network.similar_links import SimilarLinks
from pitmanyor.network.trait_prior import LATENT, RECEIVER, SENDER, mean_scores
from pitmanyor.sampling.link_prediction import find_links
from pitmanyor.sampling.observed_links import block_links, trait_links
from pitmanyor.state import State
from pitmanyor.state.means import mean

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Scores = Callable[[Floats, Floats, bool], Floats]
COMPARED = 500  # instances whose pairs say what is usual
BLOCK = 4096  # pairs at a time


class LinkParts(NamedTuple):
    """Parts of the scores of pairs, on the scale on which the model adds them.

    That is log-odds, logs of the rates of blocks, or standard scores of traits, whose normal distribution function is
    the probability.

    `base` is the score of a pair as it is on average, one number per pair. The others say by how much a pair differs
    from that: `words` by the vectors that the text has, `links` by the vectors that the links have beyond those,
    `popularity` by whom the link goes to, `activity` by whom it comes from, `answer` by what is known of the link back.
    A part that a model does not have is zero.
    """

    base: Floats
    words: Floats
    links: Floats
    popularity: Floats
    activity: Floats
    answer: Floats

    @property
    def score(self) -> Floats:
        """Their sum."""
        return np.asarray(np.sum(self, axis=0))


class Scorer(NamedTuple):
    """How a state scores the pairs of a link set.

    `vectors` scores the vectors of pairs, row by row or (crossed) all with all; `sent` and `received` are what each
    instance adds as a source and as a target; `answer` is what is added for the link back, for these rows and columns,
    and `beyond` what the links know of them beyond any vector.
    """

    vectors: Scores
    sent: Floats
    received: Floats
    answer: Callable[[Ints, Ints], Floats]
    beyond: Callable[[Ints, Ints], Floats] = lambda i, j: np.zeros(len(i))


def link_parts(state: State, sources: Sequence[Hashable], targets: Sequence[Hashable], name: str | None) -> LinkParts:
    """Parts of the scores of pairs of labels, given one state."""
    links = find_links(state, name)
    code = {label: i for i, label in enumerate(state.plan.instances[links.between].labels)}
    for label in (*sources, *targets):
        if label not in code:
            raise PlanError(f"{label!r} is not an instance of {links.between!r}: it has no documents in this fit")
    i, j = (np.array([code[label] for label in side], np.int64) for side in (sources, targets))
    scorer, text = SCORERS[links.kernel](state, links), text_node(state.plan.graph, links.between)
    own, own_usual = _of_vectors(state, links, links.between, (i, j), scorer.vectors)
    words, words_usual = np.zeros(len(i)), 0.0
    if text is not None:
        words, words_usual = _of_vectors(state, links, text, (i, j), scorer.vectors)
    sent, received = scorer.sent.mean(), scorer.received.mean()
    beyond, beyond_usual = scorer.beyond(i, j), _usual_beyond(scorer)
    return LinkParts(
        base=np.full(len(i), own_usual + beyond_usual + sent + received),
        words=words - words_usual,
        links=(own + beyond - words) - (own_usual + beyond_usual - words_usual),
        popularity=scorer.received[j] - received,
        activity=scorer.sent[i] - sent,
        answer=scorer.answer(i, j),
    )


def text_node(graph: Graph, between: str) -> str | None:
    """The node whose vectors the text has: the linked one, or the nearest above it that tokens need; None without text.

    >>> from pitmanyor.models import tntm
    >>> text_node(tntm(), "nu")
    'nu'
    """
    needed, plate = text_needs(graph), graph[between].plate
    name: str | None = between
    while name is not None and graph[name].plate == plate:
        if name in needed:
            return name
        name = graph[name].parents[0] if graph[name].parents else None
    return None


def _of_vectors(
    state: State, links: Links, node: str, pairs: tuple[Ints, Ints], scores: Scores
) -> tuple[Floats, float]:
    """The scores of a node's vectors: of these pairs, and the mean over pairs of instances spread over all."""
    vectors = mean(state, node, "discard")[_rows_of(state, node, links.between)]
    i, j = pairs
    parts = np.array_split(np.arange(len(i)), len(i) // BLOCK + 1)
    found = np.concatenate([scores(vectors[i[at]], vectors[j[at]], False) for at in parts])
    usual = vectors[np.unique(np.linspace(0, len(vectors) - 1, min(len(vectors), COMPARED)).astype(np.int64))]
    table, apart = scores(usual, usual, True), ~np.eye(len(usual), dtype=bool)
    return found, float(table[apart].mean()) if len(usual) > 1 else 0.0


def _usual_beyond(scorer: Scorer) -> float:
    """The mean of what is beyond the vectors over pairs of instances spread over all."""
    n = len(scorer.sent)
    some = np.unique(np.linspace(0, n - 1, min(n, COMPARED)).astype(np.int64))
    i, j = (side.ravel() for side in np.meshgrid(some, some))
    return float(scorer.beyond(i[i != j], j[i != j]).mean()) if n > 1 else 0.0


def _rows_of(state: State, node: str, like: str) -> Ints:
    """Rows of a node in the order of another's labels."""
    code = {label: i for i, label in enumerate(state.plan.instances[node].labels)}
    return np.array([code[label] for label in state.plan.instances[like].labels], np.int64)


def _without_effects(state: State, links: Links, vectors: Scores) -> Scorer:
    nothing = np.zeros(len(state.plan.instances[links.between]))
    return Scorer(vectors, nothing, nothing, lambda i, j: np.zeros(len(i)))


def similarity_scorer(state: State, links: Links) -> Scorer:
    """A random function of the cosine."""
    curve = _curve(state, links)

    def scores(left: Floats, right: Floats, crossed: bool) -> Floats:
        one, other = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (left, right))
        cosine = one @ other.T if crossed else (one * other).sum(axis=1)
        return np.asarray(np.interp(np.clip(cosine, 0.0, 1.0), knots(), curve))

    return _without_effects(state, links, scores)


def _curve(state: State, links: Links) -> Floats:
    return SimilarLinks(kernel_of(links)).score(state.network[f"{links.name}/weights"])


def pair_scorer(state: State, links: Links) -> Scorer:
    """A random function of both vectors."""
    item = PairFunction(kernel_of(links), state.n_topics, links.directed)
    weights = state.network[f"{links.name}/weights"]

    def scores(left: Floats, right: Floats, crossed: bool) -> Floats:
        one, other = item.features(left), item.features(right)
        if crossed:
            return item.scores(one, other, weights)
        single = [item.scores(one[k : k + 1], other[k : k + 1], weights)[0, 0] for k in range(len(one))]
        return np.array(single, np.float64)

    return _without_effects(state, links, scores)


def block_scorer(state: State, links: Links) -> Scorer:
    """Rates of events between topics, in logs: all parts together are log(-log(1 - p))."""
    item = block_links(state.plan, links, state.n_topics)
    item.weights = state.network[f"{links.name}/weights"]
    item.place(mean(state, links.between))
    rates = item.unknowns.rates

    def scores(left: Floats, right: Floats, crossed: bool) -> Floats:
        seen = product(right, rates.T)
        events = product(left, seen.T) if crossed else (left * seen).sum(axis=1)
        return np.asarray(np.log(np.maximum(events, LEAST)))

    def answer(i: Ints, j: Ints) -> Floats:
        chance = np.clip(item.probability(i, j), 1e-15, 1.0 - 1e-15)
        return np.asarray(np.log(-np.log1p(-chance)) - np.log(np.maximum(item.pair_rates(i, j), LEAST)))

    return Scorer(scores, np.log(item.unknowns.sent), np.log(item.unknowns.received), answer)


def trait_scorer(state: State, links: Links) -> Scorer:
    """Standard scores: what the vectors predict of both sides' latent traits, and what these have beyond that."""
    item = trait_links(state.plan, links, state.n_topics)
    item.weights = state.network[f"{links.name}/weights"]
    ahead, behind = np.split(item.unknowns.directions[LATENT:], 2)
    effects, means = item.unknowns.traits[[SENDER, RECEIVER]], mean_scores(item.unknowns)
    roots = np.sqrt(mean(state, links.between))

    def scores(left: Floats, right: Floats, crossed: bool) -> Floats:
        one, other = product(np.sqrt(left), ahead.T), product(np.sqrt(right), behind.T)
        return np.asarray(product(one, other.T) if crossed else (one * other).sum(axis=1))

    def beyond(i: Ints, j: Ints) -> Floats:
        return np.asarray(means[i, j] - effects[0, i] - effects[1, j] - scores(roots[i] ** 2, roots[j] ** 2, False))

    def answer(i: Ints, j: Ints) -> Floats:
        chance = np.clip(item.probability(i, j), 1e-15, 1.0 - 1e-15)
        return np.array([NormalDist().inv_cdf(p) for p in chance.tolist()], np.float64) - means[i, j]

    return Scorer(scores, effects[0], effects[1], answer, beyond)


SCORERS: dict[str, Callable[[State, Links], Scorer]] = {
    "similarity": similarity_scorer,
    "pair": pair_scorer,
    "blocks": block_scorer,
    "traits": trait_scorer,
}
