"""Legs, arms and head found from the tree and the rest pose, whatever the joints are called.

Limbs come in pairs: two branches of one joint whose bones are equally long. Of the pairs that reach
far, the legs reach lowest, and the arms are at the other end of the spine. Left is told from right
by the way the feet point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from motionweave.body.rig.names import ARM_ROLES, LEG_ROLES, is_control, is_finger
from motionweave.body.rig.tree import depths, meeting
from motionweave.core.arrays import Array
from motionweave.core.skeleton import Skeleton

# Bones of a left and a right limb may differ by this share of the longer one, and by this share of
# the whole limb; people are less symmetric than one thinks.
_BONE_TOLERANCE = 0.3
_REACH_TOLERANCE = 0.06
# Shorter pairs than this share of the longest are ears, eyes or fingers.
_SHORTEST_LIMB = 0.4
# Joints closer than this share of a limb are at one place.
_SAME_PLACE = 0.02
# Of its length, how far down a branch reaches that stands; in leg lengths, how much higher
# than the lowest another foot on the floor may be, and how far it is at least from others.
_STANDING = 0.6
_ON_FLOOR = 0.2
_ONE_PLACE = 0.05
# A trunk that points down as steeply as this (sine) hangs, other than that of any animal.
_HANGING = 0.8
# In leg lengths, how far to one side of the legs' middle that of the arms may be.
_OFF_MIDDLE = 0.4
# A joint has no more limbs than this: branches beyond the longest are hair, cloth, fingers.
_MOST_BRANCHES = 16


@dataclass(frozen=True)
class _Pair:
    """Two like branches ``a`` and ``b`` of joint ``parent``."""

    parent: int
    a: int
    b: int
    reach: float


class _Branches:
    """For every joint, the longest branch below it."""

    def __init__(self, skeleton: Skeleton):
        self.skeleton = skeleton
        self.bone = np.linalg.norm(skeleton.offsets, axis=1)
        count = len(skeleton)
        self.reach = np.zeros(count)
        self.next = np.full(count, -1)
        self.count = np.ones(count, dtype=int)
        self.tip = np.array(skeleton.rest_positions)
        for end, parent in enumerate(skeleton.end_parents):
            length = float(np.linalg.norm(skeleton.end_offsets[end]))
            if length > self.reach[parent]:
                self.reach[parent] = length
                self.tip[parent] = skeleton.rest_end_positions[end]
        for joint in range(count - 1, 0, -1):
            parent = int(skeleton.parents[joint])
            length = self.bone[joint] + self.reach[joint]
            if length > self.reach[parent]:
                self.reach[parent] = length
                self.next[parent] = joint
                self.count[parent] = self.count[joint] + 1
                self.tip[parent] = self.tip[joint]

    def path(self, joint: int) -> list[int]:
        """Joints of the longest branch, ``joint`` first."""
        path = [joint]
        while self.next[path[-1]] >= 0:
            path.append(int(self.next[path[-1]]))
        return path

    def length(self, joint: int) -> float:
        """Length of the longest branch from the joint's parent through the joint."""
        return float(self.bone[joint] + self.reach[joint])

    def alike(self, a: int, b: int) -> bool:
        """Whether two branches could be the two sides of one body."""
        if self.count[a] != self.count[b]:
            return False
        bones_a, bones_b = self.bone[self.path(a)], self.bone[self.path(b)]
        longer = np.maximum(bones_a, bones_b)
        room = _BONE_TOLERANCE * longer + _REACH_TOLERANCE * longer.sum()
        lengths = sorted((self.length(a), self.length(b)))
        return bool(
            np.all(np.abs(bones_a - bones_b) <= room)
            and lengths[0] > (1.0 - _BONE_TOLERANCE) * lengths[1]
        )


def roles_by_shape(skeleton: Skeleton) -> dict[str, int]:
    """Roles found from the tree and the rest pose; empty if nothing is certain."""
    branches = _Branches(skeleton)
    pairs = _limb_pairs(branches)
    if not pairs:
        return {}
    legs = _legs_of(branches, pairs)
    arms = next((p for p in pairs if p is not legs and _in_the_middle(branches, p, legs)), None)
    if arms is None and _drop(branches, legs) <= _STANDING:
        # Two branches that stand on nothing and carry nothing could be anything.
        return {}
    chains = {joint: _limb(branches, legs.parent, joint) for joint in (legs.a, legs.b)}
    if not all(len(chain) >= 3 for chain in chains.values()):
        return {}
    roles = {"hips": legs.parent}
    left = _left_direction(branches, legs, arms, chains)
    if left is not None:
        a_left = _is_left(branches, legs, left)
        if a_left is not None:
            for side, joint in _sides(legs, a_left):
                names = [f"{side}_{role}" for role in LEG_ROLES]
                roles.update(zip(names, chains[joint], strict=False))
    if arms is None:
        return roles
    roles["chest"] = arms.parent
    head = _head(branches, arms, legs)
    if head is not None:
        roles["head"] = head
    a_left = None if left is None else _is_left(branches, arms, left)
    if a_left is not None:
        for side, joint in _sides(arms, a_left):
            chain = _limb(branches, arms.parent, joint)[:3]
            if len(chain) == 3:
                names = [f"{side}_{role}" for role in ARM_ROLES[1:]]
                roles.update(zip(names, chain, strict=True))
    return roles


def _limb_pairs(branches: _Branches) -> list[_Pair]:
    """Pairs of like branches, the farthest reaching first, none inside another.

    Only the longest branches of each joint are examined, and branches are compared from
    the longest pair down until they are too short: the work does not grow with the square
    of the joints, whatever the tree.
    """
    skeleton = branches.skeleton
    candidates = []
    for parent, children in enumerate(skeleton.children):
        # Some files hold a hand alone, which would stand on its fingers, and goals in pairs.
        limbs = [
            child
            for child in children
            if not is_finger(skeleton.names[child])
            and not (branches.next[child] < 0 and is_control(skeleton.names[child]))
        ]
        longest = sorted(limbs, key=lambda child: -branches.length(child))[:_MOST_BRANCHES]
        for i, a in enumerate(sorted(longest)):
            for b in sorted(longest)[i + 1 :]:
                reach = min(branches.length(a), branches.length(b))
                candidates.append(_Pair(parent, a, b, reach))
    candidates.sort(key=lambda pair: -pair.reach)
    chosen: list[_Pair] = []
    inside: set[int] = set()
    for pair in candidates:
        if chosen and pair.reach < _SHORTEST_LIMB * chosen[0].reach:
            break
        if not {pair.parent, pair.a, pair.b} & inside and branches.alike(pair.a, pair.b):
            chosen.append(pair)
            inside |= _below(skeleton, pair.a) | _below(skeleton, pair.b)
    return chosen


def _below(skeleton: Skeleton, joint: int) -> set[int]:
    """The joint and everything under it."""
    found = {joint}
    stack = [joint]
    while stack:
        below = skeleton.children[stack.pop()]
        found.update(below)
        stack.extend(below)
    return found


def standing_legs(skeleton: Skeleton, limbs: Sequence[tuple[int, int]] = ()) -> int:
    """On how many legs the rest pose stands: branches that come in pairs and end at the floor.

    Legs may be spread so far that none of them stands, as a spider's are: then those that
    hang in pairs on one joint count, if there are more than two.

    Parameters
    ----------
    skeleton
        The character.
    limbs
        First and last joints of the legs and arms whose names are known, as `each_limb` orders
        them: then only these count. Without them they are found from the tree.
    """
    if limbs and _trunk_hangs(skeleton, [first for first, _ in limbs]):
        return 0
    branches = _Branches(skeleton)
    rest = skeleton.rest_positions
    if limbs:
        drops = [float(rest[first, 1] - rest[last, 1]) for first, last in limbs]
        tips = np.array([rest[last] for _, last in limbs])
        reach = max(abs(drop) for drop in drops)
    else:
        pairs = [pair for pair in _limb_pairs(branches) if _drop(branches, pair) > _STANDING]
        if not pairs:
            return _limbs_of_one_joint(branches)
        tips = np.array([branches.tip[joint] for pair in pairs for joint in (pair.a, pair.b)])
        drops = [pair.reach for pair in pairs for _ in range(2)]
        reach = pairs[0].reach
    lowest = tips[:, 1].min()
    feet: list[Array] = []
    for tip, drop in zip(tips, drops, strict=True):
        on_floor = tip[1] < lowest + _ON_FLOOR * reach and drop > 0.5 * reach
        # Rigs carry copies of legs (for control, for skinning) at the place of the legs.
        if on_floor and all(np.linalg.norm(tip - foot) > _ONE_PLACE * reach for foot in feet):
            feet.append(tip)
    return len(feet)


def _trunk_hangs(skeleton: Skeleton, tops: Sequence[int]) -> bool:
    """Whether the rest pose hangs from its hips, trunk and arms down: nothing stands on those.

    Some exporters let all bones of the zero pose point down.

    Parameters
    ----------
    skeleton
        The character.
    tops
        First joints of its limbs, as `each_limb` orders them.
    """
    rest = skeleton.rest_positions
    left_leg, left_arm, right_leg, right_arm = tops
    hips = meeting(skeleton, [left_leg, right_leg])
    chest = meeting(skeleton, [left_arm, right_arm])
    trunk = rest[chest] - rest[hips]
    return bool(trunk[1] < -_HANGING * np.linalg.norm(trunk))


def _limbs_of_one_joint(branches: _Branches) -> int:
    """How many limbs hang in pairs on one joint, if more than two; 0 otherwise."""
    parents = [pair.parent for pair in _limb_pairs(branches)]
    most = max((parents.count(parent) for parent in parents), default=0)
    return 2 * most if most > 1 else 0


def _in_the_middle(branches: _Branches, pair: _Pair, legs: _Pair) -> bool:
    """Whether a pair lies on both sides of the body, as the fingers of one hand do not."""
    across = branches.tip[legs.a] - branches.tip[legs.b]
    if np.linalg.norm(across) < _SAME_PLACE * legs.reach:
        return True
    off = branches.tip[[pair.a, pair.b]].mean(axis=0) - branches.tip[[legs.a, legs.b]].mean(axis=0)
    return bool(abs(off @ across) < _OFF_MIDDLE * legs.reach * np.linalg.norm(across))


def _drop(branches: _Branches, pair: _Pair) -> float:
    """How far down a pair of branches reaches, of its length."""
    tips = 0.5 * (branches.tip[pair.a] + branches.tip[pair.b])
    return float(branches.skeleton.rest_positions[pair.parent, 1] - tips[1]) / pair.reach


def _legs_of(branches: _Branches, pairs: list[_Pair]) -> _Pair:
    """The pair that stands on the floor, or hangs nearest to the root in an odd rest pose."""
    standing = [pair for pair in pairs if _drop(branches, pair) > _STANDING]
    if standing:
        return min(standing, key=lambda p: float(branches.tip[p.a, 1] + branches.tip[p.b, 1]))
    depth = depths(branches.skeleton)
    return min(pairs, key=lambda pair: (depth[pair.parent], -pair.reach))


def _limb(branches: _Branches, parent: int, joint: int) -> list[int]:
    """Upper joint, middle joint, last joint of a limb, and what follows, without helpers.

    The two bones of a limb are the longest two in a row. Joints at one place count
    once, and those at the parent's own place (CMU's hip joints) do not count.
    """
    rest = branches.skeleton.rest_positions
    near = _SAME_PLACE * branches.length(joint)
    places: list[int] = []
    last = rest[parent]
    for each in branches.path(joint):
        if np.linalg.norm(rest[each] - last) > near:
            places.append(each)
            last = rest[each]
    if len(places) < 3:
        return []
    points = rest[places]
    bones = np.linalg.norm(np.diff(points, axis=0), axis=1)
    start = int(np.argmax(bones[:-1] + bones[1:]))
    return places[start:]


def _left_direction(
    branches: _Branches, legs: _Pair, arms: _Pair | None, chains: dict[int, list[int]]
) -> Array | None:
    """Unit vector to the character's left in the rest pose, None if it is unknown."""
    rest = branches.skeleton.rest_positions
    up = np.array([0.0, 1.0, 0.0])
    if arms is not None and arms.parent != legs.parent:
        spine = rest[arms.parent] - rest[legs.parent]
        if np.linalg.norm(spine) > _SAME_PLACE * legs.reach:
            up = spine / np.linalg.norm(spine)
    ankles = np.array([rest[chain[2]] for chain in chains.values()])
    tips = np.array([branches.tip[chain[2]] for chain in chains.values()])
    feet = np.mean(tips - ankles, axis=0)
    forward = feet - (feet @ up) * up
    if np.linalg.norm(forward) < 0.02 * legs.reach:
        if up[1] < 0.7:
            return None
        # Feet without a direction: files face +z unless something says otherwise.
        forward = np.array([0.0, 0.0, 1.0])
    left = np.cross(up, forward)
    return left / np.linalg.norm(left)


def _is_left(branches: _Branches, pair: _Pair, left: Array) -> bool | None:
    """Whether branch ``a`` of the pair is the left one."""
    apart = float((branches.tip[pair.a] - branches.tip[pair.b]) @ left)
    if abs(apart) < _SAME_PLACE * pair.reach:
        return None
    return apart > 0.0


def _sides(pair: _Pair, a_is_left: bool) -> tuple[tuple[str, int], tuple[str, int]]:
    a, b = ("left", "right") if a_is_left else ("right", "left")
    return (a, pair.a), (b, pair.b)


def _head(branches: _Branches, arms: _Pair, legs: _Pair) -> int | None:
    """Last joint of the longest chain at the chest that is neither an arm nor leads to the legs."""
    children = [
        child
        for child in branches.skeleton.children[arms.parent]
        if child not in (arms.a, arms.b, legs.a, legs.b)
        and legs.parent not in _below(branches.skeleton, child)
    ]
    if not children:
        return None
    return branches.path(max(children, key=branches.length))[-1]
