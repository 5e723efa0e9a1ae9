"""Which joint of one body corresponds to which joint of another.

Joints are paired by role first (hips, left_thigh, ...), then by name: what is left of a name
when prefixes, case, separators and the spelling of its side are gone. Fingers that are named in
different ways are paired finger by finger, from the palm outwards. Chains with different numbers
of joints (one to five in the spine, one or two in the neck) distribute the bend of the whole. A
joint without a counterpart stays at rest in one body and is left out of the other; a
`JointMapping` says so, joint by joint, and can be written, edited and read as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from motionweave.body.rig.fingers import fingers_of
from motionweave.body.rig.names import normalised
from motionweave.body.rig.roles import SIDES, Rig, find_rig
from motionweave.body.rig.tree import chain
from motionweave.body.size import body_height
from motionweave.core.arrays import Array
from motionweave.core.parsing import parse_json, read_text
from motionweave.core.skeleton import Skeleton
from motionweave.errors import RigError

# The values in a mapping file: a joint, two joints and a share, or none.
Given = Mapping[str, "str | Mapping[str, object] | None"]

# Joints that only some rigs of a convention have.
_OPTIONAL = {"neck", "head"} | {f"{side}_{role}" for side in SIDES for role in ("toe", "shoulder")}
# Bones of one convention point the same way in its rest poses, up to this much where the
# names of this share of the joints are the same, and up to this much where they are not.
_MOSTLY = 0.9
_NAMED_ALIKE, _ALIKE = np.radians(45.0), np.radians(8.0)
# Bones shorter than this share of the height have no direction.
_NO_BONE = 0.01
# Bones of one body as two files have it differ in length by less.
_SAME_LENGTH = 0.03
_LIMBS = (
    (("thigh", "shin"), ("shin", "ankle")),
    (("upper_arm", "forearm"), ("forearm", "hand")),
)


@dataclass(frozen=True)
class Pairing:
    """The joint, or the place between two joints, of a source that a joint follows.

    Parameters
    ----------
    joint, next
        Joint indices in the source; the same one twice for a joint with one partner.
    share
        The position between the two, 0 to 1.
    how
        ``"role"``, ``"name"``, ``"finger"``, ``"chain"`` or ``"given"``.
    """

    joint: int
    next: int
    share: float
    how: str


@dataclass(frozen=True, eq=False)
class JointMapping:
    """Which joint of the source each joint of the target follows.

    Parameters
    ----------
    source, target
        The skeletons.
    pairs
        Target joint to what it follows; joints not listed stay at rest.
    """

    source: Skeleton
    target: Skeleton
    pairs: Mapping[int, Pairing]

    def __repr__(self) -> str:
        return (
            f"<JointMapping of {len(self.source)} joints onto {len(self.target)}: "
            f"{len(self.pairs)} follow, {len(self.left_out)} left out>"
        )

    @property
    def left_out(self) -> tuple[str, ...]:
        """Joints of the source that no joint of the target follows."""
        used = {j for pair in self.pairs.values() for j in (pair.joint, pair.next)}
        return tuple(name for j, name in enumerate(self.source.names) if j not in used)

    @property
    def at_rest(self) -> tuple[str, ...]:
        """Joints of the target that follow no joint and keep the rest pose."""
        return tuple(name for j, name in enumerate(self.target.names) if j not in self.pairs)

    def to_json(self) -> dict[str, str | dict[str, object] | None]:
        """The mapping as `JointMapping` files hold it: target joint to source joint.

        A joint of a chain that lies between two of the source's has
        ``{"from": NAME, "to": NAME, "share": 0.4}``; a joint at rest has None.
        """
        names = self.source.names
        result: dict[str, str | dict[str, object] | None] = {}
        for joint, name in enumerate(self.target.names):
            pair = self.pairs.get(joint)
            if pair is None:
                result[name] = None
            elif pair.joint == pair.next:
                result[name] = names[pair.joint]
            else:
                share = round(pair.share, 6)
                result[name] = {"from": names[pair.joint], "to": names[pair.next], "share": share}
        return result

    def save(self, path: str | Path) -> None:
        """Write the mapping to ``path`` as JSON, for editing."""
        Path(path).write_text(json.dumps(self.to_json(), indent=2) + "\n", encoding="utf-8")

    def __str__(self) -> str:
        """A table: each joint of the target, what it follows, and how that was found."""
        rows = [("joint", "follows", "by")]
        names = self.source.names
        for joint, name in enumerate(self.target.names):
            pair = self.pairs.get(joint)
            if pair is not None:
                follows = names[pair.joint]
                if pair.next != pair.joint:
                    follows += f" {1.0 - pair.share:.0%}, {names[pair.next]} {pair.share:.0%}"
                rows.append((name, follows, pair.how))
        wide = [max(len(row[c]) for row in rows) for c in (0, 1)]
        lines = [f"{a:<{wide[0]}}  {b:<{wide[1]}}  {how}".rstrip() for a, b, how in rows]
        if self.at_rest:
            lines.append(f"at rest: {', '.join(self.at_rest)}")
        if self.left_out:
            lines.append(f"left out: {', '.join(self.left_out)}")
        return "\n".join(lines)


def match(
    source: Skeleton, target: Skeleton, given: Given | str | Path | None = None
) -> JointMapping:
    """Which joints of ``source`` the joints of ``target`` follow.

    Parameters
    ----------
    source, target
        Two bodies of any rigs.
    given
        Pairs that take precedence: target joint to source joint or None, as
        `JointMapping.to_json` gives them, in a mapping or a JSON file.

    Raises
    ------
    RigError
        If a joint in ``given`` does not exist.
    """
    ours, theirs = find_rig(source), find_rig(target)
    pairs = _by_role(ours, theirs)
    for stretch, other in zip(_chains(theirs), _chains(ours), strict=True):
        pairs.update(_shared_out(target, stretch, source, other))
    taken = {pair.joint for pair in pairs.values()} | {pair.next for pair in pairs.values()}
    named = _by_name(source, taken)
    roled = JointMapping(source, target, dict(pairs))
    for joint, name in enumerate(target.names):
        found = named.get(normalised(name))
        if joint not in pairs and found is not None and _same_place(joint, found, roled):
            pairs[joint] = Pairing(found, found, 0.0, "name")
    pairs = _fingers(ours, theirs) | pairs
    if given is not None:
        _apply(given, pairs, source, target)
    return JointMapping(source, target, dict(sorted(pairs.items())))


def match_by_name(source: Skeleton, target: Skeleton) -> JointMapping:
    """Which joints correspond one to one: of two skeletons of one convention.

    By role and by normalised name only; a joint that one of them has in addition, be it in
    the middle of a chain, has no partner. Chains of one count are paired in order.
    """
    ours, theirs = find_rig(source), find_rig(target)
    pairs = _by_role(ours, theirs)
    for stretch, other in zip(_chains(theirs), _chains(ours), strict=True):
        if len(stretch) == len(other):
            for a, b in zip(stretch, other, strict=True):
                pairs.setdefault(a, Pairing(b, b, 0.0, "chain"))
    named = _by_name(source, {pair.joint for pair in pairs.values()})
    for joint, name in enumerate(target.names):
        found = named.get(normalised(name))
        if joint not in pairs and found is not None:
            pairs[joint] = Pairing(found, found, 0.0, "name")
    return JointMapping(source, target, dict(sorted(pairs.items())))


def one_convention(source: Skeleton, target: Skeleton) -> bool:
    """Whether rotations mean the same on both: joints correspond, and rest poses are similar.

    Order, prefixes, helper joints and leaves may differ, and so may bone lengths. Skeletons
    with the same joint names may still hold their limbs differently (T-pose, A-pose).
    """
    mapping = match_by_name(source, target)
    ours, theirs = find_rig(source), find_rig(target)
    if not _fingers(ours, theirs).keys() <= mapping.pairs.keys():
        # Who calls fingers by other names bends them about other axes.
        return False
    if ours.roles and theirs.roles:
        if (set(ours.roles) ^ set(theirs.roles)) - _OPTIONAL:
            return False
        joints = [joint for role, joint in theirs.roles.items() if role in ours.roles]
    elif len(mapping.pairs) < min(len(source), len(target)):
        # Bodies of unknown build correspond by their names, and then all of them.
        return False
    else:
        joints = list(mapping.pairs)
    alike = [
        normalised(target.names[j]) == normalised(source.names[mapping.pairs[j].joint])
        for j in joints
    ]
    named = sum(alike) >= _MOSTLY * len(alike)
    limit = _NAMED_ALIKE if named else _ALIKE
    return all(
        angle < limit
        for joint, angle in _turned_bones(mapping, joints)
        if not (named and _limb_end(theirs, joint))
    )


def same_body(source: Skeleton, target: Skeleton) -> bool:
    """Whether two humans have arms and legs of the same lengths, in any two units."""
    ours, theirs = find_rig(source), find_rig(target)
    ratios = []
    for side, limb in ((s, limb) for s in SIDES for limb in _LIMBS):
        for upper, lower in limb:
            roles = (f"{side}_{upper}", f"{side}_{lower}")
            if ours.has(*roles) and theirs.has(*roles):
                a = _length(source, ours.roles[roles[0]], ours.roles[roles[1]])
                b = _length(target, theirs.roles[roles[0]], theirs.roles[roles[1]])
                if a > 0.0 and b > 0.0:
                    ratios.append(b / a)
    return bool(ratios) and max(ratios) < (1.0 + _SAME_LENGTH) * min(ratios)


def _turned_bones(mapping: JointMapping, joints: list[int]) -> Iterator[tuple[int, float]]:
    """Joints of the target, and the angle between the bones to them in the two rest poses.

    A bone goes to a joint from the next joint above it that is one of these, too.
    """
    source, target = mapping.source, mapping.target
    chosen = set(joints)
    for joint in joints:
        above = int(target.parents[joint])
        while above >= 0 and above not in chosen:
            above = int(target.parents[above])
        if above < 0:
            continue
        a = target.rest_positions[joint] - target.rest_positions[above]
        b = (
            source.rest_positions[mapping.pairs[joint].joint]
            - source.rest_positions[mapping.pairs[above].joint]
        )
        # Joints that lie nearly on top of each other point anywhere.
        if np.linalg.norm(a) < _NO_BONE * body_height(target):
            continue
        if np.linalg.norm(b) < _NO_BONE * body_height(source):
            continue
        yield joint, float(np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b))


def _limb_end(rig: Rig, joint: int) -> bool:
    """Whether the joint ends a bone of a limb, which rest poses hold one way or another."""
    return any(
        rig.roles.get(f"{side}_{lower}") == joint
        for side in SIDES
        for limb in _LIMBS
        for _, lower in limb
    )


def _length(skeleton: Skeleton, above: int, below: int) -> float:
    joints = list(chain(skeleton, above, below)[1:])
    return float(np.linalg.norm(skeleton.offsets[joints], axis=1).sum())


def _chains(rig: Rig) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Joints above the hips up to the chest, and above the chest up to the head."""
    neck: tuple[int, ...] = ()
    if rig.has("chest", "head"):
        neck = chain(rig.skeleton, rig.roles["chest"], rig.roles["head"])[1:]
    return rig.spine, neck


def _shared_out(
    target: Skeleton, stretch: tuple[int, ...], source: Skeleton, other: tuple[int, ...]
) -> dict[int, Pairing]:
    """A chain's joints paired with another chain's, by how far along they lie.

    The joint above the chain counts as its beginning; the last joints match.
    """
    if not stretch or not other:
        return {}
    if len(stretch) == len(other):
        return {a: Pairing(b, b, 0.0, "chain") for a, b in zip(stretch, other, strict=True)}
    joints = (int(source.parents[other[0]]), *other)
    places = _places(source, other)
    pairs = {}
    for joint, place in zip(stretch, _places(target, stretch)[1:], strict=True):
        below = int(np.clip(np.searchsorted(places, place, side="right") - 1, 0, len(other) - 1))
        width = places[below + 1] - places[below]
        share = float(np.clip((place - places[below]) / width, 0.0, 1.0))
        a, b = joints[below], joints[below + 1]
        if share in (0.0, 1.0):
            a = b = b if share else a
            share = 0.0
        pairs[joint] = Pairing(a, b, share, "chain")
    return pairs


def _places(skeleton: Skeleton, stretch: tuple[int, ...]) -> Array:
    """How far along a chain its beginning and its joints lie, from 0 to 1.

    A joint turns what is above it, so it acts from its own position up to the next one. If
    bones have no length (a rig whose first spine joint lies in the hips) joints still follow
    each other: half of the measure is their count.
    """
    count = len(stretch)
    lengths = np.linalg.norm(skeleton.offsets[list(stretch)], axis=1)
    total = float(lengths.sum())
    even = np.full(count, 1.0 / count)
    steps = even if total <= 0.0 else 0.5 * (even + lengths / total)
    places = np.concatenate([[0.0], np.cumsum(steps)])
    places[-1] = 1.0
    return places


def _by_role(source: Rig, target: Rig) -> dict[int, Pairing]:
    """Joints of the target paired with those of the source that have the same role."""
    return {
        joint: Pairing(source.roles[role], source.roles[role], 0.0, "role")
        for role, joint in target.roles.items()
        if role in source.roles
    }


def _by_name(skeleton: Skeleton, taken: set[int]) -> dict[str, int]:
    """Normalised name to joint, for joints that are not taken and whose name is one of a kind."""
    found: dict[str, list[int]] = {}
    for joint, name in enumerate(skeleton.names):
        found.setdefault(normalised(name), []).append(joint)
    return {
        name: joints[0]
        for name, joints in found.items()
        if name and len(joints) == 1 and joints[0] not in taken
    }


def _fingers(source: Rig, target: Rig) -> dict[int, Pairing]:
    """Joints of the fingers of both hands, paired from the palm outwards."""
    pairs = {}
    for hand in (f"{side}_hand" for side in SIDES):
        if not (source.has(hand) and target.has(hand)):
            continue
        ours = fingers_of(source.skeleton, source.roles[hand])
        for finger, joints in fingers_of(target.skeleton, target.roles[hand]).items():
            for joint, other in zip(joints, ours.get(finger, ()), strict=False):
                pairs[joint] = Pairing(other, other, 0.0, "finger")
    return pairs


def _same_place(joint: int, found: int, mapping: JointMapping) -> bool:
    """Whether two joints are below paired joints, at any depth."""
    above = int(mapping.target.parents[joint])
    while above >= 0 and above not in mapping.pairs:
        above = int(mapping.target.parents[above])
    return above >= 0 and bool(chain(mapping.source, mapping.pairs[above].joint, found))


def _apply(
    given: Given | str | Path, pairs: dict[int, Pairing], source: Skeleton, target: Skeleton
) -> None:
    where = "mapping"
    if isinstance(given, str | Path):
        where = str(given)
        given = parse_json(read_text(given), given)
    if not isinstance(given, Mapping):
        raise RigError(f'{where}: expected an object such as {{"LeftUpLeg": "lfemur"}}')
    for name, follows in given.items():
        joint = target.index(name)
        if follows is None:
            pairs.pop(joint, None)
        elif isinstance(follows, str):
            other = source.index(follows)
            pairs[joint] = Pairing(other, other, 0.0, "given")
        elif isinstance(follows, Mapping) and {"from", "to", "share"} <= set(follows):
            ends = (source.index(str(follows["from"])), source.index(str(follows["to"])))
            share = follows["share"]
            if not isinstance(share, int | float) or not 0.0 <= share <= 1.0:
                raise RigError(f"{where}: share of {name!r} must be a number from 0 to 1")
            pairs[joint] = Pairing(*ends, float(share), "given")
        else:
            raise RigError(
                f"{where}: {name!r} must have the name of a joint, null, or "
                '{"from": ..., "to": ..., "share": ...}'
            )
