"""Frame correspondences of two clips: paths through the grid of their distances.

Everything here is in samples of clips that were spread to one rate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from motionweave.core.arrays import Array
from motionweave.core.numerics.curves import smoothstep
from motionweave.errors import Kind, RegistrationError, Remedy
from motionweave.registration import dtw
from motionweave.registration.clouds import PointClip
from motionweave.registration.distance import distance_block
from motionweave.registration.dtw import Path
from motionweave.registration.grids import GridBand, GridBlock
from motionweave.registration.windows import CentredClip, dots

Span = tuple[int, int]  # first and last sample

# Grids of more cells than this are computed only along a band around the path that a
# coarser grid of at most as many cells gives.
MOST_CELLS = 1_000_000
# Half the width of that band, in coarse samples, and at least this many fine ones.
_BAND = 6
_NARROWEST_BAND = 45
# A pull towards the straight path, in squared body heights, where the distances leave the
# path undecided (a figure that stands still). Far below what two real frames differ by.
_TIE = 1e-6
# A stretch that corresponds is at least this share of the shortest clip.
_LEAST_SHARE = 0.5
# What a sample is worth in which nothing moves; how much more one that has to be kept is worth.
_PRESENT = 0.5
_BEYOND_PRICE = 1e3
# Poses nearer than the first, in body heights, need no signals to know their timing; those
# farther apart than the second do.
_ALIKE, _UNLIKE = 0.025, 0.05
# Samples around the end of a stretch among which the best is taken.
POLISH = 3
# What is good enough, between the distances of the nearest frames (0) and the usual one (1),
# and how often to be content with less.
_GOOD = 0.5
_GIVING_WAY = 30


@dataclass(frozen=True, eq=False)
class Pair:
    """Two clips, and how their frames correspond.

    Parameters
    ----------
    path
        ``(n, 2)`` matching samples.
    distance
        The mean distance of poses along the path.
    signals
        How much differences of the clips' signals counted beside the distances.
    """

    path: Path
    distance: float
    signals: float = 0.0

    def turned(self) -> Pair:
        """The same with the clips exchanged."""
        return replace(self, path=self.path[:, ::-1])

    def moved(self, row: int, column: int) -> Pair:
        """The same, the path moved by this many samples."""
        return replace(self, path=self.path + np.array([row, column]))


@dataclass(frozen=True)
class Rules:
    """What paths have to keep to.

    Parameters
    ----------
    slope_limit
        L, the most steps along a row or a column without a pause.
    strikes
        How much signals count: a full difference weighs like this many times the usual
        distance of corresponding poses. Where poses agree they decide; where they do
        not, as between a walk and a run, the signals do.
    refine
        Whether timing is found finer than the samples between which paths step.
    """

    slope_limit: int = 2
    strikes: float = 0.0
    refine: bool = True


def corner_pair(a: PointClip, b: PointClip, rules: Rules) -> Pair:
    """Two clips whose first samples match, and whose last samples match."""
    check_lengths(a, b, 1, rules)
    return between(
        a, b, (0, len(a) - 1), (0, len(b) - 1), rules, tie=_TIE * a.height**2 + np.finfo(float).tiny
    )


def between(
    a: PointClip, b: PointClip, rows: Span, columns: Span, rules: Rules, *, tie: float = 0.0
) -> Pair:
    """Two spans whose first samples match, and whose last samples match."""
    counts = rows[1] - rows[0] + 1, columns[1] - columns[0] + 1
    if dtw.smallest_limit(*counts) > rules.slope_limit:
        raise dtw.too_different(counts, rules.slope_limit)
    if counts[0] * counts[1] <= MOST_CELLS:
        block = GridBlock(
            a, b, (rows[0], rows[1] + 1), (columns[0], columns[1] + 1), rules.slope_limit
        )
        found = best(block, lambda cost: dtw.corner_path(cost, rules.slope_limit), rules, tie)
    else:
        parts = cut(a, rows), cut(b, columns)
        band = GridBand(*parts, *_band(*parts, rules))

        def along(cost: Array) -> Path:
            return dtw.corner_path(cost, rules.slope_limit, first=band.first, columns=band.columns)

        found = best(band, along, rules)
    return found.moved(rows[0], columns[0])


def good_stretch(a: PointClip, b: PointClip, rules: Rules, worth: tuple[Array, Array]) -> Pair:
    """The stretch on which the poses of two clips correspond well, with most of what happens.

    ``worth`` ``(Ta,), (Tb,)`` is how much each sample is worth keeping, 1 on average: what is
    cut off costs, and where much happens it costs more.
    """
    step = coarseness(len(a), len(b))
    a, b = thinned(a, step), thinned(b, step)
    cost = GridBlock(a, b, (0, len(a)), (0, len(b))).poses
    least = least_length(cost.shape)
    mean = 0.5 * (worth[0][::step, None] + worth[1][::step])
    for good in good_levels(cost):
        path = dtw.longest_good(cost, good * mean, rules.slope_limit)
        if np.all(np.ptp(path, axis=0) + 1 >= least):
            return trimmed(Pair(path * step, mean_along(cost, path)))
    raise RegistrationError(
        "there is no stretch on which the clips match",
        remedies=(Remedy("slope_limit", rules.slope_limit + 1),),
        kind=Kind.NO_STRETCH,
    )


def covering(
    ref: PointClip, clip: PointClip, span: Span, rules: Rules, worth: tuple[Array, Array]
) -> Span:
    """The stretch of a clip that corresponds to a stretch of the reference; see `good_stretch`."""
    step = coarseness(span[1] - span[0] + 1, len(clip))
    rows, columns = cut(ref, span)[::step], clip[::step]
    cost = distance_block(rows, columns, (0, len(rows)), (0, len(columns)))
    mean = 0.5 * (worth[0][span[0] : span[1] + 1 : step, None] + worth[1][::step])
    path = dtw.covering_path(cost, next(good_levels(cost)) * mean, rules.slope_limit)
    path = trimmed(Pair(path * step, 0.0)).path
    return int(path[0, 1]), int(path[-1, 1])


def through(a: PointClip, b: PointClip, cells: Sequence[Span], far: int, rules: Rules) -> Pair:
    """Two clips with given matching samples, in order of time.

    ``far`` is how many samples before the first and after the last of them are searched.
    """
    (i, j), (k, m) = cells[0], cells[-1]
    if len(cells) == 1:
        low, high = (max(0, i - far), max(0, j - far)), (i + far + 1, j + far + 1)
        block = GridBlock(a, b, (low[0], min(len(a), high[0])), (low[1], min(len(b), high[1])))
        cell = i - low[0], j - low[1]
        found = best(block, lambda cost: dtw.path_through(cost, cell, rules.slope_limit), rules)
        return trimmed(found).moved(*low)
    pieces = [
        between(a, b, (before[0], after[0]), (before[1], after[1]), rules)
        for before, after in pairwise(cells)
    ]
    if i > 0 and j > 0:
        low = max(0, i - far), max(0, j - far)
        block = GridBlock(a, b, (low[0], i + 1), (low[1], j + 1))
        found = best(block, lambda cost: _backwards(cost, rules.slope_limit), rules)
        pieces.insert(0, trimmed(found, end=False).moved(*low))
    if k < len(a) - 1 and m < len(b) - 1:
        block = GridBlock(a, b, (k, min(len(a), k + far + 1)), (m, min(len(b), m + far + 1)))
        found = best(block, lambda cost: dtw.boundary_path(cost, rules.slope_limit), rules)
        pieces.append(trimmed(found, begin=False).moved(k, m))
    lengths = np.array([len(piece.path) for piece in pieces])
    path = np.concatenate([pieces[0].path, *(piece.path[1:] for piece in pieces[1:])])
    return Pair(
        path,
        float(np.average([piece.distance for piece in pieces], weights=lengths)),
        float(np.average([piece.signals for piece in pieces], weights=lengths)),
    )


def _backwards(cost: Array, slope_limit: int) -> Path:
    """From the last cell backwards to that of the first row or column with the least mean cost."""
    found = dtw.boundary_path(cost[::-1, ::-1], slope_limit)
    return np.asarray(np.array(cost.shape) - 1 - found[::-1])


def best(
    grid: GridBlock | GridBand, search: Callable[[Array], Path], rules: Rules, tie: float = 0.0
) -> Pair:
    """The path that a search finds by poses, and then by poses and signals.

    How far corresponding poses differ says how much the signals count. ``tie`` is what it costs to
    be away from the straight path.
    """
    path = search(grid.costs(tie))
    usual = grid.mean(path)
    weight = signal_weight(usual, grid.height, rules) if grid.signalled else 0.0
    if weight == 0.0:
        return Pair(path, usual)
    path = search(grid.costs(tie, weight))
    return Pair(path, grid.mean(path), weight)


def signal_weight(usual: float, height: float, rules: Rules) -> float:
    """How much signals count beside poses whose usual (square) distance this is.

    Poses that differ no more than noise does know their timing best; strikes that are
    detected in noise do not.
    """
    apart = np.sqrt(usual) / (height or 1.0)
    unlike = smoothstep((apart - _ALIKE) / (_UNLIKE - _ALIKE))
    return rules.strikes * usual * float(unlike)


def trimmed(pair: Pair, *, begin: bool = True, end: bool = True) -> Pair:
    """The pair without the straight steps at the beginning and end of its path, which make one
    clip wait where the other has no more to give."""
    diagonal = np.flatnonzero(np.diff(pair.path, axis=0).all(axis=1))
    if len(diagonal) == 0:
        return pair
    first, last = diagonal[0] if begin else None, diagonal[-1] + 2 if end else None
    return replace(pair, path=pair.path[first:last])


def check_lengths(a: PointClip, b: PointClip, rounds: int, rules: Rules) -> None:
    """Refuse clips, or cycles several rounds long, of too different lengths."""
    counts = (len(a) - 1) // rounds + 1, (len(b) - 1) // rounds + 1
    if dtw.smallest_limit(*counts) > rules.slope_limit:
        what = "a clip" if rounds == 1 else "a cycle"
        first, second = (f"{clip.name or what} ({clip.duration / rounds:.2f} s)" for clip in (a, b))
        raise dtw.too_different(counts, rules.slope_limit, f"{first} and {second}")


def polished(
    ref: PointClip, clip: PointClip, own: Span, span: Span, rules: Rules, play: int = 0
) -> tuple[Span, Span]:
    """The spans of a reference and a clip with their ends on similar samples.

    A stretch that earns by its length may gain a sample or two by hurrying or waiting there.
    ``play`` is by how many samples the reference's own span may change. Short spans stay as they
    are if one of the others would be too long for the other.
    """
    rows, columns = [], []
    for row, column in zip(own, span, strict=True):
        top, bottom = max(0, row - play), min(len(ref), row + play + 1)
        low, high = max(0, column - POLISH), min(len(clip), column + POLISH + 1)
        apart = distance_block(ref, clip, (top, bottom), (low, high))
        i, j = np.unravel_index(int(np.argmin(apart)), apart.shape)
        rows.append(top + int(i))
        columns.append(low + int(j))
    if rows[0] >= rows[1] or columns[0] >= columns[1]:
        return own, span
    counts = rows[1] - rows[0] + 1, columns[1] - columns[0] + 1
    if dtw.smallest_limit(*counts) > rules.slope_limit:
        return own, span
    return (rows[0], rows[1]), (columns[0], columns[1])


def worth_of(clip: PointClip, keep: Sequence[tuple[float, float]] = ()) -> Array:
    """How much each sample ``(T,)`` is worth keeping: a share for being there, and the more the
    faster the body moves, 1 on average; in the ``keep`` ranges (in samples) it is beyond price."""
    steps = np.gradient(CentredClip.of(clip).poses, axis=0)
    speed = dots(steps, steps)
    usual = float(speed.mean())
    worth = _PRESENT + (1.0 - _PRESENT) * (speed / usual if usual > 0.0 else np.ones(len(clip)))
    for first, last in keep:
        worth[int(np.floor(first)) : int(np.ceil(last)) + 1] *= _BEYOND_PRICE
    return np.asarray(worth)


def least_length(samples: Sequence[int]) -> int:
    """This many samples make a stretch that is not trivially short."""
    return max(2, int(np.ceil(_LEAST_SHARE * min(samples))))


def good_levels(cost: Array) -> Iterator[float]:
    """Below which distance frames correspond, judged by the clips themselves; then ever more
    content with less similar frames, for where that gave too short a stretch."""
    nearest = np.concatenate([cost.min(axis=0), cost.min(axis=1)])
    matched, typical = float(np.quantile(nearest, 0.25)), float(np.median(cost))
    good = matched + _GOOD * (typical - matched)
    floor = 0.01 * typical + np.finfo(float).tiny
    for _ in range(_GIVING_WAY):
        yield max(good, floor)
        good = max(1.25 * good, good + 0.05 * typical)


def cut(clip: PointClip, span: Span) -> PointClip:
    """The samples of a span, its last one included."""
    return clip[span[0] : span[1] + 1]


def mean_along(cost: Array, path: Path) -> float:
    """The mean cost of a path's cells."""
    return float(cost[path[:, 0], path[:, 1]].mean())


def coarseness(rows: int, columns: int) -> int:
    """Every how many samples a grid may have a cell so that it is small enough."""
    return max(1, int(np.ceil(np.sqrt(rows * columns / MOST_CELLS))))


def thinned(clip: PointClip, step: int) -> PointClip:
    """Every ``step``-th sample."""
    if step == 1:
        return clip
    return replace(clip[::step], fps=clip.fps / step)


def _band(a: PointClip, b: PointClip, rules: Rules) -> tuple[NDArray[np.int64], int]:
    """First columns and width of a band around the path through a coarser grid."""
    step = coarseness(len(a), len(b))
    thin_a, thin_b = (c.sample(_spread(len(c), step), c.fps / step) for c in (a, b))
    # Rounding may take the last bit of room from clips of very different length.
    needed = dtw.smallest_limit(len(thin_a), len(thin_b))
    loose = replace(rules, slope_limit=max(rules.slope_limit, needed))
    coarse = corner_pair(thin_a, thin_b, loose).path
    at = np.stack([_spread(len(c), step)[coarse[:, i]] for i, c in enumerate((a, b))], axis=1)
    rows, index = np.unique(at[:, 0], return_index=True)
    middle = np.interp(np.arange(len(a)), rows, at[index, 1])
    half = max(_NARROWEST_BAND, _BAND * step)
    first = np.clip(np.rint(middle).astype(np.int64) - half, 0, max(0, len(b) - 2 * half - 1))
    return np.maximum.accumulate(first), min(2 * half + 1, len(b))


def _spread(count: int, step: int) -> NDArray[np.intp]:
    """Every ``step``-th sample, the first and the last among them."""
    return np.unique(np.rint(np.linspace(0, count - 1, max(2, count // step))).astype(np.intp))
