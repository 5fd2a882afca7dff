"""label, recommend and export: what they answer, for people and as JSON, and what they write."""

import csv
import json

import pytest

from calling import call, facts
from pitmanyor import Corpus, Start, fit, labels, load, models, recommend_authors, recommend_tags
from pitmanyor.evaluate import Diagnosis

DRAFT = "goal team league season coach player match"
TABLES = {"topics", "words", "documents", "authors", "by_author", "by_label", "over_time", "links", "trace"}


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
    assert names == dict(enumerate(labels(named, n_words=1, by="probability")))


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


def test_exports_are_of_all_chains(blog, tmp_path):
    """How many chains found each topic, and the trace of each chain; not without one of them."""
    for chain in range(2):
        home = tmp_path / "runs" / f"chain-{chain}"
        fit(blog.graph, blog.corpus, sweeps=9, seed=1, start=Start(chain=chain, topics=4), save_to=home)
    facts("export", tmp_path / "runs", "-o", tmp_path / "out")
    with open(tmp_path / "out" / "topics.csv", encoding="utf-8", newline="") as file:
        topics = list(csv.DictReader(file))
    assert [int(row["found_by"]) for row in topics] == load(tmp_path / "runs").stability().found
    assert {row["n_chains"] for row in topics} == {"2"} and {row["large"] for row in topics} <= {"True", "False"}
    with open(tmp_path / "out" / "trace.csv", encoding="utf-8", newline="") as file:
        assert [row["chain"] for row in csv.DictReader(file)] == ["0"] * 9 + ["1"] * 9
    (tmp_path / "runs" / "chain-1" / "state.safetensors").unlink()
    facts("export", tmp_path / "runs", "-o", tmp_path / "out", code=4)


def test_a_change_that_is_wrong_changes_nothing(named):
    for wrong in (
        ["--merge", "0,1="],
        ["--merge", "0,1", "--rename", "2="],
        ["--merge", "0,1", "--rename", "9999=x"],
        ["--merge", "0,1", "--merge", "2,9999"],
        ["--reset-all", "--rename", "x"],
    ):
        call("label", named.home, "--rename", "3=mine")
        assert call("label", named.home, *wrong, code=3).stderr
        said = json.loads((named.home / "names.json").read_text())["topics"]
        assert [(one["topics"], one["name"]) for one in said] == [([3], "mine")]


def test_names_of_strangers_do_not_command_the_terminal(tmp_path):
    evil = "ann\x1b[2J\x9b31m\u202e\U000e0041"
    corpus = Corpus.from_tokens([["\x1b[31mgoal", "team"]] * 4, groups={"author": ["bob", evil] * 2})
    fit(models.lda(1), corpus, sweeps=2, seed=1, save_to=tmp_path / "run")
    shown = "ann[U+001B][2J[U+009B]31m[U+202E][U+E0041]"
    assert shown in call("recommend", tmp_path / "run", "--author", "bob").stdout
    who = ["--author", "bob"]
    for command, *args in (["label"], ["topics"], ["topics", "--json"], ["recommend", *who, "--json"]):
        assert not {"\x1b", "\x9b", "\u202e", "\U000e0041"} & set(call(command, tmp_path / "run", *args).stdout)
    assert facts("recommend", tmp_path / "run", "--author", "bob")["authors"][0]["label"] == evil


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
        (["label", "RUN", "--by", "size"], 3, "by must be one of lift, probability"),
        (["label", "OUT"], 4, "not a run"),
        (["recommend", "RUN"], 3, "say what for"),
        (["recommend", "RUN", "--posts", "OUT", "--author", "x"], 3, "without --text and --author"),
        (["recommend", "RUN", "--posts", "OUT"], 4, "a post on each line"),
        (["recommend", "RUN", "--author", "nobody"], 3, "no author 'nobody'"),
        (["recommend", "RUN", "--text", DRAFT, "--author", "nobody"], 3, "no author 'nobody'"),
        (["export", "RUN", "-o", "OUT", "--as", "xlsx"], 3, "--as takes csv, parquet"),
        (["export", "RUN"], 2, "Missing option"),
    ],
)
def test_errors_are_a_sentence_and_a_code(blog, tmp_path, args, code, message):
    given = [arg.replace("RUN", str(blog.home)).replace("OUT", str(tmp_path / "never")) for arg in args]
    assert message in call(*given, code=code).stderr
    assert not (tmp_path / "never").exists()


@pytest.mark.parametrize("disagrees", [True, False])
def test_label_leaves_intervals_out_where_chains_disagree(named, monkeypatch, disagrees):
    monkeypatch.setattr(Diagnosis, "disagrees", disagrees)
    said = call("label", named.home).stdout
    assert ("Intervals are left out because the chains disagree" in said) == disagrees == ("90% interval" not in said)
