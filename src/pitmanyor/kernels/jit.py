"""How kernels are compiled.

`kernel` can be called from Python. `inner` is for functions that only kernels call: without the wrappers that unpack
bundles of arrays from Python it compiles about four times as fast. `spread` is a kernel that runs on all threads; the
body of its parallel loop must be one call of an `inner` function, since Numba drops stores into arrays of a named tuple
that it finds in the body itself.
"""

from __future__ import annotations

from numba import njit

kernel = njit(cache=True, error_model="numpy")
inner = njit(cache=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
spread = njit(cache=True, error_model="numpy", parallel=True)
