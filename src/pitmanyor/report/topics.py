"""The topics of the page: names, sizes with intervals, words, families and places on the map."""

from __future__ import annotations

from typing import Any

import numpy as np

from pitmanyor.report.clean import clean
from pitmanyor.report.families import families, hellinger, plane
from pitmanyor.report.view import HIGH, LOW, Atlas, Floats, Ints, all_token_topics

SMALL = 0.005  # topics with a smaller share of the tokens are folded away
N_WORDS, FEW_WORDS, N_TAGS = 40, 12, 15
DISTINCTIVE = 0.3  # how much frequency counts, against lift, for words that the slider may bring up
ENOUGH = 5  # posterior samples that make an interval


def topic_facts(atlas: Atlas) -> tuple[list[dict[str, Any]], list[str]]:
    """One entry a topic, the largest first, and the names of the families."""
    words = _lists(atlas, atlas.main, N_WORDS)
    tags = _lists(atlas, "hashtag", N_TAGS) if "hashtag" in atlas.topics and atlas.main != "hashtag" else None
    low_high = share_intervals(atlas)
    distance = hellinger(atlas.word_rows(atlas.main)[0])
    family, places = families(distance, atlas.shares, SMALL), plane(distance, atlas.shares)
    facts = []
    for i, share in enumerate(atlas.shares.tolist()):
        one: dict[str, Any] = {"id": atlas.members[i][0], "label": clean(atlas.names[i]), "share": digits(share)}
        one |= {"tokens": int(atlas.counts[i]), "family": int(family[i]), "small": share < SMALL}
        one |= {"x": digits(places[i, 0]), "y": digits(places[i, 1]), "words": words[i]}
        one |= {"tags": tags[i]} if tags else {}
        if low_high is not None:
            one |= {"low": digits(low_high[0][i]), "high": digits(low_high[1][i])}
        facts.append(one)
    leaders = [int(np.flatnonzero(family == f)[0]) for f in range(family.max() + 1)]
    return facts, [facts[i]["label"] for i in leaders]


def _lists(atlas: Atlas, stream: str, n: int) -> list[list[list[Any]]]:
    """Per topic [word, probability, probability in all topics] of the words that are frequent or distinctive."""
    rows, words = atlas.word_rows(stream)
    own = np.bincount(atlas.topics[stream], minlength=atlas.n_topics)
    overall, out = own @ rows / own.sum(), []
    for i, row in enumerate(rows):
        many = n if atlas.shares[i] >= SMALL else min(n, FEW_WORDS)
        relevance = DISTINCTIVE * np.log(row) + (1 - DISTINCTIVE) * np.log(row / overall)
        best = [*np.argsort(-row, kind="stable")[:many], *np.argsort(-relevance, kind="stable")[: many // 2]]
        chosen = dict.fromkeys(int(w) for w in best)
        out.append([[clean(words[w]), digits(row[w]), digits(overall[w])] for w in chosen])
    return out


def share_intervals(atlas: Atlas) -> tuple[Floats, Floats] | None:
    """90 % intervals of the topics' shares from the posterior samples; None if the fit has too few.

    Numbers of topics may change between samples, so each topic is followed by its tokens: it is matched with the topic
    of the sample that shares most tokens with it.
    """
    if len(atlas.fit.samples) < ENOUGH:
        return None
    followed = np.array([matched_shares(atlas, all_token_topics(sample)) for sample in atlas.fit.samples])
    return np.quantile(followed, LOW, axis=0), np.quantile(followed, HIGH, axis=0)


def matched_shares(atlas: Atlas, sample: dict[str, Ints]) -> Floats:
    """The share, in a sample, of the topics that match each topic of the page: the one that holds most of a sample
    topic's tokens has it."""
    here = np.concatenate([atlas.topics[name] for name in atlas.topics])
    there = np.concatenate([sample[name] for name in atlas.topics])
    width = int(there.max()) + 1
    both = np.bincount(here * width + there, minlength=atlas.n_topics * width).reshape(atlas.n_topics, width)
    sizes = both.sum(axis=0)
    return np.asarray(np.bincount(both.argmax(axis=0), weights=sizes, minlength=atlas.n_topics) / len(there))


def digits(value: float) -> float:
    """Three digits are enough for a picture."""
    return float(f"{value:.3g}")
