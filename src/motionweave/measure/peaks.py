"""How fast each joint turns, and how suddenly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from motionweave.body.pose.tpose import tpose_frames
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.measure.seams import angular_velocity

# Degrees per second (squared) below which a joint counts as still.
_HARDLY = 1.0


@dataclass(frozen=True)
class Peak:
    """The fastest rotation of a joint, absolute and relative to the inputs' peak.

    Parameters
    ----------
    joint
        Name.
    speed, acceleration
        Largest angular speed (degrees per second) and acceleration (degrees per second squared).
    speed_frame, acceleration_frame
        Where.
    speed_ratio, acceleration_ratio
        Against the largest of that joint in the inputs; None without inputs.
    """

    joint: str
    speed: float
    acceleration: float
    speed_frame: int
    acceleration_frame: int
    speed_ratio: float | None = None
    acceleration_ratio: float | None = None


def peaks(
    motion: Motion, velocity: Array, inputs: Sequence[Motion], first: int
) -> tuple[Peak, ...]:
    """The fastest rotation of every joint, in the order of the skeleton.

    Parameters
    ----------
    motion
        Without a T-pose in front.
    velocity
        What `angular_velocity` gives.
    inputs
        What to compare with, if anything.
    first
        Frame of a longer motion with which this one begins.
    """
    found = [_largest(values) for values in _turning(velocity, motion.fps)]
    ratios: list[list[float | None]] = [[None] * len(motion.skeleton)] * 2
    if inputs:
        bodies = [other[tpose_frames(other) :] for other in inputs]
        before = [[_largest(values)[0] for values in turning(body)] for body in bodies]
        limits = [np.max([one[i] for one in before], axis=0) for i in (0, 1)]
        ratios = [
            [_ratio(*pair) for pair in zip(found[i][0], limits[i], strict=True)] for i in (0, 1)
        ]
    (speeds, speed_at), (accelerations, acceleration_at) = found
    return tuple(
        Peak(
            name,
            float(speeds[j]),
            float(accelerations[j]),
            int(speed_at[j]) + first,
            int(acceleration_at[j]) + first,
            ratios[0][j],
            ratios[1][j],
        )
        for j, name in enumerate(motion.skeleton.names)
    )


def _largest(values: Array) -> tuple[Array, NDArray[np.intp]]:
    """The largest of each column of ``(n, J)``, and where; zeros of an empty one."""
    if len(values) == 0:
        return np.zeros(values.shape[1]), np.zeros(values.shape[1], dtype=np.intp)
    at = values.argmax(axis=0)
    return np.take_along_axis(values, at[None], axis=0)[0], at


def turning(motion: Motion) -> tuple[Array, Array]:
    """Angular speeds ``(T - 1, J)`` and accelerations ``(T - 2, J)``, in degrees and seconds."""
    return _turning(angular_velocity(motion), motion.fps)


def _turning(velocity: Array, fps: float) -> tuple[Array, Array]:
    """The same from angular velocities ``(T - 1, J, 3)`` in radians."""
    velocity = np.degrees(velocity)
    change = np.diff(velocity, axis=0) * fps
    return np.linalg.norm(velocity, axis=-1), np.linalg.norm(change, axis=-1)


def _ratio(value: float, limit: float) -> float | None:
    """A ratio is meaningless for a joint that hardly turned."""
    return float(value / limit) if limit > _HARDLY else None
