"""What the score of a link consists of: words, links, who is popular, who is active, who answers."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.graph import Graph, Links
from pitmanyor.graph.validate import text_needs
from pitmanyor.network.features import kernel_of, knots
from pitmanyor.network.inducing import PairFunction
from pitmanyor.network.similar_links import SimilarLinks
from pitmanyor.sampling.link_prediction import find_links
from pitmanyor.state import State
from pitmanyor.state.means import mean

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
# Effects that a state may have of a link set: a number per instance, and one for links that are answered.
SENDER, RECEIVER, RECIPROCITY = "sender", "receiver", "reciprocity"
COMPARED = 500  # instances whose pairs say what is usual


class LinkParts(NamedTuple):
    """Parts of the scores of pairs, on the scale of log-odds before noise; without an author they are those of a pair.

    `base` is the score of a pair as it is on average, one number per pair. The others say by how much a pair differs
    from that: `words` by the vectors that the text has, `links` by the vectors that the links have beyond those,
    `popularity` by whom the link goes to, `activity` by whom it comes from, `answer` by whether it is there the other
    way round. A part that a model does not have is zero.
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


def link_parts(state: State, sources: Sequence[Hashable], targets: Sequence[Hashable], name: str | None) -> LinkParts:
    """Parts of the scores of pairs of labels, given one state. `link_probability` has checked the labels."""
    links = find_links(state, name)
    labels = list(state.plan.instances[links.between].labels)
    code = {label: i for i, label in enumerate(labels)}
    i, j = (np.array([code[label] for label in side], np.int64) for side in (sources, targets))
    usual = np.unique(np.linspace(0, len(labels) - 1, min(len(labels), COMPARED)).astype(np.int64))
    own, own_usual = _of_vectors(state, links, links.between, (i, j), usual)
    text = text_node(state.plan.graph, links.between)
    if text is None:
        words, words_usual = np.zeros(len(i)), 0.0
    elif text == links.between:
        words, words_usual = own, own_usual
    else:
        words, words_usual = _of_vectors(state, links, text, (i, j), usual)
    sender, receiver = (_effect(state, links, which, len(labels)) for which in (SENDER, RECEIVER))
    base = np.full(len(i), own_usual + sender.mean() + receiver.mean())
    return LinkParts(
        base=base,
        words=words - words_usual,
        links=(own - words) - (own_usual - words_usual),
        popularity=receiver[j] - receiver.mean(),
        activity=sender[i] - sender.mean(),
        answer=_answers(state, links, sources, targets),
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


def _of_vectors(state: State, links: Links, node: str, pairs: tuple[Ints, Ints], usual: Ints) -> tuple[Floats, float]:
    """What the random function of the links makes of a node's vectors: of these pairs, and of all pairs of some."""
    vectors = mean(state, node, "discard")
    if node != links.between:  # columns of the vectors that weights belong to
        vectors = vectors[_rows_of(state, node, links.between)]
    scores = _pair_scores(state, links) if links.kernel == "pair" else _similarity_scores(state, links)
    i, j = pairs
    parts = np.array_split(np.arange(len(i)), len(i) // 4096 + 1)
    blocks = [scores(vectors[i[at]], vectors[j[at]], False) for at in parts]
    table = scores(vectors[usual], vectors[usual], True)
    apart = ~np.eye(len(usual), dtype=bool)
    return np.concatenate(blocks), float(table[apart].mean()) if len(usual) > 1 else float(table.mean())


def _rows_of(state: State, node: str, like: str) -> Ints:
    """Rows of a node in the order of another's labels."""
    code = {label: i for i, label in enumerate(state.plan.instances[node].labels)}
    return np.array([code[label] for label in state.plan.instances[like].labels], np.int64)


Scores = Callable[[Floats, Floats, bool], Floats]


def _similarity_scores(state: State, links: Links) -> Scores:
    item = SimilarLinks(kernel_of(links))
    curve = item.score(state.network[f"{links.name}/weights"])

    def scores(left: Floats, right: Floats, crossed: bool) -> Floats:
        one, other = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (left, right))
        cosine = one @ other.T if crossed else (one * other).sum(axis=1)
        return np.asarray(np.interp(np.clip(cosine, 0.0, 1.0), knots(), curve))

    return scores


def _pair_scores(state: State, links: Links) -> Scores:
    item = PairFunction(kernel_of(links), state.n_topics, links.directed)
    weights = state.network[f"{links.name}/weights"]

    def scores(left: Floats, right: Floats, crossed: bool) -> Floats:
        one, other = item.features(left), item.features(right)
        if crossed:
            return item.scores(one, other, weights)
        single = [item.scores(one[k : k + 1], other[k : k + 1], weights)[0, 0] for k in range(len(one))]
        return np.array(single, np.float64)

    return scores


def _effect(state: State, links: Links, which: str, n: int) -> Floats:
    """One number per instance; zeros if the model has no such effect."""
    found = state.network.get(f"{links.name}/{which}")
    return np.zeros(n) if found is None else np.asarray(found, np.float64)


def _answers(state: State, links: Links, sources: Sequence[Hashable], targets: Sequence[Hashable]) -> Floats:
    """The effect of reciprocity where a link the other way round is known."""
    strength = state.network.get(f"{links.name}/{RECIPROCITY}")
    if strength is None:
        return np.zeros(len(sources))
    known = set(state.plan.corpus.links[links.name].pairs)
    back = np.array([(b, a) in known for a, b in zip(sources, targets, strict=True)], np.float64)
    return np.asarray(back * float(np.ravel(strength)[0]))
