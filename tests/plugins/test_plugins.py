"""Plug-ins: the example package, installed as a package is, and what is wrong with others."""

import sys
import tomllib
from pathlib import Path

import pytest

from calling import call, facts
from pitmanyor import GraphError, fit, load, plugins, read
from pitmanyor.cli.parsing import find_model

EXAMPLE = Path(__file__).parent / "example"
LOG = "ann: fresh bread from the oven\nbob: a goal in the last match\nno author here\nann: bread and butter\n"


def install(home, points):
    """What an installer leaves for entry points: a directory of metadata beside the package."""
    info = home / "pitmanyor_example-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pitmanyor-example\nVersion: 1.0\n")
    groups = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in some.items()) for group, some in points.items()]
    (info / "entry_points.txt").write_text("\n".join(groups))


@pytest.fixture
def example(tmp_path, monkeypatch):
    points = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]["entry-points"]
    assert set(points) == set(plugins.GROUPS)
    install(tmp_path, points)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.syspath_prepend(str(EXAMPLE))
    yield tmp_path
    sys.modules.pop("pitmanyor_example", None)


def test_a_tokeniser_and_a_reader(example):
    (example / "chat.log").write_text(LOG)
    corpus = read(example / "chat.log", tokeniser="bigrams", stop_words=None)
    assert corpus.groups["author"].labels == ("ann", "bob") and "fresh_bread" in corpus.vocabulary
    assert corpus.n_documents == 3 and corpus.report.options["tokeniser"] == "bigrams"


def test_a_model_and_a_measure_from_the_command_line(example):
    (example / "chat.log").write_text(LOG)
    facts("fit", example / "chat.log", "--model", "two_levels:3", "--sweeps", 2, "-o", example / "run")
    assert load(example / "run").n_topics == 3 and len(find_model("two_levels").streams) == 1
    found = facts("evaluate", example / "run", "--measure", "rare_topics")["measures"]["rare_topics"]
    assert found["test documents"] == 0 and 0 <= found["count"] <= 3
    found = facts("evaluate", example / "run", "--measure", "rare_topics", "--test", example / "chat.log")
    assert found["measures"]["rare_topics"]["test documents"] == 3
    assert facts("doctor")["models"] == "two_levels" and "rare_topics" in call("doctor").stdout


def test_a_bursty_model_of_a_plug_in(example):
    assert fit(find_model("bursty:two_levels"), read([["a", "b"], ["c"]]), sweeps=1, seed=1).n_topics == 10


def test_what_is_wrong_with_plug_ins_is_said(tmp_path, monkeypatch):
    (tmp_path / "broken_example.py").write_text(
        "def five(): return 5\ndef fails(n): raise KeyError(n)\nnothing = None\n"
    )
    points = {
        plugins.MODELS: {"five": "broken_example:five", "fails": "broken_example:fails", "gone": "no_such_module:x"},
        plugins.MEASURES: {"fails": "broken_example:fails"},
    }
    install(tmp_path, points)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(GraphError, match="model 'five' must be a Graph, not int"):
        find_model("five")
    with pytest.raises(GraphError, match="model 'fails': making it failed with KeyError: 3"):
        find_model("fails:3")
    with pytest.raises(GraphError, match="'gone' from no_such_module:x does not load: No module named"):
        find_model("gone")
    with pytest.raises(GraphError, match=r"bursty:NAME, fails, five, gone, and a file of your own"):
        find_model("none")
    (tmp_path / "chat.csv").write_text("text\nbread oven\ngoal match\n")
    call("fit", tmp_path / "chat.csv", "--model", "lda:2", "--sweeps", 1, "-o", tmp_path / "run")
    assert "measure 'fails' failed with TypeError" in call(
        "evaluate", tmp_path / "run", "--measure", "fails", code=3
    ).stderr  # fmt: skip
    assert "there is no 'none' among pitmanyor.measures (there are: 'fails')" in call(
        "evaluate", tmp_path / "run", "--measure", "none", code=3
    ).stderr  # fmt: skip
