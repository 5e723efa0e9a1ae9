"""What a file has above and beside the pelvis: the carrier of a body.

The root of a file can be anything: a static scene root, a bone on the floor, an armature that moves
as a whole. Internally, the root of every motion is its pelvis; the carrier keeps the rest, so that
a file can be written as it was. `body.normalize.pelvis` removes and restores it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from motionweave.core.arrays import IntArray

if TYPE_CHECKING:
    from motionweave.core.motion import Motion

# A carrier never moves, follows the body on the floor, or moves in some other way.
STILL, FLOOR, ANIMATED = "still", "floor", "animated"


@dataclass(frozen=True, eq=False)
class Carrier:
    """The joints of a file that are not part of the body, and how they moved.

    Parameters
    ----------
    motion
        All joints above and beside the pelvis, and the pelvis itself, as in the file. It
        has a frame for each frame of the body while the two are in step; a method that
        makes a new motion leaves the carrier as it was recorded, and it is fitted to the
        new motion when that is written.
    pelvis
        Which joint of it is the pelvis.
    kind
        ``"still"``, ``"floor"`` or ``"animated"``: how the carrier of a new motion behaves.
    joints
        ``(K,)`` place of each joint of ``motion`` among the joints of the file; the body's
        joints have the places between, in their order.
    ends
        ``(E,)`` the same for the end sites.
    """

    motion: Motion
    pelvis: int
    kind: str
    joints: IntArray
    ends: IntArray

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the joints above and beside the pelvis."""
        names = self.motion.skeleton.names
        return (*names[: self.pelvis], *names[self.pelvis + 1 :])

    def in_step(self, frames: int) -> bool:
        """Whether it has a frame for each of this many frames of a body."""
        return len(self.motion) == frames

    def changed(self, frames: int, change: Callable[[Motion], Motion]) -> Carrier:
        """The carrier after the same operation as on a body of this many frames, if it is in
        step."""
        return replace(self, motion=change(self.motion)) if self.in_step(frames) else self
