"""Long runs of mixed and explicit sweeps against the enumerated posterior.

Some 400 means in all, |z| < 4.5 from 50 batches each: a right sampler under other seeds would fail once in a hundred
runs of this file.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from oracle.runs import (
    diamond_authors,
    even_mix,
    exact_means,
    few_words,
    finite_mix,
    five_documents,
    layers,
    run_sweeps,
    shared_mix,
    two_authors,
    z_scores,
)
from oracle.toys import TOYS, Toy, finite_topics

N_SWEEPS = 10_000
LONG = ("few words", "layers", "two authors", "even mix", "five documents", "diamond")  # twice as many
LARGEST = 4.5
MIXED: dict[str, Callable[[], Toy]] = {
    "layers": layers,
    **{f"layers, discount {a}": partial(layers, a) for a in (0.0, 0.3, 0.5, 0.7)},
    "two authors": two_authors,
    "shared mix": shared_mix,
    "even mix": even_mix,
    "five documents": five_documents,
    "diamond": diamond_authors,
    "few words": few_words,
    "few words, one node": partial(five_documents, unused="abcd"),
    "bursty": TOYS["bursty"],
    "bursty layers": TOYS["bursty_layers"],
    "words per author": TOYS["author_words"],
    "nested groups": TOYS["nested_groups"],
    "own vocabularies": TOYS["own_vocabularies"],
    "finite": TOYS["finite_topics"],
}


@pytest.mark.parametrize("name", MIXED)
def test_mixed_sweeps_have_the_exact_means(name):
    toy, n_sweeps = MIXED[name](), N_SWEEPS * (2 if name in LONG else 1)
    assert np.abs(z_scores(run_sweeps(toy, "mixed", n_sweeps, seed=1), exact_means(toy))).max() < LARGEST


EXPLICIT: dict[str, Callable[[], Toy]] = {
    **{f"finite, discount {a}": partial(finite_topics, a) for a in (0.0, 0.3, 0.4, 0.5, 0.7)},
    "finite mix": finite_mix,
}


@pytest.mark.parametrize("name", EXPLICIT)
def test_explicit_sweeps_below_a_finite_root_have_the_exact_means(name):
    toy = EXPLICIT[name]()
    assert np.abs(z_scores(run_sweeps(toy, "explicit", N_SWEEPS, seed=1), exact_means(toy))).max() < LARGEST
