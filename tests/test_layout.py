"""A module's name says what it holds, so no two modules share one and none has the name of another package."""

import re
from collections import defaultdict
from pathlib import Path

import pitmanyor

HOME = Path(pitmanyor.__file__).parent
MODULES = [path.relative_to(HOME) for path in HOME.rglob("*.py") if not path.stem.startswith("__")]
ENGINES = Path("kernels", "documents")
# Every kind of document has these parts, which mean the same in all of them.
PARTS_OF_AN_ENGINE = {"scratch", "explicit", "collapsed", "folding", "leaf_mean", "topic_draw", "own_words_draw"}


def test_no_two_modules_share_a_name():
    places = defaultdict(list)
    for path in MODULES:
        if not (path.stem in PARTS_OF_AN_ENGINE and path.parent.parent == ENGINES):
            places[path.stem].append(path.as_posix())
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_the_parts_of_engines_are_found_nowhere_else():
    assert {path for path in MODULES if path.stem in PARTS_OF_AN_ENGINE and path.parent.parent != ENGINES} == set()


def test_no_module_has_the_name_of_a_package_other_than_its_own():
    packages = {path.parent.name for path in HOME.glob("*/__init__.py")}
    assert {path for path in MODULES if path.stem in packages and path.parent.name != path.stem} == set()


def test_every_folder_with_modules_is_a_package():
    assert {path.parent for path in MODULES if not (HOME / path.parent / "__init__.py").is_file()} == set()


TESTS = Path(__file__).parent
APART = ("helpers", "oracle")
# Scripts of the Makefile, one that makes data beside it, and what builds the exact transition matrices of documents.
BESIDE = {"numba_cache.py", "warm_up.py", "kernels/numbers/make_stirling_reference.py"} | {
    f"kernels/documents/{name}.py" for name in ("exact", "exact_explicit", "exact_moves", "sweep_dump")
}


def test_helpers_are_apart_from_tests():
    """In tests/helpers, or in tests/oracle where they are models of what is tested; plugins try an example package."""
    found = {path.relative_to(TESTS) for path in TESTS.rglob("*.py")}
    others = {path for path in found if path.name != "conftest.py" and not path.name.startswith("test_")}
    assert {path.as_posix() for path in others if path.parts[0] not in APART and "example" not in path.parts} == BESIDE
    assert not [path for path in found if path.parts[0] == "helpers" and path.name.startswith("test_")]


def test_the_readme_lists_every_helper_and_names_files_that_are_there():
    text = (TESTS / "README.md").read_text()
    table = text[text.index("| helper |") : text.index("## Time")]
    helpers = {path.stem for path in (TESTS / "helpers").glob("*.py")} - {"__init__"}
    first = [row.split("|")[1] for row in table.splitlines()[2:] if row.startswith("|")]
    assert {name for cell in first for name in re.findall(r"`(\w+)`", cell)} == helpers
    named = re.findall(r"`([\w/*]+\.py)`", text)
    assert named and [name for name in named if not list(TESTS.rglob(name))] == []
