"""Hashtags of posts that are like a draft."""

import math

import numpy as np
import pytest

from pitmanyor import Corpus, PlanError, fit, models, recommend_tags
from pitmanyor.topics import tag_probabilities
from pitmanyor.topics.drafts import as_corpus
from pitmanyor.topics.echoes import ALL, EVER, OWN, Echoes

WORDS = [["goal", "goal", "cup"], ["goal", "vote"], ["oven", "bread"], ["oven"], ["vote"]]
TAGS = [["sport"], ["news", "sport"], ["food"], [], ["news"]]
AUTHORS = ["ann", "bob", "ann", "bob", "bob"]
DRAFT = ["goal", "goal", "bread"]


@pytest.fixture(scope="module")
def corpus():
    return Corpus.from_tokens({"word": WORDS, "hashtag": TAGS}, groups={"author": AUTHORS})


@pytest.fixture(scope="module")
def result(corpus):
    return fit(models.tntm().without("follows"), corpus, sweeps=3, seed=1)


def cosines(posts, draft):
    """By the definition, word by word."""

    def weights(words):
        rarity = {w: math.log(len(posts) / sum(w in post for post in posts)) for w in words}
        return {w: math.log1p(words.count(w)) * rarity[w] for w in words}

    def norm(one):
        return math.sqrt(sum(x * x for x in one.values()))

    one = weights(draft)
    rows = [weights(post) for post in posts]
    return [sum(row.get(w, 0.0) * x for w, x in one.items()) / norm(row) / norm(one) for row in rows]


def expected(weights):
    total = {
        tag: sum(w for w, tags in zip(weights, TAGS, strict=True) if tag in tags) for tag in sorted({*sum(TAGS, [])})
    }
    return {tag: value / sum(total.values()) for tag, value in total.items()}


def test_posts_count_by_their_cosine_with_the_draft(corpus, result):
    near = cosines(WORDS, DRAFT)
    everybody = expected([c**ALL for c in near])
    own = expected([(c**OWN + EVER) * (who == "ann") for c, who in zip(near, AUTHORS, strict=True)])
    for author, parts in ((None, [everybody]), ("ann", [everybody, own]), ("nobody", [everybody])):
        tags, rows = tag_probabilities(result, as_corpus(result, [DRAFT], author), by="posts")
        mean = {tag: np.mean([part[tag] for part in parts]) for tag in everybody}
        assert dict(zip(tags, rows[0], strict=True)) == pytest.approx(mean)
    assert min(everybody.values()) > 0 and own["news"] == 0


def test_both_is_the_mean_of_the_model_and_the_posts(result):
    draft = as_corpus(result, [DRAFT, ["vote"]], "bob")
    model, posts, both = (tag_probabilities(result, draft, by=by)[1] for by in ("model", "posts", "both"))
    assert both == pytest.approx((model / model.sum(axis=1, keepdims=True) + 2 * posts) / 3)
    assert recommend_tags(result, DRAFT, "bob")[0].score == pytest.approx(both[0].max())


def test_a_draft_of_which_nothing_is_known(corpus, result):
    used = np.unique(corpus.streams["hashtag"].words)
    assert Echoes(corpus, "hashtag", used).of(np.array([], np.int64), None) == []
    favourites = Echoes(corpus, "hashtag", used).of(np.array([], np.int64), "ann")
    assert [corpus.vocabulary[used[t]] for t in np.flatnonzero(favourites[0])] == ["food", "sport"]
    unknown = Corpus.from_tokens({"word": [["zzz"]]})
    assert not tag_probabilities(result, unknown, by="posts")[1].any()
    tagged = Corpus.from_tokens({"hashtag": TAGS})
    assert Echoes(tagged, "hashtag", np.unique(tagged.streams["hashtag"].words)).of(np.array([0]), None) == []


def test_the_way_must_be_known(result):
    with pytest.raises(PlanError, match="by must be one of both, model, posts"):
        recommend_tags(result, DRAFT, by="magic")
