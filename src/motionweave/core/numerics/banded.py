"""Banded symmetric positive definite systems, solved in one pass.

Such a system of n unknowns is kept as the upper bands of its matrix, row by row: ``(n, w)``
with ``band[i, d] = A[i, i + d]``.
"""

from __future__ import annotations

import numpy as np

from motionweave.core.arrays import Array
from motionweave.core.runtime.kernels import kernel


@kernel(bare=True)
def _eliminate(band, right):  # type: ignore[no-untyped-def]
    """Turn ``right`` into the solution, by A = L D Lᵀ; returns whether A is positive definite."""
    count, width = band.shape
    _, sides = right.shape
    for i in range(count):
        if not band[i, 0] > 0.0:
            return False
        for a in range(1, width if i + width <= count else count - i):
            share = band[i, a] / band[i, 0]
            if share != 0.0:
                for b in range(width - a):
                    band[i + a, b] -= share * band[i, a + b]
                for s in range(sides):
                    right[i + a, s] -= share * right[i, s]
    for i in range(count - 1, -1, -1):
        for s in range(sides):
            value = right[i, s]
            for a in range(1, width if i + width <= count else count - i):
                value -= band[i, a] * right[i + a, s]
            right[i, s] = value / band[i, 0]
    return True


def solve_bands(band: Array, right: Array, *, overwrite: bool = False) -> Array:
    """The solution ``(n, s)`` of ``A x = right``.

    Parameters
    ----------
    band
        ``(n, w)`` upper bands of A, the diagonal first; what lies beyond its last column
        is not looked at.
    right
        ``(n, s)``.
    overwrite
        Whether both may be overwritten: contiguous arrays that nobody needs any more.

    Raises
    ------
    numpy.linalg.LinAlgError
        If A is not positive definite.
    """
    if not overwrite:
        band = np.array(band, dtype=np.float64, order="C")
        right = np.array(right, dtype=np.float64, order="C")
    if not _eliminate(band, right):
        raise np.linalg.LinAlgError("the matrix is not positive definite")
    return right
