"""Tests that read the kernels as plain Python are collected only when they are plain Python."""

from numba import config

PLAIN_PYTHON = [
    "test_transitions.py",
    "test_mutants.py",
    "test_explicit_transitions.py",
    "test_linked_transitions.py",
    "test_own_words_mutants.py",
    "test_relabelling.py",
    "test_weights_on_the_way.py",
    "test_split_merge.py",
    "test_split_merge_mutants.py",
    "test_split_merge_identity.py",
]
collect_ignore = [] if config.DISABLE_JIT else PLAIN_PYTHON
