"""Fit: the public result, with what its topics are good for as methods.

Every method is the function of the same name in `pitmanyor.topics`, which takes the fit as its first argument, as the
measures are those of `pitmanyor.evaluate` (decision 14).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pitmanyor import topics
from pitmanyor.call_checks import checked_methods
from pitmanyor.corpus import Corpus
from pitmanyor.results.fitted import Fitted
from pitmanyor.topics import LinkReason, Prevalence, Recommended, Scored
from pitmanyor.topics.automatic_names import By
from pitmanyor.topics.drafts import Post
from pitmanyor.topics.prevalences import Every
from pitmanyor.topics.tags import From

Floats = NDArray[np.float64]


@checked_methods()
class Fit(Fitted):
    """A fitted model, as `fit` and `load` return it: estimates, measures, and what the topics are good for.

    Estimates: `topics`, `topic_words`, `topic_shares`, `document_shares`, `author_shares`, `mean` of any node, `infer`
    for new documents, `link_probability`. Measures: `perplexity`, `coherence`, `diversity`, `purity`, `nmi`,
    `topic_count`, `diagnose`, ... (`pitmanyor.evaluate`). Insights: `labels`, `prevalence`, `topics_over_time`,
    `representative`, `similar`, `recommend_tags`, `recommend_authors` (`pitmanyor.topics`). `pitmanyor.table` has all
    of it as data frames.

    The topics that are shown are those of the last state; with several chains, of the chain whose topics agree best
    with the others. Shares over groups and time, the number of topics, predictions and diagnoses use all kept states of
    all chains. `chains` has the individual chains; `home` is the run directory, if the run is saved.
    """

    def labels(self, n_words: int = 3, by: By = "lift") -> list[str]:
        """A name for every topic: its hashtags if they cover enough of its posts, otherwise its words.

        Parameters
        ----------
        n_words
            Number of tags or words in a name.
        by
            "lift" takes the most distinctive ones, "probability" the most likely ones.
        """
        return topics.labels(self, n_words, by)

    def rename(self, names: Mapping[int, str]) -> None:
        """Give topics your own names, which are stored with the run.

        Parameters
        ----------
        names
            Names by topic number.
        """
        topics.rename(self, names)

    def merge(self, members: Sequence[int], name: str | None = None) -> None:
        """Show several topics as one in every output. The fit itself does not change.

        Parameters
        ----------
        members
            Two topic numbers or more.
        name
            Name of the merged topic; by default an automatic one.
        """
        topics.merge(self, members, name)

    def reset(self, members: Sequence[int] | None = None) -> None:
        """Remove names and merges.

        Parameters
        ----------
        members
            Topics to reset; by default all.
        """
        topics.reset(self, members)

    def prevalence(self, by: str | None = None, level: float = 0.9) -> Prevalence:
        """Shares of the topics in all documents or in those of each group, with intervals.

        Parameters
        ----------
        by
            Grouping, such as "author"; by default all documents are one group.
        level
            Probability of the intervals.
        """
        return topics.prevalence(self, by, level)

    def topics_over_time(self, every: Every | None = None, level: float = 0.9) -> Prevalence:
        """Shares of the topics in every period, with intervals.

        Parameters
        ----------
        every
            "hour", "day", "week", "month" or "year"; by default the shortest of which there are at most 60.
        level
            Probability of the intervals.
        """
        return topics.topics_over_time(self, every, level)

    def author_shares(self, by: str = "author") -> tuple[list[Hashable], Floats]:
        """Labels of a grouping, and the topic shares of each, one row per label.

        Parameters
        ----------
        by
            Grouping, such as "author".
        """
        return topics.author_shares(self, by)

    def representative(self, topic: int | str, n: int = 5) -> list[int]:
        """Indices of the documents that are most typical of a topic, the best first.

        Parameters
        ----------
        topic
            Number or name of a topic.
        n
            Number of documents; fewer if fewer have a token of the topic.
        """
        return topics.representative(self, topic, n)

    def similar(
        self,
        *,
        document: int | None = None,
        author: Hashable | None = None,
        topic: int | str | None = None,
        n: int = 10,
    ) -> list[Scored]:
        """The documents, authors or topics that are most similar to one of them, with their scores.

        Parameters
        ----------
        document, author, topic
            What to compare with; exactly one of them. A topic is a number or a name.
        n
            Number of results.
        """
        return topics.similar(self, document=document, author=author, topic=topic, n=n)

    def recommend_tags(
        self, text: Post, author: Hashable | None = None, n: int = 5, *, by: From = "both", seed: int = 0
    ) -> list[Scored]:
        """Hashtags for a draft post, the most likely first.

        Parameters
        ----------
        text
            The draft: a text, or a list of tokens.
        author
            Its author, if they are in the fit.
        n
            Number of hashtags.
        by
            "model", "posts" (hashtags of similar fitted posts), or "both".
        seed
            Random seed.
        """
        return topics.recommend_tags(self, text, author, n, by=by, seed=seed)

    def tag_probabilities(self, corpus: Corpus, *, by: From = "both", seed: int = 0) -> tuple[list[str], Floats]:
        """The hashtags of the fit, and the probability that each is the next one, one row per new document.

        Parameters
        ----------
        corpus
            New documents.
        by, seed
            As in `recommend_tags`.
        """
        return topics.tag_probabilities(self, corpus, by=by, seed=seed)

    def recommend_authors(
        self,
        author: Hashable | None = None,
        *,
        posts: Sequence[Post] | None = None,
        n: int = 10,
        links: str | None = None,
        seed: int = 0,
    ) -> list[Recommended]:
        """Authors to follow, the best first, with the reason for each if the fit has a network.

        Parameters
        ----------
        author
            An author of the fit.
        posts
            Posts of somebody new (texts, or lists of tokens), instead of an author.
        n
            Number of authors.
        links
            Link set, if there are several.
        seed
            Random seed.
        """
        return topics.recommend_authors(self, author, posts=posts, n=n, links=links, seed=seed)

    def link_reasons(
        self, source: Hashable, targets: Sequence[Hashable] | Hashable, links: str | None = None
    ) -> list[LinkReason]:
        """Whether words, links, popularity or a link back make a link from the source to each target likely.

        Parameters
        ----------
        source
            An author.
        targets
            Other authors, or one.
        links
            Link set, if there are several.
        """
        return topics.link_reasons(self, source, targets, links)
