"""The result of a clip's recipe: a body over time and the plants of its feet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from motionweave.core.arrays import Array
from motionweave.core.constraints import Constraint
from motionweave.core.motion import Motion
from motionweave.samples.body import KeyedBody
from motionweave.samples.feet import Footprint, contacts


@dataclass(frozen=True)
class Take:
    """A performance at a frame rate.

    Parameters
    ----------
    fps
        Frames per second.
    body
        What is keyed, frame by frame.
    plants
        Plants of ``"Left"`` and ``"Right"`` foot, in order of time.
    """

    fps: float
    body: KeyedBody
    plants: Mapping[str, Sequence[Footprint]]

    def motion(self, name: str) -> Motion:
        """The clip with its true contacts."""
        frames = len(self.body.pelvis)
        return self.body.motion(self.fps, name, foot_constraints(self.plants, self.fps, frames))


def frame_times(duration: float, fps: float) -> Array:
    """Seconds ``(T,)`` of the frames that fit into a duration, first at 0."""
    return np.asarray(np.arange(int(np.floor(duration * fps + 1e-6)) + 1) / fps)


def foot_constraints(
    plants: Mapping[str, Sequence[Footprint]], fps: float, frames: int
) -> tuple[Constraint, ...]:
    """Plants as constraints in frames of a clip that is ``frames`` long."""
    result = []
    for side, row in plants.items():
        for part, spans in contacts(row).items():
            for start, end in spans:
                first, last = max(start * fps, 0.0), min(end * fps, frames - 1.0)
                if first <= last:
                    result.append(Constraint(first, last, f"{side.lower()}_{part}"))
    return tuple(sorted(result))
