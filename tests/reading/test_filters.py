"""Filters: each removes what it says, and says what it removes."""

import re
import sys
import types
import warnings

import pytest

from pitmanyor.errors import CorpusError, ReadWarning
from pitmanyor.reading import read


def post(text, author="ann", **more):
    return {"text": text, "author": author} | more


def removed(corpus):
    return {one.name: (one.documents, one.tokens, one.authors) for one in corpus.report.filters}


POSTS = [
    post("bread oven", "ann"),
    post("bread flour", "ann"),
    post("stars moon", "bob"),
    post("stars bread", "cy"),
    post("RT @ann bread oven", "bob"),
    post("yeast rises", None),
    post("", "dee"),
]


def test_many_posts_without_an_author_are_told_unless_somebody_decided():
    posts = [{"text": f"oven bread {i}", "user": None if i < 2 else "ann"} for i in range(20)]
    with pytest.warns(ReadWarning, match="2 of 20 posts have no author and are left out; keep them .* author=False"):
        assert read(posts).n_documents == 18
    with warnings.catch_warnings():
        warnings.simplefilter("error", ReadWarning)
        read(posts, missing_author="drop"), read(posts, missing_author="keep"), read(posts, author=False)
        read([*posts[1:], {"text": "oven", "user": "bob"}])  # one in twenty is not many
        read([{"text": "oven bread"}])


def test_columns_that_are_not_read_are_listed():
    row = {"text": "oven bread", "user": "ann", "party": "red", "n": 3}
    assert "columns not read: 'party', 'n'" in read([row]).report.notes
    assert "columns not read: 'n'" in read([row], groups=["party"]).report.notes
    assert not any("not read" in note for note in read([{"text": "oven bread"}]).report.notes)
    many = read([row | {f"x{i}": i for i in range(9)}]).report.notes
    assert "columns not read: 'party', 'n', 'x0', 'x1', 'x2', 'x3', 'x4', 'x5' and 3 more" in many


def test_missing_authors():
    assert removed(read(POSTS))["missing author"] == (1, 2, 0)
    kept = read(POSTS, missing_author="keep")
    assert kept.groups["author"].labels == ("ann", "bob", "cy", "(unknown)")
    with pytest.raises(CorpusError, match="line 6: a post without an author.*choose 'drop' or 'keep'"):
        read(POSTS, missing_author="error")


def test_empty_posts_and_their_authors_are_counted():
    assert removed(read(POSTS))["empty posts"] == (1, 0, 1)


def test_retweets():
    assert read(POSTS).n_documents == 5
    assert removed(read(POSTS, retweets="drop"))["retweets"] == (1, 2, 0)
    told = [
        post("bread", referenced_tweets=[{"type": "retweeted"}]),
        post("oven", referenced_tweets=[{"type": "quoted"}]),
    ]
    assert read(told, retweets="drop").vocabulary == ("oven",)


def test_repeated_ids_and_texts():
    posts = [
        post("bread", id=1),
        post("oven", id=2),
        post("flour", id=1),
        post("oven", id=3),
        post("oven", "bob", id=4),
    ]
    said = "line 3, column 'id': duplicate id (1 line). Pass duplicates='drop'"
    with pytest.raises(CorpusError, match=re.escape(said)):
        read(posts)
    corpus = read(posts, duplicates="drop")
    assert corpus.rows.tolist() == [0, 1, 4]
    assert removed(corpus) == {"repeated ids": (1, 1, 0), "duplicates": (1, 1, 0)}
    assert read(posts, duplicates="keep").n_documents == read(posts, id=False).n_documents == 5


def test_min_posts_and_in_network():
    links = [("ann", "bob"), ("bob", "zed")]
    with pytest.warns(UserWarning, match="links 'follows': left out 1 of authors who have no posts"):
        corpus = read(POSTS, in_network=True, links=links)
    assert removed(corpus)["in_network"] == (1, 2, 1)
    assert corpus.links["follows"].pairs == (("ann", "bob"),)
    few = read(POSTS, min_posts=2)
    assert removed(few)["min_posts"] == (1, 2, 1)
    assert few.groups["author"].labels == ("ann", "bob")


def test_document_frequency_counts_a_post_once_over_words_and_hashtags():
    posts = ["bread bread", "#bread oven", "oven flour", "stars bread"]
    rare = read(posts, min_df=2)
    assert rare.vocabulary == ("bread", "oven")
    assert removed(rare)["min_df"] == (0, 2, 0)
    common = read(posts, max_df=0.5)
    assert common.vocabulary == ("flour", "oven", "stars")
    assert removed(common) == {"max_df": (0, 4, 0), "min_tokens": (1, 0, 0)}
    assert read(posts, max_df=2).vocabulary == common.vocabulary
    assert read(posts, min_df=0.5).vocabulary == rare.vocabulary


def test_frequencies_are_the_same_when_counted_in_pieces(monkeypatch):
    posts = [f"w{i % 7} w{i % 5} #w{i % 3}" for i in range(60)]
    whole = read(posts, min_df=15)
    monkeypatch.setattr("pitmanyor.reading.filters.DF_TOKENS", 5)
    assert read(posts, min_df=15).content_hash == whole.content_hash


def test_short_posts():
    corpus = read(["bread oven", "bread", "stars"], min_tokens=2)
    assert removed(corpus)["min_tokens"] == (2, 2, 0)
    assert corpus.vocabulary == ("bread", "oven")


def test_what_the_tokeniser_leaves_out_is_told():
    corpus = read(["the oven x 42 @ann a@b.com https://t.co/x", "oven"])
    assert removed(corpus) == {
        "stop words": (0, 1, 0), "short words": (0, 1, 0), "numbers": (0, 1, 0), "mentions": (0, 1, 0),
        "e-mail addresses": (0, 1, 0), "addresses": (0, 1, 0),
    }  # fmt: skip
    tagged = read([{"text": "oven #a1", "tags": "b2, c3"}])
    assert removed(tagged)["hashtags in text"] == (0, 1, 0)
    assert tagged.vocabulary == ("b2", "c3", "oven")


def test_nothing_left_names_the_filters():
    with pytest.raises(CorpusError, match=r"(?s)nothing is left of 2 posts; loosen.*min_df: words in fewer than 3"):
        read(["bread", "oven"], min_df=3)


def test_query_selects_labels_and_drops_posts_with_several():
    posts = ["music tonight", "#sport win", "music and sport", "nothing here", "swine flu spreads", "flu swine", "#flu"]
    corpus = read(posts, query={"m": "music", "s": ["sport", "football"], "f": ["swine-flu", "#flu"]})
    assert corpus.rows.tolist() == [0, 1, 4, 6]
    group = corpus.groups["label"]
    assert [group.labels[code] for code in group.codes] == ["m", "s", "f", "f"]
    queries = [(one.why, one.documents) for one in corpus.report.filters if one.name == "query"]
    assert queries == [("no term of the query in them", 2), ("terms of several labels in them", 1)]


def test_query_sees_a_column_of_tags_and_leaves_a_label_column():
    posts = [{"text": "bread", "tags": ["Music"], "label": "x"}, {"text": "oven", "tags": [], "label": "y"}]
    corpus = read(posts, query=["music"])
    assert corpus.rows.tolist() == [0]
    assert (corpus.groups["query"].labels, corpus.groups["label"].labels) == (("music",), ("x",))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"query": "music"}, "give a list of terms, or a dict"),
        ({"query": []}, "has no term"),
        ({"query": [" "]}, "empty term"),
        ({"query": ["the"]}, "query term 'the': 'the' never becomes a token, for it is a stop word"),
        ({"min_posts": 2, "author": False}, "no column is the author; name it with author="),
        ({"in_network": True}, "in_network=True asks for a network; give it with links="),
        ({"retweets": "maybe"}, "retweets='maybe': choose one of 'keep', 'drop'"),
        ({"min_dff": 2}, "read has no option 'min_dff'; did you mean 'min_df'?"),
        ({"auther": "user"}, "read has no option 'auther'; did you mean 'author'?"),
        ({"group": "user"}, "read has no option 'group'; did you mean 'groups'?"),
        ({"xyz": 1}, "read has no option 'xyz'; there are author, day_first, delimiter,"),
        ({"min_df": 1.5}, "min_df=1.5: give a number of documents, or a share"),
        ({"language": "xx"}, "language='xx': py3langid knows"),
        ({"language": "en", "language_by": "langid"}, "needs the package langid: pip install langid"),
    ],
)
def test_options_that_are_refused(options, message, monkeypatch):
    monkeypatch.setitem(sys.modules, "langid", None)
    with pytest.raises(CorpusError, match=re.escape(message)):
        read(POSTS, **options)


@pytest.mark.parametrize("package", ["py3langid", "langid"])
def test_language(package):
    pytest.importorskip(package)
    posts = [
        "The quick brown fox jumps over the lazy dog in the garden",
        "Der schnelle braune Fuchs springt über den faulen Hund",
        "#english https://t.co/english The weather is nice and we are going to the beach today",
    ]
    corpus = read(posts, language="en", language_by=package)
    assert corpus.rows.tolist() == [0, 2]
    assert removed(corpus)["language"][0] == 1


def test_langid_can_take_its_place(monkeypatch):
    fake = types.SimpleNamespace(
        classify=lambda text: ("en" if "x" in text else "de", 1.0), rank=lambda text: [("en", 1.0)]
    )
    monkeypatch.setitem(sys.modules, "langid", fake)
    assert read(["xx yes", "no words"], language="en", language_by="langid").rows.tolist() == [0]
