"""Feet in the air that pass an edge sooner, later or beside it, instead of jumping over it.

On the way down a foot is above the tread behind it until its heel has passed the edge: if that is
just before it lands, it has to drop. People swing the foot out first and lower it then; on the way
up they lift it first. And a foot that grazes the corner of a tread takes a way around it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from motionweave.core.arrays import Array, BoolArray
from motionweave.core.intervals import runs

# Leg lengths that a foot is led aside, and in how many directions.
_ASIDE, _DIRECTIONS = (0.04, 0.08, 0.12, 0.16, 0.2), 12
# When in a swing the detour is widest, as powers of the time since it began and until it ends.
_SHAPES = ((2, 2), (4, 2), (2, 4))
_FINE: Array = np.linspace(0.0, 1.0, 65)
# Cost of acceleration over the floor, relative to that of a lift.
_LEVEL = 0.2
# Leg lengths of a lift that needs no detour.
_SLIGHT = 0.03
# Seconds that are always left for a lift.
_REST = 0.02
# Moments per second at which the way is looked at.
_OFTEN = 60.0


def detour(
    low: Callable[[Array, Array], Array], standing: BoolArray, size: float, fps: float
) -> Array:
    """How far ``(T, 3)`` a foot is led aside over the floor, 0 in stances.

    Each swing has the detour for which lifting the foot over the ground, together with the detour,
    accelerates it least.

    Parameters
    ----------
    low
        For moments ``(m,)`` in frames and displacements ``(n, m, 3)`` then: by how much the foot
        would be too low ``(n, m)``.
    standing
        ``(T,)`` whether the foot stands.
    size
        Leg length.
    """
    aside = np.zeros((len(standing), 3))
    ways = size * _ways()
    for first, last in runs(~standing):
        moments = np.linspace(first, last, 2 + round((last - first) / fps * _OFTEN))
        here = low(moments, np.zeros((1, len(moments), 3)))
        if here.max() < _SLIGHT * size:
            continue
        # How sudden a lift is: from rest to rest, but nothing is at rest at the ends of the clip.
        since, until = (moments - first) / fps + _REST, (last - moments) / fps + _REST
        sudden = ((first > 0) / since + (last < len(standing) - 1) / until) ** 2
        swing = last - first + 2.0
        moves = ways[:, None, None] * _shapes((moments - first + 1.0) / swing)[..., None]
        lifts = low(moments, moves.reshape(-1, len(moments), 3)) - _SLIGHT * size
        cost = (np.maximum(lifts, 0.0) * sudden).max(axis=1).reshape(len(ways), -1)
        bends = np.abs(np.diff(_shapes(_FINE), 2)).max(axis=1) / (_FINE[1] * swing / fps) ** 2
        cost += _LEVEL * np.linalg.norm(ways, axis=1)[:, None] * bends
        way, shape = np.unravel_index(np.argmin(cost), cost.shape)
        share = np.arange(1.0, swing) / swing
        aside[first : last + 1] = ways[way] * _shapes(share)[shape, :, None]
    return aside


def _ways() -> Array:
    """Where ``(n, 3)`` a foot may be led, in leg lengths, the first of them nowhere."""
    angles = np.arange(_DIRECTIONS) * (2.0 * np.pi / _DIRECTIONS)
    around = np.stack([np.sin(angles), np.zeros(_DIRECTIONS), np.cos(angles)], axis=-1)
    return np.concatenate([np.zeros((1, 3)), np.multiply.outer(_ASIDE, around).reshape(-1, 3)])


def _shapes(share: Array) -> Array:
    """How much ``(k, m)`` of a detour there is at shares ``(m,)`` of a swing, at most 1."""
    peaks = [(a / (a + b)) ** a * (b / (a + b)) ** b for a, b in _SHAPES]
    return np.array(
        [share**a * (1.0 - share) ** b / peak for (a, b), peak in zip(_SHAPES, peaks, strict=True)]
    )
