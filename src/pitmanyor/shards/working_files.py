"""Working files: arrays one after the other, in the form of NumPy's.

They are replaced as a whole, and neither checked nor forced to the disk: what must survive a crash is a checkpoint.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.errors import FileError

Array = NDArray[Any]
NAMES, SAID = "names", "said"


def write_parts(path: Path, arrays: Sequence[Array]) -> None:
    """Arrays one after the other, in place of what was there, all at once."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(temporary, "wb") as file:
            for array in arrays:
                np.save(file, array, allow_pickle=False)
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise FileError(f"{path}: not written ({error.strerror or error}); make room for the shards") from error


def read_parts(path: Path, n: int | None = None) -> list[Array]:
    """What `write_parts` wrote: the first n arrays, or all of them."""
    found: list[Array] = []
    try:
        with open(path, "rb") as file:
            end = os.fstat(file.fileno()).st_size
            while len(found) < n if n is not None else file.tell() < end:
                found.append(np.load(file, allow_pickle=False))
    except (OSError, ValueError, EOFError) as error:
        raise FileError(f"{path}: a shard cannot be read ({error}); it was cut or removed during the fit") from error
    return found


def write_named(path: Path, said: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
    """Arrays with names, and what JSON can say beside them."""
    text = json.dumps({NAMES: list(arrays), SAID: said}).encode()
    write_parts(path, [np.frombuffer(text, np.uint8), *arrays.values()])


def read_named(path: Path) -> tuple[dict[str, Any], dict[str, Array]]:
    """What `write_named` wrote."""
    text, *arrays = read_parts(path)
    head = json.loads(text.tobytes())
    return head[SAID], dict(zip(head[NAMES], arrays, strict=True))
