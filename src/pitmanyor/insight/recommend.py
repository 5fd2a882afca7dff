"""Suggestions: hashtags for a draft, and authors to follow."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pitmanyor.corpus import Corpus
from pitmanyor.errors import PlanError
from pitmanyor.fitting import Fit
from pitmanyor.insight.drafts import Post, as_corpus, check_posts
from pitmanyor.insight.naming import TAGS
from pitmanyor.insight.nearest import Scored, affinity, best, place_of
from pitmanyor.insight.people import author_shares
from pitmanyor.plan.instances import groupings
from pitmanyor.posterior import Posterior
from pitmanyor.unseen import Way, infer

Floats = NDArray[np.float64]
SWEEPS = 20


def recommend_tags(fit: Fit, text: Post, author: Hashable | None = None, n: int = 5, seed: int = 0) -> list[Scored]:
    """Hashtags for a draft post (a text, or its tokens), the likeliest first; those it has already are left out.

    The score is the probability of the next hashtag, sum_k theta'_k psi'_k, with theta' inferred from the draft, its
    author and the tags it has; averaged over the samples that the fit kept, if it kept any. Where authors have tags of
    their own in the model (tags emitted by a node with the plate ("author", "topic")), psi' is that of the author.
    """
    if author is not None:
        group = fit.corpus.groups.get("author")
        if group is None:
            raise PlanError("this fit knows no authors; leave author= out")
        place_of(author, list(group.labels))  # a stranger's draft has no author
    draft = as_corpus(fit, [text], author)
    tags, probability = tag_probabilities(fit, draft, seed)
    stream = draft.streams.get(TAGS)
    has = set() if stream is None else {draft.vocabulary[word] for word in stream.words}
    return best(probability[0], tags, n, leave_out={i for i, tag in enumerate(tags) if tag in has})


def tag_probabilities(fit: Fit, corpus: Corpus, seed: int = 0) -> tuple[list[str], Floats]:
    """The hashtags of the fit, and the probability that each is the next one: a row per new document."""
    if TAGS not in {stream.name for stream in fit.graph.streams}:
        raise PlanError(
            "this model has no stream of hashtags to recommend from; fit models.tntm(), or a graph with "
            f'g.tokens("{TAGS}", ...)'
        )
    used = np.unique(fit.corpus.streams[TAGS].words)
    kept: Sequence[Posterior] = fit.samples or [fit]
    total = sum((_next_tag(one, corpus, used, seed) for one in kept), np.zeros((corpus.n_documents, len(used))))
    return [fit.corpus.vocabulary[word] for word in used], total / len(kept)


def _next_tag(one: Posterior, corpus: Corpus, used: NDArray[np.int32], seed: int) -> Floats:
    stream, plan = one.stream(TAGS), one.state.plan
    shares = infer(one, corpus, Way("gibbs", SWEEPS, seed, None), stream.topic).shares
    psi, words = one.topic_words(TAGS), one.words_of(TAGS)
    columns = np.searchsorted(plan.words[stream.emit], used)
    out = np.asarray(shares @ psi[:, columns])
    node = plan.graph[stream.emit]
    if not node.local and groupings(node) and all(name in corpus.groups for name in groupings(node)):
        own = one.mean(node.name).reshape(-1, one.n_topics, len(words))
        for i, documents in _documents_of(plan.instances[node.name].labels, corpus, groupings(node)):
            out[documents] = shares[documents] @ own[i][:, columns]
    return out


def _documents_of(
    labels: Sequence[Hashable], corpus: Corpus, names: Sequence[str]
) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """The instances of a grouping that new documents are of, and their documents; unknown ones are left out."""
    columns = [[corpus.groups[name].labels[code] for code in corpus.groups[name].codes] for name in names]
    known = {label: i for i, label in enumerate(labels)}
    found = [known.get(label if len(names) > 1 else label[0], -1) for label in zip(*columns, strict=True)]
    for i in set(found) - {-1}:
        yield i, np.flatnonzero(np.array(found) == i)


def recommend_authors(
    fit: Fit,
    author: Hashable | None = None,
    *,
    posts: Sequence[Post] | None = None,
    n: int = 10,
    links: str | None = None,
    seed: int = 0,
) -> list[Scored]:
    """Authors to follow: for one of the fit, or for somebody new from a few of their posts. The best come first.

    Of an author, those whom the author follows already are left out. The score is the probability of a link if the
    fit has a network (`links` names the set, if there are several), otherwise the affinity of their topics (see
    `similar`). Posts of somebody new are taken together as one document, and compared with the authors by affinity.
    """
    if (author is None) == (posts is None):
        raise PlanError("say for whom: author= for one of the fit, or posts= of somebody new")
    labels, shares = author_shares(fit)
    if posts is not None:
        return best(affinity(shares, _topics_of(fit, posts, seed)), labels, n, leave_out=set())
    place = place_of(author, labels)
    followed = _followed(fit, author, links)
    out = {place} | {i for i, label in enumerate(labels) if label in followed}
    if fit.state.network:
        scores = fit.link_probability([author] * len(labels), labels, links)
    else:
        scores = affinity(shares, shares[place])
    return best(scores, labels, n, leave_out=out)


def _topics_of(fit: Fit, posts: Sequence[Post], seed: int) -> Floats:
    """The topics of somebody's posts, taken as one document."""
    check_posts(posts)
    text = "\n".join(map(str, posts)) if isinstance(posts[0], str) else [word for post in posts for word in post]
    return np.asarray(fit.infer(as_corpus(fit, [text]), seed=seed).shares[0])


def _followed(fit: Fit, author: Hashable | None, links: str | None) -> set[Hashable]:
    """Those whom an author follows, in the link set of the model, or in all of the corpus."""
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
