"""The body around a skeleton as triangles that move with its joints.

Formats for viewers show meshes, not joints: without one a figure is not to be seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from motionweave.body.figure.capsules import Capsules, capsule_points, capsules_of
from motionweave.body.figure.plan import body_plan
from motionweave.body.figure.stance import stance, with_rest_pose
from motionweave.body.figure.torso import Torso, torso_of, torso_triangles
from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.core.skeleton import Skeleton

# Points on each ball whose hulls make the body.
_BALL = 48
# Radius of a shoulder beside the trunk, as a share of the body height.
_COLLAR = 0.04
# Joints of the trunk that are turned further against each other share no vertex, in radians;
# of two equal shares the first counts.
_FAR, _FIRST = 0.8, np.array([1e-9, -1e-9])


@dataclass(frozen=True, eq=False)
class MeshPart:
    """Triangles of one side of the body; each vertex moves with one joint or two.

    Parameters
    ----------
    side
        1 left, -1 right, 0 neither.
    vertices, normals
        ``(V, 3)`` in the rest pose.
    joints, weights
        ``(V, 2)`` the joints that carry each vertex, and their shares, which add up to 1.
    triangles
        ``(F, 3)`` vertices, anticlockwise seen from outside.
    """

    side: int
    vertices: Array
    normals: Array
    joints: NDArray[np.intp]
    weights: Array
    triangles: NDArray[np.intp]


# As far apart as points in a plot, but linear, as renderers want it.
COLOURS = {1: (0.02, 0.27, 0.48), -1: (0.75, 0.18, 0.03), 0: (0.32, 0.34, 0.38)}
SIDE_NAMES = {1: "left", -1: "right", 0: "middle"}


def body_parts(motion: Motion) -> list[MeshPart]:
    """The body of a motion in the rest pose, a part for each side that it has."""
    turns = stance(motion)
    skeleton = with_rest_pose(motion[:1], turns).skeleton
    plan, torso = capsules_of(skeleton), torso_of(skeleton)
    points = capsule_points(_at_rest(skeleton))[0]
    rigid = np.unique(plan.solids[plan.carriers >= 0])
    solids = [_solid(plan, points, np.flatnonzero(plan.solids == one)) for one in rigid]
    if torso is not None:
        solids.extend(_collars(torso, plan, skeleton))
    else:
        solids.extend(_bending_trunk(skeleton, points))
    solids = [_from_stance(solid, skeleton, motion.skeleton, turns) for solid in solids]
    if torso is not None:
        solids.append(_trunk(torso, motion))
    sides = sorted({solid.side for solid in solids})
    return [_joined([solid for solid in solids if solid.side == side]) for side in sides]


def _from_stance(solid: MeshPart, standing: Skeleton, skeleton: Skeleton, turns: Array) -> MeshPart:
    """A part of a body that stands, each vertex moved by one joint, in a skeleton's rest pose.

    ``turns`` ``(J, 4)`` is how the joints of the skeleton are oriented when it stands.
    """
    joints = solid.joints[:, 0]
    back = rotations.inverse(turns[joints])
    away = solid.vertices - standing.rest_positions[joints]
    return replace(
        solid,
        vertices=skeleton.rest_positions[joints] + rotations.rotate(back, away),
        normals=rotations.rotate(back, solid.normals),
    )


def _trunk(torso: Torso, motion: Motion) -> MeshPart:
    """The trunk as the motion usually holds it, taken back to the rest pose.

    A rest pose need not look like a body: the trunk of some rigs is folded in theirs.
    """
    positions, orientations = motion.forward()
    frame = _usual(positions[:, [*torso.hips, *torso.spine, *torso.shoulders]])
    places, turns = positions[frame], orientations[frame]
    joints, weights = torso.carriers(motion.skeleton)
    # Between joints that are turned far against each other from the rest pose, a mean of what
    # both do would shrink the trunk to a thread.
    far = rotations.angle_between(*np.moveaxis(turns[joints], 1, 0)) > _FAR
    weights = np.where(far[:, None], np.round(weights + _FIRST), weights)
    vertices, normals = torso.at(places)
    # From the rest pose to that frame: x -> turn x + move.
    turn = np.einsum("vk,vkij->vij", weights, rotations.to_matrix(turns)[joints])
    moves = places - rotations.rotate(turns, motion.skeleton.rest_positions)
    move = np.einsum("vk,vki->vi", weights, moves[joints])
    vertices = np.linalg.solve(turn, (vertices - move)[..., None])[..., 0]
    normals = np.einsum("vji,vj->vi", turn, normals)
    long = np.linalg.norm(normals, axis=1, keepdims=True)
    # Joints that are all in one place leave a trunk without an outside, but files want one.
    normals = np.where(long > 0.0, normals / np.where(long > 0.0, long, 1.0), [0.0, 1.0, 0.0])
    return MeshPart(0, vertices, normals, joints, weights, torso_triangles())


def _collars(torso: Torso, plan: Capsules, skeleton: Skeleton) -> Iterator[MeshPart]:
    """From the joints of collarbones to the shoulders, which they move away from the trunk."""
    drawn = set(plan.ends[plan.carriers >= 0, 1].tolist())
    thick = _COLLAR * torso.height
    for shoulder in torso.shoulders:
        collar = int(skeleton.parents[shoulder])
        if shoulder not in drawn and collar >= 0:
            both = np.array([collar, shoulder])
            radii = np.array([0.5 * thick, thick])
            yield _hull(skeleton.rest_positions[both], radii, np.array([collar] * 2), 0)


def _bending_trunk(skeleton: Skeleton, points: Array) -> Iterator[MeshPart]:
    """The trunk of a creature of which it is not known where limbs begin: one hull."""
    above = np.concatenate([np.maximum(skeleton.parents, 0), skeleton.end_parents])
    for piece in body_plan(skeleton).pieces:
        if piece.trunk:
            at = list(piece.points)
            yield _hull(points[at], np.array(piece.radii), above[at], piece.side)


def _at_rest(skeleton: Skeleton) -> Motion:
    """One frame in the rest pose."""
    turns = np.zeros((1, len(skeleton), 4))
    turns[..., 3] = 1.0
    return Motion(skeleton, 1.0, skeleton.rest_positions[:1], turns)


def _usual(points: Array) -> int:
    """The frame of ``(T, n, 3)`` at which points are about as far apart as they mostly are."""
    a, b = np.triu_indices(points.shape[1], 1)
    apart = np.linalg.norm(points[:, a] - points[:, b], axis=-1)
    return int(np.argmin(np.abs(apart - np.median(apart, axis=0)).sum(axis=1)))


def _solid(plan: Capsules, points: Array, own: NDArray[np.intp]) -> MeshPart:
    """The hull of some capsules of a body, which move with one joint."""
    ends = np.stack([plan.ends[own].ravel(), plan.radii[own].ravel()], axis=1)
    # Most balls are the ends of several capsules.
    balls = np.asarray(np.unique(ends, axis=0), dtype=np.float64)
    at = balls[:, 0].astype(np.intp)
    owners = np.full(len(at), plan.carriers[own[0]])
    return _hull(points[at], balls[:, 1], owners, int(plan.sides[own[0]]))


def _hull(middles: Array, radii: Array, owners: NDArray[np.intp], side: int) -> MeshPart:
    """The hull of balls ``(n, 3)`` and ``(n,)``, each of which moves with a joint ``(n,)``."""
    from scipy.spatial import ConvexHull

    ball = _ball()
    normals = np.tile(ball, (len(middles), 1))
    vertices = (
        np.repeat(middles, len(ball), axis=0) + np.repeat(radii, len(ball))[:, None] * normals
    )
    carriers = np.repeat(owners, len(ball))
    hull = ConvexHull(vertices - vertices.mean(axis=0), qhull_options="Qt QbB Pp")
    a, b, c = (vertices[hull.simplices[:, corner]] for corner in range(3))
    inward = np.sum(np.cross(b - a, c - a) * (a - vertices.mean(axis=0)), axis=1) < 0.0
    triangles = np.where(inward[:, None], hull.simplices[:, ::-1], hull.simplices)
    used, index = np.unique(triangles, return_inverse=True)
    return MeshPart(
        side,
        vertices[used],
        normals[used],
        np.stack([carriers[used]] * 2, axis=1),
        np.tile([1.0, 0.0], (len(used), 1)),
        index.reshape(triangles.shape),
    )


def _ball() -> Array:
    """Points ``(n, 3)`` spread evenly over the unit sphere, on a spiral from pole to pole."""
    height = 1.0 - (2.0 * np.arange(_BALL) + 1.0) / _BALL
    angle = np.pi * (3.0 - np.sqrt(5.0)) * np.arange(_BALL)
    around = np.sqrt(1.0 - height * height)
    return np.stack([around * np.cos(angle), height, around * np.sin(angle)], axis=-1)


def _joined(solids: list[MeshPart]) -> MeshPart:
    """Several parts of one side as one."""
    starts = np.cumsum([0, *(len(solid.vertices) for solid in solids[:-1])])
    return MeshPart(
        solids[0].side,
        np.concatenate([solid.vertices for solid in solids]),
        np.concatenate([solid.normals for solid in solids]),
        np.concatenate([solid.joints for solid in solids]),
        np.concatenate([solid.weights for solid in solids]),
        np.concatenate([one.triangles + start for one, start in zip(solids, starts, strict=True)]),
    )
