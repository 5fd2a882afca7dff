"""Kernels: compiled code over flat arrays; they know no model."""
