"""Recommended authors to follow."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pitmanyor.call_checks import checked_call
from pitmanyor.errors import PlanError
from pitmanyor.results.fitted import Fitted
from pitmanyor.topics.authors import author_shares
from pitmanyor.topics.drafts import Post, as_corpus, check_posts
from pitmanyor.topics.link_reasons import LinkReason, link_reasons
from pitmanyor.topics.nearest import Scored, affinity, best, place_of, warn_of_few_posts

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Recommended(Scored):
    """A recommended author, the score, and the reason, which is None in a model without links."""

    reason: LinkReason | None = None


@checked_call()
def recommend_authors(
    fit: Fitted,
    author: Hashable | None = None,
    *,
    posts: Sequence[Post] | None = None,
    n: int = 10,
    links: str | None = None,
    seed: int = 0,
) -> list[Recommended]:
    """Recommend authors to follow, the best first, and say why.

    For an author of the fit, authors whom they already follow are excluded. The score is the probability of a link if
    the fit has a network, otherwise the affinity of topic proportions (see `similar`). Posts of somebody new are
    treated as one document and compared by affinity. With a network, `reason` says for each author whether words, links
    or popularity explain the score (`link_reasons`).

    Parameters
    ----------
    fit
        A fit with authors.
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
    if (author is None) == (posts is None):
        raise PlanError("give either author= (an author of the fit) or posts= (of somebody new)")
    labels, shares = author_shares(fit)
    if posts is not None:
        near = best(affinity(shares, _topics_of(fit, posts, seed)), labels, n, leave_out=set())
        return [Recommended(one.label, one.score) for one in near]
    place = place_of(author, labels)
    followed = _followed(fit, author, links)
    out = {place} | {i for i, label in enumerate(labels) if label in followed}
    if fit.state.network:
        scores = fit.link_probability([author] * len(labels), labels, links)
    else:
        scores = affinity(shares, shares[place])
    found = best(scores, labels, n, leave_out=out)
    warn_of_few_posts(fit, author, found)
    if not fit.state.network:
        return [Recommended(one.label, one.score) for one in found]
    why = link_reasons(fit, author, [one.label for one in found], links)
    return [Recommended(one.label, one.score, reason) for one, reason in zip(found, why, strict=True)]


def _topics_of(fit: Fitted, posts: Sequence[Post], seed: int) -> Floats:
    """Topic proportions of somebody's posts, treated as one document."""
    check_posts(posts)
    text = "\n".join(map(str, posts)) if isinstance(posts[0], str) else [word for post in posts for word in post]
    return np.asarray(fit.infer(as_corpus(fit, [text]), seed=seed).shares[0])


def _followed(fit: Fitted, author: Hashable | None, links: str | None) -> set[Hashable]:
    """Whom an author follows, in the link set of the model, or in all link sets of the corpus."""
    sets = {one.name: one for one in fit.graph.link_sets}
    names = [links] if links is not None else list(sets or fit.corpus.links)
    found: set[Hashable] = set()
    for name in names:
        if name not in fit.corpus.links:
            raise PlanError(f"no links {name!r}; the corpus has {', '.join(fit.corpus.links) or 'none'}")
        pairs = fit.corpus.links[name].pairs
        found |= {target for source, target in pairs if source == author}
        if name in sets and not sets[name].directed:
            found |= {source for source, target in pairs if target == author}
    return found
