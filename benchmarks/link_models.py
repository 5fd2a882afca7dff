"""Models of pitmanyor by name, their ablations, and how well one of them predicts hidden links and unread posts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from inspect import getmembers, isfunction
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.link_cases import Case
from pitmanyor import Fit, Graph, Network, fit, models
from pitmanyor.evaluate import auc, average_precision
from pitmanyor.graph import Links

Floats = NDArray[np.float64]
N_TOPICS = 10  # of a model without text, which cannot infer it
KEEP = 100  # states: where few links are known, their predictions differ
AUTHOR = ("author",)


def without_text(graph: Graph) -> Graph:
    """
    >>> " ".join(without_text(models.tntm()).names)
    'mu0 nu follows'
    """
    for stream in graph.streams:
        graph = graph.without(stream.name)
    return graph


def without_links(graph: Graph) -> Graph:
    for item in graph.link_sets:
        graph = graph.without(item.name)
    return graph


def without_own_vector(graph: Graph) -> Graph:
    """Links between the vectors of the text, in place of vectors that stand on these.

    >>> own = models.tntm().without("follows").copy()
    >>> _ = own.links("follows", between=own.pyp("chi", base="nu", plate="author"))
    >>> without_own_vector(own) == models.tntm()
    True
    """
    links = list(graph.link_sets)
    moved = [replace(item, between=graph[item.between].parents[0]) for item in links]
    if any(graph[item.between].plate != AUTHOR for item in moved):
        raise SystemExit("links of this graph have no vectors of their own")
    own = {item.between for item in links}
    return graph.from_parts((node for node in graph.nodes if node.name not in own), graph.streams, moved)


def without_option(name: str) -> Callable[[Graph], Graph]:
    """An edit that switches off an option of all link sets."""

    def edit(graph: Graph) -> Graph:
        if name not in Links.__dataclass_fields__:
            raise SystemExit(f"links have no option {name!r}; they have {', '.join(Links.__dataclass_fields__)}")
        off: dict[str, Any] = {name: False}
        changed = [replace(item, **off) for item in graph.link_sets]
        return graph.from_parts(graph.nodes, graph.streams, changed)

    return edit


ABLATIONS: dict[str, Callable[[Graph], Graph]] = {
    "text": without_text,
    "links": without_links,
    "own": without_own_vector,
    "popularity": without_option("popularity"),
    "reciprocity": without_option("reciprocity"),
}


def graph_named(name: str, links: str) -> Graph:
    """A ready model by name, perhaps without something, whose only link set gets the name of the corpus's.

    >>> " ".join(graph_named("tntm-text", "mention").names)
    'mu0 nu mention'
    """
    ready = dict(getmembers(models, isfunction))
    model, *taken = name.split("-")
    if model not in ready:
        raise SystemExit(f"no model {model!r}; there are {', '.join(ready)}")
    graph = ready[model]()
    for what in taken:
        if what not in ABLATIONS:
            raise SystemExit(f"{name!r}: nothing is called {what!r}; what can be taken away is {', '.join(ABLATIONS)}")
        graph = ABLATIONS[what](graph)
    named = [replace(item, name=links) for item in graph.link_sets]
    return graph.from_parts(graph.nodes, graph.streams, named)


@dataclass(frozen=True)
class Effort:
    """How long a model is fitted; the network joins the text after `text_sweeps` of the sweeps.

    If these are given, states are kept from then on; else from half of the sweeps on, when it joins by default.
    """

    sweeps: int
    text_sweeps: int | None = None

    def network(self, graph: Graph) -> Network:
        return Network(n_topics=None if graph.streams else N_TOPICS, text_sweeps=self.text_sweeps)


class Fits:
    """Fits of this run. Those of text alone know no links, and serve all of them and whatever is hidden."""

    def __init__(self) -> None:
        self.of_text: dict[tuple[Graph, int, int, int], tuple[Fit, float]] = {}

    def fitted(self, graph: Graph, case: Case, effort: Effort, seed: int) -> tuple[Fit, float]:
        """A fit and its CPU seconds."""
        key = graph, case.corpus.n_tokens, effort.sweeps, seed
        if key in self.of_text:
            return self.of_text[key]
        start, network = process_time(), effort.network(graph)
        burn_in = effort.text_sweeps if graph.streams else None
        how: dict[str, Any] = {"seed": seed, "keep": KEEP, "burn_in": burn_in, "threads": 1, "progress": False}
        made = fit(graph, case.corpus, effort.sweeps, network=network, **how)
        found = made, process_time() - start
        if not graph.link_sets:
            self.of_text[key] = found
        return found


def fitted_row(graph: Graph, case: Case, effort: Effort, seed: int, fits: Fits | None = None) -> dict[str, float]:
    """Fit any graph to a corpus with hidden links; score these, and the posts that it has not read."""
    made, seconds = (fits or Fits()).fitted(graph, case, effort, seed)
    found = {"cpu_seconds": seconds, "topics": float(made.n_topics)} | figures(case, link_chances(made, case))
    if graph.streams:
        found["perplexity"] = float(made.perplexity(case.unread, seed=seed, threads=1).total)
    return found


def link_chances(made: Fit, case: Case) -> Floats:
    """Posterior mean link probabilities of the hidden pairs; of a model without links, cosines of author vectors."""
    if made.graph.link_sets:
        sources, targets = zip(*case.held.pairs, strict=True)
        return made.link_probability(sources, targets)
    node = next(node.name for node in made.graph.nodes if node.plate == AUTHOR)
    rows = [made.axes(node)["author"].index(name) for name in case.names]
    alike = np.mean([cosines(draw.mean(node, "discard")[rows]) for draw in made.draws], axis=0)
    return np.asarray(alike[case.place()])


def cosines(vectors: Floats) -> Floats:
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-300)
    return np.asarray(unit @ unit.T)


def figures(case: Case, scores: Floats) -> dict[str, float]:
    """AUC and average precision of the hidden pairs; guessing has 0.5, and the base rate."""
    linked = case.held.linked
    return {
        "auc": auc(linked, scores),
        "average_precision": average_precision(linked, scores),
        "base_rate": float(linked.mean()),
        "pairs": len(linked),
    }


def named_graphs(names: Iterable[str], links: str) -> dict[str, Graph]:
    return {name: graph_named(name, links) for name in names}
