"""Tables of a fit, as columns and as files."""

import csv

import duckdb
import numpy as np
import pytest

from pitmanyor import FileError, PlanError, labels, prevalence
from pitmanyor.export import tables, write_tables
from pitmanyor.insight import author_shares, merge, view


@pytest.fixture(scope="module")
def made(blog):
    return tables(blog, n_words=5)


def test_every_table_is_there_with_columns_of_one_length(made):
    names = {"topics", "words", "documents", "authors", "by_author", "by_label", "over_time", "links", "trace"}
    assert set(made) == names
    assert all(len({len(column) for column in table.values()}) == 1 for table in made.values())


def test_tables_say_what_the_fit_says(blog, made):
    assert made["topics"]["name"].tolist() == labels(blog)
    assert made["topics"]["tokens"].sum() == blog.corpus.n_tokens
    assert made["topics"]["share"] == pytest.approx(prevalence(blog).shares[0])
    first = made["words"]["word"][:5].tolist()
    stream = made["words"]["stream"][0]
    assert first == [word for word, _ in blog.topics(5, stream=stream)[0]]
    shares = np.stack([made["documents"][f"topic_{k}"] for k in range(blog.n_topics)], axis=1)
    assert shares == pytest.approx(blog.document_shares())
    assert made["documents"]["main_topic"].tolist() == shares.argmax(axis=1).tolist()
    assert made["documents"]["row"].tolist() == blog.corpus.rows.tolist()
    assert made["authors"]["topic_0"] == pytest.approx(author_shares(blog)[1][:, 0])
    assert len(made["links"]["source"]) == len(blog.corpus.links["follows"])
    assert np.isnan(made["links"]["probability"]).all()  # no network in this model
    assert made["trace"]["log_joint"].tolist() == blog.trace["log_joint"].tolist()


def test_links_of_a_network_have_probabilities(joined):
    found = tables(joined)["links"]
    expected = joined.link_probability(list(found["source"][:3]), list(found["target"][:3]))
    assert found["probability"][:3] == pytest.approx(expected)


def test_merged_topics_are_one_column(named):
    merge(named, [0, 1], name="both")
    found = tables(named)
    assert "topic_1" not in found["documents"] and found["topics"]["members"][0] == "0 1"
    assert found["documents"]["topic_0"] == pytest.approx(named.document_shares()[:, :2].sum(axis=1))
    assert len(found["topics"]["topic"]) == named.n_topics - 1 == len(view(named).names)


def test_csv_and_parquet_hold_the_same(blog, made, tmp_path):
    paths = write_tables(blog, tmp_path / "csv", n_words=5)
    again = write_tables(blog, tmp_path / "parquet", format="parquet", n_words=5)
    assert [path.stem for path in paths] == [path.stem for path in again] == list(made)
    for path, other in zip(paths, again, strict=True):
        table = made[path.stem]
        with open(path, newline="") as file:
            rows = list(csv.reader(file))
        found = duckdb.execute("select * from read_parquet(?)", [str(other)])
        assert rows[0] == [column[0] for column in found.description] == list(table)
        stored = found.fetchall()
        assert len(rows) - 1 == len(stored) == len(next(iter(table.values())))
        for i, name in enumerate(table):
            if table[name].dtype.kind in "fi":
                numbers = [np.nan if row[i] == "" else float(row[i]) for row in rows[1:]]
                assert numbers == pytest.approx(table[name].astype(float), nan_ok=True)
                given = [np.nan if row[i] is None else row[i] for row in stored]
                assert given == pytest.approx(table[name].astype(float), nan_ok=True)
            elif table[name].dtype.kind == "O":
                assert [row[i] for row in rows[1:]] == [row[i] for row in stored] == table[name].tolist()
    times = duckdb.execute("select time from read_parquet(?)", [str(tmp_path / "parquet" / "documents.parquet")])
    assert [np.datetime64(row[0], "ms") for row in times.fetchall()] == list(blog.corpus.times)


def test_a_model_of_words_alone_has_fewer(plain):
    assert set(tables(plain)) == {"topics", "words", "documents", "by_half", "trace"}


def test_what_cannot_be_written_is_told(plain, tmp_path):
    with pytest.raises(PlanError, match="format is one of csv, parquet"):
        write_tables(plain, tmp_path, format="xlsx")
    (tmp_path / "file").write_text("x")
    with pytest.raises(FileError, match="not a directory that can be written to"):
        write_tables(plain, tmp_path / "file")
