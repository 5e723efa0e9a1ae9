"""Stretches of a long row of frames that follow an example, at half to twice its pace.

The example's frames are rows of a grid of distances, the frames to be searched its columns.
A path takes every row once and advances by one column, or by two (twice as fast), or by one for two
rows (half as fast): its cost is the mean over rows, whatever its length, and the best path to every
column is found in one pass.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from motionweave.core.arrays import Array
from motionweave.core.runtime.kernels import kernel

# How a path reached a cell: one row and one column, one and two, two and one.
_DIAGONAL, _FAST, _SLOW = 0, 1, 2


@dataclass(frozen=True, eq=False)
class Paths:
    """The best path to each column.

    Parameters
    ----------
    costs
        ``(columns,)`` mean over the rows; infinite where no path ends.
    starts
        ``(columns,)`` the column in which it begins.
    steps
        ``(rows, columns)`` how it came to each cell.
    """

    costs: Array
    starts: NDArray[np.int64]
    steps: NDArray[np.uint8]

    def trace(self, column: int) -> NDArray[np.int64]:
        """The column ``(rows,)`` that matches each row on the best path to a column."""
        row = len(self.steps) - 1
        columns = np.empty(row + 1, dtype=np.int64)
        while row >= 0:
            columns[row] = column
            step = self.steps[row, column]
            if step == _SLOW:
                columns[row - 1] = column
                row -= 1
            column -= 2 if step == _FAST else 1
            row -= 1
        return columns


@kernel()
def _search(cost, total, starts, steps):  # type: ignore[no-untyped-def]
    """Fill the last row of ``total`` (3, columns) and ``starts`` (3, columns), which rotate."""
    rows, columns = cost.shape
    for t in range(columns):
        total[0, t] = cost[0, t]
        starts[0, t] = t
        steps[0, t] = 0
    for k in range(1, rows):
        here, one, two = k % 3, (k - 1) % 3, (k - 2) % 3
        for t in range(columns):
            best, start, step = np.inf, 0, 0
            if t >= 1:
                best, start = total[one, t - 1], starts[one, t - 1]
                if k >= 2:
                    slow = total[two, t - 1] + cost[k - 1, t]
                    if slow < best:
                        best, start, step = slow, starts[two, t - 1], 2
            if t >= 2 and total[one, t - 2] < best:
                best, start, step = total[one, t - 2], starts[one, t - 2], 1
            total[here, t] = best + cost[k, t]
            starts[here, t] = start
            steps[k, t] = step


def paths(cost: Array) -> Paths:
    """The best path to every column of a grid of distances ``(rows, columns)``."""
    cost = np.ascontiguousarray(cost, dtype=np.float32)
    rows, columns = cost.shape
    total = np.full((3, columns), np.inf, dtype=np.float32)
    starts = np.zeros((3, columns), dtype=np.int64)
    steps = np.zeros((rows, columns), dtype=np.uint8)
    _search(cost, total, starts, steps)
    last = (rows - 1) % 3
    return Paths(total[last] / rows, starts[last], steps)


def minima(costs: Array) -> NDArray[np.int64]:
    """Places lower than the one before and not higher than the one after."""
    padded = np.concatenate([[np.inf], costs, [np.inf]])
    lower = (costs < padded[:-2]) & (costs <= padded[2:])
    return np.flatnonzero(lower & np.isfinite(costs))
