"""pitmanyor fit --memory and --workers: the run is the one that is made in memory."""

import numpy as np
import pytest

from calling import call
from pitmanyor import load


@pytest.fixture
def posts(tmp_path):
    lines = [f"bread butter{i % 3} oven{i % 7} goal{i % 5} match" for i in range(120)]
    (tmp_path / "posts.txt").write_text("\n".join(lines))
    return tmp_path / "posts.txt"


def test_memory_and_workers_change_no_byte(posts, tmp_path):
    pytest.importorskip("distributed")
    plain = ("fit", posts, "--sweeps", 4, "--keep", 0, "--threads", 1)
    call(*plain, "-o", tmp_path / "plain")
    call(*plain, "-o", tmp_path / "bounded", "--memory", "2GB")
    call(*plain, "-o", tmp_path / "workers", "--workers", 1)
    one, *others = (load(tmp_path / name).state for name in ("plain", "bounded", "workers"))
    for other in others:
        assert np.array_equal(one.text.topic, other.text.topic) and np.array_equal(one.net.counts, other.net.counts)
    assert not list(tmp_path.glob(".s*"))
    call(*plain[:3], 6, *plain[4:], "-o", tmp_path / "longer")
    call("resume", tmp_path / "bounded", "--sweeps", 5, "--threads", 1, "--memory", "2GB")
    call("resume", tmp_path / "bounded", "--sweeps", 6, "--threads", 1, "--workers", 1)
    one, other = load(tmp_path / "longer").state, load(tmp_path / "bounded").state
    assert np.array_equal(one.text.topic, other.text.topic) and np.array_equal(one.net.counts, other.net.counts)


def test_workers_here_and_elsewhere_are_too_many(posts, tmp_path):
    done = call("fit", posts, "-o", tmp_path / "run", "--workers", 1, "--scheduler", "tcp://x:1", code=3)
    assert "give one of them" in done.output
