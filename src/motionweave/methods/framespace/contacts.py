"""Contacts of a mixture of clips, from the contacts of the clips."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionweave.body.rig.roles import find_rig, leg_length
from motionweave.body.soles import contact_points
from motionweave.core import constraints as constraint_tools
from motionweave.core.arrays import Array, BoolArray
from motionweave.core.constraints import FOOT_KINDS, Constraint
from motionweave.core.intervals import not_negative
from motionweave.core.motion import Motion
from motionweave.methods.framespace.basis import FAR, Basis

# Seconds that a contact of a mixture lasts at least, and its absence.
_FLICKER = 0.1
# A foot faster than this, in leg lengths per second, is not planted, whatever the clips say.
_MOST_SPEED = 0.4


def blended_contacts(
    bases: Sequence[Basis], phases: Array, weights: Array, motion: Motion
) -> tuple[Constraint, ...]:
    """When contacts hold in a mixture: where, by weight, the clips are inside one.

    Each clip gives its distance from the contact's beginning or end; where the clips'
    contacts overlap, the mixture's begins and ends at the mean of theirs. A clip with all the
    weight passes on its contacts unchanged; a foot on which two clips disagree is planted only if
    it really stays.

    Parameters
    ----------
    bases
        k clips.
    phases, weights
        ``(n, k)`` where each clip is, and how much it counts.
    motion
        The mixture, n frames.
    """
    alone = weights.max(axis=1) >= 1.0
    speeds = _foot_speeds(motion, ~alone)
    found: list[Constraint] = []
    for kind in constraint_tools.kinds(c for basis in bases for c in basis.motion.constraints):
        sure = np.stack([b.contact(kind, p) for b, p in zip(bases, phases.T, strict=True)], axis=1)
        signed = np.sum(weights * sure, axis=1)
        if kind in speeds:
            staying = FAR * (1.0 - speeds[kind] / _MOST_SPEED)
            signed = np.where(alone, signed, np.minimum(signed, staying))
        spans = _without_flicker(not_negative(signed), alone, _FLICKER * motion.fps)
        found += [Constraint(start, end, kind) for start, end in spans]
    return tuple(sorted(found))


def _foot_speeds(motion: Motion, wanted: BoolArray) -> dict[str, Array]:
    """Speeds over the floor ``(n,)`` of heels and toes, in leg lengths per second, from the first
    to the last frame in which they are ``wanted`` ``(n,)``; elsewhere zero."""
    roles = [f"{side}_{part}" for side in ("left", "right") for part in ("thigh", "shin", "ankle")]
    if len(motion) < 3 or not find_rig(motion.skeleton).has(*roles):
        return {}
    speeds = np.zeros((len(FOOT_KINDS), len(motion)))
    among = np.flatnonzero(wanted)
    if len(among):
        # With a frame on either side, on which the speeds of the first and the last depend.
        first, stop = max(int(among[0]) - 1, 0), int(among[-1]) + 2
        pose = motion.forward(slice(first, stop))
        points = contact_points(motion, pose=pose)
        paths = np.stack([points[kind] for kind in FOOT_KINDS])[..., [0, 2]]
        steps = np.gradient(paths, axis=1)
        lengths = np.sqrt(np.einsum("ktc,ktc->kt", steps, steps))
        speeds[:, first:stop] = lengths * (motion.fps / leg_length(motion.skeleton))
    return dict(zip(FOOT_KINDS, speeds, strict=True))


def _without_flicker(
    spans: Sequence[tuple[float, float]], alone: BoolArray, least: float
) -> list[tuple[float, float]]:
    """Contacts without gaps and contacts shorter than ``least`` frames.

    Where clips disagree about a contact, their mixture may flicker. Contacts of a clip with all the
    weight are left alone.
    """

    def mixed(start: float, end: float) -> bool:
        return not alone[int(np.floor(start)) : int(np.ceil(end)) + 1].any()

    kept: list[tuple[float, float]] = []
    for start, end in spans:
        if kept and start - kept[-1][1] < least and mixed(kept[-1][1], start):
            kept[-1] = (kept[-1][0], end)
        else:
            kept.append((start, end))
    return [(start, end) for start, end in kept if end - start >= least or not mixed(start, end)]
