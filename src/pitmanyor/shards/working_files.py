"""Working files: arrays in the format of NumPy, one after the other.

A file is written under a temporary name of its own and renamed, so that readers find the whole file or none, even if
the process that wrote it was killed. There are no checksums and no fsync: what must survive a crash of the machine is a
checkpoint.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.errors import FileError

Array = NDArray[Any]
NAMES, SAID = "names", "said"


def write_parts(path: Path, arrays: Sequence[Array]) -> None:
    """Write arrays to a file, which is replaced as a whole if it exists."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.part")
    try:
        with open(temporary, "xb") as file:
            for array in arrays:
                np.save(file, array, allow_pickle=False)
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise FileError(f"{path}: not written ({error.strerror or error}); make room for the shards") from error


def read_parts(path: Path, n: int | None = None) -> list[Array]:
    """The first n arrays that `write_parts` wrote, or all of them."""
    found: list[Array] = []
    try:
        with open(path, "rb") as file:
            end = os.fstat(file.fileno()).st_size
            while len(found) < n if n is not None else file.tell() < end:
                found.append(np.load(file, allow_pickle=False))
    except (OSError, ValueError, EOFError) as error:
        raise unreadable(path, error) from error
    return found


def write_named(path: Path, said: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
    """Write arrays with their names, and values that JSON can hold."""
    text = json.dumps({NAMES: list(arrays), SAID: said}).encode()
    write_parts(path, [np.frombuffer(text, np.uint8), *arrays.values()])


def read_named(path: Path) -> tuple[dict[str, Any], dict[str, Array]]:
    """What `write_named` wrote."""
    parts = read_parts(path)
    try:
        head = json.loads(parts[0].tobytes())
        return head[SAID], dict(zip(head[NAMES], parts[1:], strict=True))
    except (ValueError, LookupError, TypeError) as error:
        raise unreadable(path, error) from error


def unreadable(path: Path, error: Exception) -> FileError:
    return FileError(f"{path}: a working file cannot be read ({error}); it was cut or removed during the fit")
