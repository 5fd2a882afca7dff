"""A constant's name means one number in all kernels: a wrong import would compile."""

import ast
from collections import defaultdict
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from pitmanyor import kernels

HOME = Path(kernels.__file__).parent


def assigned(source: str) -> list[str]:
    """Names in capitals that a module assigns."""
    found = []
    for statement in ast.parse(source).body:
        match statement:
            case ast.Assign(targets=targets):
                found += [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]
            case ast.AnnAssign(target=ast.Name(id=name)):
                found.append(name)
    return [name for name in found if name.isupper()]


def constants() -> dict[str, dict[str, object]]:
    """Numbers and strings by name and by the module that defines them."""
    found: dict[str, dict[str, object]] = defaultdict(dict)
    for path in sorted(HOME.rglob("*.py")):
        module = ".".join(path.relative_to(HOME).with_suffix("").parts)
        for name in assigned(path.read_text()):
            value = getattr(import_module(f"pitmanyor.kernels.{module}"), name)
            if isinstance(value, (int, float, str, np.generic)):
                found[name][module] = value
    return found


def test_a_name_is_defined_once_and_so_has_one_value():
    places = {name: set(where) for name, where in constants().items()}
    shared = {name: where for name, where in places.items() if len(where) > 1}
    assert shared == {}, "import the constant from one module, or find another name for the second"


@pytest.mark.parametrize(
    "source", ["WIDE = 3", "WIDE, TALL = 3, 4", "WIDE: int = 3", "WIDE, TALL = (i for i in range(2))"]
)
def test_assignments_of_every_form_are_seen(source):
    assert "WIDE" in assigned(source)
