"""What it costs to match samples of two clips, computed only where paths can go.

A cell costs as much as the poses differ; added to that are a slight pull towards the straight path
and differences of signals.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from motionweave.core.arrays import Array
from motionweave.registration import dtw
from motionweave.registration.clouds import PointClip
from motionweave.registration.distance import distance_band, distance_block, signal_band
from motionweave.registration.dtw import Path

# Rows that are computed at a time: few enough to follow the edge of what paths can reach, and
# enough for matrix products to pay.
_STRIP = 64

Range = tuple[int, int]  # first, and first one that is not in it
Strip = tuple[slice, slice]  # some rows, and the columns that are needed of them


class GridBlock:
    """A part of the grid of two clips.

    Parameters
    ----------
    a, b
        The clips.
    rows, columns
        Which samples of each.
    corners
        The slope limit, if only paths from the first cell to the last are looked for. What these
        cannot reach is not computed: such cells hold anything.
    """

    def __init__(
        self, a: PointClip, b: PointClip, rows: Range, columns: Range, corners: int | None = None
    ) -> None:
        self.height, self.signalled = a.height, a.signals.size > 0
        self._clips, self._first = (a, b), (rows[0], columns[0])
        count, width = rows[1] - rows[0], columns[1] - columns[0]
        low, high = np.zeros(count, dtype=np.int64), np.full(count, width)
        if corners is not None:
            low, high = dtw.reachable(count, width, corners)
        self._strips: list[Strip] = [
            (slice(top, end), slice(int(low[top]), int(high[end - 1])))
            for top in range(0, count, _STRIP)
            for end in (min(top + _STRIP, count),)
        ]
        self.poses = _distances(a, b, rows, columns, self._strips)

    def costs(self, tie: float = 0.0, signals: float = 0.0) -> Array:
        """Distances of poses, and on top ``tie`` times the squared distance from the straight path
        (from 0 to 1) and ``signals`` times the squared differences of signals.

        Not to be changed, and valid until the next call.
        """
        if not tie and not signals:
            return self.poses
        # (row - column)² and |p - q|², written out, are one product.
        rows, columns = (np.linspace(0.0, 1.0, count) for count in self.poses.shape)
        p, q = (
            clip.signals[first : first + count]
            for clip, first, count in zip(self._clips, self._first, self.poses.shape, strict=True)
        )
        own, others = (
            tie * place * place + signals * np.sum(values * values, axis=1)
            for place, values in ((rows, p), (columns, q))
        )
        one, other = np.ones(len(rows)), np.ones(len(columns))
        left = np.column_stack([own, -2.0 * tie * rows, -2.0 * signals * p, one])
        right = np.column_stack([other, columns, q, others]).T
        for i, j in self._strips:
            strip = np.matmul(left[i], right[:, j], out=self._room[i, j])
            strip += self.poses[i, j]
        return self._room

    @cached_property
    def _room(self) -> Array:
        return np.empty(self.poses.shape)

    def mean(self, path: Path) -> float:
        """The mean distance of poses along a path."""
        return float(self.poses[path[:, 0], path[:, 1]].mean())


class GridBand:
    """The part of the grid of two long clips that lies along a band; otherwise as `GridBlock`.

    Parameters
    ----------
    a, b
        The clips.
    first, width
        The first column ``(Ta,)`` of each row, and how many columns it has.
    """

    def __init__(self, a: PointClip, b: PointClip, first: NDArray[np.int64], width: int) -> None:
        self.first, self.columns, self.height = first, len(b), a.height
        self.poses, self.signalled = distance_band(a, b, first, width), a.signals.size > 0
        self._clips, self._width = (a, b), width

    def costs(self, tie: float = 0.0, signals: float = 0.0) -> Array:
        """See `GridBlock`; a band leaves no need for ``tie``."""
        if not signals:
            return self.poses
        return signals * signal_band(*self._clips, self.first, self._width) + self.poses

    def mean(self, path: Path) -> float:
        """See `GridBlock`."""
        rows = path[:, 0]
        return float(self.poses[rows, path[:, 1] - self.first[rows]].mean())


class _Distances:
    """Distances of poses on a part of the grid, each computed when it is first needed.

    Parameters
    ----------
    rows, columns
        Which samples of two clips.
    """

    def __init__(self, rows: Range, columns: Range) -> None:
        self._first = rows[0], columns[0]
        self._values = np.empty((rows[1] - rows[0], columns[1] - columns[0]))
        # The columns of each row that are known: the first, and the first that is not.
        self._known = np.zeros((2, len(self._values)), dtype=np.int64)

    def part(
        self, a: PointClip, b: PointClip, rows: Range, columns: Range, strips: Sequence[Strip]
    ) -> Array:
        """A block, of which the strips are filled in; not to be changed."""
        top, left = rows[0] - self._first[0], columns[0] - self._first[1]
        for i, j in strips:
            here = top + i.start, top + i.stop
            self._fill(a, b, here, (left + j.start, left + j.stop))
        return self._values[top : top + rows[1] - rows[0], left : left + columns[1] - columns[0]]

    def _fill(self, a: PointClip, b: PointClip, rows: Range, columns: Range) -> None:
        """Compute columns of some rows, and those between them and what is known: one stretch."""
        known = self._known[:, slice(*rows)]
        first, stop = int(known[0].max()), int(known[1].min())
        if first >= stop:
            first = stop = columns[0]
        row, column = self._first
        for low, high in ((columns[0], first), (stop, columns[1])):
            if low < high:
                distance_block(
                    a,
                    b,
                    (row + rows[0], row + rows[1]),
                    (column + low, column + high),
                    out=self._values[slice(*rows), low:high],
                )
        # Only now: another thread may use the same grid.
        known[:] = [[min(first, columns[0])], [max(stop, columns[1])]]


# Ends are often looked for in several ways, each of which needs other cells: the grid of whole
# clips is kept for as long as both clips are, and parts are taken from it.
_WHOLE: WeakKeyDictionary[PointClip, WeakKeyDictionary[PointClip, _Distances]] = WeakKeyDictionary()


def _distances(
    a: PointClip, b: PointClip, rows: Range, columns: Range, strips: Sequence[Strip]
) -> Array:
    kept = _WHOLE.setdefault(a, WeakKeyDictionary())
    grid = kept.get(b) or _Distances(rows, columns)
    if rows == (0, len(a)) and columns == (0, len(b)):
        kept[b] = grid
    return grid.part(a, b, rows, columns, strips)
