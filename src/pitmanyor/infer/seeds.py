"""What keys a random stream: the user's seed, the chain, the sweep. Kernels add the document or cell, and a purpose."""

from __future__ import annotations

Seed = tuple[int, int, int]
