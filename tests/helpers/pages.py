"""Pages of the documentation: their code blocks, and the files that the examples read."""

from __future__ import annotations

import csv
import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from pitmanyor import simulate_microblog

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"(?:<!-- (not run): [^\n]*-->\n)?^```(python|sh)\n(.*?)^```", re.DOTALL | re.MULTILINE)
PEOPLE = ["ann", "bob", "cem", "dia", "eve", "fay", "gus", "hal", "ivy", "jon", "kim", "lea"]
FASTER = 25  # times fewer sweeps than a page says
CHAINS = 2


class Block(NamedTuple):
    """A code block: its language, its text, the line that it begins at, and whether it is run."""

    language: str
    text: str
    line: int
    run: bool


def blocks(page: Path) -> list[Block]:
    """The Python and shell blocks of a page; one after a comment `<!-- not run: why -->` is not to be run."""
    text = page.read_text("utf-8")
    return [
        Block(found[2], found[3], text[: found.start(3)].count("\n") + 1, found[1] is None)
        for found in BLOCK.finditer(text)
    ]


def commands(text: str) -> Iterator[list[str]]:
    """The commands of a shell block as words; comments are dropped and continued lines joined.

    >>> list(commands("pitmanyor fit a.csv \\\\\\n  -o run   # why\\nmake test\\n"))
    [['pitmanyor', 'fit', 'a.csv', '-o', 'run'], ['make', 'test']]
    """
    for line in text.replace("\\\n", " ").splitlines():
        if words := shlex.split(line, comments=True):
            yield words


def write_example_files(home: Path) -> None:
    """posts.csv, more.csv and follows.csv: a simulated microblog whose authors have short names and parties."""
    blog = simulate_microblog(posts=500, authors=len(PEOPLE), seed=3)
    names = dict(zip(sorted({str(record["author"]) for record in blog.records}), PEOPLE, strict=True))
    rows = [
        {
            "id": record["id"],
            "text": record["text"],
            "author": names[record["author"]],
            "created_at": record["created_at"],
            "party": "green" if PEOPLE.index(names[record["author"]]) % 2 else "blue",
        }
        for record in blog.records
    ]
    for name, part in (("posts.csv", rows[:400]), ("more.csv", rows[400:])):
        with open(home / name, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(part)
    with open(home / "follows.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("source", "target"), *((names[a], names[b]) for a, b in blog.links)])


def faster_fit(fit: Callable[..., Any]) -> Callable[..., Any]:
    """`fit` with fewer sweeps and chains."""

    def quick(model: Any, corpus: Any, sweeps: int | None = 500, **options: Any) -> Any:
        network = options.get("network")
        if network is not None and network.text_sweeps:
            options["network"] = replace(network, text_sweeps=network.text_sweeps // FASTER)
        if "chains" in options:
            options["chains"] = min(options["chains"], CHAINS)
        return fit(model, corpus, None if sweeps is None else max(sweeps // FASTER, 4), **options)

    return quick


def faster_resume(resume: Callable[..., Any]) -> Callable[..., Any]:
    """`resume` up to fewer sweeps."""

    def quick(path: Any, sweeps: int | None = None, **options: Any) -> Any:
        return resume(path, None if sweeps is None else sweeps // FASTER, **options)

    return quick
