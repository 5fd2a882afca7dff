"""One table of what is promised, the tests that try to break it, how much they tried, and what came of it.

`make trust` prints it for this version as Markdown, and writes it to build/trust.md. `make trust TRUST="--times 10"`
tries ten times as many forgeries, kills and inputs; `--only fuzz` makes the rows of tests with that in their names.
"""

from __future__ import annotations

import argparse
import platform
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "build" / "trust.md"


class Promise(NamedTuple):
    """What is promised, the tests of it, and an option that says how much they try, with what it counts."""

    said: str
    tests: str
    option: str = ""
    times: int = 0
    what: str = ""


PROMISES = (
    Promise("A changed byte of a run is refused", "runs/test_mutants.py", "--mutants", 5_000, "changed files"),
    Promise(
        "A run with right checksums and wrong content is refused, or as sound as any",
        "runs/test_forgeries.py shards/test_forgeries_in_shards.py", "--forgeries", 270, "forged runs",
    ),
    Promise("Links, pipes, modules and paths in a run do no harm", "runs/test_hostile_places.py"),
    Promise(
        "A killed fit leaves its last checkpoint or the one before", "runs/test_checkpoints.py", "--kills", 200, "kills"
    ),
    Promise("What killed fits leave goes on, is said, or is removed", "runs/test_killed_fits.py"),
    Promise("A resumed run is the run that was not cut, byte for byte", "runs/test_resume.py"),
    Promise("Reports, exports and names that are cut short leave the old files", "export/test_kills.py"),
    Promise(
        "No file of posts or links ends in anything but a corpus or a sentence",
        "reading/test_fuzz.py", "--executions", 600, "inputs",
    ),
    Promise("Files that unfold without end are refused, or read in bounded memory", "reading/test_bombs.py"),
    Promise("Options of a wrong kind are refused by name", "reading/test_option_kinds.py"),
    Promise("No formula, and no overwritten column, in what is written", "cli/test_hostile_posts.py"),
    Promise("Text on the page is text", "report/test_clean.py report/test_page.py"),
    Promise(
        "Half-sent and many requests keep nobody from the page", "report/test_connections.py",
        "--requests", 1_000, "requests",
    ),
    Promise("The server shows its page, answers drafts and nothing else", "report/test_server.py"),
    Promise("A fit that does not fit into memory is refused", "test_room.py state/test_memory.py"),
    Promise("The same seed gives the same bytes on any number of threads", "sampling/test_threads.py"),
)  # fmt: skip


class Outcome(NamedTuple):
    passed: int
    failed: int
    skipped: int

    def __str__(self) -> str:
        if self.failed or not self.passed:
            return f"**{self.failed} failed**" if self.failed else "**no test ran**"
        return f"holds ({self.skipped} skipped)" if self.skipped else "holds"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--only", default="")
    asked = parser.parse_args(arguments)
    rows, good = [], True
    for promise in PROMISES:
        if asked.only in promise.tests:
            outcome = try_out(promise, asked.times)
            good = good and outcome.passed > 0 and not outcome.failed
            rows.append(row(promise, asked.times, outcome))
            print(rows[-1], file=sys.stderr, flush=True)
    table = "\n".join([heading(), *rows]) + "\n"
    TABLE.parent.mkdir(exist_ok=True)
    TABLE.write_text(table)
    print(table)
    return 0 if good and rows else 1


def heading() -> str:
    told = f"pitmanyor {version('pitmanyor')}, Python {platform.python_version()}, Numba {version('numba')}"
    return (
        f"{told}, {platform.system()} {platform.machine()}\n\n| promise | tests | tried | outcome |\n|---|---|---|---|"
    )


def try_out(promise: Promise, times: int) -> Outcome:
    """Run the tests of a promise in a process of their own."""
    with TemporaryDirectory() as home:
        said = Path(home, "said.xml")
        tests = [f"tests/{name}" for name in promise.tests.split()]
        option = [f"{promise.option}={promise.times * times}"] if promise.option else []
        command = [sys.executable, "-m", "pytest", "-q", "-n", "0", f"--junitxml={said}", *option, *tests]
        subprocess.run(command, cwd=ROOT, stdout=sys.stderr, check=False)
        return read_outcome(said.read_bytes()) if said.exists() else Outcome(0, 1, 0)


def read_outcome(junit: bytes) -> Outcome:
    """How many tests passed, failed and were skipped, as pytest wrote it.

    >>> read_outcome(b'<testsuites><testsuite tests="5" failures="1" errors="1" skipped="1"/></testsuites>')
    Outcome(passed=2, failed=2, skipped=1)
    """
    suite = ElementTree.fromstring(junit).find("testsuite")
    if suite is None:
        return Outcome(0, 1, 0)
    tests, failures, errors, skipped = (int(suite.get(name, 0)) for name in ("tests", "failures", "errors", "skipped"))
    return Outcome(tests - failures - errors - skipped, failures + errors, skipped)


def row(promise: Promise, times: int, outcome: Outcome) -> str:
    tests = ", ".join(f"`{name}`" for name in promise.tests.split())
    tried = f"{outcome.passed + outcome.failed} tests"
    tried += f", {promise.times * times:,} {promise.what}" if promise.option else ""
    return f"| {promise.said} | {tests} | {tried} | {outcome} |"


if __name__ == "__main__":
    sys.exit(main())
