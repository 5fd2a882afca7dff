"""Sources larger than memory: read into a file, with the corpus that is read into memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import high_water
from pitmanyor import read
from pitmanyor.errors import FileError
from pitmanyor.reading import posts

POSTS = [
    {
        "text": f"Fresh #bread{i % 5} from oven{i % 3} and word{i} with butter{i % 11}",
        "user": f"u{i % 7}",
        "created_at": "2021-03-04",
    }
    for i in range(300)
]
OPTIONS = {"min_df": 2, "min_posts": 2, "groups": ["day"], "duplicates": "drop"}


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr(posts, "PIECE", 50)


def parts(tmp_path):
    """The same posts in several files."""
    for i in range(3):
        lines = "\n".join(map(json.dumps, POSTS[i * 100 : (i + 1) * 100]))
        (tmp_path / f"posts-{i}.jsonl").write_text(lines)
    return str(tmp_path / "posts-*.jsonl")


@pytest.mark.parametrize("options", [{}, OPTIONS])
def test_a_corpus_that_is_read_into_a_file_is_the_one_that_is_read_into_memory(options, tmp_path):
    source = parts(tmp_path)
    whole, mapped = read(source, **options), read(source, save_to=tmp_path / "corpus", **options)
    assert whole.content_hash == mapped.content_hash
    assert whole.report.to_json() == mapped.report.to_json()
    assert np.array_equal(whole.rows, mapped.rows)
    assert isinstance(mapped.streams["word"].words.base, np.memmap)
    assert not list(tmp_path.glob(".spool*"))


def test_pieces_change_nothing(tmp_path, monkeypatch):
    source = parts(tmp_path)
    found = read(source, **OPTIONS).content_hash
    monkeypatch.setattr(posts, "PIECE", 10**9)
    assert read(source, **OPTIONS).content_hash == found


def test_a_directory_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileError, match="no such directory"):
        read(POSTS, save_to=tmp_path / "none" / "corpus")


SCRIPT = """
import sys
from high_water import high_water
from pitmanyor import read
read(sys.argv[1], save_to=sys.argv[2] or None, stop_words=None)
print(high_water())
"""


def peak(source, target) -> int:
    command = [sys.executable, "-c", SCRIPT, str(source), str(target)]
    home = {**os.environ, "PYTHONPATH": str(Path(high_water.__file__).parent)}
    return int(subprocess.run(command, capture_output=True, text=True, check=True, env=home).stdout)


@pytest.mark.skipif(not high_water.STATUS.exists(), reason="this system does not tell")
def test_tokens_are_not_kept_in_memory(tmp_path):
    """Six million tokens: 24 MB, and as much again while they are filtered."""
    words, rng = np.array([f"w{i}" for i in range(1000)]), np.random.default_rng(1)
    with (tmp_path / "posts.txt").open("w") as file:
        for _ in range(120):
            rows = words[rng.integers(1000, size=(1_000, 50))]
            file.writelines(" ".join(row) + "\n" for row in rows.tolist())
    whole = peak(tmp_path / "posts.txt", "")
    assert peak(tmp_path / "posts.txt", tmp_path / "corpus") < whole - 20_000_000
