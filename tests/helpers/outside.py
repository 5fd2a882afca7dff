"""Inner functions of kernels have no wrapper for Python; tests that call one by itself compile it with one."""

from __future__ import annotations

from functools import cache
from typing import Any

from numba import njit


@cache
def outside(function: Any) -> Any:
    """The same function, to be called from Python; never kept on disk, where functions are known by their names."""
    return njit(error_model="numpy")(function.py_func) if hasattr(function, "py_func") else function
