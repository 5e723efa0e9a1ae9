"""Seams: frames at which a pose or a velocity jumps although its surroundings are calm."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.kinematics import in_parts
from motionweave.core.motion import Motion

# A step is a jump if it is this many times as large as any within this many seconds of it, and
# at least this many frames ...
_OUTLIER = 4.0
_AROUND = 0.1
_LEAST_AROUND = 3
# ... and faster than this: degrees per second for joints, leg lengths per second for the root.
_LEAST_TURN = 250.0
_LEAST_SPEED = 2.5
# Velocities change more suddenly, as where a foot strikes: more times, by these speeds.
_SUDDEN = 6.0


@dataclass(frozen=True)
class Jump:
    """A jump between two frames.

    Parameters
    ----------
    frame
        The frame before the jump.
    kind
        ``"pose"`` if something is suddenly elsewhere, ``"velocity"`` if it suddenly moves in
        another direction.
    what
        Joint name, or ``"root position"``.
    size
        Degrees (leg lengths for the root position), per second for velocities.
    times
        Ratio to the largest change around it.
    """

    frame: int
    kind: str
    what: str
    size: float
    times: float

    def __str__(self) -> str:
        return f"{self.what} {self.kind} after frame {self.frame}"


def angular_velocity(motion: Motion) -> Array:
    """Angular velocities ``(T - 1, J, 3)`` in radians per second, in each joint's own frame."""
    before, after = motion.rotations[:-1], motion.rotations[1:]
    velocity = np.empty((*before.shape[:2], 3))
    for frames in in_parts(len(before)):
        step = rotations.multiply(rotations.inverse(before[frames]), after[frames])
        velocity[frames] = rotations.log(step) * motion.fps
    return velocity


def find_seams(motion: Motion, size: float, turning: Array | None = None) -> tuple[Jump, ...]:
    """Jumps of joints and of the root position, worst first within a frame, in order of time.

    Parameters
    ----------
    motion
        At least five frames; with fewer there is nothing to compare with.
    size
        Leg length.
    turning
        What `angular_velocity` gives, if it is known.
    """
    if len(motion) < 5:
        return ()
    turns = np.degrees(angular_velocity(motion) if turning is None else turning)
    speeds = np.diff(motion.root, axis=0)[:, None] * (motion.fps / size)
    names = (*motion.skeleton.names, "root position")
    # One unit for both: the speed that is just fast enough to count.
    velocity = np.concatenate([turns / _LEAST_TURN, speeds / _LEAST_SPEED], axis=1)
    units = np.array([_LEAST_TURN] * len(motion.skeleton) + [_LEAST_SPEED])
    # In time, not in frames: a clip that was sampled more finely than it was recorded runs
    # straight from one recorded frame to the next, and bends at each.
    reach = min(max(round(_AROUND * motion.fps), _LEAST_AROUND), len(motion) - 3)
    steps = np.linalg.norm(velocity, axis=-1)
    times = steps / np.maximum(_surroundings(steps, reach), 1.0 / _OUTLIER)
    pose = (steps > 1.0) & (times > _OUTLIER)
    found = [
        Jump(
            int(t), "pose", names[j], float(steps[t, j] * units[j] / motion.fps), float(times[t, j])
        )
        for t, j in np.argwhere(pose)
    ]
    # A jump of the pose makes the velocity jump there and back: leave those out.
    velocity = np.where(
        pose[..., None], 0.5 * (_shifted(velocity, 1) + _shifted(velocity, -1)), velocity
    )
    changes = np.linalg.norm(np.diff(velocity, axis=0), axis=-1)
    times = changes / np.maximum(_surroundings(changes, reach), 1.0 / _SUDDEN)
    sudden = (changes > 1.0) & (times > _SUDDEN)
    found += [
        Jump(int(t) + 1, "velocity", names[j], float(changes[t, j] * units[j]), float(times[t, j]))
        for t, j in np.argwhere(sudden)
    ]
    return tuple(sorted(found, key=lambda seam: (seam.frame, -seam.times, seam.what)))


def _surroundings(values: Array, reach: int) -> Array:
    """The largest of the values ``(T, J)`` within ``reach`` frames of each, itself left out.

    The first and the last have a calm side only because the motion is cut there: what looks
    like a jump may be the beginning of a swing. Their limit is twice as large.
    """
    largest = np.zeros_like(values)
    for offset in range(1, reach + 1):
        largest[offset:] = np.maximum(largest[offset:], values[:-offset])
        largest[:-offset] = np.maximum(largest[:-offset], values[offset:])
    largest[[0, -1]] *= 2.0
    return largest


def _shifted(values: Array, by: int) -> Array:
    """Values ``(T, ...)`` of the frame ``by`` frames on, the end ones repeated."""
    return values[np.clip(np.arange(len(values)) + by, 0, len(values) - 1)]
