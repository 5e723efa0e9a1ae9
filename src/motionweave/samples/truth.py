"""The events of a built-in clip, known because the clip was made by formula.

Labels are those of Ashraf & Wong's Table 2: ``L.S_flex`` is the left shoulder at its
largest flexion, ``R_mt`` the right foot passing the body in the air, ``R_et`` its
touch-down. Touch-downs are the plants the clip was made from; everything else is found
on the same formula evaluated at a high frame rate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from motionweave.contacts.events import turning_points
from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.samples.feet import Footprint

# Frames per second for the search of turning points.
DENSE = 240.0
# A turning point counts if the joint then turns back by at least this much (radians).
_LEAST_SWING = np.radians(8.0)

Event = tuple[float, str]

# Label of a joint -> joints whose bone moves, against which bone, and how it is measured.
_SWINGS = {"S": ("Arm", "Chest"), "HI": ("UpLeg", "Hips")}
_BENDS = {"E": "ForeArm", "K": "Leg"}


def events(dense: Motion, plants: Mapping[str, Sequence[Footprint]]) -> tuple[Event, ...]:
    """Sorted (seconds, label) of a clip.

    Parameters
    ----------
    dense
        The clip at `DENSE` frames per second.
    plants
        Plants of ``"Left"`` and ``"Right"`` foot.
    """
    found: list[Event] = []
    positions, orientations = dense.forward()
    for side in ("Left", "Right"):
        letter = side[0]
        found += _transfers(dense, positions, orientations, side, plants[side])
        for label, (joint, base) in _SWINGS.items():
            angle = _swing_angle(dense, orientations, f"{side}{joint}", base)
            turns = _turning_points(angle)
            found += [(f / DENSE, f"{letter}.{label}_{kind}") for f, kind in turns]
            if label == "S":
                found += [(f / DENSE, f"{letter}.S_msw") for f in _midpoints(angle, turns)]
        for label, joint in _BENDS.items():
            index = dense.skeleton.index(f"{side}{joint}")
            bend = rotations.angle_between(dense.rotations[:, index], [0.0, 0.0, 0.0, 1.0])
            found += [(f / DENSE, f"{letter}.{label}_{k}") for f, k in _turning_points(bend)]
    return tuple(sorted(found))


def _transfers(
    dense: Motion, positions: Array, orientations: Array, side: str, plants: Sequence[Footprint]
) -> list[Event]:
    """Touch-downs, and the moments at which the foot in the air passes the pelvis."""
    letter = side[0]
    ankle = positions[:, dense.skeleton.index(f"{side}Foot")]
    front = rotations.rotate(orientations[:, 0], np.array([0.0, 0.0, 1.0]))
    ahead = np.sum(((ankle - positions[:, 0]) * front)[:, [0, 2]], axis=1)
    found = []
    for before, after in pairwise(plants):
        if after.start <= before.end:
            continue
        if 0.0 <= after.start <= dense.duration:
            found.append((float(after.start), f"{letter}_et"))
        first = max(int(np.ceil(before.end * DENSE)), 0)
        last = min(int(np.floor(after.start * DENSE)), len(dense) - 1)
        span = ahead[first : last + 1] if last > first else np.zeros(0)
        passing = np.flatnonzero((span[:-1] < 0.0) & (span[1:] >= 0.0))
        if len(passing):
            k = int(passing[0])
            share = span[k] / (span[k] - span[k + 1])
            found.append((float((first + k + share) / DENSE), f"{letter}_mt"))
    return found


def _swing_angle(dense: Motion, orientations: Array, joint: str, base: str) -> Array:
    """How far forward ``(T,)`` a limb hangs, radians, in the plane that divides the body."""
    skeleton = dense.skeleton
    index = skeleton.index(joint)
    along = skeleton.offsets[skeleton.children[index][0]]
    limb = rotations.rotate(orientations[:, index], along)
    seen = rotations.rotate(rotations.inverse(orientations[:, skeleton.index(base)]), limb)
    return np.unwrap(np.arctan2(seen[:, 2], -seen[:, 1]))


def _turning_points(angle: Array) -> list[tuple[float, str]]:
    """Fractional frames at which a curve turns, each a ``flex`` (top) or ``ext`` (bottom)."""
    return [(frame, "flex" if top else "ext") for frame, top in turning_points(angle, _LEAST_SWING)]


def _midpoints(angle: Array, turns: Sequence[tuple[float, str]]) -> list[float]:
    """Where the curve is halfway between turning points."""
    frames = np.arange(len(angle), dtype=np.float64)
    found = []
    for (first, _), (last, _) in pairwise(turns):
        ends = np.interp([first, last], frames, angle)
        inner = np.arange(int(np.ceil(first)), int(np.floor(last)) + 1)
        rising = np.sign(ends[1] - ends[0]) * (angle[inner] - ends.mean())
        k = int(np.argmax(rising >= 0.0))
        if k > 0:
            share = rising[k - 1] / (rising[k - 1] - rising[k])
            found.append(float(inner[k - 1] + share))
    return found
