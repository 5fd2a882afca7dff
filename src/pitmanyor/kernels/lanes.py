"""Eight numbers at a time, where LLVM does not find the vectors by itself, and reading memory ahead.

A document's topics are few and change with every token. Their weights are summed and searched without a branch: which
topic comes next cannot be guessed, and a wrong guess costs more than eight products. Every sum has one order, so that
the same code in plain Python (`NUMBA_DISABLE_JIT=1`) gives the same bytes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

from pitmanyor.kernels.arrays import BLOCK

WIDTH = 8
LINE = 16  # numbers that memory hands over together
_STEPS = (1, 2, 4)  # a prefix sum of eight: every lane adds the one so many to its left
_HALVES = (4, 2, 1)  # a sum of eight: the left so many lanes add the next

if vars(config)["DISABLE_JIT"]:

    def cumulate(stay, opening, topic, values, out, row, gain, h, carry, late, gone):
        here = slice(int(h), int(h) + WIDTH)
        s, o = stay[here].copy(), opening[here].copy()
        for slot, new_stay, new_opening in (late, gone):
            if here.start <= slot < here.stop:
                s[int(slot) - here.start], o[int(slot) - here.start] = new_stay, new_opening
        w = (s + gain * o) * values[int(row) + topic[here].astype(np.int64)]
        for step in _STEPS:
            w[step:] = w[step:] + w[:-step]
        out[here] = w + carry
        return out[here.stop - 1]

    def count_below(sums, x, h):
        return np.uint64(sum(bool(x >= sums[j]) for j in range(int(h), int(h) + WIDTH)))

    def value_lanes(rows, out, up, shares, terms, stays, gain, scale, h):
        here = slice(int(h), int(h) + WIDTH)
        base = shares[0] * rows[up[0], here] + shares[1] * rows[up[1], here]
        rows[out, here] = (stays * rows[terms[0], here] + gain * rows[terms[1], here] * base) * scale

    def take_lanes(rows, out, row, share, h):
        here = slice(int(h), int(h) + WIDTH)
        rows[out, here] = np.maximum(rows[out, here] - share * rows[row, here], rows.dtype.type(0.0))

    def dot_block(values, a, b):
        w = values[int(a) : int(a) + BLOCK] * values[int(b) : int(b) + BLOCK]
        w = w[:WIDTH] + w[WIDTH:]
        for half in _HALVES:
            w = w[:half] + w[half : 2 * half]
        return w[0]

    def prefetch(array, i):
        return None

else:
    _I32, _I64 = ir.IntType(32), ir.IntType(64)

    def _data(context: Any, builder: Any, kind: Any, value: Any) -> Any:
        return context.make_array(kind)(context, builder, value).data

    def _real(kind: Any) -> Any:
        return ir.FloatType() if kind.dtype == types.float32 else ir.DoubleType()

    def _vector(element: Any) -> Any:
        return ir.VectorType(element, WIDTH)

    def _load(builder: Any, pointer: Any, index: Any, element: Any) -> Any:
        place = builder.bitcast(builder.gep(pointer, [index]), _vector(element).as_pointer())
        return builder.load(place, align=8 if isinstance(element, ir.DoubleType) else 4)

    def _mask(lanes: Any) -> Any:
        return ir.Constant(_vector(_I32), [_I32(lane) for lane in lanes])

    def _spread(builder: Any, value: Any) -> Any:
        nothing = ir.Constant(_vector(value.type), ir.Undefined)
        return builder.shuffle_vector(builder.insert_element(nothing, value, _I32(0)), nothing, _mask([0] * WIDTH))

    def _prefix_sums(builder: Any, w: Any) -> Any:
        zero = ir.Constant(w.type, [w.type.element(0.0)] * WIDTH)
        for step in _STEPS:
            w = builder.fadd(w, builder.shuffle_vector(w, zero, _mask([WIDTH] * step + [*range(WIDTH - step)])))
        return w

    @intrinsic
    def cumulate(typing, stay, opening, topic, values, out, row, gain, h, carry, late, gone):
        """Prefix sums of (stay + gain * opening) * values[row + topic] over eight slots from h on, into `out`.

        They start from `carry`; the last is returned. `late` and `gone` are (slot, stay, opening): terms that are not
        in the arrays yet. A processor cannot hand a number just written to a vector that is read: it would wait.
        """

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            element = _real(signature.args[0])
            stay, opening, topic, values, out = (
                _data(context, builder, kind, value) for kind, value in zip(signature.args[:5], args[:5], strict=True)
            )
            row, gain, h, carry, late, gone = args[5:]
            first = builder.gep(values, [row])
            s, o, k = (_load(builder, x, h, e) for x, e in ((stay, element), (opening, element), (topic, _I32)))
            for change in (late, gone):
                slot, new_stay, new_opening = (builder.extract_value(change, i) for i in range(3))
                lane = _spread(builder, builder.trunc(builder.sub(slot, h), _I32))
                here = builder.icmp_unsigned("==", lane, _mask(range(WIDTH)))
                s = builder.select(here, _spread(builder, new_stay), s)
                o = builder.select(here, _spread(builder, new_opening), o)
            p = ir.Constant(_vector(element), ir.Undefined)
            for lane in range(WIDTH):
                at = builder.zext(builder.extract_element(k, _I32(lane)), _I64)
                p = builder.insert_element(p, builder.load(builder.gep(first, [at])), _I32(lane))
            w = builder.fmul(builder.fadd(s, builder.fmul(_spread(builder, gain), o)), p)
            w = builder.fadd(_prefix_sums(builder, w), _spread(builder, carry))
            place = builder.bitcast(builder.gep(out, [h]), _vector(element).as_pointer())
            builder.store(w, place, align=8 if isinstance(element, ir.DoubleType) else 4)
            return builder.extract_element(w, _I32(WIDTH - 1))

        real = stay.dtype
        change = types.Tuple((types.uint64, real, real))
        return real(stay, opening, topic, values, out, types.uint64, real, types.uint64, real, change, change), generate

    @intrinsic
    def count_below(typing: Any, sums: Any, x: Any, h: Any) -> Any:
        """How many of the eight sums from h on are not above x."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            element = _real(signature.args[0])
            eight = _load(builder, _data(context, builder, signature.args[0], args[0]), args[2], element)
            below = builder.bitcast(builder.fcmp_ordered("<=", eight, _spread(builder, args[1])), ir.IntType(WIDTH))
            return builder.zext(builder.ctpop(below), _I64)

        return types.uint64(sums, sums.dtype, types.uint64), generate

    def _row(builder: Any, rows: Any, row: Any, h: Any, element: Any) -> Any:
        """Eight numbers of a row of a matrix."""
        start = builder.add(builder.mul(row, builder.extract_value(rows.shape, 1)), h)
        return builder.bitcast(builder.gep(rows.data, [start]), _vector(element).as_pointer())

    @intrinsic
    def value_lanes(
        typing: Any, rows: Any, out: Any, up: Any, shares: Any, terms: Any, stays: Any, gain: Any, scale: Any, h: Any
    ) -> Any:
        """rows[out] = (stays * rows[stay] + gain * rows[open] * base) * scale over eight slots from h on.

        `terms` has the numbers of the rows stay and open; the base mixes the two rows `up` by their shares.
        """

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            element, matrix = _real(signature.args[0]), context.make_array(signature.args[0])(context, builder, args[0])
            align = 8 if isinstance(element, ir.DoubleType) else 4

            def place(row: Any) -> Any:
                return _row(builder, matrix, row, args[8], element)

            def row_of(pair: Any, i: int) -> Any:
                return builder.load(place(builder.extract_value(pair, i)), align=align)

            parts = [
                builder.fmul(_spread(builder, builder.extract_value(args[3], i)), row_of(args[2], i)) for i in (0, 1)
            ]
            base = builder.fadd(*parts)
            stay, opens = (row_of(args[4], i) for i in (0, 1))
            opened = builder.fmul(builder.fmul(_spread(builder, args[6]), opens), base)
            value = builder.fadd(builder.fmul(_spread(builder, args[5]), stay), opened)
            builder.store(builder.fmul(value, _spread(builder, args[7])), place(args[1]), align=align)
            return context.get_dummy_value()

        real, pair = rows.dtype, types.UniTuple(types.int64, 2)
        shared = types.UniTuple(real, 2)
        return types.void(rows, types.int64, pair, shared, pair, real, real, real, types.int64), generate

    @intrinsic
    def take_lanes(typing: Any, rows: Any, out: Any, row: Any, share: Any, h: Any) -> Any:
        """rows[out] = max(rows[out] - share * rows[row], 0) over eight slots from h on."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            element, matrix = _real(signature.args[0]), context.make_array(signature.args[0])(context, builder, args[0])
            align = 8 if isinstance(element, ir.DoubleType) else 4
            place, other = (_row(builder, matrix, r, args[4], element) for r in args[1:3])
            taken = builder.fmul(_spread(builder, args[3]), builder.load(other, align=align))
            left = builder.fsub(builder.load(place, align=align), taken)
            zero = ir.Constant(left.type, [element(0.0)] * WIDTH)
            kept = builder.select(builder.fcmp_ordered(">", left, zero), left, zero)
            builder.store(kept, place, align=align)
            return context.get_dummy_value()

        return types.void(rows, types.int64, types.int64, rows.dtype, types.int64), generate

    @intrinsic
    def dot_block(typing: Any, values: Any, a: Any, b: Any) -> Any:
        """The sum of products of two blocks of one array, which start at a and b."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            element, pointer = _real(signature.args[0]), _data(context, builder, signature.args[0], args[0])
            halves = []
            for start in range(0, BLOCK, WIDTH):
                x, y = (_load(builder, pointer, builder.add(i, _I64(start)), element) for i in args[1:])
                halves.append(builder.fmul(x, y))
            w = builder.fadd(*halves)
            for half in _HALVES:
                lanes = [*range(half, 2 * half)] + [0] * (WIDTH - half)
                w = builder.fadd(w, builder.shuffle_vector(w, w, _mask(lanes)))
            return builder.extract_element(w, _I32(0))

        return values.dtype(values, types.int64, types.int64), generate

    @intrinsic
    def prefetch(typing: Any, array: Any, i: Any) -> Any:
        """Have the memory at array[i] come near: it will be read soon."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            place = builder.gep(_data(context, builder, signature.args[0], args[0]), [args[1]])
            byte = ir.IntType(8).as_pointer()
            kind = ir.FunctionType(ir.VoidType(), [byte, _I32, _I32, _I32])
            function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
            builder.call(function, [builder.bitcast(place, byte), _I32(0), _I32(3), _I32(1)])  # to read, keep, data
            return context.get_dummy_value()

        return types.void(array, types.uint64), generate
