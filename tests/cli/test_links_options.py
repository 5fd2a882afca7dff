"""Links on the command line: when they join, how they are sampled, and models that have nothing else."""

import json

import pytest

from calling import call
from pitmanyor import load
from pitmanyor.simulation import simulate_microblog

LINKS_ALONE = """
from pitmanyor import Graph
graph = Graph()
graph.links("follows", between=graph.pyp("nu", base=graph.gem("mu"), plate="author"))
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    home = tmp_path_factory.mktemp("links")
    simulate_microblog(posts=60, authors=4, seed=1).write(home)
    (home / "alone.py").write_text(LINKS_ALONE)
    return home


@pytest.fixture(scope="module")
def source(home):
    return [home / "simulated_posts.jsonl", "--links", home / "simulated_follows.csv", "-O", "min_df=1"]


@pytest.fixture(scope="module")
def joined(home, source):
    call("fit", *source, "--model", "tntm", "--sweeps", 6, "--text-sweeps", 4, "--spare-topics", 2, "-o", home / "run")
    return load(home / "run")


def test_when_links_join_and_with_how_many_spare_topics(joined):
    assert (joined.run.settings.network.text_sweeps, joined.run.settings.network.spare_topics) == (4, 2)
    topics = joined.trace["n_topics"]
    assert topics[4] == topics[3] + 2 and topics[5] == topics[4]


def test_the_paper_s_method_and_settings(home, source):
    given = ["--model", "tntm", "--sweeps", 3, "--method", "paper", "--preset", "paper"]
    call("fit", *source, *given, "-o", home / "paper")
    paper = load(home / "paper")
    assert paper.run.settings.network.method == "paper"
    assert paper.graph["nu"].concentration_per == paper.graph["theta"].concentration_per == "instance"


def test_links_alone(home, source):
    given = ["--model", home / "alone.py:graph", "--sweeps", 5, "--n-topics", 3, "-o", home / "alone"]
    said = call("fit", *source, *given).stdout
    assert "likeliest authors" in said and "pitmanyor infer" not in said
    assert load(home / "alone").mean("nu").shape == (4, 3)
    found = json.loads(call("topics", home / "alone", "--json").stdout)["topics"]
    assert sum(topic["share"] for topic in found) == pytest.approx(1.0)
    assert {entry["word"] for entry in found[0]["author"]} == set(load(home / "alone").axes("nu")["author"])
    assert (home / "alone" / "topics.csv").read_text().count("\n") == 1 + 3 * 4


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--model", "tntm", "--method", "guess"], "method must be one of exact, paper"),
        (["--model", "tntm", "--preset", "mine"], 'preset is "paper"'),
        (["--model", "tntm", "--n-topics", "3"], "fit --model lda:3"),
        (["--model", "tntm", "--text-sweeps", "-1"], "0 or more"),
        (["--model", "HOME/alone.py"], "pass --n-topics 10"),
    ],
)
def test_what_cannot_be_is_a_sentence(home, source, args, message):
    named = [arg.replace("HOME", str(home)) for arg in args]
    assert message in call("fit", *source, *named, "--sweeps", 2, "-o", home / "never", code=3).stderr
    assert not (home / "never").exists()
