"""Numba is of a version that pyproject.toml allows, and has the internals that kernels lean on (decision 7)."""

import inspect
import re
import tomllib
from pathlib import Path

import numba
import pytest
from numba import njit
from numba.core import codegen, compiler, dispatcher, registry
from numba.parfors import parfor_lowering

from pitmanyor.kernels.runtime import bundles, linking

PYPROJECT = Path(__file__).resolve().parents[3] / "pyproject.toml"


def bounds() -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The least version of Numba, and the first one that is refused."""
    said = [one for one in tomllib.loads(PYPROJECT.read_text())["project"]["dependencies"] if one.startswith("numba")]
    found = re.fullmatch(r"numba>=([\d.]+),<([\d.]+)", *said)
    assert found, "numba needs a lower and an upper bound"
    least, refused = (tuple(map(int, version.split("."))) for version in found.groups())
    return least, refused


def test_the_version_is_between_the_bounds():
    version = tuple(map(int, re.findall(r"\d+", numba.__version__)[:2]))
    least, refused = bounds()
    assert least <= version < refused


@pytest.mark.parametrize("name", linking.NEEDED)
def test_a_library_of_code_has_the_steps_that_wait(name):
    assert callable(getattr(codegen.JITCodeLibrary, name))


def test_libraries_are_made_by_a_class_that_can_be_exchanged():
    generator = registry.cpu_target.target_context.codegen()
    assert issubclass(generator._library_class, codegen.CodeLibrary)
    assert "_library_class" in inspect.getsource(codegen.Codegen.create_library)


def test_bodies_of_parallel_loops_are_compiled_by_the_function_that_is_wrapped():
    assert callable(getattr(parfor_lowering, linking.BODY))
    flags = compiler.Flags()
    assert {"no_cpython_wrapper", "no_cfunc_wrapper", "nrt"} <= set(flags.options)


def test_kernels_may_be_compiled_without_reference_counts():
    compiled = njit(_nrt=False)(lambda x: x + 1)
    assert compiled(1) == 2
    assert compiled.targetoptions["_nrt"] is False


def test_a_dispatcher_compiles_by_a_method_and_knows_its_cache():
    assert callable(dispatcher.Dispatcher.compile)
    cached = njit(cache=True)(lambda x: x)
    assert cached._cache.cache_path


def test_options_are_values_over_defaults():
    """What `linking._values` says faster."""
    options = compiler.Flags()
    options.nrt = True
    assert linking._values(options) == options.values()
    assert linking._values(compiler.Flags()) == compiler.Flags().values()


def test_parallel_loops_ask_for_shapes_in_one_place():
    assert parfor_lowering._create_shape_signature is bundles._without_shapes
    names = list(inspect.signature(bundles._shapes_of_arguments).parameters)
    assert names[0] == "get_shape_classes"


def test_a_dispatcher_is_asked_for_a_template():
    assert list(inspect.signature(dispatcher.Dispatcher.get_call_template).parameters) == ["self", "args", "kws"]
