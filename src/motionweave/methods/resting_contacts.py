"""Contacts of an averaged motion, cut to the frames in which the foot really rests.

Where clips disagree on when a foot comes down, the mean of their times (Section 5.3 of Kovar &
Gleicher) is where it stands in one clip and is still in the air in the other. The average of the
two is in the air as well: planting it there would pull it back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from motionweave.body.soles import has_feet
from motionweave.core.arrays import Array, BoolArray
from motionweave.core.constraints import Constraint, clipped
from motionweave.core.intervals import runs
from motionweave.core.motion import Motion
from motionweave.measure.figures import Figures, figures, sole_tracks

# Leg lengths per second: a faster foot does not rest, unless it does so in a clip.
_RESTS = 1.0
# Seconds that a foot rests at least.
_SHORTEST = 0.05


def resting(result: Motion, clips: Sequence[Motion]) -> Motion:
    """The motion with foot contacts only where the feet are about as slow as planted ones.

    Parameters
    ----------
    result
        A mean of clips, with contacts.
    clips
        The clips, on the same skeleton. A contact may be as fast as the fastest of theirs, as
        on a treadmill.

    Returns
    -------
    Motion
        What moves faster is cut off a contact, or out of it.
    """
    clips = [clip for clip in clips if len(clip) >= 3]
    if len(result) < 3 or not clips or not has_feet(result.skeleton):
        return result
    rate = min(result.fps, *(clip.fps for clip in clips))
    fastest = max(_fastest(figures(clip, rate)) for clip in clips)
    speeds = {kind: speed[:-1] for kind, (_, speed) in sole_tracks(result).items()}
    return result.with_constraints(slow_parts(result.constraints, speeds, fastest, result.fps))


def slow_parts(
    contacts: Iterable[Constraint], speeds: Mapping[str, Array], fastest: float, fps: float
) -> list[Constraint]:
    """Contacts without the frames in which feet move.

    Parameters
    ----------
    contacts
        Of T frames. Those of kinds without speeds stay as they are.
    speeds
        ``(T - 1,)`` from frame to frame, in leg lengths per second, by kind.
    fastest
        The speed of the fastest planted point in the clips: so fast may a foot be that rests.
    fps
        Frames per second.
    """
    limit = max(_RESTS, fastest)
    kept: list[Constraint] = []
    for contact in contacts:
        if contact.kind in speeds:
            kept += _slow(contact, speeds[contact.kind] <= limit, fps)
        else:
            kept.append(contact)
    return kept


def _fastest(one: Figures) -> float:
    """The speed of the fastest planted point from a planted frame to the next."""
    speeds = [
        one.tracks[kind][1][:-1][held[:-1] & held[1:]].max(initial=0.0)
        for kind, held in one.planted.items()
    ]
    return float(max(speeds, default=0.0))


def _slow(contact: Constraint, slow: BoolArray, fps: float) -> list[Constraint]:
    """The parts of a contact whose steps, ``slow`` ``(T - 1,)`` from each frame on, are slow."""
    first, last = int(np.ceil(contact.start)), int(np.floor(contact.end))
    inside = slow[first:last]
    if inside.all():
        return [contact]
    parts = [(first + a, first + b + 1) for a, b in runs(inside)]
    # A contact that is slow up to its end reaches as far as it did.
    return [
        one
        for a, b in parts
        if b - a >= _SHORTEST * fps
        for one in clipped(
            [contact],
            contact.start if a == first else float(a),
            contact.end if b == last else float(b),
        )
    ]
