"""What keys a random stream: the user's seed, the chain, the sweep. Kernels add the document or cell.

The last word of every key is its purpose (`purposes.py`).
"""

from __future__ import annotations

from numbers import Integral

import numpy as np

from pitmanyor.errors import PlanError

Seed = tuple[int, int, int]


def generator(seed: int | tuple[int, ...], purpose: int) -> np.random.Generator:
    """A Philox generator for the few draws made outside kernels."""
    key = [checked(part) for part in (seed if isinstance(seed, tuple) else (seed,))]
    return np.random.Generator(np.random.Philox(np.random.SeedSequence([*key, purpose])))


def checked(seed: int) -> int:
    """The seed, if it is one."""
    if type(seed) is not int and (not isinstance(seed, Integral) or isinstance(seed, bool)):
        raise PlanError(f"seed must be a whole number, 0 or more, not {seed!r}")
    if seed < 0:
        raise PlanError(f"seed must be 0 or more, not {seed}")
    return int(seed)
