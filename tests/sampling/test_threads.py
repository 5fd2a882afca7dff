"""The same seed gives the same bytes: on one thread or two, twice over, in a child, with another pool of threads."""

import multiprocessing
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numba
import pytest

from digest import MODELS, digest
from pitmanyor.fold_in.shares import Way, threads_of
from pitmanyor.runs.advance import default_threads
from pitmanyor.sampling.switching import Switch

TESTS = Path(__file__).resolve().parent.parent
two_threads = pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="this machine has one thread")


@pytest.fixture(scope="module")
def first() -> dict[str, str]:
    return {model: digest(model, seed=1, n_threads=1) for model in MODELS}


@two_threads
@pytest.mark.parametrize("model", MODELS)
def test_two_threads_give_the_bytes_of_one(first, model):
    assert digest(model, seed=1, n_threads=2) == first[model]


@two_threads
@pytest.mark.parametrize("model", MODELS)
def test_two_threads_give_the_bytes_of_one_with_splits_and_merges(first, model):
    once = digest(model, seed=1, n_threads=1, moves=True)
    assert digest(model, seed=1, n_threads=2, moves=True) == once != first[model]


@pytest.mark.parametrize("model", MODELS)
def test_the_same_seed_again_gives_the_same_bytes_and_another_does_not(first, model):
    assert digest(model, seed=1, n_threads=1) == first[model]
    assert digest(model, seed=2, n_threads=1) != first[model]


@pytest.mark.parametrize("model", MODELS)
def test_walks_that_are_too_many_to_list_are_walked_to_the_same_bytes(first, model, monkeypatch):
    monkeypatch.setattr("pitmanyor.sampling.switching.LISTED", -1)
    assert digest(model, seed=1, n_threads=1) == first[model]


@pytest.mark.parametrize("model", MODELS)
def test_documents_in_parts_are_counted_to_the_same_bytes(first, model, monkeypatch):
    """Threads count their part of the documents, each in counts of its own, where the corpus is large."""
    made = []

    def in_three_parts(state, _):
        made.append(Switch(state, 3))
        return made[-1]

    monkeypatch.setattr("pitmanyor.sampling.switching.SMALL_SHARE", 1e-6)
    monkeypatch.setattr("pitmanyor.sampling.sweeps.Switch", in_three_parts)
    assert digest(model, seed=1, n_threads=1) == first[model]
    assert [len(switch.parts.bounds) - 1 for switch in made if switch.parts is not None] == [3]


@pytest.mark.parametrize("threads", ["1", "3"])
def test_another_process_with_another_pool_of_threads_gives_the_same_bytes(first, threads):
    env = os.environ | {"NUMBA_NUM_THREADS": threads, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, str(TESTS / "helpers" / "digest.py"), "bursty", threads]
    out = subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout
    assert out.strip() == first["bursty"]


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
@pytest.mark.parametrize("n_threads", [1, pytest.param(2, marks=two_threads)])
def test_a_forked_child_gives_the_same_bytes(first, n_threads):
    """On two threads, too, which are its parent's: it has lost them, and asking for them would end it."""
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, str(TESTS / "helpers" / "digest.py"), "tntm", str(n_threads), "fork"]
    out = subprocess.run(command, env=env, check=True, capture_output=True, text=True, timeout=300).stdout
    assert out.split() == [first["tntm"], first["tntm"]]


def test_a_default_fit_uses_no_more_threads_than_numba_allows(monkeypatch):
    """With NUMBA_NUM_THREADS below the number of cores, nobody has to pass threads= as well."""
    monkeypatch.setattr("pitmanyor.sampling.sweeps.cores", lambda: 8)
    monkeypatch.setattr(numba.config, "NUMBA_NUM_THREADS", 3)
    plan = SimpleNamespace(n_tokens=10**6)
    assert default_threads(plan.n_tokens) == 3 and default_threads(plan.n_tokens, beside=2) == 1
    assert threads_of(Way("gibbs", None, 0, None), plan) == 3
