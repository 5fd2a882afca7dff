"""The command line: what each command answers, for people and as JSON, and the code it leaves with."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest

from calling import call, facts
from pitmanyor import Corpus, load, read
from pitmanyor.cli.work import _fitted, _suitable_model
from pitmanyor.simulation import simulate_microblog
from pitmanyor.version import __version__
from saving import assert_same

COMMANDS = (
    *(
        "demo",
        "check",
        "fit",
        "resume",
        "topics",
        "infer",
        "info",
        "doctor",
        "experiment",
        "evaluate",
        "compare",
        "diagnose",
    ),
    *("label", "recommend", "export", "report", "serve"),
)
MODEL = """
from pitmanyor import Graph, models
graph = models.hdp_lda()
def made(): return models.hpyp()
wrong = 5
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    home = tmp_path_factory.mktemp("cli")
    simulate_microblog(posts=80, authors=4, seed=1).write(home)
    (home / "my_model.py").write_text(MODEL)
    return home


@pytest.fixture(scope="module")
def posts(home):
    return home / "simulated_posts.jsonl"


@pytest.fixture(scope="module")
def run(home, posts):
    call("fit", posts, "--model", "author_topic", "--sweeps", 6, "--seed", 1, "-o", home / "run")
    return home / "run"


def test_help_lists_commands_and_exit_codes_and_loads_nothing_slow():
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "pitmanyor.cli", "--help"],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 0, done.stderr
    assert all(f"  {name} " in done.stdout for name in COMMANDS)
    assert "Exit codes: 0 done; 1 " in done.stdout
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "typer" in loaded and not loaded & {"numba", "numpy", "duckdb", "scipy", "pandas"}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_json_and_help(command):
    assert "--json" in call(command, "--help").stdout


def test_check_shows_what_would_be_read(posts):
    said = call("check", posts, "--links", posts.with_name("simulated_follows.csv")).stdout
    assert "text = 'text' (guessed)" in said and "follows links" in said
    assert f"pitmanyor fit {posts} --model tntm -o RUN" in said
    assert facts("check", posts)["sizes"]["documents"] == 80
    fewer = facts("check", posts, "-O", "min_posts=25", "--group", "label")
    assert fewer["sizes"]["documents"] < 80 and "label" in fewer["groups"]


@pytest.mark.filterwarnings("ignore::pitmanyor.errors.ReadWarning")
def test_the_model_that_is_suggested_uses_what_the_posts_have():
    """A few stray hashtags in long texts ask for no model of hashtags."""
    texts = ["oven bread"] * 50 + ["bread #food"]
    assert _suitable_model(read(texts)) == "hpyp"
    assert _suitable_model(read(texts, author=["ann"] * 51)) == "author_topic"
    assert _suitable_model(read(texts + ["bread #food"] * 3, author=["ann"] * 54)) == "tntm"


def test_options_of_reading_that_are_written_as_options_are_taught(posts):
    said = call("check", posts, "--min-df", "2", code=2).stderr
    assert "No such option: --min-df. Write -O min_df=VALUE" in said and "Possible" not in said
    assert "-O " not in call("check", posts, "--min-dff", "2", code=2).stderr


def test_fit_leaves_a_run_that_python_loads(run):
    fitted = load(run)
    assert fitted.n_sweeps == 6 and "nu" in fitted.graph.names
    assert (run / "topics.csv").read_text().startswith("topic,name,share,large,found_by,stream,rank,word,probability\n")
    found = facts("topics", run, "--words", 4)
    assert len(found["topics"]) == fitted.n_topics
    assert sum(topic["large"] for topic in found["topics"]) == found["n_topics"] == fitted.topic_count().n_large
    assert sum(topic["share"] for topic in found["topics"]) == pytest.approx(1.0)
    best = found["topics"][0]
    assert [entry["word"] for entry in best["word"]] == [word for word, _ in fitted.topics(4)[best["topic"]]]
    said = call("topics", run).stdout
    assert "likeliest words" in said and f"{fitted.topic_count()}." in said and "found by" not in said


def test_a_fit_of_many_topics_lists_the_largest_and_says_how_to_see_all(run, monkeypatch):
    n_large, numbers = load(run).topic_count().n_large, facts("topics", run)["topics"]
    monkeypatch.setattr("pitmanyor.cli.work.SHOWN", n_large - 1)
    shown = _fitted(run, load(run)).shown
    assert shown[0].row_count == n_large - 1 and list(shown[0].columns[0].cells)[0] == str(numbers[0]["topic"])
    assert shown[1].startswith(f"The {n_large - 1} largest of {n_large} topics; pitmanyor topics {run} lists all")
    monkeypatch.setattr("pitmanyor.cli.work.SHOWN", n_large)
    assert _fitted(run, load(run)).shown[0].row_count == n_large and "largest of" not in str(shown[2:])


def test_info_reads_without_the_sampler(run):
    one = facts("info", run)["runs"][0]
    assert (one["sweeps done"], one["sweeps asked for"], one["seed"]) == (6, 6, 1)
    assert one["log joint"] == load(run).log_joint
    script = f"""
import sys
from pathlib import Path
from pitmanyor.cli.show import show_run
show_run(Path({str(run)!r}))
assert "numba" not in sys.modules
"""
    subprocess.run(
        [sys.executable, "-c", script], check=True, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    )


def test_resume_goes_on(home, posts, run):
    longer = facts("fit", posts, "--model", "author_topic", "--sweeps", 9, "--seed", 1, "-o", home / "nine")
    call("fit", posts, "--model", "author_topic", "--sweeps", 8, "--seed", 1, "-o", home / "eight")
    assert longer["n_sweeps"] == 9
    done = facts("resume", home / "eight", "--sweeps", 9)
    assert (done["n_sweeps"], done["log_joint"]) == (9, longer["log_joint"])  # both burn in for two sweeps
    said = call("resume", home / "eight", "--sweeps", 3, code=3)
    assert "has 9 sweeps already" in said.stderr


def test_infer_writes_a_line_for_every_post(home, posts, run):
    found = facts("infer", run, posts, "-o", home / "shares.csv")
    rows = [line.split(",") for line in (home / "shares.csv").read_text().splitlines()]
    assert found["documents"] == len(rows) - 1 == 80
    assert rows[0][:4] == ["line", "id", "author", "topic_0"]
    assert [row[1] for row in rows[1:4]] == list(Corpus.load(run / "corpus.safetensors").ids)[:3]
    assert sum(map(float, rows[1][3:])) == pytest.approx(1.0, abs=1e-4)
    assert found["n_unknown"] == {"author": 0}
    paper = facts("infer", run, posts, "-o", home / "paper.csv", "--completion", "paper", "--sweeps", 2)
    assert paper["documents"] == 80
    assert "completion must be one of gibbs, paper" in call(
        "infer", run, posts, "-o", home / "x.csv", "--completion", "x", code=3
    ).stderr  # fmt: skip


def test_new_posts_are_read_as_the_old_ones_were(home, posts):
    call("fit", posts, "--sweeps", 2, "-o", home / "plain", "-O", "stop_words=null", "-O", "min_df=2")
    said = Corpus.load(home / "plain" / "corpus.safetensors").report.options  # there before the first sweep
    assert said == {"stop_words": None}
    call("infer", home / "plain", posts, "-o", home / "plain.csv")


def test_a_line_for_posts_without_known_words_or_author_and_a_word_on_those_without_text(home, run):
    new = home / "new.csv"
    new.write_text("text,author\nxyzzy plugh,\n,ann\nhello the,bob\n")
    found = facts("infer", run, new, "-o", home / "new_shares.csv", code=3)
    assert "no token of these documents is in the vocabulary" in found["message"]
    word = Corpus.load(run / "corpus.safetensors").vocabulary[0]
    new.write_text(f"text,author\nxyzzy plugh,\n,ann\n{word} the,bob\n")
    found = facts("infer", run, new, "-o", home / "new_shares.csv")
    assert (found["documents"], found["not read"]) == (2, 1)
    with open(home / "new_shares.csv", newline="") as file:
        assert [row["line"] for row in csv.DictReader(file)] == ["2", "4"]


def test_bad_lines_of_new_posts_are_told_and_may_be_skipped(home, run):
    new, word = home / "bad.csv", Corpus.load(run / "corpus.safetensors").vocabulary[0]
    new.write_text(f"text,author\n{word},ann\n{word},bob,more\n{word},cy\n")
    said = call("infer", run, new, "-o", home / "bad_shares.csv", code=3).stderr
    assert "line 3: 3 fields where the first line has 2" in said and "--skip-bad-lines" in said
    assert "line 3: 3 fields" in call("infer", run, new, "-o", home / "bad_shares.csv", "--skip-bad-lines").stdout
    found = facts("infer", run, new, "-o", home / "bad_shares.csv", "--skip-bad-lines")
    assert (found["documents"], found["bad lines"]) == (2, 1)


@pytest.mark.parametrize("model", ["my_model.py:graph", "my_model.py", "my_model.py:made", "lda:3", "bursty:hdp_lda"])
def test_models_of_ones_own_and_with_arguments(home, posts, model):
    name = str(home / model) if model.startswith("my") else model
    out = home / f"own-{model.replace(':', '-')}"
    assert facts("fit", posts, "--model", name, "--sweeps", 1, "-o", out)["n_sweeps"] == 1


def test_demo_ends_with_topics_and_hashtags(home):
    said = call("demo", home / "demo", "--posts", 120, "--sweeps", 5).stdout
    assert "Simulating 120 posts." in said and "likeliest hashtags" in said and "Next:" in said
    page = home / "demo" / "report.html"
    assert f"The report, a page to be opened in any browser: {page.resolve()}" in said
    assert page.read_text().startswith("<!doctype html>")
    assert (home / "demo" / "simulated_posts.jsonl").exists() and load(home / "demo" / "run").n_sweeps == 5
    assert "there is a demo already" in call("demo", home / "demo", code=4).stderr


def test_doctor_tells_versions_threads_and_caches():
    found = facts("doctor")
    assert {"pitmanyor", "python", "numba", "cores", "cache of compiled kernels", "memory"} <= set(found)
    assert found["kernels compiled at installation"] >= found["of these for this machine"] >= 0


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["fit", "POSTS", "--model", "cake", "-o", "OUT"], 3, "there is no model 'cake'; the ready ones are"),
        (["fit", "POSTS", "--model", "HOME/my_model.py:wrong", "-o", "OUT"], 3, "'wrong' is not there, or no Graph"),
        (["fit", "POSTS", "--model", "HOME/none.py:graph", "-o", "OUT"], 3, "there is no such file"),
        (["fit", "POSTS", "--text", "txet", "-o", "OUT"], 3, "there is no column 'txet'"),
        (
            ["fit", "POSTS", "--sampler", "fast", "-o", "OUT"],
            3,
            "kind must be one of mixed, collapsed, explicit, not",
        ),
        (["fit", "POSTS", "--save-every", "soon", "-o", "OUT"], 3, "'soon' is not a duration"),
        (["fit", "POSTS", "-O", "min_df", "-o", "OUT"], 3, "write -O NAME=VALUE, such as -O min_df=5, not -O min_df"),
        (["fit", "POSTS", "--sweeps", "1", "-o", "HOME"], 4, "already exists"),
        (["fit", "POSTS", "--sweeps", "1", "--chains", "2", "-o", "POSTS"], 4, "already exists"),
        (["fit", "POSTS", "--sweeps", "1", "--chains", "2", "-o", "POSTS/run"], 4, "no run can be made there"),
        (["demo", "POSTS"], 4, "not a directory that can be written to"),
        (["fit", "HOME/none.csv", "-o", "OUT"], 4, "there is no such file"),
        (["info", "HOME"], 4, "not a run: it has no header.json"),
        (["topics", "HOME/none"], 4, "not a run"),
        (["resume", "HOME/none"], 4, "not a run"),
        (["fit", "POSTS"], 2, "Missing option"),
        (["bake"], 2, "No such command"),
    ],
)
def test_errors_are_a_sentence_and_a_code(home, posts, args, code, message):
    named = [
        a.replace("POSTS", str(posts)).replace("OUT", str(home / "never")).replace("HOME", str(home)) for a in args
    ]
    assert message in call(*named, code=code).stderr
    if code != 2:
        said = facts(*named, code=code)
        assert said["exit_code"] == code and message in said["message"]
    assert not (home / "never").exists()


def start(*args):
    return subprocess.Popen(
        [sys.executable, "-m", "pitmanyor.cli", *map(str, args)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )


def wait_for(condition, seconds=300):
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:
        time.sleep(0.05)
    assert condition()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
def test_signals_save_the_run(home, posts, number, code):
    out = home / f"signal-{int(number)}"
    process = start("fit", posts, "--sweeps", 10**7, "-o", out, "--save-every", "1s")
    wait_for((out / "state.safetensors").exists)
    process.send_signal(number)
    said, wrong = process.communicate(timeout=120)
    assert process.returncode == code, wrong
    assert load(out).n_sweeps < 10**7
    if code == 130:
        assert f"pitmanyor resume {out}" in said


def test_four_chains_that_are_killed_go_on_as_if_nothing_had_happened(home, posts):
    """kill -9 of every process at once: parent and chains."""
    options = ["fit", posts, "--seed", 3, "--chains", 4, "--keep", 2]
    whole = start(*options, "--sweeps", 60, "-o", home / "whole")
    assert whole.wait(timeout=300) == 0
    out = home / "killed"
    process = start(*options, "--sweeps", 60, "-o", out, "--save-every", "0s")
    chains = [out / f"chain-{chain}" for chain in range(4)]
    wait_for(lambda: all((chain / "state.safetensors").exists() for chain in chains))
    for pid in [process.pid, *(int((chain / "lock").read_text()) for chain in chains)]:
        with suppress(ProcessLookupError):  # one that is done already
            os.kill(pid, signal.SIGKILL)
    process.wait()
    done = [load(chain).n_sweeps for chain in chains]
    assert all(n <= 60 for n in done)
    found = facts("resume", out)
    assert found["chains"] == 4 and found["n_sweeps"] == 60
    for one, other in zip(load(out).chains, load(home / "whole").chains, strict=True):
        assert_same(one, other)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
def test_signals_save_all_chains(home, posts, number, code):
    out = home / f"chains-signal-{int(number)}"
    process = start("fit", posts, "--sweeps", 10**7, "--chains", 2, "-o", out)
    wait_for(lambda: all((out / f"chain-{i}" / "state.safetensors").exists() for i in range(2)))
    process.send_signal(number)
    said, wrong = process.communicate(timeout=120)
    assert process.returncode == code, wrong
    assert [0 <= chain.n_sweeps < 10**7 for chain in load(out).chains] == [True, True]
    if code == 130:
        assert f"pitmanyor resume {out}" in said and "Stopped after " in said


def test_chains_side_by_side(home, posts):
    process = start("fit", posts, "--sweeps", 4, "--chains", 2, "--seed", 3, "-o", home / "chains", "--json")
    said, wrong = process.communicate(timeout=300)
    assert process.returncode == 0, wrong
    whole, one = load(home / "chains"), load(home / "chains" / "chain-0")
    assert json.loads(said)["log_joint"] == one.log_joint and json.loads(said)["chains"] == len(whole.chains) == 2
    assert len(facts("info", home / "chains")["runs"]) == 2
    shown = call("topics", home / "chains").stdout
    assert "Topics of chain 0, which agree best with those of the others." in shown and "found by" in shown
    assert " of 2 " in shown
    assert facts("topics", home / "chains")["topics"][0]["found_by"] in (1, 2)
    rows = (home / "chains" / "topics.csv").read_text().splitlines()
    assert rows[1].split(",")[-5] in ("1", "2")


@pytest.mark.parametrize("spelled", ["False", "false", "FALSE"])
def test_options_of_reading_take_truth_values_as_python_and_json_spell_them(tmp_path, spelled):
    """A text is true, whatever it says: `numbers=False` kept the numbers."""
    path = tmp_path / "posts.csv"
    path.write_text("2020 bread\n2021 oven\n")
    said = facts("check", path, "-O", f"header={spelled}", "-O", f"numbers={spelled}")
    assert said["sizes"]["documents"] == 2 and said["sizes"]["word types"] == 2
    assert facts("check", path, "-O", "header=false", "-O", "numbers=True")["sizes"]["word types"] == 4


def test_an_option_of_reading_that_is_no_number_is_refused_with_a_sentence(tmp_path):
    path = tmp_path / "posts.csv"
    path.write_text("text\nbread oven\n")
    done = call("check", path, "-O", "min_df=five", code=3)
    assert "-O min_df=five: give a number of documents" in done.output


def run_in_shell(command, **options):
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "COLUMNS": "80"}
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, env=env, **options
    )


@pytest.mark.parametrize("module", ["pitmanyor", "pitmanyor.cli"])
def test_modules_are_the_command_line_and_say_their_version(module):
    done = run_in_shell(f"{sys.executable} -m {module} --version")
    assert (done.returncode, done.stdout.strip()) == (0, f"pitmanyor {__version__}")


@pytest.mark.parametrize("how", ["", "--json"])
def test_a_reader_that_has_seen_enough_is_no_error(tmp_path, how):
    """`check | head` left with 1."""
    (tmp_path / "posts.csv").write_text("text\nthe bread\nthe oven\n")
    command = f"{sys.executable} -m pitmanyor check {tmp_path / 'posts.csv'} {how}"
    done = run_in_shell(f"{command} | (exec 0<&-; sleep 3)")
    assert (done.returncode, done.stderr) == (0, "")


def test_help_texts_are_whole():
    said = run_in_shell(f"{sys.executable} -m pitmanyor --help").stdout
    commands = said.split("Commands:")[1].split("Exit codes")[0].strip().splitlines()
    assert len(commands) == len(COMMANDS) and "..." not in "".join(commands)
    assert all(line.endswith(".") for line in commands)


def test_an_existing_run_is_refused_before_anything_is_read(home, run):
    done = call("fit", home / "no_such_file.csv", "-o", run, code=4)
    assert "already exists" in done.stderr and "no such file" not in done.stderr


def test_check_says_what_the_groups_are(tmp_path):
    path = tmp_path / "posts.csv"
    path.write_text("text,party\nbread oven,left\nstars,right\nmoon,right\n")
    done = call("check", path, "--group", "party")
    assert "group party = 'party'" in done.stdout and "right 2, left 1" in done.stdout
    assert facts("check", path, "--group", "party")["sizes"]["documents by party"] == "right 2, left 1"


def test_what_comes_next_after_a_fit(home, posts):
    said = facts("fit", posts, "--model", "hpyp", "--sweeps", 1, "-o", home / "next")["next"]
    assert [line.split()[1] for line in said] == ["diagnose", "report", "infer"]
