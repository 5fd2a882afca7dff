"""The paper's tables on any corpus: fit, ablation, clustering, labels, sensitivity (docs/replication.md).

Nothing heavy is imported here, because workers set their number of threads before Numba is loaded.
"""
