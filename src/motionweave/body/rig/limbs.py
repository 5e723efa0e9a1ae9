"""Limbs as names tell of them: chains of joints, the other side, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from motionweave.body.rig.names import ARM_ROLES, LEG_ROLES
from motionweave.body.rig.override import SIDES
from motionweave.body.rig.tree import (
    chain,
    counterpart,
    is_above,
    meeting,
    most_between,
    next_joint,
)
from motionweave.core.skeleton import Skeleton


def each_limb() -> Iterator[tuple[str, ...]]:
    """The roles of each limb from the body outwards: legs and arms of one side, then the other."""
    for side in SIDES:
        for limb in (LEG_ROLES, ARM_ROLES):
            yield tuple(f"{side}_{role}" for role in limb)


def part_of(roles: Mapping[str, int], wanted: Iterable[str]) -> dict[str, int]:
    """Those of the ``roles`` that are ``wanted``, as far as they are known."""
    return {role: roles[role] for role in wanted if role in roles}


def checked_limb(
    skeleton: Skeleton, found: dict[str, int], limb: tuple[str, ...]
) -> dict[str, int]:
    """The limb with gaps filled if its joints really form a chain, otherwise nothing."""
    first = 0 if limb[0].endswith("thigh") else 1
    upper, middle, last = limb[first : first + 3]
    if sum(role in found for role in (upper, middle, last)) < 2:
        return {}
    if middle not in found:
        between = chain(skeleton, found[upper], found[last])[1:-1]
        if not between:
            return {}
        found[middle] = most_between(skeleton, found[upper], between, found[last])
    if upper not in found:
        parent = int(skeleton.parents[found[middle]])
        if parent < 0:
            return {}
        found[upper] = parent
    if last not in found:
        child = next_joint(skeleton, found[middle])
        if child is None:
            return {}
        found[last] = child
    order = [found[role] for role in limb if role in found]
    for above, below in pairwise(order):
        if not is_above(skeleton, above, below):
            outer = limb[3 if first == 0 else 0]
            if outer not in found:
                return {}
            # The toe or the collar bone may be misread without spoiling the limb.
            return checked_limb(skeleton, {r: j for r, j in found.items() if r != outer}, limb)
    return found


def other_sides(limbs: Sequence[dict[str, int]]) -> list[dict[str, int]]:
    """For each of the limbs, in the order of `each_limb`, that of the other side."""
    half = len(limbs) // 2
    return [*limbs[half:], *limbs[:half]]


def as_full(skeleton: Skeleton, limb: dict[str, int], other: Mapping[str, int]) -> dict[str, int]:
    """The limb as that of the other side, if names say more about that one; itself otherwise.

    One misspelt name shifts roles to neighbours: without an upper arm, the shoulder becomes it.
    """
    if not limb or len(other) <= len(limb):
        return limb
    first, second = next(iter(other.values())), next(iter(limb.values()))
    top = meeting(skeleton, [first, second])
    branches = [chain(skeleton, top, joint)[1:2] for joint in (first, second)]
    if not all(branches) or branches[0] == branches[1]:
        return limb
    twins = {
        _mirrored(role): counterpart(skeleton, joint, branches[0][0], branches[1][0])
        for role, joint in other.items()
    }
    known = {role: joint for role, joint in twins.items() if joint is not None}
    return known if len(known) == len(twins) else limb


def _mirrored(role: str) -> str:
    side, _, part = role.partition("_")
    return f"{'right' if side == 'left' else 'left'}_{part}"


def limb_ends(skeleton: Skeleton, roles: Mapping[str, int], side: str) -> dict[str, int]:
    """Toe and collar bone, which follow from ankle and upper arm."""
    ends: dict[str, int] = {}
    ankle, arm = roles.get(f"{side}_ankle"), roles.get(f"{side}_upper_arm")
    if ankle is not None:
        toe = next_joint(skeleton, ankle)
        if toe is not None:
            ends[f"{side}_toe"] = toe
    other = roles.get(_mirrored(f"{side}_upper_arm"))
    if arm is not None and other is not None:
        parent = int(skeleton.parents[arm])
        if parent >= 0 and not is_above(skeleton, parent, other) and parent != other:
            ends[f"{side}_shoulder"] = parent
    return ends
