"""Stirling ratios against mpmath and plain recursion; table draws against the exact pmf."""

from __future__ import annotations

import importlib.util
import json
import math
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from outside import outside
from pitmanyor.kernels.numbers import stirling, stirling_contour, stirling_tables
from pitmanyor.kernels.numbers.stirling import StirlingTables, build_tables, grow
from quick_fill import fill_rows

draw_tables, log_stirling = outside(stirling.draw_tables), outside(stirling.log_stirling)
open_ratio, ratio, stay_ratio = map(outside, (stirling.open_ratio, stirling.ratio, stirling.stay_ratio))
ratio_beyond = outside(stirling_contour.ratio_beyond)

FILL = stirling_tables._fill  # before it is replaced (conftest.py)

HERE = Path(__file__).parent
DISCOUNTS = (0.0, 0.01, 0.5, 0.7, 0.99)
REFERENCE = json.loads((HERE / "stirling_reference.json").read_text())
KEY = np.uint64(20_240_607)


def reference_methods() -> ModuleType:
    """The script that wrote the reference, as a module."""
    spec = importlib.util.spec_from_file_location("make_stirling_reference", HERE / "make_stirling_reference.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def tables() -> StirlingTables:
    return build_tables(DISCOUNTS, 600, 100)


@pytest.fixture(scope="module")
def tiny() -> StirlingTables:
    """Tables so small that nearly everything is beyond them."""
    return build_tables(DISCOUNTS, 4, 2)


def exact_row(a: float, c: int) -> list[Fraction]:
    """S(c,0), ..., S(c,c) by the defining recursion in exact arithmetic."""
    discount = Fraction(a)
    row = [Fraction(1)]
    for n in range(c):
        row = [
            (row[t - 1] if t > 0 else Fraction(0)) + ((n - t * discount) * row[t] if t <= n else Fraction(0))
            for t in range(n + 2)
        ]
    return row


def points(low: int, high: int) -> list[list[float]]:
    return [row for row in REFERENCE if low <= row[1] <= high]


def worst_error(tables: StirlingTables, rows: list[list[float]]) -> tuple[float, list[float]]:
    errors = [(abs(ratio(tables, DISCOUNTS.index(a), c, t) / v - 1.0), [a, c, t]) for a, c, t, v in rows]
    return max(errors)


@pytest.mark.nojit
@pytest.mark.parametrize("i", range(len(DISCOUNTS)))
def test_ratios_follow_the_defining_recursion(tables: StirlingTables, tiny: StirlingTables, i: int) -> None:
    for c in (2, 3, 4, 9, 25):
        row = exact_row(DISCOUNTS[i], c)
        for t in range(1, c):
            expected = float(row[t + 1] / row[t])
            assert ratio(tables, i, c, t) == pytest.approx(expected, rel=1e-13)
            assert ratio(tiny, i, c, t) == pytest.approx(expected, rel=2e-13)
        assert ratio(tables, i, c, c) == 0.0
        assert ratio(tiny, i, c, c) == 0.0


@pytest.mark.parametrize("a", DISCOUNTS)
def test_the_methods_behind_the_reference_agree(a: float) -> None:
    """Finite sums and power series in mpmath against the exact recursion, and the contour against both."""
    methods = reference_methods()
    row = exact_row(a, 30)
    for t in (1, 4, 15, 26, 29):
        exact = float(row[t + 1] / row[t])
        assert float(methods.small_t(a, 30, t)) == pytest.approx(exact, rel=1e-15)
        assert float(methods.near_c(a, 30, t)) == pytest.approx(exact, rel=1e-15)
    for method, c, t in ((methods.small_t, 20_000, 9), (methods.near_c, 20_000, 19_988)):
        with mpmath.workdps(40):
            assert abs(methods.contour(a, c, t) / method(a, c, t) - 1) < mpmath.mpf(10) ** -24
            assert ratio_beyond(a, float(c), float(t)) == pytest.approx(float(method(a, c, t)), rel=5e-13)


def test_ratios_against_mpmath_to_20000_customers() -> None:
    rows = points(0, 20_000)
    assert len(rows) > 400
    assert worst_error(build_tables(DISCOUNTS, 4096, 512, max_bytes=2**28), rows)[0] < 1e-12


def test_ratios_against_mpmath_beyond_any_table(tiny: StirlingTables) -> None:
    assert worst_error(tiny, points(0, 20_000))[0] < 5e-13
    rows = points(20_001, 100_000_000)
    assert len(rows) > 250
    assert worst_error(tiny, rows)[0] < 1e-12


@pytest.mark.nojit
def test_ratios_beyond_the_table_without_the_compiler(tiny: StirlingTables) -> None:
    assert worst_error(tiny, REFERENCE[::40])[0] < 1e-12


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    a=st.one_of(st.sampled_from(DISCOUNTS), st.floats(0.0, 0.999)),
    c=st.one_of(st.integers(4, 60), st.integers(61, 100_000_000)),
    share=st.floats(0.0, 1.0),
    end=st.sampled_from(["few", "power", "share", "nearly all"]),
)
def test_beyond_the_table_the_row_recursion_holds(a: float, c: int, share: float, end: str) -> None:
    """V(c+1,t) from V(c,t) and V(c,t-1), all three by contour; positive and finite everywhere."""
    most = c - 2
    guess = {"few": 2 + 50 * share, "power": 3 * share * c**a, "share": share * c, "nearly all": c - 2 - 50 * share}
    t = min(max(2, round(guess[end])), most)
    here, left, below = (ratio_beyond(a, float(n), float(k)) for n, k in ((c, t), (c, t - 1), (c + 1, t)))
    assert 0.0 < here < math.inf
    assert 0.0 < left < math.inf
    expected = (1.0 + (c - (t + 1) * a) * here) / (1.0 / left + c - t * a)
    assert below == pytest.approx(expected, rel=2e-12)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(i=st.integers(0, len(DISCOUNTS) - 1), c=st.integers(2, 900), share=st.floats(0.0, 1.0))
def test_stay_and_open_are_ratios_of_log_stirling(tables: StirlingTables, i: int, c: int, share: float) -> None:
    """Across the edge of the table too: c to 900 where the table ends at 600, t to 900 where it ends at 100."""
    t = min(max(1, round(share * c)), c)
    here = log_stirling(tables, i, c, t)
    assert math.log(stay_ratio(tables, i, c, t)) == pytest.approx(log_stirling(tables, i, c + 1, t) - here, abs=1e-10)
    assert math.log(open_ratio(tables, i, c, t)) == pytest.approx(
        log_stirling(tables, i, c + 1, t + 1) - here, abs=1e-10
    )


@pytest.mark.nojit
def test_empty_and_single_dishes(tables: StirlingTables) -> None:
    assert stay_ratio(tables, 2, 0, 0) == 0.0
    assert open_ratio(tables, 2, 0, 0) == 1.0
    assert stay_ratio(tables, 2, 1, 1) == 0.5
    assert open_ratio(tables, 2, 1, 1) == 1.0
    assert log_stirling(tables, 2, 0, 0) == 0.0
    assert log_stirling(tables, 2, 1, 1) == 0.0
    assert log_stirling(tables, 2, 3, 4) == -math.inf


@pytest.mark.nojit
@pytest.mark.parametrize("i", range(len(DISCOUNTS)))
def test_log_stirling_is_exact(tables: StirlingTables, tiny: StirlingTables, i: int) -> None:
    row = exact_row(DISCOUNTS[i], 40)
    for t in (1, 2, 20, 38, 39, 40):
        expected = math.log(row[t].numerator) - math.log(row[t].denominator)
        assert log_stirling(tables, i, 40, t) == pytest.approx(expected, rel=1e-13, abs=1e-12)
        assert log_stirling(tiny, i, 40, t) == pytest.approx(expected, rel=1e-13, abs=1e-12)


def test_growing_reaches_further_and_changes_nothing_else() -> None:
    small = build_tables([0.0, 0.5], 40, 10)
    large = grow(small, 1, 50, 10)
    assert large.n_rows.tolist() == [41, 82]
    assert large.n_cols.tolist() == [11, 11]
    assert grow(large, 1, 81, 10) is large
    whole = build_tables([0.5], 81, 10)
    assert np.array_equal(large.ratios[large.offset[1] :], whole.ratios)
    assert np.array_equal(large.ratios[: large.offset[1]], small.ratios[: small.offset[1]])


def test_memory_is_bounded() -> None:
    bound = 2**20
    built = build_tables([0.0, 0.3, 0.6], 10**7, 10**5, max_bytes=bound)
    assert bound / 4 < built.ratios.nbytes <= bound
    small = build_tables([0.0, 0.3, 0.6], 100, 50, max_bytes=bound)
    grown = grow(small, 2, 10**7, 10**5, max_bytes=bound)
    assert small.ratios.nbytes < grown.ratios.nbytes <= bound
    assert (grown.n_rows >= small.n_rows).all()
    assert (grown.n_cols >= small.n_cols).all()
    assert grow(grown, 2, 10**7, 10**5, max_bytes=bound) is grown


@pytest.mark.parametrize(("discounts", "message"), [([0.5, 1.0], "1.0 is outside"), ([-0.1], "outside"), ([], "one")])
def test_bad_discounts_are_refused(discounts: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build_tables(discounts)


def exact_pmf(a: float, c: int, log_y: float) -> NDArray[np.float64]:
    """The pmf of t = 1..c from the ratios of a table that holds the whole row."""
    whole = build_tables([a], c, c, max_bytes=2**28)
    log_w = np.concatenate(([0.0], np.cumsum([math.log(ratio(whole, 0, c, t)) + log_y for t in range(1, c)])))
    weights = np.exp(log_w - log_w.max())
    return weights / weights.sum()


def draws(tables: StirlingTables, i: int, c: int, log_y: float, size: int) -> NDArray[np.int64]:
    n, out = 0, np.empty(size, dtype=np.int64)
    for j in range(size):
        out[j], n = draw_tables(tables, i, c, log_y, KEY, n)
    return out


def p_value(sample: NDArray[np.int64], pmf: NDArray[np.float64]) -> float:
    """Chi-square over runs of t that expect at least ten draws each."""
    expected, observed = [0.0], [0]
    counts = np.bincount(sample, minlength=len(pmf) + 1)[1:]
    for e, o in zip(pmf * len(sample), counts, strict=True):
        if expected[-1] >= 10.0:
            expected.append(0.0)
            observed.append(0)
        expected[-1] += e
        observed[-1] += int(o)
    if len(expected) > 1 and expected[-1] < 10.0:
        last, few = expected.pop(), observed.pop()
        expected[-1] += last
        observed[-1] += few
    if len(expected) == 1:
        return 1.0
    return float(stats.chisquare(observed, expected).pvalue)


CASES = [(0, 2, 0.3), (2, 5, 0.0), (4, 6, 1.2), (4, 60, 3.6), (1, 40, 2.0), (2, 300, 1.5), (3, 500, 4.0), (3, 590, 6.0)]
BEYOND = [
    (0, 2000, 3.0),
    (1, 1500, -1.0),
    (2, 3000, 2.0),
    (2, 3000, 12.0),
    (3, 2500, 5.0),
    (4, 3000, 7.6),
    (3, 900, -9.0),
]


@pytest.mark.parametrize(("i", "c", "log_y"), CASES + BEYOND)
def test_draws_have_the_exact_pmf(tables: StirlingTables, i: int, c: int, log_y: float) -> None:
    pmf = exact_pmf(DISCOUNTS[i], c, log_y)
    assert p_value(draws(tables, i, c, log_y, 5_000), pmf) > 1e-3


@pytest.mark.parametrize(("i", "c", "log_y"), CASES)
def test_draws_have_the_same_pmf_whatever_the_table(tiny: StirlingTables, i: int, c: int, log_y: float) -> None:
    pmf = exact_pmf(DISCOUNTS[i], c, log_y)
    assert p_value(draws(tiny, i, c, log_y, 2_000), pmf) > 1e-3


def test_draws_of_millions_of_customers_are_centred(tables: StirlingTables) -> None:
    """E[V(c,t) y] = P(t > 1), which is 1 here: an identity that needs no normalising constant."""
    for i, c, log_y in ((2, 5_000_000, 3.0), (3, 2_000_000, 6.0), (0, 10_000_000, 4.0)):
        y = math.exp(log_y)
        sample = draws(tables, i, c, log_y, 500)
        steps = np.array([ratio(tables, i, c, t) * y for t in sample])
        assert abs(steps.mean() - 1.0) < 4.0 * steps.std() / math.sqrt(len(steps))
        assert sample.std() > 1.0


@pytest.mark.nojit
def test_draws_at_the_edges(tables: StirlingTables, tiny: StirlingTables) -> None:
    assert draw_tables(tables, 2, 0, 0.0, KEY, 5) == (0, 5)
    assert draw_tables(tables, 2, 1, 0.0, KEY, 5) == (1, 5)
    for c in (2, 50, 590, 5_000, 1_000_000):
        for i in range(len(DISCOUNTS)):
            for which in (tables, tiny):
                assert draw_tables(which, i, c, -700.0, KEY, 0)[0] == 1
                assert draw_tables(which, i, c, 700.0, KEY, 0)[0] == c
                assert draw_tables(which, i, c, -1e9, KEY, 0)[0] == 1
                assert draw_tables(which, i, c, 1e9, KEY, 0)[0] == c


@pytest.mark.nojit
def test_a_draw_tells_how_many_uniforms_it_used(tables: StirlingTables) -> None:
    """One in the table; beyond it two a try. The next draw starts there, so a stream never repeats."""
    assert draw_tables(tables, 2, 300, 1.0, KEY, 7)[1] == 8
    used = [draw_tables(tables, 2, 5_000, 1.0, KEY, 10 * j)[1] - 10 * j for j in range(40)]
    assert all(n >= 2 and n % 2 == 0 for n in used)
    assert sum(used) / 40 < 5.0


@pytest.mark.nojit
@pytest.mark.parametrize("shape", [(1, 1), (2, 1), (3, 2), (9, 4), (40, 40), (300, 60)])
@pytest.mark.parametrize("a", DISCOUNTS)
def test_tables_filled_row_by_row_have_the_same_bytes(a, shape):
    """With the JIT off all other tests have tables that are filled so."""
    filled = [np.full(3 + math.prod(shape), -1.0) for _ in range(2)]
    for ratios, fill in zip(filled, (FILL, fill_rows), strict=True):
        ratios[3:] = 0.0
        fill(ratios, 3, *shape, a)
    assert filled[0].tobytes() == filled[1].tobytes()
