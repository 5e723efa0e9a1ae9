"""The same motion on skeletons whose zero poses are useless."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import motionweave as mw
from motionweave.body.rig.roles import find_rig
from motionweave.core import rotations
from motionweave.core.arrays import Array


def with_other_rest(motion: mw.Motion, seed: int) -> mw.Motion:
    """The same body in the same places, with the frame of every joint turned at random."""
    rng = np.random.default_rng(seed)
    return with_frames(motion, rotations.normalize(rng.normal(size=(len(motion.skeleton), 4))))


def with_level_feet(motion: mw.Motion) -> mw.Motion:
    """The same body in the same places; at rest the toes are as high as the ankles."""
    skeleton = motion.skeleton
    frames = np.tile(rotations.IDENTITY, (len(skeleton), 1))
    for side in ("left", "right"):
        ankle, toe = (find_rig(skeleton).roles[f"{side}_{role}"] for role in ("ankle", "toe"))
        _, down, ahead = skeleton.offsets[toe]
        frames[ankle] = rotations.about_axis("X", -np.arctan2(down, ahead))
    return with_frames(motion, frames)


def with_frames(motion: mw.Motion, frames: Array) -> mw.Motion:
    """The same body in the same places, with the frames of its joints turned by ``(J, 4)``."""
    skeleton = motion.skeleton
    above = np.concatenate([rotations.IDENTITY[None], frames[skeleton.parents[1:]]])
    back = rotations.inverse(above)
    ends = rotations.rotate(rotations.inverse(frames[skeleton.end_parents]), skeleton.end_offsets)
    return replace(
        motion,
        skeleton=mw.Skeleton(
            skeleton.names,
            skeleton.parents,
            rotations.rotate(back, skeleton.offsets),
            skeleton.end_parents,
            ends,
        ),
        rotations=rotations.multiply(back, rotations.multiply(motion.rotations, frames)),
    )
