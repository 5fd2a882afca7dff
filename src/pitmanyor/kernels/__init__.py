"""Kernels: compiled code over flat arrays; they know no model.

Numba's own work queue runs the parallel ones: it survives a fork, which OpenMP does not. NUMBA_THREADING_LAYER, if
set, has the last word.
"""

import os

import numba

if "NUMBA_THREADING_LAYER" not in os.environ:
    numba.config.THREADING_LAYER = "workqueue"
