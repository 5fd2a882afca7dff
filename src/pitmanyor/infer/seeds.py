"""What keys a random stream: the user's seed, the chain, the sweep. Kernels add the document or cell, and a purpose."""

from __future__ import annotations

import numpy as np

Seed = tuple[int, int, int]


def generator(seed: Seed, purpose: int) -> np.random.Generator:
    """A Philox generator for the few draws made outside kernels."""
    return np.random.Generator(np.random.Philox(np.random.SeedSequence([*seed, purpose])))
