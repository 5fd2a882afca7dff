"""Working files: what was written is read, whole or not at all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from pitmanyor.errors import FileError
from pitmanyor.shards.working_files import read_named, read_parts, write_named, write_parts

ARRAYS = {"a": np.arange(5), "b": np.zeros((0, 3)), "c": np.arange(12.0).reshape(3, 4)[:, :2]}
# A process that is killed when it has written the first of two arrays.
KILLED = """
import os, signal, sys
from pathlib import Path
import numpy as np
from pitmanyor.shards import working_files
save = np.save
def saved(file, array, **how):
    if array[0] == 2:
        file.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    save(file, array, **how)
np.save = saved
working_files.write_parts(Path(sys.argv[1]), [np.full(1000, 1), np.full(1000, 2)])
"""


def test_names_and_arrays_come_back(tmp_path):
    write_named(tmp_path / "file", {"seed": [1, 2]}, ARRAYS)
    said, arrays = read_named(tmp_path / "file")
    assert said == {"seed": [1, 2]} and list(arrays) == list(ARRAYS)
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(arrays[name], array)
        assert arrays[name].dtype == array.dtype and arrays[name].flags.writeable
    assert os.listdir(tmp_path) == ["file"]


def test_a_file_that_was_cut_anywhere_is_refused(tmp_path):
    write_named(tmp_path / "file", {}, ARRAYS)
    whole = (tmp_path / "file").read_bytes()
    for size in range(0, len(whole), 7):
        (tmp_path / "cut").write_bytes(whole[:size])
        with pytest.raises(FileError, match="cut or removed"):
            read_named(tmp_path / "cut")


def test_a_file_that_lacks_its_last_array_is_refused(tmp_path):
    write_named(tmp_path / "file", {}, ARRAYS)
    write_parts(tmp_path / "file", read_parts(tmp_path / "file")[:-1])
    with pytest.raises(FileError, match="cut or removed"):
        read_named(tmp_path / "file")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("before", [True, False])
def test_a_process_that_is_killed_while_it_writes_leaves_the_old_file_or_none(before, tmp_path):
    path, old = tmp_path / "file", [np.full(7, 9)]
    if before:
        write_parts(path, old)
    code = subprocess.run([sys.executable, "-c", KILLED, path], check=False).returncode
    assert code == -signal.SIGKILL and len(list(tmp_path.glob(".file.*.part"))) == 1
    assert path.exists() == before
    if before:
        np.testing.assert_array_equal(read_parts(path)[0], old[0])
    write_parts(path, old)  # what it left is in nobody's way
    np.testing.assert_array_equal(read_parts(path)[0], old[0])
