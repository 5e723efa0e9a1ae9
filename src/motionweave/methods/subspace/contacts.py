"""Contacts across a transition: which feet really stay where they are.

A foot that stands in both clips is told to stand all the way between them. Where the
clips stand differently it cannot: it has to move over, and is held only where it is
still near one of its places.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from motionweave.core.arrays import Array
from motionweave.core.constraints import Constraint


def steady(
    contact: Constraint, points: Array, start: int, end: int, near: float, gap: int
) -> list[Constraint]:
    """What is left of a contact if the foot may not be dragged.

    Parameters
    ----------
    contact
        In frames of the joined motion.
    points
        ``(T, 3)`` places of the heel or toe in that motion.
    start, end
        Frames between which the transition lies.
    near
        How far a foot may be from its place and still count as standing there.
    gap
        Frames that it takes at least to move a foot.
    """
    frames = np.arange(max(int(np.ceil(contact.start)), start), min(int(contact.end), end) + 1)
    if len(frames) == 0:
        return [contact]
    places = points[frames][:, [0, 2]]
    from_first = np.linalg.norm(places - places[0], axis=1)
    from_last = np.linalg.norm(places - places[-1], axis=1)
    if max(from_first.max(), from_last.max()) <= near:
        return [contact]
    # How many frames the foot stays where it was, and how many it is where it will be.
    stays = _leading(from_first <= near)
    waits = _leading(from_last[::-1] <= near)
    spare = len(frames) - stays - waits
    if spare < gap:
        less = -(-(gap - spare) // 2)
        stays, waits = max(stays - less, 1), max(waits - less, 1)
    parts = []
    # A contact that begins or ends within the transition has no place of its own there.
    if contact.start <= start:
        parts.append(replace(contact, end=float(frames[stays - 1])))
    if contact.end >= end:
        parts.append(replace(contact, start=float(frames[-waits])))
    return [part for part in parts if part.start <= part.end]


def _leading(mask: NDArray[np.bool_]) -> int:
    """How many of the first values are true without a break."""
    return len(mask) if mask.all() else int(np.argmin(mask))
