"""Takes as motions and back. In between, what Blender calls z is y, and joint 0 is the pelvis."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import motionweave as mw
from motionweave.body.normalize.pelvis import as_filed, at_pelvis
from motionweave.body.soles import has_feet
from motionweave.core import rotations
from motionweave.io.axes import to_y_up, to_z_up, turned
from motionweave.io.scene.rest import Rest, normalised

from .take import Take

# How unlike the three scales of an armature may be, as a share.
_UNIFORM = 1e-3
# How far the armature object may move and still stand, as a share of its skeleton's size.
_STILL = 1e-6


def to_motion(take: Take, *, contacts: bool = True, carried: bool | None = None) -> mw.Motion:
    """The motion of a take, in world space.

    Parameters
    ----------
    take
        Of any armature.
    contacts
        Whether the take's contacts are wanted: those that are marked, else detected ones.
    carried
        Whether the object becomes a joint above the bones. By default it does where it moves,
        or where several bones have no parent.
    """
    _check_scale(take)
    names, parents = list(take.names), np.asarray(take.parents)
    world, rest = take.world(), take.objects[0] @ take.rest
    tails = take.tails @ take.objects[0, :3, :3].T + take.objects[0, :3, 3]
    if needs_carrier(take) if carried is None else carried:
        names.insert(0, _carrier_name(take))
        parents = np.concatenate([[-1], np.where(parents < 0, 0, parents + 1)])
        world = np.concatenate([take.objects[:, None], world], axis=1)
        rest = np.concatenate([take.objects[:1], rest])
        tails = np.concatenate([take.objects[:1, :3, 3], tails])
    skeleton, pose = normalised(
        names, parents.tolist(), Rest(*_decomposed(rest)), *_decomposed(world)
    )
    leaves = np.setdiff1d(np.arange(len(names)), parents)
    skeleton = replace(
        skeleton, end_parents=leaves, end_offsets=tails[leaves] - rest[leaves, :3, 3]
    )
    skeleton, pose = turned(skeleton, pose, to_y_up)
    motion = mw.Motion(
        skeleton, take.fps, pose.root, pose.rotations, pose.translations, name=take.name
    )
    motion = at_pelvis(motion)
    if not contacts:
        return motion
    if take.contacts is not None:
        return motion.with_constraints(mw.Constraint(*one) for one in take.contacts)
    if has_feet(motion.skeleton):
        return motion.with_constraints(mw.detect_contacts(motion))
    return motion


def to_motions(takes: list[Take]) -> list[mw.Motion]:
    """Motions of takes; those of one armature have one and the same skeleton.

    `to_motion` gives a skeleton the bone lengths that it sees in the take. Where two takes of
    an armature hold a bone at different places, its rest pose is the skeleton for both.
    """
    carried = any(_same_rest(take, takes[0]) and needs_carrier(take) for take in takes)
    motions = [
        to_motion(take, carried=carried if _same_rest(take, takes[0]) else None) for take in takes
    ]
    first = motions[0]
    return [
        first
        if motion is first
        else _with_skeleton(motion, first.skeleton)
        if _same_rest(take, takes[0]) and motion.skeleton.same_joints(first.skeleton)
        else motion
        for motion, take in zip(motions, takes, strict=True)
    ]


def to_take(motion: mw.Motion, like: Take) -> Take:
    """A motion as a take of the armature that another take is of.

    Parameters
    ----------
    motion
        With the joints of that armature. Joints that the armature does not have are left out.
    like
        Gives the bones, their rest pose and scale, and where the object stands.
    """
    whole = as_filed(motion)
    missing = [name for name in like.names if name not in whole.skeleton.names]
    if missing:
        raise mw.RigError(f"the result has no bone {', '.join(missing[:5])}")
    positions, orientations = whole.forward()
    positions = to_z_up(positions)
    orientations = np.concatenate([to_z_up(orientations[..., :3]), orientations[..., 3:]], axis=-1)
    objects = np.repeat(like.objects[:1], len(whole), axis=0)
    if _carrier_name(like) in whole.skeleton.names:
        joint = whole.skeleton.index(_carrier_name(like))
        moved = _matrices(
            like.objects[0], positions[:, joint], orientations[:, joint], _sizes(like.objects[0])
        )
        if not _stands(moved, like):
            objects = moved
    order = [whole.skeleton.index(name) for name in like.names]
    back = np.linalg.inv(objects)[:, None]
    rest = like.objects[0] @ like.rest
    world = _matrices(rest, positions[:, order], orientations[:, order], np.ones(3))
    poses = back @ world
    # Bones have the scale that they have in the take, whatever the scale of the object.
    turn = rotations.orthogonal(poses[..., :3, :3])
    poses[..., :3, :3] = turn * _sizes(like.poses[0])[:, None, :]
    return replace(
        like,
        name=motion.name,
        fps=motion.fps,
        poses=poses,
        objects=objects,
        contacts=tuple((c.start, c.end, c.kind) for c in motion.constraints),
    )


def needs_carrier(take: Take) -> bool:
    """Whether the object is part of the motion: it moves, or several bones hang on it."""
    return np.sum(np.asarray(take.parents) < 0) != 1 or not _stands(take.objects, take)


def _stands(objects: np.ndarray, like: Take) -> bool:
    """Whether an object ``(T, 4, 4)`` stays where it is at the beginning of a take."""
    size = max(float(np.abs(like.objects[0] @ like.rest)[:, :3, 3].max()), 1e-9)
    return bool(np.abs(objects - like.objects[0]).max() <= _STILL * size)


def _carrier_name(take: Take) -> str:
    name = "armature object"
    while name in take.names:
        name += "_"
    return name


def _same_rest(take: Take, other: Take) -> bool:
    return take.names == other.names and np.allclose(
        take.objects[0] @ take.rest, other.objects[0] @ other.rest, rtol=0.0, atol=1e-6
    )


def _with_skeleton(motion: mw.Motion, skeleton: mw.Skeleton) -> mw.Motion:
    """The same places and turns, said with the bone lengths of another skeleton."""
    if motion.skeleton == skeleton:
        return motion
    moves = motion.translations
    if moves is None:
        same = np.abs(motion.skeleton.offsets[1:] - skeleton.offsets[1:]).max(initial=0.0)
        if same > 1e-6 * skeleton.height:
            moves = np.repeat(motion.skeleton.offsets[None], len(motion), axis=0)
    return replace(motion, skeleton=skeleton, translations=moves)


def _check_scale(take: Take) -> None:
    linear = take.objects[0, :3, :3]
    sizes = _sizes(take.objects[0])
    if np.ptp(sizes) > _UNIFORM * sizes.max() or np.linalg.det(linear) <= 0.0:
        raise mw.RigError(
            "the armature object has different scales along its axes, or is mirrored: "
            "apply its scale first (Object > Apply > Scale)"
        )


def _sizes(matrices: np.ndarray) -> np.ndarray:
    return np.linalg.norm(matrices[..., :3, :3], axis=-2)


def _decomposed(matrices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions and orientations of matrices ``(..., 4, 4)``."""
    linear = rotations.orthogonal(matrices[..., :3, :3].astype(np.float64))
    return matrices[..., :3, 3].astype(np.float64), rotations.from_matrix(linear)


def _matrices(
    rest: np.ndarray, positions: np.ndarray, orientations: np.ndarray, sizes: np.ndarray
) -> np.ndarray:
    """Matrices of joints turned by ``orientations`` from how they are at ``rest``."""
    turned_rest = rotations.multiply(orientations, _decomposed(rest)[1])
    made = np.zeros((*positions.shape[:-1], 4, 4))
    made[..., :3, :3] = rotations.to_matrix(turned_rest) * sizes[..., None, :]
    made[..., :3, 3] = positions
    made[..., 3, 3] = 1.0
    return made
