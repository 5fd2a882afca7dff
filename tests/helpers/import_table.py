"""The table of packages in ARCHITECTURE.md, and the contract by which `lint-imports` enforces it row by row.

A row names packages or modules, what they hold, and what they may import directly: names in backticks, each with all
that is in it, or the word "all". The modules of the first row may be imported by everybody but the kernels. A module is
bound by the row with its longest name: `results.posterior` before `results`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from importlinter import Contract, ContractCheck, fields, output

ROOT = "pitmanyor"
ARCHITECTURE = Path(__file__).resolve().parents[2] / "ARCHITECTURE.md"
HEAD = "| package | what it holds | may import |"


@dataclass(frozen=True)
class Row:
    """Packages, and what they may import; None for everything."""

    names: tuple[str, ...]
    allowed: tuple[str, ...] | None


def read_table(text: str | None = None) -> list[Row]:
    """The rows of the table, the first of them the modules that everybody may import."""
    lines = (ARCHITECTURE.read_text() if text is None else text).splitlines()
    start = lines.index(HEAD) + 2
    rows = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        named, _, may = (cell.strip() for cell in line.strip("|").split("|"))
        allowed = None if may == "all" else tuple(_names(may))
        rows.append(Row(tuple(_names(named)), allowed))
    return rows


def _names(cell: str) -> Iterator[str]:
    """
    >>> list(_names("`files.py`, `results.posterior`"))
    ['files', 'results.posterior']
    """
    for name in re.findall(r"`([\w./]+)`", cell):
        yield name.removesuffix(".py").replace("/", ".")


def is_in(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def row_of(module: str, rows: Iterable[Row]) -> Row | None:
    """The row that binds a module: the one with the longest of its names."""
    fitting = [(len(name), row) for row in rows for name in row.names if is_in(module, name)]
    return max(fitting, key=lambda one: one[0])[1] if fitting else None


def is_allowed(importer: str, imported: str, rows: list[Row]) -> bool:
    """May one module import another? Names are those below `pitmanyor`."""
    row = row_of(importer, rows)
    if row is None:
        return False
    if row.allowed is None or any(is_in(imported, name) and is_in(importer, name) for name in row.names):
        return True
    everybody = () if is_in(importer, "kernels") else rows[0].names
    return any(is_in(imported, name) for name in (*row.allowed, *everybody))


def arrows(graph: Any) -> Iterator[tuple[str, str]]:
    """Direct imports between modules, named below `pitmanyor`.

    The package itself hands its parts to users, and `python -m pitmanyor` is its command line: both are left out.
    """
    for importer in graph.modules:
        if importer.startswith(ROOT + ".") and importer != f"{ROOT}.__main__":
            for imported in graph.find_modules_directly_imported_by(importer):
                if imported.startswith(ROOT + "."):
                    yield importer.removeprefix(ROOT + "."), imported.removeprefix(ROOT + ".")


class TableContract(Contract):
    """Every import is one that the table allows."""

    table = fields.StringField()

    def check(self, graph: Any, verbose: bool) -> ContractCheck:
        rows = read_table(Path(self.table).read_text())
        broken = sorted(arrow for arrow in arrows(graph) if not is_allowed(*arrow, rows))
        return ContractCheck(kept=not broken, metadata={"broken": broken})

    def render_broken_contract(self, check: ContractCheck) -> None:
        for importer, imported in check.metadata["broken"]:
            output.print_error(f"{importer} imports {imported}, which its row of {self.table} does not allow")
