"""Posts pooled into longer documents before a plain model is fitted (Mehrotra et al. 2013).

Pools are for fitting only. Measures are always of single posts, which are folded in with `Fit.infer`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from pitmanyor.baselines.bursts import burst_terms
from pitmanyor.baselines.tfidf import most_similar
from pitmanyor.call_checks import checked_call
from pitmanyor.corpus import Corpus, Grouping, Stream
from pitmanyor.corpus.parts import frozen
from pitmanyor.errors import CorpusError

Scheme = Literal["none", "author", "hour", "burst", "hashtag"]
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)
Ints = NDArray[np.int64]


class Pools(NamedTuple):
    """Entry i says that post `posts[i]` is in the pool `names[pools[i]]`; a post may be in several pools."""

    posts: Ints
    pools: Ints
    names: tuple[Hashable, ...]


@checked_call()
def pool(corpus: Corpus, scheme: Scheme) -> Corpus:
    """A corpus whose documents are pools of posts, named by the grouping "pool".

    A post that is in no pool is a document by itself.

    Parameters
    ----------
    corpus
        Posts.
    scheme
        "none": every post by itself. "author": all posts of an author. "hour": all posts of the same hour of the same
        day. "burst": all posts with a word or hashtag that bursts on some day, that is, occurs in at least five posts
        and in more than on the mean day by over five standard deviations; a post with several such terms is in several
        pools. "hashtag": all posts with a hashtag; a post with several is in several pools, and one without joins the
        pool with the most similar words (cosine of TF-IDF), without a threshold.

    >>> corpus = Corpus.from_tokens([["a", "b"], ["c"], ["a"]], groups={"author": ["ann", "bob", "ann"]})
    >>> pool(corpus, "author")
    Corpus(2 documents, 4 tokens, 3 words, streams: word, groups: pool)
    """
    if scheme == "none":
        return corpus
    if scheme not in BY_SCHEME:
        raise CorpusError(f"there is no pooling scheme {scheme!r}; they are {', '.join(SCHEMES)}")
    return _poured(corpus, _with_loners(BY_SCHEME[scheme](corpus), corpus.n_documents))


def why_not(corpus: Corpus, scheme: Scheme) -> str | None:
    """What a corpus lacks for a scheme, in a few words; None if nothing."""
    lacks = {
        "author": "no authors" if "author" not in corpus.groups else None,
        "hour": "no times" if corpus.times is None else None,
        "burst": "no times" if corpus.times is None else None,
        "hashtag": next((f"no {name}s" for name in ("hashtag", "word") if not corpus.has(name)), None),
    }
    return lacks.get(scheme)


def pools_nothing(corpus: Corpus, scheme: Scheme) -> bool:
    """Whether no pool of a scheme would have two posts, so that pooling changes nothing."""
    if scheme == "none":
        return False
    if scheme == "hashtag" and len(_tagged(corpus)[0]) > len(np.unique(corpus.streams["hashtag"].words)):
        return False  # two posts share a hashtag, so there is no need for similarities
    return bool(np.bincount(BY_SCHEME[scheme](corpus).pools, minlength=1).max() < 2)


def _refuse(corpus: Corpus, scheme: Scheme) -> None:
    if lack := why_not(corpus, scheme):
        raise CorpusError(f"posts cannot be pooled by {scheme!r}: this corpus has {lack}; choose another scheme")


def _by_author(corpus: Corpus) -> Pools:
    _refuse(corpus, "author")
    group = corpus.groups["author"]
    known = np.flatnonzero(group.known)
    return Pools(known, group.codes[known].astype(np.int64), group.labels)


def _by_hour(corpus: Corpus) -> Pools:
    _refuse(corpus, "hour")
    assert corpus.times is not None
    known = np.flatnonzero(~np.isnat(corpus.times))
    hours, pools = np.unique(corpus.times[known].astype("datetime64[h]"), return_inverse=True)
    return Pools(known, pools, tuple(str(hour) for hour in hours))


def _by_burst(corpus: Corpus) -> Pools:
    _refuse(corpus, "burst")
    terms, posts, pools = burst_terms(corpus)
    return Pools(posts, pools, tuple(corpus.vocabulary[term] for term in terms))


def _by_hashtag(corpus: Corpus) -> Pools:
    _refuse(corpus, "hashtag")
    posts, pools, tags = _tagged(corpus)
    untagged = np.flatnonzero(corpus.streams["hashtag"].lengths == 0)
    nearest = most_similar(corpus.streams["word"], len(corpus.vocabulary), posts, pools, untagged)
    found = nearest >= 0
    names = tuple(corpus.vocabulary[tag] for tag in tags)
    return Pools(np.concatenate([posts, untagged[found]]), np.concatenate([pools, nearest[found]]), names)


def _tagged(corpus: Corpus) -> tuple[Ints, Ints, Ints]:
    """Posts, the index of each one's hashtag among all hashtags, and these; repeated hashtags count once."""
    stream = corpus.streams["hashtag"]
    tags, codes = np.unique(stream.words, return_inverse=True)
    pairs = np.unique(np.stack([stream.documents, codes], axis=1), axis=0)
    return pairs[:, 0], pairs[:, 1], tags.astype(np.int64)


BY_SCHEME: dict[str, Callable[[Corpus], Pools]] = {
    "author": _by_author,
    "hour": _by_hour,
    "burst": _by_burst,
    "hashtag": _by_hashtag,
}


def _with_loners(pools: Pools, n_posts: int) -> Pools:
    """Give posts without a pool one each."""
    alone = np.setdiff1d(np.arange(n_posts), pools.posts)
    names = (*pools.names, *(("post", int(post)) for post in alone))
    own = len(pools.names) + np.arange(len(alone))
    return Pools(np.concatenate([pools.posts, alone]), np.concatenate([pools.pools, own]), names)


def _poured(corpus: Corpus, pools: Pools) -> Corpus:
    order = np.lexsort((pools.posts, pools.pools))
    used, starts = np.unique(pools.pools[order], return_index=True)
    ends = np.append(starts, len(order))
    streams = {}
    for name, stream in corpus.streams.items():
        taken = stream.take(pools.posts[order])
        streams[name] = Stream(taken.words, frozen(taken.offsets[ends], np.int64))
    labels = tuple(map(str, (pools.names[i] for i in used)))
    groups = {"pool": Grouping(labels, frozen(np.arange(len(used)), np.int32))}
    return Corpus(corpus.vocabulary, streams, groups)
