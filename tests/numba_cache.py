"""Where compiled kernels are kept: a directory keyed on the kernels' sources and the purposes of their streams.

Numba checks only the file a function stands in, never the files it calls into, so an edit in one kernel module can
leave stale machine code behind in another. A new key for every change of any kernel source rules that out.
The Makefile runs this file before there is an environment: standard library only.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def cache_dir(root: Path = ROOT) -> Path:
    """The cache directory for the kernels as they stand now."""
    digest = hashlib.sha256()
    package = root / "src" / "pitmanyor"
    for source in (*sorted((package / "kernels").rglob("*.py")), package / "purposes.py"):
        digest.update(source.relative_to(root).as_posix().encode() + b"\0" + source.read_bytes() + b"\0")
    return root / ".numba_cache" / digest.hexdigest()[:16]


if __name__ == "__main__":
    print(cache_dir())
