"""Set-up shared by all tests: a fresh Numba cache, and Hypothesis without chance."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

from numba_cache import cache_dir
from quick_fill import fill_rows

# Before anything imports numba. `make` sets the same directory; this serves a bare `pytest`.
os.environ.setdefault("NUMBA_CACHE_DIR", str(cache_dir()))

# The same examples every time, and no time limit: the first call of a kernel compiles it.
settings.register_profile("pitmanyor", derandomize=True, deadline=None, database=None)
settings.load_profile("pitmanyor")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--mutants", type=int, default=5_000, help="changed files that the readers of runs must refuse")
    parser.addoption("--forgeries", type=int, default=270, help="forged runs that must be refused, or be sound")
    parser.addoption("--executions", type=int, default=600, help="inputs that a fuzzer tries on all readers")
    parser.addoption("--long", action="store_true", help="also the tests that show more of the same and take minutes")
    parser.addoption("--requests", type=int, default=1_000, help="requests that must leave nothing in memory")
    parser.addoption("--kills", type=int, default=200, help="processes to be killed while they write checkpoints")


# A minute or so each, and a worker takes whole files: these come first, so that none is left when the others are done.
LONG = (
    "sampling/test_text_and_network.py",
    "network/test_network.py",
    "sampling/test_geweke.py",
    "network/test_linked.py",
    "network/test_block_links.py",
    "network/test_trait_links.py",
    "sampling/test_mixed.py",
    # without the compiler
    "sampling/test_packed.py",
    "sampling/test_invariants.py",
    "kernels/documents/test_linked_transitions.py",
)


@pytest.fixture(autouse=True, scope="session")
def quick_tables():
    """Without the compiler every state would spend a second on its Stirling tables; the kernel has tests of its own."""
    with pytest.MonkeyPatch.context() as patch:
        if is_off():
            patch.setattr("pitmanyor.kernels.numbers.stirling_tables._fill", fill_rows)
        yield


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--long"):
        items[:] = [item for item in items if item.get_closest_marker("long") is None]
    items.sort(key=lambda item: not item.path.as_posix().endswith(LONG))


def is_off() -> bool:
    """Is the compiler?"""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def pytest_report_header() -> str:
    return f"numba: JIT {'off' if is_off() else 'on'}, cache {os.environ['NUMBA_CACHE_DIR']}"
