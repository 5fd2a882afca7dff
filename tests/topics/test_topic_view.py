"""Names of topics: from tags or words, by people, merged; and what a run that went on does with them."""

import json

import numpy as np
import pytest

from pitmanyor import (
    Corpus,
    FileError,
    Network,
    PlanError,
    ReadWarning,
    fit,
    labels,
    load,
    models,
    prevalence,
    recommend_authors,
    resume,
)
from pitmanyor.simulation.themes import HASHTAGS, THEMES
from pitmanyor.topics import merge, rename, representative, reset, similar, view

THEME = {word: theme for lists in (THEMES, HASHTAGS) for theme, words in lists.items() for word in words.split()}


def big(fit, share=0.05):
    counts = np.bincount(fit.state.text.topic, minlength=fit.n_topics)
    return np.flatnonzero(counts > share * counts.sum())


def test_topics_are_named_by_hashtags_of_their_theme(blog):
    names = labels(blog)
    assert len(names) == blog.n_topics
    for k in big(blog):
        tags = names[k].split(" ")
        assert 1 <= len(tags) <= 3 and all(tag.startswith("#") for tag in tags)
        assert len({THEME[tag[1:]] for tag in tags}) == 1


def test_by_probability_is_the_order_of_psi_tag_among_tags_seen_twice(blog):
    names, listed = labels(blog, n_words=2, by="probability"), blog.topics(200, stream="hashtag")
    tags = blog.corpus.streams["hashtag"].words
    for k in big(blog):
        own = tags[blog.token_topics("hashtag") == k]
        seen = {blog.corpus.vocabulary[w] for w in np.unique(own) if (own == w).sum() >= 2}
        assert names[k] == " ".join("#" + tag for tag, _ in listed[k] if tag in seen)[: len(names[k])]
        assert names[k].count("#") == min(2, len(seen))


def test_lift_prefers_what_is_the_topics_own(plain):
    """Both topics have their words alone, so the likeliest come first; a topic without tags has words."""
    assert {name.split(", ")[0] for name in labels(plain)} == {"goal", "bread"}
    assert all(", " in name and "#" not in name for name in labels(plain))
    assert all(", " not in name for name in labels(plain, n_words=1))


def test_names_that_people_give_come_first_everywhere(named):
    first, second, *_ = map(int, big(named))
    own = labels(named)
    rename(named, {first: "  all   about it "})
    again = load(named.home)
    assert labels(again)[first] == "all about it" and labels(again)[second] == own[second]
    assert prevalence(again).names[first] == "all about it"
    assert representative(again, "all about it") == representative(again, first)
    reset(again, [first])
    assert labels(again) == own


def test_names_go_along_when_a_fit_is_saved_elsewhere(named, tmp_path):
    rename(named, {0: "mine"})
    named.save(tmp_path / "copy")
    assert labels(load(tmp_path / "copy")) == labels(named)
    assert labels(named)[0] == "mine"


def test_merged_topics_are_one_in_every_output(named):
    first, second, *_ = map(int, big(named))
    before, shares = labels(named), prevalence(named).shares[0]
    merge(named, [second, first], name="both")
    names, seen, after = labels(named), view(named), prevalence(named)
    assert names[first] == names[second] == "both" and len(names) == named.n_topics
    assert len(seen.names) == named.n_topics - 1 and seen.topics == after.topics
    place = seen.find(second)
    assert seen.find("both") == seen.find(first) == place and seen.members[place] == (first, second)
    assert after.shares[0, place] == pytest.approx(shares[first] + shares[second])
    assert set(representative(named, first, 10)) == set(representative(named, second, 10))
    assert second not in [near.label for near in similar(named, topic=first)]
    merge(named, [first, int(next(k for k in range(named.n_topics) if k not in (first, second)))])
    assert labels(named).count("both") == 3
    reset(named)
    assert labels(named) == before


def test_names_follow_topics_when_a_run_goes_on(named):
    first, second, *_ = map(int, big(named))
    rename(named, {first: "kept"})
    merge(named, [first, second])
    words = {word for word, _ in named.topics(10)[first]}
    longer = resume(named.home, sweeps=named.n_sweeps + 3)
    now = [k for k, name in enumerate(labels(longer)) if name == "kept"]
    assert len(now) == 2
    assert any(len(words & {word for word, _ in longer.topics(10)[k]}) >= 5 for k in now)
    said = json.loads((named.home / "names.json").read_text())
    said["topics"][0]["words"][0] = ["words", "that", "no", "topic", "has", "at", "all"]
    (named.home / "names.json").write_text(json.dumps(said))
    with pytest.warns(ReadWarning, match="was resumed after its topics were named, and 1 of the topics of 'kept'"):
        assert labels(longer).count("kept") == 1


def test_a_file_by_hand_needs_topics_and_names_only(named):
    (named.home / "names.json").write_text('{"topics": [{"topics": [0], "name": "mine"}]}')
    assert labels(named)[0] == "mine"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("{", "is not JSON"),
        ("[]", "expected"),
        ('{"topics": [{"topics": ["3"]}]}', "an entry is"),
        ('{"topics": [{"topics": [0], "name": 3}]}', "a name is text or null"),
        ('{"topics": [{"topics": [0]}, {"topics": [0]}]}', "topic 0 is listed twice"),
        ('{"topics": [{"topics": [9999]}]}', "topic 9999"),
        ('{"n_sweeps": 1, "topics": [{"topics": [0], "name": "x", "words": 3}]}', "words are a list"),
        ('{"n_sweeps": 1, "topics": [{"topics": [0], "name": "x", "words": [null]}]}', "words are a list"),
        ('{"n_sweeps": 1, "topics": [{"topics": [0], "name": "x", "words": [[3]]}]}', "words are a list"),
    ],
)
def test_a_file_that_makes_no_sense_is_told_so(named, body, message):
    (named.home / "names.json").write_text(body)
    with pytest.raises(FileError, match=message):
        labels(named)


def test_what_cannot_be_named_is_told_so(named, plain):
    for wrong, message in (
        (lambda: rename(plain, {0: "x"}), "not saved: call fit.save"),
        (lambda: rename(named, {9999: "x"}), "no topic 9999"),
        (lambda: rename(named, {0: " "}), "is empty"),
        (lambda: merge(named, [1, 1]), "two topics or more"),
        (lambda: labels(named, by="size"), "by must be one of lift, probability"),
        (lambda: labels(named, n_words=0), "1 or more"),
        (lambda: view(named).find("nobody"), "no topic is called 'nobody'"),
    ):
        with pytest.raises(PlanError, match=message):
            wrong()


def test_a_merge_with_an_empty_name_merges_nothing(named):
    with pytest.raises(PlanError, match="is empty"):
        merge(named, [0, 1], name=" ")
    assert not (named.home / "names.json").exists()


def test_a_name_of_several_topics_says_which(named):
    rename(named, {0: "same", 1: "same"})
    with pytest.raises(PlanError, match="topics 0, 1 are all called 'same'"):
        view(named).find("same")


def test_lift_names_no_topic_by_what_it_has_less_of():
    """Every topic has the tag "all"; where it is rarer than elsewhere it is no name, unless there is none other."""
    posts = [["goal", "team", "goal"], ["bread", "oven", "bread"]] * 20
    tags = [["all", "sport"] if i % 2 == 0 else ["all"] * (1 + (i % 4 == 1) * 2) for i in range(40)]
    corpus = Corpus.from_tokens({"word": posts, "hashtag": tags}, groups={"author": ["x", "y"] * 20})
    result = fit(models.tntm().without("follows"), corpus, sweeps=30, seed=2)
    everywhere = np.mean(corpus.streams["hashtag"].words == corpus.vocabulary.index("all"))
    phi, column = result.topic_words("hashtag"), result.words_of("hashtag").index("all")
    rare = [k for k in big(result) if phi[k, column] < 0.9 * everywhere]
    assert rare and all("#all" not in labels(result)[k] for k in rare)
    assert all("#all" in labels(result, by="probability")[k] for k in rare)


def test_one_topic_alone_is_named_by_its_likeliest():
    corpus = Corpus.from_tokens([["a", "a", "a", "b", "b"]] * 4)
    assert labels(fit(models.lda(1), corpus, sweeps=2, seed=1)) == ["a, b"]


def test_a_fit_of_links_alone_has_numbers_for_names():
    graph = models.tntm().without("theta").without("theta_tag")
    corpus = Corpus.from_tokens(
        [["a"], ["a"], ["a"]], groups={"author": ["x", "y", "z"]}, links={"follows": [("x", "y"), ("y", "x")]}
    )
    result = fit(graph, corpus, sweeps=2, network=Network(n_topics=3), seed=1)
    assert labels(result) == ["topic 0", "topic 1", "topic 2"]
    assert {near.label for near in recommend_authors(result, "x")} == {"z"}
