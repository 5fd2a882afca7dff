"""Files of arrays: safetensors with a JSON header and a checksum; a crash leaves the old file or the new one.

The layout is that of safetensors: eight bytes with the length of a JSON text, the text, and the arrays one after the
other. Our header and a BLAKE2 checksum live in its `__metadata__`. The checksum is over every byte of the file (with
its own digits as zeros) and is compared before anything is parsed, so a changed file is never read by half.
"""

from __future__ import annotations

import json
import mmap
import os
import re
import secrets
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import blake2b
from io import BufferedReader
from math import prod
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pitmanyor.errors import FileError

FORMAT = "pitmanyor-arrays-1"
TYPES = {
    "BOOL": "?", "U8": "u1", "I8": "i1", "U16": "<u2", "I16": "<i2", "U32": "<u4", "I32": "<i4", "U64": "<u8",
    "I64": "<i8", "F16": "<f2", "F32": "<f4", "F64": "<f8",
}  # fmt: skip
NAMES = {np.dtype(code): name for name, code in TYPES.items()}
MAX_HEADER = 32 << 20  # bytes; strings by the million belong in arrays
BLOCK = 1 << 20
LARGEST = 1 << 48  # numbers of an array, if those of its axes that have none are left out
DIGITS = 64
UNSIGNED = b"0" * DIGITS
CHECKSUM = re.compile(rb'"checksum":"([0-9a-f]{%d})"' % DIGITS)

Array = NDArray[Any]


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write that takes the place of `path` at the end, all at once; on any error `path` stays as it was."""
    path = Path(path)
    target = Path(os.path.realpath(path.parent), path.name)  # a link is replaced, never what it points to
    temporary = target.with_name(f".{target.name}.{os.getpid()}-{secrets.token_hex(4)}.part")
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
        _sync_directory(target.parent)
    except OSError as error:
        raise _unwritten(target, error) from error
    finally:
        with suppress(OSError):
            temporary.unlink()


def made_directory(path: str | os.PathLike[str]) -> Path:
    """The directory, created if it does not exist."""
    home = Path(path)
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{home}: not a directory that can be written to ({error.strerror or error})") from error
    return home


def write_arrays(path: str | os.PathLike[str], header: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
    """Write `header` (anything JSON can say, NaN excepted) and numeric or boolean arrays, atomically."""
    stored = {name: _storable(path, name, array) for name, array in arrays.items()}
    head = _head(path, header, stored)
    digest = blake2b(head, digest_size=DIGITS // 2)
    for array in stored.values():
        digest.update(_bytes(array))
    head = head.replace(b'"checksum":"' + UNSIGNED, b'"checksum":"' + digest.hexdigest().encode(), 1)
    with atomic_write(path) as file:
        file.write(head)
        for array in stored.values():
            file.write(_bytes(array))


def read_arrays(path: str | os.PathLike[str], *, mapped: bool = False) -> tuple[dict[str, Any], dict[str, Array]]:
    """Header and arrays of a file that `write_arrays` made; a FileError if one byte of it is not as written.

    Arrays that are `mapped` stay in the file, and are read as they are used; see `release`.
    """
    try:
        with open_regular(path) as file:
            return _read(path, file, mapped)
    except FileError:
        raise
    except FileNotFoundError as error:
        raise FileError(f"{path}: there is no such file") from error
    except OSError as error:
        raise FileError(f"{path}: cannot be read ({error.strerror or error})") from error


def open_regular(path: str | os.PathLike[str]) -> BufferedReader:
    """A file to read; a FileError at once if it is a pipe or a device, which could be waited for without end."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise FileError(f"{path}: cannot be read (it is not a file); put back the one that was written")
    return os.fdopen(descriptor, "rb")


def file_checksum(path: str | os.PathLike[str]) -> str:
    """A checksum of the bytes of a file; an empty string if it cannot be read."""
    digest = blake2b(digest_size=16)
    try:
        with open_regular(path) as file:
            while block := file.read(BLOCK):
                digest.update(block)
    except (OSError, ValueError):
        return ""
    return digest.hexdigest()


class _Entry(NamedTuple):
    """Where an array lies in the file."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    start: int
    end: int


def release(array: Array) -> None:
    """Let go of the memory that the parts of a mapped array take which have been read; others have nothing to let go.

    >>> release(np.zeros(3))
    """
    base: Any = array
    while base is not None and not isinstance(base, mmap.mmap):
        base = getattr(base, "base", None)
    if base is not None and hasattr(mmap, "MADV_DONTNEED"):  # not on Windows
        base.madvise(mmap.MADV_DONTNEED)


def _map(path: str | os.PathLike[str], start: int, entry: _Entry) -> Array:
    """An array in a file. One without numbers cannot be mapped, and need not."""
    if not prod(entry.shape):
        return np.zeros(entry.shape, entry.dtype)
    return np.memmap(path, entry.dtype, "r", start + entry.start, entry.shape)


def _read(path: str | os.PathLike[str], file: BufferedReader, mapped: bool) -> tuple[dict[str, Any], dict[str, Array]]:
    size = os.fstat(file.fileno()).st_size
    prefix = file.read(8)
    length = int.from_bytes(prefix, "little")
    if len(prefix) < 8 or not 2 <= length <= min(size - 8, MAX_HEADER):
        raise FileError(f"{path}: not a file of arrays written by pitmanyor, or cut short")
    text = file.read(length)
    _compare_checksum(path, file, prefix, text)
    try:
        table = json.loads(text)
        metadata = table.pop("__metadata__")
        kind, header = metadata["format"], json.loads(metadata["header"])
        entries = {name: _entry(entry) for name, entry in table.items()}
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise FileError(f"{path}: its header makes no sense ({error!r}); the file was not made by pitmanyor") from error
    if kind != FORMAT or not isinstance(header, dict):
        raise FileError(f"{path}: has format {kind!r} and this version reads {FORMAT!r}; use the one that wrote it")
    base = 8 + length
    ends = [0, *(entry.end for entry in sorted(entries.values(), key=lambda entry: (entry.start, entry.end)))]
    if ends[-1] != size - base or ends[:-1] != sorted(entry.start for entry in entries.values()):
        raise FileError(f"{path}: its arrays do not fill the file; it was not made by pitmanyor")
    arrays = {}
    if mapped:
        return header, {name: _map(path, base, entry) for name, entry in entries.items()}
    for name, entry in entries.items():
        array = np.empty(entry.shape, entry.dtype)
        file.seek(base + entry.start)
        if file.readinto(_bytes(array)) != array.nbytes:
            raise FileError(f"{path}: ends inside the array {name!r}; it changed while it was read")
        arrays[name] = array
    return header, arrays


def _compare_checksum(path: str | os.PathLike[str], file: BinaryIO, prefix: bytes, text: bytes) -> None:
    found = CHECKSUM.search(text)
    if found is None:
        raise FileError(f"{path}: holds no checksum: not a file of arrays written by pitmanyor, or changed")
    digest = blake2b(prefix, digest_size=DIGITS // 2)
    digest.update(text[: found.start(1)] + UNSIGNED + text[found.end(1) :])
    while block := file.read(BLOCK):
        digest.update(block)
    if digest.hexdigest().encode() != found[1]:
        raise FileError(f"{path}: its checksum does not match: the file is cut or changed; take an older copy")


def _entry(entry: Any) -> _Entry:
    dtype = np.dtype(TYPES[entry["dtype"]])
    shape, (start, end) = tuple(entry["shape"]), entry["data_offsets"]
    if not all(type(n) is int and 0 <= n < 1 << 62 for n in (*shape, start, end)) or len(shape) > 32:
        raise ValueError("a size that is no size")
    if prod(shape) * dtype.itemsize != end - start or prod(n or 1 for n in shape) >= LARGEST:
        raise ValueError("an array whose shape does not fit its bytes")
    return _Entry(dtype, shape, start, end)


def _head(path: str | os.PathLike[str], header: Mapping[str, Any], arrays: Mapping[str, Array]) -> bytes:
    said = json.dumps(header, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    table: dict[str, Any] = {"__metadata__": {"checksum": UNSIGNED.decode(), "format": FORMAT, "header": said}}
    start = 0
    for name, array in arrays.items():
        offsets = [start, start + array.nbytes]
        table[name] = {"dtype": NAMES[array.dtype], "shape": list(array.shape), "data_offsets": offsets}
        start += array.nbytes
    # A lone surrogate, as in names of files that are not UTF-8, becomes its escape in JSON.
    text = json.dumps(table, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")
    text += b" " * (-len(text) % 8)
    if len(text) > MAX_HEADER:
        raise FileError(f"{path}: a header of {len(text):,} bytes is too long; put long lists into arrays")
    return len(text).to_bytes(8, "little") + text


def _storable(path: str | os.PathLike[str], name: str, array: Array) -> Array:
    dtype = array.dtype.newbyteorder("<")
    if dtype not in NAMES or name == "__metadata__":
        raise FileError(f"{path}: an array {name!r} of type {array.dtype} cannot be stored; use one of {[*TYPES]}")
    return np.asarray(array, dtype=dtype, order="C")


def _bytes(array: Array) -> Any:
    return array.reshape(-1).view(np.uint8).data


def _unwritten(target: Path, error: OSError) -> FileError:
    if isinstance(error, FileError):
        return error
    return FileError(f"{target}: not written ({error.strerror or error}); what was there before is untouched")


def _sync_directory(directory: Path) -> None:
    """Make the rename itself last; some systems cannot open directories, and need not."""
    with suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
