"""One writer at a time: a lock on a run's directory that dies with its process, however that ends."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pitmanyor import machine
from pitmanyor.errors import FileError
from pitmanyor.machine import remove_abandoned
from pitmanyor.runs.directory import Place

LOCK = "lock"
UNFOLLOWED = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # no link is followed, no pipe waited for


@contextmanager
def hold(path: Place) -> Iterator[None]:
    """Hold a run while it is written; a FileError if another process (or thread) does.

    The system keeps the lock and lets it go when the process ends, by kill -9 too. The file stays, empty but for the
    number of its last holder, and means nothing by itself.
    """
    place = Path(path) / LOCK
    try:
        descriptor = os.open(place, os.O_RDWR | os.O_CREAT | UNFOLLOWED, 0o666)
    except OSError as error:
        raise FileError(f"{path}: the run cannot be written there ({error.strerror or error})") from error
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
            raise FileError(f"{place}: is not a regular file of this run; remove it")
        _take(path, descriptor)
        _sweep_up(Path(path))
        yield
    finally:
        os.close(descriptor)


def _take(path: Place, descriptor: int) -> None:
    try:
        taken = machine.try_lock(descriptor)
    except OSError as error:
        raise FileError(
            f"{path}: this file system has no locks ({error.strerror or error}); use a local one"
        ) from error
    if not taken:
        holder = machine.read_start(descriptor, 20).decode("ascii", "replace").strip() or "unknown"
        raise FileError(
            f"{path}: process {holder} is writing this run; wait until it ends, stop it (Ctrl-C or kill: it saves "
            "itself first), or work on a copy of the directory"
        )
    machine.write_whole(descriptor, str(os.getpid()).encode())


def _sweep_up(home: Path) -> None:
    """Remove what a killed writer left behind: there is no other writer now."""
    for left in home.glob(".*.part"):
        with suppress(OSError):
            left.unlink()
    remove_abandoned(home.absolute().parent, f".{home.absolute().name}.")
