"""A fault that the self-check finds in a result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

FindingKind = Literal[
    "acceleration", "twist", "knee", "floor", "slide", "drift", "speed", "path", "contacts"
]

# How much deeper than in the clips a foot may be, in leg lengths: 3 cm on a body of 1.7 m.
DEPTH = 0.036


@dataclass(frozen=True)
class Finding:
    """One fault that the self-check found.

    Parameters
    ----------
    kind
        ``"acceleration"`` of a joint in space, ``"twist"`` of a joint about itself, ``"knee"`` for
        one that bends backwards, ``"floor"`` for feet or other parts of the body below it,
        ``"slide"`` for feet that slide, ``"drift"`` for feet that slide although they are planted,
        ``"speed"`` of the pelvis, ``"path"`` for the length of its path, ``"contacts"`` if they are
        lost.
    message
        What is wrong and where, in one sentence. The remedy depends on the method: see
        `motionweave.methods.finish.finish`.
    frame, joint
        Where it is worst; None if it does not concern a single one.
    value, limit
        The measured value and the limit that follows from the clips, in the same unit.
    elsewhere
        The same fault at other places, some seconds apart, the worst first; only for joints that
        accelerate or twist too hard.
    """

    kind: FindingKind
    message: str
    frame: int | None
    joint: str | None
    value: float
    limit: float
    elsewhere: tuple[Finding, ...] = ()

    @property
    def severity(self) -> float:
        """How bad it is: 1 at the limit, 2 for twice as much (for depth, twice as far below)."""
        if self.kind == "floor":
            return 1.0 + (self.value - self.limit) / DEPTH
        return self.value / self.limit if self.limit > 0.0 else np.inf

    def __str__(self) -> str:
        return self.message
