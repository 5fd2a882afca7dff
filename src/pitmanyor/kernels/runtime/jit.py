"""How kernels are compiled.

`kernel` can be called from Python. `inner` is for functions that only kernels call: without the wrappers that unpack
bundles of arrays from Python it compiles about four times as fast. `inlined` is for the small ones among them, which
LLVM then always inlines; `loose` ones may also sum in any order, which lets LLVM vectorise. Bundles are handed over as
pointers (bundles.py), and each function is compiled once for all constants. No references to arrays are counted: Numba
does it with atomic additions whenever a field of a tuple is read, which costs more than the work in a hot loop. So
these functions must not allocate; `allocating` is for the few inner functions that do.

`spread` is a kernel that runs on all threads that Numba is set to, and without the cost of starting them on one. The
body of its parallel loop must leave all stores to one call of an `inner` function: Numba drops stores into arrays of a
named tuple that it finds in the body itself. `dealt` tells it which work item is its own.

Kernels release the GIL, so that other threads of Python, such as those that answer a scheduler, are not kept waiting.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import Any

import numba
from numba import njit, types

from pitmanyor.kernels.runtime.kernel_cache import keep, keep_callable
from pitmanyor.kernels.runtime.linking import compile_linked
from pitmanyor.kernels.runtime.threads import is_parallel

COMMON: dict[str, Any] = {"error_model": "numpy", "no_cfunc_wrapper": True, "nogil": True}
INNER: dict[str, Any] = {**COMMON, "no_cpython_wrapper": True, "_nrt": False}


def _once(**options: Any) -> Callable[[Any], Any]:
    """Decorates functions that are compiled once for all constants; Numba would do it for each number in a call."""

    def decorate(function: Any) -> Any:
        dispatcher = keep(njit(**options)(function))
        if hasattr(dispatcher, "get_call_template"):  # not where Numba is switched off
            template = dispatcher.get_call_template
            dispatcher.get_call_template = lambda args, kws: template(
                tuple(types.unliteral(arg) for arg in args), {name: types.unliteral(arg) for name, arg in kws.items()}
            )
        return dispatcher

    return decorate


inner = _once(**INNER)
inlined = _once(**INNER, forceinline=True)
allocating = _once(**{**INNER, "_nrt": True})
loose = _once(**INNER, forceinline=True, fastmath={"reassoc", "nsz", "contract"})

HANDS = 32  # as many threads can be dealt to evenly, a power of two


@inlined
def n_dealt(n):
    """Number of iterations for n work items, padding included."""
    return (n + HANDS - 1) // HANDS * HANDS


@inlined
def dealt(turn, n):
    """The work item of iteration `turn`, interleaved over HANDS threads; values of n or more are padding.

    Numba hands each thread a run of turns. Neighbours cost alike, the more the further in front (frequent words come
    first), so the first of two threads gets the even pieces, the first of four every fourth, and so on.
    """
    n_rounds = n_dealt(n) // HANDS
    hand, piece, half = turn // n_rounds, turn % n_rounds * HANDS, HANDS // 2
    while half > 0:  # the bits of the hand in reverse
        piece += hand % 2 * half
        hand, half = hand // 2, half // 2
    return piece


def kernel(function: Any) -> Any:
    return compile_linked(keep_callable(njit(**COMMON, _nrt=False)(function)))


def spread(function: Any) -> Callable[..., None]:
    """A kernel with parallel loops, compiled for one thread and for several, as each is first called."""
    if numba.config.DISABLE_JIT:
        return function
    parallel = compile_linked(keep_callable(njit(**COMMON, parallel=True)(function)))
    # Numba's cache knows a function by its name: the twin needs its own
    twin = FunctionType(function.__code__, function.__globals__, function.__name__ + "_serial")
    twin.__qualname__ = function.__qualname__ + "_serial"
    twin.__module__ = function.__module__
    serial = compile_linked(keep_callable(njit(**COMMON)(twin)))

    @wraps(function)
    def call(*args: Any) -> None:
        (parallel if is_parallel() else serial)(*args)

    return call
