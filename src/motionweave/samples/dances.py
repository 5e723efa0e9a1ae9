"""Two dances with different rhythms, each a whole number of cycles of a loop."""

from __future__ import annotations

import numpy as np

from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.errors import MotionError
from motionweave.samples.body import Arm, KeyedBody
from motionweave.samples.feet import Footprint, Swing, Via, follow
from motionweave.samples.stage import STANDING
from motionweave.samples.take import Take, frame_times


def dance_a(fps: float, period: float = 2.4, cycles: int = 2) -> Take:
    """A bouncy step on the spot: knees up in turn, arms swinging against them.

    Parameters
    ----------
    period
        Seconds of one cycle: right knee, left knee.
    cycles
        How many.
    """
    t = _times(fps, period, cycles)
    phase = 2.0 * np.pi * t / period
    plants, swings = {}, {}
    for side, sign, shift in (("Left", 1.0, 0.5), ("Right", -1.0, 0.0)):
        row, ways = [], []
        for k in range(-2, cycles + 2):
            # The knee is highest in the middle of the time that the foot is off.
            top = (k + shift) * period
            off = top - 0.16 * period
            row.append(_step(sign, off - 0.7 * period, off, period))
            ways.append(
                Swing(lift=0.0, via=(Via(top, (0.10 * sign, 0.36, 0.10), -0.5, 0.12 * sign),))
            )
        end = (cycles + 2 + shift) * period
        row.append(_step(sign, end - 0.86 * period, end, period))
        plants[side], swings[side] = row, ways
    feet = {side: follow(t, plants[side], swings[side]) for side in plants}
    # Right knee up at phase 0: the weight is on the left foot then.
    over, beat = np.cos(phase), np.cos(4.0 * phase)
    pelvis = np.stack(
        [0.065 * over, STANDING - 0.045 - 0.010 * beat, 0.012 * np.sin(2.0 * phase)], axis=-1
    )
    roll = np.radians(5.0) * over
    hips = _turned(np.radians(-10.0) * np.sin(phase + 0.6), np.radians(4.0) + 0.02 * beat, roll)
    spine = np.stack(
        [
            np.radians(6.0 + 4.0 * np.cos(2.0 * phase)),
            np.radians(16.0) * np.sin(phase + 0.4),
            -1.3 * roll,
        ],
        axis=-1,
    )
    arms = {}
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        swing = sign * np.cos(phase - 0.15)  # the left arm is forward as the right knee is up
        arms[side] = Arm(
            flex=np.radians(22.0 + 44.0 * swing),
            out=np.radians(14.0 + 5.0 * np.cos(2.0 * phase)),
            turn=np.radians(24.0),
            elbow=np.radians(78.0 + 26.0 * sign * np.cos(phase - 0.5)),
        )
    gaze = _turned(0.10 * np.sin(phase), 0.05 + 0.06 * beat, 0.3 * roll)
    return Take(fps, KeyedBody(pelvis, hips, feet, arms, spine, gaze), plants)


def dance_b(fps: float, period: float = 3.07, cycles: int = 2) -> Take:
    """A slow sliding walk with the flat arms of a tomb painting, one forward, one back.

    Parameters
    ----------
    period
        Seconds of one cycle: a left and a right step.
    cycles
        How many.
    """
    t = _times(fps, period, cycles)
    phase = 2.0 * np.pi * t / period
    step = 0.30
    plants, swings = {}, {}
    for side, sign, shift in (("Left", 1.0, 0.30), ("Right", -1.0, 0.80)):
        row = []
        for k in range(-2, cycles + 2):
            touch = (k + shift) * period
            row.append(
                Footprint(
                    (0.085 * sign, 2.0 * step * (k + shift) + 0.16),
                    0.15 * sign,
                    heel=(touch + 0.05 * period, touch + 0.56 * period),
                    toe=(touch, touch + 0.70 * period),
                    strike=-0.22,
                    push=-0.62,
                )
            )
        plants[side] = row
        swings[side] = [Swing(lift=0.10, brake=(2.0, 2.0))] * (len(row) - 1)
    feet = {side: follow(t, plants[side], swings[side]) for side in plants}
    # The left foot comes down at 0.3 of the cycle and is stood on at about 0.55.
    over = np.cos(phase - 2.0 * np.pi * 0.56)
    beat = np.cos(2.0 * (phase - 2.0 * np.pi * 0.56))
    pelvis = np.stack(
        [
            0.05 * over,
            STANDING - 0.075 + 0.012 * beat,
            2.0 * step * t / period + 0.02 * np.sin(2.0 * phase - 0.5),
        ],
        axis=-1,
    )
    roll = np.radians(5.0) * over
    hips = _turned(np.radians(7.0) * np.sin(phase - 2.0 * np.pi * 0.56), 0.05 + 0.0 * t, roll)
    # The whole upper body turns sideways, as on a wall: arms and legs of a side together.
    twist = np.cos(phase - 2.0 * np.pi * 0.30)
    spine = np.stack(
        [np.full_like(t, np.radians(-2.0)), np.radians(-34.0) * twist, -1.1 * roll], axis=-1
    )
    arms = {}
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        front = 0.5 + 0.5 * _plateau(sign * twist)
        arms[side] = Arm(
            flex=np.radians(-42.0 + 122.0 * front),
            out=np.radians(22.0 - 8.0 * front),
            turn=np.radians(-20.0 + 30.0 * front),
            elbow=np.radians(62.0 + 30.0 * front + 8.0 * np.sin(4.0 * phase)),
            roll=np.radians(-30.0 + 60.0 * front),
            wrist=np.radians(-58.0 + 8.0 * np.sin(4.0 * phase)),
        )
    # The head slides a little fore and aft on every beat.
    gaze = _turned(0.12 * twist, 0.05 * np.sin(4.0 * phase), 0.0 * t)
    return Take(fps, KeyedBody(pelvis, hips, feet, arms, spine, gaze), plants)


def _times(fps: float, period: float, cycles: int) -> Array:
    if not (np.isfinite(period) and period > 0.5 and cycles >= 1):
        raise MotionError(
            f"period {period}, cycles {cycles}: expected more than 0.5 seconds and at least one"
        )
    return frame_times(period * cycles, fps)


def _step(sign: float, on: float, off: float, period: float) -> Footprint:
    return Footprint(
        (0.12 * sign, 0.0),
        0.2 * sign,
        heel=(on + 0.05 * period, off - 0.07 * period),
        toe=(on, off),
        strike=-0.35,
        push=-0.55,
    )


def _turned(yaw: Array, pitch: Array, roll: Array) -> Array:
    return rotations.from_euler(np.stack(np.broadcast_arrays(yaw, pitch, roll), axis=-1), "YXZ")


def _plateau(wave: Array) -> Array:
    """A wave between -1 and 1 that lingers at its ends: poses that are struck and held."""
    return np.asarray(np.sin(0.5 * np.pi * np.sin(0.5 * np.pi * wave)))
