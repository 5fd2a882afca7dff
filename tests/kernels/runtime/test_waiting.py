"""Threads of OpenMP that have nothing to do sleep, unless the user has said how they are to wait."""

import os
import subprocess
import sys

import pytest

from pitmanyor.kernels.runtime import threads

LOAD = "import os, pitmanyor.kernels; print(sorted(set(os.environ) & set({names!r})))"


def load_kernels(**said: str) -> tuple[str, str]:
    """What a process of its own says that loads the kernels: its environment afterwards, and OpenMP's own account."""
    env = {name: value for name, value in os.environ.items() if name not in threads.HOW_TO_WAIT}
    done = subprocess.run(
        [sys.executable, "-c", LOAD.format(names=threads.HOW_TO_WAIT)],
        capture_output=True,
        text=True,
        env={**env, "OMP_DISPLAY_ENV": "verbose", **said},
    )
    assert done.returncode == 0, done.stderr
    if "OMP_WAIT_POLICY" not in done.stderr:
        pytest.skip("Numba has no OpenMP on this system")
    return done.stdout.strip(), done.stderr


def sleeps(said):
    """Libgomp calls its policy passive even where nobody has set it; what tells is how often it spins."""
    return "GOMP_SPINCOUNT = '0'" in said if "GOMP_SPINCOUNT" in said else "OMP_WAIT_POLICY = 'PASSIVE'" in said


def test_openmp_is_loaded_such_that_idle_threads_sleep():
    environment, said = load_kernels()
    assert sleeps(said)
    assert environment == "[]"  # processes that are started later, and other libraries, decide for themselves


def test_also_if_the_user_chooses_the_pool():
    assert sleeps(load_kernels(NUMBA_THREADING_LAYER="omp")[1])


@pytest.mark.parametrize(
    "name, value, expected",
    [
        ("OMP_WAIT_POLICY", "active", "OMP_WAIT_POLICY = 'ACTIVE'"),
        ("GOMP_SPINCOUNT", "123", "GOMP_SPINCOUNT = '123'"),
    ],
)
def test_users_may_have_them_spin(name, value, expected):
    environment, said = load_kernels(**{name: value})
    assert expected in said
    assert environment == f"['{name}']"


def test_a_setting_of_the_user_is_left_as_it_is(monkeypatch):
    for name in threads.HOW_TO_WAIT:
        monkeypatch.delenv(name, raising=False)
    with threads.waiting_asleep():
        assert os.environ["OMP_WAIT_POLICY"] == "passive"
    assert "OMP_WAIT_POLICY" not in os.environ
    monkeypatch.setenv("KMP_BLOCKTIME", "200")
    with threads.waiting_asleep():
        assert "OMP_WAIT_POLICY" not in os.environ
    assert os.environ["KMP_BLOCKTIME"] == "200"
