"""Shape annotations that cost nothing where nobody checks them.

With jaxtyping installed (the tests install it) `Float[Array, "n d_model"]` is checked at every call. Without it the
same annotation is simply "an array", so that the core needs NumPy and nothing else.
"""

import numpy as np

Array = np.ndarray

try:
    from jaxtyping import Bool, Float, Int
except ImportError:

    class _AnyArray:
        def __class_getitem__(cls, item):
            return item[0]

    Bool = Float = Int = _AnyArray

__all__ = ["Array", "Bool", "Float", "Int"]
