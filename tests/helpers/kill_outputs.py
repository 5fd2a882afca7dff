"""Kill processes that write reports, exports and names, and check what each leaves: the old file or the new one.

Arguments: a run and an empty directory. One writer is killed at every opening, renaming and removal of a file, and
others in the middle of a write, at given bytes. Prints, for each kind of output, how many were killed and how many of
them left a part of a file. Writers are forks of this process, so that none has to start an interpreter.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from pitmanyor import Fit, load
from pitmanyor.export import write_graphml, write_mallet, write_pyldavis, write_tables
from pitmanyor.report import write_report

OLD = b"as it was"
STEPS = ("open", "os.rename", "os.remove", "os.mkdir", "os.truncate", "shutil.move")


def outputs(fit: Fit, out: Path) -> dict[str, Callable[[], Any]]:
    """What is written, each by its name."""
    return {
        "report": partial(write_report, fit, out / "report.html"),
        "csv": partial(write_tables, fit, out, "csv"),
        "parquet": partial(write_tables, fit, out, "parquet"),
        "mallet": partial(write_mallet, fit, out / "state.gz"),
        "pyldavis": partial(write_pyldavis, fit, out / "words.json"),
        "graphml": partial(write_graphml, fit, out / "authors.graphml"),
        "label": partial(fit.rename, {0: "another name", 1: "one more"}),
    }


def steps(at: int | None, within: str = "") -> list[str]:
    """Count this process's steps on files in a directory from now on, and kill it when it is to take the `at`-th."""
    seen: list[str] = []

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event == "open" and not (isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR)):
            return
        if event in STEPS and str(args[0]).startswith(within):
            if len(seen) == at:
                os.kill(os.getpid(), signal.SIGKILL)
            seen.append(event)

    sys.addaudithook(hook)
    return seen


def in_child(write: Callable[[], Any], at: int | None = None, size: int | None = None) -> int:
    """Write in a fork that ends at a step, or when a file exceeds a size; how many steps it took if it did neither."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        if size is not None:
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # which Python ignores, and which ends the process
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        taken = steps(at)
        write()
        os.write(writing, b"%d" % len(taken))
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    said = os.read(reading, 64)
    os.close(reading)
    return int(said or -1)


def files(home: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(home.rglob("*")) if path.is_file()}


def check(before: dict[Path, bytes], whole: dict[Path, bytes], home: Path) -> bool:
    """Every file is as it was or as it should be, but for parts, which are removed; is there a part of a file?"""
    parts = 0
    for path, content in files(home).items():
        if path.name.startswith(".") and path.name.endswith(".part"):
            parts += 1
            path.unlink()
            continue
        assert content in (before.get(path), whole.get(path)), path
    assert not before.keys() - files(home).keys()
    return parts > 0


def main(run: Path, out: Path) -> None:
    fit, amid = load(run), {}
    for name, write in outputs(fit, out).items():
        home = run if name == "label" else out
        if name == "label":
            fit.rename({0: "a name"})
        else:
            write()
            for path in files(home):
                path.write_bytes(OLD)
        before = files(home)
        n_steps = in_child(write)
        whole = files(home)
        assert n_steps > 1 and whole != before and whole.keys() == before.keys(), name
        longest = max(len(content) for path, content in whole.items() if content != before[path])
        ends = [(at, None) for at in range(n_steps)] + [(None, size) for size in (0, 1, longest // 2, longest - 1)]
        parts = 0
        for at, size in ends:
            for path, content in before.items():
                path.write_bytes(content)
            assert in_child(write, at, size) == -1
            parts += check(before, whole, home)
        amid[name] = (len(ends), parts)
        for path in files(out):
            path.unlink()
    load(run)
    print(json.dumps(amid))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
