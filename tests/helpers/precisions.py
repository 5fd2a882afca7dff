"""The precision of the kernels in tests of exactness: double where nothing is compiled, else single, as users have it.

Compiled kernels leave the bytes of interpreted ones (test_jit_agrees.py), so that what is proved in double precision
without the compiler holds, and kernels in double precision need not be compiled.
"""

import numpy as np
from numba import config

PRECISION = np.float64 if config.DISABLE_JIT else np.float32
ROUNDING = 1e-10 if config.DISABLE_JIT else 1e-4  # of a log joint, which documents add up in what they store
