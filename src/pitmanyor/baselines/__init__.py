"""The paper's baselines: pooled posts, hashtags as words, the network alone."""

from pitmanyor.baselines.graphs import merged, network_alone
from pitmanyor.baselines.pooling import SCHEMES, Scheme, pool

__all__ = ["SCHEMES", "Scheme", "merged", "network_alone", "pool"]
