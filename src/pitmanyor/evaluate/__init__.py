"""How good is a fit? Perplexity, links, clusters, coherence, convergence (docs/evaluation.md)."""

from pitmanyor.evaluate.clustering import adjusted_rand, dominant_topics, nmi, purity
from pitmanyor.evaluate.coherence import coherence
from pitmanyor.evaluate.convergence import Quantity, convergence, topic_numbers
from pitmanyor.evaluate.diagnosis import Diagnosis, diagnose
from pitmanyor.evaluate.link_ranking import LinkScores, auc, average_precision, link_scores, network_log_likelihood
from pitmanyor.evaluate.matching import Matching, match_topics, stability
from pitmanyor.evaluate.perplexity import Perplexity, left_to_right, perplexity, token_probabilities
from pitmanyor.evaluate.topic_words import diversity, effective_topics, top_words, topic_shares, used_topics

__all__ = [
    "Diagnosis",
    "LinkScores",
    "Matching",
    "Perplexity",
    "Quantity",
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
    "topic_numbers",
    "topic_shares",
    "used_topics",
]
