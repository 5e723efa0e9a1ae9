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
    """Turn ``right`` (n,) into the solution, by A = L D Lᵀ; returns whether A is positive definite.

    For one right-hand side: a loop over several takes half as long again to compile.
    """
    count, width = band.shape
    for i in range(count):
        if not band[i, 0] > 0.0:
            return False
        for a in range(1, width if i + width <= count else count - i):
            share = band[i, a] / band[i, 0]
            if share != 0.0:
                for b in range(width - a):
                    band[i + a, b] -= share * band[i, a + b]
                right[i + a] -= share * right[i]
    for i in range(count - 1, -1, -1):
        for a in range(1, width if i + width <= count else count - i):
            right[i] -= band[i, a] * right[i + a]
        right[i] /= band[i, 0]
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
        Whether the bands may be overwritten: a contiguous array that nobody needs any more.

    Raises
    ------
    numpy.linalg.LinAlgError
        If A is not positive definite.
    """
    columns = np.array(right.T, dtype=np.float64, order="C")
    for n, column in enumerate(columns):
        last = overwrite and n == len(columns) - 1
        spare = band if last else np.array(band, dtype=np.float64, order="C")
        if not _eliminate(spare, column):
            raise np.linalg.LinAlgError("the matrix is not positive definite")
    return np.ascontiguousarray(columns.T)
