"""Draws from the distributions the sampler needs: every one is `(arguments..., key, n) -> (value, n)`.

`key` and `n` are a stream of `kernels.runtime.random`; the counter that comes back is where the next draw starts.
No draw allocates, and none divides by zero or overflows on the arguments it documents. The bytes are the same with
the compiler off. The code lives in `gamma_draws`, `count_draws` and `stable_draws`; import from here.
"""

from __future__ import annotations

from pitmanyor.kernels.numbers.count_draws import bernoulli_sum_concentration, bernoulli_sum_tables, binomial
from pitmanyor.kernels.numbers.gamma_draws import exponential, gamma, log_gamma, log_one_minus_beta, normal
from pitmanyor.kernels.numbers.stable_draws import log_tilted_stable, tilted_stable

__all__ = [
    "bernoulli_sum_concentration",
    "bernoulli_sum_tables",
    "binomial",
    "exponential",
    "gamma",
    "log_gamma",
    "log_one_minus_beta",
    "log_tilted_stable",
    "normal",
    "tilted_stable",
]
