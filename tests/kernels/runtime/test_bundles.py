"""Bundles are handed over as one pointer, and mean in kernels what named tuples mean in Python."""

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import config, get_num_threads, prange, set_num_threads, typeof

from pitmanyor.kernels.runtime.bundles import Bundle, bundle
from pitmanyor.kernels.runtime.jit import allocating, inlined, inner, kernel, spread
from pitmanyor.kernels.runtime.per_thread import of_thread

ROOT = Path(__file__).resolve().parents[3]
compiled = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="about compiled code")


@bundle
class Pair(NamedTuple):
    left: Any
    right: Any


@bundle
class House(NamedTuple):
    pair: Pair
    size: int
    flag: bool
    guests: Any = ()
    rooms: Any = ((), ())


def house():
    rooms = (Pair(np.arange(4.0), np.arange(3)), ())
    return House(Pair(np.arange(6.0).reshape(2, 3), np.zeros(5, np.int32)), 7, True, (), rooms)


@inner
def change(pair, at):
    pair.right[at] += 10
    return pair.left[1, 2] + pair.right[at]


@inner
def swapped(pair):
    return Pair(pair.right, pair.left)


@inlined
def rebuilt(given, size):
    (left, right), first = given.pair, given.rooms[0]
    return House(Pair(left, right), size, not given.flag, given.guests, (first, given.rooms[1]))


@kernel
def use(given, out):
    out[0] = change(given.pair, 2)
    other = rebuilt(given, given.size + 1)
    out[1], out[2] = other.size, other.flag
    out[3] = change(other.pair, 2)
    turned = swapped(other.pair)
    out[4] = turned.left[2] + turned.right[1, 0]
    out[5] = other.rooms[0].left[3] + other.rooms[0].right[2] + len(other.guests) + len(other.rooms[1])
    for i in range(3):  # the block of one turn does not linger in the next
        out[6 + i] = rebuilt(given, i).size
    return len(given)


def test_fields_are_read_returned_and_rebuilt():
    given, out = house(), np.zeros(9)
    assert use(given, out) == 5
    assert out.tolist() == [15.0, 8.0, 0.0, 25.0, 23.0, 5.0, 0.0, 1.0, 2.0]
    assert given.pair.right.tolist() == [0, 0, 20, 0, 0]


@kernel
def first_of_thread(pair, thread, out):
    mine = of_thread(pair, thread)
    out[0] = mine.left[1]
    mine.right[...] = 3


def test_the_part_of_a_thread_is_a_view():
    pair, out = Pair(np.arange(6.0).reshape(3, 2), np.zeros((3, 2), np.int64)), np.zeros(1)
    first_of_thread(pair, 2, out)
    assert out[0] == 5.0
    assert pair.right.tolist() == [[0, 0], [0, 0], [3, 3]]


@spread
def fill(given, out):
    for i in prange(len(out)):
        put(given, out, i)


@inner
def put(given, out, i):
    out[i] = given.pair.left[1, i % 3] + given.size


def test_parallel_loops_take_bundles_within_bundles():
    out = np.zeros(64)
    fill(house(), out)
    assert out.tolist() == [10.0 + i % 3 for i in range(64)]


@pytest.mark.parametrize("n_threads", [1, 2])
def test_kernels_keep_no_references_to_arrays(n_threads):
    given, out, before = house(), np.zeros(64), get_num_threads()

    def counts():
        arrays = (*given.pair, *given.rooms[0])
        return [sys.getrefcount(array) for array in arrays]

    at_first = counts()
    set_num_threads(min(n_threads, before))
    for _ in range(3):
        fill(given, out)
        use(given, out)
    set_num_threads(before)
    assert counts() == at_first


@compiled
def test_a_call_hands_over_one_pointer():
    use(house(), np.zeros(9))
    if not change.overloads:  # the caller came from the cache
        use.recompile()
    (made,) = change.overloads.values()
    lines = made.library.get_llvm_str().splitlines()
    (defined,) = [line for line in lines if line.startswith("define") and "change" in line]
    arguments = defined.split("(", 1)[1].rsplit(")", 1)[0].replace("captures(none)", "").split(",")
    assert len(arguments) == 4  # the result, the error, the bundle, the place
    assert "noalias" in arguments[2]


@compiled
def test_other_types_have_another_name():
    """Or the linker would take a function of the one for that of the other."""
    one, other = typeof(Pair(np.zeros(2), np.zeros(2))), typeof(Pair(np.zeros(2), np.zeros(2, np.float32)))
    assert isinstance(one, Bundle) and one == typeof(Pair(np.ones(3), np.ones(1)))
    assert one != other and one.mangling_args != other.mangling_args


SECOND = """
import pickle, sys
from numba import typeof
from tests.kernels.runtime.test_bundles import house
read = pickle.loads(bytes.fromhex(sys.argv[1]))
assert hash(read) == hash(typeof(house())) and {read: 1}[typeof(house())]
"""


@compiled
def test_another_process_knows_the_type_again():
    """Or it would find no kernel in the cache: hashes differ between processes."""
    written = pickle.dumps(typeof(house())).hex()
    for seed in ("1", "2"):
        subprocess.run(
            [sys.executable, "-c", SECOND, written], check=True, cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": seed}
        )


@inner
def with_number(pair):
    return swapped(pair), 1


@kernel
def return_within_a_tuple(pair):
    made, number = with_number(pair)
    return made.left[0] + number


@compiled
def test_a_bundle_within_a_returned_tuple_is_refused():
    """Its block would be gone by then."""
    with pytest.raises(NotImplementedError, match=r"Pair lies in the frame of .*with_number.*: return it alone"):
        return_within_a_tuple(Pair(np.zeros(2), np.zeros(2)))


@allocating
def new_pair():
    return Pair(np.zeros(3), np.zeros(3))


@kernel
def use_new():
    return new_pair().left[0]


@compiled
def test_a_bundle_of_new_arrays_is_refused():
    """Nobody would hold them."""
    with pytest.raises(NotImplementedError, match=r"Pair does not keep arrays that .*new_pair.* may have made"):
        use_new()


@kernel
def with_constants(out):
    out[0] = add(out, 1) + add(out, 2) + add(out, len(out))


@inner
def add(out, n):
    return out[0] + n


@compiled
def test_a_function_is_compiled_once_for_all_constants():
    out = np.zeros(1)
    with_constants(out)
    assert out[0] == 4.0
    if not add.overloads:  # the caller came from the cache
        with_constants.recompile()
    assert len(add.overloads) == 1
