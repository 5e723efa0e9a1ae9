"""Feet in the air, lifted over what they would go through."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from motionweave.contacts.clean.banded import BandedLeastSquares
from motionweave.contacts.clean.footing import near
from motionweave.core.arrays import Array, BoolArray

# Seconds: the time scale of lifts, that in which they follow an edge at first, and how far they
# begin before it.
_WIDE, _EDGE, _LEADING = 0.15, 0.03, 0.4
# Leg lengths per square second by which a foot that leaves the floor is lifted at most.
_FASTEST = 15.0
_ROUNDS = 12


@dataclass(frozen=True)
class Clearance:
    """How low a foot may be in the air.

    Parameters
    ----------
    lowest
        ``(T,)`` heights of its ankle at which heel and toe just clear the ground.
    standing
        ``(T,)`` whether it stands.
    size
        Leg length.
    """

    lowest: Array
    standing: BoolArray
    size: float
    fps: float

    def lift(self, heights: Array, allowed: Array | None = None) -> Array:
        """Smooth lifts ``(T,)`` of an ankle at ``heights`` ``(T,)``, 0 in stances.

        At least as much as the foot is too low, or as it is below heights that are ``allowed``
        ``(T,)`` however low they are.
        """
        least = self.lowest if allowed is None else np.minimum(self.lowest, allowed)
        # What there may be of a lift at all, from and to the next stance.
        most = _FASTEST * self.size * (frames_from(self.standing) / self.fps) ** 2
        sunk = np.minimum(least - heights, most)
        active = (sunk > 0.0) & ~self.standing
        lift = np.zeros(len(sunk))
        if not active.any():
            return lift
        free = near(active, round(_LEADING * self.fps)) & ~self.standing
        width = max(_WIDE * self.fps, 1.0)
        plain = BandedLeastSquares(len(sunk), 1)
        plain.add_smoothness(width)
        # By multipliers: each round pulls further where the lift before was not enough, and lets go
        # where it was too much, so that only what really obstructs the foot bends its way.
        pull = np.zeros(len(sunk))
        weight = (width / max(_EDGE * self.fps, 1.0)) ** 4
        for _ in range(_ROUNDS):
            pull = np.where(self.standing, 0.0, np.maximum(pull + sunk - lift, 0.0))
            rows = plain.copy()
            rows.add_change((1.0,), weight * (pull > 0.0)[:, None], (sunk + pull)[:, None])
            lift = rows.solve(free)[:, 0]
        return lift


def frames_from(standing: BoolArray) -> Array:
    """Frames ``(T,)`` from and to the nearest in which a foot stands, infinite if none."""
    frames = np.flatnonzero(standing)
    if len(frames) == 0:
        return np.full(len(standing), np.inf)
    every = np.arange(len(standing))
    after = np.searchsorted(frames, every).clip(0, len(frames) - 1)
    before = np.maximum(after - 1, 0)
    return np.minimum(np.abs(frames[after] - every), np.abs(frames[before] - every)) * 1.0
