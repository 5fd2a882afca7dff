"""Bundles of arrays that have a leading thread axis, and the part of one thread."""

from __future__ import annotations

import operator
from typing import Any

from numba import config, types
from numba.extending import intrinsic

if vars(config)["DISABLE_JIT"]:

    def of_thread(bundle, thread):
        return type(bundle)(*(array[thread] for array in bundle)) if len(bundle) else ()

else:

    @intrinsic
    def of_thread(typing: Any, bundle: Any, thread: Any) -> Any:
        """The same named tuple with every array at one index of its first axis; an empty tuple unchanged."""
        if not len(bundle):
            return bundle(bundle, thread), lambda context, builder, signature, args: args[0]
        pick = typing.resolve_value_type(operator.getitem)
        picks = [pick.get_call_type(typing, (array, thread), {}) for array in bundle]
        made = types.BaseTuple.from_types([one.return_type for one in picks], bundle.instance_class)

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            parts = []
            for i, one in enumerate(picks):
                index = context.cast(builder, args[1], thread, one.args[1])
                parts.append(context.get_function(pick, one)(builder, (builder.extract_value(args[0], i), index)))
            return context.make_tuple(builder, made, parts)

        return made(bundle, thread), generate
