"""Tests that read the kernels as plain Python are collected only when they are plain Python."""

from numba import config

PLAIN_PYTHON = ["test_clusters_on_the_way.py", "test_weights_on_the_way.py"]

collect_ignore = [] if config.DISABLE_JIT else PLAIN_PYTHON
