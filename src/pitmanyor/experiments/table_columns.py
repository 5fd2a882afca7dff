"""Which numbers of the cells each table shows."""

from __future__ import annotations

from typing import Literal, NamedTuple

from pitmanyor.experiments.settings import Kind


class Column(NamedTuple):
    """A measure: its key in the cells, its title, decimals, and which direction is better."""

    key: str
    title: str
    digits: int
    better: Literal["low", "high"] | None = None


ARROWS = {"low": " ↓", "high": " ↑", None: ""}
TEXT = (
    Column("perplexity", "perplexity, all tokens", 1, "low"),
    Column("perplexity_word", "perplexity, words", 1, "low"),
    Column("perplexity_hashtag", "perplexity, hashtags", 1, "low"),
)
JOINT = Column("perplexity_joint", "perplexity, tokens with their streams", 1, "low")  # where rows merge streams
NETWORK = (
    Column("network_log_likelihood", "network log-likelihood", 1, "high"),
    Column("link_auc", "held-out link AUC", 3, "high"),
    Column("link_average_precision", "held-out link average precision", 3, "high"),
)
CLUSTERS = (
    Column("purity", "purity", 3, "high"),
    Column("nmi", "NMI", 3, "high"),
    Column("adjusted_rand", "adjusted Rand", 3, "high"),
    Column("clusters", "clusters", 1),
)
TOPICS = (
    Column("npmi", "NPMI of words", 3, "high"),
    Column("diversity", "topic diversity", 3, "high"),
)
ALWAYS = (
    Column("topics", "topics", 1),
    Column("fit_seconds", "CPU s a fit", 0),
)
COLUMNS: dict[Kind, tuple[Column, ...]] = {
    "fit": (TEXT[0], JOINT, *TEXT[1:]) + NETWORK + ALWAYS,
    "ablation": TEXT + NETWORK + ALWAYS,
    "clustering": CLUSTERS + TOPICS + ALWAYS,
    "labels": (Column("label_npmi", "NPMI of hashtags with words", 3, "high"), *TOPICS, *ALWAYS),
    "sensitivity": TEXT + NETWORK + ALWAYS,
}
TITLES: dict[Kind, str] = {
    "fit": "Goodness of fit",
    "ablation": "Ablation",
    "clustering": "Clustering by dominant topic",
    "labels": "Topics with hashtags as labels",
    "sensitivity": "Sensitivity to settings",
}
