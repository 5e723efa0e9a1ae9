"""The result of a search: a stretch of a clip, and how it matches the example."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.library.features import RATE, ClipTrack
from motionweave.library.find import Stretch

if TYPE_CHECKING:
    from motionweave.library.library import Library


@dataclass(frozen=True, eq=False)
class Match:
    """A stretch of a clip that is similar to the example.

    Parameters
    ----------
    clip
        Path of the clip in the library.
    first, last
        Frames of the clip, in its own frame rate.
    distance
        Root mean square of all roles over the example, in leg lengths; through intermediaries, the
        largest from one to the next.
    path
        ``(n, 2)``: seconds into the example, and the matching frame of the clip.
    via
        Clips through which it was reached, if it is not similar to the example itself.
    """

    clip: str
    first: float
    last: float
    distance: float
    path: Array
    via: tuple[str, ...] = ()
    library: Any = field(default=None, repr=False)

    @classmethod
    def of(
        cls, library: Library, example: ClipTrack, stretch: Stretch, via: tuple[int, ...] = ()
    ) -> Match:
        """A match from what was found in the library's index."""
        index = library.index
        frames = np.array([index.frame(stretch.clip, sample) for sample in stretch.path])
        seconds = np.arange(len(example)) / RATE
        return cls(
            index.entries[stretch.clip].path,
            index.frame(stretch.clip, stretch.first),
            index.frame(stretch.clip, stretch.last),
            stretch.distance,
            np.column_stack([seconds, frames]),
            tuple(index.entries[number].path for number in via),
            library,
        )

    @classmethod
    def whole(cls, library: Library, number: int) -> Match:
        """A whole clip, found by words or measures."""
        entry = library.index.entries[number]
        last = entry.frames - 1.0
        path = np.array([[0.0, 0.0], [last / entry.fps, last]])
        return cls(entry.path, 0.0, last, 0.0, path, (), library)

    def load(self) -> Motion:
        """The stretch as a motion."""
        motion = self.library.load(self.clip)
        first, last = round(self.first), min(round(self.last), len(motion) - 1)
        return motion[first : last + 1]

    def overlaps(self, clip: str, first: float, last: float) -> bool:
        """Whether it is effectively these frames of that clip."""
        common = min(self.last, last) - max(self.first, first)
        return self.clip == clip and common > 0.4 * min(self.last - self.first, last - first)

    def __str__(self) -> str:
        through = f" through {' and '.join(self.via)}" if self.via else ""
        frames = f"{self.first:.0f} to {self.last:.0f}"
        return f"{self.clip} {frames}, distance {self.distance:.3f}{through}"
