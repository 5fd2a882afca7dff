"""Sampling: sweeps and the steps of a chain."""
