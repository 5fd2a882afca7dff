"""What the page needs to recommend hashtags for a draft on its own: topics of words, and hashtags of topics."""

from __future__ import annotations

from typing import Any

import numpy as np

from pitmanyor.report.clean import clean
from pitmanyor.report.topic_facts import digits
from pitmanyor.report.view import Atlas
from pitmanyor.topics.echoes import ALL, EVER, OWN

MOST_WORDS, MOST_TAGS = 3_000, 300
TOP_TAGS = 60  # of a topic
KEPT = 0.02  # smallest p(topic | word) that is stored


def draft_facts(atlas: Atlas) -> dict[str, Any]:
    """For the most common words of all streams their topics, and for every topic its hashtags.

    `echo` has the weights of similar posts. `words` has word: [topic, parts per thousand of p(topic | word), ...];
    `base` has p(topic) among words and among hashtags. The page infers the topics of a draft from these, and sums their
    hashtags.
    """
    out: dict[str, Any] = {"words": {}, "base": {}}
    for stream in (atlas.main, "hashtag"):
        if stream not in atlas.topics:
            continue
        rows, words = atlas.word_rows(stream)
        weight = np.bincount(atlas.topics[stream], minlength=atlas.n_topics) + 1e-3  # a topic may have no hashtag
        joint = rows * weight[:, None]
        common = np.argsort(-joint.sum(axis=0), kind="stable")[:MOST_WORDS].tolist()
        given = joint / joint.sum(axis=0)
        out["base"]["hashtag" if stream == "hashtag" else "word"] = [digits(w) for w in weight / weight.sum()]
        sign = "#" if stream == "hashtag" and atlas.main != "hashtag" else ""
        for w in common:
            topics = np.flatnonzero(given[:, w] > KEPT)
            out["words"][sign + clean(words[w])] = [
                int(v) for k in topics for v in (k, max(1, round(1000 * given[k, w])))
            ]
        if stream == "hashtag":
            out |= _tags(rows, words) | {"echo": [ALL, OWN, EVER]}
    return out


def _tags(rows: Any, words: list[str]) -> dict[str, Any]:
    """Hashtags that are among the first of some topic, and their probabilities in every topic (parts per million)."""
    best = np.argsort(-rows, axis=1, kind="stable")[:, :TOP_TAGS]
    used = np.unique(best)
    used = used[np.argsort(-rows[:, used].max(axis=0), kind="stable")][:MOST_TAGS]
    return {
        "tags": [clean(words[w]) for w in used],
        "chances": [[round(1e6 * float(rows[k, w])) for w in used] for k in range(len(rows))],
    }
