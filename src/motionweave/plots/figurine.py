"""Poses drawn as bodies with volume."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionweave.body.figure.plan import body_plan
from motionweave.body.size import body_height
from motionweave.core.arrays import Array
from motionweave.core.skeleton import Skeleton
from motionweave.plots.figure import INK, LEFT, MIDDLE, RIGHT, mix


def draw(axes: Any, skeleton: Skeleton, points: Array, depth: Array, zorder: float) -> None:
    """Draw one pose.

    Parameters
    ----------
    axes
        A matplotlib axes.
    points
        ``(P, 2)`` the `body_points` in the picture.
    depth
        ``(P,)`` distance towards the viewer: what is near is drawn last.
    zorder
        Order of the whole figure among others.
    """
    from matplotlib.patches import Polygon

    shape = body_plan(skeleton)
    pieces: list[tuple[float, Array, int]] = []
    for piece in shape.pieces:
        discs = [_disc(points[p], r) for p, r in zip(piece.points, piece.radii, strict=True)]
        deep = float(depth[list(piece.points)].mean())
        pieces.append((deep, _hull(np.concatenate(discs)), piece.side))
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
    spread = max(float(np.ptp(depth)), 0.15 * (body_height(skeleton) or 1.0))
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
