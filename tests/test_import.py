"""What `import pitmanyor` brings, and what it leaves for later."""

import subprocess
import sys

import pytest

import pitmanyor

QUIET = """
import sys
import pitmanyor
from pitmanyor import Corpus, Graph, mix, models, simulate, uniform
graph = models.tntm()
graph.to_svg()
heavy = [name for name in ("numba", "rich", "scipy") if name in sys.modules]
assert not heavy, heavy
assert "pitmanyor.kernels" not in sys.modules
"""


def test_language_models_and_simulation_come_without_numba():
    done = subprocess.run([sys.executable, "-c", QUIET], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", pitmanyor.__all__)
def test_every_public_name_is_there(name):
    assert getattr(pitmanyor, name) is not None


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'pitmanyor' has no attribute 'lda'"):
        pitmanyor.lda  # noqa: B018
    with pytest.raises(AttributeError, match="did you mean Corpus"):
        pitmanyor.corpuss  # noqa: B018
