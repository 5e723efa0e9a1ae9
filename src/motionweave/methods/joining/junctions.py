"""Junctions: pairs of frames at which one clip can turn into another.

The poses should be similar there, as measured by the distance of Kovar & Gleicher, and
little of the clips should be lost: what the first clip does afterwards and the second did before is
cut off. The cost of a place includes both: how far apart the poses are, in body heights, and the
share of the clips' action that is cut off.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from motionweave.body.pose.heading import facing
from motionweave.body.pose.tpose import tpose_frames
from motionweave.body.rig.roles import find_rig
from motionweave.body.size import body_height
from motionweave.core.arrays import Array
from motionweave.core.kinematics import in_parts
from motionweave.core.motion import Motion
from motionweave.errors import BlendError, QualityWarning
from motionweave.registration.clouds import JointWeights, PointClip, as_points
from motionweave.registration.distance import distance_grid

Range = tuple[float, float]
Keep = Literal["most", "all"] | float | tuple[Range | None, Range | None]

# Poses this far apart, in body heights (root mean square of all points), have little in common:
# someone who lies or crawls and someone who stands. A run and a stance are 0.2 to 0.25 apart, and
# turn into each other well.
UNLIKE = 0.3
# The remedy if two clips do not fit together.
LEAD_OVER = "put a clip between them that leads from one to the other"
# The cost of cutting off all action of a clip, in body heights of distance.
CUT = 0.3
# Frames per second for the search of junctions, and the largest grid for it.
_RATE = 30.0
_MOST_CELLS = 360_000
# Share of a clip's time that counts as action whatever happens in it, and the limit of activity as
# a multiple of its median.
_PLAIN = 0.5
_MOST_ACTIVE = 10.0
# Less than this share of a clip's action or time kept is worth a warning: about half.
_LITTLE = 0.55
# Turns of the body, in radians, that are mentioned when they are cut off.
_TURN = np.radians(45.0)


@dataclass(frozen=True)
class Junction:
    """A place where one clip can turn into the next.

    Parameters
    ----------
    distance
        Distance between the two poses there (root mean square of all markers), in the clips' unit.
    frames
        The frame of each of the two clips at the middle of the seam.
    kept
        The share of each clip's action that is kept: before the junction in the first clip, after
        it in the second.
    cost
        The cost by which junctions are sorted: the distance in body heights, and what is cut off.
    """

    distance: float
    frames: tuple[float, float]
    kept: tuple[float, float] = (1.0, 1.0)
    cost: float = 0.0


def find_junctions(
    a: Motion,
    b: Motion,
    half: float,
    *,
    keep: Keep = "most",
    weights: JointWeights | None = None,
    points: Sequence[PointClip] | None = None,
    most: int | None = None,
) -> tuple[Junction, ...]:
    """Local minima of the cost, the best first.

    Parameters
    ----------
    a, b
        Clips of one skeleton.
    half
        Seconds of both clips that are needed on either side of a junction.
    keep
        What must not be cut; see `transition`.
    weights
        How much each joint counts, as in `register`.
    points
        Both clips as points, weighted like that, if they are known.
    most
        The largest number to return: long clips have thousands. None for all.
    """
    points = points or [as_points(motion, weights) for motion in (a, b)]
    coarse = _spread(points)
    steps = [(len(p) - 1) / max(len(c) - 1, 1) for p, c in zip(points, coarse, strict=True)]
    frames: list[Array] = [
        np.arange(len(c), dtype=np.float64) * step for c, step in zip(coarse, steps, strict=True)
    ]
    shares = [
        np.interp(at, np.arange(len(m)), action_before(m))
        for at, m in zip(frames, (a, b), strict=True)
    ]
    cut = (1.0 - shares[0], shares[1])
    allowed = _allowed((a, b), frames, cut, half, keep)
    rows, columns = (np.flatnonzero(mask) for mask in allowed)
    if len(rows) == 0 or len(columns) == 0:
        return ()
    grid = np.asarray(distance_grid(*coarse))[np.ix_(rows, columns)]
    size = body_height(a.skeleton)
    cost = np.sqrt(grid) / size + CUT * (cut[0][rows, None] + cut[1][columns])
    places = np.array(local_minima(cost), dtype=np.intp).reshape(-1, 2)
    places = places[np.argsort(cost[tuple(places.T)], kind="stable")][:most]
    # Numbers are taken out of arrays all at once.
    r, c = places.T
    at = np.stack([frames[0][rows[r]], frames[1][columns[c]]], axis=1).tolist()
    kept = np.stack([1.0 - cut[0][rows[r]], 1.0 - cut[1][columns[c]]], axis=1).tolist()
    found = zip(np.sqrt(grid[r, c]).tolist(), at, kept, cost[r, c].tolist(), strict=True)
    return tuple(Junction(far, (x, y), (a, b), price) for far, (x, y), (a, b), price in found)


def _spread(points: Sequence[PointClip]) -> list[PointClip]:
    """The clips at a rate at which their grid of distances stays small."""
    seconds = [max(p.duration, 1.0 / p.fps) for p in points]
    rate = min(_RATE, (_MOST_CELLS / (seconds[0] * seconds[1])) ** 0.5)
    return [p.spread(min(rate, p.fps)) for p in points]


def _allowed(
    clips: Sequence[Motion], frames: Sequence[Array], cut: Sequence[Array], half: float, keep: Keep
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """At which frames of the first clip, and of the second, a junction may be."""
    masks = []
    # A T-pose in front is not part of the motion.
    starts = [tpose_frames(clip) for clip in clips]
    for clip, at, start in zip(clips, frames, starts, strict=True):
        # A seam cannot take more of a clip than there is.
        room = min(half * clip.fps, 0.5 * (len(clip) - 1 - start))
        step = at[1] - at[0] if len(at) > 1 else 1.0
        masks.append((at >= start + room - 0.5 * step) & (at <= len(clip) - 1 - room + 0.5 * step))
    first, second = masks
    if keep == "all":
        last, begin = np.flatnonzero(first), np.flatnonzero(second)
        return first & (frames[0] >= frames[0][last[-1]]), second & (
            frames[1] <= frames[1][begin[0]]
        )
    if isinstance(keep, str):
        if keep != "most":
            raise BlendError(f"keep {keep!r}: expected 'most', 'all', a share, or two ranges")
        return first, second
    if isinstance(keep, int | float):
        if not 0.0 <= keep <= 1.0:
            raise BlendError(f"keep {keep:g}: expected a share from 0 to 1")
        return first & (cut[0] <= 1.0 - keep), second & (cut[1] <= 1.0 - keep)
    for clip, part in zip(clips, _ranges(keep), strict=True):
        if part is not None and not 0.0 <= part[0] <= part[1] <= len(clip) - 1:
            raise BlendError(
                f"keep frames {part[0]:g} to {part[1]:g} of {clip.name or 'a clip'}: "
                f"it has frames 0 to {len(clip) - 1}"
            )
    left, right = _ranges(keep)
    if left is not None:
        first = first & (frames[0] >= left[1])
    if right is not None:
        second = second & (frames[1] <= right[0])
    return first, second


def _ranges(keep: tuple[Range | None, Range | None]) -> tuple[Range | None, Range | None]:
    try:
        left, right = keep
        pairs = [
            None if part is None else (float(part[0]), float(part[1])) for part in (left, right)
        ]
    except (TypeError, ValueError, IndexError):
        raise BlendError(
            f"keep {keep!r}: expected 'most', 'all', a share, or for each clip a range "
            "(first, last) of frames or None"
        ) from None
    return pairs[0], pairs[1]


def local_minima(grid: Array) -> list[tuple[int, int]]:
    """Cells not above any of their neighbours, of equal ones in a row the first."""
    padded = np.pad(grid, 1, constant_values=np.inf)
    beside = np.minimum(np.minimum(padded[:, :-2], padded[:, 2:]), padded[:, 1:-1])
    around = np.minimum(np.minimum(beside[:-2], beside[2:]), beside[1:-1])
    at = np.argwhere(grid <= around)
    # Strictly below those that come before: a plateau counts once, not everywhere.
    for before in ((0, 0), (0, 1), (0, 2), (1, 0)):
        at = at[grid[tuple(at.T)] < padded[tuple((at + before).T)]]
    return [(int(r), int(c)) for r, c in at]


def action_before(motion: Motion) -> Array:
    """Share ``(T,)`` of a clip's action that lies before each frame, from 0 to 1.

    Action is what the limbs do beyond their usual activity: how fast the joints move relative to
    the root, above the clip's own median; half of it is time itself, so that a clip in which
    nothing stands out counts by its duration.
    """
    if len(motion) < 3:
        return np.linspace(0.0, 1.0, len(motion))
    start = tpose_frames(motion)
    body = list(find_rig(motion.skeleton).body)
    seen = np.empty((len(motion), len(body), 3))
    for frames in in_parts(len(motion)):
        seen[frames] = motion.forward(frames)[0][:, body] - motion.root[frames, None]
    step = max(round(motion.fps / _RATE), 1)
    # Differences over a thirtieth of a second: noise is not action.
    ahead = np.minimum(np.arange(len(motion)) + step, len(motion) - 1)
    behind = np.maximum(np.arange(len(motion)) - step, start)
    speed = np.empty(len(motion))
    for frames in in_parts(len(motion)):
        moved = seen[ahead[frames]] - seen[behind[frames]]
        speed[frames] = np.sqrt(np.mean(np.sum(moved**2, axis=-1), axis=-1))
    usual = float(np.median(speed[start:]))
    active = np.clip(speed / usual - 1.0, 0.0, _MOST_ACTIVE) if usual > 0.0 else speed
    active[:start] = 0.0
    time = np.ones(len(motion))
    time[:start] = 0.0
    total = active.sum()
    density = _PLAIN * time / time.sum() + (1.0 - _PLAIN) * (
        active / total if total > 0 else time / time.sum()
    )
    return np.asarray(np.cumsum(density) - 0.5 * density)


def warn_of_cut(
    clips: Sequence[Motion],
    kept: Sequence[float],
    shown: Sequence[float],
    lost: Sequence[str],
    stacklevel: int,
) -> None:
    """Warn if an automatically chosen place cuts off half of a clip or more.

    Parameters
    ----------
    clips
        The two that are joined.
    kept, shown
        The share of each clip's action, and of its time, that the result shows.
    lost
        What is cut off, from `what_is_cut`.
    stacklevel
        As in `warnings.warn`, counted from the caller.
    """
    if min(*kept, *shown) >= _LITTLE:
        return
    names = " to ".join(clip.name or "a clip" for clip in clips)
    warnings.warn(
        f"{names}: about half of a clip or more is cut off: {' and '.join(lost)}; "
        "choose another place to keep more",
        QualityWarning,
        stacklevel=stacklevel + 1,
    )


def what_is_cut(motion: Motion, first: float, last: float, share: float) -> str:
    """What lies between two frames of a clip, for a message.

    Parameters
    ----------
    motion
        The clip.
    first, last
        Frames between which it is not shown.
    share
        Of the clip's action.
    """
    parts = [f"{share:.0%} of its action"]
    kinds = [c for c in motion.constraints if first <= 0.5 * (c.start + c.end) <= last]
    if kinds:
        parts.append(f"{len(kinds)} contact{'s' if len(kinds) > 1 else ''}")
    heading = facing(motion)
    turn = float(heading[int(last)] - heading[int(np.ceil(first))])
    if abs(turn) > _TURN:
        parts.append(
            f"a turn of {np.degrees(abs(turn)):.0f}° to the {'left' if turn > 0 else 'right'}"
        )
    where = "at the end" if last >= len(motion) - 1 else "at the beginning"
    seconds = (last - first) / motion.fps
    return f"{seconds:.2f} s {where} of {motion.name or 'a clip'} ({', '.join(parts)})"
