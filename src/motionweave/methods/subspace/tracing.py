"""From a spline in the subspace to the frames of a transition (Mukai, section 2.3)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from motionweave.core.arrays import Array
from motionweave.core.numerics.curves import smootherstep
from motionweave.methods.subspace import bezier
from motionweave.methods.subspace.field import Field
from motionweave.methods.subspace.poses import PoseCode

# Steps in which the speed along the spline is integrated.
_STEPS = 128
# The slowest a transition moves along its spline: a share of the clips' usual speed, but
# not less than this many body heights per second; and the seconds from rest to that speed.
_SLOWEST = 0.25
LEAST_SPEED = 0.25
_START_TIME = 0.2
# Seconds over which a transition still follows the clip it leaves, and already the one
# it enters; or this share of it, if that is longer.
_SETTLE_TIME = 0.15
_SETTLE_SHARE = 0.4
# Seconds by which a clip may run on beyond its end.
_RUN_ON = 0.05
# By how much a pose may change faster than it should before the transition is slowed
# down there, and how often that is tried.
_TOO_FAST = 1.2
_ROUNDS = 4


@dataclass(frozen=True, eq=False)
class JoinedClip:
    """A clip that is left or entered: its rows ``(T, F)`` and the frame at which.

    ``ahead`` is the direction from that frame into the transition: 1 for the clip that is
    left, -1 for the one that is entered.
    """

    rows: Array
    frame: int
    ahead: int

    def soon(self, columns: slice, fps: float) -> Array:
        """The largest values of some columns at the frame and shortly after it."""
        last = self.frame + self.ahead * round(_SETTLE_TIME * fps)
        first, last = sorted((self.frame, min(max(last, 0), len(self.rows) - 1)))
        return np.asarray(self.rows[first : last + 1, columns].max(axis=0))

    def played(self, count: int, fps: float, most: float = np.inf) -> tuple[Array, Array]:
        """Frames ``(count,)`` of the clip from its frame on into the transition, and its speed.

        A clip that ends too soon, or of which at ``most`` that many frames are played, slows down
        to rest after a first step at its own speed. It may run on a little beyond its end.
        """
        steps = np.arange(count, dtype=np.float64)
        left = len(self.rows) - 1 - self.frame if self.ahead > 0 else self.frame
        room = min(left + _RUN_ON * fps, most)
        if room >= count - 1:
            return self.frame + self.ahead * steps, np.ones(count)
        if room <= 0.0:
            return np.full(count, float(self.frame)), np.zeros(count)
        own = 1.0 if room > 1.0 else 0.0
        rest = np.clip(1.0 - (steps - own) / (count - 1 - own), 0.0, 1.0)
        power = (count - 1 - own) / (room - own)
        way = np.minimum(steps, own) + (room - own) * (1.0 - rest**power)
        return self.frame + self.ahead * way, rest ** (power - 1.0)

    def beyond(self, count: int, code: PoseCode, fps: float, most: float = np.inf) -> Array:
        """Rows ``(count, F)`` of the clip from its frame on into the transition, as `played`.

        Beyond the end of the clip its pose continues in the same direction.
        """
        frames, speed = self.played(count, fps, most)
        if len(self.rows) < 2:
            return self.rows[np.zeros(count, dtype=np.intp)]
        before = np.clip(np.floor(frames).astype(np.intp), 0, len(self.rows) - 2)
        share = (frames - before)[:, None]
        # Poses continue; rates and contacts stay within the clip.
        poses = np.zeros(self.rows.shape[1], dtype=bool)
        poses[code.poses] = True
        here, there = self.rows[before], self.rows[before + 1]
        result = here + np.where(poses, share, np.clip(share, 0.0, 1.0)) * (there - here)
        # Whole frames are the clip's own, to the last digit.
        result = np.where(share == 0.0, here, np.where(share == 1.0, there, result))
        result[:, code.rates] *= speed[:, None]
        return result


def hand_over(
    left: JoinedClip, entered: JoinedClip, steps: int, room: float, code: PoseCode, fps: float
) -> Array:
    """Rows ``(steps + 1, F)`` in which one clip fades into the other.

    Parameters
    ----------
    left, entered
        The clips at both ends.
    steps
        From the frame that is left to the one that is entered.
    room
        Frames of each clip that are shown; if there are fewer than ``steps``, the first clip
        slows down to rest as it fades out, and the second starts from rest.
    code, fps
        Of the rows, and frames per second.
    """
    share = smootherstep(np.linspace(0.0, 1.0, steps + 1))[:, None]
    first, second = (clip.beyond(steps + 1, code, fps, room) for clip in (left, entered))
    return np.asarray((1.0 - share) * first + share * second[::-1])


@dataclass(frozen=True, eq=False)
class TimedSpline:
    """A spline with the times at which its points are reached.

    Parameters
    ----------
    field
        Poses and speeds in the subspace.
    control
        ``(degree + 1, d)`` control points of the spline.
    left, entered
        The clips at both ends.
    fps
        Frames per second.
    times, arcs
        ``(n,)`` times in seconds at which points along the length are reached.
    plain
        Poses are what kriging gives, as in the paper: nothing binds their velocities to those
        of the clips, or a foot to the floor.
    """

    field: Field
    control: Array
    left: JoinedClip
    entered: JoinedClip
    fps: float
    times: Array
    arcs: Array
    plain: bool = False

    @property
    def seconds(self) -> float:
        """How long it takes to follow the spline at the speed of the samples."""
        return float(self.times[-1])

    def frames(self, seconds: float | None = None) -> tuple[Array, Array]:
        """Points ``(n, d)`` a frame apart and the rows ``(n, F)`` of their poses.

        The first and the last are the frames that are left and entered. The last step
        is made whole, and another duration reached, by a stretch of time that leaves
        the speed at both ends alone.
        """
        wanted = self.seconds if seconds is None else seconds
        steps = max(round(wanted * self.fps), 1)
        times = self.times
        if self.seconds > 0.0:
            gap = steps / self.fps - self.seconds
            times = times + gap * smootherstep(times / self.seconds)
        arcs = np.interp(np.arange(steps + 1) / self.fps, times, self.arcs)
        path = bezier.at_arc(self.control, arcs, self.table)
        return path, self._posed(path)

    @cached_property
    def table(self) -> tuple[Array, Array]:
        """Lengths along the spline, see `bezier.arc_table`."""
        return bezier.arc_table(self.control)

    def _posed(self, path: Array) -> Array:
        """Rows ``(n, F)`` of the poses at points ``(n, d)`` a frame apart."""
        rows = self.field.rows(path)
        if self.plain:
            rows[0], rows[-1] = (
                self.left.rows[self.left.frame],
                self.entered.rows[self.entered.frame],
            )
            return rows
        rows = holding_feet(rows, self.left, self.entered, self.field.code, self.fps)
        return _settled(rows, self.left, self.entered, self.field.code, self.fps)

    def slowed(self) -> TimedSpline | None:
        """The same with more time where poses change too fast, or None if they do not.

        Following the clips at both ends is motion that the speed along the spline
        does not know of.
        """
        path, rows = self.frames()
        excess = _excess(self.field, path, rows, self.fps)
        if excess.max() < _TOO_FAST:
            return None
        steps = np.maximum(excess, 1.0) / self.fps
        arcs = np.interp(np.linspace(0.0, 1.0, len(path)) * self.seconds, self.times, self.arcs)
        return replace(self, times=np.concatenate([[0.0], np.cumsum(steps)]), arcs=arcs)


def trace(
    field: Field,
    control: Array,
    left: JoinedClip,
    entered: JoinedClip,
    fps: float,
    *,
    plain: bool = False,
) -> TimedSpline:
    """Follow a spline at the speed that the samples have there.

    The time at which a point is reached is the integral of one over the speed, which
    is what the paper's steps tend to.
    """
    table = bezier.arc_table(control)
    arcs = np.linspace(0.0, table[1][-1], _STEPS + 1)
    at = bezier.at_arc(control, arcs, table)
    times = np.concatenate([[0.0], np.cumsum(_seconds(field, at))])
    result = TimedSpline(field, control, left, entered, fps, times, arcs, plain)
    for _ in range(0 if plain else _ROUNDS):
        slowed = result.slowed()
        if slowed is None:
            break
        result = slowed
    return result


def _seconds(field: Field, at: Array) -> Array:
    """Seconds ``(n - 1,)`` between points ``(n, d)`` that lie close along a spline.

    The speed is interpolated between the samples' speeds along their curves. That alone could drive
    limbs faster than in either clip, because the subspace measures velocities along with places: so
    the speed of the pose is interpolated too, and the slower of the two is used. On the curves of
    the clips they agree.
    """
    ways = (at, field.shapes(field.rows(at)))
    steps = np.stack([np.linalg.norm(np.diff(way, axis=0), axis=1) for way in ways], axis=1)
    speeds = field.speeds(0.5 * (at[1:] + at[:-1]))
    # From rest the least speed is gained, and to rest it is lost, at an even pace.
    slowest = np.maximum(_SLOWEST * field.usual_speeds, LEAST_SPEED)
    covered = np.cumsum(steps, axis=0) - 0.5 * steps
    to_end = np.minimum(covered, steps.sum(axis=0) - covered)
    ramp = np.clip(to_end / (0.5 * _START_TIME * slowest), 0.0, 1.0)
    least = np.maximum(slowest * np.sqrt(ramp), np.finfo(float).tiny)
    return np.asarray(np.max(steps / np.maximum(speeds, least), axis=1))


def _excess(field: Field, path: Array, rows: Array, fps: float) -> Array:
    """How many times faster ``(n - 1,)`` the pose changes than samples do there."""
    steps = np.linalg.norm(np.diff(field.shapes(rows), axis=0), axis=1)
    speed = field.speeds(0.5 * (path[1:] + path[:-1]))[:, 1]
    slowest = max(_SLOWEST * float(field.usual_speeds[1]), LEAST_SPEED)
    return np.asarray(steps * fps / np.maximum(speed, slowest))


def _settled(
    rows: Array, left: JoinedClip, entered: JoinedClip, code: PoseCode, fps: float
) -> Array:
    """Rows that begin as the first clip continues and end as the second one arrives.

    At the samples kriging gives the clip's pose, but nothing binds its slope there,
    least of all where a clip ends. So the continuation of the first clip fades out, and
    the approach of the second one fades in: pose, velocity and acceleration are theirs. A
    transition that is shorter than that fades from one into the other.
    """
    count = len(rows)
    width = min(max(round(_SETTLE_TIME * fps), round(_SETTLE_SHARE * count), 2), count - 1)
    # The first step is the clip's own, so that velocities agree at any frame rate.
    fade = 1.0 - smootherstep((np.arange(count) - 1.0) / max(width - 2.0, 1.0))
    fade[0] = 1.0
    shares = np.stack([fade, fade[::-1]], axis=1)
    shares /= np.maximum(shares.sum(axis=1, keepdims=True), 1.0)
    shares[0], shares[-1] = (1.0, 0.0), (0.0, 1.0)
    reach = min(width + 1, count)
    result = (1.0 - shares.sum(axis=1, keepdims=True)) * rows
    result[:reach] += shares[:reach, :1] * left.beyond(reach, code, fps)
    result[count - reach :] += shares[count - reach :, 1:] * entered.beyond(reach, code, fps)[::-1]
    return result


def holding_feet(
    rows: Array, left: JoinedClip, entered: JoinedClip, code: PoseCode, fps: float
) -> Array:
    """Rows in which a foot that stands at both ends also stands in between.

    A foot stands at an end if the clip would let it stand there, or soon after. One that stands
    at one end gives the body's weight to the others on the way; as long as it stands it is at
    its height over the floor, and does not travel.
    """
    if len(code.feet) == 0:
        return rows
    where = code.columns["foot_contact"]
    before, after = (clip.soon(where, fps) for clip in (left, entered))
    share = smootherstep(np.linspace(0.0, 1.0, len(rows)))[:, None]
    rows = rows.copy()
    # A foot that stands at neither end may still come down and leave again, as in the samples.
    free = (before < 0.5) & (after < 0.5)
    held = (1.0 - share) * before + share * after
    firm = np.where(free, np.clip(rows[:, where], 0.0, 1.0), held)
    rows[:, where] = firm
    high = code.columns["foot_height"]
    first, last = left.rows[left.frame, high], entered.rows[entered.frame, high]
    first, last = np.where(before < 0.5, last, first), np.where(after < 0.5, first, last)
    level = np.where(free, rows[:, high], (1.0 - share) * first + share * last)
    rows[:, high] += firm * (level - rows[:, high])
    travel = rows[:, code.columns["foot_travel"]].reshape(len(rows), -1, 2)
    still = (1.0 - firm)[..., None] * travel
    rows[:, code.columns["foot_travel"]] = still.reshape(len(rows), -1)
    return rows
