"""Bundles of arrays without reference counts.

Numba counts references to arrays with atomic additions, also when a kernel merely reads a field of a bundle; in a hot
loop that costs more than the work. A borrowed bundle names the same memory with no owner, so nothing is counted. The
caller keeps the owner alive.
"""

from __future__ import annotations

from typing import Any

import numba
from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from pitmanyor.kernels.jit import inner


@intrinsic
def _disown(typing_context: Any, bundle: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = args[0]
        for i, kind in enumerate(signature.args[0].types):
            if isinstance(kind, types.Array):
                array = make_array(kind)(context, builder, builder.extract_value(value, i))
                array.meminfo = cgutils.get_null_value(array.meminfo.type)
                array.parent = cgutils.get_null_value(array.parent.type)
                value = builder.insert_value(value, array._getvalue(), i)
        return value

    return bundle(bundle), codegen


if numba.config.DISABLE_JIT:

    def borrow(bundle: Any) -> Any:
        return bundle

else:

    @inner
    def borrow(bundle: Any) -> Any:
        """The same named tuple of arrays, owned by nobody."""
        return _disown(bundle)
