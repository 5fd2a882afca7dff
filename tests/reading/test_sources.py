"""Every kind of source gives the same corpus."""

import re

import duckdb
import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from pitmanyor import Corpus, plugins
from pitmanyor.errors import CorpusError
from pitmanyor.reading import read

COLUMNS = {
    "text": ["Bread from the oven #food", "Planets and stars", "Oven bread again"],
    "author": ["ann", None, "bob"],
    "likes": [1, 2, 3],
}
RECORDS = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]


@pytest.fixture(scope="module")
def expected():
    return read(RECORDS, groups=["likes"])


def parquet(path, query):
    duckdb.execute(f"copy ({query}) to '{path}' (format parquet)")
    return path


QUERY = """select * from (values
    ('Bread from the oven #food', 'ann', 1), ('Planets and stars', null, 2), ('Oven bread again', 'bob', 3)
) t(text, author, likes)"""


@pytest.mark.parametrize("kind", ["dict", "iterator", "pandas", "parquet", "relation", "result"])
def test_sources_agree(kind, expected, tmp_path):
    source = {
        "dict": lambda: COLUMNS,
        "iterator": lambda: iter(RECORDS),
        "pandas": lambda: pd.DataFrame(COLUMNS),
        "parquet": lambda: parquet(tmp_path / "x.parquet", QUERY),
        "relation": lambda: duckdb.sql(QUERY),
        "result": lambda: duckdb.connect().execute(QUERY),
    }[kind]()
    found = read(source, groups=["likes"])
    assert found.content_hash == expected.content_hash
    assert found.rows.tolist() == ([1, 3] if kind == "parquet" else [0, 2])
    assert [(one.name, one.documents) for one in found.report.filters if one.documents] == [("missing author", 1)]


@pytest.mark.parametrize("kind", ["frame", "lazy"])
def test_polars_agrees(kind, expected):
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(COLUMNS)
    found = read(frame if kind == "frame" else frame.lazy(), groups=["likes"])
    assert found.content_hash == expected.content_hash and found.rows.tolist() == [0, 2]


def test_columns_of_polars_that_are_no_text():
    """Lists, structs, categories, times with zones, numbers with gaps."""
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(
        {
            "text": ["oven bread", None, "stars"],
            "user": [{"name": "ann", "id": 1}, {"name": "bob", "id": 2}, {"name": "ann", "id": 1}],
            "hashtags": [["food", "oven"], [], None],
            "created_at": pl.Series(["2026-01-01T00:00", None, "2026-01-02T12:00"]).str.to_datetime(time_zone="UTC"),
            "kind": pl.Series(["a", "b", None], dtype=pl.Categorical),
            "place": pl.Series([7, None, 12], dtype=pl.Int32),
        }
    )
    corpus = read(frame, author="user.name", groups=["kind", "place"])
    assert corpus.groups["author"].labels == ("ann",) and corpus.rows.tolist() == [0, 2]
    assert corpus.groups["kind"].labels == ("a", "(unknown)") and corpus.groups["place"].labels == ("7", "12")
    assert np.diff(corpus.streams["hashtag"].offsets).tolist() == [2, 0]
    assert corpus.times.astype(str).tolist() == ["2026-01-01T00:00:00.000", "2026-01-02T12:00:00.000"]


def test_a_table_of_arrow_agrees(expected):
    pa = pytest.importorskip("pyarrow")
    assert read(pa.table(COLUMNS), groups=["likes"]).content_hash == expected.content_hash


def test_rows_of_a_frame_are_its_positions_so_that_tables_can_be_joined_to_it():
    frame = pd.DataFrame({"text": ["oven bread", None, "stars", "planets"]}, index=[30, 40, 50, 60])
    assert frame.iloc[read(frame).rows]["text"].tolist() == ["oven bread", "stars", "planets"]
    assert read(frame["text"]).rows.tolist() == read(list(frame["text"])).rows.tolist() == [0, 2, 3]


def test_numbers_with_gaps_name_authors_as_whole_numbers():
    frame = pd.DataFrame({"text": ["some words", "other words", "more words"], "author": [7, None, 12]})
    assert read(frame).groups["author"].labels == ("7", "12")


def test_the_gaps_of_pandas_are_gaps():
    frame = pd.DataFrame(
        {
            "text": pd.array(["oven bread", pd.NA, "stars"], dtype="string"),
            "author": pd.array([1, 2, pd.NA], dtype="Int64"),
            "created_at": pd.to_datetime(["2026-01-01", None, None]),
            "tags": [["x1"], None, []],
            "kind": pd.Categorical(["a", "b", None]),
        }
    )
    corpus = read(frame, groups=["kind"], missing_author="keep")
    assert corpus.rows.tolist() == [0, 2]
    assert corpus.groups["author"].labels == ("1", "(unknown)")
    assert corpus.groups["kind"].labels == ("a", "(unknown)")
    assert np.isnat(corpus.times).tolist() == [False, True]


def test_nested_parquet(tmp_path):
    path = parquet(
        tmp_path / "x.parquet",
        "select 'some words' as text, {'name': 'ann', 'n': 1} as user, "
        "[{'tag': 'Sun'}, {'tag': 'Sky'}] as \"odd \"\" tags\"",
    )
    corpus = read(path, author="user.name", tags='odd " tags[].tag')
    assert corpus.groups["author"].labels == ("ann",)
    assert set(corpus.vocabulary) == {"some", "words", "sun", "sky"} - {"some"}


def test_lists_of_texts_take_labels_as_lists():
    corpus = read(["bread oven", "stars"], author=["ann", "bob"], label=["x", "y"])
    assert corpus.groups["author"].labels == ("ann", "bob")
    assert corpus.groups["label"].labels == ("x", "y")


def test_token_lists_are_taken_as_they_are():
    corpus = read([["The", "oven"], [], ["The", "a b"]])
    assert corpus.vocabulary == ("The", "a b", "oven")
    assert list(corpus.streams) == ["word"]
    assert corpus.rows.tolist() == [0, 2]
    frame = pd.DataFrame({"tokens": [["x", "y"], ["z"]], "user": ["a", "b"]})
    assert read(frame).n_tokens == 3


def test_one_post_per_line(tmp_path):
    (tmp_path / "x.txt").write_text("bread, oven\n\nstars\n")
    corpus = read(tmp_path / "x.txt")
    assert corpus.vocabulary == ("bread", "oven", "stars")
    assert corpus.rows.tolist() == [1, 3]


def test_a_matrix_of_counts():
    matrix = scipy.sparse.csr_matrix(np.array([[2, 0, 1], [0, 0, 0], [0, 3, 0]]))
    corpus = read(matrix, vocabulary=["a", "b", "c"], author=["x", "y", "z"], groups={"day": [1, 2, 1]})
    assert [corpus.vocabulary[w] for w in corpus.streams["word"].words] == ["a", "a", "c", "b", "b", "b"]
    assert corpus.groups["author"].labels == ("x", "z")
    assert corpus.groups["day"].labels == ("1",)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"vocabulary": None}, "give them with vocabulary="),
        ({"vocabulary": ["a"]}, "the matrix has 2 columns and the vocabulary 1 words"),
        ({"vocabulary": ["a", "a"]}, "lists a word twice"),
        ({"author": ["x", "y"]}, "author= must give one label for each of the 1 rows"),
        ({"text": "x"}, "give labels of its rows by author=, label= and groups="),
        ({"source": scipy.sparse.csr_matrix([[0.5, 1]])}, "whole counts"),
        ({"source": scipy.sparse.csr_matrix([[-1, 1]])}, "whole counts"),
    ],
)
def test_matrices_that_are_refused(change, message):
    given = {"source": scipy.sparse.csr_matrix([[1, 1]]), "vocabulary": ["a", "b"]} | change
    with pytest.raises(CorpusError, match=re.escape(message)):
        read(given.pop("source"), **given)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("no/such.csv", "no/such.csv: there is no such file"),
        ("/", "a directory; give the file of posts itself"),
        ([], "is empty; give at least one post"),
        ([1, 2], "begins with 1; give texts, token lists or dicts"),
        ([{"text": "a b"}, 7], "line 2: 7 where a dict was expected"),
        ({"text": ["a"], "x": []}, "'text' has 1, 'x' has 0"),
        (7, "cannot read the given int: give a path, several of them, a data frame"),
    ],
)
def test_sources_that_are_refused(source, message):
    with pytest.raises(CorpusError, match=re.escape(message)):
        read(source)


def test_files_of_unknown_or_wrong_format(tmp_path):
    (tmp_path / "x.docx").write_text("x")
    with pytest.raises(CorpusError, match="unknown file extension '.docx'; use one of .csv"):
        read(tmp_path / "x.docx")
    (tmp_path / "x.parquet").write_text("no parquet")
    with pytest.raises(CorpusError, match="x.parquet: cannot be read as Parquet"):
        read(tmp_path / "x.parquet")


class Point:
    def __init__(self, name, value):
        self.name, self.value, self.load = name, "a.b:c", lambda: value


def test_plug_ins(monkeypatch, tmp_path):
    points = {
        "pitmanyor.readers": [Point("xyz", lambda path: ({"text": line} for line in path.read_text().split(";")))],
        "pitmanyor.tokenisers": [Point("letters", lambda text: [f"{letter}{letter}" for letter in text])],
    }
    monkeypatch.setattr(plugins, "entry_points", lambda group: points.get(group, []))
    (tmp_path / "x.xyz").write_text("oven bread;stars")
    assert read(tmp_path / "x.xyz").vocabulary == ("bread", "oven", "stars")
    assert read(["xyz"], tokeniser="letters").vocabulary == ("xx", "yy", "zz")
    with pytest.raises(
        CorpusError, match="no 'none' among pitmanyor.tokenisers .there are: 'tweet', 'whitespace', 'letters'"
    ):
        read(["xyz"], tokeniser="none")


def test_a_corpus_survives_its_file(tmp_path, expected):
    expected.save(tmp_path / "c")
    assert Corpus.load(tmp_path / "c").report == expected.report


@pytest.fixture
def two_files(tmp_path):
    (tmp_path / "a.csv").write_text("text,author\nbread oven,ann\n\nflour bread,bob\n")
    (tmp_path / "b.csv").write_text("author,text\nann,stars moon\n")
    return tmp_path / "a.csv", tmp_path / "b.csv"


@pytest.mark.parametrize("kind", ["strings", "paths", "pattern"])
def test_several_files_are_read_as_one(two_files, kind, monkeypatch):
    monkeypatch.chdir(two_files[0].parent)
    source = {"strings": ["a.csv", "b.csv"], "paths": list(two_files), "pattern": "*.csv"}[kind]
    corpus = read(source)
    assert corpus.vocabulary == ("bread", "flour", "moon", "oven", "stars")
    assert corpus.groups["author"].labels == ("ann", "bob") and corpus.rows.tolist() == [2, 4, 6]
    assert corpus.report.files == tuple(map(str, two_files)) and "2 files" in str(corpus.report)


def test_a_list_of_texts_that_mention_files_is_a_list_of_texts():
    assert read(["look into a.csv", "b.csv"], numbers=True, tokeniser=str.split, stop_words=None).n_documents == 2


def test_what_is_wrong_with_one_of_several_files_is_said_with_its_name(two_files, tmp_path):
    (tmp_path / "c.csv").write_text("text,author\nbread,ann\nsun\n")
    with pytest.raises(CorpusError, match=re.escape(f"{tmp_path / 'c.csv'}, line 3: 1 field where")):
        read([*two_files, tmp_path / "c.csv"])
    skipped = read([*two_files, tmp_path / "c.csv"], skip_bad_lines=True)
    assert skipped.report.n_bad_lines == 1 and "c.csv" in str(skipped.report) and skipped.n_documents == 4
    (tmp_path / "d.csv").write_text("text,user\nbread,ann\n")
    with pytest.raises(CorpusError, match=r"d\.csv: there is no column 'author', which .*a\.csv has"):
        read([*two_files, tmp_path / "d.csv"])
    with pytest.raises(CorpusError, match="no file matches this pattern"):
        read(str(tmp_path / "x*.csv"))
    (tmp_path / "e.csv").write_text("text,author\nbread,ann\nsun,\"['ann', 'bob']\"\n")
    with pytest.raises(CorpusError, match=re.escape(f"{tmp_path / 'e.csv'}, line 3, column 'author'")):
        read([*two_files, tmp_path / "e.csv"])
    with pytest.raises(CorpusError, match="there is no such file"):
        read(["nowhere.csv", "b.csv"])


def test_a_column_of_a_frame_and_an_array_are_texts():
    texts = ["oven bread", "stars"]
    expected = read(texts).content_hash
    assert read(pd.Series(texts)).content_hash == expected
    assert read(pd.DataFrame({"body": texts})["body"]).content_hash == expected
    assert read(np.array(texts)).content_hash == expected
    pl = pytest.importorskip("polars")
    assert read(pl.Series(texts)).content_hash == expected


def test_a_parquet_path_means_one_file_and_its_own_columns(tmp_path):
    (tmp_path / "author=eve").mkdir()
    for name, word in (("posts1", "wrong"), ("posts[1]", "right"), ("author=eve/posts", "third"), ("a*b?", "fourth")):
        parquet(tmp_path / f"{name}.parquet", f"select 'oven {word}' as text, 'ann' as author")
    assert "right" in read(tmp_path / "posts[1].parquet").vocabulary
    assert "fourth" in read(tmp_path / "a*b?.parquet").vocabulary
    assert read(tmp_path / "author=eve/posts.parquet").groups["author"].labels == ("ann",)


def test_parquet_times_with_a_zone_are_in_utc(tmp_path):
    query = "select 'oven bread' as text, timestamptz '2020-01-01 01:30:00+02' as time"
    found = read(parquet(tmp_path / "x.parquet", query))
    assert found.times.tolist() == [np.datetime64("2019-12-31T23:30", "ms").item()]


def test_frames_with_two_columns_of_one_name_are_refused():
    pd = pytest.importorskip("pandas")
    with pytest.raises(CorpusError, match="cannot read the given DataFrame: .*unique column names.*'text' 2 times"):
        read(pd.DataFrame([["oven", "bread"]], columns=["text", "text"]))


def test_columns_of_a_frame_may_have_numbers_and_levels_for_names():
    rows = [["red dog barks", "ann"], ["blue cat sleeps", "bob"]]
    plain = read(pd.DataFrame(rows), author="1")
    assert plain.groups["author"].labels == ("ann", "bob") and "text = '0'" in str(plain.report)
    levels = pd.MultiIndex.from_tuples([("post", "text"), ("post", "author")])
    made = read(pd.DataFrame(rows, columns=levels), text="post.text", author="post.author")
    assert made.content_hash == plain.content_hash


def test_a_list_of_frames_is_refused_briefly():
    with pytest.raises(CorpusError, match="begins with a DataFrame; give texts, token lists or dicts, or data frames"):
        read([pd.DataFrame({"text": ["a b"]})] * 2)
