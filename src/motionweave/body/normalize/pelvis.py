"""Where a body begins: the pelvis, and what a file has above it.

`at_pelvis` removes what is above the pelvis (a scene root, a bone on the floor, an armature,
several joints deep) and beside it (props, cameras, targets below the same joints); the motion keeps
it as its `Carrier`. `as_filed` restores it. A motion whose frames are still those of the file gets
back the file's own values. A new motion gets a carrier of the same kind: a static one stays where
it was; one on the floor follows the position and heading of the pelvis, at its height; any other
moves with the pelvis, in height too. Anything beside the pelvis is then held as it was in its first
frame.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from motionweave.body.normalize.detached_feet import attach_limb_ends, detach_limb_ends
from motionweave.body.pose.axes import joint_forward
from motionweave.body.rig.names import read_name
from motionweave.body.rig.roles import SIDES, find_rig
from motionweave.body.rig.tree import chain, is_above, meeting
from motionweave.body.size import body_height
from motionweave.core import rotations
from motionweave.core.arrays import Array, BoolArray, IntArray
from motionweave.core.carrier import ANIMATED, FLOOR, STILL, Carrier
from motionweave.core.motion import Motion, checked, local_translations
from motionweave.core.planar import Planar
from motionweave.core.skeleton import Skeleton

# What the joint at which a body begins is called, if it is called anything.
_HIPS = ("hips", "hip", "pelvis")
# Shares of the body height and angles within which ...
# ... a bone keeps its length (as readers see it),
_SAME_PLACE = 1e-6
# ... a carrier is static,
_STILL_PLACE, _STILL_ANGLE = 1e-4, np.radians(0.05)
# ... one on the floor keeps its height, and its vertical,
_LEVEL_PLACE, _LEVEL_ANGLE = 0.02, np.radians(3.0)
# ... a body is still the one that was recorded with the carrier,
_RECORDED_PLACE, _RECORDED_ANGLE = 0.05, np.radians(10.0)
# ... or so exactly that the file's own values are used.
_EXACT_PLACE, _EXACT_ANGLE = 1e-9, 1e-8
# The path of a following carrier is smoothed over this many seconds (standard deviation):
# the pelvis sways and turns with each step, and its carrier should not.
_SMOOTH = 0.2


@lru_cache(maxsize=256)
def pelvis_of(skeleton: Skeleton) -> int:
    """The joint at which the body begins: the hips, or where legs and spine meet.

    0 for a skeleton that is not known to be a body.
    """
    rig = find_rig(skeleton)
    # Hips by name alone, with the body elsewhere, are not its root.
    if not rig.has("hips", "left_thigh", "right_thigh"):
        return 0
    hips = rig.roles["hips"]
    limbs = [f"{side}_{role}" for side in SIDES for role in ("thigh", "upper_arm")]
    parts = [rig.roles[role] for role in (*limbs, "head", "chest") if role in rig.roles]
    if not all(is_above(skeleton, hips, joint) for joint in parts):
        return 0
    # Of several joints called hips, one above the other, the upper ones carry the lowest.
    called = [
        joint
        for joint in chain(skeleton, hips, meeting(skeleton, parts))
        if read_name(skeleton.names[joint])[1] in _HIPS
    ]
    return called[-1] if called else hips


def at_pelvis(motion: Motion) -> Motion:
    """The motion with the pelvis as its root.

    Parameters
    ----------
    motion
        Any motion; one whose joint 0 is its pelvis is returned unchanged.

    Returns
    -------
    Motion
        The same body in the same places, with all that is above and beside the pelvis in
        ``carrier``.

    Examples
    --------
    >>> import motionweave as mw
    >>> from motionweave.body.normalize.pelvis import at_pelvis
    >>> walk = mw.sample("walk")
    >>> at_pelvis(walk) is walk
    True
    """
    motion = attach_limb_ends(checked(motion))
    skeleton = motion.skeleton
    pelvis = pelvis_of(skeleton)
    if pelvis == 0:
        return motion
    body = np.array(
        [j for j in range(len(skeleton)) if j == pelvis or is_above(skeleton, pelvis, j)]
    )
    above = np.setdiff1d(np.arange(len(skeleton)), body[1:])
    positions, orientations = motion.forward()
    inside = np.isin(skeleton.end_parents, body)
    parts = replace(
        _part(skeleton, body, inside, skeleton.rest_positions[pelvis]), layout=skeleton.layout
    )
    height = body_height(parts)
    carrying = Motion(
        _part(skeleton, above, ~inside, skeleton.offsets[0]),
        motion.fps,
        motion.root,
        motion.rotations[:, above],
        None if motion.translations is None else motion.translations[:, above],
    )
    carrier = Carrier(
        carrying,
        int(np.searchsorted(above, pelvis)),
        _kind(carrying, int(np.searchsorted(above, skeleton.parents[pelvis])), height),
        above,
        np.flatnonzero(~inside),
    )
    turned = np.array(motion.rotations[:, body])
    turned[:, 0] = orientations[:, pelvis]
    moves = None
    if motion.translations is not None:
        moves = np.array(motion.translations[:, body])
        moves[:, 0] = parts.offsets[0]
        if np.all(np.abs(moves - parts.offsets) <= _SAME_PLACE * height):
            moves = None
    return replace(
        motion,
        skeleton=parts,
        root=positions[:, pelvis],
        rotations=turned,
        translations=moves,
        carrier=carrier,
    )


def as_filed(motion: Motion) -> Motion:
    """The motion as in its file, with everything above the pelvis restored, and feet that hang
    elsewhere in the file put back.

    Parameters
    ----------
    motion
        Any motion; one whose joints are as in its file is returned unchanged.
    """
    carrier = motion.carrier
    return detach_limb_ends(motion if carrier is None else _with_carrier(motion, carrier))


def _with_carrier(motion: Motion, carrier: Carrier) -> Motion:
    """The motion with its carrier as the joints above and beside the pelvis."""
    skeleton, order = _whole(motion.skeleton, carrier)
    above = _fitted(motion, carrier)
    parent = int(above.skeleton.parents[carrier.pelvis])
    positions, orientations = above.forward()
    place, turn = local_translations(above)[:, carrier.pelvis], above.rotations[:, carrier.pelvis]
    height = body_height(motion.skeleton)
    apart = np.linalg.norm(positions[:, carrier.pelvis] - motion.root, axis=1)
    angle = rotations.angle_between(orientations[:, carrier.pelvis], motion.rotations[:, 0])
    # If the body is where the carrier puts it, values stay the same, bit for bit.
    if apart.max() > _EXACT_PLACE * height or angle.max() > _EXACT_ANGLE:
        back = rotations.inverse(orientations[:, parent])
        place = rotations.rotate(back, motion.root - positions[:, parent])
        turn = rotations.normalize(rotations.multiply(back, motion.rotations[:, 0]))
    turned = np.concatenate([np.array(above.rotations), motion.rotations[:, 1:]], axis=1)
    turned[:, carrier.pelvis] = turn
    slides = (
        above.translations is not None
        or motion.translations is not None
        or not np.all(
            np.abs(place - above.skeleton.offsets[carrier.pelvis]) <= _EXACT_PLACE * height
        )
    )
    moves = None
    if slides:
        moves = np.concatenate(
            [local_translations(above), local_translations(motion)[:, 1:]], axis=1
        )
        moves[:, carrier.pelvis] = place
        moves = moves[:, order]
    return replace(
        motion,
        skeleton=skeleton,
        root=above.root,
        rotations=turned[:, order],
        translations=moves,
        carrier=None,
    )


def _part(skeleton: Skeleton, joints: IntArray, ends: BoolArray, first: Array) -> Skeleton:
    """Some joints and end sites of a skeleton, with a new offset for the first joint."""
    new = np.full(len(skeleton), -1)
    new[joints] = np.arange(len(joints))
    offsets = np.array(skeleton.offsets[joints])
    offsets[0] = first
    parents = np.where(skeleton.parents[joints] < 0, -1, new[skeleton.parents[joints]])
    parents[0] = -1
    return Skeleton(
        tuple(skeleton.names[joint] for joint in joints),
        parents,
        offsets,
        new[skeleton.end_parents[ends]],
        skeleton.end_offsets[ends],
        skeleton.roles,
    )


def _whole(body: Skeleton, carrier: Carrier) -> tuple[Skeleton, IntArray]:
    """The file's skeleton, and for each of its joints the place among carrier, then body."""
    above = carrier.motion.skeleton
    count = len(above) + len(body) - 1
    order = _merged(carrier.joints, count)
    new = np.argsort(order)
    # In the row of carrier, then body, the pelvis is the carrier's.
    of_body = np.concatenate([[carrier.pelvis], len(above) + np.arange(len(body) - 1)])
    parents = np.concatenate([above.parents, of_body[body.parents[1:]]])[order]
    names = np.array([*above.names, *body.names[1:]], dtype=object)[order]
    end_order = _merged(carrier.ends, len(above.end_parents) + len(body.end_parents))
    end_parents = np.concatenate([above.end_parents, of_body[body.end_parents]])[end_order]
    skeleton = Skeleton(
        tuple(names),
        np.where(parents < 0, -1, new[parents]),
        np.concatenate([above.offsets, body.offsets[1:]])[order],
        new[end_parents],
        np.concatenate([above.end_offsets, body.end_offsets])[end_order],
        body.roles,
        body.layout,
    )
    return skeleton, order


def _merged(places: IntArray, count: int) -> IntArray:
    """Two rows in one: for each of ``count`` places the index in the first, then the second.

    ``places`` are those of the first row; the second fills what is left. A body with fewer
    joints than the file had follows behind.
    """
    order = np.full(max(count, int(places.max(initial=-1)) + 1), -1)
    order[places] = np.arange(len(places))
    free = np.flatnonzero(order < 0)[: count - len(places)]
    order[free] = len(places) + np.arange(len(free))
    return order[order >= 0]


def _kind(above: Motion, parent: int, height: float) -> str:
    """How the joint that carries the pelvis moves."""
    positions, orientations = above.forward()
    place, turn = positions[:, parent], orientations[:, parent]
    swing = rotations.angle_between(turn[:1], turn)
    if np.ptp(place, axis=0).max() <= _STILL_PLACE * height and swing.max() <= _STILL_ANGLE:
        return STILL
    up = rotations.rotate(rotations.multiply(turn, rotations.inverse(turn[0])), [0.0, 1.0, 0.0])
    level = np.ptp(place[:, 1]) <= _LEVEL_PLACE * height
    return FLOOR if level and up[:, 1].min() >= np.cos(_LEVEL_ANGLE) else ANIMATED


# A carrier for a motion that it was not recorded with


def _fitted(motion: Motion, carrier: Carrier) -> Motion:
    """Frames of the carrier for each frame of the motion."""
    above = carrier.motion
    if carrier.in_step(len(motion)):
        positions, orientations = above.forward()
        apart = np.linalg.norm(positions[:, carrier.pelvis] - motion.root, axis=1)
        angle = rotations.angle_between(orientations[:, carrier.pelvis], motion.rotations[:, 0])
        near = apart.max() <= _RECORDED_PLACE * body_height(motion.skeleton)
        if carrier.kind == STILL or (near and angle.max() <= _RECORDED_ANGLE):
            return above
    held = replace(above, constraints=()).sample(np.zeros(len(motion)))
    return held if carrier.kind == STILL else _following(motion, carrier, held)


def _following(motion: Motion, carrier: Carrier, held: Motion) -> Motion:
    """The carrier held in its first frame, moved along with the pelvis.

    The topmost joint that moved in the file takes the motion: it keeps its mean place and
    heading as seen from the pelvis.
    """
    skeleton = held.skeleton
    positions, orientations = carrier.motion.forward()
    above = skeleton.chain(0, int(skeleton.parents[carrier.pelvis]))
    still = [np.ptp(positions[:, j], axis=0).max() <= 0.0 for j in above]
    turning = [
        rotations.angle_between(orientations[:1, j], orientations[:, j]).max() for j in above
    ]
    moving = [j for j, s, a in zip(above, still, turning, strict=True) if not s or a > 0.0]
    mover = moving[0] if moving else above[-1]
    front = joint_forward(motion, 0)
    # Seen from the pelvis in the recording: where the mover was and how it was turned.
    was = _on_floor(positions[:, carrier.pelvis], orientations[:, carrier.pelvis], front)
    turn = rotations.multiply(orientations[:, mover], rotations.inverse(orientations[0, mover]))
    heading = np.unwrap(rotations.vertical_angle(turn))
    apart = float(np.angle(np.mean(np.exp(1j * (heading - was.angle)))))
    offset = was.inverse().apply(positions[:, mover]).mean(axis=0)
    now = _smooth(_on_floor(motion.root, motion.rotations[:, 0], front), _SMOOTH * motion.fps)
    place = now.apply(np.broadcast_to(offset, (len(motion), 3)))
    if carrier.kind == ANIMATED:
        lift = positions[:, mover, 1] - positions[:, carrier.pelvis, 1]
        place[:, 1] = motion.root[:, 1] + lift.mean()
    turned = rotations.multiply(rotations.about_vertical(now.angle + apart), orientations[0, mover])
    return _with_joint_at(held, mover, place, turned)


def _with_joint_at(held: Motion, joint: int, place: Array, turn: Array) -> Motion:
    """The motion with one joint at global places ``(T, 3)``, turned ``(T, 4)``."""
    local = np.array(held.rotations)
    if joint == 0:
        local[:, 0] = turn
        return replace(held, root=place, rotations=local)
    positions, orientations = held.forward()
    parent = int(held.skeleton.parents[joint])
    back = rotations.inverse(orientations[:, parent])
    moves = np.array(local_translations(held))
    moves[:, joint] = rotations.rotate(back, place - positions[:, parent])
    local[:, joint] = rotations.multiply(back, turn)
    return replace(held, rotations=local, translations=moves)


def _on_floor(places: Array, turns: Array, front: Array) -> Planar:
    """Where on the floor, and with which heading, a pelvis is, ``(T,)``."""
    ahead = rotations.rotate(turns, front)
    angle = np.unwrap(np.arctan2(ahead[:, 0], ahead[:, 2]))
    return Planar(angle, places[:, 0], places[:, 2])


def _smooth(path: Planar, width: float) -> Planar:
    """A path on the floor smoothed by a Gaussian of ``width`` frames; straight ends stay
    straight."""
    reach = min(int(np.ceil(3.0 * width)), len(path.x) - 1)
    if reach < 1:
        return path
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
    kernel /= kernel.sum()

    def smoothed(row: Array) -> Array:
        before = 2.0 * row[0] - row[reach:0:-1]
        after = 2.0 * row[-1] - row[-2 : -reach - 2 : -1]
        return np.convolve(np.concatenate([before, row, after]), kernel, mode="valid")

    return Planar(smoothed(path.angle), smoothed(path.x), smoothed(path.z))
