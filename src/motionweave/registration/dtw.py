"""Dynamic time warping with an exact slope limit (Kovar & Gleicher 4.2.1).

A path goes from cell to cell of a grid of distances by steps along a row, along a column,
or diagonally, never backwards, with at most L steps in a row along rows and at most L
along columns. The number of steps already taken in one direction is part of the state of
the dynamic programme; without it the path found would not be the cheapest legal one.

A grid may be given as a band: row i of ``cost`` then holds the columns from ``first[i]`` on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from motionweave.core.arrays import Array
from motionweave.core.runtime.interrupt import checkpoint
from motionweave.core.runtime.kernels import kernel
from motionweave.errors import Kind, RegistrationError, Remedy

Path = NDArray[np.intp]  # (n, 2): row and column of each cell
# (rows,), (rows,): the first place of each row that is searched, and the first one that is not.
Bounds = tuple[NDArray[np.int64], NDArray[np.int64]]

# Where a path may begin: in the first cell, in the first row, or in any cell.
CORNER, ROW, ANYWHERE = 0, 1, 2

# Cells of parts of a grid that are searched together.
_MOST_CELLS = 1_000_000


@dataclass(frozen=True)
class PathEntry:
    """How a path arrives at its first cell: by this many steps of one kind in a row.

    ``along`` is 0 for rows, 1 for columns; ``run`` 0 means that the slope limit counts from here.
    """

    along: int = 0
    run: int = 0


# The slope limit counts from the first cell.
_AFRESH = PathEntry()


@kernel(bare=True)
def _fill_back(  # type: ignore[no-untyped-def]
    cost, first, low, high, diagonal, free, left, above, back, totals
):
    """Fill ``back`` with how paths come to each cell, and ``totals`` with what they cost.

    Of each row the places from ``low`` up to ``high`` (rows,) are searched; neither edge ever moves
    to an earlier column. In the first ``free`` rows paths may begin anywhere.

    ``above`` (width + 1, L + 2) holds for each place of the row above the cost of the best path,
    of the best that a step along the column may follow, and of those that end with runs of 1 to L
    such steps. At first all is infinite except where paths begin; the last place stays so: it
    represents everything outside. ``left`` (L + 2,) is the same for the cell before, with steps
    along the row, but begins with the best path to the cell diagonally before.

    In ``back`` are the steps along the row with which the best path ends that a step along the
    column may follow (0: with a diagonal one), plus L + 1 times the same the other way round, plus
    (L + 1)² if the latter of these two paths is better, plus 2 (L + 1)² if a path that comes
    diagonally begins here. ``totals`` (rows, 3) takes what the best path in each row costs, at
    which place it ends, and what the best path to the last place costs.
    """
    rows, width = cost.shape
    span = len(left) - 1
    for i in range(rows):
        shift, reach = 0, width
        if i > 0:
            shift, reach = first[i] - first[i - 1], high[i - 1]
            for k in range(span + 1):
                left[k] = np.inf
            if low[i - 1] < low[i] + shift <= reach:
                left[0] = above[low[i] + shift - 1, 0]
        # A path that begins here costs nothing before.
        begun = 0.0 if i < free else np.inf
        diag, steep = left[0], left[1]
        least, least_place = np.inf, 0
        # What this row writes lies left of what it still reads: bands only move right.
        for place in range(low[i], high[i]):
            c = cost[i, place]
            over = place + shift if place + shift < reach else width
            choice = 0
            if begun < diag:
                diag, choice = begun, 2
            flat = diag + diagonal * c
            along, across = steep, above[over, 1]
            diag, steep = above[over, 0], flat
            flat_run, steep_run = 0, 0
            for k in range(1, span):
                here, there = along + c, across + c
                along, across = left[k + 1], above[over, k + 1]
                left[k + 1], above[place, k + 1] = here, there
                if here < flat:
                    flat, flat_run = here, k
                if there < steep:
                    steep, steep_run = there, k
            above[place, 1] = flat
            if steep < flat:
                flat, choice = steep, choice + 1
            above[place, 0] = flat
            back[i, place] = flat_run + span * (steep_run + span * choice)
            if flat < least:
                least, least_place = flat, place
        totals[i, 0], totals[i, 1], totals[i, 2] = least, least_place, above[high[i] - 1, 0]


@kernel(bare=True)
def _walk_back(back, first, span, row, place, path):  # type: ignore[no-untyped-def]
    """Cells of the best path to a cell, last one first; returns how many there are.

    ``span`` is L + 1.
    """
    count, run, down = 0, 0, 0
    while True:
        code = back[row, place]
        if run > 1:
            run -= 1
        else:
            # A run follows one of the other kind, or a diagonal step.
            down = 1 - down if run == 1 else code // (span * span) % 2
            run = code // span % span if down else code % span
        path[count, 0], path[count, 1] = row, first[row] + place
        count += 1
        if (row == 0 and place == 0) or (run == 0 and code >= 2 * span * span):
            return count
        if run == 0 or not down:
            place -= 1
        if run == 0 or down:
            place += first[row] - first[row - 1]
            row -= 1


@dataclass(frozen=True, eq=False)
class _Table:
    """A filled dynamic programme: enough to read off the best path to any end."""

    first: NDArray[np.int64]
    columns: int
    limit: int
    back: NDArray
    # What the best paths to the cells of the last row and of the last column cost.
    ends_row: Array
    ends_col: Array
    # What the best path in each row costs, and at which place it ends.
    rows_best: Array

    def corner(self) -> Path:
        """The best path to the last cell."""
        if not np.isfinite(self.ends_col[-1]):
            raise RegistrationError(
                "no path with this slope limit stays within the band; widen the band"
            )
        return self.path(len(self.ends_col) - 1, self.columns - 1 - int(self.first[-1]))

    def path(self, row: int, place: int) -> Path:
        """The best path to a cell, given by its row and its place in the row."""
        room = np.empty((self.back.shape[0] + self.columns, 2), dtype=np.int64)
        count = _walk_back(self.back, self.first, self.limit + 1, row, place, room)
        return np.asarray(room[:count][::-1], dtype=np.intp)


def _fill(
    cost: Array,
    limit: int,
    first: NDArray[np.int64] | None = None,
    columns: int | None = None,
    diagonal: float = 1.0,
    begin: int = CORNER,
    entry: PathEntry = _AFRESH,
    within: Bounds | None = None,
) -> _Table:
    if limit < 1:
        raise RegistrationError(f"slope limit {limit}: expected a whole number of at least 1")
    checkpoint()
    cost = np.ascontiguousarray(cost, dtype=np.float64)
    rows, width = cost.shape
    first = np.zeros(rows, dtype=np.int64) if first is None else np.asarray(first, dtype=np.int64)
    columns = width if columns is None else columns
    low, high = (
        (np.maximum(-first, 0), np.minimum(columns - first, width)) if within is None else within
    )
    free = {CORNER: 0, ROW: 1, ANYWHERE: rows}[begin]
    left, above = np.full(limit + 2, np.inf), np.full((width + 1, limit + 2), np.inf)
    if begin == CORNER:
        (above[0] if entry.along == 1 and entry.run > 0 else left)[entry.run] = 0.0
    # A byte, up to L = 7.
    back = np.empty((rows, width), dtype=np.min_scalar_type(4 * (limit + 1) ** 2 - 1))
    totals = np.empty((rows, 3))
    _fill_back(cost, first, low, high, diagonal, free, left, above, back, totals)
    above[: low[-1]] = above[high[-1] :] = np.inf
    # Of most rows of a band the last cell is not one of the last column.
    ends = np.where(first + high < columns, np.inf, totals[:, 2])
    return _Table(first, columns, limit, back, above[:width, 0], ends, totals[:, :2])


def smallest_limit(rows: int, columns: int) -> int:
    """The smallest slope limit with which a path from corner to corner exists."""
    # At best L steps along the row before, between and after all diagonal ones:
    # columns <= (L + 1) rows.
    longer, shorter = max(rows, columns), min(rows, columns)
    return max(1, -(-longer // shorter) - 1)


def too_different(frames: tuple[int, int], slope_limit: int, what: str = "") -> RegistrationError:
    """The error for stretches of which one is too long for the other."""
    needed = smallest_limit(*frames)
    return RegistrationError(
        f"{what or f'{frames[0]} and {frames[1]} frames'} cannot match from end to end if "
        f"at most {slope_limit} frames in a row may match one",
        remedies=(Remedy("slope_limit", needed), Remedy("ends", "free")),
        kind=Kind.ENDS_DIFFER,
    )


def reachable(rows: int, columns: int, slope_limit: int) -> Bounds:
    """Which columns of each row lie on a legal path from the first cell to the last.

    They make a parallelogram: about half of the grid of two clips of one length, if L = 2.
    """
    row, steep = np.arange(rows), slope_limit + 1
    # Before each step to the next row L steps along the row, or the other way round.
    first = np.maximum(-(-(row - slope_limit) // steep), 0)
    last = np.minimum(row * steep + slope_limit, columns - 1)
    # The same backwards from the last cell.
    low = np.maximum(first, columns - 1 - last[::-1])
    return low, np.minimum(last, columns - 1 - first[::-1]) + 1


def corner_path(
    cost: Array,
    slope_limit: int = 2,
    *,
    first: NDArray[np.int64] | None = None,
    columns: int | None = None,
) -> Path:
    """The cheapest legal path from the first cell to the last, ``(n, 2)``.

    Parameters
    ----------
    cost
        ``(rows, columns)``, of which only what is `reachable` is read; or a band
        ``(rows, width)``.
    slope_limit
        L, at least 1.
    first, columns
        For a band: the first column ``(rows,)`` of each row, not decreasing, and the
        number of columns of the whole grid. Row 0 must begin with column 0.
    """
    rows = len(cost)
    columns = cost.shape[1] if columns is None else columns
    if smallest_limit(rows, columns) > slope_limit:
        raise too_different((rows, columns), slope_limit)
    within = reachable(rows, columns, slope_limit) if first is None else None
    return _fill(cost, slope_limit, first, columns, within=within).corner()


def corner_means(cost: Array, width: int, starts: Sequence[int], slope_limit: int = 2) -> Array:
    """Mean costs ``(n,)`` of the cheapest legal paths through n parts of a grid, corner to corner.

    The parts become one band, in which each begins diagonally behind the last cell of the one
    before: the cheapest path through the band is the cheapest through each of them.

    Parameters
    ----------
    cost
        ``(rows, columns)``.
    width
        Columns of a part.
    starts
        The first column of each.
    slope_limit
        L, at least 1.
    """
    rows = len(cost)
    if smallest_limit(rows, width) > slope_limit:
        raise too_different((rows, width), slope_limit)
    at_once = max(1, _MOST_CELLS // (rows * width))
    low, high = reachable(rows, width, slope_limit)
    means = []
    for some in (starts[i : i + at_once] for i in range(0, len(starts), at_once)):
        count = len(some)
        parts = np.concatenate([cost[:, start : start + width] for start in some])
        first = np.repeat(np.arange(count) * width, rows)
        within = np.tile(low, count), np.tile(high, count)
        path = _fill(parts, slope_limit, first, count * width, within=within).corner()
        row, part = path[:, 0], path[:, 0] // rows
        costs = parts[row, path[:, 1] - first[row]]
        means.append(np.bincount(part, costs) / np.bincount(part))
    return np.concatenate(means)


def boundary_path(cost: Array, slope_limit: int = 2, entry: PathEntry = _AFRESH) -> Path:
    """From the first cell to that cell of the last row or column with the least mean cost."""
    table = _fill(cost, slope_limit, entry=entry)
    rows, columns = cost.shape
    ends = [(i, columns - 1, total) for i, total in enumerate(table.ends_col)]
    ends += [(rows - 1, j, total) for j, total in enumerate(table.ends_row[:-1])]
    return _least_mean(table, ends)


def covering_path(cost: Array, price: float | Array, slope_limit: int = 2) -> Path:
    """From any cell of the first row to any of the last: the path that earns most.

    `longest_good` defines what cells earn.
    """
    rows, columns = cost.shape
    if smallest_limit(rows, columns) > slope_limit and columns < rows:
        raise too_different((rows, columns), slope_limit)
    table = _fill(cost - price, slope_limit, diagonal=2.0, begin=ROW)
    column = int(np.argmin(table.ends_row))
    if not np.isfinite(table.ends_row[column]):
        raise RegistrationError("no path with this slope limit reaches the other end of a clip")
    return table.path(rows - 1, column - int(table.first[-1]))


def path_through(cost: Array, cell: tuple[int, int], slope_limit: int = 2) -> Path:
    """From an inner cell backwards and forwards, to the boundary cells of least mean cost."""
    i, j = cell
    backwards = boundary_path(cost[: i + 1, : j + 1][::-1, ::-1], slope_limit)
    before = np.array([i, j]) - backwards[::-1]
    # The limit holds across the inner cell too: the way on begins with the steps already
    # taken in one direction on the way to it.
    forwards = boundary_path(cost[i:, j:], slope_limit, _entry(before))
    return np.concatenate([before[:-1], forwards + np.array([i, j])])


def longest_good(cost: Array, good: float | Array, slope_limit: int = 2) -> Path:
    """The stretch on which cells stay below ``good`` for longest: from any cell to any cell.

    Each cell earns what it is better than ``good`` (one number, or one for each cell), times
    the frames the step to it advances in both clips together; the path that earns most is
    returned.
    """
    # Diagonal steps advance two frames, the others one: no path gains by zigzagging.
    table = _fill(cost - good, slope_limit, diagonal=2.0, begin=ANYWHERE)
    row = int(np.argmin(table.rows_best[:, 0]))
    return table.path(row, int(table.rows_best[row, 1]))


def earned_from(cost: Array, good: float | Array, slope_limit: int = 2) -> Array:
    """What paths from the first row can earn at most, as in `longest_good`, by each row.

    ``(rows,)``; they may begin and end in any column.
    """
    return -_fill(cost - good, slope_limit, diagonal=2.0, begin=ROW).rows_best[:, 0]


def _entry(path: Path) -> PathEntry:
    """The run of equal straight steps with which a path ends."""
    steps = np.diff(path, axis=0)[::-1]
    if len(steps) == 0 or steps[0].sum() == 2:
        return _AFRESH
    same = np.all(steps == steps[0], axis=1)
    run = len(steps) if same.all() else int(np.argmin(same))
    return PathEntry(along=int(steps[0, 0] == 1), run=run)


def _least_mean(table: _Table, ends: list[tuple[int, int, float]]) -> Path:
    best, best_mean = None, np.inf
    for row, column, total in ends:
        if not np.isfinite(total):
            continue
        path = table.path(row, column - int(table.first[row]))
        mean = total / len(path)
        if mean < best_mean:
            best, best_mean = path, mean
    if best is None:
        raise RegistrationError("no path with this slope limit reaches the other end of a clip")
    return best
