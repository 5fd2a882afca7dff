"""Compiled and interpreted kernels leave the same bytes."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kernels.documents.sweep_dump import dump, models, precisions

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def dumps(tmp_path_factory, pytestconfig):
    """What this process's kernels make, and what kernels in plain Python make."""
    wanted = ["float32", "float64"] if pytestconfig.getoption("--long") else ["float32"]
    path = tmp_path_factory.mktemp("dump") / "interpreted.npz"
    environment = os.environ | {
        "NUMBA_DISABLE_JIT": "1",
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")]),
    }
    command = [sys.executable, "-m", "kernels.documents.sweep_dump", str(path), *wanted]
    subprocess.run(command, env=environment, check=True, cwd=ROOT)
    with np.load(path) as interpreted:
        return dump(wanted), dict(interpreted)


# In double precision kernels are compiled for this test alone: nobody has them, and exact tests compile nothing.
DOUBLE = {"float64": pytest.mark.long}


@pytest.mark.parametrize(
    ("model", "precision"),
    [pytest.param(model, p, marks=DOUBLE.get(p, ())) for model in models() for p in precisions(model)],
)
def test_compiled_and_interpreted_sweeps_leave_the_same_bytes(dumps, model, precision):
    compiled, interpreted = dumps
    names = [name for name in compiled if name.startswith(f"{model}/{precision}/")]
    assert len(names) == 10 + 12 + (11 if precision == "float32" else 0)
    for name in names:
        assert compiled[name].dtype == interpreted[name].dtype
        if name.endswith("measures"):  # sums of logarithms, some of which are 0 but for rounding
            np.testing.assert_allclose(compiled[name], interpreted[name], rtol=0, atol=1e-14, err_msg=name)
        else:
            assert compiled[name].tobytes() == interpreted[name].tobytes(), name


def test_the_sweeps_move_something(dumps):
    compiled, _ = dumps
    assert len(set(compiled["hpyp/float32/topic"].tolist())) > 1
    assert compiled["tntm/float32/code"].any()
    for model in models():
        name = f"{model}/float32/"
        assert compiled[name + "explicit vectors"].tobytes() != compiled[name + "stay"].tobytes()
    for model in ("hpyp", "author_topic", "tntm", "bursty_hpyp", "bursty_tntm"):
        name = f"{model}/float32/"
        assert compiled[name + "explicit topic"].tobytes() != compiled[name + "topic"].tobytes()
        assert len(np.unique(compiled[name + "folded"])) > 20
    assert compiled["hpyp/float32/moves topic"].tobytes() != compiled["hpyp/float32/topic"].tobytes()
