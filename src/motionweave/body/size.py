"""The size of a body, from the lengths of its bones, whatever its zero pose looks like.

Thresholds that are about steps and feet are shares of the leg length
(`motionweave.body.rig.roles.leg_length`); those about the whole body, and how large it is drawn,
are shares of its height.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from motionweave.body.rig.roles import SIDES, Rig, find_rig
from motionweave.core.skeleton import Skeleton

# The ankle of a flat foot is above the ball by this share of the way between the two ...
_ANKLE_ABOVE_BALL = 0.5
# ... and by no more than this share of the leg.
_HIGHEST_ANKLE = 0.1
# A spine curves: a standing trunk is shorter than its bones, one after the other.
_SPINE_CURVES = 0.95
# The head above its joint is at most this share of the length from hips to head: longer chains are
# hair, hats or plumes.
_HIGHEST_HEAD = 0.5


@lru_cache(maxsize=256)
def body_height(skeleton: Skeleton) -> float:
    """How high the joints and end sites of a body reach when it stands upright.

    The sum of the parts of a standing body: foot, legs, hips, trunk, neck and head, if the skeleton
    has them.

    Parameters
    ----------
    skeleton
        The character. For one without legs or trunk, or with legs of no length, the extent of
        its rest pose is taken (`Skeleton.height`).

    Returns
    -------
    float
        In the skeleton's unit.

    Examples
    --------
    >>> import motionweave as mw
    >>> from motionweave.body.size import body_height
    >>> round(body_height(mw.sample("walk").skeleton), 1)
    1.7
    """
    rig = find_rig(skeleton)
    legs = [f"{side}_{role}" for side in SIDES for role in ("thigh", "shin", "ankle")]
    top = next((role for role in ("head", "neck", "chest") if rig.has(role)), None)
    if top is None or not rig.has(*legs, "hips"):
        return skeleton.height
    leg = float(
        np.mean(
            [_chain(skeleton, *(rig.roles[f"{s}_{p}"] for p in ("thigh", "ankle"))) for s in SIDES]
        )
    )
    if leg == 0.0:
        return skeleton.height
    trunk = _SPINE_CURVES * _chain(skeleton, rig.roles["hips"], rig.roles[top])
    return _foot(skeleton, rig, leg) + leg + _hips(skeleton, rig) + trunk + _head(rig, top, trunk)


def _chain(skeleton: Skeleton, above: int, below: int) -> float:
    """Length of the bones from one joint down to another."""
    bones = list(skeleton.chain(above, below)[1:])
    return float(np.linalg.norm(skeleton.offsets[bones], axis=1).sum())


def _foot(skeleton: Skeleton, rig: Rig, leg: float) -> float:
    """How far the ankle is above the sole."""
    reaches = []
    for side in SIDES:
        ankle = rig.roles[f"{side}_ankle"]
        if rig.has(f"{side}_toe"):
            reaches.append(_chain(skeleton, ankle, rig.roles[f"{side}_toe"]))
        else:
            reaches.append(_farthest(skeleton, ankle))
    return min(_ANKLE_ABOVE_BALL * float(np.mean(reaches)), _HIGHEST_ANKLE * leg)


def _hips(skeleton: Skeleton, rig: Rig) -> float:
    """How far the hip joints are below the joint from which the spine rises."""
    thighs = [rig.roles[f"{side}_thigh"] for side in SIDES]
    if any(int(skeleton.parents[thigh]) != rig.roles["hips"] for thigh in thighs):
        # Helper joints between may be turned against each other; only lengths are known.
        across = [_chain(skeleton, rig.roles["hips"], thigh) for thigh in thighs]
        return 0.5 * float(np.mean(across))
    return float(np.linalg.norm(skeleton.offsets[thighs].mean(axis=0)))


def _head(rig: Rig, top: str, trunk: float) -> float:
    """What is above the head's joint."""
    if top != "head":
        return 0.0
    return min(_farthest(rig.skeleton, rig.roles["head"]), _HIGHEST_HEAD * trunk)


def _farthest(skeleton: Skeleton, joint: int) -> float:
    """How far the tips of the bones below a joint are from it, at most."""
    reach = {joint: 0.0}
    for below in range(joint + 1, len(skeleton)):
        above = int(skeleton.parents[below])
        if above in reach:
            reach[below] = reach[above] + float(np.linalg.norm(skeleton.offsets[below]))
    tips = zip(skeleton.end_parents, np.linalg.norm(skeleton.end_offsets, axis=1), strict=True)
    ends = [reach[int(parent)] + float(length) for parent, length in tips if int(parent) in reach]
    return max([*reach.values(), *ends])
