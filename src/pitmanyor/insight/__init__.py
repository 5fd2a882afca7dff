"""What a fit is good for: topics with names, how much there is of each, what is alike, and what to suggest."""

from pitmanyor.insight.names import merge, rename, reset
from pitmanyor.insight.naming import View, labels, view
from pitmanyor.insight.nearest import Scored, similar
from pitmanyor.insight.people import author_shares
from pitmanyor.insight.recommend import recommend_authors
from pitmanyor.insight.represent import representative
from pitmanyor.insight.spread import Prevalence, prevalence, topics_over_time
from pitmanyor.insight.tags import recommend_tags, tag_probabilities

__all__ = [
    "Prevalence",
    "Scored",
    "View",
    "author_shares",
    "labels",
    "merge",
    "prevalence",
    "recommend_authors",
    "recommend_tags",
    "rename",
    "representative",
    "reset",
    "similar",
    "tag_probabilities",
    "topics_over_time",
    "view",
]
