"""A pose as a body with volume, for any skeleton: tapered limbs, a trunk, a head.

What to draw follows from the tree alone; roles of joints, where they are known, say
which limb is left and which is right.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from motionweave.analysis.rig import find_rig
from motionweave.core.skeleton import Skeleton
from motionweave.plots.figure import INK, LEFT, MIDDLE, RIGHT, mix

Array = NDArray[np.float64]

# A limb is about this thick, as a share of sqrt(body height x length of what hangs on it).
_THICKNESS = 0.043
# Branches belong to the trunk up to this share of the body height from it.
_TRUNK_REACH = 0.16


@dataclass(frozen=True)
class Bone:
    """From one point of the body to another: indices into joints followed by end sites."""

    start: int
    end: int
    thick: float
    thin: float
    side: int  # 1 left, -1 right, 0 neither


@dataclass(frozen=True)
class Shape:
    """What to draw of a skeleton: bones, the points of the trunk, the head."""

    bones: tuple[Bone, ...]
    trunk: tuple[int, ...]
    trunk_radius: Array
    head: tuple[int, int] | None
    head_radius: float


@lru_cache(maxsize=64)
def shape_of(skeleton: Skeleton) -> Shape:
    """The drawing plan of a skeleton; point J + e is end site e."""
    joints, ends = len(skeleton), len(skeleton.end_parents)
    parents = np.concatenate([skeleton.parents, skeleton.end_parents])
    offsets = np.concatenate([skeleton.offsets, skeleton.end_offsets])
    lengths = np.linalg.norm(offsets, axis=1)
    height = skeleton.height or 1.0
    below = np.zeros(joints + ends)
    for point in range(joints + ends - 1, 0, -1):
        parent = parents[point]
        below[parent] = max(below[parent], below[point] + lengths[point])
    trunk = _trunk(parents, lengths, joints, height)
    sides = _sides(skeleton, parents)
    radius = _THICKNESS * np.sqrt(height * (below + 0.02 * height))
    radius = np.minimum(radius, 0.048 * height)
    head = _head(skeleton, parents, trunk)
    tops = set() if head is None else {head[1]}
    bones = tuple(
        Bone(int(parents[p]), p, float(radius[parents[p]]), float(radius[p]), int(sides[p]))
        for p in range(1, joints + ends)
        if not (p in trunk and parents[p] in trunk) and lengths[p] > 1e-9 and p not in tops
    )
    order = tuple(sorted(trunk))
    return Shape(
        bones=bones,
        trunk=order,
        trunk_radius=np.array([0.045 * height] * len(order)),
        head=head,
        head_radius=0.062 * height,
    )


def _trunk(parents: NDArray[np.intp], lengths: Array, joints: int, height: float) -> set[int]:
    """Joints from which two or more long limbs hang, and where those limbs begin."""
    count = len(parents)
    reach = np.zeros(count)
    limbs: list[int] = [0] * count
    for point in range(count - 1, 0, -1):
        parent = parents[point]
        far = reach[point] + lengths[point]
        reach[parent] = max(reach[parent], far)
    for point in range(count - 1, 0, -1):
        parent = parents[point]
        is_limb = limbs[point] == 0 and reach[point] + lengths[point] > 0.2 * height
        limbs[parent] += 1 if is_limb else limbs[point]
    trunk = {point for point in range(joints) if limbs[point] >= 2}
    start = dict.fromkeys(trunk, 0.0)
    for point in range(1, joints):
        parent = int(parents[point])
        if point not in trunk and parent in start:
            far = start[parent] + lengths[point]
            if far < _TRUNK_REACH * height:
                start[point] = far
    return trunk | set(start)


def _sides(skeleton: Skeleton, parents: NDArray[np.intp]) -> NDArray[np.intp]:
    """1 for what hangs on a joint known as left, -1 for right, 0 for the rest."""
    sides = np.zeros(len(parents), dtype=np.intp)
    for role, joint in find_rig(skeleton).roles.items():
        if role.startswith("left_"):
            sides[joint] = 1
        elif role.startswith("right_"):
            sides[joint] = -1
    for point in range(1, len(parents)):
        if sides[point] == 0:
            sides[point] = sides[parents[point]]
    return sides


def _head(skeleton: Skeleton, parents: NDArray[np.intp], trunk: set[int]) -> tuple[int, int] | None:
    """The head joint and the point above it: from its role, else the highest tip."""
    joints = len(skeleton)
    role = find_rig(skeleton).roles.get("head")
    if role is not None:
        above = [p for p in range(1, len(parents)) if parents[p] == role]
        return role, above[0] if above else role
    points = np.concatenate([skeleton.rest_positions, skeleton.rest_end_positions])
    if len(points) < 2:
        return None
    top = int(np.argmax(points[:, 1]))
    if top < 1 or top in trunk or len(points) - joints == 0:
        return None
    return int(parents[top]), top


def draw(axes: Any, skeleton: Skeleton, points: Array, depth: Array, zorder: float) -> None:
    """Draw one pose.

    Parameters
    ----------
    axes
        A matplotlib axes.
    points
        ``(J + E, 2)`` joints, then end sites, in the picture.
    depth
        ``(J + E,)`` distance towards the viewer: what is near is drawn last.
    zorder
        Order of the whole figure among others.
    """
    from matplotlib.patches import Polygon

    shape = shape_of(skeleton)
    pieces: list[tuple[float, Array, int]] = []
    for bone in shape.bones:
        a, b = points[bone.start], points[bone.end]
        outline = _hull(
            np.concatenate([_disc(a, bone.thick), _disc(b, max(bone.thin, 0.35 * bone.thick))])
        )
        pieces.append((float(depth[[bone.start, bone.end]].mean()), outline, bone.side))
    if len(shape.trunk) > 1:
        discs = [_disc(points[p], r) for p, r in zip(shape.trunk, shape.trunk_radius, strict=True)]
        pieces.append((float(depth[list(shape.trunk)].mean()), _hull(np.concatenate(discs)), 0))
    if shape.head is not None:
        low, top = shape.head
        if low == top:
            centre = points[top]
        else:
            way = points[top] - points[low]
            length = float(np.linalg.norm(way))
            centre = points[low] + way * (
                min(1.0, shape.head_radius * 1.1 / length) if length > 0 else 0.0
            )
        pieces.append((float(depth[low]), _disc(centre, shape.head_radius, 40), 0))
    spread = max(float(np.ptp(depth)), 0.15 * (skeleton.height or 1.0))
    middle = float(np.mean(depth))
    pieces.sort(key=lambda piece: piece[0])
    for rank, (deep, outline, side) in enumerate(pieces):
        base = {1: LEFT, -1: RIGHT, 0: MIDDLE}[side]
        far = np.clip(0.5 - (deep - middle) / spread, 0.0, 1.0)
        axes.add_patch(
            Polygon(
                outline,
                closed=True,
                facecolor=mix(base, "#ffffff", 0.12 + 0.45 * float(far)),
                edgecolor=mix(INK, "#ffffff", 0.15 + 0.35 * float(far)),
                linewidth=0.5,
                joinstyle="round",
                zorder=zorder + 0.5 * rank / max(len(pieces), 1),
            )
        )


def _disc(centre: Array, radius: float, corners: int = 20) -> Array:
    angle = np.linspace(0.0, 2.0 * np.pi, corners, endpoint=False)
    return np.asarray(centre + radius * np.stack([np.cos(angle), np.sin(angle)], axis=-1))


def _hull(points: Array) -> Array:
    """Convex hull of ``(n, 2)`` points, anticlockwise (Andrew's monotone chain)."""
    ordered = points[np.lexsort((points[:, 1], points[:, 0]))]

    def half(rows: Array) -> list[Array]:
        chain: list[Array] = []
        for row in rows:
            while len(chain) >= 2:
                a, b = chain[-1] - chain[-2], row - chain[-2]
                if a[0] * b[1] - a[1] * b[0] > 0.0:
                    break
                chain.pop()
            chain.append(row)
        return chain[:-1]

    return np.array(half(ordered) + half(ordered[::-1]))
