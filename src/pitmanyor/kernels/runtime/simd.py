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

from pitmanyor.kernels.restaurant.arrays import BLOCK

WIDTH = 8
LINE = 16  # numbers that memory hands over together
HALF = WIDTH // 2  # a processor moves numbers within half a vector in one step, and across in several
_STEPS = (1, 2)  # a prefix sum of four: every lane adds the one so many to its left
_HALVES = (4, 2, 1)  # a sum of eight: the left so many lanes add the next

if vars(config)["DISABLE_JIT"]:

    def _eight(place, h):
        return slice(int(place) + int(h), int(place) + int(h) + WIDTH)

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

    def count_below(sums, x, h):
        return np.uint64(sum(bool(x >= sums[j]) for j in range(int(h), int(h) + WIDTH)))

    def value_lanes(rows, out, up, shares, terms, gain, scale, h):
        base = shares[0] * rows[_eight(up[0], h)] + shares[1] * rows[_eight(up[1], h)]
        opened = gain * rows[_eight(terms[1], h)] * base
        rows[_eight(out, h)] = (rows[_eight(terms[0], h)] + opened) * scale

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
    _I32, _I64 = ir.IntType(32), ir.IntType(64)

    def _data(context: Any, builder: Any, kind: Any, value: Any) -> Any:
        return context.make_array(kind)(context, builder, value).data

    def _real(kind: Any) -> Any:
        return ir.FloatType() if kind.dtype == types.float32 else ir.DoubleType()

    def _vector(element: Any) -> Any:
        return ir.VectorType(element, WIDTH)

    def _align(element: Any) -> int:
        return 8 if isinstance(element, ir.DoubleType) else 4

    def _place(builder: Any, pointer: Any, index: Any, element: Any) -> Any:
        return builder.bitcast(builder.gep(pointer, [index]), _vector(element).as_pointer())

    def _load(builder: Any, pointer: Any, index: Any, element: Any) -> Any:
        return builder.load(_place(builder, pointer, index, element), align=_align(element))

    def _mask(lanes: Any) -> Any:
        return ir.Constant(_vector(_I32), [_I32(lane) for lane in lanes])

    def _spread(builder: Any, value: Any) -> Any:
        nothing = ir.Constant(_vector(value.type), ir.Undefined)
        return builder.shuffle_vector(builder.insert_element(nothing, value, _I32(0)), nothing, _mask([0] * WIDTH))

    def build_sums(builder: Any, w: Any) -> Any:
        """Each half by itself; then the right one adds the last of the left."""
        zero = ir.Constant(w.type, [w.type.element(0.0)] * WIDTH)
        for step in _STEPS:
            left = [[WIDTH] * step + [*range(first, first + HALF - step)] for first in (0, HALF)]
            w = builder.fadd(w, builder.shuffle_vector(w, zero, _mask([*left[0], *left[1]])))
        return builder.fadd(w, builder.shuffle_vector(w, zero, _mask([WIDTH] * HALF + [HALF - 1] * HALF)))

    def add_carry(builder: Any, sums: Any, carry: Any) -> tuple[Any, Any]:
        """Prefix sums that go on from `carry`, and the last of them, which is there before the others are."""
        last = builder.fadd(builder.extract_element(sums, _I32(WIDTH - 1)), carry)
        return builder.fadd(sums, _spread(builder, carry)), last

    def _weights(builder: Any, stay: Any, opening: Any, topic: Any, values: Any, gain: Any) -> Any:
        """(stay + gain * opening) * values[topic] of eight slots."""
        p = ir.Constant(stay.type, ir.Undefined)
        for lane in range(WIDTH):
            at = builder.zext(builder.extract_element(topic, _I32(lane)), _I64)
            p = builder.insert_element(p, builder.load(builder.gep(values, [at])), _I32(lane))
        return builder.fmul(builder.fadd(stay, builder.fmul(_spread(builder, gain), opening)), p)

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
            s, o, k = (_load(builder, x, h, e) for x, e in ((stay, element), (opening, element), (topic, _I32)))
            for change in (late, gone):
                slot, new_stay, new_opening = (builder.extract_value(change, i) for i in range(3))
                lane = _spread(builder, builder.trunc(builder.sub(slot, h), _I32))
                here = builder.icmp_unsigned("==", lane, _mask(range(WIDTH)))
                s = builder.select(here, _spread(builder, new_stay), s)
                o = builder.select(here, _spread(builder, new_opening), o)
            w = _weights(builder, s, o, k, builder.gep(values, [row]), gain)
            w, last = add_carry(builder, build_sums(builder, w), carry)
            builder.store(w, _place(builder, out, h, element), align=_align(element))
            return last

        real = stay.dtype
        change = types.Tuple((types.uint64, real, real))
        return real(stay, opening, topic, values, out, types.uint64, real, types.uint64, real, change, change), generate

    def _row_reader(context: Any, builder: Any, signature: Any, args: Any, h: Any) -> Any:
        """Eight numbers from h on of a row of the first argument, whose place is told; `i` picks it from several."""
        element, data = _real(signature.args[0]), _data(context, builder, signature.args[0], args[0])

        def read(place: Any, i: int | None = None) -> Any:
            start = place if i is None else builder.extract_value(place, i)
            return _load(builder, data, builder.add(start, h), element)

        return read

    def _mixed(builder: Any, read: Any, up: Any, shares: Any) -> Any:
        """Two rows by their shares."""
        parts = [builder.fmul(_spread(builder, builder.extract_value(shares, i)), read(up, i)) for i in (0, 1)]
        return builder.fadd(*parts)

    def _not_below_zero(builder: Any, x: Any) -> Any:
        zero = ir.Constant(x.type, [x.type.element(0.0)] * WIDTH)
        return builder.select(builder.fcmp_ordered(">", x, zero), x, zero)

    @intrinsic
    def weigh_lanes(
        typing: Any, rows: Any, up: Any, shares: Any, terms: Any, out: Any, form: Any, bases: Any, topic: Any,
        values: Any, row: Any, gain: Any, h: Any, carry: Any, factors: Any,
    ) -> Any:  # fmt: skip
        """As `cumulate`, of rows that start at the places told: stay + gain * opens, times values[row + topic].

        `opens` is open times the mixture of two rows, less what `form` has of the first rows: `bases` are their number
        and how far apart they lie. They are taken off one by one, and never below 0. `terms` has the places of stay and
        open, `out` that of the sums. `factors`, of double precision unless it is an empty tuple, multiply stay and
        open; then it is weights that do not fall below 0.
        """

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            element = _real(signature.args[0])
            _, up, shares, terms, out, form, bases, topic, values, row, gain, h, carry, more = args
            read = _row_reader(context, builder, signature, args, h)
            form_data = _data(context, builder, signature.args[5], form)
            n_rows, width = (builder.extract_value(bases, i) for i in (0, 1))
            stay, opening = read(terms, 0), builder.fmul(read(terms, 1), _mixed(builder, read, up, shares))
            if scaled:
                kind = signature.args[13]
                factor = _load(builder, _data(context, builder, kind, more), h, _real(kind))
                factor = factor if _real(kind) == element else builder.fptrunc(factor, _vector(element))
                stay, opening = builder.fmul(stay, factor), builder.fmul(opening, factor)
            opens = cgutils.alloca_once_value(builder, opening)
            with cgutils.for_range(builder, n_rows) as loop:
                share = _spread(builder, builder.load(builder.gep(form_data, [loop.index])))
                taken = builder.fmul(share, read(builder.mul(loop.index, width)))
                left = builder.fsub(builder.load(opens), taken)
                builder.store(left if scaled else _not_below_zero(builder, left), opens)
            k = _load(builder, _data(context, builder, signature.args[7], topic), h, _I32)
            first = builder.gep(_data(context, builder, signature.args[8], values), [row])
            w = _weights(builder, stay, builder.load(opens), k, first, gain)
            w = _not_below_zero(builder, w) if scaled else w
            w, last = add_carry(builder, build_sums(builder, w), carry)
            place = _place(builder, _data(context, builder, signature.args[0], args[0]), builder.add(out, h), element)
            builder.store(w, place, align=_align(element))
            return last

        real, pair = rows.dtype, types.UniTuple(types.uint64, 2)
        at, scaled = types.uint64, isinstance(factors, types.Array)
        shared = types.UniTuple(real, 2)
        return real(rows, pair, shared, pair, at, form, pair, topic, values, at, real, at, real, factors), generate

    @intrinsic
    def count_below(typing: Any, sums: Any, x: Any, h: Any) -> Any:
        """How many of the eight sums from h on are not above x."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            element = _real(signature.args[0])
            eight = _load(builder, _data(context, builder, signature.args[0], args[0]), args[2], element)
            below = builder.bitcast(builder.fcmp_ordered("<=", eight, _spread(builder, args[1])), ir.IntType(WIDTH))
            return builder.zext(builder.ctpop(below), _I64)

        return types.uint64(sums, sums.dtype, types.uint64), generate

    @intrinsic
    def value_lanes(
        typing: Any, rows: Any, out: Any, up: Any, shares: Any, terms: Any, gain: Any, scale: Any, h: Any
    ) -> Any:
        """out = (stay + gain * open * base) * scale over eight slots from h on; rows start at the places told.

        `terms` has the places of stay and open; the base mixes the two rows `up` by their shares.
        """

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            _, out, up, shares, terms, gain, scale, h = args
            element, read = _real(signature.args[0]), _row_reader(context, builder, signature, args, h)
            base = _mixed(builder, read, up, shares)
            opened = builder.fmul(builder.fmul(_spread(builder, gain), read(terms, 1)), base)
            value = builder.fadd(read(terms, 0), opened)
            place = _place(builder, _data(context, builder, signature.args[0], args[0]), builder.add(out, h), element)
            builder.store(builder.fmul(value, _spread(builder, scale)), place, align=_align(element))
            return context.get_dummy_value()

        real, pair = rows.dtype, types.UniTuple(types.uint64, 2)
        shared = types.UniTuple(real, 2)
        return types.void(rows, types.uint64, pair, shared, pair, real, real, types.uint64), generate

    def _products(context: Any, builder: Any, signature: Any, args: Any) -> list[Any]:
        """The products of two blocks of the first argument, which start at the next two, by vectors."""
        element, pointer = _real(signature.args[0]), _data(context, builder, signature.args[0], args[0])
        halves = []
        for start in range(0, BLOCK, WIDTH):
            x, y = (_load(builder, pointer, builder.add(i, _I64(start)), element) for i in args[1:3])
            halves.append(builder.fmul(x, y))
        return halves

    @intrinsic
    def place_in_block(typing: Any, values: Any, a: Any, b: Any, x: Any) -> Any:
        """Into which product of two blocks x falls, if they lie one after the other; BLOCK if beyond them all."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            first, second = (build_sums(builder, w) for w in _products(context, builder, signature, args))
            second = builder.fadd(second, _spread(builder, builder.extract_element(first, _I32(WIDTH - 1))))
            count = _I64(0)
            for sums in (first, second):
                below = builder.fcmp_ordered("<=", sums, _spread(builder, args[3]))
                number = builder.ctpop(builder.bitcast(below, ir.IntType(WIDTH)))
                count = builder.add(count, builder.zext(number, _I64))
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
