"""Fit: the public result, with what its topics are good for as methods.

Every method is the function of the same name in `pitmanyor.topics`, which takes the fit as its first argument, as the
measures are those of `pitmanyor.evaluate` (decision 9).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pitmanyor import topics
from pitmanyor.corpus import Corpus
from pitmanyor.results.fitted import Fitted
from pitmanyor.topics import Prevalence, Scored
from pitmanyor.topics.automatic_names import By
from pitmanyor.topics.drafts import Post
from pitmanyor.topics.prevalences import Every
from pitmanyor.topics.tags import From

Floats = NDArray[np.float64]


class Fit(Fitted):
    """A fitted model, as `fit` and `load` return it: estimates, measures, and what the topics are good for.

    Estimates: `topics`, `topic_words`, `topic_shares`, `document_shares`, `author_shares`, `mean` of any node, `infer`
    for new documents, `link_probability`. Measures: `perplexity`, `coherence`, `diversity`, `purity`, `nmi`,
    `topic_count`, `diagnose`, ... (`pitmanyor.evaluate`). Insights: `labels`, `prevalence`, `topics_over_time`,
    `representative`, `similar`, `recommend_tags`, `recommend_authors` (`pitmanyor.topics`). `pitmanyor.table` has all
    of it as data frames.

    Shown are the last state of the chain and, of several chains, of the one whose topics agree best with the others'.
    Shares over groups and time, the number of topics, predictions and diagnoses are of all states that were kept, of
    all chains. `chains` has each chain by itself; `home` is the directory of the run, if it is saved.
    """

    def labels(self, n_words: int = 3, by: By = "lift") -> list[str]:
        """A name for every topic: its hashtags, or its words. See `pitmanyor.topics.labels`."""
        return topics.labels(self, n_words, by)

    def rename(self, names: Mapping[int, str]) -> None:
        """Give topics names of your own, which are kept in the run."""
        topics.rename(self, names)

    def merge(self, members: Sequence[int], name: str | None = None) -> None:
        """Show several topics as one, in every output; the fit itself stays as it is."""
        topics.merge(self, members, name)

    def reset(self, members: Sequence[int] | None = None) -> None:
        """Forget the names and merges of these topics, or of all."""
        topics.reset(self, members)

    def prevalence(self, by: str | None = None, level: float = 0.9) -> Prevalence:
        """The shares of the topics, in all or per label of a grouping, with intervals."""
        return topics.prevalence(self, by, level)

    def topics_over_time(self, every: Every | None = None, level: float = 0.9) -> Prevalence:
        """The shares of the topics per hour, day, week, month or year, with intervals."""
        return topics.topics_over_time(self, every, level)

    def author_shares(self, by: str = "author") -> tuple[list[Hashable], Floats]:
        """Labels of a grouping, and the topic shares of each, one row per label."""
        return topics.author_shares(self, by)

    def representative(self, topic: int | str, n: int = 5) -> list[int]:
        """Indices of the n documents that are most typical of a topic, the best first."""
        return topics.representative(self, topic, n)

    def similar(
        self,
        *,
        document: int | None = None,
        author: Hashable | None = None,
        topic: int | str | None = None,
        n: int = 10,
    ) -> list[Scored]:
        """The n documents, authors or topics that are most like one of them, with their scores."""
        return topics.similar(self, document=document, author=author, topic=topic, n=n)

    def recommend_tags(
        self, text: Post, author: Hashable | None = None, n: int = 5, *, by: From = "both", seed: int = 0
    ) -> list[Scored]:
        """Hashtags for a draft post, the likeliest first. See `pitmanyor.topics.recommend_tags`."""
        return topics.recommend_tags(self, text, author, n, by=by, seed=seed)

    def tag_probabilities(self, corpus: Corpus, *, by: From = "both", seed: int = 0) -> tuple[list[str], Floats]:
        """The hashtags of the fit, and the probability that each is the next one, one row per new document."""
        return topics.tag_probabilities(self, corpus, by=by, seed=seed)

    def recommend_authors(
        self,
        author: Hashable | None = None,
        *,
        posts: Sequence[Post] | None = None,
        n: int = 10,
        links: str | None = None,
        seed: int = 0,
    ) -> list[Scored]:
        """Authors to follow, the best first. See `pitmanyor.topics.recommend_authors`."""
        return topics.recommend_authors(self, author, posts=posts, n=n, links=links, seed=seed)
