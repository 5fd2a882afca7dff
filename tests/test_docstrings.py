"""Docstrings of the public API list every parameter, in NumPy style, and nothing else."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from importlib import import_module

import pytest

MODULES = ("", ".baselines", ".evaluate", ".export", ".figures", ".graph", ".models", ".report", ".topics")
CLASSES = ("Corpus", "Fit", "Graph")


def public_functions() -> Iterator[tuple[str, Callable[..., object]]]:
    """Every function that `__all__` of a public module names, and the methods of the main classes, once each."""
    seen = set()
    for module in (import_module(f"pitmanyor{name}") for name in MODULES):
        for name in module.__all__:
            thing = getattr(module, name)
            methods = inspect.getmembers(thing, callable) if name in CLASSES else []
            for label, function in [(name, thing), *((f"{name}.{key}", method) for key, method in methods)]:
                if (
                    (inspect.isfunction(function) or inspect.ismethod(function))
                    and not label.split(".")[-1].startswith("_")
                    and function not in seen
                ):
                    seen.add(function)
                    yield label, function


def listed(text: str) -> list[str]:
    """The names in the section of parameters.

    >>> listed("Do it.\\n\\nParameters\\n----------\\na, b\\n    Both.\\nc\\n    It.\\n\\n>>> 1\\n1")
    ['a', 'b', 'c']
    """
    section = text.partition("Parameters\n----------\n")[2].split(">>>")[0]
    lines = re.findall(r"^([a-z_]\w*(?:, [a-z_]\w*)*)$", section, re.MULTILINE)
    return [name for line in lines for name in line.split(", ")]


@pytest.mark.parametrize(("label", "function"), [pytest.param(*one, id=one[0]) for one in public_functions()])
def test_the_docstring_lists_the_parameters(label, function):
    text = inspect.getdoc(function)
    assert text, label
    parameters = [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]
    if len(parameters) > 1 or "Parameters\n---" in text:
        assert sorted(listed(text)) == sorted(parameters), label
