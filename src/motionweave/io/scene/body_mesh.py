"""The body around a skeleton as triangles that move with its joints.

Formats for viewers show meshes, not joints: without one a figure is not to be seen.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from motionweave.body.size import body_height
from motionweave.body.volume import Piece, Shape, shape_of
from motionweave.core.arrays import Array
from motionweave.core.skeleton import Skeleton

# Points on each ball whose hulls make the body.
_BALL = 48
# Radius of a body that has no bone at all, as a share of its height.
_DOT = 0.05


@dataclass(frozen=True, eq=False)
class MeshPart:
    """Triangles of one side of the body; each vertex moves with one joint.

    Parameters
    ----------
    side
        1 left, -1 right, 0 neither.
    vertices, normals
        ``(V, 3)`` in the rest pose.
    joints
        ``(V,)`` the joint that carries each vertex.
    triangles
        ``(F, 3)`` vertices, anticlockwise seen from outside.
    """

    side: int
    vertices: Array
    normals: Array
    joints: NDArray[np.intp]
    triangles: NDArray[np.intp]


# As far apart as points in a plot, but linear, as renderers want it.
COLOURS = {1: (0.02, 0.27, 0.48), -1: (0.75, 0.18, 0.03), 0: (0.32, 0.34, 0.38)}
SIDE_NAMES = {1: "left", -1: "right", 0: "middle"}


def body_parts(skeleton: Skeleton) -> list[MeshPart]:
    """The body, a part for each side that it has."""
    shape = shape_of(skeleton)
    rest, ends = skeleton.rest_positions, skeleton.rest_end_positions
    heels = rest[shape.heel_joints] + shape.heel_offsets
    points = np.concatenate([rest, ends, heels])
    # The joint that carries each point: a joint's own turn does not move it.
    carriers = np.concatenate(
        [np.maximum(skeleton.parents, 0), skeleton.end_parents, shape.heel_joints]
    )
    solids: dict[int, list[tuple[Array, Array, NDArray[np.intp], NDArray[np.intp]]]] = {}
    for piece in shape.pieces:
        solids.setdefault(piece.side, []).append(_solid(piece, points, carriers))
    ball = _head(shape, points)
    if not solids and ball is None:
        ball = rest[0], _DOT * (body_height(skeleton) or 1.0), 0
    if ball is not None:
        centre, radius, joint = ball
        one = Piece((0,), (radius,), 0)
        solids.setdefault(0, []).append(_solid(one, centre[None], np.array([joint])))
    return [_joined(side, solids[side]) for side in sorted(solids)]


def _head(shape: Shape, points: Array) -> tuple[Array, float, int] | None:
    if shape.head is None:
        return None
    low, top = shape.head
    way = points[top] - points[low]
    length = float(np.linalg.norm(way))
    share = min(1.0, 1.1 * shape.head_radius / length) if length > 0.0 else 0.0
    return points[low] + share * way, shape.head_radius, low


def _solid(
    piece: Piece, points: Array, carriers: NDArray[np.intp]
) -> tuple[Array, Array, NDArray[np.intp], NDArray[np.intp]]:
    """Vertices, normals, joints and triangles of the hull of balls around a piece's points."""
    from scipy.spatial import ConvexHull

    ball = _ball()
    at = list(piece.points)
    centres = np.repeat(points[at], len(ball), axis=0)
    radii = np.repeat(piece.radii, len(ball))
    normals = np.tile(ball, (len(at), 1))
    vertices = centres + radii[:, None] * normals
    # A bone is rigid: both of its ends move with the joint it begins at. A trunk bends.
    limb = carriers[at[-1]] if len(at) in (2, 3) else None
    owners = np.repeat(carriers[at] if limb is None else np.full(len(at), limb), len(ball))
    hull = ConvexHull(vertices - vertices.mean(axis=0), qhull_options="Qt QbB Pp")
    a, b, c = (vertices[hull.simplices[:, corner]] for corner in range(3))
    inward = np.sum(np.cross(b - a, c - a) * (a - vertices.mean(axis=0)), axis=1) < 0.0
    triangles = np.where(inward[:, None], hull.simplices[:, ::-1], hull.simplices)
    used, index = np.unique(triangles, return_inverse=True)
    return vertices[used], normals[used], owners[used], index.reshape(triangles.shape)


def _ball() -> Array:
    """Points ``(n, 3)`` spread evenly over the unit sphere, on a spiral from pole to pole."""
    height = 1.0 - (2.0 * np.arange(_BALL) + 1.0) / _BALL
    angle = np.pi * (3.0 - np.sqrt(5.0)) * np.arange(_BALL)
    around = np.sqrt(1.0 - height * height)
    return np.stack([around * np.cos(angle), height, around * np.sin(angle)], axis=-1)


def _joined(
    side: int, solids: list[tuple[Array, Array, NDArray[np.intp], NDArray[np.intp]]]
) -> MeshPart:
    starts = np.cumsum([0, *(len(solid[0]) for solid in solids[:-1])])
    return MeshPart(
        side,
        np.concatenate([solid[0] for solid in solids]),
        np.concatenate([solid[1] for solid in solids]),
        np.concatenate([solid[2] for solid in solids]),
        np.concatenate([solid[3] + start for solid, start in zip(solids, starts, strict=True)]),
    )
