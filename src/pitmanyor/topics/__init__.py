"""Working with the topics of a fit: names, shares, similarity and recommendations."""

from pitmanyor.topics.authors import author_shares
from pitmanyor.topics.link_reasons import LinkReason, link_reasons
from pitmanyor.topics.names import merge, rename, reset
from pitmanyor.topics.nearest import Scored, similar
from pitmanyor.topics.prevalences import Prevalence, prevalence, topics_over_time
from pitmanyor.topics.recommend import Recommended, recommend_authors
from pitmanyor.topics.represent import representative
from pitmanyor.topics.tags import recommend_tags, tag_probabilities
from pitmanyor.topics.topic_view import View, labels, view

__all__ = [
    "LinkReason",
    "Prevalence",
    "Recommended",
    "Scored",
    "View",
    "author_shares",
    "labels",
    "link_reasons",
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
