"""Seeds below zero are refused wherever there is one, and by name."""

import numpy as np
import pytest

from pitmanyor import Corpus, PlanError, fit, models, simulate
from pitmanyor.seeds import generator
from pitmanyor.simulation import simulate_microblog

POSTS = Corpus.from_tokens(
    [["a", "b"], ["b", "c"], ["c", "a"]],
    groups={"author": ["ann", "bob", "ann"]},
    links={"follows": [("ann", "bob")]},
)


@pytest.mark.parametrize(
    "call",
    [
        lambda: generator(-1, 3),
        lambda: generator((1, -1, 0), 3),
        lambda: POSTS.split(0.4, seed=-1),
        lambda: POSTS.hide_links("follows", by="author", share=0.5, seed=-1),
        lambda: fit(models.lda(2), POSTS, sweeps=1, seed=-1),
        lambda: fit(models.lda(2), POSTS, sweeps=2, seed=1).infer(POSTS, seed=-1),
        lambda: fit(models.lda(2), POSTS, sweeps=2, seed=1).perplexity(POSTS, seed=-1),
        lambda: simulate_microblog(posts=5, authors=2, seed=-1),
        lambda: simulate(models.lda(2), documents=2, tokens=3, vocabulary=4, seed=-1),
    ],
)
def test_a_seed_is_zero_or_more(call):
    with pytest.raises(PlanError, match="seed must be (a whole number, )?0 or more, not -1"):
        call()


def test_a_number_is_a_key_of_one_part():
    assert generator(5, 3).random() == generator((5,), 3).random() != generator(5, 4).random()
    philox = np.random.Philox(np.random.SeedSequence([5, 1, 2, 3]))
    assert generator((5, 1, 2), 3).random() == np.random.Generator(philox).random()
