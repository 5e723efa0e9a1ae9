"""Walking, jogging, sneaking: any gait along any path, as footprints and a moving body.

A gait is a cycle of one left and one right step. Phase 0 is the moment the left foot
comes down, phase 0.5 the right. The path is a speed and a heading over time, so that
one generator makes straight, curved, turning and in-place clips.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.errors import MotionError
from motionweave.samples.body import Arm, KeyedBody
from motionweave.samples.character import PELVIS_HEIGHT
from motionweave.samples.feet import FootPath, Footprint, Swing, follow
from motionweave.samples.take import Take, frame_times

_GRAVITY = 9.81
_DEGREE = np.pi / 180.0


@dataclass(frozen=True)
class Gait:
    """How someone moves: lengths in metres, angles in degrees, times in cycles.

    Parameters
    ----------
    speed, stride
        Metres per second, and metres in one cycle (two steps).
    heel, toe
        Intervals after touch-down in which heel and ball are held.
    reach
        How far in front of the pelvis the ankle lands, as a share of the stride.
    width
        Distance between the two lines of footprints.
    strike, push
        Pitch of the foot, toes up, at touch-down and toe-off.
    lift
        How much the foot is lifted during the swing.
    height
        Height of the pelvis as a share of standing height.
    bob, bob_phase
        Rise and fall of the pelvis, twice per cycle, and the phase of a high point.
    sway, yaw, list, lean
        Of the pelvis: shift over the standing foot, turn with the swinging leg, drop on
        the swinging side, tilt forwards.
    bend, twist
        Of the spine: constant bend forwards, and turn of the shoulders against the hips.
    arm, arm_mean, arm_lag, out, turn
        Swing of the upper arm and its middle, how late it is (cycles), held away from
        the side, turned inwards.
    elbow, elbow_swing
        Middle bend of the elbow and how much more it bends as the arm comes forward.
    brake
        How hard feet are stopped as they come down, see `Swing`.
    look
        How far down the head looks.
    """

    speed: float
    stride: float
    heel: tuple[float, float]
    toe: tuple[float, float]
    reach: float
    width: float
    strike: float
    push: float
    lift: float
    height: float
    bob: float
    bob_phase: float
    sway: float
    yaw: float
    list: float
    lean: float
    bend: float
    twist: float
    arm: float
    arm_mean: float
    arm_lag: float
    out: float
    turn: float
    elbow: float
    elbow_swing: float
    brake: tuple[float, float]
    look: float = 0.0
    toe_out: float = 6.0

    @property
    def cycle(self) -> float:
        """Seconds of two steps."""
        return self.stride / self.speed


STYLES = {
    "walk": Gait(
        speed=1.3, stride=1.34, heel=(0.0, 0.32), toe=(0.10, 0.61), reach=0.205, width=0.14,
        strike=20.0, push=-55.0, lift=0.06, height=0.98, bob=0.016, bob_phase=0.28,
        sway=0.022, yaw=6.0, list=4.0, lean=2.0, bend=1.0, twist=12.0,
        arm=20.0, arm_mean=-1.0, arm_lag=0.02, out=7.0, turn=14.0, elbow=20.0, elbow_swing=9.0,
        brake=(14.0, 3.0),
    ),
    "jog": Gait(
        speed=2.6, stride=1.9, heel=(0.0, 0.16), toe=(0.04, 0.36), reach=0.14, width=0.10,
        strike=10.0, push=-55.0, lift=0.19, height=0.945, bob=0.034, bob_phase=0.425,
        sway=0.012, yaw=9.0, list=5.0, lean=7.0, bend=4.0, twist=22.0,
        arm=32.0, arm_mean=-12.0, arm_lag=0.0, out=10.0, turn=22.0, elbow=88.0,
        elbow_swing=14.0, brake=(50.0, 16.0), look=2.0,
    ),
    "sneak": Gait(
        speed=0.62, stride=0.92, heel=(0.10, 0.55), toe=(0.0, 0.70), reach=0.26, width=0.20,
        strike=-22.0, push=-32.0, lift=0.15, height=0.86, bob=0.012, bob_phase=0.33,
        sway=0.045, yaw=6.0, list=3.0, lean=14.0, bend=24.0, twist=9.0,
        arm=11.0, arm_mean=14.0, arm_lag=0.05, out=16.0, turn=26.0, elbow=78.0,
        elbow_swing=12.0, brake=(2.0, 2.0), look=-2.0,
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Course:
    """The line the pelvis travels: ``position(t)`` ``(n, 2)`` and ``heading(t)`` ``(n,)``."""

    position: Callable[[Array], Array]
    heading: Callable[[Array], Array]
    speed: Callable[[Array], Array]
    curvature: Callable[[Array], Array]


def arc(speed: float, curvature: float) -> Course:
    """From the origin towards +z at a steady speed, curving left where positive (1 / m)."""

    def position(t: Array) -> Array:
        way = speed * np.asarray(t)
        half = 0.5 * curvature * way
        # The chord of an arc; sinc keeps it exact for a straight line.
        chord = way * np.sinc(half / np.pi)
        return np.stack([chord * np.sin(half), chord * np.cos(half)], axis=-1)

    return Course(
        position=position,
        heading=lambda t: curvature * speed * np.asarray(t),
        speed=lambda t: np.full(np.shape(t), speed),
        curvature=lambda t: np.full(np.shape(t), curvature),
    )


def integrated(
    speed: Callable[[Array], Array], heading: Callable[[Array], Array], first: float, last: float
) -> Course:
    """A course from speed and heading over time, integrated from ``first`` to ``last``."""
    t = np.linspace(first, last, 1 + round((last - first) * 2000))
    step = speed(t)[:, None] * np.stack([np.sin(heading(t)), np.cos(heading(t))], axis=-1)
    trapezia = 0.5 * (step[1:] + step[:-1]) * np.diff(t)[:, None]
    way = np.concatenate([np.zeros((1, 2)), np.cumsum(trapezia, axis=0)])
    origin = np.array([np.interp(0.0, t, way[:, 0]), np.interp(0.0, t, way[:, 1])])

    def position(at: Array) -> Array:
        return np.stack([np.interp(at, t, way[:, c]) - origin[c] for c in (0, 1)], axis=-1)

    rate = np.gradient(heading(t), t)
    return Course(
        position=position,
        heading=heading,
        speed=speed,
        curvature=lambda at: np.interp(at, t, rate) / np.maximum(speed(at), 0.5),
    )


def styled(style: str, speed: float | None = None, stride: float | None = None) -> Gait:
    """A style at a speed; faster gaits take longer strides unless given otherwise."""
    if style not in STYLES:
        raise MotionError(f"style {style!r}: expected one of {', '.join(STYLES)}")
    gait = STYLES[style]
    for what, value in (("speed", speed), ("stride", stride)):
        if value is not None and not (np.isfinite(value) and value > 0.0):
            raise MotionError(f"{what} {value}: expected a positive number of metres")
    fast = gait.speed if speed is None else speed
    long = gait.stride * (fast / gait.speed) ** 0.5 if stride is None else stride
    return replace(gait, speed=fast, stride=long)


def footprints(gait: Gait, course: Course, side: float, times: Array) -> list[Footprint]:
    """Plants of the left (``side`` 1) or right (-1) foot that touch down at ``times``."""
    cycle = gait.cycle
    plants = []
    for touch in times:
        # The foot is placed where the pelvis passes over it.
        passing = np.array([touch + gait.reach * cycle])
        place = course.position(passing)[0]
        heading = float(course.heading(passing)[0])
        effort = float(_effort(gait, course, passing)[0])
        across = side * 0.5 * gait.width - _inward(course, passing)[0]
        place = place + across * np.array([np.cos(heading), -np.sin(heading)])
        plants.append(
            Footprint(
                place=(float(place[0]), float(place[1])),
                heading=heading + side * gait.toe_out * _DEGREE,
                heel=(touch + gait.heel[0] * cycle, touch + gait.heel[1] * cycle),
                toe=(touch + gait.toe[0] * cycle, touch + gait.toe[1] * cycle),
                strike=effort * gait.strike * _DEGREE,
                push=effort * gait.push * _DEGREE,
            )
        )
    return plants


def locomotion(gait: Gait, course: Course, duration: float, fps: float, lead: str) -> Take:
    """A gait along a course.

    At time 0 the ``lead`` foot touches down; the clip starts and ends in mid-motion.
    """
    cycle = gait.cycle
    t = frame_times(duration, fps)
    offset = {"left": 0.0, "right": 0.5}[lead]
    around = np.arange(-2.0, np.ceil(duration / cycle) + 2.0)
    plants = {
        "Left": footprints(gait, course, 1.0, (around + offset) * cycle),
        "Right": footprints(gait, course, -1.0, (around + 0.5 - offset) * cycle),
    }
    feet = {
        side: follow(t, row, [Swing(lift=gait.lift, brake=gait.brake)] * (len(row) - 1))
        for side, row in plants.items()
    }
    body = swinging_body(gait, course, t, 2.0 * np.pi * (t / cycle - offset), feet)
    return Take(fps, body, plants)


def swinging_body(
    gait: Gait, course: Course, t: Array, phase: Array, feet: dict[str, FootPath]
) -> KeyedBody:
    """Pelvis, spine and arms in the rhythm of the feet; ``phase`` in radians."""
    heading = course.heading(t)
    wave = np.cos(phase)  # 1 as the left foot comes down, -1 as the right one does
    over = np.sin(phase - 0.2)  # 1 with the weight on the left foot
    leaning = _lean_in(course, t)
    effort = _effort(gait, course, t)

    way = course.position(t)
    # Faster while both legs push, slower over the standing leg.
    ahead = 0.008 * np.sin(2.0 * phase - 0.4)
    across = gait.sway * over
    left = np.stack([np.cos(heading), -np.sin(heading)], axis=-1)
    front = np.stack([np.sin(heading), np.cos(heading)], axis=-1)
    way = way + across[:, None] * left + ahead[:, None] * front
    high = PELVIS_HEIGHT * gait.height + gait.bob * np.cos(
        2.0 * (phase - 2.0 * np.pi * gait.bob_phase)
    )
    pelvis = np.stack([way[:, 0], high, way[:, 1]], axis=-1)

    yaw = -effort * gait.yaw * _DEGREE * wave
    roll = gait.list * _DEGREE * np.sin(phase)
    hips = rotations.from_euler(
        np.stack(
            [
                heading + yaw,
                np.full_like(t, gait.lean * _DEGREE) + 0.015 * np.cos(2.0 * phase),
                roll + leaning,
            ],
            axis=-1,
        ),
        "YXZ",
    )
    # The shoulders turn against the hips, and the spine takes the list out again.
    twist = effort * gait.twist * _DEGREE * np.cos(phase - 2.0 * np.pi * gait.arm_lag)
    spine = np.stack(
        [np.full_like(t, gait.bend * _DEGREE), twist, -0.9 * roll - 0.25 * leaning], axis=-1
    )
    gaze = rotations.from_euler(
        np.stack(
            [
                heading + 0.25 * course.curvature(t) * course.speed(t),
                gait.look * _DEGREE - 0.012 * np.cos(2.0 * phase),
                0.3 * leaning,
            ],
            axis=-1,
        ),
        "YXZ",
    )
    arms = {}
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        swing = -sign * effort * np.cos(phase - 2.0 * np.pi * gait.arm_lag)
        late = -sign * np.cos(phase - 2.0 * np.pi * (gait.arm_lag + 0.05))
        arms[side] = Arm(
            flex=(gait.arm_mean + gait.lean + gait.bend + gait.arm * swing) * _DEGREE,
            out=gait.out * _DEGREE,
            turn=(gait.turn + 0.25 * gait.arm * swing) * _DEGREE,
            elbow=(gait.elbow + gait.elbow_swing * late) * _DEGREE,
        )
    return KeyedBody(pelvis=pelvis, hips=hips, feet=feet, arms=arms, spine=spine, gaze=gaze)


def _effort(gait: Gait, course: Course, t: Array) -> Array:
    """1 at the gait's own speed, less where the course is slower."""
    return np.asarray(0.35 + 0.65 * np.minimum(course.speed(t) / gait.speed, 1.0))


def _lean_in(course: Course, t: Array) -> Array:
    """How far the body leans into a curve (radians, to the left negative)."""
    pull = course.speed(t) ** 2 * course.curvature(t) / _GRAVITY
    return np.asarray(-0.7 * np.arctan(pull))


def _inward(course: Course, t: ArrayLike) -> Array:
    """How far the footprints move out of a curve under a body that leans into it."""
    return PELVIS_HEIGHT * np.tan(-_lean_in(course, np.asarray(t)))
