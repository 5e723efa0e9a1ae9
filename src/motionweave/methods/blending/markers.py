"""Blending of recorded markers, where there is no skeleton: points are averaged.

Averages of points shorten limbs that point in different directions; only a skeleton keeps their
lengths. For similar clips the loss is small.
"""

from __future__ import annotations

import numpy as np

from motionweave.core.kinematics import sample_vectors
from motionweave.core.markers import Markers
from motionweave.core.planar import Planar
from motionweave.errors import BlendError
from motionweave.methods.blending.advance import Pace
from motionweave.methods.blending.trace import accumulated, walk
from motionweave.methods.blending.weights import Weights
from motionweave.registration.markers import MarkerCurve


def blend_markers(
    curve: MarkerCurve,
    weights: Weights,
    *,
    duration: float | None = None,
    fps: float | None = None,
    pace: Pace = "durations",
) -> Markers:
    """Blend the markers of a curve; the parameters are those of `blend`."""
    clips = curve.motions
    rate = clips[0].fps if fps is None else float(fps)
    if not (np.isfinite(rate) and rate > 0):
        raise BlendError(f"frame rate {fps}: expected a positive number")
    u, rows = walk(curve, weights, curve.timewarp.start, duration, rate, 1, pace)
    aligned = curve.alignment.at(u)
    frames = curve.timewarp.frames(u)
    points = np.stack(
        [sample_vectors(clip.points, frames[:, k]) for k, clip in enumerate(clips)], axis=1
    )
    # As for skeletons (Eqs. 8, 9), with the middle of the markers in place of the root.
    middles = points.mean(axis=2)
    step = aligned[:-1] @ aligned[1:].inverse()
    turn = np.mod(step.angle + np.pi, 2.0 * np.pi) - np.pi
    origin = aligned.apply(middles)[..., [0, 2]].mean(axis=1)
    moved = Planar(turn, step.x, step.z).mean(rows[1:], origin[1:])
    moves = accumulated(aligned[0, 0].inverse(), moved)[:, None] @ aligned
    placed = moves[:, :, None].apply(points)
    blended = np.einsum("tk,tkpc->tpc", rows, placed)
    return Markers(clips[0].labels, blended, rate, name="blend")
