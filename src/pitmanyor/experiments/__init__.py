"""The paper's tables on any corpus: fit, ablation, clustering, labels, sensitivity (docs/experiments.md).

Nothing heavy is imported here: workers set their number of threads before Numba comes.
"""
