"""Vector operations on eight numbers that LLVM does not generate by itself, and prefetching.

A document's topics are few and change with every token. Their weights are summed and searched without a branch: the
next topic cannot be predicted, and a misprediction costs more than eight products. Every sum has a fixed order, so that
the same code in plain Python (`NUMBA_DISABLE_JIT=1`) gives the same bytes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

from pitmanyor.kernels.restaurant.arrays import BLOCK

WIDTH = 8
LINE = 16  # float32 numbers per cache line
HALF = WIDTH // 2  # a processor moves numbers within half a vector in one step, and across in several
_STEPS = (1, 2)  # prefix sum of four: in each step a lane adds the one that many places to its left
_HALVES = (4, 2, 1)  # sum of eight: in each step that many lanes on the left add the ones after them

if vars(config)["DISABLE_JIT"]:

    def prefix_sums(w):
        """Each half by itself; then the right one adds the last of the left."""
        halves = w.reshape(2, HALF)
        for step in _STEPS:
            halves[:, step:] = halves[:, step:] + halves[:, :-step]
        halves[1] += halves[0, -1]
        return w

    def cumulate(stay, opening, topic, values, out, row, gain, h, carry, late, gone):
        here = slice(int(h), int(h) + WIDTH)
        s, o = stay[here].copy(), opening[here].copy()
        for slot, new_stay, new_opening in (late, gone):
            if here.start <= slot < here.stop:
                s[int(slot) - here.start], o[int(slot) - here.start] = new_stay, new_opening
        out[here] = prefix_sums((s + gain * o) * values[int(row) + topic[here].astype(np.int64)]) + carry
        return out[here.stop - 1]

    def count_below(sums, x, h):
        return np.uint64(sum(bool(x >= sums[j]) for j in range(int(h), int(h) + WIDTH)))

    def dot_block(values, a, b):
        w = values[int(a) : int(a) + BLOCK] * values[int(b) : int(b) + BLOCK]
        w = w[:WIDTH] + w[WIDTH:]
        for half in _HALVES:
            w = w[:half] + w[half : 2 * half]
        return w[0]

    def place_in_block(values, a, b, x):
        w = values[int(a) : int(a) + BLOCK] * values[int(b) : int(b) + BLOCK]
        first, second = prefix_sums(w[:WIDTH].copy()), prefix_sums(w[WIDTH:].copy())
        x = values.dtype.type(x) if isinstance(x, float) else x
        return sum(bool(x >= end) for end in np.concatenate([first, second + first[-1]]))

    def prefetch(array, i):
        return None

else:
    INT32, INT64 = ir.IntType(32), ir.IntType(64)

    def data_of(context: Any, builder: Any, kind: Any, value: Any) -> Any:
        return context.make_array(kind)(context, builder, value).data

    def real_of(kind: Any) -> Any:
        return ir.FloatType() if kind.dtype == types.float32 else ir.DoubleType()

    def vector_of(element: Any) -> Any:
        return ir.VectorType(element, WIDTH)

    def align_of(element: Any) -> int:
        return 8 if isinstance(element, ir.DoubleType) else 4

    def place_of(builder: Any, pointer: Any, index: Any, element: Any) -> Any:
        return builder.bitcast(builder.gep(pointer, [index]), vector_of(element).as_pointer())

    def load_eight(builder: Any, pointer: Any, index: Any, element: Any) -> Any:
        return builder.load(place_of(builder, pointer, index, element), align=align_of(element))

    def _mask(lanes: Any) -> Any:
        return ir.Constant(vector_of(INT32), [INT32(lane) for lane in lanes])

    def spread_over(builder: Any, value: Any) -> Any:
        nothing = ir.Constant(vector_of(value.type), ir.Undefined)
        return builder.shuffle_vector(builder.insert_element(nothing, value, INT32(0)), nothing, _mask([0] * WIDTH))

    def build_sums(builder: Any, w: Any) -> Any:
        """Each half by itself; then the right one adds the last of the left."""
        zero = ir.Constant(w.type, [w.type.element(0.0)] * WIDTH)
        for step in _STEPS:
            left = [[WIDTH] * step + [*range(first, first + HALF - step)] for first in (0, HALF)]
            w = builder.fadd(w, builder.shuffle_vector(w, zero, _mask([*left[0], *left[1]])))
        return builder.fadd(w, builder.shuffle_vector(w, zero, _mask([WIDTH] * HALF + [HALF - 1] * HALF)))

    def add_carry(builder: Any, sums: Any, carry: Any) -> tuple[Any, Any]:
        """Prefix sums that go on from `carry`, and the last of them, which is there before the others are."""
        last = builder.fadd(builder.extract_element(sums, INT32(WIDTH - 1)), carry)
        return builder.fadd(sums, spread_over(builder, carry)), last

    def weights_of(builder: Any, stay: Any, opening: Any, topic: Any, values: Any, gain: Any) -> Any:
        """(stay + gain * opening) * values[topic] of eight slots."""
        p = ir.Constant(stay.type, ir.Undefined)
        for lane in range(WIDTH):
            at = builder.zext(builder.extract_element(topic, INT32(lane)), INT64)
            p = builder.insert_element(p, builder.load(builder.gep(values, [at])), INT32(lane))
        return builder.fmul(builder.fadd(stay, builder.fmul(spread_over(builder, gain), opening)), p)

    @intrinsic
    def cumulate(typing, stay, opening, topic, values, out, row, gain, h, carry, late, gone):
        """Prefix sums of (stay + gain * opening) * values[row + topic] over eight slots from h on, into `out`.

        They start from `carry`; the last is returned. `late` and `gone` are (slot, stay, opening): terms that are not
        in the arrays yet. Reading a vector that contains a number just written would prevent store forwarding.
        """

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            element = real_of(signature.args[0])
            stay, opening, topic, values, out = (
                data_of(context, builder, kind, value) for kind, value in zip(signature.args[:5], args[:5], strict=True)
            )
            row, gain, h, carry, late, gone = args[5:]
            s, o, k = (load_eight(builder, x, h, e) for x, e in ((stay, element), (opening, element), (topic, INT32)))
            for change in (late, gone):
                slot, new_stay, new_opening = (builder.extract_value(change, i) for i in range(3))
                lane = spread_over(builder, builder.trunc(builder.sub(slot, h), INT32))
                here = builder.icmp_unsigned("==", lane, _mask(range(WIDTH)))
                s = builder.select(here, spread_over(builder, new_stay), s)
                o = builder.select(here, spread_over(builder, new_opening), o)
            w = weights_of(builder, s, o, k, builder.gep(values, [row]), gain)
            w, last = add_carry(builder, build_sums(builder, w), carry)
            builder.store(w, place_of(builder, out, h, element), align=align_of(element))
            return last

        real = stay.dtype
        change = types.Tuple((types.uint64, real, real))
        return real(stay, opening, topic, values, out, types.uint64, real, types.uint64, real, change, change), generate

    @intrinsic
    def count_below(typing: Any, sums: Any, x: Any, h: Any) -> Any:
        """How many of the eight sums from h on are not above x."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            element = real_of(signature.args[0])
            eight = load_eight(builder, data_of(context, builder, signature.args[0], args[0]), args[2], element)
            below = builder.bitcast(builder.fcmp_ordered("<=", eight, spread_over(builder, args[1])), ir.IntType(WIDTH))
            return builder.zext(builder.ctpop(below), INT64)

        return types.uint64(sums, sums.dtype, types.uint64), generate

    def _products(context: Any, builder: Any, signature: Any, args: Any) -> list[Any]:
        """The products of two blocks of the first argument, which start at the next two, by vectors."""
        element, pointer = real_of(signature.args[0]), data_of(context, builder, signature.args[0], args[0])
        halves = []
        for start in range(0, BLOCK, WIDTH):
            x, y = (load_eight(builder, pointer, builder.add(i, INT64(start)), element) for i in args[1:3])
            halves.append(builder.fmul(x, y))
        return halves

    @intrinsic
    def place_in_block(typing: Any, values: Any, a: Any, b: Any, x: Any) -> Any:
        """Into which product of two blocks x falls, if they lie one after the other; BLOCK if beyond them all."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            first, second = (build_sums(builder, w) for w in _products(context, builder, signature, args))
            second = builder.fadd(second, spread_over(builder, builder.extract_element(first, INT32(WIDTH - 1))))
            count = INT64(0)
            for sums in (first, second):
                below = builder.fcmp_ordered("<=", sums, spread_over(builder, args[3]))
                number = builder.ctpop(builder.bitcast(below, ir.IntType(WIDTH)))
                count = builder.add(count, builder.zext(number, INT64))
            return count

        return types.int64(values, types.int64, types.int64, values.dtype), generate

    @intrinsic
    def dot_block(typing: Any, values: Any, a: Any, b: Any) -> Any:
        """The sum of products of two blocks of one array, which start at a and b."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            w = builder.fadd(*_products(context, builder, signature, args))
            for half in _HALVES:
                lanes = [*range(half, 2 * half)] + [0] * (WIDTH - half)
                w = builder.fadd(w, builder.shuffle_vector(w, w, _mask(lanes)))
            return builder.extract_element(w, INT32(0))

        return values.dtype(values, types.int64, types.int64), generate

    @intrinsic
    def prefetch(typing: Any, array: Any, i: Any) -> Any:
        """Prefetch array[i], which will be read soon."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            place = builder.gep(data_of(context, builder, signature.args[0], args[0]), [args[1]])
            byte = ir.IntType(8).as_pointer()
            kind = ir.FunctionType(ir.VoidType(), [byte, INT32, INT32, INT32])
            function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
            builder.call(function, [builder.bitcast(place, byte), INT32(0), INT32(3), INT32(1)])  # to read, keep, data
            return context.get_dummy_value()

        return types.void(array, types.uint64), generate
