"""Bring clips to one floor, and put given ground under a clip.

Actors on one skeleton are often recorded, or exported, with floors a few centimetres apart.
Combined as they are, one would sink into the floor of the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from motionweave.body.ground import Ground
from motionweave.body.heading import facing
from motionweave.body.size import leg_length
from motionweave.body.soles import has_feet
from motionweave.body.tpose import starts_in_tpose
from motionweave.contacts.detect import estimate_floor
from motionweave.core.motion import Motion
from motionweave.core.planar import Planar

# In leg lengths: floors that differ by less are the same within the estimate's accuracy ...
_SAME = 0.02
# ... and those that differ by more are intended: steps, platforms, a body that only lies.
_MEANT = 0.06
# Seconds over which the body's direction in the beginning is averaged.
_START = 1.0


def on_one_floor(motions: Sequence[Motion]) -> tuple[Motion, ...]:
    """The clips with the floors of all at the height of the first one's.

    Parameters
    ----------
    motions
        Clips to be combined. The first is not changed, nor are clips without feet, on
        slopes, and on floors that are the same or too different to be a matter of
        calibration.

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
    >>> raised = replace(jog, root=jog.root + [0.0, 0.03, 0.0])
    >>> bool(abs(on_one_floor([walk, raised])[1].root - jog.root).max() < 1e-6)
    True
    """
    if len(motions) < 2 or not has_feet(motions[0].skeleton):
        return tuple(motions)
    first = _level(motions[0])
    return (motions[0], *(_moved(motion, first) for motion in motions[1:]))


def _level(motion: Motion) -> float | None:
    """Height of a level floor in leg lengths, or None."""
    floor = estimate_floor(motion)
    return floor.height / leg_length(motion.skeleton) if floor.tilt == 0.0 else None


def _moved(motion: Motion, wanted: float | None) -> Motion:
    level = _level(motion) if wanted is not None and has_feet(motion.skeleton) else None
    if wanted is None or level is None or not _SAME < abs(level - wanted) < _MEANT:
        return motion
    rise = (wanted - level) * leg_length(motion.skeleton)
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
    first = int(starts_in_tpose(motion))
    place = motion.root[first]
    until = first + max(round(_START * motion.fps), 1)
    ahead = float(facing(motion)[first:until].mean())
    floor = float(estimate_floor(motion).at(place)) if ground.axes == "body" else 0.0
    start = Planar(ahead, float(place[0]), float(place[2]))
    return ground.placed(start, floor, leg_length(motion.skeleton))
