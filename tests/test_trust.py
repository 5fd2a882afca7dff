"""The table of promises: every test that it names is there, and what fails is said."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def trust():
    spec = importlib.util.spec_from_file_location("trust", ROOT / "tools" / "trust.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_tests_and_options_of_every_promise_exist(trust, pytestconfig):
    for promise in trust.PROMISES:
        for name in promise.tests.split():
            assert (ROOT / "tests" / name).is_file(), name
        if promise.option:
            assert pytestconfig.getoption(promise.option) > 0 and promise.times > 0 and promise.what


def test_what_fails_is_said_and_ends_the_command_with_an_error(trust, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(trust, "TABLE", tmp_path / "build" / "trust.md")
    outcomes = iter([trust.Outcome(3, 0, 0), trust.Outcome(2, 1, 0), trust.Outcome(0, 0, 4)])
    monkeypatch.setattr(trust, "PROMISES", trust.PROMISES[:3])
    monkeypatch.setattr(trust, "try_out", lambda promise, times: next(outcomes))
    assert trust.main(["--times", "2"]) == 1
    table = trust.TABLE.read_text()
    assert "3 tests, 10,000 changed files | holds |" in table
    assert "3 tests, 540 forged runs | **1 failed** |" in table and "0 tests | **no test ran** |" in table
    assert capsys.readouterr().out.strip() == table.strip()
    assert trust.main(["--only", "nothing of that name"]) == 1


def test_a_promise_is_tried_by_pytest(trust):
    promise = trust.Promise("Seeds", "test_seeds.py")
    assert trust.try_out(promise, 1).passed > 0
    assert trust.try_out(trust.Promise("Nothing", "no_such_test.py"), 1).passed == 0
