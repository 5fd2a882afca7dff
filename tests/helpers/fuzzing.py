"""A fuzzer that is guided by coverage: inputs that reach a new pair of lines are kept, and changed in their turn."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

PIECES = (
    b"", b"\0", b"\n", b"\r", b'"', b"'", b",", b"\t", b";", b"{", b"}", b"[", b"]", b"<", b">", b":", b"\\", b"&",
    b"&#0;", b"]]>", b"<!--", b"<!DOCTYPE a [", b"PAR1", b"\\u0000", b"\\ud800", b"\xff", b"\xfe", b"\xef\xbb\xbf",
    b"\xed\xa0\x80", b"null", b"NaN", b"1e999", b"-1", b"18446744073709551616", b"true", b"=1+1", b"#tag", b"@name",
    b"http://a", b"2026-01-01T00:00:00+14:00", b"9999999-01-01",
)  # fmt: skip
LONGEST = 4_096  # bytes of an input


class Fuzzer:
    """Inputs of one reader. `run` raises what should not be raised; `watched` begins the names of watched files."""

    def __init__(self, seeds: Sequence[bytes], run: Callable[[bytes], object], watched: str, seed: int = 1) -> None:
        self.kept, self.run, self.watched = list(seeds), run, watched
        self.rng, self.seen = random.Random(seed), set[tuple[str, int, int]]()
        for content in seeds:
            self.reaches(content)

    def step(self) -> bytes:
        """Try one more input; returns it."""
        content = self.changed(self.rng.choice(self.kept))
        if self.reaches(content):
            self.kept.append(content)
        return content

    def changed(self, content: bytes) -> bytes:
        """A few changes: other bytes, pieces that mean something somewhere, parts lost, doubled or from elsewhere."""
        rng, data = self.rng, bytearray(content)
        for _ in range(rng.choice((1, 1, 2, 4, 8))):
            at, to = sorted(rng.randrange(len(data) + 1) for _ in range(2))
            kind = rng.randrange(6)
            if kind == 0 and at < len(data):
                data[at] ^= 1 << rng.randrange(8)
            elif kind == 1:
                data[at : at + rng.randrange(3)] = rng.choice(PIECES)
            elif kind == 2:
                del data[at : min(to, at + 1 + rng.randrange(16))]
            elif kind == 3:
                data[to:to] = data[at:to] * rng.choice((1, 2, 50))
            elif kind == 4:
                other = rng.choice(self.kept)
                start = rng.randrange(len(other) + 1)
                data[at:at] = other[start : start + rng.randrange(64)]
            else:
                del data[at:]
            del data[LONGEST:]
        return bytes(data)

    def reaches(self, content: bytes) -> bool:
        """Read an input; whether it passed from a line to another as none before."""
        edges = set[tuple[str, int, int]]()
        before = sys.gettrace()
        sys.settrace(self._tracer(edges))
        try:
            self.run(content)
        finally:
            sys.settrace(before)
        new = edges - self.seen
        self.seen |= new
        return bool(new)

    def _tracer(self, edges: set[tuple[str, int, int]]) -> Any:
        watched = self.watched

        def call(frame: FrameType, event: str, arg: object) -> Any:
            name = frame.f_code.co_filename
            if not name.startswith(watched):
                return None
            last = 0

            def line(frame: FrameType, event: str, arg: object) -> Any:
                nonlocal last
                edges.add((name, last, frame.f_lineno))
                last = frame.f_lineno
                return line

            return line

        return call
