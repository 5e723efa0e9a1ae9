"""Linear blending: the paper's baseline (Section 2), for comparison.

The i-th frame is the plain average of the i-th frames. It fails for motions whose events happen at
different times, or that travel in different directions; that is what it is there to show.
"""

from __future__ import annotations

from types import MappingProxyType

import numpy as np

from motionweave.core.motion import Motion
from motionweave.core.planar import Planar
from motionweave.errors import BlendError
from motionweave.methods.blending.clips import ClipStack
from motionweave.methods.blending.weights import Weights, normalized


def linear_blend(
    motions: tuple[Motion, ...], weights: Weights, *, fps: float | None = None
) -> Motion:
    """Average motions frame by frame at equal times, for as long as the shortest lasts.

    Parameters
    ----------
    motions
        k motions of one skeleton.
    weights
        ``(k,)``, ``(T, k)`` or a function of the time, as for `blend`.
    fps
        Frame rate of the result, the first motion's by default.
    """
    rate = motions[0].fps if fps is None else float(fps)
    if not (np.isfinite(rate) and rate > 0):
        raise BlendError(f"frame rate {fps}: expected a positive number")
    count = int(np.floor(min(m.duration for m in motions) * rate + 1e-6)) + 1
    if callable(weights):
        rows = normalized(np.array([weights(i / rate) for i in range(count)]), len(motions))
    else:
        rows = normalized(weights, len(motions))
        rows = np.tile(rows, (count, 1)) if rows.ndim == 1 else rows[:count]
    frames = np.arange(len(rows))[:, None] * np.array([m.fps / rate for m in motions])
    stack = ClipStack.of(motions)
    root, turned, slides = stack.average(frames, rows, Planar(np.zeros(frames.shape)))
    return Motion(
        skeleton=stack.skeleton,
        fps=rate,
        root=root,
        rotations=turned,
        translations=None if stack.translations is None else slides,
        name="linear blend of " + ", ".join(m.name or "a clip" for m in motions),
        source=MappingProxyType(dict(motions[0].source)),
        carrier=motions[0].carrier,
    )
