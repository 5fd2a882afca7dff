"""What the paper compares its model with: pooled posts, hashtags taken for words, the network by itself."""

from pitmanyor.baselines.graphs import merged, network_alone
from pitmanyor.baselines.pooling import SCHEMES, Scheme, pool

__all__ = ["SCHEMES", "Scheme", "merged", "network_alone", "pool"]
