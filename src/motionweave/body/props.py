"""What files hang on a body without its being a part of it: props in the hands, things far away."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from motionweave.body.rig.roles import SIDES, find_rig
from motionweave.body.size import body_height
from motionweave.core.arrays import Array
from motionweave.core.skeleton import Skeleton

# Fingers reach this far from the wrist at most, as a share of the body height: what reaches further
# is held in the hand.
_LONGEST_HAND = 0.35
# A bone without a role that is longer than this many body heights leads away from the body.
_LONGEST_BONE = 1.0


@lru_cache(maxsize=256)
def props_of(skeleton: Skeleton) -> frozenset[int]:
    """Joints and end sites of props: what is longer than a hand and hangs on one, what scenes hang
    on a body from far away, and everything below.

    Returns
    -------
    frozenset[int]
        Joints by their numbers; end site ``k`` of a skeleton with J joints is ``J + k``. None of a
        body without two legs, whose height is not known.

    Examples
    --------
    >>> import motionweave as mw
    >>> from motionweave.body.props import props_of
    >>> sorted(props_of(mw.sample("walk").skeleton))
    []
    """
    if not find_rig(skeleton).has("hips", "left_ankle", "right_ankle"):
        return frozenset()
    parents = [*skeleton.parents.tolist(), *skeleton.end_parents.tolist()]
    lengths = np.linalg.norm(np.concatenate([skeleton.offsets, skeleton.end_offsets]), axis=1)
    found = _held_in_hands(skeleton, parents, lengths) | _far_away(skeleton, parents, lengths)
    for point in range(1, len(parents)):
        if parents[point] in found:
            found.add(point)
    return frozenset(found)


def _held_in_hands(skeleton: Skeleton, parents: list[int], lengths: Array) -> set[int]:
    """What hangs directly on a hand and reaches further from it than fingers do."""
    roles = find_rig(skeleton).roles
    hands = {roles[f"{side}_hand"] for side in SIDES if f"{side}_hand" in roles}
    reach = lengths.copy()
    for point in range(len(parents) - 1, 0, -1):
        above = parents[point]
        reach[above] = max(reach[above], lengths[above] + reach[point])
    longest = _LONGEST_HAND * body_height(skeleton)
    return {p for p in range(1, len(parents)) if parents[p] in hands and reach[p] > longest}


def _far_away(skeleton: Skeleton, parents: list[int], lengths: Array) -> set[int]:
    """Joints and end sites that are further from their parents than the body is tall.

    Joints with roles below them are bones of the body.
    """
    body = set(find_rig(skeleton).roles.values())
    for point in range(len(parents) - 1, 0, -1):
        if point in body:
            body.add(parents[point])
    far = np.flatnonzero(lengths > _LONGEST_BONE * body_height(skeleton)).tolist()
    return {point for point in far if point > 0 and point not in body}
