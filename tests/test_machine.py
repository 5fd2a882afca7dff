"""Every branch for another system, tried on this one: what it lacks is taken away, what it has instead is put there."""

import ctypes
import errno
import os
import signal
import subprocess
import sys
import types

import pytest

from pitmanyor import FileError, machine
from pitmanyor.runs.lock import LOCK, hold

# A fit on two threads that is saved, loaded and continued by chains in processes of their own, without what other
# systems do not have. Its digest must be that of this system.
ELSEWHERE = """
import concurrent.futures, ctypes, multiprocessing, os, random, subprocess, sys, tempfile  # Python knows its own system
lacking = sys.argv[2].split(",")
class Without:
    def __init__(self, finder):
        self.finder = finder
    def __getattr__(self, name):
        return getattr(self.finder, name)
    def find_spec(self, name, path=None, target=None):
        return None if name in lacking else self.finder.find_spec(name, path, target)
sys.meta_path[:] = map(Without, sys.meta_path)
for name in lacking:
    sys.modules.pop(name, None)
    if name.startswith("os."):
        delattr(os, name[3:])
if "fcntl" in lacking:
    import types
    fake = types.ModuleType("msvcrt")
    fake.LK_NBLCK = 2
    fake.locking = lambda descriptor, mode, n: None
    sys.modules["msvcrt"] = fake
import numpy as np
from hashlib import sha256
from pitmanyor import fit, load, models, simulate
corpus = simulate(models.hpyp(), documents=60, tokens=20, vocabulary=30, seed=1).corpus
one = fit(models.lda(4), corpus, sweeps=6, seed=1, threads=2, save_to=sys.argv[1])
again = load(sys.argv[1])
shares = again.infer(corpus).shares
print(sha256(one.state.text.topic.tobytes() + np.ascontiguousarray(shares).tobytes()).hexdigest())
import numba
print(numba.threading_layer())
"""


def digest(home, lacking):
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    env.pop("NUMBA_THREADING_LAYER", None)
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, str(home), lacking], capture_output=True, text=True, env=env
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_a_fit_without_what_other_systems_lack_is_the_same_fit(tmp_path):
    """No fcntl (Windows), no affinity (Windows, macOS), no fork, no OpenMP (a Numba wheel may come without)."""
    here = digest(tmp_path / "here", "")
    lacking = "fcntl,os.sched_getaffinity,os.fork,os.register_at_fork,os.pread,os.pwrite,numba.np.ufunc.omppool"
    there = digest(tmp_path / "there", lacking)
    assert here[0] == there[0] and there[1] == "workqueue" != here[1]


def test_cores_without_affinity(monkeypatch):
    assert machine.cores() == len(os.sched_getaffinity(0))
    monkeypatch.delattr(os, "sched_getaffinity")
    assert machine.cores() == os.cpu_count()
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert machine.cores() == 1


def test_memory_where_the_system_tells_half_of_it_or_nothing(monkeypatch):
    assert 0 < machine.free_memory() < machine.total_memory()
    known = os.sysconf

    def as_on_macos(name):
        if name == "SC_AVPHYS_PAGES":
            raise ValueError("unrecognized configuration name")
        return known(name)

    monkeypatch.setattr(os, "sysconf", as_on_macos)
    assert machine.total_memory() > 0 and machine.free_memory() is None
    monkeypatch.delattr(os, "sysconf")
    assert machine.total_memory() is None and machine.free_memory() is None

    def fill(pointer):
        pointer._obj.total, pointer._obj.free = 16 << 30, 5 << 30
        return 1

    kernel = types.SimpleNamespace(GlobalMemoryStatusEx=fill)
    monkeypatch.setattr(ctypes, "windll", types.SimpleNamespace(kernel32=kernel), raising=False)
    assert (machine.total_memory(), machine.free_memory()) == (16 << 30, 5 << 30)


class Msvcrt:
    """Windows' locks: of bytes, not to be had twice, and not where the number of the holder is to be read."""

    LK_NBLCK = 2

    def __init__(self):
        self.held = set()

    def locking(self, descriptor, mode, n_bytes):
        place = os.fstat(descriptor).st_ino, os.lseek(descriptor, 0, os.SEEK_CUR)
        assert mode == self.LK_NBLCK and n_bytes == 1 and place[1] >= 1 << 30
        if place in self.held:
            raise OSError(errno.EACCES, "Permission denied")
        self.held.add(place)


def test_locks_of_windows(monkeypatch, tmp_path):
    msvcrt = Msvcrt()
    monkeypatch.setattr(machine, "_module", {"msvcrt": msvcrt}.get)
    with hold(tmp_path):
        assert (tmp_path / LOCK).read_text() == str(os.getpid())
        with pytest.raises(FileError, match=f"process {os.getpid()} is writing this run"), hold(tmp_path):
            pass


def test_a_system_without_locks_is_said(monkeypatch, tmp_path):
    monkeypatch.setattr(machine, "_module", lambda name: None)
    with pytest.raises(FileError, match="this file system has no locks .*neither fcntl nor msvcrt"), hold(tmp_path):
        pass


def test_an_empty_directory_gives_way_on_windows(monkeypatch, tmp_path):
    rename, (made, target) = os.rename, (tmp_path / "made", tmp_path / "target")

    def refuse(source, place):
        if place.exists():
            raise FileExistsError(errno.EEXIST, "Cannot create a file when that file already exists")
        rename(source, place)

    monkeypatch.setattr(os, "rename", refuse)
    monkeypatch.setattr(sys, "platform", "win32")
    made.mkdir()
    target.mkdir()
    machine.move_directory(made, target)
    assert target.is_dir() and not made.exists()


def test_how_processes_are_started_and_how_they_ended(monkeypatch):
    assert machine.apart() == {"start_new_session": True}
    assert machine.was_asked_to_end(-signal.SIGTERM) and machine.was_killed(-signal.SIGKILL)
    assert not machine.was_asked_to_end(3) and not machine.was_killed(1)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.delattr(signal, "SIGKILL")
    assert machine.apart() == {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0x200)}
    assert machine.was_asked_to_end(3) and not machine.was_killed(-9)


def test_no_other_module_asks_what_system_this_is():
    """But for the kernels, which import nothing of the package: they do without a lock where there is no fcntl."""
    home = machine.__file__.removesuffix("machine.py")
    marks = ("fcntl", "msvcrt", "sched_getaffinity", "sys.platform", "os.name", "SIGKILL", "os.fork", "os.pread")
    found = subprocess.run(
        ["grep", "-rlE", "|".join(marks).replace(".", r"\."), "--include=*.py", home], capture_output=True, text=True
    ).stdout.split()
    assert {path.removeprefix(home) for path in found} <= {"machine.py", "kernels/runtime/linking.py"}
