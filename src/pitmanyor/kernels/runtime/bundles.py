"""Bundles of arrays: named tuples that compiled functions hand over as one pointer.

Numba takes a tuple apart wherever it goes: a call hands over each array as seven numbers or more, hundreds for a
bundle, in both the caller and the callee, and most of the time to compile goes there. A class decorated with `bundle`
is one pointer instead, to a block of memory in the frame of the function that made it, or of the wrapper that was
called from Python; fields are read from there. Nothing is ever written to a block after it was made, and functions are
told so (`_promise`), so that LLVM keeps fields in registers as it did. A bundle within a bundle is part of the block.

A bundle may be returned, which copies its block, but not within a plain tuple. It does not keep its arrays alive, so
a function that allocates may not return one: named tuples of arrays that kernels make are left as they are.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from typing import Any

from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.core.datamodel.models import DataModel, OpaqueModel
from numba.core.imputils import impl_ret_borrowed
from numba.core.pythonapi import NativeValue
from numba.core.targetconfig import ConfigStack
from numba.core.typing.templates import AttributeTemplate, infer_getattr, make_callable_template
from numba.extending import lower_builtin, lower_getattr_generic, register_model, typeof_impl, unbox
from numba.parfors import parfor_lowering

ALIGNED = 8  # bytes; everything in a block begins at a multiple
PLACE = ir.IntType(8).as_pointer()


class Bundle(types.BaseNamedTuple):  # type: ignore[misc]
    """The type of a decorated named tuple, given the types of its fields."""

    def __init__(self, fields: Any, cls: type) -> None:
        self.types, self.count = tuple(types.unliteral(field) for field in fields), len(fields)
        self.fields, self.instance_class = cls._fields, cls  # type: ignore[attr-defined]
        self._hash = hash(self.key)  # asked for at every step, and that of many arrays
        super().__init__(f"{cls.__name__}({', '.join(str(field) for field in self.types)})")

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Bundle) and self.key == other.key)

    def __reduce__(self) -> Any:
        """Made anew in the process that reads it from the cache, where hashes are others."""
        return Bundle, (self.types, self.instance_class)

    def __getitem__(self, index: int) -> Any:
        return self.types[index]

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Any]:
        return iter(self.types)

    @property
    def key(self) -> Any:
        return self.instance_class, self.types

    @property
    def mangling_args(self) -> Any:
        """A short name, for those of functions are in every line that calls them; but of these very types.

        The dynamic linker takes two functions of one name for the same, even if they come from different kernels.
        """
        return f"{self.instance_class.__name__}_{sha256(self.name.encode()).hexdigest()[:12]}", ()


class BundleClass(types.NamedTupleClass):  # type: ignore[misc]
    """The type of the class itself, which makes bundles."""


def bundle(cls: Any) -> Any:
    """Decorates a named tuple of arrays, numbers and other bundles."""
    if not config.DISABLE_JIT:
        typeof_impl.register(cls)(lambda value, context: Bundle([typeof_impl(field, context) for field in value], cls))
        _BUNDLES.add(cls)
    return cls


_BUNDLES: set[type] = set()
_type_of_class = typeof_impl.dispatch(type)


@typeof_impl.register(type)
def _type_of(cls: Any, context: Any) -> Any:
    return BundleClass(cls) if cls in _BUNDLES else _type_of_class(cls, context)


@infer_getattr
class _Making(AttributeTemplate):  # type: ignore[misc]
    key = BundleClass

    def resolve___call__(self, made: Any) -> Any:
        signature = inspect.signature(made.instance_class)

        def typer(*args: Any, **kwargs: Any) -> Any:
            return Bundle(signature.bind(*args, **kwargs).args, made.instance_class)

        typer.pysig = signature  # type: ignore[attr-defined]
        return types.Function(make_callable_template(self.key, typer))


# How blocks are laid out


def _is_part(kind: Any) -> bool:
    """Does it lie in the block field by field? Bundles do, and tuples of bundles."""
    return isinstance(kind, Bundle) or (isinstance(kind, types.BaseTuple) and any(_is_part(item) for item in kind))


@cache
def _size(context: Any, kind: Any) -> int:
    if _is_part(kind):
        return sum(_size(context, item) for item in kind)
    bytes_ = context.get_abi_sizeof(context.get_value_type(kind))
    return int(-(-bytes_ // ALIGNED) * ALIGNED)


def _places(context: Any, builder: Any, kind: Any, start: Any) -> Any:
    at = 0
    for item in kind:
        yield item, builder.gep(start, [ir.IntType(64)(at)], inbounds=True) if at else start
        at += _size(context, item)


def _fetch(context: Any, builder: Any, kind: Any, place: Any) -> Any:
    """The value at a place of a block."""
    if isinstance(kind, Bundle):
        return place
    if _is_part(kind):
        items = [_fetch(context, builder, *part) for part in _places(context, builder, kind, place)]
        return context.make_tuple(builder, kind, items)
    return builder.load(builder.bitcast(place, context.get_value_type(kind).as_pointer()))


def _put(context: Any, builder: Any, kind: Any, value: Any, place: Any) -> None:
    if isinstance(kind, Bundle):
        cgutils.raw_memcpy(builder, place, value, ir.IntType(64)(_size(context, kind)), 1, align=ALIGNED)
    elif _is_part(kind):
        for i, (item, at) in enumerate(_places(context, builder, kind, place)):
            _put(context, builder, item, builder.extract_value(value, i), at)
    else:
        builder.store(value, builder.bitcast(place, context.get_value_type(kind).as_pointer()))


def field_of(context: Any, builder: Any, kind: Any, value: Any, index: int) -> Any:
    start = sum(_size(context, item) for item in kind.types[:index])
    place = builder.gep(value, [ir.IntType(64)(start)], inbounds=True) if start else value
    return _fetch(context, builder, kind[index], place)


def _block(context: Any, kind: Bundle) -> Any:
    return ir.ArrayType(ir.IntType(64), _size(context, kind) // ALIGNED)


def _new(context: Any, builder: Any, kind: Bundle) -> Any:
    return builder.bitcast(cgutils.alloca_once(builder, _block(context, kind)), PLACE)


def make(context: Any, builder: Any, kind: Any, items: Any) -> Any:
    """A bundle or tuple of these values."""
    if not isinstance(kind, Bundle):
        return context.make_tuple(builder, kind, items)
    block = _new(context, builder, kind)
    for item, (part, place) in zip(items, _places(context, builder, kind, block), strict=True):
        _put(context, builder, part, item, place)
    return block


def _promise(place: Any) -> None:
    """Blocks are written once, before anybody is handed them, and no function keeps them: LLVM may rely on it."""
    for promise in place.parent.args[0].attributes:  # as Numba promises of the place for the result
        place.add_attribute(promise)


register_model(BundleClass)(OpaqueModel)


@register_model(Bundle)
class _BundleModel(DataModel):  # type: ignore[misc]
    """A pointer, but returned as the words of its block."""

    def _target(self) -> Any:
        from numba.core.registry import cpu_target

        return cpu_target.target_context

    def get_value_type(self) -> Any:
        return PLACE

    def get_return_type(self) -> Any:
        return _block(self._target(), self._fe_type)

    def as_argument(self, builder: Any, value: Any) -> Any:
        return value

    def from_data(self, builder: Any, value: Any) -> Any:
        return value

    def from_argument(self, builder: Any, value: Any) -> Any:
        if isinstance(value, ir.Argument):
            _promise(value)
        return value

    def as_data(self, builder: Any, value: Any) -> Any:
        name = self._fe_type.instance_class.__name__
        raise NotImplementedError(f"{name} lies in the frame of {builder.function.name}: return it alone")

    def as_return(self, builder: Any, value: Any) -> Any:
        if ConfigStack.top_or_none().nrt:  # counts references, as what allocates must
            name = self._fe_type.instance_class.__name__
            raise NotImplementedError(f"{name} does not keep arrays that {builder.function.name} may have made")
        return builder.load(builder.bitcast(value, self.get_return_type().as_pointer()))

    def from_return(self, builder: Any, value: Any) -> Any:
        block = cgutils.alloca_once(builder, value.type)
        builder.store(value, block)
        return builder.bitcast(block, PLACE)


@lower_builtin(BundleClass, types.VarArg(types.Any))
def _make_bundle(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    items = [context.cast(builder, *one) for one in zip(args, sig.args, sig.return_type, strict=True)]
    return impl_ret_borrowed(context, builder, sig.return_type, make(context, builder, sig.return_type, items))


@lower_getattr_generic(Bundle)
def _readfield_of(context: Any, builder: Any, kind: Any, value: Any, name: str) -> Any:
    index = kind.fields.index(name)
    return impl_ret_borrowed(context, builder, kind[index], field_of(context, builder, kind, value, index))


@lower_builtin("static_getitem", Bundle, types.IntegerLiteral)
def _read_item(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    kind, index = sig.args[0], range(len(sig.args[0]))[args[1]]
    return impl_ret_borrowed(context, builder, kind[index], field_of(context, builder, kind, args[0], index))


_shapes_of_arguments = parfor_lowering._create_shape_signature


def _without_shapes(shapes_of: Any, *args: Any, **kwargs: Any) -> Any:
    """Parallel loops ask for the shape of every tuple that they are handed; a bundle is one pointer, and has none."""

    def shapes(name: str, typemap: Any) -> Any:
        return [] if isinstance(typemap.get(name), Bundle) else shapes_of(name, typemap=typemap)

    return _shapes_of_arguments(shapes, *args, **kwargs)


parfor_lowering._create_shape_signature = _without_shapes


@unbox(Bundle)
def _unbox_bundle(kind: Any, obj: Any, c: Any) -> Any:
    uncounted = c.context.subtarget(enable_nrt=False)  # the caller holds the arrays, and nobody would let them go
    c = c._replace(context=uncounted, pyapi=uncounted.get_python_api(c.builder))
    block, cleanups = _new(c.context, c.builder, kind), []
    failed = cgutils.alloca_once_value(c.builder, cgutils.false_bit)

    def take(part: Any, value: Any, place: Any) -> None:
        if _is_part(part):
            for i, (item, at) in enumerate(_places(c.context, c.builder, part, place)):
                take(item, c.pyapi.tuple_getitem(value, i), at)
            return
        native = c.unbox(part, value)
        _put(c.context, c.builder, part, native.value, place)
        with c.builder.if_then(native.is_error, likely=False):
            c.builder.store(cgutils.true_bit, failed)
        if native.cleanup is not None:
            cleanups.append(native.cleanup)

    def clean() -> None:
        for cleanup in reversed(cleanups):
            cleanup()

    take(kind, obj, block)
    return NativeValue(block, cleanup=clean if cleanups else None, is_error=c.builder.load(failed))
