"""From a run on disk to a report on disk."""

from __future__ import annotations

from pathlib import Path

from pitmanyor.call_checks import checked_call
from pitmanyor.errors import FileError
from pitmanyor.files import atomic_write
from pitmanyor.report.page import build_page
from pitmanyor.report.payload import build_payload
from pitmanyor.results.fitting import Fit, load


@checked_call()
def write_report(
    run: Fit | str | Path, out: str | Path, *, posts: str | Path | None = None, redact: bool = False
) -> Path:
    """Write the HTML report of a fit, or of a run directory; returns the path.

    Parameters
    ----------
    run
        A fit, or the directory of a run.
    out
        HTML file to write.
    posts
        File with the texts of the posts, if it is no longer where it was read from.
    redact
        Replace authors by hashes, and leave texts out.
    """
    fit = run if isinstance(run, Fit) else load(run)
    payload = build_payload(fit, posts=None if posts is None else Path(posts), redact=redact)
    return write_page(build_page(payload), out)


def write_page(page: str, out: str | Path) -> Path:
    target = Path(out)
    if not target.parent.is_dir() or target.is_dir():
        raise FileError(f"{target}: give the name of a file, such as report.html, in a directory that exists")
    with atomic_write(target) as file:
        file.write(page.encode())
    return target
