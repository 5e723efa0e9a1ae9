"""Pose strips: a few poses of a motion, small enough to draw hundreds of them in a list."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from motionweave.body.floor import Floor
from motionweave.body.pose.tpose import tpose_frames
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.library.index.features import RATE, SIDES, TRACKED, ClipTrack, as_seen, track
from motionweave.studio.view.payload import floor_of
from motionweave.studio.work.memo import Memo

# Poses of a strip at most, and samples of a track from one to the next.
POSES, _STEP = 24, 3
# Where the camera stands: to the right of the body and in front of it.
_CAMERA = np.radians(-50.0)
# Shares of the body's height: the foot below the ankle, the sole below the toe, the skull around
# its centre and how far that is above the joint on which the head turns, and the least that is
# seen to either side.
_FOOT, _SOLE, _SKULL, _NAPE, _ASIDE = 0.04, 0.025, 0.062, 0.06, 0.22
# Coordinates are whole numbers, this many for the height of the body.
UNIT = 1000

_ROLE = {role: number for number, role in enumerate(TRACKED)}
# The centre of the skull comes after the roles.
HEAD = len(TRACKED)
# Bones from role to role, as shares of the height how thick they are, and their side of the body.
_LIMBS = (
    ("thigh", "shin", 0.075),
    ("shin", "ankle", 0.058),
    ("ankle", "toe", 0.042),
    ("upper_arm", "forearm", 0.05),
    ("forearm", "hand", 0.04),
)
_TRUNK = (("hips", "chest", 0.13), ("chest", "neck", 0.11), ("neck", "head", 0.055))
_GIRDLES = (("hips", "thigh", 0.09), ("chest", "upper_arm", 0.08))
BONES: tuple[tuple[int, int, int, int], ...] = (
    *((_ROLE[a], _ROLE[b], round(UNIT * wide), 0) for a, b, wide in _TRUNK),
    *(
        (_ROLE[a], _ROLE[f"{side}_{b}"], round(UNIT * wide), 0)
        for side in SIDES
        for a, b, wide in _GIRDLES
    ),
    *(
        (_ROLE[f"{side}_{a}"], _ROLE[f"{side}_{b}"], round(UNIT * wide), sign)
        for side, sign in zip(SIDES, (1, -1), strict=True)
        for a, b, wide in _LIMBS
    ),
)

_tracks: Memo[ClipTrack] = Memo(size=64)


def track_of(motion: Motion) -> ClipTrack:
    """The roles of a motion over time; remembered.

    Raises
    ------
    RigError
        If the body has no legs or arms.
    """

    def found() -> ClipTrack:
        # The T-pose before a recording is not part of it, and the jump out of it is not movement.
        recorded = motion[tpose_frames(motion) :]
        return track(recorded, Floor(floor_of(motion)))

    return _tracks.get((motion,), None, found)


def pose_strip(clip: ClipTrack) -> dict[str, Any]:
    """The liveliest two seconds or so of a track, as the page draws them.

    Parameters
    ----------
    clip
        Any number of samples.

    Returns
    -------
    dict
        ``rate`` (poses per second), ``bones`` (``[point, point, thickness, side]``; 1 is left),
        ``head`` (the centre of the skull) and its ``radius``, ``box`` (left, bottom, right and
        top of what all poses need, at least a standing body), ``still`` (the pose that tells
        most) and ``poses`` (x to the right, y up and z towards the eye of every point, with the
        hips above 0). Lengths are in thousandths of the body's height.
    """
    at = _liveliest(clip)
    points = np.asarray(clip.points[at], dtype=np.float64)
    height = standing_height(points)
    facing = np.full(len(at), float(clip.heading[at[len(at) // 2]]) + _CAMERA)
    seen = as_seen(points[:, None], points[:, 0], facing)[:, 0] / height
    seen = np.concatenate([seen, _skull(seen)[:, None]], axis=1)
    whole = np.round(UNIT * seen).astype(int)
    return {
        "rate": RATE / _STEP,
        "bones": [list(bone) for bone in BONES],
        "head": HEAD,
        "radius": round(UNIT * _SKULL),
        "box": _box(seen),
        "still": int(np.argmax(np.linalg.norm(seen - seen.mean(axis=0), axis=2).sum(axis=1))),
        "poses": [list(chain.from_iterable(pose)) for pose in whole.tolist()],
    }


def _liveliest(clip: ClipTrack) -> NDArray[np.intp]:
    """Samples of the poses: of a long track those during which the body moves most."""
    count = min(POSES, 1 + (len(clip) - 1) // _STEP)
    span = (count - 1) * _STEP
    local = clip.points - clip.points[:, :1] * np.array([1.0, 0.0, 1.0], dtype=np.float32)
    moved = np.linalg.norm(np.diff(local, axis=0), axis=2).sum(axis=1)
    until = np.concatenate([[0.0], np.cumsum(moved, dtype=np.float64)])
    first = int(np.argmax(until[span:] - until[: len(until) - span]))
    return np.asarray(first + _STEP * np.arange(count), dtype=np.intp)


def standing_height(points: Array) -> float:
    """How tall the body of poses ``(n, 18, 3)`` is when it stands, in their unit."""

    def bone(a: str, b: str) -> float:
        way = points[:, _ROLE[a]] - points[:, _ROLE[b]]
        return float(np.median(np.linalg.norm(way, axis=1)))

    legs = [bone(f"{s}_thigh", f"{s}_shin") + bone(f"{s}_shin", f"{s}_ankle") for s in SIDES]
    trunk = bone("hips", "chest") + bone("chest", "neck") + bone("neck", "head")
    return float((np.mean(legs) + trunk) / (1.0 - _FOOT - _NAPE - _SKULL))


def _skull(seen: Array) -> Array:
    """The centre ``(n, 3)`` of the skull of poses whose height is 1."""
    head = seen[:, _ROLE["head"]]
    # A rig without a neck has it where the head is.
    up = head - seen[:, _ROLE["chest"]]
    return np.asarray(head + _NAPE * up / np.maximum(np.linalg.norm(up, axis=1), 1e-9)[:, None])


def _box(seen: Array) -> list[int]:
    """What must be in the picture: all poses, and the body as it would stand."""
    # Nothing is thicker than the skull, and what is on the floor is flat.
    low = seen.min(axis=(0, 1)) - np.array([_SKULL, _SOLE, _SKULL])
    high = seen.max(axis=(0, 1)) + _SKULL
    ends = (min(low[0], -_ASIDE), min(low[1], 0.0), max(high[0], _ASIDE), max(high[1], 1.0))
    return [round(UNIT * float(end)) for end in ends]
