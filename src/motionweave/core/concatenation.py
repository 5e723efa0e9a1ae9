"""Concatenated clips: their frames, contacts and carriers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from motionweave.core.arrays import sealed
from motionweave.core.carrier import Carrier
from motionweave.core.constraints import Constraint
from motionweave.core.motion import Motion, checked, local_translations
from motionweave.errors import MotionError, RigError


def concatenate(motions: Sequence[Motion]) -> Motion:
    """Clips one after another, without any alignment or smoothing.

    Parameters
    ----------
    motions
        Clips of one skeleton and one frame rate.

    Returns
    -------
    Motion
        All frames of all clips, with their contacts.

    Raises
    ------
    RigError, MotionError
        If skeletons or frame rates differ.

    Examples
    --------
    >>> import motionweave as mw
    >>> walk = mw.sample("walk")
    >>> mw.concatenate([walk[:30], walk[30:]]).fingerprint == walk.fingerprint
    True
    """
    motions = [checked(motion) for motion in motions]
    if not motions:
        raise MotionError("concatenate: expected one motion or more, and got none")
    first = motions[0]
    parts: list[Constraint] = []
    start = 0
    for motion in motions:
        if motion.skeleton != first.skeleton:
            how = first.skeleton.difference(motion.skeleton) or "different bone lengths"
            raise RigError(f"clips of different skeletons cannot be concatenated: {how}")
        if abs(motion.fps - first.fps) > 1e-6 * first.fps:
            raise MotionError(
                f"clips of {first.fps:g} and {motion.fps:g} frames per second cannot be "
                "concatenated; resample() one of them"
            )
        parts.extend(c.shifted(start) for c in motion.constraints)
        start += len(motion)
    sliding = [m.translations is not None for m in motions]
    return replace(
        first,
        root=sealed(np.concatenate([m.root for m in motions])),
        rotations=sealed(np.concatenate([m.rotations for m in motions])),
        translations=sealed(np.concatenate([local_translations(m) for m in motions]))
        if any(sliding)
        else None,
        constraints=tuple(parts),
        carrier=_followed([m.carrier for m in motions], [len(m) for m in motions], first.fps),
    )


def _followed(
    carriers: Sequence[Carrier | None], frames: Sequence[int], fps: float
) -> Carrier | None:
    """The carrier of concatenated clips: theirs in turn if they match, otherwise the first's.

    Parameters
    ----------
    carriers, frames
        One carrier and one number of frames for each clip.
    fps
        Frame rate of the clips.
    """
    first = carriers[0]
    if first is None:
        return None
    parts = []
    for carrier, count in zip(carriers, frames, strict=True):
        if (
            carrier is None
            or not carrier.in_step(count)
            or carrier.kind != first.kind
            or carrier.motion.skeleton != first.motion.skeleton
            or not np.array_equal(carrier.joints, first.joints)
        ):
            return first
        parts.append(replace(carrier.motion, fps=fps))
    return replace(first, motion=concatenate(parts))
