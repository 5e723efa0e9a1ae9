"""Where the upper body sits on the lower one, for halves that are blended separately.

A spine that bends against the pelvis keeps chest and head steady. Taken from another moment of the
cycle than the pelvis, it would shake them. So the upper body is blended with its orientation in the
world, and its lowest joints turn by whatever the pelvis underneath leaves to do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from motionweave.body.rig.roles import SIDES, find_rig
from motionweave.core import rotations as quat
from motionweave.core.arrays import Array
from motionweave.core.skeleton import Skeleton


@dataclass(frozen=True, eq=False)
class Trunk:
    """The joints of the upper body and how they are attached to the lower one.

    Parameters
    ----------
    upper
        Joints of the upper body: all but the hips, what is above them in the tree, and
        the legs.
    seats
        Those of them whose parent is of the lower body.
    chains
        For each seat the joints from the root to its parent.
    """

    upper: NDArray[np.intp]
    seats: tuple[int, ...]
    chains: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, skeleton: Skeleton) -> Trunk:
        """The halves of a skeleton; its rig must tell hips and thighs."""
        rig = find_rig(skeleton)
        hips = rig.joint("hips", "decoupled blending")
        stem = set(skeleton.chain(0, hips))
        legs: set[int] = set()
        for side in SIDES:
            thigh = rig.joint(f"{side}_thigh", "decoupled blending")
            legs |= set(skeleton.chain(hips, thigh)[1:])
        for joint, parent in enumerate(skeleton.parents):
            if int(parent) in legs:
                legs.add(joint)
        lower = stem | legs
        upper = [j for j in range(len(skeleton)) if j not in lower]
        seats = tuple(j for j in upper if int(skeleton.parents[j]) in lower)
        chains = tuple(skeleton.chain(0, int(skeleton.parents[j])) for j in seats)
        return cls(np.array(upper, dtype=np.intp), seats, chains)

    def upright(self, rotations: Array) -> Array:
        """Rotations ``(n, J, 4)`` with those of the seats as seen from the guide."""
        result = np.array(rotations)
        for seat, chain in zip(self.seats, self.chains, strict=True):
            result[:, seat] = quat.multiply(_along(rotations, chain), rotations[:, seat])
        return result

    def seated(self, rotations: Array) -> Array:
        """The inverse: rotations of the seats relative to their parents again."""
        result = np.array(rotations)
        for seat, chain in zip(self.seats, self.chains, strict=True):
            below = quat.inverse(_along(rotations, chain))
            result[:, seat] = quat.multiply(below, rotations[:, seat])
        return result


def _along(rotations: Array, chain: tuple[int, ...]) -> Array:
    """Orientations ``(n, 4)`` at the end of a chain of joints that starts at the root."""
    orientation = rotations[:, chain[0]]
    for joint in chain[1:]:
        orientation = quat.multiply(orientation, rotations[:, joint])
    return orientation
