"""Functions have at most eight positional parameters. Those that have more are listed here."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pitmanyor

HOME = Path(pitmanyor.__file__).parent
MOST = 8
# The list may only shrink. Vector instructions in place of a loop: every array and number is an operand of theirs.
EXCEPTIONS = {
    "kernels/runtime/simd.py": {"cumulate": 12},
    "kernels/runtime/simd_rows.py": {"value_lanes": 9, "weigh_lanes": 15},
}


def is_command(function: ast.FunctionDef) -> bool:
    """A command of the command line: its options are its parameters."""
    return any("command(" in ast.unparse(one) for one in function.decorator_list)


def long_ones() -> Iterator[tuple[str, str, int]]:
    for path in sorted(HOME.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and not is_command(node):
                names = [one.arg for one in (*node.args.posonlyargs, *node.args.args)]
                n = len(names) - (names[:1] in (["self"], ["cls"]))
                if n > MOST:
                    yield path.relative_to(HOME).as_posix(), node.name, n


def test_functions_with_more_parameters_are_those_that_are_listed():
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for module, name, n in long_ones():
        found[module][name] = max(n, found[module].get(name, 0))
    assert found == EXCEPTIONS
