"""Text files of any encoding, compressed or not: which one it is, and lines out of it."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from pitmanyor.errors import CorpusError

BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is its beginning
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
FALLBACKS = ("cp1252", "latin-1")
BLOCK = 1 << 20
LONGEST_LINE = 1 << 26  # characters


def open_bytes(path: Path) -> BinaryIO:
    """The bytes of a file, unpacked if its first two say gzip."""
    try:
        file = open(path, "rb")  # noqa: SIM115 - the caller closes it
    except OSError as error:
        raise CorpusError(f"{path}: cannot be opened ({error.strerror or error}); check the name") from error
    start = file.read(2)
    file.seek(0)
    return cast(BinaryIO, gzip.GzipFile(fileobj=file)) if start == b"\x1f\x8b" else file


def open_text(path: Path, encoding: str) -> TextIO:
    """The text of a file with line breaks as they are, for csv wants to see them."""
    return io.TextIOWrapper(open_bytes(path), encoding=encoding, newline="")


def find_encoding(path: Path, given: str | None, longest: int = LONGEST_LINE) -> tuple[str, list[str]]:
    """The encoding of a file, and sentences about it. The whole file is tried, so that reading cannot fail half-way.

    A line of more than `longest` characters is refused, because lines are held in memory: gzip packs gigabytes of one
    character into a few megabytes.
    """
    if given is not None:
        if wrong := _first_error(path, given, longest):
            raise CorpusError(f"{path}, {wrong}: not {given}; leave encoding= out to have it found, or name another")
        return given, []
    with open_bytes(path) as file:
        start = _read(path, file, 4096)
    if not start:
        raise CorpusError(f"{path}: the file is empty; give a file with at least one post")
    encoding = next((name for mark, name in BOMS if start.startswith(mark)), None) or _without_bom(start)
    wrong = _first_error(path, encoding, longest)
    if wrong is None:
        return encoding, []
    if encoding != "utf-8" or b"\0" in start:
        raise CorpusError(f"{path}, {wrong}: neither text in UTF-8 nor in {encoding}; name the encoding= or the format")
    fallback = next(name for name in FALLBACKS if name == FALLBACKS[-1] or _first_error(path, name, longest) is None)
    called = {"cp1252": "Windows Latin-1 (cp1252)", "latin-1": "Latin-1"}[fallback]
    return fallback, [f"{path}, {wrong}: not UTF-8, so read as {called}; if letters look wrong, pass encoding="]


def _without_bom(start: bytes) -> str:
    """UTF-16 has a zero in every other byte of Latin text; UTF-8 has none."""
    even, odd = start[::2].count(0), start[1::2].count(0)
    if odd > len(start) // 5 and even == 0:
        return "utf-16-le"
    if even > len(start) // 5 and odd == 0:
        return "utf-16-be"
    return "utf-8"


def _first_error(path: Path, encoding: str, longest: int) -> str | None:
    """Where the first wrong byte is, in words; None if the file is fine."""
    decoder = codecs.getincrementaldecoder(encoding)()
    line, length = 1, 0
    with open_bytes(path) as file:
        while True:
            block = _read(path, file, BLOCK)
            try:
                text = decoder.decode(block, final=not block)
            except UnicodeError as error:
                if not isinstance(error, UnicodeDecodeError):
                    return f"line {line}"
                line += error.object[: error.start].count(b"\n")
                return f"line {line}: byte 0x{error.object[error.start]:02x}"
            _, found, last = text.rpartition("\n")
            line, length = line + text.count("\n"), len(last) + (0 if found else length)
            if length > longest:
                raise CorpusError(
                    f"{path}, line {line}: more than {longest:,} characters in one line; the file is damaged, or is no "
                    "table of posts"
                )
            if not block:
                return None


def _read(path: Path, file: BinaryIO, size: int) -> bytes:
    try:
        return file.read(size)
    except (OSError, EOFError, zlib.error) as error:
        raise CorpusError(f"{path}: cannot be unpacked or read ({error}); the file is cut or damaged") from error
