"""The whole way on the command line: a table, its files, and a second start that does only what is left."""

import json

import pytest
from typer.testing import CliRunner

from pitmanyor import Corpus, CorpusError, PlanError
from pitmanyor.cli.app import app
from pitmanyor.experiments import run
from pitmanyor.experiments.home import Home, read_json
from pitmanyor.experiments.settings import Settings
from pitmanyor.simulation import simulate_microblog

LABELLED = Corpus.from_tokens({"word": [["a"], ["b"]]}, groups={"label": ["x", "y"]})


def call(home, *more, code=0):
    args = ["experiment", "labels", home / "simulated_posts.jsonl", "-o", home / "out", "--workers", 1, *more]
    options = ["--sweeps", 8, "--keep", 1, "-O", "min_df=2", "--json"]
    done = CliRunner().invoke(app, [str(arg) for arg in (*args, *options)])
    assert done.exit_code == code, (done.output, done.exception)
    return done


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    home = tmp_path_factory.mktemp("experiment")
    simulate_microblog(posts=80, authors=4, seed=1).write(home)
    return home


def test_table_figure_and_going_on(home):
    first = call(home, "--repeats", 2)
    assert "[2/2] TNTM, no network, repeat 2" in first.stderr
    out = home / "out"
    facts = json.loads(first.stdout)
    assert {file.rsplit("/", 1)[1] for file in facts["files"]} == {
        "table.md", "table.csv", "cells.csv", "topics.csv", "figure.png",
    }  # fmt: skip
    assert "![Topics with hashtags as labels](figure.png)" in (out / "table.md").read_text()
    kept, lost = (read_json(out / "cells" / f"tntm-{r}.json") for r in (0, 1))
    (out / "cells" / "tntm-1.json").unlink()
    again = call(home, "--repeats", 2)
    assert "1 of 2 fits are done already" in again.stderr and "repeat 1" not in again.stderr
    assert read_json(out / "cells" / "tntm-0.json") == kept
    made = read_json(out / "cells" / "tntm-1.json")
    assert made["labels"] == lost["labels"] and made["trace"] == lost["trace"]


def test_other_settings_are_refused(home):
    assert "seed" in call(home, "--seed", 5, code=4).stderr
    assert "other corpus" in call(home, "--drop", "big", code=4).stderr


@pytest.fixture
def computed(monkeypatch):
    """The cells that were asked for, in their order; none is fitted, and all come to the same."""
    asked = []

    def cells(path, cells, workers, compute):
        for key, repeat in cells:
            facts = {"repeat": repeat, "seed": 1, "numbers": {"purity": 0.5}, "trace": {"log_joint": [-1.0]}}
            Home(path).write_cell(key, repeat, facts)
            asked.append((key, repeat))
            yield key, repeat

    monkeypatch.setattr(run, "run_cells", cells)
    return asked


def test_every_row_is_repeated_as_often_and_those_done_are_not_done_again(tmp_path, computed):
    settings, out = Settings("clustering", sweeps=4, keep=1), tmp_path / "out"
    rows = ["lda10_none", "lda20_none", "hdp_lda", "tntm"]
    run.run_experiment(LABELLED, out, settings, repeats=2)
    assert computed == [(row, repeat) for repeat in range(2) for row in rows]
    run.run_experiment(LABELLED, out, settings, repeats=3)
    assert computed[8:] == [(row, 2) for row in rows]


def test_rows_can_be_left_for_another_time(tmp_path, computed):
    settings, out = Settings("clustering", sweeps=4, keep=1), tmp_path / "out"
    with pytest.raises(PlanError, match="no row lda30_none"):
        run.run_experiment(LABELLED, out, settings, repeats=1, leave=["lda30_none"])
    assert not out.exists()
    first = run.run_experiment(LABELLED, out, settings, repeats=1, leave=["lda10_none", "tntm"])
    assert computed == [("lda20_none", 0), ("hdp_lda", 0)]
    assert "LDA, 10 topics, no pooling 0 of 1" in first.markdown
    second = run.run_experiment(LABELLED, out, settings, repeats=1)
    assert Home(out).is_done("tntm", 0) and "Not finished" not in second.markdown


def test_fewer_repeats_do_not_take_results_from_the_table(home):
    call(home, "--repeats", 2)
    call(home, "--repeats", 1)
    assert "2 runs (seeds 1 to 2)" in (home / "out" / "table.md").read_text()


def test_what_cannot_be_split_is_told_by_its_own_option(tmp_path):
    (tmp_path / "simulated_posts.jsonl").write_text('{"text": "fresh bread"}\n{"text": "bread again"}')
    args = ["experiment", "fit", tmp_path / "simulated_posts.jsonl", "-o", tmp_path / "out", "--test", 0.1]
    done = CliRunner().invoke(app, [str(arg) for arg in args])
    assert done.exit_code == 3 and "test=0.1 leaves 2 documents" in done.stderr and "-O" not in done.stderr


def test_what_cannot_be_split_leaves_no_directory_behind(tmp_path):
    corpus = Corpus.from_tokens([["a", "b"], ["b", "a"]])
    with pytest.raises(CorpusError, match="leaves 2 documents for training and 0"):
        run.run_experiment(corpus, tmp_path / "out", Settings("fit", test=0.1))
    assert not (tmp_path / "out").exists()
