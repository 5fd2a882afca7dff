"""Weights of eight slots of a document's topic nodes at a time, in vector operations that LLVM does not generate by
itself."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

from pitmanyor.kernels.runtime.simd import WIDTH

if vars(config)["DISABLE_JIT"]:
    from pitmanyor.kernels.runtime.simd import prefix_sums

    def _eight(place, h):
        return slice(int(place) + int(h), int(place) + int(h) + WIDTH)

    def weigh_lanes(rows, up, shares, terms, out, form, bases, topic, values, row, gain, h, carry, factors):
        stay, zero = rows[_eight(terms[0], h)], rows.dtype.type(0.0)
        opens = rows[_eight(terms[1], h)] * (shares[0] * rows[_eight(up[0], h)] + shares[1] * rows[_eight(up[1], h)])
        if len(factors):
            factor = factors[_eight(0, h)].astype(rows.dtype)
            stay, opens = stay * factor, opens * factor
        for r in range(int(bases[0])):
            opens = opens - form[r] * rows[_eight(r * int(bases[1]), h)]
            if not len(factors):
                opens = np.maximum(opens, zero)
        weights = (stay + gain * opens) * values[int(row) + topic[_eight(0, h)].astype(np.int64)]
        if len(factors):
            weights = np.maximum(weights, zero)
        rows[_eight(out, h)] = prefix_sums(weights) + carry
        return rows[_eight(out, h)][-1]

    def value_lanes(rows, out, up, shares, terms, gain, scale, h):
        base = shares[0] * rows[_eight(up[0], h)] + shares[1] * rows[_eight(up[1], h)]
        opened = gain * rows[_eight(terms[1], h)] * base
        rows[_eight(out, h)] = (rows[_eight(terms[0], h)] + opened) * scale

else:
    from pitmanyor.kernels.runtime.simd import (
        INT32,
        add_carry,
        align_of,
        build_sums,
        data_of,
        load_eight,
        place_of,
        real_of,
        spread_over,
        vector_of,
        weights_of,
    )  # fmt: skip

    def _row_reader(context: Any, builder: Any, signature: Any, args: Any, h: Any) -> Any:
        """A reader of eight numbers from h on of a row of the first argument, which starts at `place`; `i` selects one
        of several."""
        element, data = real_of(signature.args[0]), data_of(context, builder, signature.args[0], args[0])

        def read(place: Any, i: int | None = None) -> Any:
            start = place if i is None else builder.extract_value(place, i)
            return load_eight(builder, data, builder.add(start, h), element)

        return read

    def _mixed(builder: Any, read: Any, up: Any, shares: Any) -> Any:
        """Two rows by their shares."""
        parts = [builder.fmul(spread_over(builder, builder.extract_value(shares, i)), read(up, i)) for i in (0, 1)]
        return builder.fadd(*parts)

    def _not_below_zero(builder: Any, x: Any) -> Any:
        zero = ir.Constant(x.type, [x.type.element(0.0)] * WIDTH)
        return builder.select(builder.fcmp_ordered(">", x, zero), x, zero)

    @intrinsic
    def weigh_lanes(
        typing: Any, rows: Any, up: Any, shares: Any, terms: Any, out: Any, form: Any, bases: Any, topic: Any,
        values: Any, row: Any, gain: Any, h: Any, carry: Any, factors: Any,
    ) -> Any:  # fmt: skip
        """As `cumulate`, of rows that start at the given indices: stay + gain * opens, times values[row + topic].

        `opens` is open times the mixture of two rows, less what `form` has of the first rows: `bases` are their number
        and how far apart they lie. They are subtracted one by one, with 0 as the lower bound. `terms` has the places of
        stay and open, `out` that of the sums. `factors`, of double precision unless it is an empty tuple, multiply stay
        and open; then it is weights that do not fall below 0.
        """

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            element = real_of(signature.args[0])
            _, up, shares, terms, out, form, bases, topic, values, row, gain, h, carry, more = args
            read = _row_reader(context, builder, signature, args, h)
            form_data = data_of(context, builder, signature.args[5], form)
            n_rows, width = (builder.extract_value(bases, i) for i in (0, 1))
            stay, opening = read(terms, 0), builder.fmul(read(terms, 1), _mixed(builder, read, up, shares))
            if scaled:
                kind = signature.args[13]
                factor = load_eight(builder, data_of(context, builder, kind, more), h, real_of(kind))
                factor = factor if real_of(kind) == element else builder.fptrunc(factor, vector_of(element))
                stay, opening = builder.fmul(stay, factor), builder.fmul(opening, factor)
            opens = cgutils.alloca_once_value(builder, opening)
            with cgutils.for_range(builder, n_rows) as loop:
                share = spread_over(builder, builder.load(builder.gep(form_data, [loop.index])))
                taken = builder.fmul(share, read(builder.mul(loop.index, width)))
                left = builder.fsub(builder.load(opens), taken)
                builder.store(left if scaled else _not_below_zero(builder, left), opens)
            k = load_eight(builder, data_of(context, builder, signature.args[7], topic), h, INT32)
            first = builder.gep(data_of(context, builder, signature.args[8], values), [row])
            w = weights_of(builder, stay, builder.load(opens), k, first, gain)
            w = _not_below_zero(builder, w) if scaled else w
            w, last = add_carry(builder, build_sums(builder, w), carry)
            place = place_of(
                builder, data_of(context, builder, signature.args[0], args[0]), builder.add(out, h), element
            )
            builder.store(w, place, align=align_of(element))
            return last

        real, pair = rows.dtype, types.UniTuple(types.uint64, 2)
        at, scaled = types.uint64, isinstance(factors, types.Array)
        shared = types.UniTuple(real, 2)
        return real(rows, pair, shared, pair, at, form, pair, topic, values, at, real, at, real, factors), generate

    @intrinsic
    def value_lanes(
        typing: Any, rows: Any, out: Any, up: Any, shares: Any, terms: Any, gain: Any, scale: Any, h: Any
    ) -> Any:
        """out = (stay + gain * open * base) * scale over eight slots from h on; rows start at the given indices.

        `terms` has the places of stay and open; the base mixes the two rows `up` by their shares.
        """

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            _, out, up, shares, terms, gain, scale, h = args
            element, read = real_of(signature.args[0]), _row_reader(context, builder, signature, args, h)
            base = _mixed(builder, read, up, shares)
            opened = builder.fmul(builder.fmul(spread_over(builder, gain), read(terms, 1)), base)
            value = builder.fadd(read(terms, 0), opened)
            place = place_of(
                builder, data_of(context, builder, signature.args[0], args[0]), builder.add(out, h), element
            )
            builder.store(builder.fmul(value, spread_over(builder, scale)), place, align=align_of(element))
            return context.get_dummy_value()

        real, pair = rows.dtype, types.UniTuple(types.uint64, 2)
        shared = types.UniTuple(real, 2)
        return types.void(rows, types.uint64, pair, shared, pair, real, real, types.uint64), generate
