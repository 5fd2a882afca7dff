"""Posts whose authors, words and columns were chosen to do harm, from the file to every file that comes of it."""

import csv
import json

import pytest

from calling import call
from pitmanyor import load
from pitmanyor.export import tables


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A run of posts with formulas, halves of characters, and groups that are called as columns of tables are."""
    home = tmp_path_factory.mktemp("hostile")
    words = ["=cmd()", "@sum(1)", "oven", "bread\ud800"]
    posts = [
        {"tokens": words[i % 3 :], "author": f"=1+{i % 2}\ud800", "id": f"-{i}"}
        | {"row": f"r{i % 2}", "topic_0": f"t{i % 2}"}
        for i in range(12)
    ]  # fmt: skip
    (home / "posts.jsonl").write_text("\n".join(map(json.dumps, posts)))
    groups = ["--group", "row", "--group", "topic_0"]
    call("fit", home / "posts.jsonl", "-o", home / "run", "--model", "lda:2", "--sweeps", 2, *groups)
    return home


def cells(path):
    with open(path, newline="") as file:
        return [cell for row in csv.reader(file) for cell in row]


def test_no_cell_is_a_formula(home):
    call("infer", home / "run", home / "posts.jsonl", "-o", home / "shares.csv")
    call("export", home / "run", "-o", home / "csv")
    for path in (home / "run" / "topics.csv", home / "shares.csv", *(home / "csv").glob("*.csv")):
        guarded = [cell for cell in cells(path) if cell.startswith("'")]
        assert not [cell for cell in cells(path) if cell.startswith(("=", "@", "+", "-")) and not _number(cell)]
        assert guarded or path.stem in ("trace", "by_row", "by_topic_0", "by_author")


def _number(cell):
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_a_group_overwrites_no_column(home):
    documents = tables(load(home / "run"))["documents"]
    assert documents["row"].tolist() == list(range(1, 13))
    assert documents["topic_0"].dtype.kind == "f"
    assert documents["group_row"].tolist() == [f"r{i % 2}" for i in range(12)]
    assert documents["group_topic_0"].tolist() == [f"t{i % 2}" for i in range(12)]


def test_every_format_is_written(home):
    call(
        "export",
        home / "run",
        "-o",
        home / "all",
        "--as",
        "parquet",
        "--as",
        "graphml",
        "--as",
        "gexf",
        "--as",
        "mallet",
    )
    call("report", home / "run", "-o", home / "report.html")
    call("report", home / "run", "-o", home / "public.html", "--redact")
