"""Changes that fade out towards frames that must not change."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from motionweave.core import rotations
from motionweave.core.motion import Motion
from motionweave.core.numerics.curves import smoothstep


def inside(motion: Motion, changed: Motion, first: float, last: float, ease: float) -> Motion:
    """A motion with what was changed between two frames alone.

    Parameters
    ----------
    motion, changed
        Of the same frames.
    first, last
        Frames up to which and from which on the motion stays as it is.
    ease
        Seconds within these over which the change grows and fades.
    """
    frames = np.arange(len(motion), dtype=float)
    span = max(ease * motion.fps, 1.0)
    share = smoothstep((frames - first) / span) * smoothstep((last - frames) / span)
    return replace(
        motion,
        root=motion.root + share[:, None] * (changed.root - motion.root),
        rotations=rotations.slerp(motion.rotations, changed.rotations, share[:, None]),
    )
