"""What is on the page is what the fit says; what is not in the data is not on the page."""

import json
import sys

import numpy as np
import pytest

from pitmanyor import Corpus, Network, PlanError, fit, labels, load, models, prevalence, representative
from pitmanyor.plan.tokens import TokenOrder
from pitmanyor.report import build_payload, people, redact
from pitmanyor.report.draft import draft_facts
from pitmanyor.report.people import link_facts, order_of
from pitmanyor.report.post_facts import choose, marked
from pitmanyor.report.redact import name_check, names_of
from pitmanyor.report.texts import read_texts
from pitmanyor.report.view import atlas_of
from pitmanyor.results.posterior import Posterior
from pitmanyor.state.topic_sizes import is_large
from pitmanyor.topics import merge, rename
from pitmanyor.topics.counts import word_counts
from pitmanyor.topics.topic_view import view


def test_topics_are_those_of_the_fit_by_size(blog, payload):
    topics, names = payload["topics"], labels(blog)
    counts = np.bincount(blog.state.text.topic, minlength=blog.n_topics)
    assert [topic["label"] for topic in topics] == [names[topic["id"]] for topic in topics]
    assert {topic["id"]: topic["tokens"] for topic in topics} == {k: n for k, n in enumerate(counts.tolist()) if n}
    spread_out = prevalence(blog)
    for topic in topics:
        at = spread_out.topics.index(topic["id"])
        assert topic["share"] == pytest.approx(spread_out.shares[0, at], rel=0.01)
        assert topic["low"] <= topic["share"] * 1.01 and topic["share"] <= topic["high"] * 1.01
    assert [topic["share"] for topic in topics] == sorted((topic["share"] for topic in topics), reverse=True)
    for topic in topics[:3]:
        best = dict(blog.topics(5)[topic["id"]])
        assert {word: p for word, p, _ in topic["words"][:5]} == pytest.approx(best, rel=0.01)
    assert payload["about"]["interval"] == "samples" and len(payload["families"]) <= 8


def test_groups_are_told_with_their_shares(blog, payload):
    found, exact = payload["groups"][0], prevalence(blog, by="label")
    assert [one["name"] for one in payload["groups"]] == ["label"] and found["of"] == len(exact.groups)
    at = [exact.groups.index(label) for label in found["labels"]]
    assert found["posts"] == exact.n_documents[at].tolist() == sorted(found["posts"], reverse=True)
    for topic, row in zip(payload["topics"], found["shares"], strict=True):
        expected = exact.shares[at, exact.topics.index(topic["id"])]
        assert row == pytest.approx(1000 * expected, abs=0.06)
    assert "groups" not in build_payload(blog, redact=True)  # labels may be names


def words_of(text, marks):
    """Marked words and their topics, as the page cuts them out."""
    out, at = [], 0
    for gap, length, topic in zip(marks[::3], marks[1::3], marks[2::3], strict=True):
        out.append((text[at + gap : at + gap + length].lower(), topic))
        at += gap + length
    return out


def test_every_word_of_a_post_has_its_topic(blog, payload):
    atlas, texts = atlas_of(blog), read_texts(blog.corpus).values
    for d in range(60):
        tokens = []
        for name, sign in (("word", ""), ("hashtag", "#")):
            stream = blog.corpus.streams[name]
            part = slice(*stream.offsets[d : d + 2])
            words = [sign + blog.corpus.vocabulary[w] for w in stream.words[part]]
            tokens += zip(words, atlas.topics[name][part].tolist(), strict=True)
        assert sorted(words_of(*marked(atlas, d, texts[d]))) == sorted(tokens)
        assert sorted(words_of(*marked(atlas, d, None))) == sorted(tokens)  # tokens alone, where there is no text
    posts = payload["posts"]
    assert len(posts["posts"]) == posts["of"] == 240
    n_marks = sum(len(marks) // 3 for _, marks in posts["posts"])
    assert n_marks == sum(topic["tokens"] for topic in payload["topics"])


def test_hashtags_of_a_column_come_after_the_text_and_long_texts_are_cut(blog):
    atlas = atlas_of(blog)
    stream = blog.corpus.streams["hashtag"]
    d = int(np.flatnonzero(stream.lengths == 2)[0])
    tags = ["#" + blog.corpus.vocabulary[w] for w in stream.words[stream.offsets[d] : stream.offsets[d + 1]]]
    text, marks = marked(atlas, d, "Nothing of it here")
    assert text == f"Nothing of it here {' '.join(tags)}"
    assert [word for word, _ in words_of(text, marks)] == tags
    assert len(marked(atlas, d, "far too long " * 100)[0]) == 600
    assert "https://example.org/aaaaaaaaaaaaaa\u2026" in marked(atlas, d, f"see https://example.org/{'a' * 90}")[0]


def test_the_first_posts_are_spread_over_all(blog):
    assert sorted(choose(atlas_of(blog), [[]])) == list(range(240))
    assert choose(atlas_of(blog), [[5, 6], [7]])[:3] == [5, 7, 6]
    assert np.ptp(np.histogram(choose(atlas_of(blog), [[]])[:60], bins=4, range=(0, 240))[0]) <= 4


def test_posts_of_a_topic_are_the_representative_ones(blog, payload):
    texts = read_texts(blog.corpus).values
    for i, topic in enumerate(payload["topics"][:3]):
        best = [payload["posts"]["posts"][p][0] for p in payload["posts"]["best"][i][:5]]
        assert best == [texts[d] for d in representative(blog, topic["id"], 5)]


def test_authors_links_and_times(blog, payload):
    authors, group = payload["authors"], blog.corpus.groups["author"]
    assert sorted(authors["names"]) == sorted(map(str, group.labels))
    assert authors["posts"] == sorted(np.bincount(group.codes).tolist(), reverse=True)
    assert all(sum(row) == pytest.approx(1000, abs=len(payload["topics"])) for row in authors["shares"])
    network = payload["network"]
    names = [authors["names"][a] for a, _, _ in network["nodes"]]
    told = {(names[a], names[b]) for a, b in network["links"]}
    assert told == set(blog.corpus.links["follows"].pairs)
    assert {frozenset((names[a], names[b])) for a, b in network["backbone"]} <= set(map(frozenset, told))
    assert network["to"] == [sum(a == name for a, _ in told) for name in names]
    assert network["of"] == [sum(b == name for _, b in told) for name in names]
    times = payload["times"]
    assert times["every"] == "week" and len(times["minutes"]) == len(times["shares"][0]) >= 12
    assert sum(times["tokens"]) == blog.corpus.n_tokens
    assert sum(row[3] for row in times["shares"]) == pytest.approx(1000, abs=1)


def test_what_is_not_there_is_absent(plain):
    payload = build_payload(plain)
    assert not {"authors", "network", "times"} & set(payload)
    assert not {"authors", "tags", "first"} & set(payload["about"])
    assert "tags" not in payload["draft"] and "tags" not in payload["topics"][0]
    assert payload["posts"]["posts"][0][0] in ("goal match goal team", "bread oven bread butter")
    assert "made of tokens" in payload["posts"]["said"]
    assert payload["about"]["interval"] == "documents"
    json.dumps(payload, allow_nan=False)


def test_names_and_merges_are_respected(blog, tmp_path):
    blog.save(tmp_path / "run")
    named = load(tmp_path / "run")
    first, second = [topic["id"] for topic in build_payload(named)["topics"]][:2]
    merge(named, [first, second], "one of two")
    rename(named, {build_payload(named)["topics"][1]["id"]: "<b>bold</b>"})
    payload = build_payload(named)
    assert [topic["label"] for topic in payload["topics"]][:2] == ["one of two", "<b>bold</b>"]
    assert sum(topic["tokens"] for topic in payload["topics"]) == blog.corpus.n_tokens
    assert sum(p for _, p, _ in payload["topics"][0]["words"]) <= 1.0


def test_redacted_pages_have_no_name_and_no_text(blog, payload):
    redacted, again = build_payload(blog, redact=True), build_payload(blog, redact=True)
    said = json.dumps(redacted)
    assert "posts" not in redacted and "source" not in redacted["about"]
    assert not [name for name in payload["authors"]["names"] if name in said]
    assert len(set(redacted["authors"]["names"])) == len(payload["authors"]["names"])
    assert set(redacted["authors"]["names"]).isdisjoint(again["authors"]["names"])  # nobody can try names
    assert redacted["authors"]["posts"] == payload["authors"]["posts"]


def test_words_that_are_names_are_redacted():
    documents = {"word": [["ann", "goal", "@bob"], ["bread", "goal", "ann"]] * 6, "hashtag": [["ann"], ["bread"]] * 6}
    corpus = Corpus.from_tokens(documents, groups={"author": ["Ann Goalby", "bob", "cy", "dan", "eve", "fay"] * 2})
    found = fit(models.tntm().without("follows"), corpus, sweeps=4, seed=1)
    assert '"ann"' in json.dumps(build_payload(found))
    said = json.dumps(build_payload(found, redact=True)).lower()
    assert '"ann"' not in said and "#ann" not in said and "@bob" not in said and '"goal"' in said


def test_parts_of_names_are_names():
    found = names_of(["jane_doe", "JohnSmith", "Bo Li", "NASAFan42"])
    assert {"jane", "doe", "janedoe", "john", "smith", "johnsmith", "bo", "li", "boli", "nasa", "fan", "fan42"} <= found
    assert not {"", "j", "n", "o"} & found
    corpus = Corpus.from_tokens([["x"]] * 3, groups={"author": ["jane_doe", "Bo Li", "Jose\u0301"]})
    is_name = name_check(corpus)
    assert is_name("jos\u00e9") and is_name("Jose\u0301") and is_name("#prayforjane") and not is_name("x")
    assert all(map(is_name, ["#JaneDoe", "jane-doe", "doe", "Li", "@anybody"]))
    assert not any(map(is_name, ["does", "janet", "bold"]))


def test_words_of_few_authors_are_redacted():
    documents = [["goal", "diagnosis"], ["goal", "cup"], ["goal", "cup"], ["cup"]]
    corpus = Corpus.from_tokens(documents, groups={"author": ["ann", "bob", "cyd", "bob"]})
    assert [word for word in ("goal", "diagnosis", "cup", "unheard") if name_check(corpus)(word)] == [
        "diagnosis",
        "cup",
    ]
    assert not name_check(Corpus.from_tokens(documents))("diagnosis")


def test_labels_that_people_wrote_are_redacted():
    corpus = Corpus.from_tokens([["goal"]] * 3, groups={"author": ["jane_doe", "bob", "cyd"]})
    is_name = name_check(corpus)
    assert redact._label("Doe's goal, by (JaneDoe) and #teamjane", is_name) == "(name) goal, by (name) and (name)"


def test_hashtags_are_words_that_were_hashtags():
    documents = {"word": [["goal", "match"], ["bread", "oven"]] * 8, "hashtag": [["cup"], ["bread"]] * 8}
    payload = build_payload(
        fit(
            models.tntm().without("follows"),
            Corpus.from_tokens(documents, groups={"author": list("ab") * 8}),
            sweeps=6,
            seed=1,
        )
    )
    assert set(payload["draft"]["tags"]) == {"cup", "bread"}
    assert {tag for topic in payload["topics"] for tag, _, _ in topic["tags"]} == {"cup", "bread"}
    assert {word for topic in payload["topics"] for word, _, _ in topic["words"]} == {"goal", "match", "bread", "oven"}


def test_small_topics_are_folded_away_but_never_all(blog, plain, monkeypatch):
    payload, sizes = build_payload(blog), atlas_of(blog).counts
    assert [topic["small"] for topic in payload["topics"]] == (~is_large(sizes)).tolist() and not is_large(sizes).all()
    assert payload["trust"]["n_topics"]["now"] == is_large(sizes).sum() == blog.topic_count().n_large
    assert payload["trust"]["n_topics"]["small"] == (~is_large(sizes)).sum() == blog.topic_count().n_small
    assert not any(topic["small"] for topic in build_payload(plain)["topics"])
    monkeypatch.setattr("pitmanyor.state.topic_sizes.least_tokens", lambda n_tokens: n_tokens + 1)  # now all are
    assert not any(topic["small"] for topic in build_payload(plain)["topics"])


def test_the_most_linked_authors_are_drawn_however_little_they_write(monkeypatch):
    monkeypatch.setattr(people, "MOST_AUTHORS", 3)
    monkeypatch.setattr(people, "MOST_LINKED", 2)
    who = list("aaaabbbccde")
    links = {"follows": [("d", "e"), ("e", "d"), ("d", "a"), ("e", "c"), ("a", "a")]}
    corpus = Corpus.from_tokens([["x", "y"]] * len(who), groups={"author": who}, links=links)
    atlas = atlas_of(fit(models.author_topic(), corpus, sweeps=2, seed=1))
    labels = corpus.groups["author"].labels
    order = order_of(atlas)
    assert [labels[a] for a in order] == list("adebc")  # those told first, each part by posts
    network = link_facts(atlas, order)
    assert [labels[order[a]] for a, _, _ in network["nodes"]] == ["d", "e"]
    assert network["links"] == [[0, 1], [1, 0]] and (network["n_authors"], network["n_links"]) == (4, 4)


def test_a_draft_word_speaks_for_the_topics_that_use_it(blog):
    atlas = atlas_of(blog)
    facts = draft_facts(atlas)
    rows, words = atlas.word_rows("word")
    weight = np.bincount(atlas.topics["word"], minlength=atlas.n_topics)
    w = int((weight @ rows).argmax())
    told = dict(zip(facts["words"][words[w]][::2], facts["words"][words[w]][1::2], strict=True))
    given = weight * rows[:, w] / (weight @ rows[:, w])
    assert told == pytest.approx({k: 1000 * p for k, p in enumerate(given) if p > 0.02}, abs=1)
    assert len(facts["chances"]) == atlas.n_topics and len(facts["chances"][0]) == len(facts["tags"])


def test_runs_without_text_or_sweeps_are_refused(plain):
    with pytest.raises(PlanError, match="no sweeps yet"):
        atlas_of(fit(plain.graph, plain.corpus, sweeps=0, seed=1))
    corpus = Corpus.from_tokens([["x"]] * 3, groups={"author": list("abc")}, links={"follows": [("a", "b")]})
    graph = models.tntm().without("theta_tag").without("word")
    with pytest.raises(PlanError, match="no text"):
        atlas_of(fit(graph, corpus, sweeps=2, seed=1, network=Network(n_topics=2)))


def count_calls(monkeypatch, function, owner=None):
    """How often a function is called, wherever modules have it under its name; or an attribute of a class."""
    calls, what = [], function.fget if isinstance(function, property) else function

    def counted(*args, **given):
        calls.append(args)
        return what(*args, **given)

    modules = [module for name, module in sys.modules.items() if name.startswith("pitmanyor")]
    for place in [owner] if owner else [m for m in modules if getattr(m, what.__name__, None) is function]:
        monkeypatch.setattr(place, what.__name__, property(counted) if isinstance(function, property) else counted)
    return calls


def test_a_page_computes_each_thing_once(blog, monkeypatch):
    """One table of words per stream, one sort of all tokens, one view of the topics."""
    tables = count_calls(monkeypatch, Posterior.topic_words, Posterior)
    sorts = count_calls(monkeypatch, TokenOrder.source, TokenOrder)
    counts, views = count_calls(monkeypatch, word_counts), count_calls(monkeypatch, view)
    build_payload(blog)
    assert len(blog.graph.streams) == 2
    assert [len(calls) for calls in (tables, counts, sorts, views)] == [2, 2, 1, 1]
