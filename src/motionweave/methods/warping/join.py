"""``join``: two clips overlapped, warped in time onto the shared interval, and blended.

The end of the first clip and the beginning of the second are brought onto one
interval so that corresponding frames coincide, the second is laid over the first on
the floor, and a slow-in/slow-out weight leads from one to the other (Witkin &
Popović, section 3, after Perlin).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from motionweave.core import constraints as constraint_tools
from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.constraints import Constraint, clipped, kinds, of_kind
from motionweave.core.curves import smootherstep
from motionweave.core.motion import Motion, concatenate, local_translations
from motionweave.core.planar import Planar
from motionweave.errors import WarpError
from motionweave.methods.warping.time import TimeCurve, paced_curve
from motionweave.retargeting import on_common_skeleton

Interval = tuple[float, float]

# Seconds of overlap where none is given, and between corresponding points that are found.
_OVERLAP = 0.5
_BETWEEN = 0.12
# Frames a second at which clips are compared to find where to overlap them.
_RATE = 30.0
# Seconds around the overlap within which feet are planted anew.
_AROUND = 0.4


@dataclass(frozen=True)
class Overlap:
    """Which frames of two clips are laid over each other.

    Parameters
    ----------
    first, second
        First and last frame of the interval, in each clip.
    points
        Pairs of frames inside that correspond.
    """

    first: Interval
    second: Interval
    points: tuple[tuple[float, float], ...] = ()

    @property
    def length(self) -> int:
        """Frames of the shared interval: the mean of both."""
        return max(round(0.5 * (np.ptp(self.first) + np.ptp(self.second))), 1)

    def curves(self) -> tuple[TimeCurve, TimeCurve]:
        """For each clip its frames along the shared interval.

        The first clip leaves at its own speed and the second arrives at its own, so that
        nothing changes pace at the borders.
        """
        pairs = np.array(
            [(self.first[0], self.second[0]), *self.points, (self.first[1], self.second[1])]
        )
        start, span = pairs[0], pairs[-1] - pairs[0]
        shared = self.length * np.mean((pairs - start) / span, axis=1)
        pace = span / self.length
        return (
            paced_curve(shared, pairs[:, 0], 1.0, pace[0]),
            paced_curve(shared, pairs[:, 1], pace[1], 1.0),
        )


def join(
    a: Motion,
    b: Motion,
    overlap: float | tuple[Interval, Interval] | None = None,
    correspondences: Iterable[tuple[float, float]] | None = None,
    *,
    clean: bool = True,
) -> Motion:
    """One motion out of two: ``a`` goes over into ``b``.

    Parameters
    ----------
    a, b
        Clips of the same joints. The second is taken on the first's skeleton and frame
        rate, and moved on the floor to where the first one is.
    overlap
        How many frames at the end of ``a`` lie over as many at the beginning of ``b``;
        or the two intervals, ``((first, last), (first, last))``, which may differ in
        length; frames of ``b`` count at the frame rate of ``a``. None looks for the place
        where the clips are most alike, and overlaps half a second there.
    correspondences
        Pairs of frames (of a, of b) inside the intervals that belong together, such as
        the same foot's strikes. None finds them by registration; ``()`` has none.
    clean
        Plant feet anew that the join has moved.

    Returns
    -------
    Before the overlap ``a`` as it is, after it ``b`` as it is but moved.
    """
    a, b = on_common_skeleton((a, b))
    b = b.resample(a.fps)
    return joined(a, b, overlap_of(a, b, overlap, correspondences), clean=clean)


def overlap_of(
    a: Motion,
    b: Motion,
    overlap: float | tuple[Interval, Interval] | None = None,
    correspondences: Iterable[tuple[float, float]] | None = None,
) -> Overlap:
    """The place at which `join` joins clips, given or found; parameters as there."""
    a, b = on_common_skeleton((a, b))
    b = b.resample(a.fps)
    place = find_overlap(a, b, _OVERLAP) if overlap is None else _given(a, b, overlap)
    points = _found(a, b, place) if correspondences is None else _checked(correspondences, place)
    return replace(place, points=points)


def joined(a: Motion, b: Motion, place: Overlap, *, clean: bool = True) -> Motion:
    """The join at a place; both clips have one skeleton and frame rate."""
    shared = np.arange(place.length + 1, dtype=np.float64)
    first, second = (
        motion.sample(np.clip(curve(shared), 0.0, len(motion) - 1.0))
        for motion, curve in zip((a, b), place.curves(), strict=True)
    )
    share = shared / place.length
    # Slow in, slow out; speed and acceleration of the blend do not jump at its ends.
    weight = smootherstep(share)
    move = _alignment(first, second, weight)
    middle = _blended(first, second.moved(move), weight)
    start, end = round(place.first[0]), round(place.second[1])
    parts = [middle]
    if start > 0:
        parts.insert(0, a[:start])
    if end + 1 < len(b):
        parts.append(b[end + 1 :].moved(move))
    result = concatenate(parts)
    result = replace(
        result,
        constraints=_constraints(a, b, middle, start, end, len(result)),
        name=" to ".join(name for name in (a.name, b.name) if name),
        source=a.source,
    )
    return _replanted(result, start, start + place.length) if clean else result


def find_overlap(a: Motion, b: Motion, seconds: float) -> Overlap:
    """Where the last half of one clip and the first half of another are most alike."""
    from motionweave.registration.clouds import as_points
    from motionweave.registration.distance import distance_grid

    half = min(0.5 * seconds, 0.5 * a.duration, 0.5 * b.duration)
    points = [as_points(motion).spread(_RATE) for motion in (a, b)]
    grid = np.array(distance_grid(*points))
    steps = [(len(m) - 1) / max(len(p) - 1, 1) for m, p in zip((a, b), points, strict=True)]
    rows, columns = (
        np.arange(len(p)) * step / a.fps for p, step in zip(points, steps, strict=True)
    )
    # Both intervals have to lie inside, and most of both clips is to be kept.
    allowed_a = (rows >= max(half, 0.5 * a.duration - half)) & (rows <= a.duration - half + 1e-9)
    allowed_b = (columns >= half - 1e-9) & (columns <= max(0.5 * b.duration, half) + 1e-9)
    grid[~allowed_a] = np.inf
    grid[:, ~allowed_b] = np.inf
    if not np.any(np.isfinite(grid)):
        raise WarpError(
            f"clips of {a.duration:.2f} and {b.duration:.2f} s are too short to overlap; "
            "give the overlap in frames"
        )
    row, column = np.unravel_index(np.argmin(grid), grid.shape)
    width = round(half * a.fps)
    middles = [
        int(np.clip(round(index * step), width, len(m) - 1 - width))
        for index, step, m in zip((row, column), steps, (a, b), strict=True)
    ]
    first, second = ((float(m - width), float(m + width)) for m in middles)
    return Overlap(first, second)


def _given(a: Motion, b: Motion, overlap: float | tuple[Interval, Interval]) -> Overlap:
    if isinstance(overlap, int | float):
        frames = round(overlap)
        if not 1 <= frames <= min(len(a), len(b)) - 1:
            raise WarpError(
                f"an overlap of {overlap:g} frames: expected 1 to {min(len(a), len(b)) - 1} "
                f"for clips of {len(a)} and {len(b)} frames"
            )
        return Overlap((float(len(a) - 1 - frames), len(a) - 1.0), (0.0, float(frames)))
    pairs = np.asarray(overlap, dtype=np.float64)
    if pairs.shape != (2, 2):
        raise WarpError(f"overlap {overlap!r}: expected two intervals (first, last) of frames")
    for (first, last), motion, which in zip(pairs, (a, b), ("first", "second"), strict=True):
        if not (0.0 <= first < last <= len(motion) - 1):
            raise WarpError(
                f"overlap {first:g} to {last:g} of the {which} clip: it has frames 0 to "
                f"{len(motion) - 1}"
            )
    whole = np.round(pairs)
    return Overlap((whole[0, 0], whole[0, 1]), (whole[1, 0], whole[1, 1]))


def _checked(
    points: Iterable[tuple[float, float]], place: Overlap
) -> tuple[tuple[float, float], ...]:
    pairs = sorted((float(x), float(y)) for x, y in points)
    low, high = (place.first[0], place.second[0]), (place.first[1], place.second[1])
    rows = np.array([low, *pairs, high])
    if np.any(np.diff(rows, axis=0) <= 0.0):
        raise WarpError(
            f"correspondences {pairs}: both frames have to increase from pair to pair, strictly "
            f"inside {place.first[0]:g} to {place.first[1]:g} and "
            f"{place.second[0]:g} to {place.second[1]:g}"
        )
    return tuple(pairs)


def _found(a: Motion, b: Motion, place: Overlap) -> tuple[tuple[float, float], ...]:
    """Corresponding frames inside an overlap, by registration of its two intervals."""
    from motionweave.registration.register import register

    starts = [round(place.first[0]), round(place.second[0])]
    ends = [round(place.first[1]), round(place.second[1])]
    parts = [m[s : e + 1] for m, s, e in zip((a, b), starts, ends, strict=True)]
    count = int(min(part.duration for part in parts) / _BETWEEN)
    if count < 2:
        return ()
    timewarp = register(*parts).timewarp
    inside = np.linspace(timewarp.start, timewarp.end, count + 1)[1:-1]
    frames = timewarp.frames(inside) + starts
    low, high = np.array(starts, dtype=float), np.array(ends, dtype=float)
    kept: list[tuple[float, float]] = []
    for pair in frames:
        before = np.array(kept[-1]) if kept else low
        if np.all(pair > before + 1.0) and np.all(pair < high - 1.0):
            kept.append((float(pair[0]), float(pair[1])))
    return tuple(kept)


def _alignment(first: Motion, second: Motion, weight: Array) -> Planar:
    """The move that lays the second over the first, the middle of the overlap counting most."""
    from motionweave.registration.distance import align

    clouds = [motion.positions() for motion in (first, second)]
    count = clouds[0].shape[1]
    weights = np.repeat(weight * (1.0 - weight) + 1e-6, count)
    flat = [cloud.reshape(-1, 3) for cloud in clouds]
    return align(flat[0], flat[1], weights / weights.sum())


def _blended(first: Motion, second: Motion, weight: Array) -> Motion:
    share = weight[:, None]
    sliding = first.translations is not None or second.translations is not None
    moves = [local_translations(motion) for motion in (first, second)] if sliding else []
    return replace(
        first,
        root=(1.0 - share) * first.root + share * second.root,
        rotations=rotations.slerp(
            first.rotations, second.rotations, np.broadcast_to(share, first.rotations.shape[:2])
        ),
        translations=(1.0 - share[..., None]) * moves[0] + share[..., None] * moves[1]
        if sliding
        else None,
        constraints=_handed_over(first, second, weight),
    )


def _handed_over(first: Motion, second: Motion, weight: Array) -> tuple[Constraint, ...]:
    """Contacts of the blend.

    Two plants that overlap are one, which begins and ends as the weights then say; a plant
    that only one clip has counts while that clip weighs more, if that is most of it.
    """
    last = len(weight) - 1.0
    middle = float(np.interp(0.5, weight, np.arange(len(weight))))
    result: list[Constraint] = []
    for kind in {*kinds(first.constraints), *kinds(second.constraints)}:
        early, late = (
            list(of_kind(first.constraints, kind)),
            list(of_kind(second.constraints, kind)),
        )
        for c in early:
            partner = next((d for d in late if c.start <= d.end and d.start <= c.end), None)
            if partner is None:
                result += _mostly([c], 0.0, middle)
                continue
            late.remove(partner)
            start, end = (
                _led((getattr(c, at), getattr(partner, at)), weight) for at in ("start", "end")
            )
            result.append(Constraint(min(start, end), max(start, end), kind))
        result += _mostly(late, middle, last)
    return tuple(result)


def _mostly(constraints: Iterable[Constraint], first: float, last: float) -> list[Constraint]:
    """What lies within some frames of those constraints that lie mostly within them."""
    return [
        part
        for c in constraints
        for part in clipped([c], first, last)
        if part.end - part.start > 0.5 * (c.end - c.start)
    ]


def _led(ends: tuple[float, float], weight: Array) -> float:
    """A frame between those of two clips, nearer to the clip that weighs more there."""
    share = float(np.interp(np.mean(ends), np.arange(len(weight)), weight))
    return (1.0 - share) * ends[0] + share * ends[1]


def _constraints(
    a: Motion, b: Motion, middle: Motion, start: int, end: int, frames: int
) -> tuple[Constraint, ...]:
    """Contacts of the whole, those cut at the borders made one again."""
    after = start + len(middle)
    pieces = [
        *clipped(a.constraints, 0.0, float(start)),
        *(c.shifted(start) for c in middle.constraints),
        *(c.shifted(after - 1 - end) for c in clipped(b.constraints, float(end), len(b) - 1.0)),
    ]
    return clipped(constraint_tools.joined(pieces, gap=1.0), 0.0, frames - 1.0)


def _replanted(motion: Motion, start: int, end: int) -> Motion:
    """Feet that stand in or around the overlap put in one place each."""
    from motionweave.contacts.clean.footskate import clean_feet

    around = _AROUND * motion.fps
    near: Sequence[Constraint] = [
        c for c in motion.constraints if c.end >= start - around and c.start <= end + around
    ]
    if not near:
        return motion
    return clean_feet(motion, near).with_constraints(motion.constraints)
