"""Clips that leave the floor: a jump up, and a landing from a height."""

from __future__ import annotations

import numpy as np

from motionweave.core.arrays import Array
from motionweave.errors import MotionError
from motionweave.samples.curves import keyed, quintic
from motionweave.samples.feet import Footprint, Swing, Via
from motionweave.samples.stage import HANGING, STANDING, stage
from motionweave.samples.take import Take, frame_times

_GRAVITY = 9.81
_LATE = 1e3
_APART = 0.11
# Height of the pelvis as the toes leave the floor and as they touch it again.
_OFF, _ON = 0.955, 0.925
# From pelvis to ankle, and pitch of the foot: just off, at the middle, about to land.
_HANGS = (0.815, 0.82, 0.815)
_PITCHES = (-0.9, -0.7, -0.55)


def jump(fps: float, height: float = 0.32) -> Take:
    """Crouch, jump straight up, land, stand.

    Parameters
    ----------
    height
        How far the body rises after it leaves the floor, metres.
    """
    _check(height, 0.05, 0.8)
    crouch, leave = 0.55, 0.86
    rise = float(np.sqrt(2.0 * _GRAVITY * height))
    fall = float(np.sqrt(2.0 * _GRAVITY * (height + _OFF - _ON)))
    top, touch = leave + rise / _GRAVITY, leave + (rise + fall) / _GRAVITY
    low, up = touch + 0.24, touch + 0.95
    heights = (
        (0.0, STANDING, 0.0, 0.0),
        (crouch, STANDING - 0.27, 0.0, 5.0),
        (leave, _OFF, rise, -_GRAVITY),
        (touch, _ON, -fall, -_GRAVITY),
        (low, STANDING - 0.24 - 0.1 * height, 0.0, 6.0),
        (up, STANDING, 0.0, 0.0),
    )
    duration = up + 0.35
    return stage(
        fps,
        duration,
        _plants(leave, touch, 0.0),
        swings=_air(leave, touch, rise, 0.0, 0.0),
        splay=4.0,
        pelvis=_pelvis(fps, duration, heights, ((0.0, 0.0), (crouch, -0.13), (leave, 0.03),
                                                (touch, 0.0), (low, -0.11), (up, 0.0))),
        hips=[(0.0, (0.0, 2.0, 0.0)), (crouch, (0.0, 34.0, 0.0)), (leave, (0.0, 2.0, 0.0)),
              (top, (0.0, 0.0, 0.0)), (touch, (0.0, 10.0, 0.0)), (low, (0.0, 30.0, 0.0)),
              (up, (0.0, 2.0, 0.0))],
        spine=[(0.0, (2.0, 0.0, 0.0)), (crouch, (20.0, 0.0, 0.0)), (leave, (-4.0, 0.0, 0.0)),
               (top, (-3.0, 0.0, 0.0)), (touch, (7.0, 0.0, 0.0)), (low, (19.0, 0.0, 0.0)),
               (up, (2.0, 0.0, 0.0))],
        gaze=[(0.0, (0.0, 2.0)), (crouch, (0.0, 6.0)), (leave, (0.0, -12.0)), (top, (0.0, -2.0)),
              (touch, (0.0, 22.0)), (low, (0.0, 16.0)), (up, (0.0, 2.0))],
        arms={
            side: [(0.0, HANGING), (crouch, (-38.0, 12.0, 5.0, 18.0)),
                   (leave + 0.05, (112.0, 14.0, 6.0, 40.0)), (top + 0.02, (128.0, 20.0, 4.0, 30.0)),
                   (touch, (62.0, 30.0, 8.0, 38.0)), (low, (34.0, 24.0, 12.0, 46.0)),
                   (up, HANGING)]
            for side in ("Left", "Right")
        },
    )  # fmt: skip


def landing(fps: float, height: float = 0.55) -> Take:
    """Down from a height: the clip starts in the air and ends standing.

    Parameters
    ----------
    height
        Of what was jumped from, metres.
    """
    _check(height, 0.2, 1.2)
    rise = 1.0
    fall = float(np.sqrt(rise**2 + 2.0 * _GRAVITY * (height + _OFF - _ON)))
    leave = -0.12
    top, touch = leave + rise / _GRAVITY, leave + (rise + fall) / _GRAVITY
    low, up = touch + 0.3, touch + 1.35
    heights = (
        (leave, _OFF + height, rise, -_GRAVITY),
        (touch, _ON, -fall, -_GRAVITY),
        (low, STANDING - 0.30 - 0.16 * height, 0.0, 7.0),
        (up, STANDING, 0.0, 0.0),
    )
    duration = up + 0.4
    plants = _plants(leave, touch, height)
    step = 0.35
    plants = {
        side: [
            Footprint((row[0].place[0], -step), row[0].heading, row[0].heel, row[0].toe,
                  push=row[0].push, floor=height),
            row[1],
        ]
        for side, row in plants.items()
    }  # fmt: skip
    return stage(
        fps,
        duration,
        plants,
        swings=_air(leave, touch, rise, height, step),
        splay=5.0,
        pelvis=_pelvis(fps, duration, heights, ((leave, -0.3), (touch, -0.05), (low, -0.13),
                                                (up, 0.0))),
        hips=[(leave, (0.0, 4.0, 0.0)), (top, (0.0, 4.0, 0.0)), (touch, (0.0, 10.0, 0.0)),
              (low, (0.0, 40.0, 0.0)), (up, (0.0, 2.0, 0.0))],
        spine=[(leave, (0.0, 0.0, 0.0)), (touch, (8.0, 0.0, 0.0)), (low + 0.05, (28.0, 0.0, 0.0)),
               (up, (2.0, 0.0, 0.0))],
        gaze=[(leave, (0.0, 30.0)), (touch, (0.0, 34.0)), (low, (0.0, 26.0)), (up, (0.0, 2.0))],
        arms={
            side: [(leave, (20.0, 40.0, 4.0, 30.0)), (0.1, (30.0, 62.0, 4.0, 34.0)),
                   (touch, (42.0, 50.0, 6.0, 36.0)), (low, (30.0, 22.0, 14.0, 40.0)),
                   (up, HANGING)]
            for side in ("Left", "Right")
        },
    )  # fmt: skip


def _plants(leave: float, touch: float, floor: float) -> dict[str, list[Footprint]]:
    plants = {}
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        before = Footprint((_APART * sign, 0.0), 0.12 * sign, heel=(leave - 2.0, leave - 0.16),
                       toe=(leave - 2.0, leave), push=-0.95, floor=floor)  # fmt: skip
        after = Footprint((_APART * sign, 0.0), 0.12 * sign, heel=(touch + 0.09, _LATE),
                      toe=(touch, _LATE), strike=-0.5)  # fmt: skip
        plants[side] = [before, after]
    return plants


def _air(
    leave: float, touch: float, rise: float, floor: float, step: float
) -> dict[str, list[Swing]]:
    """Feet that hang below the falling pelvis, ``step`` metres forwards on the way."""
    shares = np.array([0.0, 0.5, 1.0])
    times = leave + 0.085 + shares * (touch - leave - 0.17)
    flown = times - leave
    pelvis = floor + _OFF + rise * flown - 0.5 * _GRAVITY * flown**2
    along = -step * (1.0 - flown / (touch - leave)) - 0.02
    ways = {}
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        via = tuple(
            Via(float(t), (_APART * sign, float(y - hang), float(z)), pitch, 0.12 * sign)
            for t, y, z, hang, pitch in zip(times, pelvis, along, _HANGS, _PITCHES, strict=True)
        )
        ways[side] = [Swing(lift=0.0, launch=(0.0, 25.0), brake=(0.0, 30.0), via=via)]
    return ways


def _pelvis(
    fps: float,
    duration: float,
    heights: tuple[tuple[float, float, float, float], ...],
    along: tuple[tuple[float, float], ...],
) -> Array:
    """Positions ``(T, 3)`` from (time, height, velocity, acceleration) and (time, z).

    A quintic with a parabola's derivatives at both ends is that parabola: in the air
    the pelvis falls freely.
    """
    t = frame_times(duration, fps)
    times, values, speeds, pulls = (np.array(column) for column in zip(*heights, strict=True))
    return np.stack(
        [np.zeros_like(t), quintic(t, times, values, speeds, pulls), keyed(t, along)], axis=-1
    )


def _check(height: float, least: float, most: float) -> None:
    if not least <= height <= most:
        raise MotionError(f"height {height}: expected {least:g} to {most:g} metres")
