"""The rows of every table: one model each, and why it cannot be run if the corpus lacks what it needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from pitmanyor.baselines import SCHEMES, Scheme, merged, network_alone
from pitmanyor.baselines.pooling import pools_nothing, why_not
from pitmanyor.corpus import Corpus
from pitmanyor.errors import CorpusError
from pitmanyor.experiments.settings import MOST_CLUSTERS, Kind, Settings
from pitmanyor.graph import Graph
from pitmanyor.graph.text import discount_text
from pitmanyor.models import author_topic, hdp_lda, lda, tntm

Edit = Callable[[Graph], Graph]
POOLED_TOPICS = (10, 20)
SCALES = (0.01, 0.1, 1.0, 10.0)
DISCOUNTS = (0.3, 0.5, 0.7)
TOPIC_NODES = ("mu0", "mu1", "nu", "eta", "theta_tag", "theta")

ABLATIONS: dict[str, tuple[str, Edit]] = {
    "no_author": ("No author", lambda g: g.rebase("eta", "mu0")),
    "no_hashtag": ("No hashtag", lambda g: g.without("theta_tag")),
    "no_mu1": ("No mu1 node", lambda g: g.rebase("theta_tag", "eta")),
    "no_connection": ("No theta'-theta connection", lambda g: g.rebase("theta", "eta")),
    "no_power_law": ("No power law", lambda g: g.set("*", discount=0)),
    "no_network": ("No network", lambda g: g.without("follows")),
}

WHERE = {
    "word": "name the column of the text with --text, and look whether filters have left nothing",
    "hashtag": "name their column with --tags, or keep them in the text",
}
NEED_HASHTAGS = ("no_hashtag", "no_mu1", "no_connection")


@dataclass(frozen=True)
class Row:
    """A row of a table. `key` names its files; `missing` says why it cannot be run on this corpus."""

    key: str
    title: str
    graph: Graph
    pooling: Scheme = "none"
    max_topics: int | None = None
    missing: str | None = None

    @property
    def discounts(self) -> str:
        """The discounts of topic nodes and word nodes, in words."""
        found = []
        for side in ("topic", "word"):
            values = sorted({discount_text(node.discount) for node in self.graph.nodes if node.side == side})
            found += [f"{side}s {' or '.join(values)}"] if values else []
        return ", ".join(found)


def rows_of(settings: Settings, corpus: Corpus) -> list[Row]:
    """The rows of an experiment on a corpus, the reference last."""
    _refuse(settings.kind, corpus)
    rows = ROWS[settings.kind](corpus)
    return [replace(row, max_topics=settings.max_topics or row.max_topics) for row in rows]


def _refuse(kind: Kind, corpus: Corpus) -> None:
    wanted = ("word", "hashtag") if kind == "labels" else ("word",)
    if lacks := [name for name in wanted if not corpus.has(name)]:
        raise CorpusError(
            f"this table needs posts with {' and '.join(f'{name}s' for name in wanted)}, but this corpus has no "
            f"{lacks[0]}s; {WHERE[lacks[0]]}"
        )
    if kind == "clustering" and ("label" not in corpus.groups or not corpus.groups["label"].known.any()):
        raise CorpusError("clusters are compared with labels, and this corpus has none; name their column with --label")


def whole_tntm(corpus: Corpus) -> tuple[str, Graph]:
    """The TNTM as far as the corpus has columns for it, and its title."""
    graph, lacks = tntm(), []
    if not corpus.has("hashtag"):
        graph, lacks = graph.without("theta_tag"), ["no hashtag"]
    if "author" not in corpus.groups:
        graph, lacks = graph.rebase("eta", "mu0"), [*lacks, "no author"]
    elif "follows" not in corpus.links:
        graph, lacks = graph.without("follows"), [*lacks, "no network"]
    return ", ".join(["TNTM", *lacks]), graph


def _one_stream(graph: Graph, corpus: Corpus) -> Graph:
    """A model of words, with hashtags as additional words if there are any."""
    return merged(graph) if corpus.has("hashtag") else graph


def _fit(corpus: Corpus) -> list[Row]:
    authors = None if "author" in corpus.groups else "no authors"
    links = None if "follows" in corpus.links else "no links"
    title, graph = whole_tntm(corpus)
    return [
        Row("hdp_lda", "HDP-LDA", _one_stream(hdp_lda(), corpus)),
        Row("atm", "Nonparametric ATM", _one_stream(author_topic(), corpus), missing=authors),
        Row("random_function", "Random function", network_alone(), missing=authors or links),
        Row("tntm", title, graph),
    ]


def _ablation(corpus: Corpus) -> list[Row]:
    title, graph = whole_tntm(corpus)
    rows = []
    for key, (name, edit) in ABLATIONS.items():
        lacks = "no authors" if key == "no_author" and "nu" not in graph else None
        lacks = "no links" if key == "no_network" and not graph.link_sets else lacks
        lacks = "no hashtags" if key in NEED_HASHTAGS and "theta_tag" not in graph else lacks
        rows.append(Row(key, name, graph if lacks else edit(graph), missing=lacks))
    return [*rows, Row("full", f"Full model ({title})", graph)]


def _clustering(corpus: Corpus) -> list[Row]:
    rows = []
    lacks = {scheme: _no_pools(corpus, scheme) for scheme in SCHEMES}
    for n_topics in POOLED_TOPICS:
        for scheme in SCHEMES:
            title = f"LDA, {n_topics} topics, " + ("no pooling" if scheme == "none" else f"pools by {scheme}")
            graph = _one_stream(lda(n_topics), corpus)
            rows.append(Row(f"lda{n_topics}_{scheme}", title, graph, scheme, missing=lacks[scheme]))
    authors = None if "author" in corpus.groups else "no authors"
    title, graph = whole_tntm(corpus)
    if graph.link_sets:  # as in the paper, whose labelled data have no network
        title, graph = f"{title}, no network", graph.without("follows")
    return rows + [
        Row("hdp_lda", "HDP-LDA", _one_stream(hdp_lda(), corpus), max_topics=MOST_CLUSTERS),
        Row("atm", "Nonparametric ATM", _one_stream(author_topic(), corpus), max_topics=MOST_CLUSTERS, missing=authors),
        Row("tntm", title, graph, max_topics=MOST_CLUSTERS),
    ]


def _no_pools(corpus: Corpus, scheme: Scheme) -> str | None:
    return why_not(corpus, scheme) or ("no pools" if pools_nothing(corpus, scheme) else None)


def _labels(corpus: Corpus) -> list[Row]:
    title, graph = whole_tntm(corpus)
    return [Row("tntm", title, graph)]


def _sensitivity(corpus: Corpus) -> list[Row]:
    title, graph = whole_tntm(corpus)
    links = None if graph.link_sets else "no links"
    mixes = None if "theta_tag" in graph else "no hashtags"  # without them nothing is mixed
    rows = [
        Row(f"lambda_{v:g}", f"lambda = {v:g}", graph if mixes else graph.set("theta*", mix_prior=v), missing=mixes)
        for v in SCALES
        if v != 1.0
    ]
    for field, sign in (("signal", "s"), ("length", "l"), ("noise", "sigma")):
        for value in SCALES:
            if value != 1.0:
                edited = with_links(graph, **{field: value})
                rows.append(Row(f"{field}_{value:g}", f"{sign} = {value:g}", edited, missing=links))
    rows += [
        Row(f"discount_{value:g}", f"topic discounts {value:g}", _with_topic_discount(graph, value))
        for value in DISCOUNTS
        if value != graph["mu0"].discount
    ]
    return [*rows, Row("default", f"{title}: all 1, topic discounts {discount_text(graph['mu0'].discount)}", graph)]


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
