"""The topics of the page: names, sizes with intervals, words, families, and places on the map."""

from __future__ import annotations

from typing import Any

import numpy as np

from pitmanyor.report.clean import clean
from pitmanyor.report.families import apart, families, plane
from pitmanyor.report.view import Atlas

N_WORDS, FEW_WORDS, N_TAGS = 40, 12, 15
DISTINCTIVE = 0.3  # weights of frequency against lift for which words are stored


def topic_facts(atlas: Atlas) -> tuple[list[dict[str, Any]], list[str]]:
    """One entry per topic, the largest first, and the names of the families."""
    words = _lists(atlas, atlas.main, N_WORDS)
    tags = _lists(atlas, "hashtag", N_TAGS) if "hashtag" in atlas.topics and atlas.main != "hashtag" else None
    low, high = atlas.spread.low[0, atlas.order], atlas.spread.high[0, atlas.order]
    distance = apart(atlas.word_rows(atlas.main)[0], atlas.shares)
    family, places = families(distance, atlas.shares, int(atlas.large.sum())), plane(distance)
    facts = []
    for i, share in enumerate(atlas.shares.tolist()):
        one: dict[str, Any] = {"id": atlas.members[i][0], "label": clean(atlas.names[i]), "share": digits(share)}
        one |= {"tokens": int(atlas.counts[i]), "family": int(family[i]), "small": not atlas.large[i]}
        one |= {} if atlas.found is None else {"found": atlas.found[i]}
        one |= {"x": digits(places[i, 0]), "y": digits(places[i, 1]), "words": words[i]}
        one |= {"tags": tags[i]} if tags else {}
        facts.append(one | {"low": digits(low[i]), "high": digits(high[i])})
    leaders = [int(np.flatnonzero(family == f)[0]) for f in range(family.max() + 1)]
    return facts, [facts[i]["label"] for i in leaders]


def _lists(atlas: Atlas, stream: str, n: int) -> list[list[list[Any]]]:
    """Per topic, [word, probability, probability in all topics] for words that are frequent or distinctive."""
    rows, words = atlas.word_rows(stream)
    own = np.bincount(atlas.topics[stream], minlength=atlas.n_topics)
    rows, used = np.maximum(rows, 1e-300), atlas.fit.occurring(stream)
    overall, out = own @ rows / own.sum(), []
    counts = atlas.tables[stream].tokens[:, used]
    for i, row in enumerate(rows):
        many = n if atlas.large[i] else min(n, FEW_WORDS)
        relevance = DISTINCTIVE * np.log(row) + (1 - DISTINCTIVE) * np.log(row / overall)
        seen = np.flatnonzero(counts[atlas.members[i]].sum(axis=0))
        by_frequency, by_relevance = (seen[np.argsort(-value[seen], kind="stable")] for value in (row, relevance))
        chosen = dict.fromkeys([*by_frequency[:many].tolist(), *by_relevance[: many // 2].tolist()])
        out.append([[clean(words[w]), digits(row[w]), digits(overall[w])] for w in chosen])
    return out


def digits(value: float) -> float:
    """Round to three significant digits, which is enough for a picture."""
    return float(f"{value:.3g}")
