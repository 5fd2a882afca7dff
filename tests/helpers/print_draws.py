"""Print draws as exact hexadecimal floats. The tests run it with the compiler on and off and compare the bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numba import njit

from outside import outside
from pitmanyor.kernels.numbers import draws, stable_row_draws
from pitmanyor.kernels.runtime import random

bits, philox, stream_key, uniform = map(outside, (random.bits, random.philox, random.stream_key, random.uniform))
new_lanes = outside(stable_row_draws.new_lanes)

CASES: dict[str, list[tuple[float, ...]]] = {
    "normal": [()],
    "exponential": [()],
    "gamma": [(0.0,), (1e-3,), (0.3,), (1.0,), (7.5,), (1e9,)],
    "log_gamma": [(0.0,), (1e-300,), (0.3,), (7.5,)],
    "log_one_minus_beta": [(0.0, 0.1), (5.0, 0.3), (1e12, 1e-12)],
    "binomial": [(0, 0.3), (12, 0.3), (40, 0.9), (1000, 0.4), (10**9, 0.7)],
    "bernoulli_sum_tables": [(0, 1.0), (9, 0.0), (100, 0.3), (100, 40.0), (10**8, 2.0)],
    "bernoulli_sum_concentration": [(50, 0.0, 1.0), (50, 0.7, 3.0), (10**7, 0.5, 0.1)],
    "tilted_stable": [(a, m) for a in (0.01, 0.3, 0.5, 0.7, 0.99) for m in (0.0, 1e-12, 0.4, 2.0, 40.0, 1e4)],
    "log_tilted_stable": [(a, m) for a in (0.01, 0.3, 0.5, 0.7, 0.99) for m in (0.0, 1e-300, 0.4, 2.0, 1e4)],
}


def draw(name: str, arguments: tuple[float, ...], size: int) -> Iterator[str]:
    function: Callable[..., tuple[float, int]] = outside(getattr(draws, name))
    key, n = np.uint64(stream_key(11, 0, 0, 0, 0)), 0
    for _ in range(size):
        value, n = function(*arguments, key, n)
        yield f"{name}{arguments} {float(value).hex()} {int(n)}"


@njit
def fill_row(lanes: stable_row_draws.Lanes, size: int, a: float, key: np.uint64) -> int:
    for k in range(size):
        lanes.power[k], lanes.fraction[k] = stable_row_draws.split_power(-0.7 * k)
    more = stable_row_draws.split_power(2.0 / a)
    stable_row_draws.set_powers(lanes.power[:size], lanes.fraction, more, lanes.whole, lanes.part)
    return stable_row_draws.draw_stable(lanes, size, a, key, 0)


def draw_row(a: float, size: int) -> str:
    lanes = new_lanes(size)
    n = fill_row(lanes, size, a, np.uint64(stream_key(12, 0, 0, 0, 0)))
    return f"row {a} {lanes.value[:size].tobytes().hex()} {int(n)}"


def main() -> None:
    key = np.uint64(stream_key(np.uint64(2**64 - 1), 3, np.uint64(2**63), -1, 7))
    print(int(key), [int(word) for word in philox(1, 2, 3, 4, 5, 6)])
    for n in range(300):
        print(int(bits(key, n)), uniform(key, n).hex())
    for name, cases in CASES.items():
        for arguments in cases:
            print("\n".join(draw(name, arguments, 200 if len(cases) < 7 else 60)))
    for a in (0.1, 0.3, 0.5, 0.7, 0.99):
        print(draw_row(a, 100))


if __name__ == "__main__":
    main()
