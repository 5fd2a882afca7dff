"""Where the tests keep compiled kernels: a directory of its own for every state of the kernels' sources.

The cache itself sees every edit (`kernels/runtime/kernel_cache.py`); a directory per state keeps the code of several
branches side by side. The Makefile runs this file before there is an environment: standard library only.
"""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def cache_dir(root: Path = ROOT) -> Path:
    """The cache directory for the kernels as they stand now."""
    package = root / "src" / "pitmanyor"
    spec = spec_from_file_location("source_digest", package / "kernels" / "runtime" / "source_digest.py")
    assert spec is not None and spec.loader is not None
    sources: Any = module_from_spec(spec)
    spec.loader.exec_module(sources)  # by its path: the package itself may not be installed yet
    digest: str = sources.digest_of_sources(package)
    return root / ".numba_cache" / digest[:16]


if __name__ == "__main__":
    print(cache_dir())
