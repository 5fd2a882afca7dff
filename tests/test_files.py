"""Files of arrays: exact round trips, and a typed error for every byte that is not as written."""

import json
import os
import re
import tracemalloc

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from pitmanyor.errors import FileError
from pitmanyor.files import TYPES, atomic_write, read_arrays, write_arrays

HEADER = {"kind": "test", "text": 'é "checksum":"0"', "list": [1, 2.5, None, True]}
ARRAYS = {
    "a": np.arange(7, dtype=np.int32),
    "empty": np.zeros((0, 3)),
    "flags": np.array([True, False]),
    "scalar": np.array(2.5, np.float32),
}


@pytest.fixture
def path(tmp_path):
    write_arrays(tmp_path / "file", HEADER, ARRAYS)
    return tmp_path / "file"


def test_round_trip(path):
    header, found = read_arrays(path)
    assert header == HEADER
    assert list(found) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
        assert np.array_equal(found[name], array)


def test_safetensors_reads_our_files(path):
    found = safetensors.numpy.load_file(path)
    assert all(np.array_equal(found[name], array) for name, array in ARRAYS.items())


@settings(max_examples=60)
@given(data=st.data())
def test_any_array_comes_back_bit_for_bit(data, tmp_path_factory):
    dtype = np.dtype(data.draw(st.sampled_from(sorted(TYPES.values()))))
    array = data.draw(arrays(dtype, array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)))
    path = tmp_path_factory.mktemp("any") / "x"
    write_arrays(path, {}, {"x": array, "turned": array.T})
    found = read_arrays(path)[1]
    assert (found["x"].dtype, found["x"].shape, found["x"].tobytes()) == (dtype, array.shape, array.tobytes())
    assert found["turned"].tobytes() == array.T.tobytes()


def test_every_single_byte_matters(path):
    good = path.read_bytes()
    for i in range(len(good)):
        path.write_bytes(good[:i] + bytes([good[i] ^ 1 << i % 8]) + good[i + 1 :])
        with pytest.raises(FileError, match=re.escape(str(path))):
            read_arrays(path)


def test_every_cut_is_noticed(path):
    good = path.read_bytes()
    for i in range(len(good)):
        path.write_bytes(good[:i])
        with pytest.raises(FileError):
            read_arrays(path)
    path.write_bytes(good + b"\0")
    with pytest.raises(FileError, match="checksum does not match"):
        read_arrays(path)


@settings(max_examples=300)
@given(st.binary(max_size=300))
def test_any_other_bytes_are_refused(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("bytes") / "x"
    path.write_bytes(content)
    with pytest.raises(FileError):
        read_arrays(path)


def forge(path, table):
    """A file whose checksum is right and whose header lies."""
    from hashlib import blake2b

    table["__metadata__"] = {"checksum": "0" * 64, "format": "pitmanyor-arrays-1", "header": "{}"}
    text = json.dumps(table, separators=(",", ":")).encode()
    whole = len(text).to_bytes(8, "little") + text + b"12345678"
    path.write_bytes(whole.replace(b"0" * 64, blake2b(whole, digest_size=32).hexdigest().encode()))


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"dtype": "I64", "shape": [2], "data_offsets": [0, 8]}, "shape does not fit"),
        ({"dtype": "I64", "shape": [-1], "data_offsets": [0, 8]}, "no size"),
        ({"dtype": "I64", "shape": [True], "data_offsets": [0, 8]}, "no size"),
        ({"dtype": "I64", "shape": [1 << 60], "data_offsets": [0, 1 << 63]}, "no size"),
        ({"dtype": "O", "shape": [1], "data_offsets": [0, 8]}, "KeyError"),
        ({"dtype": "I64", "shape": [2], "data_offsets": [0, 16]}, "do not fill the file"),
        ({"dtype": "U8", "shape": [1], "data_offsets": [0, 1]}, "do not fill the file"),
        ([], "makes no sense"),
    ],
)
def test_a_header_that_lies_is_refused(tmp_path, entry, message):
    forge(tmp_path / "x", {"a": entry})
    with pytest.raises(FileError, match=message):
        read_arrays(tmp_path / "x")


def test_a_long_file_with_a_wrong_byte_costs_little_memory(tmp_path):
    path = tmp_path / "long"
    write_arrays(path, {}, {"a": np.zeros(4_000_000, np.int64)})
    with open(path, "r+b") as file:
        file.seek(-5, os.SEEK_END)
        file.write(b"\1")
    tracemalloc.start()
    with pytest.raises(FileError, match="checksum does not match"):
        read_arrays(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 << 20


def test_missing_files_and_directories_are_file_errors(tmp_path):
    with pytest.raises(FileError, match="there is no such file"):
        read_arrays(tmp_path / "none")
    with pytest.raises(FileError, match="cannot be read"):
        read_arrays(tmp_path)


def test_a_symbolic_link_is_replaced_and_never_what_it_points_to(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    write_arrays(target, {"n": 1}, {})
    link.symlink_to(target)
    write_arrays(link, {"n": 2}, {})
    assert not link.is_symlink() and read_arrays(link)[0] == {"n": 2} and read_arrays(target)[0] == {"n": 1}
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["link", "target"]


def test_an_interrupted_write_leaves_the_old_file_and_no_other(path):
    good = path.read_bytes()
    with pytest.raises(KeyboardInterrupt), atomic_write(path) as file:
        file.write(b"half")
        raise KeyboardInterrupt
    assert path.read_bytes() == good
    assert os.listdir(path.parent) == [path.name]


def test_a_full_disk_is_a_file_error_and_the_old_file_stays(path):
    good = path.read_bytes()
    with pytest.raises(FileError, match="No space left.*what was there before is untouched"), atomic_write(path):
        raise OSError(28, "No space left on device")
    assert path.read_bytes() == good
    with pytest.raises(FileError, match="not written"):
        write_arrays(path.parent / "no" / "such" / "place", {}, {})


def test_what_cannot_be_stored_is_said(tmp_path):
    with pytest.raises(FileError, match="'x' of type object cannot be stored"):
        write_arrays(tmp_path / "x", {}, {"x": np.array([None])})
    with pytest.raises(FileError, match="too long; put long lists into arrays"):
        write_arrays(tmp_path / "x", {"long": "x" * (33 << 20)}, {})
    assert os.listdir(tmp_path) == []
