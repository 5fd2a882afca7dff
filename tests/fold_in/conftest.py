"""Tests that read the kernels as plain Python are collected only when they are plain Python."""

from numba import config

collect_ignore = [] if config.DISABLE_JIT else ["test_weights_on_the_way.py"]
