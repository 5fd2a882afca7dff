"""Functions that only kernels call are linked into them and get no machine code of their own.

Numba optimises every function that it compiles and turns it into machine code, and then does both again in each of its
callers, into which it is linked. For a kernel made of hundreds of small functions that doubles the time. `Linked`
defers this until the address of a function is requested, which never happens for one without a Python wrapper: its
unoptimised code is linked into its callers, and the kernel at their root is optimised as a whole. This uses internals
of Numba. If they are not as expected, kernels are compiled in Numba's own way, which is slower and gives the same
results.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numba
from numba.core import codegen
from numba.core.compiler import Flags
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target
from numba.core.targetconfig import TargetConfig
from numba.parfors import parfor_lowering

fcntl: Any = import_module("fcntl") if find_spec("fcntl") else None  # not everywhere

NEEDED = ("_optimize_final_module", "_finalize_final_module", "_ensure_finalized", "serialize_using_bitcode")
BASE: Any = getattr(codegen, "JITCodeLibrary", object)
CAN_LINK = (
    not numba.config.DISABLE_JIT
    and all(hasattr(BASE, name) for name in NEEDED)
    and all(hasattr(TargetConfig, name) for name in ("values", "options", "_values"))
)
BODY = "_create_gufunc_for_parfor_body"  # compiles the body of a parallel loop


class _Waiting:
    """Numba's code generator, for a library without machine code: what it would write there waits."""

    environments: dict[str, Any] = {}

    def __init__(self, generator: Any) -> None:
        self._generator = generator

    def __getattr__(self, name: str) -> Any:
        return getattr(self._generator, name)

    def set_env(self, name: str, environment: Any) -> None:
        self.environments[name] = environment


class Linked(BASE):  # type: ignore[misc]
    """The code of a function, turned into machine code when its address is asked for."""

    is_emitted = False

    @property
    def codegen(self) -> Any:
        return self._codegen if self.is_emitted else _Waiting(self._codegen)

    def _optimize_final_module(self) -> None:
        """Do nothing: callers optimise what they link."""

    def _finalize_final_module(self) -> None:
        if getattr(self, "_compiled_object", None) is not None:  # from the cache, as machine code
            self.is_emitted = True
            super()._finalize_final_module()
        self._finalized = True

    def _emit(self) -> None:
        self.is_emitted = True
        super()._optimize_final_module()
        self._final_module.verify()
        super()._finalize_final_module()
        for variable in self._final_module.global_variables:
            if variable.name in _Waiting.environments:
                self._codegen.set_env(variable.name, _Waiting.environments[variable.name])

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        if not self.is_emitted:
            if not any(f.name == name and not f.is_declaration for f in self._final_module.functions):
                return 0
            self._emit()
        return int(super().get_pointer_to_function(name))

    def serialize_using_object_code(self) -> Any:
        self._ensure_finalized()
        return super().serialize_using_object_code() if self.is_emitted else self.serialize_using_bitcode()


def _bare(compile_body: Any) -> Any:
    """Compile bodies of parallel loops without Python wrappers, which are never called and unpack every array."""

    def compile_bare(*args: Any, **kwargs: Any) -> Any:
        for flags in (arg for arg in args if isinstance(arg, Flags)):
            flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        return compile_body(*args, **kwargs)

    return compile_bare


@cache
def _defaults(kind: Any) -> dict[str, Any]:
    return {name: option.default for name, option in kind.options.items()}


def _values(options: TargetConfig) -> dict[str, Any]:
    """What Numba's own does, which takes a twentieth of all time: it is asked whenever a function is looked up."""
    kind: Any = type(options)
    return {**_defaults(kind), **options._values}


@contextmanager
def linked() -> Iterator[None]:
    """Whatever Numba compiles in here is linked first; and no garbage is looked for meanwhile, as there is little."""
    if not CAN_LINK:
        yield
        return
    cpu_target.target_context.refresh()
    generator = cpu_target.target_context.codegen()
    before, collecting = generator._library_class, gc.isenabled()
    body, slow_values = getattr(parfor_lowering, BODY, None), TargetConfig.values
    generator._library_class, TargetConfig.values = Linked, _values
    if body is not None:
        setattr(parfor_lowering, BODY, _bare(body))
    gc.disable()
    try:
        yield
    finally:
        generator._library_class, TargetConfig.values = before, slow_values
        if body is not None:
            setattr(parfor_lowering, BODY, body)
        if collecting:
            gc.enable()


@contextmanager
def alone(dispatcher: Any) -> Iterator[None]:
    """Let one process at a time compile a kernel; the others wait and find it in the cache. Without a cache none waits.

    Kernels call each other in one direction only, so that two processes cannot wait for each other.
    """
    with ExitStack() as stack:
        try:
            if place := dispatcher._cache.cache_path:
                Path(place).mkdir(parents=True, exist_ok=True)
                name = f"{dispatcher.py_func.__module__}.{dispatcher.py_func.__name__}.lock"
                file = stack.enter_context(Path(place, name).open("a"))
                fcntl.flock(file, fcntl.LOCK_EX)  # until the file is closed, or the process ends in any way
        except (AttributeError, OSError):  # another Numba, no such locks, or a directory that cannot be written
            pass
        yield


def compile_linked(dispatcher: Any) -> Any:
    """The dispatcher, which from now on links what it compiles."""
    compile_one = getattr(dispatcher, "compile", None)
    if compile_one is None:  # Numba is switched off: a plain function
        return dispatcher

    def compile_in_scope(signature: Any) -> Any:
        is_installed = getattr(dispatcher._cache, "is_installed", None)
        with (
            nullcontext() if is_installed and is_installed(signature) else alone(dispatcher),
            global_compiler_lock,
            linked(),
        ):  # what `linked` changes for the time being is everybody's
            return compile_one(signature)

    dispatcher.compile = compile_in_scope
    return dispatcher
