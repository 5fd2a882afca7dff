"""Rows over the slots of a document, eight slots at a time: what fold_in/fold_topic_nodes.py computes for every token.

All rows lie in one array; a place in it says both row and slot. Slots that stand for no topic hold zeros, so nothing
asks how many of the eight there are: such a question is answered differently for every token, and a processor that
guesses wrong waits for longer than the whole row takes. As in runtime/simd.py every sum has one order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import config

from pitmanyor.kernels.restaurant.arrays import BLOCK
from pitmanyor.kernels.runtime.simd import _HALVES, WIDTH

if vars(config)["DISABLE_JIT"]:
    from pitmanyor.kernels.runtime.simd import prefix_sums

    def _eight(at):
        return slice(int(at), int(at) + WIDTH)

    def mix_two(flat, out, one, first, two, second):
        flat[_eight(out)] = one * flat[_eight(first)] + two * flat[_eight(second)]

    def mix_in(flat, out, share, row):
        flat[_eight(out)] += share * flat[_eight(row)]

    def appraise(flat, out, stay, opens, base, gain, scale):
        flat[_eight(out)] = (flat[_eight(stay)] + gain * flat[_eight(opens)] * flat[_eight(base)]) * scale

    def weigh(flat, out, phi, value, factor, cut, topic, h, words, row, carry):
        w = np.maximum(flat[_eight(value)] * flat[_eight(factor)] - flat[_eight(cut)], np.float32(0.0))
        flat[_eight(phi)] = words.reshape(-1)[int(row) + topic[_eight(h)].astype(np.int64)]
        w = w * flat[_eight(phi)]
        flat[_eight(out)] = prefix_sums(w) + carry
        return flat[int(out) + WIDTH - 1]

    def _beyond(flat, value, factor, cut):
        return flat[_eight(value)] * flat[_eight(factor)] - flat[_eight(cut)]

    def surplus(flat, value, factor, cut, phi):
        w = _beyond(flat, value, factor, cut) * flat[_eight(phi)]
        for half in _HALVES:
            w = w[:half] + w[half : 2 * half]
        return w[0]

    def credit(flat, out, value, factor, cut, stay, phi, counts, c, t, a, scale, by):
        one, nobody = np.float32(1.0), np.int32(0)
        c, t = (np.maximum(counts.reshape(-1)[_eight(at)], nobody).astype(np.float32) for at in (c, t))
        part = a / (c + one)
        w = (one - part * (t + one)) * flat[_eight(value)] + part * (scale * flat[_eight(stay)])
        w = w * flat[_eight(factor)] - (one - a) * flat[_eight(cut)]
        flat[_eight(out)] += w * (flat[_eight(phi)] * by)

    def dot_rows(words, a, bases, b):
        w = words.reshape(-1)[int(a) : int(a) + BLOCK] * bases.reshape(-1)[int(b) : int(b) + BLOCK]
        w = w[:WIDTH] + w[WIDTH:]
        for half in _HALVES:
            w = w[:half] + w[half : 2 * half]
        return w[0]

    def place_in(words, a, bases, b, x):
        w = words.reshape(-1)[int(a) : int(a) + BLOCK] * bases.reshape(-1)[int(b) : int(b) + BLOCK]
        first, second = prefix_sums(w[:WIDTH].copy()), prefix_sums(w[WIDTH:].copy())
        w = np.concatenate([first, second + first[-1]])
        return np.uint64(min(int((w <= x).sum()), BLOCK - 1))

else:
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    from pitmanyor.kernels.runtime.simd import _I32, _I64, _data, _load, _mask, _spread, add_carry, build_sums

    _FLOAT = ir.FloatType()
    _EIGHT_INTS = ir.VectorType(ir.IntType(32), WIDTH)
    _AT, _REAL = types.uint64, types.float32

    def _store(builder: Any, pointer: Any, index: Any, value: Any) -> None:
        place = builder.bitcast(builder.gep(pointer, [index]), value.type.as_pointer())
        builder.store(value, place, align=4)

    def _sum(builder: Any, w: Any) -> Any:
        """The sum of eight lanes, half by half."""
        for half in _HALVES:
            lanes = [*range(half, 2 * half)] + [0] * (WIDTH - half)
            w = builder.fadd(w, builder.shuffle_vector(w, w, _mask(lanes)))
        return builder.extract_element(w, _I32(0))

    def _rows(context: Any, builder: Any, signature: Any, args: Any) -> tuple[Any, Any]:
        """The array that all rows lie in, and a function that loads eight numbers of it."""
        pointer = _data(context, builder, signature.args[0], args[0])
        return pointer, lambda at: _load(builder, pointer, at, _FLOAT)

    @intrinsic
    def mix_two(typing: Any, flat: Any, out: Any, one: Any, first: Any, two: Any, second: Any) -> Any:
        """out = one * first + two * second."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            pointer, load = _rows(context, builder, signature, args)
            _, out, one, first, two, second = args
            parts = [builder.fmul(_spread(builder, by), load(at)) for by, at in ((one, first), (two, second))]
            _store(builder, pointer, out, builder.fadd(*parts))
            return context.get_dummy_value()

        return types.void(flat, _AT, _REAL, _AT, _REAL, _AT), generate

    @intrinsic
    def mix_in(typing: Any, flat: Any, out: Any, share: Any, row: Any) -> Any:
        """out += share * row."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            pointer, load = _rows(context, builder, signature, args)
            _, out, share, row = args
            _store(builder, pointer, out, builder.fadd(load(out), builder.fmul(_spread(builder, share), load(row))))
            return context.get_dummy_value()

        return types.void(flat, _AT, _REAL, _AT), generate

    @intrinsic
    def appraise(typing: Any, flat: Any, out: Any, stay: Any, opens: Any, base: Any, gain: Any, scale: Any) -> Any:
        """out = (stay + gain * opens * base) * scale."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            pointer, load = _rows(context, builder, signature, args)
            _, out, stay, opens, base, gain, scale = args
            opening = builder.fmul(builder.fmul(_spread(builder, gain), load(opens)), load(base))
            value = builder.fmul(builder.fadd(load(stay), opening), _spread(builder, scale))
            _store(builder, pointer, out, value)
            return context.get_dummy_value()

        return types.void(flat, _AT, _AT, _AT, _AT, _REAL, _REAL), generate

    @intrinsic
    def weigh(
        typing: Any, flat: Any, out: Any, phi: Any, value: Any, factor: Any, cut: Any, topic: Any, h: Any, words: Any,
        row: Any, carry: Any,
    ) -> Any:  # fmt: skip
        """Prefix sums of max(value * factor - cut, 0) * phi, from `carry` on; the last is returned.

        phi = words[row + topic] is kept.
        """

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            pointer, load = _rows(context, builder, signature, args)
            _, out, phi, value, factor, cut, topic, h, words, row, carry = args
            k = _load(builder, _data(context, builder, signature.args[6], topic), h, _I32)
            first = builder.gep(_data(context, builder, signature.args[8], words), [row])
            p = ir.Constant(ir.VectorType(_FLOAT, WIDTH), ir.Undefined)
            for lane in range(WIDTH):
                at = builder.zext(builder.extract_element(k, _I32(lane)), _I64)
                p = builder.insert_element(p, builder.load(builder.gep(first, [at])), _I32(lane))
            _store(builder, pointer, phi, p)
            w = builder.fsub(builder.fmul(load(value), load(factor)), load(cut))
            nothing = ir.Constant(w.type, [_FLOAT(0.0)] * WIDTH)
            w = builder.fmul(builder.select(builder.fcmp_ordered(">", w, nothing), w, nothing), p)
            w, last = add_carry(builder, build_sums(builder, w), carry)
            _store(builder, pointer, out, w)
            return last

        return _REAL(flat, _AT, _AT, _AT, _AT, _AT, topic, _AT, words, _AT, _REAL), generate

    @intrinsic
    def surplus(typing: Any, flat: Any, value: Any, factor: Any, cut: Any, phi: Any) -> Any:
        """The sum of (value * factor - cut) * phi."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            _, load = _rows(context, builder, signature, args)
            value, factor, cut, phi = map(load, args[1:])
            return _sum(builder, builder.fmul(builder.fsub(builder.fmul(value, factor), cut), phi))

        return _REAL(flat, _AT, _AT, _AT, _AT), generate

    @intrinsic
    def credit(
        typing: Any, flat: Any, out: Any, value: Any, factor: Any, cut: Any, stay: Any, phi: Any, counts: Any, c: Any,
        t: Any, a: Any, scale: Any, by: Any,
    ) -> Any:  # fmt: skip
        """out += ((1 - part * (t + 1)) * value + part * scale * stay) * factor - (1 - a) * cut) * phi * by.

        part = a / (c + 1), with the counts c and t of each slot; below zero they are none.
        """

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            pointer, load = _rows(context, builder, signature, args)
            value, factor, cut, stay, phi = map(load, args[2:7])
            a, scale, by = (_spread(builder, one) for one in args[10:])
            unit, nobody = ir.Constant(a.type, [_FLOAT(1.0)] * WIDTH), ir.Constant(_EIGHT_INTS, [_I32(0)] * WIDTH)
            table = _data(context, builder, signature.args[7], args[7])

            def one_more(at: Any) -> Any:
                count = _load(builder, table, at, _I32)
                count = builder.select(builder.icmp_signed(">", count, nobody), count, nobody)
                return builder.fadd(builder.sitofp(count, a.type), unit)

            part = builder.fdiv(a, one_more(args[8]))
            w = builder.fmul(builder.fsub(unit, builder.fmul(part, one_more(args[9]))), value)
            w = builder.fadd(w, builder.fmul(part, builder.fmul(scale, stay)))
            w = builder.fsub(builder.fmul(w, factor), builder.fmul(builder.fsub(unit, a), cut))
            w = builder.fmul(w, builder.fmul(phi, by))
            _store(builder, pointer, args[1], builder.fadd(load(args[1]), w))
            return context.get_dummy_value()

        return types.void(flat, *[_AT] * 6, counts, _AT, _AT, *[_REAL] * 3), generate

    def _products(context: Any, builder: Any, signature: Any, args: Any) -> list[Any]:
        """The products of a block of one table, from args[1] on, with a block of another, from args[3] on."""
        tables = [_data(context, builder, signature.args[i], args[i]) for i in (0, 2)]
        halves = []
        for start in range(0, BLOCK, WIDTH):
            x, y = (
                _load(builder, table, builder.add(args[i], _I64(start)), _FLOAT)
                for table, i in zip(tables, (1, 3), strict=True)
            )
            halves.append(builder.fmul(x, y))
        return halves

    @intrinsic
    def dot_rows(typing: Any, words: Any, a: Any, bases: Any, b: Any) -> Any:
        """The sum of products of a block of one table, from a on, with a block of another, from b on."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return _sum(builder, builder.fadd(*_products(context, builder, signature, args)))

        return _REAL(words, _AT, bases, _AT), generate

    @intrinsic
    def place_in(typing: Any, words: Any, a: Any, bases: Any, b: Any, x: Any) -> Any:
        """Into which product of two blocks x falls, if they lie one after the other; the last if beyond them all."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            first, second = (build_sums(builder, w) for w in _products(context, builder, signature, args))
            second = builder.fadd(second, _spread(builder, builder.extract_element(first, _I32(WIDTH - 1))))
            count = _I64(0)
            for sums in (first, second):
                below = builder.fcmp_ordered("<=", sums, _spread(builder, args[4]))
                number = builder.ctpop(builder.bitcast(below, ir.IntType(WIDTH)))
                count = builder.add(count, builder.zext(number, _I64))
            last = _I64(BLOCK - 1)
            return builder.select(builder.icmp_unsigned("<", count, last), count, last)

        return types.uint64(words, _AT, bases, _AT, _REAL), generate
