"""Log densities of the masses behind explicit vectors: tilted stable with a discount, Gamma without (maths 4 and 6)."""

from __future__ import annotations

import math

from pitmanyor.kernels.numbers.curves import read_line
from pitmanyor.kernels.runtime.jit import inlined, kernel


@inlined
def log_tilted(density, log_m, log_x):
    """log density at x of a tilted stable variable of mass m; `density` is a `network.density.StableDensity`."""
    a = density.discount
    log_y = (log_m - a * log_x) / (1.0 - a)
    smooth = read_line(density.curve, density.start, density.step, log_y, -a, -0.5)
    log_z = log_x - log_m / a
    bulk = math.exp(log_m) - math.exp(log_x) - density.lowest * math.exp(min(log_y, 700.0))
    return math.log(a / (1.0 - a)) - log_z / (1.0 - a) - log_m / a + smooth + bulk


@kernel
def log_tilted_many(density, log_m, log_x, out):
    """`log_tilted` for arrays."""
    for i in range(len(out)):
        out[i] = log_tilted(density, log_m[i], log_x[i])
