"""Where compiled kernels are looked for: among those of the installation first, then in the user's cache.

An installation compiles the kernels of the ready models for the machine on which it is made (decision 16), and keeps
them in `kernels/machine_code` in the format of Numba's cache. One is used only if everything agrees that its code
depends on: the sources of all kernels, Python, Numba, LLVM and their options, the processor and its features, and the
types of the arguments. Otherwise it is compiled when it is first called, and kept in the user's cache, where the same
has to agree. It would be compiled to the same code, so that results do not depend on where a kernel comes from.
"""

from __future__ import annotations

import shutil
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core import caching
from numba.core.registry import cpu_target

from pitmanyor.kernels.runtime.source_digest import PACKAGE, digest_of_sources

KERNELS = PACKAGE / "kernels"
INSTALLED = KERNELS / "machine_code"
OPTIONS = ("OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "BOUNDSCHECK", "DEBUGINFO_DEFAULT", "USING_SVML")
_callable: list[Any] = []  # functions that can be called from Python


@cache
def stamp() -> tuple[str, ...]:
    """What machine code depends on, besides Python, Numba and the processor, which Numba's index has."""
    options = [f"{name}={getattr(numba.config, name, None)}" for name in OPTIONS]
    return (digest_of_sources(), f"llvmlite={llvmlite.__version__}", *options)


class _Locator(caching._CacheLocator):  # type: ignore[misc]
    """Where the installation keeps a function. Nothing is ever written there by those who call it."""

    def __init__(self, function: Any, file: str) -> None:
        self._function, self._file = function, file

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> Any:
        return cls(py_func, py_file)

    def get_cache_path(self) -> str:
        return str(INSTALLED / Path(self._file).resolve().parent.relative_to(KERNELS))

    def get_source_stamp(self) -> tuple[str, ...]:
        return stamp()

    def get_disambiguator(self) -> str:
        return str(self._function.__code__.co_firstlineno)


class _Files(caching.CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = [_Locator]


class _Installed(caching.FunctionCache):  # type: ignore[misc]
    _impl_class = _Files


class KernelCache(caching._Cache):  # type: ignore[misc]
    """Both places where one function may be kept. They are looked up when it is first called."""

    def __init__(self, function: Any) -> None:
        self._function = function

    @cached_property
    def installed(self) -> Any:
        is_ours = Path(self._function.__code__.co_filename).resolve().is_relative_to(KERNELS)
        return _Installed(self._function) if is_ours else caching.NullCache()

    @cached_property
    def user(self) -> Any:
        try:
            found = caching.FunctionCache(self._function)
        except RuntimeError:  # no directory can be written: every process compiles for itself
            return caching.NullCache()
        base = found._impl.filename_base
        found._cache_file = caching.IndexDataCacheFile(found.cache_path, base, stamp())
        return found

    @property
    def cache_path(self) -> Any:
        return self.user.cache_path

    def is_installed(self, signature: Any) -> bool:
        """Does the installation have the function for these types, and for this machine?"""
        keys = self.installed_keys()
        return bool(keys) and self.installed._index_key(signature, _generator()) in keys

    def installed_keys(self) -> Any:
        """What the installation has of the function, if it was compiled from these sources with these options."""
        files = getattr(self.installed, "_cache_file", None)
        return files._load_index() if files else {}

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = self.installed.load_overload(sig, target_context)
        return self.user.load_overload(sig, target_context) if found is None else found

    def save_overload(self, sig: Any, data: Any) -> None:
        self.user.save_overload(sig, data)

    def enable(self) -> None:
        self.user.enable()

    def disable(self) -> None:
        self.user.disable()

    def flush(self) -> None:
        self.user.flush()

    def copy(self, to: Path) -> int:
        """Copy what the user's cache has to a directory like that of the installation; returns how many entries."""
        base = self.installed._impl.filename_base
        found = sorted(Path(self.cache_path).glob(f"{base}.*"))
        place = to / Path(self.installed.cache_path).relative_to(INSTALLED)
        for file in found:
            place.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, place / file.name)
        return sum(file.suffix == ".nbc" for file in found)


def _generator() -> Any:
    cpu_target.target_context.refresh()
    return cpu_target.target_context.codegen()


def keep(dispatcher: Any) -> Any:
    """The dispatcher, which looks in both places from now on."""
    if hasattr(dispatcher, "_cache"):  # not where Numba is switched off
        dispatcher._cache = KernelCache(dispatcher.py_func)
    return dispatcher


def keep_callable(dispatcher: Any) -> Any:
    """The same for a function that is called from Python. Installations keep these; they hold all that they call."""
    if hasattr(keep(dispatcher), "_cache"):
        _callable.append(dispatcher)
    return dispatcher


def count_installed() -> tuple[int, int]:
    """How many kernels the installation has, and how many of them serve: for these sources, this Numba and machine."""
    machine = _generator().magic_tuple()
    serving = sum(machine in key for dispatcher in _callable for key in dispatcher._cache.installed_keys())
    return sum(1 for _ in INSTALLED.rglob("*.nbc")), serving


def copy_kernels(to: Path) -> int:
    """Copy what the user's cache has of all kernels that are imported; returns how many entries."""
    return sum(dispatcher._cache.copy(to) for dispatcher in _callable)
