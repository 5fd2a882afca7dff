"""Kernels: compiled code over flat arrays; they know no model."""

from pitmanyor.kernels.runtime.threads import choose_pool

choose_pool()
