"""Which columns are taken: guesses, orders, and refusals by name. Labels, times and streams of columns."""

import datetime as dt
import re
import tracemalloc
import warnings

import numpy as np
import pytest

from pitmanyor.errors import CorpusError, ReadWarning
from pitmanyor.reading import read
from pitmanyor.reading.plain_values import NAT, tag_list, times, token_list


def chosen(record, **options):
    corpus = read([record], **options)
    return {column.role: column.name for column in corpus.report.columns}


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"Tweet Text": "some oven", "Screen_Name": "ann"}, {"text": "Tweet Text", "author": "Screen_Name"}),
        (
            {"full_text": "oven", "user": {"screen_name": "a", "id": 1}},
            {"text": "full_text", "author": "user.screen_name"},
        ),
        ({"id": 1, "remark": "a long oven text", "n": "3"}, {"text": "remark", "id": "id"}),
        (
            {"body": "oven", "hashtags": ["x1"], "category": "c"},
            {"text": "body", "tags": "hashtags", "label": "category"},
        ),
        ({"text": "oven", "label": None, "user": {"x": {}}}, {"text": "text"}),
        (
            {
                "data": {"text": "an oven", "author_id": "7", "id": "1", "entities": {"hashtags": [{"tag": "x1"}]}},
                "includes": {"users": [{"id": "7"}]},
                "matching_rules": [{"id": "3", "tag": "bakers"}],
            },
            {"text": "data.text", "author": "data.author_id", "tags": "data.entities.hashtags[].tag", "id": "data.id"},
        ),
    ],
)
def test_guesses(record, expected):
    assert chosen(record) == expected


def test_a_name_that_no_two_posts_share_is_not_taken_for_their_author():
    """Names of functions, products or places; those of authors occur more than once."""
    records = [{"name": f"tool {i}", "description": f"oven number {i}"} for i in range(30)]
    assert [column.name for column in read(records).report.columns] == ["description"]
    assert "columns not read: 'name'" in str(read(records).report)
    records[7]["name"] = "tool 1"
    assert [column.name for column in read(records).report.columns] == ["description", "name"]


def test_guesses_give_way_to_what_is_asked():
    record = {"text": "oven", "title": "bread", "user": "ann", "created_at": "2026-01-01", "place": "York"}
    assert chosen(record, text="title", author=False, time=False) == {"text": "title"}
    assert chosen(record, groups={"who": "user"}) == {"text": "text", "time": "created_at", "group who": "user"}
    report = read([record], author="place").report
    assert [(column.role, column.guessed) for column in report.columns] == [
        ("text", True), ("author", False), ("time", True),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"author": "usr"}, "there is no column 'usr' for author=; did you mean 'user'?"),
        ({"groups": ["zzz"]}, "there is no column 'zzz' for groups=; the columns are 'text', 'user', 'n'"),
        ({"streams": ["none"]}, "there is no column 'none' for streams="),
        ({"text": False}, "none of its columns looks like the text ('text', 'user', 'n'); say which it is with text="),
        ({"groups": ["day"]}, "groups by 'day' are made from times; name their column with time="),
        ({"groups": {"topic": "n"}}, "groups= may not use the name 'topic'"),
        ({"streams": {"word": "n"}}, "streams= may not use the name 'word'"),
        ({"streams": {"mention": "n"}, "mentions": "stream"}, "streams= and the text both make a stream 'mention'"),
        ({"time": "user"}, "line 1: column 'user': 'ann' cannot be read as a time"),
        ({"author": ["ann"]}, "author= must name a column of the source; only a list of texts takes values"),
    ],
)
def test_refusals(options, message):
    with pytest.raises(CorpusError, match=re.escape(message)):
        read([{"text": "oven", "user": "ann", "n": 3}], **options)


def test_times_that_cannot_be_read_are_missing_and_told():
    posts = [{"text": "oven", "date": "2026-01-01"}, {"text": "bread", "date": "soon"}]
    with pytest.warns(ReadWarning, match="1 time cannot be read and is missing: line 2, column 'date': 'soon'"):
        corpus = read(posts)
    assert np.isnat(corpus.times).tolist() == [False, True]
    with pytest.warns(ReadWarning):
        assert read(posts, time="date", skip_bad_lines=True).n_documents == 2


MOMENT = 1_530_418_569_000


@pytest.mark.parametrize(
    "value",
    [
        "2018-07-01T04:16:09Z", "2018-07-01T04:16:09.000+00:00", "2018-07-01 04:16:09", "2018-07-01T06:16:09+02:00",
        "Sun Jul 01 04:16:09 +0000 2018", "Sun, 01 Jul 2018 00:16:09 -0400", "1 Jul 2018 04:16:09 GMT",
        "Sun Jul 1 06:16:09 2018 +0200", "Sun Jul  1 04:16:09 2018", "01-Jul-2018 04:16:09",
        1530418569, "1530418569", 1530418569000, 1530418569.0,
        dt.datetime(2018, 7, 1, 4, 16, 9), dt.datetime(2018, 7, 1, 4, 16, 9, tzinfo=dt.UTC),
        np.datetime64("2018-07-01T04:16:09"),
    ],
)  # fmt: skip
def test_times_as_they_are_written(value):
    for values in ([value], [value, value], [value, None]):
        found, wrong = times(values)
        assert (found[0], wrong) == (MOMENT, [])
    assert times([value, None])[0][1] == NAT


def dated(dates, **options):
    return read([{"text": f"oven bread {i}", "date": date} for i, date in enumerate(dates)], **options)


@pytest.mark.parametrize(
    ("dates", "expected"),
    [
        (["3/4/2020", "1/13/2020"], ["2020-03-04", "2020-01-13"]),
        (["3/4/2020", "13/1/2020"], ["2020-04-03", "2020-01-13"]),
        (["3/4/2020 1:05 PM", "1/13/2020 12:00:01 AM"], ["2020-03-04T13:05", "2020-01-13T00:00:01"]),
        (["2020/03/04 07:00", "13.1.2020"], ["2020-03-04T07:00", "2020-01-13"]),
        (["5/5/2020", None, "2020-01-13"], ["2020-05-05", "NaT", "2020-01-13"]),
        (["3-4-2020", "1-13-2020"], ["2020-03-04", "2020-01-13"]),
        (["3/4/20", "13/1/20 07:00"], ["2020-04-03", "2020-01-13T07:00"]),
        (["4 March 2020", "Jan 13, 2020 1:05 PM"], ["2020-03-04", "2020-01-13T13:05"]),
        ([1987, None, 2024], ["1987-01-01", "NaT", "2024-01-01"]),
        (["1987"] * 9000 + ["2024"], ["1987-01-01"] * 9000 + ["2024-01-01"]),
        ([20200304, 20200113.0], ["2020-03-04", "2020-01-13"]),
        ([20200304, 20201313], ["1970-08-22T19:11:44", "1970-08-22T19:28:33"]),  # seconds: no calendar has this day
        ([1, 2000], ["1970-01-01T00:00:01", "1970-01-01T00:33:20"]),
        (["3/4/2020"] * 9000 + ["12/31/2020"], ["2020-03-04"] * 9000 + ["2020-12-31"]),  # beyond the first chunk
    ],
)
def test_the_whole_column_says_whether_the_day_or_the_month_comes_first(dates, expected):
    with warnings.catch_warnings():
        warnings.simplefilter("error", ReadWarning)
        corpus = dated(dates, time="date")
        assert np.array_equal(corpus.times, np.array(expected, "datetime64[ms]"), equal_nan=True)
        assert np.array_equal(dated(dates).times, corpus.times, equal_nan=True)


def test_dates_that_can_be_read_in_two_ways_are_told_and_decided_by_an_option():
    both = ["5/5/2020", "3/4/2020"]
    with pytest.warns(
        ReadWarning, match=r"dates such as '3/4/2020' in column 'date' .* day_first=True or day_first=Fa"
    ):
        assert dated(both).times[1] == np.datetime64("2020-04-03")
    with warnings.catch_warnings():
        warnings.simplefilter("error", ReadWarning)
        assert dated(both, day_first=True).times[1] == np.datetime64("2020-04-03")
        assert dated(both, day_first=False).times[1] == np.datetime64("2020-03-04")
    with pytest.raises(CorpusError, match="line 2: column 'date': '1/13/2020' cannot be read as a time"):
        dated(["3/4/2020", "1/13/2020"], time="date", day_first=True)
    with pytest.raises(CorpusError, match="line 2: column 'date': '13/13/2020' cannot be read as a time"):
        dated(["3/4/2020", "13/13/2020"], time="date")
    with pytest.warns(ReadWarning, match="1 time cannot be read .* line 3, column 'date': '31/1/2020'"):
        assert dated(["3/4/2020", "1/30/2020", "31/1/2020", "1/29/2020"]).times[0] == np.datetime64("2020-03-04")


def test_days_and_months_are_groups():
    posts = [{"text": "oven", "created_at": f"2026-0{m}-0{d}T10:00:00Z"} for m, d in ((1, 1), (1, 2), (2, 1))]
    corpus = read(posts, groups=["month", "day"])
    assert corpus.groups["month"].labels == ("2026-01", "2026-02")
    assert corpus.groups["month"].codes.tolist() == [0, 0, 1]
    assert len(corpus.groups["day"].labels) == 3


def test_columns_as_streams():
    posts = [
        {"text": "oven", "place": "New York", "who": ["x", "y"]},
        {"text": "bread", "place": "Rome; Bari", "who": None},
    ]
    corpus = read(posts, streams={"place": "place", "mention": "who"})
    found = {name: [corpus.vocabulary[w] for w in corpus.streams[name].words] for name in ("place", "mention")}
    assert found == {"place": ["New York", "Rome", "Bari"], "mention": ["x", "y"]}
    assert corpus.streams["mention"].offsets.tolist() == [0, 2, 2]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("#A #b", ["#a", "#b"]), ("a;b, c|d", ["a", "b", "c", "d"]), ("['a', 'b']", ["a", "b"]), ('["a"]', ["a"]),
        (["A", None, " "], ["a"]), (None, []), (float("nan"), []), ("", []), (3, ["3"]),
    ],
)  # fmt: skip
def test_tags_as_they_are_written(value, expected):
    assert tag_list(value) == expected


def test_token_lists_as_they_are_written():
    assert token_list("@a @b") == ["@a", "@b"]
    assert token_list(np.array(["x", "y"])) == ["x", "y"]


def test_posts_stream_through_without_their_texts_staying():
    filler = "x" * 2000

    def posts(n):
        for i in range(n):
            yield {"text": f"oven bread w{i % 50} https://t.co/{i}{filler}", "user": f"u{i % 9}", "id": i}

    def peak(n):
        tracemalloc.start()
        read(posts(n))
        top = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return top

    few, many = peak(3 * 8192), peak(4 * 8192)
    assert (many - few) / 8192 < 150  # bytes a post, of texts of 2,000
