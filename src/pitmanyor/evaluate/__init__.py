"""Evaluation of a fit: perplexity, links, clusters, coherence, convergence (docs/evaluation.md)."""

from pitmanyor.evaluate.clustering import adjusted_rand, dominant_topics, nmi, purity
from pitmanyor.evaluate.coherence import coherence
from pitmanyor.evaluate.convergence import Quantity, convergence
from pitmanyor.evaluate.diagnosis import Diagnosis, diagnose
from pitmanyor.evaluate.link_ranking import LinkScores, auc, average_precision, link_scores, network_log_likelihood
from pitmanyor.evaluate.matching import Matching, Stability, match_topics, stability
from pitmanyor.evaluate.perplexity import Perplexity, left_to_right, perplexity, token_probabilities
from pitmanyor.evaluate.topic_count import TopicCount, effective_topics, topic_count
from pitmanyor.evaluate.topic_words import diversity, top_words, topic_shares

__all__ = [
    "Diagnosis",
    "LinkScores",
    "Matching",
    "Perplexity",
    "Quantity",
    "Stability",
    "TopicCount",
    "adjusted_rand",
    "auc",
    "average_precision",
    "coherence",
    "convergence",
    "diagnose",
    "diversity",
    "dominant_topics",
    "effective_topics",
    "left_to_right",
    "link_scores",
    "match_topics",
    "network_log_likelihood",
    "nmi",
    "perplexity",
    "purity",
    "stability",
    "token_probabilities",
    "top_words",
    "topic_count",
    "topic_shares",
]
