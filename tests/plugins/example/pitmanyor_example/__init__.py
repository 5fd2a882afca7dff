"""One plug-in of each kind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pitmanyor import Corpus, Fit, Graph, uniform


def bigrams(text: str) -> list[str]:
    """Pairs of neighbouring words: `read(..., tokeniser="bigrams")`.

    >>> bigrams("Fresh bread today")
    ['fresh_bread', 'bread_today']
    """
    words = text.lower().split()
    return [f"{one}_{other}" for one, other in zip(words, words[1:], strict=False)]


def read_log(path: Path) -> Iterator[dict[str, str]]:
    """Records of a chat log with lines such as `ann: hello`: `read("chat.log")`."""
    for line in path.read_text("utf-8").splitlines():
        author, colon, text = line.partition(": ")
        if colon:
            yield {"author": author, "text": text}


def two_levels(n_topics: int = 10) -> Graph:
    """Topics over words and nothing else, for so many topics: `pitmanyor fit --model two_levels:20`."""
    graph = Graph()
    theta = graph.dirichlet("theta", over=n_topics, plate="document")
    phi = graph.pyp("phi", base=uniform("vocabulary"), plate="topic")
    graph.tokens("word", topic=theta, emit=phi)
    return graph


def rare_topics(fit: Fit, test: Corpus | None) -> dict[str, float]:
    """Topics with less than one token in a hundred: `pitmanyor evaluate RUN --measure rare_topics`."""
    shares = fit.topic_shares()
    return {"count": float((shares < 0.01).sum()), "test documents": float(test.n_documents if test else 0)}
