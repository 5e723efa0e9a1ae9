"""What the self-check measures in a motion: how joints accelerate, and how feet move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from motionweave.body.hinges import Hinge, find_hinges
from motionweave.body.pose.tpose import tpose_frames
from motionweave.body.rig.roles import SIDES, find_rig, leg_length
from motionweave.body.size import body_height
from motionweave.body.soles import Sole, has_feet, sole_points, soles
from motionweave.core.arrays import Array, BoolArray
from motionweave.core.constraints import FOOT_KINDS
from motionweave.core.intervals import frames_in, runs
from motionweave.core.motion import Motion
from motionweave.core.numerics.quantiles import median, quantile
from motionweave.core.numerics.vectors import dots, lengths
from motionweave.core.skeleton import Skeleton
from motionweave.measure.support import floor_level, support_slides

# Seconds over which speeds of the pelvis are measured, because capture noise is not a lurch.
SPEED_WINDOW = 0.1
# Frames from which knees are found at most, or nearly so.
_ENOUGH = 200
# Frames that have a change of velocity.
_FEWEST = 3
# A point of the sole is low below this height above its own lowest, which is what it is below for
# this share of the time, and slides above this speed (leg lengths; per second).
_LOW, _LOWEST = 0.025, 0.1
_SLIDING = 0.2
# Leg lengths by which a foot stands higher than before on a block: where in between that begins, is
# not known.
_BLOCK = 0.1
# A result has to be this much lower for it: feet swing over the floor at about that height, and one
# that just does not count in a clip must not count where it is a little lower.
_CLEARLY = 0.01
# Frames whose changes are computed at a time.
_AT_ONCE = 512


class Slide(NamedTuple):
    """Leg lengths that the foot of a side slides from one frame to another."""

    distance: float
    side: str
    first: int
    last: int


@dataclass(frozen=True, eq=False)
class Figures:
    """The figures of a motion for the self-check; lengths are in leg lengths, times in seconds.

    Parameters
    ----------
    fps
        Frames per second.
    acceleration, twist
        ``(n, J)`` acceleration of every joint, and change of its angular velocity.
    stride
        Frames between two of the samples that the two are taken from.
    speed, step_speed
        ``(T,)`` of the pelvis, over a tenth of a second, and from each frame to the next.
    tracks
        Heights ``(T,)`` of heels and toes and their speeds over the floor from each frame to
        the next ``(T,)``, by kind; none for a body without legs.
    floor, lowest
        Height of the floor, and the lowest height of a heel or toe.
    planted
        For each kind whether it is planted, ``(T,)``.
    hinges, knees
        The knees, and how far each is bent, ``(T,)`` in radians; below 0 it bends backwards.
    soles
        Where the soles are on the joints that carry them, by side; none for a body without legs.
    deepest
        The lowest height of a joint of the body, which joint it is, and in which frame.
    first
        Frame of a longer motion with which this one begins.
    """

    fps: float
    acceleration: Array
    twist: Array
    stride: int
    speed: Array
    step_speed: Array
    tracks: dict[str, tuple[Array, Array]]
    floor: float
    lowest: float
    planted: dict[str, BoolArray]
    hinges: dict[str, Hinge]
    knees: dict[str, Array]
    soles: dict[str, Sole]
    deepest: tuple[float, int, int]
    first: int = 0

    # What clips are asked for at every check, found once.

    @cached_property
    def hardest(self) -> dict[str, Array]:
        """The largest ``acceleration`` and ``twist`` of every joint ``(J,)``."""
        return {
            "acceleration": self.acceleration.max(axis=0, initial=0.0),
            "twist": self.twist.max(axis=0, initial=0.0),
        }

    @cached_property
    def fastest(self) -> dict[str, float]:
        """The largest ``speed`` and ``step_speed``."""
        return {"speed": float(self.speed.max()), "step_speed": float(self.step_speed.max())}

    @cached_property
    def longest_slide(self) -> float:
        """Leg lengths that a foot slides low over the floor, not planted, at most."""
        return max((slide.distance for slide in self._slides(_LOW)), default=0.0)

    @cached_property
    def clear_slides(self) -> list[Slide]:
        """Where a foot that is clearly low slides over the floor, not planted."""
        return self._slides(_LOW - _CLEARLY)

    def _slides(self, below: float) -> list[Slide]:
        found = []
        for side in SIDES:
            heel, toe = (self.tracks[f"{side}_{end}"] for end in ("heel", "toe"))
            lower = heel[0] < toe[0]
            height, speed = np.where(lower, heel[0], toe[0]), np.where(lower, heel[1], toe[1])
            planted = self.planted[f"{side}_heel"] | self.planted[f"{side}_toe"]
            low = height < _ground(height, planted) + below
            for first, last in runs(low & (speed > _SLIDING) & ~planted):
                distance = float(speed[first : last + 1].sum()) / self.fps
                found.append(Slide(distance, side, self.first + first, self.first + last))
        return found

    @cached_property
    def drift(self) -> tuple[float, str, int]:
        """How far the worst plant drifts, what is planted, and the frame where it drifts most."""
        worst = (0.0, "", 0)
        for kind, held in self.planted.items():
            for first, last in runs(held):
                # From one planted frame to the next one: not the step that lifts the foot.
                speed = self.tracks[kind][1][first:last]
                if len(speed):
                    distance = float(speed.sum()) / self.fps
                    worst = max(worst, (distance, kind, self.first + first + int(speed.argmax())))
        return worst

    @cached_property
    def farthest_carried(self) -> float:
        """The farthest that the supporting foot slides in half a second, in leg lengths."""
        return float(self.support_slides(self.floor).max())

    def support_slides(self, floor: ArrayLike) -> Array:
        """Leg lengths ``(n,)`` that the supporting foot slides in each half second, on a floor of a
        height or of one under every frame ``(T,)``."""
        return slides_of(self.tracks, self.fps, floor)


_remembered: WeakKeyDictionary[Motion, dict[float, Figures]] = WeakKeyDictionary()


def figures(motion: Motion, rate: float) -> Figures:
    """The figures of a clip for the check, cached for the lifetime of the clip.

    A T-pose in front does not count: next to the jump out of it, every fault looks small.

    Parameters
    ----------
    motion
        At least three frames.
    rate
        Frames per second at which accelerations are compared: the lowest of all clips',
        because a clip sampled more finely than it was recorded has all its changes of speed in
        few frames.
    """
    known = _remembered.setdefault(motion, {})
    if rate not in known:
        first = recorded_from(motion)
        known[rate] = measured(motion[first:] if first else motion, rate, first)
    return known[rate]


def recorded_from(motion: Motion) -> int:
    """The first frame that is part of the motion: the one behind a T-pose, if enough is left."""
    first = tpose_frames(motion)
    return first if len(motion) - first >= _FEWEST else 0


def measured(
    motion: Motion,
    rate: float,
    first: int = 0,
    hinges: dict[str, Hinge] | None = None,
    own: dict[str, Sole] | None = None,
) -> Figures:
    """The figures of a motion that is checked once; parameters as of `figures`.

    ``first`` is the frame of a longer motion with which this one begins. ``hinges`` are the knees
    of the body and ``own`` its soles, found in more than this motion: few frames do not show them
    well.
    """
    if hinges is None:
        # A few hundred frames show how a knee bends.
        thinned = motion.with_constraints(())[:: max(len(motion) // _ENOUGH, 1)]
        hinges = find_hinges(thinned, arms=False)
    size = unit_length(motion.skeleton)
    stride = max(1, min(round(motion.fps / rate), (len(motion) - 1) // 2))
    step = stride / motion.fps
    count = len(motion) - 2 * stride
    moved, turned = np.empty((2, count, len(motion.skeleton)))
    if own is None:
        own = soles(motion) if has_feet(motion.skeleton) else {}
    paths = {kind: np.empty((len(motion), 3)) for kind in FOOT_KINDS if own}
    joints = np.array(find_rig(motion.skeleton).body)
    deepest = (np.inf, 0, 0)
    knees = {role: np.empty(len(motion)) for role in hinges}
    # A few frames at a time, which stay in the processor's cache: of where all joints of a long
    # take are, only the figures are kept.
    for begin in range(0, count, _AT_ONCE):
        end = min(begin + _AT_ONCE, count)
        frames = slice(begin, end + 2 * stride)
        pose = motion.forward(frames)
        moved[begin:end], turned[begin:end] = _changes(*pose, stride)
        low = pose[0][:, joints, 1]
        row, column = divmod(int(low.argmin()), len(joints))
        deepest = min(
            deepest, (float(low[row, column]) / size, int(joints[column]), first + begin + row)
        )
        for kind, points in sole_points(own, *pose).items():
            paths[kind][frames] = points
        for role, hinge in hinges.items():
            knees[role][frames] = hinge.flexion(*pose)
    tracks = _tracks(paths, size, motion.fps)
    heights = np.stack([height for height, _ in tracks.values()]) if own else np.zeros((1, 1))
    return Figures(
        fps=motion.fps,
        acceleration=moved / (size * step**2),
        twist=turned / step**2,
        stride=stride,
        speed=_pelvis_speed(motion, SPEED_WINDOW) / size,
        step_speed=_pelvis_speed(motion, 0.0) / size,
        tracks=tracks,
        floor=floor_level(heights),
        lowest=float(heights.min()),
        planted={kind: _planted(motion, kind) for kind in tracks},
        hinges=hinges,
        knees=knees,
        soles=own,
        deepest=deepest,
        first=first,
    )


def _ground(height: Array, planted: BoolArray) -> Array:
    """Height ``(T,)`` of the ground below a foot: that of the plants before and after, since ground
    may rise, and the lower of the two beside a block; without any, about the lowest that the foot
    gets."""
    lowest = quantile(height, _LOWEST)
    plants = runs(planted)
    if not plants:
        return np.full(len(height), lowest)
    levels = [median(height[first : last + 1]) for first, last in plants]
    ground = np.interp(np.arange(len(height)), np.ravel(plants), np.repeat(levels, 2))
    ends = (-1, -1), (len(height), len(height))
    around, heights = (ends[0], *plants, ends[1]), (lowest, *levels, lowest)
    for (one, other), ((_, last), (first, _)) in zip(
        pairwise(heights), pairwise(around), strict=True
    ):
        if abs(one - other) > _BLOCK:
            ground[last + 1 : first] = min(one, other)
    return ground


def _planted(motion: Motion, kind: str) -> BoolArray:
    """Whether a heel or toe is planted in each frame, ``(T,)``."""
    planted = np.zeros(len(motion), dtype=bool)
    held = ((c.start, c.end) for c in motion.constraints if c.kind == kind)
    for first, last in frames_in(held, len(motion)):
        planted[first : last + 1] = True
    return planted


def slides_of(tracks: Mapping[str, tuple[Array, Array]], fps: float, floor: ArrayLike) -> Array:
    """Leg lengths ``(n,)`` that the supporting foot slides in each half second; see `sole_tracks`
    and `motionweave.measure.support.support_slides`."""
    heights, speeds = (np.stack([track[i] for track in tracks.values()]) for i in (0, 1))
    return support_slides(heights, speeds[:, :-1] / fps, fps, floor)


def sole_tracks(
    motion: Motion,
    pose: tuple[Array, Array] | None = None,
    own: Mapping[str, Sole] | None = None,
) -> dict[str, tuple[Array, Array]]:
    """Heights ``(T,)`` of heels and toes and their speeds over the floor from each frame to the
    next ``(T,)``, by kind, in leg lengths and seconds.

    Parameters
    ----------
    motion
        At least two frames of a body with legs.
    pose
        What `Motion.forward` gives, if it is known.
    own
        Its soles, if they are known; by default as the motion shows them.
    """
    positions, orientations = motion.forward() if pose is None else pose
    points = sole_points(soles(motion) if own is None else own, positions, orientations)
    return _tracks(points, leg_length(motion.skeleton), motion.fps)


def _tracks(paths: Mapping[str, Array], size: float, fps: float) -> dict[str, tuple[Array, Array]]:
    """Heights and speeds of paths ``(T, 3)`` in units of ``size``, see `sole_tracks`."""
    tracks = {}
    for kind, path in paths.items():
        steps = lengths(np.diff(path[:, [0, 2]], axis=0))
        tracks[kind] = path[:, 1] / size, np.append(steps, steps[-1]) * fps / size
    return tracks


def unit_length(skeleton: Skeleton) -> float:
    """The leg length, or the height of a body without legs."""
    return leg_length(skeleton) if has_feet(skeleton) else (body_height(skeleton) or 1.0)


def _changes(positions: Array, orientations: Array, stride: int) -> tuple[Array, Array]:
    """How much every joint changes its velocity, and its turn per step in radians, ``(n, J)``.

    The latter is the angle between what a joint did in one step and what it does in the next, as
    chords of unit quaternions.
    """
    before, here, after = _steps(positions, stride)
    moved = lengths(after - 2.0 * here + before)
    before, here, after = _steps(orientations, stride)
    bend = -2.0 * here
    # q and -q are one rotation: both neighbours are brought to the side of the middle one.
    same = dots(orientations[:-stride], orientations[stride:]) >= 0.0
    for beside, near in ((before, same[:-stride]), (after, same[stride:])):
        bend += beside if near.all() else beside * np.where(near, 1.0, -1.0)[..., None]
    return moved, 2.0 * lengths(bend)


def _steps(values: Array, stride: int) -> tuple[Array, Array, Array]:
    """Values ``(n, ...)`` that have one a stride before and one a stride behind, and those two."""
    return values[: -2 * stride], values[stride:-stride], values[2 * stride :]


def _pelvis_speed(motion: Motion, window: float) -> Array:
    """Speed ``(T,)`` of the pelvis over some seconds, but at least from one frame to the next.

    At the ends it is that of the first or last window: a shorter one would be noisier.
    """
    width = max(1, min(round(window * motion.fps), len(motion) - 1))
    first = np.clip(np.arange(len(motion)) - width // 2, 0, len(motion) - 1 - width)
    return lengths(motion.root[first + width] - motion.root[first]) * motion.fps / width
