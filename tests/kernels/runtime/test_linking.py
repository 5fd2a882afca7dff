"""Inner functions get no machine code of their own, and results do not depend on it."""

from types import SimpleNamespace

import numba
import numpy as np
import pytest
from numba import njit

from pitmanyor.kernels.runtime import linking
from pitmanyor.kernels.runtime.linking import Linked, compile_linked

BARE = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "_nrt": False}


def pair():
    """A kernel and the inner function that it calls, compiled for the first time."""

    @njit(**BARE)
    def inner(x):
        return 3.0 * x + 1.0

    @njit
    def outer(x):
        return inner(x) - inner(2.0 * x)

    return compile_linked(outer), inner


def library_of(dispatcher):
    (compiled,) = dispatcher.overloads.values()
    return compiled.library


def test_only_the_kernel_becomes_machine_code():
    outer, inner = pair()
    assert outer(2.0) == -6.0
    assert isinstance(library_of(outer), Linked) and library_of(outer).is_emitted
    assert isinstance(library_of(inner), Linked) and not library_of(inner).is_emitted


def test_numba_s_own_way_gives_the_same(monkeypatch):
    monkeypatch.setattr(linking, "CAN_LINK", False)
    outer, inner = pair()
    assert outer(2.0) == -6.0
    assert not isinstance(library_of(inner), Linked)


def test_what_others_compile_is_left_alone():
    pair()[0](2.0)

    @njit
    def stranger(x):
        return x + 1

    assert stranger(1) == 2
    assert not isinstance(library_of(stranger), Linked)


def cached_in(place):
    """All that a lock asks of a kernel."""
    return SimpleNamespace(_cache=SimpleNamespace(cache_path=str(place)), py_func=pair)


def test_one_process_at_a_time_compiles_a_kernel(tmp_path):
    fcntl = pytest.importorskip("fcntl")

    def is_free(place):
        with place.open("a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            return True

    with linking.alone(cached_in(tmp_path / "cache")):
        (place,) = (tmp_path / "cache").iterdir()
        assert place.name.endswith("test_linking.pair.lock") and not is_free(place)
    assert is_free(place)


def test_nobody_waits_where_there_is_no_place_for_a_lock(tmp_path):
    (tmp_path / "file").write_text("")
    for place in ("", tmp_path / "file" / "cache"):
        with linking.alone(cached_in(place)):
            pass
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_linking_is_on_with_this_numba():
    assert linking.CAN_LINK


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_the_body_of_a_parallel_loop_becomes_machine_code_within_its_kernel_alone(monkeypatch):
    emitted, emit = [], Linked._emit
    monkeypatch.setattr(Linked, "_emit", lambda self: (emitted.append(self.name), emit(self)))

    @njit(parallel=True)
    def fill(out):
        for i in numba.prange(len(out)):
            out[i] = 2.0 * i

    out = np.empty(5)
    compile_linked(fill)(out)
    assert list(out) == [0.0, 2.0, 4.0, 6.0, 8.0]
    assert len(emitted) == 1 and "fill" in emitted[0]
