"""Keys for in-place clips: poses and times as an animator would write them.

Keys are lists of (seconds, values); angles are in degrees, lengths in metres.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.errors import MotionError
from motionweave.samples.body import Arm, KeyedBody
from motionweave.samples.character import PELVIS_HEIGHT
from motionweave.samples.curves import keyed
from motionweave.samples.feet import Footprint, Swing, follow
from motionweave.samples.take import Take, frame_times

Keys = Sequence[tuple[float, Any]]

# Target height of a standing pelvis: as high as the legs allow.
STANDING = 1.005 * PELVIS_HEIGHT
HANGING = (4.0, 7.0, 10.0, 14.0)
_ARM = ("flex", "out", "turn", "elbow", "roll", "wrist")
_BREATH = 3.2  # seconds


@dataclass(frozen=True)
class Grip:
    """A hand that reaches a place: where, and keys of the weight (0 to 1)."""

    place: tuple[float, float, float]
    keys: Keys


def stage(
    fps: float,
    duration: float,
    plants: Mapping[str, Sequence[Footprint]],
    swings: Mapping[str, Sequence[Swing]] | None = None,
    pelvis: Keys | Array = ((0.0, (0.0, 0.0, 0.0)),),
    hips: Keys = ((0.0, (0.0, 0.0, 0.0)),),
    spine: Keys = ((0.0, (2.0, 0.0, 0.0)),),
    gaze: Keys = ((0.0, (0.0, 0.0)),),
    arms: Mapping[str, Keys] | None = None,
    grips: Mapping[str, Grip] | None = None,
    splay: float = 0.0,
) -> Take:
    """A take from keys.

    Parameters
    ----------
    plants, swings
        Of ``"Left"`` and ``"Right"`` foot; swings with a small lift if not given.
    pelvis
        Keys of (x, height above standing, z) of the pelvis, or positions ``(T, 3)`` as they are.
    hips
        Keys of (turn to the left, tilt forwards, left side up).
    spine
        Keys of (bend forwards, twist to the left, lean to the right).
    gaze
        Keys of (turn to the left, look down).
    arms
        Keys of (flex, out, turn, elbow, roll, wrist); the last two may be left out.
    grips
        Hands that reach for a place.
    splay
        Knees further apart than feet and pelvis say.
    """
    if not (np.isfinite(duration) and duration > 0.0):
        raise MotionError(f"duration {duration}: expected a positive number of seconds")
    t = frame_times(duration, fps)
    moves = swings or {side: [Swing()] * (len(row) - 1) for side, row in plants.items()}
    feet = {side: follow(t, row, moves[side]) for side, row in plants.items()}
    breath = np.sin(2.0 * np.pi * t / _BREATH)
    if isinstance(pelvis, np.ndarray):
        at = pelvis
    else:
        at = keyed(t, pelvis) + np.array([0.0, STANDING, 0.0])
    at = at + 0.0015 * breath[:, None] * np.array([0.6, -0.5, 1.0])
    turned = np.radians(keyed(t, hips))
    bent = np.radians(keyed(t, spine))
    bent[:, 0] += 0.010 * breath
    looking = np.radians(keyed(t, gaze))
    return Take(
        fps,
        KeyedBody(
            pelvis=at,
            hips=rotations.from_euler(turned, "YXZ"),
            feet=feet,
            arms={
                side: _arm(t, (arms or {}).get(side, ((0.0, HANGING),)), (grips or {}).get(side))
                for side in ("Left", "Right")
            },
            spine=bent,
            gaze=rotations.from_euler(
                np.stack([looking[:, 0], looking[:, 1], np.zeros_like(t)], axis=-1), "YXZ"
            ),
            splay={"Left": np.radians(splay), "Right": np.radians(splay)},
        ),
        plants,
    )


def _arm(t: Array, keys: Keys, grip: Grip | None) -> Arm:
    width = len(_ARM)
    padded = [
        (time, (*value, 0.0, 8.0)[:width] if len(value) == 4 else value) for time, value in keys
    ]
    angles = np.radians(keyed(t, padded))
    named = dict(zip(_ARM, angles.T, strict=True))
    if grip is None:
        return Arm(**named)
    place = np.broadcast_to(np.asarray(grip.place, dtype=np.float64), (len(t), 3))
    return Arm(**named, reach=place, grip=keyed(t, grip.keys))


def standing(
    x: float, z: float = 0.0, heading: float = 0.0, start: float = -1.0, end: float = 1e3
) -> Footprint:
    """A foot flat on the floor from before the clip to after it; heading in degrees."""
    return Footprint((x, z), float(np.radians(heading)), heel=(start, end), toe=(start, end))


def both_standing(apart: float = 0.2, out: float = 8.0) -> dict[str, list[Footprint]]:
    """Both feet side by side, all through the clip."""
    return {
        "Left": [standing(0.5 * apart, heading=out)],
        "Right": [standing(-0.5 * apart, heading=-out)],
    }
