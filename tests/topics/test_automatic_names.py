"""Hashtags name a topic where many of its posts have them, and lists have only words that occur."""

import numpy as np
import pytest

from pitmanyor import EvidenceWarning, Sampler, fit, labels, models, read, recommend_authors, similar
from pitmanyor.cli.show import topic_facts
from pitmanyor.report import build_payload
from pitmanyor.topics.automatic_names import FAIR, automatic_names
from pitmanyor.topics.counts import WordTables
from pitmanyor.topics.grouped_words import group_words

HEALTH = ["hospital", "nurse", "doctor", "patient", "insurance", "care", "clinic", "medicine"]
SPORT = ["goal", "team", "league", "season", "coach", "player", "match", "striker"]


@pytest.fixture(scope="module")
def stray():
    """Two topics: every post on sport has its hashtag, and two posts of forty on health care have one of politics."""
    rng = np.random.default_rng(1)
    rows = []
    for i in range(80):
        words = rng.choice(HEALTH if i % 2 else SPORT, 8)
        tag = "#football #once" if i == 0 else "#football" if i % 2 == 0 else "#mepolitics" if i < 6 else ""
        rows.append({"text": " ".join([*words, tag]), "author": "ann" if i < 77 else "bob"})
    return fit(
        models.tntm().without("follows"), read(rows), sweeps=60, seed=1, max_topics=2, sampler=Sampler(moves=False)
    )


def test_a_stray_hashtag_names_no_topic(stray):
    names = labels(stray)
    assert sorted(name.startswith("#") for name in names) == [False, True], names
    assert "#football" in names and not any("mepolitics" in name for name in names)
    by_tags = labels(stray, by="probability")  # as the paper names them
    assert any("#mepolitics" in name for name in by_tags)


def test_the_share_of_posts_that_is_fair(stray, monkeypatch):
    members = [(k,) for k in range(stray.n_topics)]
    assert 2 / 40 < FAIR < 0.5
    monkeypatch.setattr("pitmanyor.topics.automatic_names.FAIR", 2 / 41)
    assert "#mepolitics" in automatic_names(stray, members, 3, "lift", WordTables(stray))


def test_lists_have_only_words_that_occur_in_the_topic(blog):
    assert blog.n_topics > 2
    members = [(k,) for k in range(blog.n_topics)]
    for stream in ("word", "hashtag"):
        topics, words = blog.token_topics(stream), blog.corpus.streams[stream].words
        for k, listed in enumerate(group_words(blog, stream, members, 12)):
            occurring = {blog.corpus.vocabulary[w] for w in words[topics == k]}
            assert {word for word, _ in listed} <= occurring and len(listed) == min(12, len(occurring))
    for topic in topic_facts(blog, 12):
        k = topic["topic"]
        tags = {
            blog.corpus.vocabulary[w] for w in blog.corpus.streams["hashtag"].words[blog.token_topics("hashtag") == k]
        }
        assert {entry["word"] for entry in topic["hashtag"]} <= tags
    for topic in build_payload(blog)["topics"]:
        k = topic["id"]
        tags = {
            blog.corpus.vocabulary[w] for w in blog.corpus.streams["hashtag"].words[blog.token_topics("hashtag") == k]
        }
        assert {tag for tag, *_ in topic["tags"]} <= tags


def test_authors_with_few_posts_are_said(stray, recwarn):
    with pytest.warns(EvidenceWarning, match="'bob' has only 3 posts, too few to tell whom they are like"):
        similar(stray, author="bob")
    with pytest.warns(EvidenceWarning, match="1 of 1 authors found have fewer than 5 posts, such as 'bob'"):
        recommend_authors(stray, "ann")


def test_authors_with_enough_posts_are_not(blog, recwarn):
    similar(blog, author=blog.corpus.groups["author"].labels[0])
    assert not [one for one in recwarn if one.category is EvidenceWarning]
