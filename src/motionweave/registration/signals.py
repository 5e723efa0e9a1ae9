"""Foot strikes as signals by which frames are compared, in addition to their points.

Poses alone match the strike of a jog, with the foot already below the body, with a moment of a walk
when that foot has long been planted. Contacts say when feet come down; frames in which the same
foot comes down are more similar. How long feet stand says little: walks have both down for a while
and runs none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from motionweave.core.arrays import Array
from motionweave.core.intervals import merged
from motionweave.core.motion import Motion
from motionweave.registration.clouds import PointClip

# Seconds before and after a strike in which its signal is not zero.
_SPREAD = 0.2


def with_strikes(points: Sequence[PointClip], motions: Sequence[Motion]) -> list[PointClip]:
    """The clips with a signal for every limb that has contacts in all of them."""
    limbs = sorted(set.intersection(*({limb_of(c.kind) for c in m.constraints} for m in motions)))
    return [
        replace(clip, signals=strike_signals(motion, limbs))
        for clip, motion in zip(points, motions, strict=True)
    ]


def strike_signals(motion: Motion, limbs: Sequence[str]) -> Array:
    """``(T, len(limbs))``: 1 where a limb comes down, falling to 0 on both sides."""
    spread, frames = _SPREAD * motion.fps, np.arange(len(motion))
    signals = np.zeros((len(motion), len(limbs)))
    for column, limb in enumerate(limbs):
        # Heel and toe of a foot are one limb: it strikes with what comes down first.
        held = ((c.start, c.end) for c in motion.constraints if limb_of(c.kind) == limb)
        # One that is down when the clip begins does not strike then.
        strikes = np.array([strike for strike, _ in merged(held) if strike > 0.0])
        if len(strikes):
            after = np.searchsorted(strikes, frames)
            nearest = np.minimum(
                np.abs(frames - strikes[np.maximum(after - 1, 0)]),
                np.abs(frames - strikes[np.minimum(after, len(strikes) - 1)]),
            )
            signals[:, column] = np.maximum(1.0 - nearest / spread, 0.0)
    return signals


@cache
def limb_of(kind: str) -> str:
    """The limb that a kind of contact belongs to: ``left_foot`` for heel and toe."""
    for part in ("_heel", "_toe"):
        if kind.endswith(part):
            return kind.removesuffix(part) + "_foot"
    return kind
