"""Fit the HPYP topic model to a small SIMULATED corpus of readable words, and print the topics it finds.

Six themes are planted, each a list of English words. Ten invented authors like two themes each; a document mixes its
author's themes and sprinkles in words that fit everywhere. The model sees the words only: neither the themes nor how
many there are.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np
from rich.console import Console
from rich.table import Table

from pitmanyor import Corpus, fit, models

THEMES = {
    "kitchen": "bread butter cheese oven flour sugar salt pepper soup garlic onion recipe bake boil spoon plate",
    "football": "goal match league referee striker penalty coach defender stadium score kick team cup fans keeper pass",
    "space": "planet orbit rocket star telescope moon galaxy comet launch gravity crew module signal probe mars solar",
    "garden": "soil seed rose prune bloom weed lawn hedge root compost tulip water spade bulb shade fence bee fruit",
    "money": "bank loan market price share bond profit tax debt invest trade budget rate fund broker cash growth risk",
    "music": "guitar chord melody drum concert singer album rhythm piano tune choir lyric stage bass tempo record",
}
EVERYWHERE = "time day year people good new little long great old first last"
AUTHORS = ("ada", "ben", "cleo", "dan", "eve", "finn", "gus", "hana", "ivo", "jo")
N_DOCUMENTS = 600
SWEEPS = 200
SMALLEST = 0.01  # topics with a smaller share are only counted


def simulate_corpus(seed: int) -> Corpus:
    """600 short documents by ten authors. Words of a theme follow Zipf's law, as real ones do."""
    rng = np.random.default_rng(seed)
    names = list(THEMES)
    liked = [(i % len(names), (i + 1 + i // len(names)) % len(names)) for i in range(len(AUTHORS))]
    documents, authors = [], []
    for _ in range(N_DOCUMENTS):
        author = int(rng.integers(len(AUTHORS)))
        share = rng.beta(0.6, 0.6)
        themes = rng.choice(liked[author], size=rng.poisson(30) + 5, p=[share, 1 - share])
        documents.append([_word(rng, THEMES[names[theme]]) for theme in themes])
        authors.append(AUTHORS[author])
    return Corpus.from_tokens(documents, groups={"author": authors})


def _word(rng: np.random.Generator, theme: str) -> str:
    words = (EVERYWHERE if rng.random() < 0.15 else theme).split()
    cumulative = np.cumsum(1 / (np.arange(len(words)) + 2))
    return words[int(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right"))]


def nearest_theme(topic: list[tuple[str, float]]) -> str:
    """The planted theme that holds most of a topic's probability."""
    mass = {name: sum(p for word, p in topic if word in text.split()) for name, text in THEMES.items()}
    mass["(everywhere)"] = sum(p for word, p in topic if word in EVERYWHERE.split())
    return max(mass, key=lambda name: mass[name])


def main() -> None:
    console = Console()
    corpus = simulate_corpus(seed=1)
    console.print(
        f"A [bold]simulated[/] corpus: {corpus.n_documents} documents, {corpus.n_tokens:,} tokens, "
        f"{len(corpus.vocabulary)} words, {len(THEMES)} planted themes.\n"
        "The first run on a machine compiles the sampler; later ones start at once."
    )
    start = perf_counter()
    result = fit(models.hpyp(), corpus, sweeps=SWEEPS, seed=1, progress=console.is_terminal)
    seconds = perf_counter() - start

    shares = np.ravel(result.mean("nu", new_topic="discard"))
    topics = result.topics(25)
    table = Table("share", "nearest planted theme", "likeliest words", title="Topics found by models.hpyp()")
    shown = [k for k in np.argsort(-shares) if shares[k] >= SMALLEST]
    for k in shown:
        words = ", ".join(word for word, _ in topics[k][:9])
        table.add_row(f"{shares[k]:.1%}", nearest_theme(topics[k]), words)
    console.print(table)
    found = {nearest_theme(topics[k]) for k in shown} & set(THEMES)
    console.print(
        f"{len(found)} of {len(THEMES)} planted themes found in {len(shown)} topics; {len(topics) - len(shown)} more "
        f"topics hold less than {SMALLEST:.0%} each.\n"
        f"{SWEEPS} sweeps over {corpus.n_tokens:,} tokens took {seconds:.1f} s, compilation included."
    )


if __name__ == "__main__":
    main()
