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

# The states of a cell are numbered: 0 came by a diagonal step (or begins the path), 1 to L by
# as many steps along the row, L + 1 to 2 L by as many along the column; 2 L + 1 means that
# nothing came before. Up to this L the states have variables of their own and the three
# choices of a cell fit into a byte.
_WRITTEN_OUT = 3
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
def _fill_few(  # type: ignore[no-untyped-def]
    cost, first, low, high, limit, diagonal, free, left, above, above_from, back, ends, rows_best
):
    """Fill ``back`` for L <= 3. There are no loops over the states: each is a variable.

    Of each row the places from ``low`` up to ``high`` (rows,) are searched; neither edge ever moves
    to an earlier column. ``above`` (width + 1, 4) holds for each place of the row above the cost of
    the best state, of the best that a step along the column may follow, and of runs of one and two
    such steps; ``above_from`` (width + 1, 2) which states the first two are. At first all is
    infinite except where paths begin; the last place stays so: it represents everything outside.
    ``left`` (4,) is the same for the cell diagonally before the first one. In the first ``free``
    rows paths may begin anywhere. ``ends`` (rows, 2) takes cost and state of the best path to the
    last cell of each row, ``rows_best`` (rows, 3) cost, place and state of the best in each row.
    """
    rows, width = cost.shape
    # Runs longer than the limit cost too much.
    never = np.inf
    second = 0.0 if limit >= 2 else never
    third = 0.0 if limit >= 3 else never
    # Row by row, what the first cell may follow.
    diag, steep, right1, right2 = left[0], left[1], left[2], left[3]
    for i in range(rows):
        shift = 0
        diag_from, steep_from = 7, 0
        if i > 0:
            shift = first[i] - first[i - 1]
            diag, steep, right1 = never, never, never
            right2 = never
            if low[i - 1] < low[i] + shift <= high[i - 1]:
                before = low[i] + shift - 1
                diag, diag_from = above[before, 0], above_from[before, 0]
        # A path that begins here costs nothing before.
        begun = 0.0 if i < free else never
        least, least_place, least_state = never, 0, 0
        # What this row writes lies left of what it still reads: bands only move right.
        reach = high[i - 1] if i > 0 else width
        for place in range(low[i], high[i]):
            c = cost[i, place]
            over = place + shift if place + shift < reach else width
            if begun < diag:
                diag, diag_from = begun, 7
            d = diag + diagonal * c
            h1, h2, h3 = steep + c, right1 + c + second, right2 + c + third
            v1, v2 = above[over, 1] + c, above[over, 2] + c + second
            v3 = above[over, 3] + c + third
            back[i, place] = diag_from | (steep_from << 3) | (above_from[over, 1] << 5)
            diag, diag_from = above[over, 0], above_from[over, 0]
            # What a step along the column may follow, and what one along the row may.
            flat, flat_from = d, 0
            if h1 < flat:
                flat, flat_from = h1, 1
            if h2 < flat:
                flat, flat_from = h2, 2
            if h3 < flat:
                flat, flat_from = h3, 3
            steep, steep_from = d, 0
            if v1 < steep:
                steep, steep_from = v1, 1
            if v2 < steep:
                steep, steep_from = v2, 2
            if v3 < steep:
                steep, steep_from = v3, 3
            right1, right2 = h1, h2
            best, best_from = flat, flat_from
            if steep < flat:
                best, best_from = steep, steep_from + 3
            above[place, 0], above_from[place, 0] = best, best_from
            above[place, 1], above_from[place, 1] = flat, flat_from
            above[place, 2], above[place, 3] = v1, v2
            if best < least:
                least, least_place, least_state = best, place, best_from
        rows_best[i, 0], rows_best[i, 1], rows_best[i, 2] = least, least_place, least_state
        ends[i, 0], ends[i, 1] = above[high[i] - 1, 0], above_from[high[i] - 1, 0]


@kernel()
def _fill_many(  # type: ignore[no-untyped-def]
    cost, first, low, high, limit, diagonal, free, enter, back, ends_row, ends, rows_best
):
    """As `_fill_few` for any L: ``back`` is (rows, width, 3), and paths that do not begin freely
    begin in the first cell's state ``enter``. ``ends_row`` (width, 2) takes what ``ends`` does, for
    each cell of the last row.
    """
    rows, width = cost.shape
    states = 2 * limit + 1
    above, here = np.full((width, states), np.inf), np.full((width, states), np.inf)
    rows_best[:] = np.inf
    for i in range(rows):
        shift = first[i] - first[i - 1] if i > 0 else 0
        here[:] = np.inf
        for place in range(low[i], high[i]):
            c = cost[i, place]
            now = here[place]
            over, before = place + shift, place + shift - 1
            d_from, h_from, v_from = 2 * limit + 1, 0, 0
            if i > 0 and 0 <= before < width:
                d_from = 0
                for s in range(1, states):
                    if above[before, s] < above[before, d_from]:
                        d_from = s
                now[0] = above[before, d_from] + diagonal * c
            if i < free and diagonal * c < now[0]:
                now[0], d_from = diagonal * c, 2 * limit + 1
            if place > 0:
                left = here[place - 1]
                for s in range(limit + 1, states):
                    if left[s] < left[h_from]:
                        h_from = s
                now[1] = left[h_from] + c
                for s in range(2, limit + 1):
                    now[s] = left[s - 1] + c
            if i > 0 and over < width:
                for s in range(1, limit + 1):
                    if above[over, s] < above[over, v_from]:
                        v_from = s
                now[limit + 1] = above[over, v_from] + c
                for s in range(limit + 2, states):
                    now[s] = above[over, s - 1] + c
            if free == 0 and i == 0 and place == 0:
                now[enter] = c
            back[i, place, 0], back[i, place, 1], back[i, place, 2] = d_from, h_from, v_from
            state = 0
            for s in range(1, states):
                if now[s] < now[state]:
                    state = s
            if now[state] < rows_best[i, 0]:
                rows_best[i, 0], rows_best[i, 1], rows_best[i, 2] = now[state], place, state
            if i == rows - 1:
                ends_row[place, 0], ends_row[place, 1] = now[state], state
            ends[i, 0], ends[i, 1] = now[state], state
        above, here = here, above


@kernel(bare=True)
def _walk_back(back, first, limit, row, place, state, path):  # type: ignore[no-untyped-def]
    """Cells of the path that ends in a state, last one first; returns how many there are."""
    _, _, kept = back.shape
    count = 0
    while True:
        path[count, 0], path[count, 1] = row, first[row] + place
        count += 1
        if row == 0 and place == 0:
            return count
        if kept == 1:
            byte = back[row, place, 0]
            d_from, h_from, v_from = byte & 7, (byte >> 3) & 3, (byte >> 5) & 3
            # A step along the row follows a diagonal one or steps along the column.
            h_from = h_from + limit if h_from > 0 else 0
        else:
            d_from, h_from, v_from = back[row, place, 0], back[row, place, 1], back[row, place, 2]
        if state == 0:
            if d_from == 2 * limit + 1:
                return count
            state = d_from
            place += first[row] - first[row - 1] - 1
            row -= 1
        elif state <= limit:
            state = h_from if state == 1 else state - 1
            place -= 1
        else:
            state = v_from if state == limit + 1 else state - 1
            place += first[row] - first[row - 1]
            row -= 1


@dataclass(frozen=True, eq=False)
class _Table:
    """A filled dynamic programme: enough to read off the best path to any end."""

    first: NDArray[np.int64]
    columns: int
    limit: int
    back: NDArray
    ends_row: tuple[Array, NDArray]
    ends_col: Array
    rows_best: Array

    def corner(self) -> Path:
        """The best path to the last cell."""
        total, state = self.ends_col[-1]
        if not np.isfinite(total):
            raise RegistrationError(
                "no path with this slope limit stays within the band; widen the band"
            )
        last = self.columns - 1 - int(self.first[-1])
        return self.path(len(self.ends_col) - 1, last, int(state))

    def path(self, row: int, place: int, state: int) -> Path:
        """The best path to a cell, given by its row, place in the row, and last state."""
        room = np.empty((self.back.shape[0] + self.columns, 2), dtype=np.int64)
        count = _walk_back(self.back, self.first, self.limit, row, place, state, room)
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
    ends, rows_best = np.empty((rows, 2)), np.empty((rows, 3))
    if limit <= _WRITTEN_OUT:
        left, above = np.full(4, np.inf), np.full((width + 1, 4), np.inf)
        above_from = np.zeros((width + 1, 2), dtype=np.int64)
        if begin == CORNER:
            (above[0] if entry.along == 1 and entry.run > 0 else left)[entry.run] = 0.0
        back = np.empty((rows, width, 1), dtype=np.uint8)
        _fill_few(
            cost, first, low, high, limit, diagonal, free, left, above, above_from,
            back[..., 0], ends, rows_best,
        )  # fmt: skip
        above[: low[-1]] = above[high[-1] :] = np.inf
        ends_row = above[:width, 0], above_from[:width, 0]
        limit = _WRITTEN_OUT
    else:
        back, last = np.empty((rows, width, 3), dtype=np.uint16), np.full((width, 2), np.inf)
        enter = entry.run + (limit * entry.along if entry.run > 0 else 0)
        _fill_many(
            cost, first, low, high, limit, diagonal, free, enter, back, last, ends, rows_best
        )
        ends_row = last[:, 0], last[:, 1]
    # Of most rows of a band the last cell is not one of the last column.
    ends[first + high < columns, 0] = np.inf
    return _Table(first, columns, limit, back, ends_row, ends, rows_best)


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
    ends = [(i, columns - 1, *table.ends_col[i]) for i in range(rows)]
    ends += [(rows - 1, j, *end) for j, end in enumerate(zip(*table.ends_row, strict=True))][:-1]
    return _least_mean(table, ends)


def covering_path(cost: Array, price: float | Array, slope_limit: int = 2) -> Path:
    """From any cell of the first row to any of the last: the path that earns most.

    `longest_good` defines what cells earn.
    """
    rows, columns = cost.shape
    if smallest_limit(rows, columns) > slope_limit and columns < rows:
        raise too_different((rows, columns), slope_limit)
    table = _fill(cost - price, slope_limit, diagonal=2.0, begin=ROW)
    totals, states = table.ends_row
    column = int(np.argmin(totals))
    if not np.isfinite(totals[column]):
        raise RegistrationError("no path with this slope limit reaches the other end of a clip")
    return table.path(rows - 1, column - int(table.first[-1]), int(states[column]))


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
    return table.path(row, *table.rows_best[row, 1:].astype(int))


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


def _least_mean(table: _Table, ends: list[tuple[int, int, float, float]]) -> Path:
    best, best_mean = None, np.inf
    for row, column, total, state in ends:
        if not np.isfinite(total):
            continue
        path = table.path(row, column - int(table.first[row]), int(state))
        mean = total / len(path)
        if mean < best_mean:
            best, best_mean = path, mean
    if best is None:
        raise RegistrationError("no path with this slope limit reaches the other end of a clip")
    return best
