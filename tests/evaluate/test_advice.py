"""What to do next: how many more sweeps, and how long they take."""

import math
from types import SimpleNamespace

import pytest

from pitmanyor.evaluate.advice import Target, advise
from pitmanyor.evaluate.convergence import Quantity

TARGET = Target(rhat=1.05, ess=100.0)


def chain(n_sweeps=500, seconds=100.0):
    return SimpleNamespace(n_sweeps=n_sweeps, seconds=seconds)


def quantity(rhat=1.0, ess=500.0):
    return Quantity("log_joint", 0.0, 1.0, rhat, ess)


def test_settled_chains_need_nothing():
    found = advise([chain()] * 4, [quantity()], TARGET, settled=True, agreed=True)
    assert (found.sentences, found.sweeps, found.seconds) == (["Nothing more to run."], None, None)


@pytest.mark.parametrize(
    ("rhat", "ess", "more"),
    [
        (math.sqrt(1 + 2 * (1.05**2 - 1)), 500.0, 500),  # twice the excess: twice the sweeps
        (1.0, 50.0, 500),  # half the draws: twice the sweeps
        (1.0, 90.0, 56),
        (1.0, 99.0, 50),  # a handful of sweeps would be no advice
        (3.0, 5.0, 1500),  # never more than four times as many at once
        (math.inf, 5.0, 1500),
        (math.nan, math.nan, 1500),
    ],
)
def test_as_many_sweeps_as_the_worst_quantity_asks_for(rhat, ess, more):
    found = advise([chain()] * 4, [quantity(), quantity(rhat, ess)], TARGET, settled=False, agreed=True)
    assert found.sweeps == 500 + more and found.seconds == pytest.approx(more * 0.2)
    assert found.sentences[0].startswith(f"Resume for about {more:,} more sweeps ({500 + more:,} in all), ")


def test_time_is_that_of_the_slowest_chain():
    found = advise([chain(), chain(500, 250.0)], [quantity(ess=50.0)], TARGET, settled=False, agreed=True)
    assert found.seconds == pytest.approx(250.0) and "about 4 minutes" in found.sentences[0]


def test_chains_in_different_modes_are_told_apart_from_chains_that_are_too_short():
    far = [quantity(rhat=3.0)]
    stuck = advise([chain()] * 4, far, TARGET, settled=False, agreed=False)
    assert "different modes" in stuck.sentences[1] and "stacking" in stuck.sentences[1]
    assert len(advise([chain()] * 4, far, TARGET, settled=False, agreed=True).sentences) == 1
    near = [quantity(rhat=1.06)]
    assert len(advise([chain()] * 4, near, TARGET, settled=False, agreed=False).sentences) == 1


def test_where_sweeps_do_not_help_topics_do():
    (said,) = advise([chain()] * 4, [quantity()], TARGET, settled=False, agreed=False).sentences
    assert said.startswith("More sweeps will not change this: use the topics that all chains found")


def test_one_chain_is_told_to_run_four():
    found = advise([chain()], [quantity()], TARGET, settled=False, agreed=False)
    assert found.sweeps is None and found.sentences == [
        "Run four chains to compare: chains=4, or --chains 4 on the command line."
    ]


def test_before_the_first_sweep_there_is_something_to_run():
    found = advise([chain(0, 0.0)], [], TARGET, settled=False, agreed=False)
    assert found.sentences[-1].startswith("Run four chains")
