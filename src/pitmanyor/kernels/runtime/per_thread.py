"""The part of a bundle that belongs to one thread."""

from __future__ import annotations

import operator
from typing import Any

from numba import config, types
from numba.extending import intrinsic

from pitmanyor.kernels.runtime.bundles import Bundle, field_of, make

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
        parts = [one.return_type for one in picks]
        if isinstance(bundle, Bundle):
            made = Bundle(parts, bundle.instance_class)
        else:
            made = types.BaseTuple.from_types(parts, bundle.instance_class)

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            items = []
            for i, one in enumerate(picks):
                index = context.cast(builder, args[1], thread, one.args[1])
                array = (
                    field_of(context, builder, bundle, args[0], i)
                    if isinstance(bundle, Bundle)
                    else builder.extract_value(args[0], i)
                )
                items.append(context.get_function(pick, one)(builder, (array, index)))
            return make(context, builder, made, items)

        return made(bundle, thread), generate
