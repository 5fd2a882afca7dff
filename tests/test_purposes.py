"""Purposes of random streams differ, and nobody draws under a number that `pitmanyor.purposes` does not name."""

import ast
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import pitmanyor
from pitmanyor import purposes
from pitmanyor.seeds import generator

HOME = Path(pitmanyor.__file__).parent
REGISTRY = {name: value for name, value in vars(purposes).items() if name.isupper()}
KEYED = {"stream_key", "generator"}  # their last argument is a purpose
SOURCES_OF_CHANCE = {"default_rng", "Philox", "PCG64", "SeedSequence", "RandomState", "seed"}
# Simulations and drawings that are all a seed is used for: they need no purpose.
OF_A_SEED_ALONE = {"corpus/pick.py", "simulation/microblog.py"}


def calls(tree: ast.AST, names: set[str]) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
            if called in names:
                yield node


def named(purpose: ast.expr) -> str | None:
    """The name of a purpose where it is one of the registry's: `purposes.X`, or `purposes.X + whole` for a pair."""
    match purpose:
        case ast.Attribute(value=ast.Name(id="purposes"), attr=name) if name in REGISTRY:
            return name
        case ast.BinOp(ast.Attribute(value=ast.Name(id="purposes"), attr=name), ast.Add(), ast.Name(id="whole")):
            return name if REGISTRY.get(f"{name}_WHOLE") == REGISTRY[name] + 1 else None
    return None


def unnamed(source: str) -> list[str]:
    """Purposes in a module's source that the registry does not name."""
    given = [(call.args or [k.value for k in call.keywords])[-1] for call in calls(ast.parse(source), KEYED)]
    return [ast.unparse(purpose) for purpose in given if named(purpose) is None]


def modules() -> list[str]:
    return sorted(path.relative_to(HOME).as_posix() for path in HOME.rglob("*.py"))


def test_no_two_purposes_have_one_number():
    assert len(set(REGISTRY.values())) == len(REGISTRY)
    assert all(type(value) is int and value >= 0 for value in REGISTRY.values())


@pytest.mark.parametrize("module", modules())
def test_every_stream_is_drawn_under_a_purpose_of_the_registry(module):
    assert unnamed((HOME / module).read_text()) == []


def test_every_purpose_is_used():
    text = "".join((HOME / module).read_text() for module in modules() if module != "purposes.py")
    pairs = {name for name in REGISTRY if name.endswith("_WHOLE")}
    assert [name for name in set(REGISTRY) - pairs if f"purposes.{name}" not in text] == []


def test_no_other_generator_is_made():
    """Random numbers come from `stream_key` and `generator`; a few modules seed NumPy's for that alone."""
    found = set()
    for module in modules():
        text = (HOME / module).read_text()
        for call in calls(ast.parse(text), SOURCES_OF_CHANCE):
            if "random" in ast.unparse(call.func):
                found.add(module)
    assert found - {"seeds.py"} == OF_A_SEED_ALONE


@pytest.mark.parametrize(
    "source",
    [
        "rng = generator(seed, 17)",
        "rng = seeds.generator(seed, len(pairs))",
        "key = stream_key(seed[0], seed[1], seed[2], d, OTHER)",
        "key = stream_key(seed[0], seed[1], seed[2], d, purposes.OTHER)",
        "key = stream_key(seed[0], seed[1], seed[2], d, purposes.UP + whole)",
        "key = stream_key(seed[0], seed[1], seed[2], d, purposes.UP + 1)",
        "rng = generator(seed=seed, purpose=17)",
    ],
)
def test_a_planted_number_is_found(source):
    assert len(unnamed(source)) == 1


def test_the_first_choice_adds_nothing_to_its_key():
    """NumPy pads keys with zeros, as `purposes` says: what used the number of pairs as a purpose draws as before."""
    before = np.random.Generator(np.random.Philox(np.random.SeedSequence([5, 380])))
    assert generator((5, 380), purposes.FIRST_CHOICE).random() == before.random()
