"""Queries on the joint tree for finding roles."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from motionweave.core.skeleton import Skeleton

# Bones of a left and a right limb differ by less than this ratio.
_AS_LONG = 0.7


def depths(skeleton: Skeleton) -> list[int]:
    """How many joints lie above each joint."""
    depth = [0] * len(skeleton)
    for joint, parent in enumerate(skeleton.parents[1:], start=1):
        depth[joint] = depth[parent] + 1
    return depth


def is_above(skeleton: Skeleton, above: int, below: int) -> bool:
    """Whether one joint is a proper ancestor of another."""
    return above != below and bool(chain(skeleton, above, below))


def chain(skeleton: Skeleton, above: int, below: int) -> tuple[int, ...]:
    """Joints from one down to the other, empty if the first is not above the second."""
    path = [below]
    while path[-1] != above:
        parent = int(skeleton.parents[path[-1]])
        if parent < 0:
            return ()
        path.append(parent)
    return tuple(reversed(path))


def meeting(skeleton: Skeleton, joints: Sequence[int]) -> int:
    """The lowest joint that is above all of these."""
    depth = depths(skeleton)
    common = set(chain(skeleton, 0, joints[0])[:-1])
    for joint in joints[1:]:
        common &= set(chain(skeleton, 0, joint))
    return max(common, key=lambda joint: depth[joint]) if common else 0


def counterpart(skeleton: Skeleton, joint: int, branch: int, other: int) -> int | None:
    """The joint that has the same place below ``other`` as ``joint`` below ``branch``.

    None if the tree differs there, or if its bone is not about as long.
    """
    path = chain(skeleton, branch, joint)
    found = other
    for above, below in pairwise(path):
        children = skeleton.children[found]
        place = skeleton.children[above].index(below)
        if place >= len(children):
            return None
        found = children[place]
    lengths = sorted(float(np.linalg.norm(skeleton.offsets[one])) for one in (joint, found))
    return found if lengths[0] >= _AS_LONG * lengths[1] else None


def next_joint(skeleton: Skeleton, joint: int) -> int | None:
    """The next joint down the limb that is at another place: the farthest child.

    Of several at one place, such as all fingers of a hand at the wrist, the one that leads
    farthest, so that it is the same on both sides.
    """
    rest = skeleton.rest_positions
    near = 1e-3 * skeleton.height
    candidates = list(skeleton.children[joint])
    found: dict[int, float] = {}
    while candidates:
        child = candidates.pop()
        away = float(np.linalg.norm(rest[child] - rest[joint]))
        if away > near:
            found[child] = away
        else:
            candidates.extend(skeleton.children[child])
    if not found:
        return None
    ends = [child for child, away in found.items() if away >= max(found.values()) - near]
    reach = _reaches(skeleton) if len(ends) > 1 else [0.0] * len(skeleton)
    return max(ends, key=lambda child: (reach[child], -child))


def _reaches(skeleton: Skeleton) -> list[float]:
    """Length of the longest chain of bones below each joint."""
    bones = np.linalg.norm(skeleton.offsets, axis=1).tolist()
    reach = [0.0] * len(skeleton)
    for joint in range(len(skeleton) - 1, 0, -1):
        parent = int(skeleton.parents[joint])
        reach[parent] = max(reach[parent], reach[joint] + bones[joint])
    return reach


def most_between(skeleton: Skeleton, upper: int, between: Sequence[int], last: int) -> int:
    """Of the joints of a limb the one that divides it best: the knee or elbow."""
    rest = skeleton.rest_positions

    def nearer_end(joint: int) -> float:
        return float(
            min(
                np.linalg.norm(rest[joint] - rest[upper]),
                np.linalg.norm(rest[joint] - rest[last]),
            )
        )

    return max(between, key=nearer_end)
