"""What differs between Linux, macOS and Windows: cores, memory, locks on files, signals between processes.

Everything else asks here, and nothing here is asked for at import, so that every branch can be tried on one system.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

LOCKED_BYTE = 1 << 30  # on Windows a locked byte cannot be read, so one is locked that no file has
EXIT_OF_ABORT = 3  # with which a process on Windows ends that raises SIGTERM itself


def cores() -> int:
    """Cores that this process may use: by its affinity where the system tells it, otherwise all of them."""
    affinity: Callable[[int], set[int]] | None = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def total_memory() -> int | None:
    """Bytes of memory; None if the system does not tell."""
    if hasattr(os, "sysconf"):
        return _pages("SC_PHYS_PAGES")
    status = _windows_memory()
    return None if status is None else status[0]


def free_memory() -> int | None:
    """Bytes of memory that are free; None if the system does not tell."""
    if hasattr(os, "sysconf"):
        return _pages("SC_AVPHYS_PAGES")  # which macOS does not know
    status = _windows_memory()
    return None if status is None else status[1]


def address_space() -> int | None:
    """Bytes of addresses that `ulimit -v` allows this process; None if there is no such limit."""
    resource = _module("resource")
    if resource is None or not hasattr(resource, "RLIMIT_AS"):
        return None
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else int(limit)


def _pages(name: str) -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf(name)
    except (ValueError, OSError):
        return None


def _windows_memory() -> tuple[int, int] | None:
    """All bytes and free ones, as GlobalMemoryStatusEx tells."""
    import ctypes

    class Status(ctypes.Structure):
        _fields_ = [
            ("length", ctypes.c_uint32),
            ("load", ctypes.c_uint32),
            *(
                (name, ctypes.c_uint64)
                for name in ("total", "free", "page", "page_free", "virtual", "virtual_free", "x")
            ),
        ]

    status = Status(length=ctypes.sizeof(Status))
    kernel: Any = getattr(getattr(ctypes, "windll", None), "kernel32", None)
    if kernel is None or not kernel.GlobalMemoryStatusEx(ctypes.byref(status)):
        return None
    return int(status.total), int(status.free)


def try_lock(descriptor: int) -> bool:
    """Lock an open file for this process, until it is closed or the process ends; False if another one holds it.

    An OSError if this file system has no locks.
    """
    fcntl = _module("fcntl")
    if fcntl is not None:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
    msvcrt = _module("msvcrt")
    if msvcrt is None:
        raise OSError(errno.ENOLCK, "this system has neither fcntl nor msvcrt")
    os.lseek(descriptor, LOCKED_BYTE, os.SEEK_SET)
    try:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EDEADLK, errno.EAGAIN):
            return False
        raise
    return True


def _module(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        return None


def read_start(descriptor: int, n_bytes: int) -> bytes:
    """The beginning of an open file."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    return os.read(descriptor, n_bytes)


def write_whole(descriptor: int, content: bytes) -> None:
    """Make this the content of an open file."""
    os.ftruncate(descriptor, 0)
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.write(descriptor, content)


def move_directory(source: Path, target: Path) -> None:
    """Rename a directory; an empty one may be in its place, which Windows would refuse."""
    if sys.platform == "win32" and target.is_dir():
        target.rmdir()
    os.rename(source, target)


def process_tag() -> str:
    """A part of a directory's name that says which process uses it."""
    return f"{_host()}-{os.getpid()}-"


def _host() -> str:
    return re.sub(r"\W", "_", socket.gethostname())


def remove_abandoned(near: Path, prefix: str) -> None:
    """Remove directories named by `prefix` and `process_tag` whose process, of this machine, is gone."""
    tagged = re.compile(re.escape(f"{prefix}{_host()}-") + r"(\d+)-")
    with suppress(OSError):
        for entry in list(os.scandir(near)):
            found = tagged.match(entry.name)
            if found and entry.is_dir(follow_symlinks=False) and not _is_running(int(found[1])):
                shutil.rmtree(entry.path, ignore_errors=True)


def _is_running(process: int) -> bool:
    if sys.platform == "win32":  # where signal 0 would end it
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def apart() -> dict[str, Any]:
    """Options of Popen for a child that Ctrl-C at the terminal does not reach."""
    if sys.platform == "win32":
        return {"creationflags": 0x00000200}  # CREATE_NEW_PROCESS_GROUP
    return {"start_new_session": True}


@contextmanager
def safe_children() -> Iterator[None]:
    """Python processes that are started meanwhile do not look for modules in the current directory."""
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before


def was_asked_to_end(code: int | None) -> bool:
    """Whether a process that ended with this code had raised SIGTERM in itself."""
    return code == (EXIT_OF_ABORT if sys.platform == "win32" else -signal.SIGTERM)


def was_killed(code: int | None) -> bool:
    """Whether a process was killed, as systems do that run out of memory; Windows does not tell."""
    kill = getattr(signal, "SIGKILL", None)
    return kill is not None and code == -kill
