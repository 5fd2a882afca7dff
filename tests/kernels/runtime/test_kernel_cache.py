"""Kernels of the installation are used if they are exactly what would be compiled, and only then."""

import importlib.util
import shutil
import sys
from types import SimpleNamespace

import numba
import numpy as np
import pytest
from numba.core.registry import cpu_target

from pitmanyor.kernels.runtime import kernel_cache
from pitmanyor.kernels.runtime.compile_notice import compile_notice
from pitmanyor.kernels.runtime.source_digest import digest_of_sources

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")

CALLED = """
from pitmanyor.kernels.runtime.jit import inner

@inner
def scaled(x):
    return {factor} * x
"""
KERNEL = """
import numba
from pitmanyor.kernels.runtime.jit import kernel, spread
from {package}_called import scaled

@kernel
def double(x, out):
    for i in range(len(x)):
        out[i] = scaled(x[i])

@spread
def double_all(x, out):
    for i in numba.prange(len(x)):
        out[i] = scaled(x[i])
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package with a kernel and what it calls, to be imported again and again, with a user's cache of its own."""
    home, name = tmp_path / "package", "pitmanyor.part"  # the notice tells of the package's own kernels
    (home / "kernels" / "part").mkdir(parents=True)
    (home / "purposes.py").write_text("")
    installed = home / "kernels" / "machine_code"

    def write(factor):
        (home / "kernels" / "part" / "called.py").write_text(CALLED.format(factor=factor))
        (home / "kernels" / "part" / "tiny.py").write_text(KERNEL.format(package=name))
        made = (digest_of_sources(home), "options")
        monkeypatch.setattr(kernel_cache, "stamp", lambda: made)

    def load():
        """The module as a new process finds it."""
        for module in ("called", "tiny"):
            file = home / "kernels" / "part" / f"{module}.py"
            spec = importlib.util.spec_from_file_location(f"{name}_{module}", file)
            sys.modules[f"{name}_{module}"] = loaded = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(loaded)
        return loaded

    monkeypatch.setattr(kernel_cache, "KERNELS", home / "kernels")
    monkeypatch.setattr(kernel_cache, "INSTALLED", installed)
    monkeypatch.setattr(kernel_cache, "_callable", [])
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "user"))
    write(2.0)
    yield SimpleNamespace(write=write, load=load, installed=installed, user=tmp_path / "user")
    for module in ("called", "tiny"):
        sys.modules.pop(f"{name}_{module}", None)


def result_of(kernel, dtype=float):
    """What a kernel makes of 1, and whether it was compiled for that."""
    told, out = [], np.zeros(1, dtype)
    with compile_notice(told.append):
        kernel(np.ones(1, dtype), out)
    return float(out[0]), bool(told)


def install(package):
    """Compile, and keep what was compiled as an installation does; whoever comes next has an empty cache."""
    module = package.load()
    assert result_of(module.double) == (2.0, True) and result_of(module.double_all) == (2.0, True)
    n_copied = kernel_cache.copy_kernels(package.installed)
    shutil.rmtree(package.user)
    kernel_cache._callable.clear()
    return n_copied


def test_what_the_installation_has_is_not_compiled_and_nothing_is_written(package):
    assert install(package) == 2
    module = package.load()
    assert result_of(module.double) == (2.0, False)
    assert result_of(module.double_all) == (2.0, False)
    assert not list(package.user.rglob("*.nb?")) and not list(package.user.rglob("*.lock"))
    assert kernel_cache.count_installed() == (2, 2)


def test_only_what_python_calls_is_kept(package):
    install(package)
    assert {file.name.partition("-")[0] for file in package.installed.rglob("*.nbc")} <= {
        "tiny.double",
        "tiny.double_all",
        "tiny.double_all_serial",
    }


def test_other_types_are_compiled_and_kept_for_the_user(package):
    install(package)
    assert result_of(package.load().double, np.float32) == (2.0, True)
    assert result_of(package.load().double, np.float32) == (2.0, False)
    assert [file.name.partition("-")[0] for file in package.user.rglob("tiny*.nbc")] == ["tiny.double"]


def test_an_edit_of_what_a_kernel_calls_counts_as_an_edit_of_the_kernel(package):
    install(package)
    package.write(3.0)
    assert result_of(package.load().double) == (3.0, True)
    assert kernel_cache.count_installed() == (2, 0)


def test_so_it_does_in_the_user_s_cache(package):
    assert result_of(package.load().double) == (2.0, True)
    assert result_of(package.load().double) == (2.0, False)
    package.write(3.0)
    assert result_of(package.load().double) == (3.0, True)


def test_another_processor_compiles_for_itself(package, monkeypatch):
    install(package)
    monkeypatch.setattr(cpu_target.target_context.codegen(), "_get_host_cpu_name", lambda: "another")
    assert result_of(package.load().double) == (2.0, True)
    assert kernel_cache.count_installed() == (2, 0)


def test_and_so_does_another_numba(package, monkeypatch):
    install(package)
    monkeypatch.setattr(numba, "__version__", "0.1")
    assert result_of(package.load().double) == (2.0, True)


def test_options_of_numba_count(monkeypatch):
    kernel_cache.stamp.cache_clear()
    before = kernel_cache.stamp()
    monkeypatch.setattr(numba.config, "BOUNDSCHECK", 1)
    kernel_cache.stamp.cache_clear()
    assert kernel_cache.stamp() != before
    kernel_cache.stamp.cache_clear()


def test_kernels_run_where_nothing_can_be_written(package, monkeypatch):
    monkeypatch.setattr(
        kernel_cache.caching, "FunctionCache", lambda _: (_ for _ in ()).throw(RuntimeError("no locator"))
    )
    assert result_of(package.load().double) == (2.0, True)
    assert not package.user.exists()
