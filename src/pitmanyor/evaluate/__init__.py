"""How good is a fit? Perplexity, links, clusters, coherence, convergence (docs/evaluation.md)."""

from pitmanyor.evaluate.clustering import adjusted_rand, dominant_topics, nmi, purity
from pitmanyor.evaluate.coherence import coherence
from pitmanyor.evaluate.links import LinkScores, auc, average_precision, link_scores
from pitmanyor.evaluate.perplexity import Perplexity, left_to_right, perplexity, token_probabilities
from pitmanyor.evaluate.topics import diversity, effective_topics, top_words, topic_shares

__all__ = [
    "LinkScores",
    "Perplexity",
    "adjusted_rand",
    "auc",
    "average_precision",
    "coherence",
    "diversity",
    "dominant_topics",
    "effective_topics",
    "left_to_right",
    "link_scores",
    "nmi",
    "perplexity",
    "purity",
    "token_probabilities",
    "top_words",
    "topic_shares",
]
