"""The array types that signatures use; docstrings give the shapes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]


def read_only(array: ArrayLike) -> Array:
    """The array as kernels need it: always read-only or always writable, so that they compile
    once."""
    view = np.ascontiguousarray(array, dtype=np.float64).view()
    view.flags.writeable = False
    return view


def sealed(array: Array) -> Array:
    """The array, read-only from now on: a motion keeps such a one as it is, and others as copies.

    Only for an array that was made for the motion.
    """
    array.flags.writeable = False
    return array
