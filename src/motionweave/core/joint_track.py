"""One joint of a motion: what ``motion["left_hand"]`` gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import motionweave
from motionweave.core.arrays import Array
from motionweave.core.checks import did_you_mean
from motionweave.errors import RigError

if TYPE_CHECKING:
    from motionweave.core.motion import Motion


@dataclass(frozen=True, eq=False)
class JointTrack:
    """One joint of a motion over its T frames.

    Parameters
    ----------
    name, joint
        What the skeleton calls it, and its index there.
    positions
        ``(T, 3)`` global positions.
    orientations, rotations
        ``(T, 4)`` global orientations and local rotations, unit quaternions xyzw.

    Examples
    --------
    >>> import motionweave as mw
    >>> mw.sample("walk")["left_hand"]
    <JointTrack 'LeftHand': 93 frames>
    """

    name: str
    joint: int
    positions: Array
    orientations: Array
    rotations: Array

    @classmethod
    def of(cls, motion: Motion, name: str) -> JointTrack:
        """The joint of a ``motion`` that has a ``name``, or else a role of that name.

        Raises
        ------
        RigError
            If there is none; the message suggests names and roles that are spelt alike.
        """
        skeleton = motion.skeleton
        if name in skeleton.names:
            joint = skeleton.index(name)
        else:
            known = motionweave.find_rig(skeleton).roles
            if name not in known:
                hint = did_you_mean(name, [*skeleton.names, *known])
                raise RigError(f"the skeleton has no joint or role {name!r}{hint}")
            joint = known[name]
        positions, orientations = motion.forward()
        return cls(
            skeleton.names[joint],
            joint,
            positions[:, joint],
            orientations[:, joint],
            motion.rotations[:, joint],
        )

    def __len__(self) -> int:
        return len(self.positions)

    def __repr__(self) -> str:
        return f"<JointTrack {self.name!r}: {len(self)} frames>"
