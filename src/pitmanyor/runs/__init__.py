"""Runs: a chain with what it was asked for, its directory on disk, checkpoints, and taking it up again.

`directory`, `saved` and `settings` read files without the sampler; the other modules bring it.
"""
