"""Numbers that grow, in memory or in a file: the tokens of a source that is larger than memory."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from pitmanyor.errors import FileError

Ints = NDArray[np.int32]


@contextmanager
def spooling(save_to: str | os.PathLike[str] | None) -> Iterator[Path | None]:
    """A temporary directory next to a file that is about to be written; None if there is no such file."""
    if save_to is None:
        yield None
        return
    beside = Path(os.path.abspath(save_to)).parent
    if not beside.is_dir():
        raise FileError(f"{beside}: there is no such directory; create it first")
    with TemporaryDirectory(prefix=".spool-", dir=beside, ignore_cleanup_errors=True) as home:
        yield Path(home)


class Spool:
    """Numbers one after the other. With a directory they are written to a file there, which is mapped in the end.

    >>> spool = Spool(None)
    >>> spool.add(np.array([1, 2], np.int32)); spool.add(np.array([3], np.int32))
    >>> spool.array()
    array([1, 2, 3], dtype=int32)
    """

    def __init__(self, home: Path | None) -> None:
        self._parts: list[Ints] = []
        self._path = None if home is None else home / f"spool-{secrets.token_hex(8)}"
        self._file = None if self._path is None else self._path.open("xb")
        self._size = 0

    def add(self, numbers: Ints) -> None:
        if self._file is None:
            self._parts.append(numbers)
        else:
            self._file.write(np.ascontiguousarray(numbers, np.int32).data)
            self._size += len(numbers)

    def array(self) -> Ints:
        """All numbers; there will be no more. The pieces are let go, so that they are not in memory twice for long."""
        if self._file is None:
            parts = self._parts
            out = parts[0] if len(parts) == 1 else np.concatenate(parts) if parts else np.empty(0, np.int32)
            self._parts = []
            return out
        self._file.close()
        if not self._size:
            return np.empty(0, np.int32)
        assert self._path is not None
        return np.memmap(self._path, np.int32, "r")
