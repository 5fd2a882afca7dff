"""No token joins a slot without weight, such as that of a topic that is not held, wherever rounding leads."""

from typing import NamedTuple

import numpy as np
import pytest
from numba import config

from pitmanyor.kernels.documents.one_node import topic_draw as one_node
from pitmanyor.kernels.documents.topic_nodes import topic_draw as topic_nodes
from pitmanyor.kernels.documents.topic_nodes.scratch import Frame, prefix_row
from pitmanyor.kernels.runtime.simd import WIDTH, cumulate

# Compiled, kernels would be kept with the types of these tuples, which no other process knows.
plain = pytest.mark.skipif(not config.DISABLE_JIT, reason="about the plain Python of the kernels")
pytestmark = [pytest.mark.nojit, plain]
SHUT = WIDTH - 1  # the slot without weight
N_HELD = 20


class Slots(NamedTuple):
    """What a draw reads of the scratch of a document with one node."""

    stay: np.ndarray
    opening: np.ndarray
    topic: np.ndarray
    column: np.ndarray
    weights: np.ndarray


class Net(NamedTuple):
    stay: np.ndarray


def slots(seed: int) -> tuple[Net, Slots]:
    """Twelve slots, of which the eighth is of a topic that is not held, as `load` leaves them."""
    rng, n = np.random.default_rng(seed), 12
    topic = np.arange(2 * WIDTH, dtype=np.uint64)
    topic[SHUT] = N_HELD + 3
    column = topic.copy()
    column[SHUT] = 0
    stay = np.zeros(2 * WIDTH, np.float32)
    stay[:n] = rng.gamma(1.0, size=n)
    stay[SHUT] = 0.0
    phi = Net(rng.gamma(0.3, size=N_HELD + WIDTH).astype(np.float32))
    return phi, Slots(stay, np.zeros_like(stay), topic, column, np.zeros_like(stay))


def summed(net: Net, active: Slots) -> None:
    """Prefix sums of the weights, by vectors."""
    total, none = np.float32(0.0), (np.uint64(0), active.stay[0], active.opening[0])
    for h in range(0, len(active.stay), WIDTH):
        total = cumulate(
            active.stay, active.opening, active.column, net.stay, active.weights,
            np.uint64(0), np.float32(0.5), np.uint64(h), total, none, none,
        )  # fmt: skip


def test_sums_of_a_slot_without_weight_may_differ_in_the_last_digit() -> None:
    """This is why a draw must look twice: eight sums are added in another order."""
    found = 0
    for seed in range(100):
        net, active = slots(seed)
        summed(net, active)
        found += bool(active.weights[SHUT] > active.weights[SHUT - 1])
    assert found > 0


def test_no_token_of_one_node_joins_it() -> None:
    for seed in range(100):
        net, active = slots(seed)
        summed(net, active)
        for x in (active.weights[SHUT - 1], active.weights[SHUT]):
            for near in (np.nextafter(x, np.float32(0.0)), x, np.nextafter(x, np.float32(np.inf))):
                assert one_node.slot_at(net, active, np.float32(0.5), np.uint64(0), 12, near) != SHUT


class Rows(NamedTuple):
    """What a draw reads of the scratch of several nodes."""

    reals: np.ndarray
    topic: np.ndarray


def test_no_token_of_several_nodes_joins_it() -> None:
    frame = Frame(N_HELD, 2, 1, 1, np.uint64(2 * WIDTH))
    prefix = int(prefix_row(frame))
    rows = Rows(np.zeros(prefix + 4 * WIDTH, np.float32), np.arange(2 * WIDTH, dtype=np.int64))
    weights = np.cumsum(np.r_[0.0, 0.0, np.ones(10)]).astype(np.float32)
    rows.reals[prefix : prefix + 12] = weights
    rows.reals[prefix + 12 :] = np.inf
    rows.topic[SHUT] = N_HELD + 3
    rows.reals[prefix + SHUT] = np.nextafter(weights[SHUT - 1], np.float32(np.inf))
    assert topic_nodes.slot_below(rows, frame, weights[SHUT - 1], 12) == SHUT + 1
    assert topic_nodes.slot_below(rows, frame, np.float32(0.5), 12) == 2
