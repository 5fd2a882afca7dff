"""Arrays of a file with something changed in them."""

import numpy as np


def changed(rng, array):
    """The array with some of its numbers, its type or its shape changed."""
    out, kind = array.copy(), rng.choice(["number", "number", "number", "bit", "swap", "all", "type", "shape"])
    if kind == "type":
        return out.astype(rng.choice([np.float32, np.float64, np.int32, np.int64, np.uint8, np.uint16]))
    if kind == "shape" or not out.size:
        return rng.choice([out[:-1], out.reshape(-1), out[None], np.concatenate([out, out])])
    flat = out.reshape(-1)
    at = rng.randrange(flat.size)
    if kind == "bit":
        flat.view(np.uint8)[at * flat.itemsize + rng.randrange(flat.itemsize)] ^= 1 << rng.randrange(8)
    elif kind == "swap":
        other = rng.randrange(flat.size)
        flat[at], flat[other] = flat[other], flat[at]
    else:
        value = rng.choice([0, 1, 2, 7, 100, -1, "most", "least", "above", "nan", "inf", "tiny"])
        flat[slice(None) if kind == "all" else at] = _number(flat, value)
    return out


def _number(flat, value):
    is_real = flat.dtype.kind == "f"
    limits = np.finfo(flat.dtype) if is_real else np.iinfo(flat.dtype)
    named = {"most": limits.max, "least": limits.min, "above": flat.max(), "nan": 3, "inf": 5, "tiny": 4}
    named |= {"nan": np.nan, "inf": np.inf, "tiny": limits.tiny} if is_real else {}
    value = named.get(value, value)
    return limits.max if value == -1 and flat.dtype.kind == "u" else value
