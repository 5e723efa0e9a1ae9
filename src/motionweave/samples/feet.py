"""Where a foot is at every moment, from where and when it is planted.

A foot alternates between plants and swings. While it is planted either the heel or the
ball of the foot does not move at all; the rest turns about that point. A swing leaves
and arrives with the velocity and acceleration that these turns have, so the path is
smooth, and plants are exact by construction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.intervals import merged
from motionweave.core.numerics.curves import smootherstep
from motionweave.samples.character import ANKLE_HEIGHT, ANKLE_TO_BALL, ANKLE_TO_HEEL
from motionweave.samples.curves import bump, through

_UP = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True)
class Footprint:
    """One plant of a foot on the floor.

    Parameters
    ----------
    place
        Floor point (x, z) below the ankle when the foot is flat.
    heading
        Where the foot points: radians about +y from +z.
    heel, toe
        Intervals in seconds in which heel and ball are held. They overlap: the foot is flat for a
        while, or at least for a moment.
    strike, push
        Pitch in radians, toes up positive, when the foot touches and when it leaves.
    strike_rate, push_rate
        How fast the pitch changes then, in units of pitch over the time that it takes
        to become flat; 0 to come to or start from rest.
    twist, untwist
        By how much the heel swings about the ball between heel-off and toe-off, and by
        how much it is still to swing back when the toe comes first.
    floor
        Height of the floor under this plant.
    """

    place: tuple[float, float]
    heading: float
    heel: tuple[float, float]
    toe: tuple[float, float]
    strike: float = 0.0
    push: float = 0.0
    strike_rate: float = 1.5
    push_rate: float = 1.3
    twist: float = 0.0
    untwist: float = 0.0
    floor: float = 0.0

    @property
    def start(self) -> float:
        return min(self.heel[0], self.toe[0])

    @property
    def end(self) -> float:
        return max(self.heel[1], self.toe[1])

    @property
    def flat(self) -> tuple[float, float]:
        """The interval in which the whole sole is down."""
        return max(self.heel[0], self.toe[0]), min(self.heel[1], self.toe[1])

    @property
    def strike_speed(self) -> float:
        taken = self.flat[0] - self.start
        return -self.strike_rate * self.strike / taken if taken > 0.0 else 0.0

    @property
    def push_speed(self) -> float:
        taken = self.end - self.flat[1]
        return self.push_rate * self.push / taken if taken > 0.0 else 0.0

    @property
    def ankle(self) -> Array:
        return np.array([self.place[0], self.floor + ANKLE_HEIGHT, self.place[1]])

    def pitch(self, t: Array) -> Array:
        """Pitch ``(n,)`` at times within the plant."""
        (first, last), pitch = self.flat, np.zeros(np.shape(t))
        if first > self.start:
            down = through(t, [self.start, first], [self.strike, 0.0], (self.strike_speed, 0.0))
            pitch = np.where(t < first, down, pitch)
        if last < self.end:
            up = through(t, [last, self.end], [0.0, self.push], end=(self.push_speed, 0.0))
            pitch = np.where(t > last, up, pitch)
        return pitch

    def headings(self, t: Array) -> Array:
        """Headings ``(n,)`` at times within the plant."""
        (down, up), (start, end) = self.flat, (self.start, self.end)
        heading = np.full(np.shape(t), self.heading)
        if self.untwist and down > start:
            heading += self.untwist * (1.0 - smootherstep((t - start) / (down - start)))
        if self.twist and end > up:
            heading += self.twist * smootherstep((t - up) / (end - up))
        return heading

    def ankles(self, t: Array) -> Array:
        """Ankle positions ``(n, 3)`` at times within the plant: the foot rolls over its pivot."""
        turned = orientation(self.headings(t), self.pitch(t))
        first, last = self.flat
        on_ball = ((t < first) & self._over_ball(True)) | ((t > last) & self._over_ball(False))
        from_ankle = np.where(on_ball[:, None], ANKLE_TO_BALL, ANKLE_TO_HEEL)
        flat = rotations.about_vertical(self.heading)
        return np.asarray(
            self.ankle + rotations.rotate(flat, from_ankle) - rotations.rotate(turned, from_ankle)
        )

    def _over_ball(self, arriving: bool) -> bool:
        """Whether the foot rolls over its ball, not its heel, as it comes down or goes up."""
        return self.toe[0] < self.heel[0] if arriving else self.toe[1] > self.heel[1]

    def departure(self, arriving: bool) -> tuple[Array, Array, Array]:
        """Ankle position, velocity and acceleration ``(3,)`` as the plant starts or ends."""
        t = self.start if arriving else self.end
        pitch, speed = (
            (self.strike, self.strike_speed) if arriving else (self.push, self.push_speed)
        )
        heading = self.heading + (self.untwist if arriving else self.twist)
        position = self.ankles(np.array([t]))[0]
        # The ankle turns about the pivot at a steady rate; the axis is the foot's own x.
        pivot = ANKLE_TO_BALL if self._over_ball(arriving) else ANKLE_TO_HEEL
        arm = -rotations.rotate(orientation(heading, pitch), pivot)
        axis = rotations.rotate(rotations.about_vertical(heading), np.array([-speed, 0.0, 0.0]))
        velocity = np.cross(axis, arm)
        return position, velocity, np.cross(axis, velocity)


@dataclass(frozen=True)
class Via:
    """Where the ankle passes in the air: seconds, position, pitch, heading."""

    time: float
    ankle: tuple[float, float, float]
    pitch: float
    heading: float


@dataclass(frozen=True)
class Swing:
    """How a foot travels from one plant to the next.

    Parameters
    ----------
    lift
        How much higher than the straight line the ankle passes, in metres.
    side
        How much further to the character's left it passes.
    launch, brake
        How hard it is set going at the start (forwards, up) and stopped at the end
        (from going forwards, down), m / s^2. A foot that is stopped hard is on its way
        for longer.
    via
        Points on the way, for feet that do more than step.
    """

    lift: float = 0.06
    side: float = 0.0
    launch: tuple[float, float] = (0.0, 0.0)
    brake: tuple[float, float] = (0.0, 0.0)
    via: tuple[Via, ...] = ()


@dataclass(frozen=True)
class FootPath:
    """A foot's track: ankles ``(T, 3)``, headings, pitches and toe bends ``(T,)``."""

    ankle: Array
    heading: Array
    pitch: Array
    bend: Array

    def orientations(self) -> Array:
        """Global orientations of the foot ``(T, 4)``."""
        return orientation(self.heading, self.pitch)


def orientation(heading: ArrayLike, pitch: ArrayLike) -> Array:
    """Orientation of a foot that points to ``heading`` with its toes up by ``pitch``."""
    return rotations.multiply(
        rotations.about_vertical(heading), rotations.about_axis("X", -np.asarray(pitch))
    )


def follow(t: Array, plants: Sequence[Footprint], swings: Sequence[Swing]) -> FootPath:
    """The track of a foot at times ``t`` ``(T,)``: n plants and the n - 1 swings between."""
    ankle = np.empty((len(t), 3))
    heading, pitch, bend = np.empty(len(t)), np.empty(len(t)), np.zeros(len(t))
    for index, plant in enumerate(plants):
        before = t <= plant.end if index == 0 else (t >= plant.start) & (t <= plant.end)
        mine = before if index < len(plants) - 1 else before | (t >= plant.start)
        at = np.clip(t[mine], plant.start, plant.end)
        ankle[mine], heading[mine], pitch[mine] = (
            plant.ankles(at),
            plant.headings(at),
            plant.pitch(at),
        )
        on_toe = (at >= plant.toe[0]) & (at <= plant.toe[1])
        # Toes stay flat on the floor while the ball is held.
        bend[mine] = np.where(on_toe, -plant.pitch(at), 0.0)
    for before_, after, swing in zip(plants[:-1], plants[1:], swings, strict=True):
        mine = (t > before_.end) & (t < after.start)
        if np.any(mine):
            ankle[mine], heading[mine], pitch[mine], bend[mine] = _swung(
                t[mine], before_, after, swing
            )
    return FootPath(ankle, heading, pitch, bend)


def _swung(t: Array, before: Footprint, after: Footprint, swing: Swing) -> tuple[Array, ...]:
    start, end = before.end, after.start
    p0, v0, a0 = before.departure(arriving=False)
    p1, v1, a1 = after.departure(arriving=True)
    a0 = a0 + _level(before.heading) * swing.launch[0] + _UP * swing.launch[1]
    a1 = a1 - _level(after.heading) * swing.brake[0] + _UP * swing.brake[1]
    knots = [start, *(via.time for via in swing.via), end]
    ways = np.array([p0, *(v.ankle for v in swing.via), p1])
    ankle = through(t, knots, ways, (v0, a0), (v1, a1))
    share = (t - start) / (end - start)
    # Feet are highest early on their way, when the toes point down.
    ankle[:, 1] += swing.lift * bump(share + 0.6 * share * (1.0 - share))
    leaving, arriving = before.heading + before.twist, after.heading + after.untwist
    heading = through(t, knots, [leaving, *(v.heading for v in swing.via), arriving])
    left = np.stack([np.cos(heading), np.zeros_like(t), -np.sin(heading)], axis=-1)
    ankle += swing.side * bump(share)[:, None] * left
    pitch = through(
        t,
        knots,
        [before.push, *(v.pitch for v in swing.via), after.strike],
        (before.push_speed, 0.0),
        (after.strike_speed, 0.0),
    )
    # Toes that leave the floor last relax on the way, those that come first get level.
    level = np.zeros_like(t)
    if before.toe[1] > before.heel[1]:
        level += 1.0 - smootherstep(share / 0.5)
    if after.toe[0] < after.heel[0]:
        level += smootherstep((share - 0.5) / 0.3)
    bend = -level * pitch
    return ankle, heading, pitch, bend


def _level(heading: float) -> Array:
    return np.array([np.sin(heading), 0.0, np.cos(heading)])


def contacts(plants: Sequence[Footprint]) -> dict[str, list[tuple[float, float]]]:
    """Seconds from when to when heel and toe are held, plants that touch made one."""
    return {
        "heel": merged(plant.heel for plant in plants),
        "toe": merged(plant.toe for plant in plants),
    }
