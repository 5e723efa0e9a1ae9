"""Limbs that a file has in two pieces: feet that hang on the root instead of on the legs.

Game rigs with baked inverse kinematics often hang a foot on the root, where its IK goal was, and
end the leg at the shin. `attach_limb_ends` hangs such a foot on the shin, where every method looks
for it; if it leaves the end of the leg, as in cartoons, the foot slides. `detach_limb_ends` hangs
it back where the file has it, and it stays where the leg ends.

Names show which foot belongs to which leg, and the motion must agree. Without names, the motion
alone decides: the foot hardly moves as seen from the shin, although it moves as seen from the
thigh.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from motionweave.body.rig.names import (
    has_hocks,
    is_helper,
    legs_by_name,
    read_name,
    roles_by_name,
)
from motionweave.body.rig.roles import SIDES, find_rig
from motionweave.body.rig.tree import depths, is_above
from motionweave.core import rotations
from motionweave.core.arrays import Array, BoolArray, IntArray
from motionweave.core.motion import Motion, local_translations
from motionweave.core.numerics.quantiles import median
from motionweave.core.skeleton import Layout, Skeleton

# The joint that a limb ends with, the one above it, and what the end is called.
_LIMBS = (("ankle", "shin", ("ankle", "foot")), ("hand", "forearm", ("wrist", "hand", "palm")))
# Frames that are sampled over the clip.
_SAMPLES = 64
# Shares of the lowest bone of a limb, from knee to foot: how far from its usual place, as seen
# from the knee, the foot is half of the time, if names join them,
_NEAR = 0.25
# ... how far it is for this share of the time if nothing but the motion does,
_HELD, _MOSTLY = 0.03, 0.8
# ... and how much its distance from the hip changes then: a limb that is never bent shows nothing.
_BENT = 0.2
# The lowest bone as a share of the one above, and how much those of two sides may differ.
_SHORTEST, _LONGEST, _UNLIKE = 0.4, 2.5, 0.2
# Without names, joints deeper in the tree than this belong to something else than a foot.
_DEEPEST = 3
# ... and what has more joints than this is not a body.
_MOST_JOINTS = 300
# Shares of the body height within which a bone keeps its length.
_SAME_PLACE = 1e-9


class _Attachment(NamedTuple):
    """A joint ``end`` that belongs under the joint ``above``, at ``offset`` from it."""

    end: int
    above: int
    offset: Array


def attach_limb_ends(motion: Motion) -> Motion:
    """The motion with feet and hands on the limbs that they belong to.

    Parameters
    ----------
    motion
        Any motion; one whose limbs are whole is returned unchanged.

    Returns
    -------
    Motion
        The same joints in the same places; ``skeleton.layout`` says how the file has them.
    """
    skeleton = motion.skeleton
    if skeleton.layout is not None:
        return motion
    attachments = [
        attachment
        for pair in _split_by_name(skeleton)
        for attachment in _confirmed_by_motion(motion, pair)
    ]
    if not attachments and _lacks_feet(skeleton):
        attachments = _found_by_motion(motion)
    if not attachments:
        return motion
    moved = tuple(
        (
            skeleton.names[attachment.end],
            skeleton.names[skeleton.parents[attachment.end]],
            tuple(skeleton.offsets[attachment.end].tolist()),
        )
        for attachment in attachments
    )
    parents, offsets = np.array(skeleton.parents), np.array(skeleton.offsets)
    for attachment in attachments:
        parents[attachment.end], offsets[attachment.end] = attachment.above, attachment.offset
    return _reparented(
        motion,
        parents,
        offsets,
        [attachment.end for attachment in attachments],
        _depth_first(parents),
        Layout(skeleton.names, moved),
    )


def detach_limb_ends(motion: Motion) -> Motion:
    """The motion with its joints as its file has them.

    Parameters
    ----------
    motion
        Any motion. If the joints that feet hang on in the file are not there, because what is
        above the pelvis was left out, the feet stay on the legs.
    """
    skeleton = motion.skeleton
    layout = skeleton.layout
    if layout is None:
        return motion
    place = {name: joint for joint, name in enumerate(skeleton.names)}
    if any(end not in place or parent not in place for end, parent, _ in layout.moved):
        return replace(motion, skeleton=replace(skeleton, layout=None))
    parents, offsets = np.array(skeleton.parents), np.array(skeleton.offsets)
    for end, parent, offset in layout.moved:
        parents[place[end]], offsets[place[end]] = place[parent], offset
    ends = [place[end] for end, _, _ in layout.moved]
    known = [place[name] for name in layout.order if name in place]
    added = np.setdiff1d(np.arange(len(skeleton)), known)
    return _reparented(motion, parents, offsets, ends, np.array([*known, *added]), None)


# Which joints belong together


@lru_cache(maxsize=256)
def _split_by_name(skeleton: Skeleton) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Limbs in two pieces on both sides, by name: their ends and the joints above."""
    if _is_animal(skeleton):
        return ()
    given = {
        role: skeleton.index(name)
        for role, name in skeleton.roles.items()
        if isinstance(name, str) and role != "spine"
    }
    roles = {**roles_by_name(skeleton), **given}
    pairs = []
    for last, middle, words in _LIMBS:
        pair = []
        for side in SIDES:
            end, above = roles.get(f"{side}_{last}"), roles.get(f"{side}_{middle}")
            if end is None or above is None or end == above:
                continue
            apart = not is_above(skeleton, above, end) and not is_above(skeleton, end, above)
            # A rig may have a goal of that name beside the joint itself.
            own = any(
                read_name(name) == (side, word) and is_above(skeleton, above, joint)
                for joint, name in enumerate(skeleton.names)
                for word in words
            )
            if apart and not own:
                pair.append((end, above))
        if len(pair) == len(SIDES):
            pairs.append(tuple(pair))
    return tuple(pairs)


@lru_cache(maxsize=256)
def _lacks_feet(skeleton: Skeleton) -> bool:
    return not _is_animal(skeleton) and not find_rig(skeleton).has("left_ankle", "right_ankle")


def _is_animal(skeleton: Skeleton) -> bool:
    """Whether names speak of an animal, whose limbs have no roles."""
    return legs_by_name(skeleton) > 2 or has_hocks(skeleton)


def _sampled_pose(motion: Motion) -> tuple[Array, Array]:
    """Positions and orientations of the joints in some frames, spread over the clip."""
    frames = np.unique(np.linspace(0, len(motion) - 1, _SAMPLES).round().astype(int))
    few = Motion(
        motion.skeleton,
        motion.fps,
        motion.root[frames],
        motion.rotations[frames],
        None if motion.translations is None else motion.translations[frames],
    )
    return few.forward()


def _confirmed_by_motion(motion: Motion, pair: tuple[tuple[int, int], ...]) -> list[_Attachment]:
    """Where the ends of a limb belong on both sides, if the motion agrees with the names."""
    positions, orientations = _sampled_pose(motion)
    attachments = []
    for end, shin in pair:
        for above in _leg_joints_deepest_first(motion.skeleton, shin):
            back = rotations.inverse(orientations[:, above])
            seen = rotations.rotate(back, positions[:, end] - positions[:, above])
            median_place = np.median(seen, axis=0)
            length = float(np.linalg.norm(median_place))
            bone = float(np.linalg.norm(motion.skeleton.offsets[above]))
            deviation = float(median(np.linalg.norm(seen - median_place, axis=1)))
            if length > _SHORTEST * bone and deviation <= _NEAR * length:
                attachments.append(
                    _Attachment(end, above, _offset(motion.skeleton, end, above, median_place))
                )
                break
    return attachments if len(attachments) == len(pair) else []


def _leg_joints_deepest_first(skeleton: Skeleton, shin: int) -> list[int]:
    """A shin and the joints below it that are a part of the leg, the deepest first: some legs have
    more joints than two above the foot."""
    depth = depths(skeleton)
    leg = [
        joint
        for joint in range(shin, len(skeleton))
        if joint == shin
        or (is_above(skeleton, shin, joint) and not is_helper(skeleton.names[joint]))
    ]
    return sorted(leg, key=lambda joint: -depth[joint])


def _offset(skeleton: Skeleton, end: int, above: int, median_place: Array) -> Array:
    """Where the end of a limb belongs: as in the rest pose, on which all clips of a rig agree,
    unless the frames contradict it."""
    rest = skeleton.rest_positions[end] - skeleton.rest_positions[above]
    deviation = float(np.linalg.norm(rest - median_place))
    return np.asarray(rest if deviation <= _NEAR * np.linalg.norm(median_place) else median_place)


def _found_by_motion(motion: Motion) -> list[_Attachment]:
    """Where feet belong that nothing but the motion shows, on two legs."""
    skeleton = motion.skeleton
    if len(skeleton) > _MOST_JOINTS:
        return []
    positions, orientations = _sampled_pose(motion)
    backs = rotations.inverse(orientations)
    depth = depths(skeleton)
    at_or_below = _at_or_below(skeleton)
    bones = np.linalg.norm(skeleton.offsets, axis=1)
    ends = [
        joint
        for joint in range(1, len(skeleton))
        if depth[joint] <= _DEEPEST and not is_helper(skeleton.names[joint])
    ]
    found = []
    for end, rigid in zip(ends, _rigidly_apart(positions, ends), strict=True):
        hanging = skeleton.parents[end]
        # A thigh and a shin below what the foot hangs on, but not the foot's own branch.
        under = at_or_below[skeleton.parents, hanging] & (skeleton.parents > hanging)
        shins = np.flatnonzero(rigid & under & ~at_or_below[:, end] & (bones > 0.0))
        attachment = (
            _best_attachment(skeleton, positions, backs, end, shins) if len(shins) else None
        )
        if attachment is not None:
            found.append(attachment)
    return [attachment for pair in _pairs_of_sides(skeleton, found) for attachment in pair]


def _rigidly_apart(positions: Array, ends: Sequence[int]) -> BoolArray:
    """Which joints ``(E, J)`` keep their distance from each of ``ends`` as a shin does from its
    foot: a quick test that leaves few candidates for the exact one."""
    rows = []
    for end in ends:
        apart = np.linalg.norm(positions - positions[:, end, None], axis=-1)
        distance = median(apart)
        # Twice, because both the usual distance and the place may be off.
        near = np.abs(apart - distance) <= 2.1 * _HELD * distance
        rows.append(np.mean(near, axis=0) >= _MOSTLY)
    return np.reshape(rows, (len(ends), positions.shape[1]))


def _at_or_below(skeleton: Skeleton) -> BoolArray:
    """``(J, J)``: whether a joint (row) is another one (column), or below it."""
    at_or_below = np.eye(len(skeleton), dtype=bool)
    for joint in range(1, len(skeleton)):
        at_or_below[joint] |= at_or_below[skeleton.parents[joint]]
    return at_or_below


def _best_attachment(
    skeleton: Skeleton, positions: Array, backs: Array, end: int, shins: IntArray
) -> _Attachment | None:
    """The shin with which a joint moves most nearly as a foot does; None if there is none."""
    bones = np.linalg.norm(skeleton.offsets[shins], axis=1)
    foot = positions[:, end, None]
    seen = rotations.rotate(backs[:, shins], foot - positions[:, shins])
    median_place = np.median(seen, axis=0)
    length = np.linalg.norm(median_place, axis=-1)
    deviation = np.quantile(np.linalg.norm(seen - median_place, axis=-1), _MOSTLY, axis=0)
    reach = np.linalg.norm(foot - positions[:, skeleton.parents[shins]], axis=-1)
    alike = (_SHORTEST * bones <= length) & (length <= _LONGEST * bones)
    bent = np.ptp(reach, axis=0) >= _BENT * length
    fits = np.flatnonzero(alike & bent & (deviation <= _HELD * length))
    if not len(fits):
        return None
    best = int(fits[np.argmin(deviation[fits])])
    above = int(shins[best])
    return _Attachment(end, above, _offset(skeleton, end, above, median_place[best]))


def _pairs_of_sides(
    skeleton: Skeleton, attachments: Sequence[_Attachment]
) -> Iterator[tuple[_Attachment, _Attachment]]:
    """Attachments that could be the left and the right one of a body."""
    for a, b in combinations(attachments, 2):
        lengths = sorted(float(np.linalg.norm(attachment.offset)) for attachment in (a, b))
        alike = lengths[1] - lengths[0] <= _UNLIKE * lengths[1]
        beside = skeleton.parents[a.end] == skeleton.parents[b.end] and a.above != b.above
        if alike and beside and depths(skeleton)[a.above] == depths(skeleton)[b.above]:
            yield a, b


# Hanging joints elsewhere


def _depth_first(parents: IntArray) -> IntArray:
    """Joints with every parent before its children, children in the order of the file."""
    children: list[list[int]] = [[] for _ in parents]
    for joint, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(joint)
    order, stack = [], [0]
    while stack:
        order.append(stack.pop())
        stack.extend(reversed(children[order[-1]]))
    return np.array(order)


def _reparented(
    motion: Motion,
    parents: IntArray,
    offsets: Array,
    ends: Sequence[int],
    order: IntArray,
    layout: Layout | None,
) -> Motion:
    """The motion with some joints on other parents, all in their places, in a new order.

    Parameters
    ----------
    motion
        Of J joints.
    parents, offsets
        ``(J,)`` and ``(J, 3)``, by the motion's own numbers.
    ends
        The joints whose parents are new.
    order
        ``(J,)`` the joints in their new order.
    layout
        That of the new skeleton.
    """
    skeleton = motion.skeleton
    positions, orientations = motion.forward()
    turns, moves = np.array(motion.rotations), np.array(local_translations(motion))
    for end in ends:
        back = rotations.inverse(orientations[:, parents[end]])
        turns[:, end] = rotations.normalize(rotations.multiply(back, orientations[:, end]))
        moves[:, end] = rotations.rotate(back, positions[:, end] - positions[:, parents[end]])
    new = np.argsort(order)
    slides = motion.translations is not None or not np.all(
        np.abs(moves[:, 1:] - offsets[1:]) <= _SAME_PLACE * skeleton.height
    )
    return replace(
        motion,
        skeleton=Skeleton(
            tuple(skeleton.names[joint] for joint in order),
            np.where(parents[order] < 0, -1, new[parents[order]]),
            offsets[order],
            new[skeleton.end_parents],
            skeleton.end_offsets,
            skeleton.roles,
            layout,
        ),
        rotations=turns[:, order],
        translations=moves[:, order] if slides else None,
    )
