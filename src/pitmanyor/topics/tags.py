"""Recommended hashtags for a draft."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pitmanyor.call_checks import checked_call
from pitmanyor.corpus import Corpus
from pitmanyor.errors import PlanError
from pitmanyor.fold_in import Way, infer
from pitmanyor.plan.instances import groupings
from pitmanyor.results.fitted import Fitted
from pitmanyor.results.posterior import Posterior
from pitmanyor.topics.automatic_names import TAGS
from pitmanyor.topics.drafts import Post, as_corpus
from pitmanyor.topics.echoes import Echoes
from pitmanyor.topics.nearest import Scored, best, place_of

Floats = NDArray[np.float64]
From = Literal["both", "model", "posts"]


@checked_call()
def recommend_tags(
    fit: Fitted, text: Post, author: Hashable | None = None, n: int = 5, *, by: From = "both", seed: int = 0
) -> list[Scored]:
    """Recommend hashtags for a draft post, the most likely first; those that it already has are excluded.

    The score is the probability of the next hashtag. The model's is sum_k theta'_k psi'_k, with theta' inferred from
    the draft, its author and its hashtags, averaged over kept states. If the model has hashtags per author (emitted by
    a node on the plate ("author", "topic")), psi' is that of the author.

    Parameters
    ----------
    fit
        A fit of a model with hashtags.
    text
        The draft: a text, or a list of tokens.
    author
        Its author, if they are in the fit.
    n
        Number of hashtags.
    by
        "model", "posts" (hashtags of fitted posts that are similar to the draft), or "both", the mean of the model, the
        posts of all authors and the posts of the author.
    seed
        Random seed.
    """
    if author is not None:
        group = fit.corpus.groups.get("author")
        if group is None:
            raise PlanError("this fit has no authors; omit author=")
        place_of(author, list(group.labels))  # an unknown author is an error
    draft = as_corpus(fit, [text], author)
    tags, probability = tag_probabilities(fit, draft, by=by, seed=seed)
    stream = draft.streams.get(TAGS)
    has = set() if stream is None else {draft.vocabulary[word] for word in stream.words}
    return best(probability[0], tags, n, leave_out={i for i, tag in enumerate(tags) if tag in has})


@checked_call()
def tag_probabilities(fit: Fitted, corpus: Corpus, *, by: From = "both", seed: int = 0) -> tuple[list[str], Floats]:
    """The hashtags of the fit, and the probability that each is the next one, one row per new document.

    With `by="posts"`, a document that is similar to no post has a row of zeros.

    Parameters
    ----------
    fit
        A fit of a model with hashtags.
    corpus
        New documents.
    by, seed
        As in `recommend_tags`.
    """
    if by not in get_args(From):
        raise PlanError(f"by must be one of {', '.join(get_args(From))}, not {by!r}")
    if TAGS not in {stream.name for stream in fit.graph.streams}:
        raise PlanError(
            "this model has no stream of hashtags to recommend from; fit models.tntm(), or a graph with "
            f'g.tokens("{TAGS}", ...)'
        )
    used = np.unique(fit.corpus.streams[TAGS].words)
    out = np.zeros((corpus.n_documents, len(used)))
    if by != "posts":
        draws, weights = zip(*fit.weighted_draws, strict=True)
        out = np.average([_next_tag(one, corpus, used, seed) for one in draws], axis=0, weights=weights)
    if by != "model":
        for d, parts in enumerate(_echoes(fit, corpus, used)):
            known = [out[d] / out[d].sum(), *parts] if by == "both" else parts
            out[d] = np.mean(known, axis=0) if known else 0.0
    return [fit.corpus.vocabulary[word] for word in used], out


def _echoes(fit: Fitted, drafts: Corpus, used: NDArray[np.int32]) -> Iterator[list[Floats]]:
    """What the fitted posts say about each draft."""
    echoes, group = Echoes(fit.corpus, TAGS, used), drafts.groups.get("author")
    place = {word: w for w, word in enumerate(fit.corpus.vocabulary)}
    code = np.array([place.get(word, -1) for word in drafts.vocabulary] or [-1])
    stream = drafts.streams.get(echoes.words) if echoes.words is not None else None
    for d in range(drafts.n_documents):
        words = code[:0] if stream is None else code[stream.words[slice(*stream.offsets[d : d + 2])]]
        author = None if group is None else group.labels[group.codes[d]]
        yield echoes.of(words[words >= 0], author)


def _next_tag(one: Posterior, corpus: Corpus, used: NDArray[np.int32], seed: int) -> Floats:
    stream, plan = one.stream(TAGS), one.state.plan
    shares = infer(one, corpus, Way("gibbs", None, seed, None), stream.topic).shares
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
    """The known instances of a grouping among new documents, and their documents."""
    columns = [[corpus.groups[name].labels[code] for code in corpus.groups[name].codes] for name in names]
    known = {label: i for i, label in enumerate(labels)}
    found = [known.get(label if len(names) > 1 else label[0], -1) for label in zip(*columns, strict=True)]
    for i in set(found) - {-1}:
        yield i, np.flatnonzero(np.array(found) == i)
