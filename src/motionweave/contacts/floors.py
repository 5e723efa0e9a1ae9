"""Bring clips to one floor, and put given ground under a clip.

Actors on one skeleton are often recorded with floors a few centimetres apart, or exported with
different origins. Combined as they are, one would sink into the floor of the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from motionweave.body.ground import Ground
from motionweave.body.pose.heading import facing
from motionweave.body.pose.tpose import tpose_frames
from motionweave.body.rig.roles import leg_length
from motionweave.body.soles import has_feet
from motionweave.contacts.detect import detect_contacts, estimate_floor
from motionweave.core.constraints import FOOT_KINDS
from motionweave.core.intervals import covered
from motionweave.core.motion import Motion
from motionweave.core.numerics.quantiles import median
from motionweave.core.planar import Planar

# In leg lengths: floors that differ by less are the same within the estimate's accuracy ...
_SAME = 0.02
# ... and those that differ by more are known well enough only if the body stands on them: its hips
# are this high above the floor, and its feet stand on it for this share of the time, or more.
_ALIKE = 0.06
_UPRIGHT, _STANDING = 0.6, 0.25
# Radians: the floor of a recording that slopes by more is a ramp, and has no one height.
_RAMP = np.radians(3.0)
# Seconds over which the body's direction in the beginning is averaged.
_START = 1.0


def on_one_floor(motions: Sequence[Motion]) -> tuple[Motion, ...]:
    """The clips with the floors of all at the height of the first one's.

    Parameters
    ----------
    motions
        Clips to be combined. The first is not changed, nor are clips without feet, on ramps,
        and on the same floor. A floor far above or below the first one's counts only if the bodies
        in both clips stand on theirs: where somebody lies, feet say little about the floor.

    Returns
    -------
    tuple
        As many motions, those on another floor raised or lowered as a whole.

    Examples
    --------
    >>> import motionweave as mw
    >>> from dataclasses import replace
    >>> from motionweave.contacts.floors import on_one_floor
    >>> walk, jog = mw.sample("walk"), mw.sample("jog")
    >>> raised = replace(jog, root=jog.root + [0.0, 0.5, 0.0])
    >>> bool(abs(on_one_floor([walk, raised])[1].root - jog.root).max() < 1e-6)
    True
    """
    if len(motions) < 2 or not has_feet(motions[0].skeleton):
        return tuple(motions)
    first = _Level.of(motions[0])
    return (motions[0], *(_moved(motion, first) for motion in motions[1:]))


class _Level(NamedTuple):
    """How high the floor of a clip is, in leg lengths, and whether the body stands on it."""

    height: float
    stood_on: bool

    @classmethod
    def of(cls, motion: Motion) -> _Level | None:
        """The level of a clip's floor; None on a ramp."""
        floor, size = estimate_floor(motion), leg_length(motion.skeleton)
        if floor.tilt > _RAMP:
            return None
        upright = float(median(floor.above(motion.root))) > _UPRIGHT * size
        contacts = motion.constraints or detect_contacts(motion)
        held = ((c.start, c.end) for c in contacts if c.kind in FOOT_KINDS)
        standing = covered(held, np.arange(len(motion)))
        height = float(floor.at(motion.root.mean(axis=0))) / size
        return cls(height, upright and float(standing.mean()) > _STANDING)


def _moved(motion: Motion, wanted: _Level | None) -> Motion:
    level = _Level.of(motion) if wanted is not None and has_feet(motion.skeleton) else None
    if wanted is None or level is None:
        return motion
    higher = wanted.height - level.height
    known = abs(higher) < _ALIKE or (wanted.stood_on and level.stood_on)
    if abs(higher) <= _SAME or not known:
        return motion
    rise = higher * leg_length(motion.skeleton)
    return replace(motion, root=motion.root + np.array([0.0, rise, 0.0]))


def ground_under(ground: Ground, motion: Motion) -> Ground:
    """Ground in the world's axes and in the unit of a clip.

    Parameters
    ----------
    ground
        As a user gives it.
    motion
        The clip. Ground in the axes of its body begins where it stands in the first frame,
        faces as it does in the first second, and is measured from its floor.

    Returns
    -------
    Ground
    """
    first = tpose_frames(motion)
    place = motion.root[first]
    until = first + max(round(_START * motion.fps), 1)
    ahead = float(facing(motion)[first:until].mean())
    floor = float(estimate_floor(motion).at(place)) if ground.axes == "body" else 0.0
    start = Planar(ahead, float(place[0]), float(place[2]))
    return ground.placed(start, floor, leg_length(motion.skeleton))
