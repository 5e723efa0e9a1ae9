"""The same motion on skeletons whose zero poses are useless."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import motionweave as mw
from motionweave.core import rotations


def with_other_rest(motion: mw.Motion, seed: int) -> mw.Motion:
    """The same body in the same places, with the frame of every joint turned at random."""
    skeleton = motion.skeleton
    rng = np.random.default_rng(seed)
    frames = rotations.normalize(rng.normal(size=(len(skeleton), 4)))
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
