"""The arrays of motions: validated once, and read-only from then on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from motionweave.core import checks
from motionweave.core.arrays import Array, sealed
from motionweave.core.numerics.vectors import dots
from motionweave.errors import MotionError

# How far a quaternion may be from unit length before it is an error, not rounding.
_UNIT_TOLERANCE = 1e-3
# How far it may be before it is normalised: more than products of unit quaternions are.
_EXACT = 1e-9

# The arrays of all living motions, by identity. Many a motion is another one with a new name or new
# contacts, and validating long takes again would take long.
_VALIDATED: WeakValueDictionary[int, Array] = WeakValueDictionary()


def mark_validated(array: Array) -> Array:
    """A validated array as motions hold it: read-only, and not a view of one that is not."""
    if array.flags.writeable or array.base is not None:
        array = sealed(array.copy())
    _VALIDATED[id(array)] = array
    return array


def validated(
    array: Any,
    what: str,
    shape: tuple[int | None, ...],
    exact: Callable[[Array], Array] | None = None,
) -> Array:
    """An array as motions hold it: itself if it was validated before.

    Parameters
    ----------
    array, what, shape
        As of `checks.array`.
    exact
        What is done to the numbers of one that was not, if anything.
    """
    if _is_validated(array, shape):
        return array  # type: ignore[no-any-return]
    numbers = checks.array(array, what, shape)
    return mark_validated(numbers if exact is None else exact(numbers))


def _is_validated(array: Any, shape: tuple[int | None, ...]) -> bool:
    known = _VALIDATED.get(id(array))
    if known is None or known is not array or known.ndim != len(shape):
        return False
    return all(n is None or n == m for n, m in zip(shape, known.shape, strict=True))


def unit_quaternions(quats: Array, names: Sequence[str]) -> Array:
    """Rotations ``(T, J, 4)`` made exact where rounding shows; `MotionError` if they are none."""
    squares = dots(quats, quats)
    if np.abs(squares - 1.0).max(initial=0.0) <= _EXACT:
        return quats
    length = np.sqrt(squares)
    wrong = np.abs(length - 1.0) >= _UNIT_TOLERANCE
    if np.any(wrong):
        frame, joint = np.argwhere(wrong)[0]
        raise MotionError(
            f"rotation of joint {names[joint]!r} at frame {frame} "
            f"is not a unit quaternion: {quats[frame, joint]}"
        )
    rounded = np.abs(length - 1.0) > _EXACT
    return (
        np.where(rounded[..., None], quats / length[..., None], quats) if rounded.any() else quats
    )
