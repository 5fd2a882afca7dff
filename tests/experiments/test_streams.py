"""Tokens with their streams: chances of all pairs add up to one, whatever a model does with streams."""

import numpy as np
import pytest

from pitmanyor import Corpus, StateError, models
from pitmanyor.baselines import merged
from pitmanyor.evaluate import Perplexity
from pitmanyor.evaluate.token_parts import pick
from pitmanyor.experiments.streams import joint_perplexity, stream_chances

TRAIN = Corpus.from_tokens(
    {"word": [["a", "b"], ["a", "a"]], "hashtag": [["t"], ["a"]]}, vocabulary=["a", "b", "t", "u"]
)
TEST = Corpus.from_tokens({"word": [["a", "b"]], "hashtag": [["t"]]}, vocabulary=TRAIN.vocabulary)
POURED, APART = merged(models.hdp_lda()), models.tntm()


def test_pairs_add_up_to_one():
    rng = np.random.default_rng(1)
    chances = stream_chances(POURED, TRAIN)
    one = rng.dirichlet(np.ones(4))  # one distribution for both streams
    assert sum((one * chances[name]).sum() for name in chances) == pytest.approx(1.0)
    chances = stream_chances(APART, TRAIN)
    assert sum((rng.dirichlet(np.ones(4)) * chances[name]).sum() for name in chances) == pytest.approx(1.0)


def test_shares_are_those_of_the_training_tokens():
    assert stream_chances(POURED, TRAIN)["hashtag"].tolist() == [1.5 / 5, 0.5 / 2, 1.5 / 2, 0.5]
    assert stream_chances(APART, TRAIN)["hashtag"].tolist() == [2.5 / 7] * 4


@pytest.mark.parametrize(
    ("graph", "factors"), [(POURED, (3.5 / 5, 1.5 / 2, 1.5 / 2)), (APART, (4.5 / 7, 4.5 / 7, 2.5 / 7))]
)
def test_every_scored_token_pays_for_its_stream(graph, factors):
    found = Perplexity({"hashtag": np.log(0.25), "word": np.log(0.02)}, {"hashtag": 1, "word": 2}, {}, 1)
    exact = (0.25 * 0.02 * np.prod(factors)) ** (-1 / 3)
    assert joint_perplexity(found, graph, TRAIN, TEST, observed=0.0, seed=1) == pytest.approx(exact)
    with pytest.raises(StateError, match="other tokens were scored"):
        joint_perplexity(found, graph, TRAIN, TEST, observed=0.5, seed=1)


@pytest.mark.parametrize("seed", range(6))
def test_the_words_that_pay_are_those_that_were_scored(seed):
    posts = Corpus.from_tokens({"word": [["a", "b", "t", "u"]] * 3, "hashtag": [[]] * 3}, vocabulary=TRAIN.vocabulary)
    words = posts.streams["word"]
    factors = np.array([3.5 / 5, 1.5 / 2, 0.5 / 2, 0.5])[words.words[~pick(words, 0.5, seed)]]
    found = Perplexity({"hashtag": 0.0, "word": np.log(0.02)}, {"hashtag": 0, "word": 6}, {}, 1)
    exact = (0.02 * np.prod(factors)) ** (-1 / 6)
    assert joint_perplexity(found, POURED, TRAIN, posts, observed=0.5, seed=seed) == pytest.approx(exact, rel=1e-12)
