"""Equality by content for data classes that hold arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass

import numpy as np


def same_content(a: object, b: object) -> bool:
    """Whether two values are of one type and hold the same numbers, texts and arrays.

    Data classes are compared field by field unless they say themselves when they are equal,
    sequences element by element.
    """
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return bool(np.array_equal(a, b, equal_nan=a.dtype.kind == "f"))
    if isinstance(a, Sequence) and isinstance(b, Sequence) and not isinstance(a, str):
        return len(a) == len(b) and all(map(same_content, a, b))
    if is_dataclass(a) and type(a).__eq__ is object.__eq__:
        return all(
            same_content(getattr(a, one.name), getattr(b, one.name))
            for one in fields(a)
            if one.compare
        )
    return bool(a == b)
