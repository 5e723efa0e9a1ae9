"""Bodies whose feet hang on the root, as game rigs with baked inverse kinematics have them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import motionweave as mw
from motionweave.core import rotations
from motionweave.core.motion import local_translations
from tests.carriers import carried

FEET = ("LeftFoot", "RightFoot")


def loosened(motion: mw.Motion, kind: str = "still", *, pole: bool = True) -> mw.Motion:
    """The motion below a root on which the feet hang too, listed before the legs.

    Parameters
    ----------
    motion
        A clip of the built-in character.
    kind
        How the root moves; see `tests.carriers.KINDS`.
    pole
        Whether a goal hangs beside the pelvis.
    """
    whole = carried(motion, kind, beside=pole, angle=0.3, place=(0.2, 0.0, 0.1))
    skeleton = whole.skeleton
    feet = [skeleton.index(name) for name in FEET]
    moved = [
        joint
        for joint in range(len(skeleton))
        if any(joint == foot or foot in skeleton.chain(0, joint) for foot in feet)
    ]
    order = [0, *moved, *(j for j in range(1, len(skeleton)) if j not in moved)]
    new = np.argsort(order)
    positions, orientations = whole.forward()
    turns, moves = np.array(whole.rotations), np.array(local_translations(whole))
    parents, offsets = np.array(skeleton.parents), np.array(skeleton.offsets)
    back = rotations.inverse(orientations[:, 0])
    for foot in feet:
        turns[:, foot] = rotations.multiply(back, orientations[:, foot])
        moves[:, foot] = rotations.rotate(back, positions[:, foot] - positions[:, 0])
        parents[foot] = 0
        offsets[foot] = skeleton.rest_positions[foot] - skeleton.rest_positions[0]
    return replace(
        whole,
        skeleton=mw.Skeleton(
            tuple(skeleton.names[joint] for joint in order),
            np.where(parents[order] < 0, -1, new[parents[order]]),
            offsets[order],
            new[skeleton.end_parents],
            skeleton.end_offsets,
        ),
        rotations=turns[:, order],
        translations=moves[:, order],
        constraints=motion.constraints,
    )


def nameless(motion: mw.Motion) -> mw.Motion:
    """The motion on joints with names that say nothing."""
    names = tuple(f"b{joint:02d}" for joint in range(len(motion.skeleton)))
    return replace(motion, skeleton=replace(motion.skeleton, names=names))


def with_foot_off(motion: mw.Motion, foot: str, frames: slice, by: float) -> mw.Motion:
    """The motion with a loose foot pulled off the end of its leg in some frames."""
    moves = np.array(motion.translations)
    moves[frames, motion.skeleton.index(foot), 1] -= by
    return replace(motion, translations=moves)
