"""What ARCHITECTURE.md lists and counts is what the code has."""

import ast
import re
from functools import cache
from pathlib import Path
from pkgutil import resolve_name

import grimp
import pytest

import pitmanyor
from import_table import ARCHITECTURE, ROOT, Row, arrows, is_allowed, is_in, read_table, row_of

HOME = Path(pitmanyor.__file__).parent
REPOSITORY = ARCHITECTURE.parent
TEXT = ARCHITECTURE.read_text()
COMPILED = {"inner", "inlined", "kernel", "spread", "allocating", "loose"}  # decorators of kernels.runtime.jit


@cache
def imports() -> frozenset[tuple[str, str]]:
    return frozenset(arrows(grimp.build_graph(ROOT)))


def parts(home: Path) -> set[str]:
    """Packages and modules of a folder."""
    packages = {path.parent.name for path in home.glob("*/__init__.py")}
    return packages | {path.stem for path in home.glob("*.py") if not path.stem.startswith("__")}


def test_the_table_has_every_package_and_no_other():
    assert {name.split(".")[0] for row in read_table() for name in row.names} == parts(HOME)


def test_every_import_is_an_arrow_of_the_table():
    rows = read_table()
    assert [arrow for arrow in imports() if not is_allowed(*arrow, rows)] == []


def test_every_arrow_of_the_table_is_used():
    rows, idle = read_table(), []
    for row in rows:
        bound = {imported for importer, imported in imports() if row_of(importer, rows) == row}
        idle += [(row.names, name) for name in row.allowed or () if not any(is_in(one, name) for one in bound)]
    assert idle == []


@pytest.mark.parametrize(
    "importer, imported",
    [
        ("topics.blocks", "kernels.monitor.read_back"),
        ("plan.walks", "kernels.documents.general.scratch"),
        ("kernels.runtime.random", "errors"),
        ("results.posterior", "evaluate.diagnosis"),
        ("evaluate.stacking", "results.fitting"),
        ("models.tntm", "corpus.corpus"),
        ("unknown", "graph"),
    ],
)
def test_a_planted_import_is_refused(importer, imported):
    assert not is_allowed(importer, imported, read_table())


def test_a_row_binds_all_packages_that_it_names():
    made = "| package | what it holds | may import |\n|---|---|---|\n| `errors.py` | errors | |\n| `a`, `b` | | `c` |\n"
    rows = read_table(made + "| `c/d` | | all |\n\nThe end")
    assert rows == [Row(("errors",), ()), Row(("a", "b"), ("c",)), Row(("c.d",), None)]
    assert is_allowed("b.x", "c.d", rows) and is_allowed("a", "errors", rows) and is_allowed("c.d", "a", rows)
    assert not is_allowed("a", "b", rows) and not is_allowed("c.e", "a", rows)


def test_the_rooms_of_kernels_are_all_listed():
    head, rooms = "| in `kernels` | what it holds |", {}
    for line in TEXT[TEXT.index(head) :].splitlines()[2:]:
        if not line.startswith("|"):
            break
        name, held = line.strip("|").split("|")
        rooms[name.strip(" `")] = held
    assert set(rooms) == {path.parent.name for path in (HOME / "kernels").glob("*/__init__.py")}
    engines = {path.parent.name for path in (HOME / "kernels/documents").glob("*/__init__.py")}
    assert set(re.findall(r"`(\w+)`", rooms["documents"])) == engines


def test_files_that_are_named_are_there():
    files = {
        path.relative_to(REPOSITORY).as_posix() for top in ("src", "tests") for path in (REPOSITORY / top).rglob("*.py")
    }
    named = re.findall(r"`([\w/]+\.py)`", TEXT)
    assert [name for name in named if not any(f"/{file}".endswith(f"/{name}") for file in files)] == []


def test_modules_that_are_named_are_there():
    dotted = {name for name in re.findall(r"`(\w+(?:\.\w+)+)`", TEXT) if not name.endswith((".py", ".json", ".md"))}
    modules = {name for name in dotted if name.split(".")[0] in parts(HOME)}
    assert modules
    for name in modules:
        resolve_name(f"{ROOT}.{name}")  # an error if there is none


def test_as_many_functions_are_compiled_as_it_says():
    said = re.search(r"Kernels are made of about ([\d,]+) small functions", TEXT)
    assert said
    n = 0
    for path in (HOME / "kernels").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                n += any(isinstance(one, ast.Name) and one.id in COMPILED for one in node.decorator_list)
    assert round(n, -2) == int(said[1].replace(",", ""))
