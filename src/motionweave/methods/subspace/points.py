"""Points of the body at the two frames that a spline joins: how fast they are, and how hard they
accelerate at most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from motionweave.body.pose.tpose import tpose_frames
from motionweave.body.size import body_height
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.methods.subspace.poses import PoseCode

# Seconds between which the time is that poses need, and the share of its hardest acceleration
# in the clips that a point may have on the way.
_SHORTEST_NEED = 0.05
_LONGEST_NEED = 2.0
_ALLOWED = 0.5
# Poses and velocities agree if a cut from one to the other accelerates no point by more than
# this share of its hardest acceleration in the clips.
_SAME = 0.05
# The hardest acceleration counts as at least this, in body heights per frame squared.
_LEAST = 1e-4


@dataclass(frozen=True, eq=False)
class JoinedPoints:
    """The points of the body in two clips, seen from the body.

    Parameters
    ----------
    places
        ``(T, n, 3)`` of each clip.
    peaks
        ``(n,)`` the hardest that each point accelerates in either clip, per second squared.
    fps
        Frames per second.
    """

    places: tuple[Array, Array]
    peaks: Array
    fps: float

    @classmethod
    def of(cls, code: PoseCode, clips: Sequence[Motion], rows: Sequence[Array]) -> JoinedPoints:
        """The points of two clips whose frames are written as rows ``(T, F)``."""
        first, second = (code.places(part) for part in rows)
        fps = clips[0].fps
        least = _LEAST * body_height(clips[0].skeleton)
        peaks = []
        for clip, places in zip(clips, (first, second), strict=True):
            moving = places[tpose_frames(clip) :]
            bends = np.linalg.norm(np.diff(moving, n=2, axis=0), axis=-1)
            peaks.append(bends.max(axis=0, initial=least))
        return cls((first, second), np.maximum(*peaks) * fps**2, fps)

    def seconds(self, leave: int, enter: int) -> float:
        """The time that the body needs from a frame of the first clip to one of the second."""
        return seconds_needed(*self._at(leave, enter), self.peaks)

    def same(self, leave: int, enter: int) -> bool:
        """Whether one clip could be cut to the other: the same pose at the same velocity."""
        places, velocities = self._at(leave, enter)
        steps = np.linalg.norm(places[1] - places[0], axis=-1) * self.fps**2
        faster = np.linalg.norm(velocities[1] - velocities[0], axis=-1) * self.fps
        return bool(np.all(np.maximum(steps, faster) <= _SAME * self.peaks))

    def _at(self, leave: int, enter: int) -> tuple[Array, Array]:
        """Places and velocities ``(2, n, 3)`` at both frames."""
        velocities = []
        for places, at in zip(self.places, (leave, enter), strict=True):
            before, after = max(at - 1, 0), min(at + 1, len(places) - 1)
            rate = self.fps / max(after - before, 1)
            velocities.append((places[after] - places[before]) * rate)
        first, second = self.places
        return np.stack([first[leave], second[enter]]), np.stack(velocities)


def seconds_needed(places: Array, velocities: Array, peaks: Array) -> float:
    """Seconds that a body needs from one pose to another, given its velocities at both.

    Points that go from pose to pose along a cubic accelerate the harder the less time they
    have, and harder still if they have to come back to where they just were. The time is the
    shortest in which none accelerates much harder than it ever does in the clips.

    Parameters
    ----------
    places, velocities
        ``(2, n, 3)`` of the body's points at both ends, seen from the body; per second.
    peaks
        ``(n,)`` the hardest that each accelerates in the clips, per second squared.
    """
    times = np.geomspace(_SHORTEST_NEED, _LONGEST_NEED, 60)[:, None, None]
    way, (before, after) = places[1] - places[0], velocities
    first = (6.0 * way - (4.0 * before + 2.0 * after) * times) / times**2
    last = (-6.0 * way + (2.0 * before + 4.0 * after) * times) / times**2
    hardest = np.maximum(np.linalg.norm(first, axis=-1), np.linalg.norm(last, axis=-1))
    calm = np.all(hardest <= _ALLOWED * peaks, axis=1)
    return float(times[int(np.argmax(calm)), 0, 0] if calm.any() else _LONGEST_NEED)
