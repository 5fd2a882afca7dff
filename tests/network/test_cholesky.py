"""A Cholesky factor with pivots, and what must not depend on how many threads a library of linear algebra takes."""

import os
import subprocess
import sys

import numpy as np

from pitmanyor.network.cholesky import inverse_of_lower, pivoted_cholesky, product

BITS = """
from hashlib import sha256
import numpy as np
from pitmanyor.network.features import Kernel, features
from pitmanyor.network.observed import Observed
from pitmanyor.network.pair_links import PairLinks
rng = np.random.default_rng(1)
nu = rng.dirichlet(np.full(60, 0.3), 200)
pairs = PairLinks(Kernel(), 60, Observed(np.zeros((0, 0), np.uint8), True))
pairs.place(nu)
scores = pairs.scores(pairs.rows, pairs.rows, rng.standard_normal(len(pairs.weights)))
print([sha256(x.tobytes()).hexdigest() for x in (features(Kernel(length=0.05)), scores)])
"""


def test_the_factor_is_of_the_matrix_and_as_narrow_as_it_can_be():
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((30, 4))
    pivots, factor = pivoted_cholesky(rows @ rows.T, 1e-9)
    assert factor.shape == (30, 4) and np.abs(factor @ factor.T - rows @ rows.T).max() < 1e-9
    lower = factor[pivots]
    assert np.abs(np.triu(lower, 1)).max() < 1e-12
    assert np.abs(product(inverse_of_lower(lower), lower) - np.eye(4)).max() < 1e-10


def test_bits_do_not_depend_on_threads():
    """With a singular value decomposition and BLAS behind them these differed."""
    said = []
    for n in ("1", "4"):
        env = os.environ | {"OPENBLAS_NUM_THREADS": n, "PYTHONPATH": os.pathsep.join(sys.path)}
        said.append(subprocess.run([sys.executable, "-c", BITS], env=env, check=True, capture_output=True).stdout)
    assert said[0] == said[1]
