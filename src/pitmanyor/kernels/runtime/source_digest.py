"""A digest of everything that kernels are compiled from. Standard library only: the Makefile asks for it, too.

Numba checks only the file a function stands in, never the files it calls into, so an edit in one kernel module, or a
new version of the package, could leave stale machine code behind in another. A digest of all sources rules that out.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2]


def digest_of_sources(package: Path = PACKAGE) -> str:
    """The digest of all kernels, and of the purposes of their random streams, as they stand now."""
    digest = hashlib.sha256()
    for source in (*sorted((package / "kernels").rglob("*.py")), package / "purposes.py"):
        digest.update(source.relative_to(package).as_posix().encode() + b"\0" + source.read_bytes() + b"\0")
    return digest.hexdigest()
