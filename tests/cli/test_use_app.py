"""label, recommend and export: what they answer, for people and as JSON, and what they write."""

import json

import pytest
from typer.testing import CliRunner

from pitmanyor import labels, load, recommend_authors, recommend_tags
from pitmanyor.cli.app import app

DRAFT = "goal team league season coach player match"
TABLES = {"topics", "words", "documents", "authors", "by_author", "by_label", "over_time", "links", "trace"}


def call(*args, code=0):
    done = CliRunner().invoke(app, [str(arg) for arg in args])
    assert done.exit_code == code, (done.output, done.exception)
    return done


def facts(*args, code=0):
    return json.loads(call(*args, "--json", code=code).stdout)


@pytest.mark.parametrize("command", ["label", "recommend", "export"])
def test_every_command_has_json_and_help(command):
    assert "--json" in call(command, "--help").stdout


def test_label_names_renames_merges_and_forgets(named):
    before = facts("label", named.home)
    assert before["interval"] == "samples"
    assert {one["topic"]: one["name"] for one in before["topics"]} == dict(enumerate(labels(named)))
    first, second, third = (one["topic"] for one in before["topics"][:3])
    made = facts("label", named.home, "--merge", f"{first},{second}=[bold]both", "--rename", f"{third}=a = b")
    names = {one["topic"]: one["name"] for one in made["topics"]}
    assert names[min(first, second)] == "[bold]both" and names[third] == "a = b"
    assert labels(load(named.home))[second] == "[bold]both"
    said = call("label", named.home).stdout
    assert "[bold]both" in said and f"merged: {min(first, second)}, {max(first, second)}" in said
    assert "names.json" in said and "--rename" in said and "pitmanyor export" in said
    found = facts("topics", named.home)["topics"][0]
    assert found["name"] == "[bold]both" and found["members"] == sorted([first, second])
    shares = named.home.parent / "shares.csv"
    posts = named.home.parent / "posts.csv"
    posts.write_text(f"text,label\n{DRAFT},sport\n")
    assert facts("infer", named.home, posts, "-o", shares)["topics"] == named.n_topics - 1
    assert f"topic_{max(first, second)}" not in shares.read_text().splitlines()[0].split(",")
    assert facts("label", named.home, "--reset", first)["topics"] != before["topics"]
    assert facts("label", named.home, "--reset-all")["topics"] == before["topics"]


def test_label_by_probability(named):
    names = {
        one["topic"]: one["name"] for one in facts("label", named.home, "--by", "probability", "--tags", 1)["topics"]
    }
    assert names == dict(enumerate(labels(named, n=1, by="probability")))


def test_recommend_says_what_python_says(blog, tmp_path):
    tags = facts("recommend", blog.home, "--text", DRAFT, "-n", 3)
    assert [(one["label"], one["score"]) for one in tags["hashtags"]] == [
        (one.label, one.score) for one in recommend_tags(blog, DRAFT, n=3)
    ]
    who = blog.corpus.groups["author"].labels[0]
    authors = facts("recommend", blog.home, "--author", who)["authors"]
    assert [one["label"] for one in authors] == [one.label for one in recommend_authors(blog, who, n=5)]
    (tmp_path / "posts.txt").write_text(f"{DRAFT}\n\nstriker keeper penalty\n")
    found = facts("recommend", blog.home, "--posts", tmp_path / "posts.txt", "-n", 2)
    posts = [DRAFT, "striker keeper penalty"]
    assert [one["label"] for one in found["authors"]] == [
        one.label for one in recommend_authors(blog, posts=posts, n=2)
    ]
    said = call("recommend", blog.home, "--text", DRAFT, "--author", who).stdout
    assert said.startswith("#") and "probability of the next hashtag" in said and "Next:" in said


def test_export_writes_tables(blog, tmp_path):
    found = facts("export", blog.home, "-o", tmp_path / "out", "--words", 3)
    assert {path.stem for path in (tmp_path / "out").iterdir()} == TABLES and len(found["files"]) == len(TABLES)
    assert "spreadsheet" in found["next"][0]


def test_export_to_other_tools(blog, tmp_path):
    kinds = {"parquet": None, "gexf": "authors.gexf", "graphml": "authors.graphml", "pyldavis": "pyldavis.json"}
    kinds["mallet"] = "state.mallet.gz"
    found = facts("export", blog.home, "-o", tmp_path, *(arg for kind in kinds for arg in ("--as", kind)), "--words", 3)
    written = {path.name for path in tmp_path.iterdir()}
    assert written == {f"{name}.parquet" for name in TABLES} | {name for name in kinds.values() if name}
    assert {str(tmp_path / name) for name in written} == set(found["files"]) and len(found["next"]) == len(kinds)


def test_export_of_all_that_there_is_says_what_there_is_not(plain, tmp_path, monkeypatch):
    monkeypatch.setattr("pitmanyor.cli.use.FORMATS", ("mallet", "gexf"))
    plain.save(tmp_path / "run")
    found = facts("export", tmp_path / "run", "-o", tmp_path / "out", "--as", "all")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["state.mallet.gz"]
    assert found["skipped"] == {"gexf": "the corpus has no column 'author'; it has 'half'"}
    said = call("export", tmp_path / "run", "-o", tmp_path / "out", "--as", "all").stdout
    assert "not written: gexf: the corpus has no column 'author'" in said and "Gephi" not in said


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["label", "RUN", "--rename", "health"], 3, "--rename takes TOPIC=NAME"),
        (["label", "RUN", "--merge", "3"], 3, "--merge takes topics such as 3,7"),
        (["label", "RUN", "--rename", "9999=x"], 3, "there is no topic 9999"),
        (["label", "RUN", "--by", "size"], 3, "by is one of lift, probability"),
        (["label", "OUT"], 4, "not a run"),
        (["recommend", "RUN"], 3, "say what for"),
        (["recommend", "RUN", "--posts", "OUT", "--author", "x"], 3, "without --text and --author"),
        (["recommend", "RUN", "--posts", "OUT"], 4, "a post on each line"),
        (["recommend", "RUN", "--author", "nobody"], 3, "no author 'nobody'"),
        (["export", "RUN", "-o", "OUT", "--as", "xlsx"], 3, "--as takes csv, parquet"),
        (["export", "RUN"], 2, "Missing option"),
    ],
)
def test_errors_are_a_sentence_and_a_code(blog, tmp_path, args, code, message):
    given = [arg.replace("RUN", str(blog.home)).replace("OUT", str(tmp_path / "never")) for arg in args]
    assert message in call(*given, code=code).stderr
    assert not (tmp_path / "never").exists()
