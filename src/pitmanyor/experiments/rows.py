"""The rows of every table: a model each, and why it has no figures where a corpus lacks what it needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from pitmanyor.baselines import SCHEMES, Scheme, merged, network_alone
from pitmanyor.baselines.pooling import why_not
from pitmanyor.corpus import Corpus
from pitmanyor.errors import CorpusError
from pitmanyor.experiments.settings import MOST_CLUSTERS, Kind, Settings
from pitmanyor.graph import Graph
from pitmanyor.models import author_topic, hdp_lda, lda, tntm

Edit = Callable[[Graph], Graph]
POOLED_TOPICS = (10, 20)
SCALES = (0.01, 0.1, 1.0, 10.0)
DISCOUNTS = (0.0, 0.3, 0.5, 0.7)
SHORTEST = 0.05  # the least length of a Gaussian process whose features are laid out
TOPIC_NODES = ("mu0", "mu1", "nu", "eta", "theta_tag", "theta")

ABLATIONS: dict[str, tuple[str, Edit]] = {
    "no_author": ("No author", lambda g: g.rebase("eta", "mu0")),
    "no_hashtag": ("No hashtag", lambda g: g.without("theta_tag")),
    "no_mu1": ("No mu1 node", lambda g: g.rebase("theta_tag", "eta")),
    "no_connection": ("No theta'-theta connection", lambda g: g.rebase("theta", "eta")),
    "no_power_law": ("No power law", lambda g: g.set("*", discount=0)),
    "no_network": ("No network", lambda g: g.without("follows")),
}


@dataclass(frozen=True)
class Row:
    """A line of a table. `key` names its files; `missing` says why it cannot be run on this corpus."""

    key: str
    title: str
    graph: Graph
    pooling: Scheme = "none"
    max_topics: int | None = None
    missing: str | None = None


def rows_of(settings: Settings, corpus: Corpus) -> list[Row]:
    """The rows of an experiment on a corpus, the reference last."""
    if "hashtag" not in corpus.streams or "word" not in corpus.streams:
        raise CorpusError(
            "the paper's tables are of posts with words and hashtags, and this corpus has the streams "
            f"{', '.join(corpus.streams)}; name the column of hashtags with --tags, or keep them in the text"
        )
    if settings.kind == "clustering" and "label" not in corpus.groups:
        raise CorpusError("clusters are held against labels, and this corpus has none; name their column with --label")
    rows = ROWS[settings.kind](corpus)
    return [replace(row, max_topics=row.max_topics or settings.max_topics) for row in rows]


def whole_tntm(corpus: Corpus) -> tuple[str, Graph]:
    """The TNTM as far as a corpus has columns for it, and what that is called."""
    graph = tntm()
    if "author" not in corpus.groups:
        return "TNTM, no author", graph.rebase("eta", "mu0")
    if "follows" not in corpus.links:
        return "TNTM, no network", graph.without("follows")
    return "TNTM", graph


def _fit(corpus: Corpus) -> list[Row]:
    authors = None if "author" in corpus.groups else "no authors"
    links = None if "follows" in corpus.links else "no links"
    title, graph = whole_tntm(corpus)
    return [
        Row("hdp_lda", "HDP-LDA", merged(hdp_lda())),
        Row("atm", "Nonparametric ATM", merged(author_topic()), missing=authors),
        Row("random_function", "Random function", network_alone(), missing=authors or links),
        Row("tntm", title, graph),
    ]


def _ablation(corpus: Corpus) -> list[Row]:
    title, graph = whole_tntm(corpus)
    rows = []
    for key, (name, edit) in ABLATIONS.items():
        lacks = "no authors" if key == "no_author" and "nu" not in graph else None
        lacks = "no links" if key == "no_network" and not graph.link_sets else lacks
        rows.append(Row(key, name, graph if lacks else edit(graph), missing=lacks))
    return [*rows, Row("full", f"Full model ({title})", graph)]


def _clustering(corpus: Corpus) -> list[Row]:
    rows = []
    for n_topics in POOLED_TOPICS:
        for scheme in SCHEMES:
            title = f"LDA, {n_topics} topics, " + ("no pooling" if scheme == "none" else f"pools by {scheme}")
            graph = merged(lda(n_topics))
            rows.append(Row(f"lda{n_topics}_{scheme}", title, graph, scheme, missing=why_not(corpus, scheme)))
    authors = None if "author" in corpus.groups else "no authors"
    title, graph = whole_tntm(corpus)
    if graph.link_sets:  # as in the paper, whose labelled data have no network
        title, graph = "TNTM, no network", graph.without("follows")
    return rows + [
        Row("hdp_lda", "HDP-LDA", merged(hdp_lda()), max_topics=MOST_CLUSTERS),
        Row("atm", "Nonparametric ATM", merged(author_topic()), max_topics=MOST_CLUSTERS, missing=authors),
        Row("tntm", title, graph, max_topics=MOST_CLUSTERS),
    ]


def _labels(corpus: Corpus) -> list[Row]:
    title, graph = whole_tntm(corpus)
    return [Row("tntm", title, graph)]


def _sensitivity(corpus: Corpus) -> list[Row]:
    title, graph = whole_tntm(corpus)
    links = None if graph.link_sets else "no links"
    rows = [
        Row(f"lambda_{value:g}", f"lambda = {value:g}", graph.set("theta*", mix_prior=value))
        for value in SCALES
        if value != 1.0
    ]
    for field, sign in (("signal", "s"), ("length", "l"), ("noise", "sigma")):
        for value in SCALES:
            value = max(value, SHORTEST) if field == "length" else value
            if value != 1.0:
                edited = with_links(graph, **{field: value})
                rows.append(Row(f"{field}_{value:g}", f"{sign} = {value:g}", edited, missing=links))
    rows += [
        Row(f"discount_{value:g}", f"topic discounts {value:g}", _with_topic_discount(graph, value))
        for value in DISCOUNTS
        if value != graph["mu0"].discount
    ]
    return [*rows, Row("default", f"{title}: all 1, topic discounts {graph['mu0'].discount:g}", graph)]


def with_links(graph: Graph, **fields: float) -> Graph:
    """The graph with fields of its link sets changed."""
    return Graph.from_parts(graph.nodes, graph.streams, [replace(links, **fields) for links in graph.link_sets])  # type: ignore[arg-type]


def _with_topic_discount(graph: Graph, discount: float) -> Graph:
    for name in TOPIC_NODES:
        graph = graph.set(name, discount=discount) if name in graph else graph
    return graph


ROWS: dict[Kind, Callable[[Corpus], list[Row]]] = {
    "fit": _fit,
    "ablation": _ablation,
    "clustering": _clustering,
    "labels": _labels,
    "sensitivity": _sensitivity,
}
