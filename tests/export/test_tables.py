"""Tables of a fit, as columns and as files."""

import csv

import duckdb
import numpy as np
import pytest

from pitmanyor import Corpus, FileError, PlanError, fit, labels, models, prevalence
from pitmanyor.export import sheets, tables, write_table, write_tables
from pitmanyor.export.sheets import _plain as plain_cells
from pitmanyor.topics import author_shares, merge, view


@pytest.fixture(scope="module")
def made(blog):
    return tables(blog, n_words=5)


def test_every_table_is_there_with_columns_of_one_length(made):
    names = {"topics", "words", "documents", "authors", "by_author", "by_label", "over_time", "links", "trace"}
    assert set(made) == names
    assert all(len({len(column) for column in table.values()}) == 1 for table in made.values())


def test_tables_say_what_the_fit_says(blog, made):
    names = labels(blog)
    assert made["topics"]["name"].tolist() == [names[topic] for topic in made["topics"]["topic"]]
    assert sorted(made["topics"]["topic"]) == list(range(blog.n_topics))
    assert (np.diff(made["topics"]["share"]) <= 0).all()
    assert made["topics"]["n_tokens"].sum() == blog.corpus.n_tokens
    assert made["topics"]["share"] == pytest.approx(prevalence(blog).shares[0][made["topics"]["topic"]])
    first = made["words"]["word"][:5].tolist()
    stream = made["words"]["stream"][0]
    assert first == [word for word, _ in blog.topics(5, stream=stream)[0]]
    shares = np.stack([made["documents"][f"topic_{k}"] for k in range(blog.n_topics)], axis=1)
    assert shares == pytest.approx(blog.document_shares())
    assert made["documents"]["main_topic"].tolist() == shares.argmax(axis=1).tolist()
    assert made["documents"]["row"].tolist() == blog.corpus.rows.tolist()
    assert made["documents"]["id"].tolist() == list(blog.corpus.ids) and len(set(blog.corpus.ids)) > 1
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
    assert "topic_1" not in found["documents"] and "0 1" in found["topics"]["members"]
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


def test_what_looks_like_a_formula_is_text(tmp_path):
    texts = ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "a=1\r=2", ""]
    table = {"=name": np.array(texts, object), "number": -np.arange(8.0)}
    write_table(table, tmp_path / "table.csv")
    with open(tmp_path / "table.csv", newline="") as file:
        head, *rows = csv.reader(file)
    assert head == ["'=name", "number"]
    assert [row[0] for row in rows] == ["'=1+1", "'+1", "'-1", "'@x", "'\tx", "'\nx", "a=1\n=2", ""]
    assert [float(row[1]) for row in rows] == table["number"].tolist()
    write_table(table, tmp_path / "table.parquet")
    assert [row[0] for row in duckdb.execute(f"from '{tmp_path / 'table.parquet'}'").fetchall()] == texts


def test_csv_is_written_a_block_at_a_time(blog, made, tmp_path, monkeypatch):
    """Blocks of few rows give the same bytes, and no more cells at once than they may have."""
    write_table(made["documents"], tmp_path / "whole.csv")
    sizes = []

    def counted(table):
        sizes.append(len(table["row"]))
        return plain_cells(table)

    monkeypatch.setattr(sheets, "CELLS", 5 * len(made["documents"]))
    monkeypatch.setattr(sheets, "_plain", counted)
    write_table(made["documents"], tmp_path / "blocks.csv")
    assert (tmp_path / "blocks.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    assert max(sizes) == 5 and sum(sizes) == blog.corpus.n_documents


def test_long_tables_have_the_rows_of_prevalence(blog, made):
    rows = prevalence(blog, by="label").rows()
    assert list(made["by_label"]) == list(rows[0])
    for name, column in made["by_label"].items():
        assert column.tolist() == [row[name] for row in rows]


def test_names_of_columns_stay_in_the_directory(tmp_path):
    names = ["../up", "a/b", "a?b", "A b"]
    groups = {name: ["x", "y"] for name in names}
    result = fit(models.lda(2), Corpus.from_tokens([["a"], ["b"]], groups=groups), sweeps=1, seed=1)
    paths = write_tables(result, tmp_path / "out")
    assert set(tmp_path.iterdir()) == {tmp_path / "out"} and set(paths) == set((tmp_path / "out").iterdir())
    assert [path.stem for path in paths if path.stem.startswith("by_")] == [
        "by_.._up",
        "by_a_b",
        "by_a_b_2",
        "by_A_b_3",
    ]


def test_a_model_of_words_alone_has_fewer(plain):
    assert set(tables(plain)) == {"topics", "words", "documents", "by_half", "trace"}


def test_what_cannot_be_written_is_told(plain, tmp_path):
    with pytest.raises(PlanError, match="format must be one of csv, parquet"):
        write_tables(plain, tmp_path, format="xlsx")
    (tmp_path / "file").write_text("x")
    with pytest.raises(FileError, match="not a directory that can be written to"):
        write_tables(plain, tmp_path / "file")
