"""Compiling is announced once, when it begins; its time is told at the end; a kernel that is ready says nothing."""

import numba
import pytest
from numba import njit

from pitmanyor.kernels.runtime.compile_notice import BEFORE, compile_notice

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


def pair(module="pitmanyor.kernels.here"):
    """A kernel of a module and what it calls, compiled at their first call."""

    def inner(x):
        return 2.0 * x

    inner.__module__ = module
    called = njit(inner)

    def outer(x):
        return called(x) + 1.0

    outer.__module__ = module
    return njit(outer)


def test_one_line_before_the_first_kernel_and_one_after_the_last():
    told = []
    with compile_notice(told.append):
        assert told == []
        assert pair()(1.0) == 3.0
        pair()(2.0)
        assert told == [BEFORE]
    assert len(told) == 2 and told[1].startswith("Compiling took")


def test_nothing_is_said_of_kernels_that_are_ready():
    told, ready = [], pair()
    ready(1.0)
    with compile_notice(told.append):
        ready(2.0)
    assert told == []


def test_nor_of_what_other_packages_compile():
    told = []
    with compile_notice(told.append):
        pair("elsewhere")(1.0)
    assert told == []


def test_the_time_is_told_although_the_fit_failed():
    told = []
    with pytest.raises(KeyError), compile_notice(told.append):
        pair()(1.0)
        raise KeyError
    assert len(told) == 2
