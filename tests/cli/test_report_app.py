"""report and serve: what they write, what they say, and how they refuse."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from calling import call, facts
from pitmanyor import Start, simulate_microblog


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    home = tmp_path_factory.mktemp("report")
    simulate_microblog(posts=80, authors=4, seed=1).write(home)
    call(
        "fit", home / "simulated_posts.jsonl", "--model", "author_topic", "--sweeps", 6, "--seed", 1, "-o", home / "run"
    )
    return home


def test_report_writes_a_page_and_says_where(home):
    out = home / "page.html"
    said = call("report", home / "run", "-o", out).stdout
    assert f"{out.resolve()}" in said and "Texts are from simulated_posts.jsonl." in said and "Too few sweeps" in said
    assert "pitmanyor serve" in said and "--redact" in said
    found = facts("report", home / "run", "-o", out)
    assert found["bytes"] == out.stat().st_size < 1_000_000 and found["redacted"] is False
    assert {"authors", "posts", "times", "topics", "trust"} <= set(found["panels"]) and "network" not in found["panels"]


def test_redacted(home):
    found = facts("report", home / "run", "-o", home / "hidden.html", "--redact")
    assert found["redacted"] is True and "posts" not in found["panels"] and "hashed" in found["texts"]


def test_a_file_that_moved_is_said_or_named(home):
    old, new = home / "simulated_posts.jsonl", home / "moved.jsonl"
    old.rename(new)
    try:
        assert "is not there" in facts("report", home / "run", "-o", home / "tokens.html")["texts"]
        named = facts("report", home / "run", "-o", home / "named.html", "--posts", new)
        assert named["texts"] == "Texts are from moved.jsonl."
        refused = facts("report", home / "run", "-o", home / "x.html", "--posts", home / "none", code=4)
        assert "there is no such file" in refused["message"] and not (home / "x.html").exists()
    finally:
        new.rename(old)


def test_chains_are_compared(home):
    from pitmanyor import fit, load, models, read

    corpus = read(home / "simulated_posts.jsonl")
    for chain in range(2):
        fit(
            models.lda(4), corpus, sweeps=110, seed=1, start=Start(chain=chain), save_to=home / "two" / f"chain-{chain}"
        )
    said = call("report", home / "two", "-o", home / "two.html").stdout
    whole = load(home / "two")
    assert whole.diagnose().summary in said and "found by all 2 chains" in said  # the one verdict
    found = facts("report", home / "two", "-o", home / "two.html")
    assert found["trust"] == facts("diagnose", home / "two")["summary"] and found["chains"] == 2


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["report", "HOME/none"], 4, "not a run"),
        (["report", "HOME/run", "-o", "HOME"], 4, "give the name of a file"),
        (["report", "HOME/run", "-o", "HOME/none/x.html"], 4, "in a directory that exists"),
        (["serve", "HOME/none"], 4, "not a run"),
        (["serve", "HOME/run", "--port", "0"], 2, "--port"),
    ],
)
def test_errors_are_a_sentence_and_a_code(home, args, code, message):
    assert message in call(*(arg.replace("HOME", str(home)) for arg in args), code=code).stderr


def test_serve_says_what_to_install(home, monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "pitmanyor.report.server", raising=False)
    assert "pip install 'pitmanyor[serve]'" in call("serve", home / "run", code=3).stderr


def test_a_port_that_is_taken_is_said(home):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert "choose another with --port or --host" in call("serve", home / "run", "--port", port, code=4).stderr


def test_serve_answers_on_this_machine_until_ctrl_c(home):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "pitmanyor.cli", "serve", str(home / "run"), "--port", str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    url, page = f"http://127.0.0.1:{port}/", None
    until = time.monotonic() + 120
    while page is None and time.monotonic() < until and process.poll() is None:
        try:
            page = urllib.request.urlopen(url, timeout=10).read().decode()
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    said, wrong = process.communicate(timeout=60)
    assert page is not None and 'data-live="true"' in page, wrong
    assert f"The page is at {url}" in wrong and process.returncode in (0, 130), (said, wrong)
