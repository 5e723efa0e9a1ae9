"""Which joint is which: hips, spine, head, legs and arms of any humanoid skeleton.

Roles come from three sources, the later ones only if the earlier ones give nothing: an
override given by the user (JSON), the joints' names (`rig_names`), and the shape of the
tree and the rest pose (`rig_shape`). A rig that lacks a role works with everything except features
that need it, and those say so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

import numpy as np

from motionweave.body.rig.limbs import (
    as_full,
    checked_limb,
    each_limb,
    limb_ends,
    other_sides,
    part_of,
)
from motionweave.body.rig.names import (
    ARM_ROLES,
    LEG_ROLES,
    has_hocks,
    legs_by_name,
    roles_by_name,
)
from motionweave.body.rig.override import (
    CENTRE_ROLES,
    ROLES,
    SIDES,
    Given,
    Override,
    joints_of,
    read_override,
)
from motionweave.body.rig.shape import roles_by_shape, standing_legs
from motionweave.body.rig.tree import chain, is_above, meeting
from motionweave.core.arguments import check_arguments
from motionweave.core.arrays import Array
from motionweave.core.checks import shown
from motionweave.core.numerics.quantiles import median
from motionweave.core.skeleton import Skeleton
from motionweave.errors import RigError

__all__ = ["ROLES", "SIDES", "Rig", "find_rig", "leg_length", "with_rig"]


_LEGS = tuple(f"{side}_{role}" for side in SIDES for role in LEG_ROLES[:3])


@dataclass(frozen=True, eq=False)
class Rig:
    """A skeleton and the roles of its joints.

    Parameters
    ----------
    skeleton
        The character.
    roles
        Role name to joint index, for the roles that were found; see `ROLES`.
    spine
        Joints above the hips up to the chest, the chest last; empty if unknown.
    origins
        Role name to how it was found: ``"override"``, ``"names"`` or ``"shape"``.
    legs
        How many legs the body stands on, if those are more than two: it is then not human, and
        none of its limbs has a role. 0 otherwise.
    """

    skeleton: Skeleton
    roles: Mapping[str, int]
    spine: tuple[int, ...]
    origins: Mapping[str, str]
    legs: int = 0

    def __repr__(self) -> str:
        return f"<Rig of {len(self.skeleton)} joints: {len(self.roles)} roles known>"

    def has(self, *roles: str) -> bool:
        """Whether all these roles are known."""
        return all(_known_role(role) in self.roles for role in roles)

    def joint(self, role: str, feature: str) -> int:
        """Index of the joint with that role; a `RigError` says how to supply a missing one.

        Parameters
        ----------
        role
            One of `ROLES`.
        feature
            The feature that needs it, for the message, such as ``"foot clean-up"``.
        """
        index = self.roles.get(_known_role(role))
        if index is None:
            example = json.dumps({role: "name of the joint"})
            if self.legs:
                raise RigError(
                    f"{feature} needs a body with two legs, but the skeleton "
                    f"{self.why_not_human()}; if two of them are its legs, name them in a JSON "
                    f"file such as {example} (--rig FILE, or mw.load(..., rig=FILE))"
                )
            raise RigError(
                f"{feature} needs to know which joint is the {role}, and neither the names nor "
                f"the shape of the skeleton (joints {self._listed()}) show it: "
                f"name it in a JSON file such as {example} (--rig FILE, or mw.load(..., rig=FILE))"
            )
        return index

    def why_not_human(self) -> str:
        """Which human parts are missing, as a phrase to follow "the skeleton"; empty if none."""
        if self.legs:
            return f"stands on {self.legs} legs"
        missing = [role for role in ("hips", *_LEGS) if role not in self.roles]
        if missing:
            return (
                f"has no {', no '.join(missing)} that could be recognised (joints {self._listed()})"
            )
        return ""

    @property
    def body(self) -> tuple[int, ...]:
        """Joints that make the body: those with roles, or all where none is known.

        Fingers, props and helper joints, of which some rigs have many, do not outvote it.
        """
        return tuple(sorted(set(self.roles.values()))) or tuple(range(len(self.skeleton)))

    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Joints ``(left, right)`` of every role known on both sides."""
        both = LEG_ROLES + ARM_ROLES
        return tuple(
            (self.roles[f"left_{role}"], self.roles[f"right_{role}"])
            for role in both
            if self.has(f"left_{role}", f"right_{role}")
        )

    def lateral_axis(self, positions: Array) -> Array | None:
        """Vectors ``(T, 3)`` to the character's left, about 1 long when it stands upright.

        The mean over hips and shoulders of right to left, each in units of its own
        width, from joint ``positions`` ``(T, J, 3)``. None without either pair.
        """
        axes = []
        for role in ("thigh", "upper_arm"):
            if self.has(f"left_{role}", f"right_{role}"):
                across = (
                    positions[:, self.roles[f"left_{role}"]]
                    - positions[:, self.roles[f"right_{role}"]]
                )
                width = float(median(np.linalg.norm(across, axis=1)))
                if width > 0.0:
                    axes.append(across / width)
        return np.asarray(sum(axes) / len(axes)) if axes else None

    def names(self) -> dict[str, str]:
        """Role to joint name, for the roles that were found, in the order of `ROLES`."""
        return {role: self.skeleton.names[self.roles[role]] for role in ROLES if role in self.roles}

    def _listed(self) -> str:
        names = self.skeleton.names
        return ", ".join(names[:4]) + (" ..." if len(names) > 4 else "")


def with_rig(skeleton: Skeleton, override: Override | str | Path) -> Skeleton:
    """The skeleton with joint roles that take precedence over its names and shape.

    Parameters
    ----------
    skeleton
        The character.
    override
        Role to joint name, or a JSON file with such a mapping, such as ``{"left_ankle": "FootL",
        "spine": ["Back1", "Back2"], "head": null}``; null means that there is no such joint.
        ``"legs"`` is the number of legs: ``{"legs": 4}`` for an animal whose joints have human
        names.

    Returns
    -------
    Skeleton
        Every method uses these roles for motions of this skeleton.

    Raises
    ------
    RigError
        If a role or a joint does not exist; the message names it and lists near ones.

    Examples
    --------
    >>> import motionweave as mw
    >>> body = mw.sample("walk").skeleton
    >>> mw.find_rig(mw.with_rig(body, {"head": None})).has("head")
    False
    """
    check_arguments(with_rig, locals(), RigError)
    given = read_override(override)
    for name in sorted(joints_of(given)):
        skeleton.index(name)
    return replace(skeleton, roles=given)


def find_rig(skeleton: Skeleton, override: Override | str | Path | None = None) -> Rig:
    """Roles of the joints of a skeleton.

    Parameters
    ----------
    skeleton
        The character; the result is cached for each skeleton.
    override
        Role to joint name, or a JSON file, as in `with_rig`; takes precedence over everything else.

    Returns
    -------
    Rig
        Which joint has which role, and how that was found.

    Examples
    --------
    >>> import motionweave as mw
    >>> mw.find_rig(mw.sample("walk").skeleton).names()["left_ankle"]
    'LeftFoot'
    """
    if not isinstance(skeleton, Skeleton):
        raise RigError(f"{shown(skeleton)}: expected a Skeleton")
    return _cached_rig(skeleton if override is None else with_rig(skeleton, override))


@lru_cache(maxsize=256)
def _cached_rig(skeleton: Skeleton) -> Rig:
    return _build(skeleton, skeleton.roles)


def leg_length(
    skeleton: Skeleton, rig: Rig | None = None, feature: str = "measuring the leg"
) -> float:
    """Length of thigh and shin, mean of both sides: the unit of every threshold.

    Parameters
    ----------
    skeleton
        The character.
    rig
        Its roles; found by default.
    feature
        What needs it, for the message that there are no two legs.
    """
    return _leg_length(skeleton, rig or find_rig(skeleton), feature)


@lru_cache(maxsize=256)
def _leg_length(skeleton: Skeleton, rig: Rig, feature: str) -> float:
    lengths = []
    for side in SIDES:
        thigh = rig.joint(f"{side}_thigh", feature)
        ankle = rig.joint(f"{side}_ankle", feature)
        below = list(skeleton.chain(thigh, ankle)[1:])
        lengths.append(float(np.linalg.norm(skeleton.offsets[below], axis=1).sum()))
    length = float(np.mean(lengths))
    if length <= 0.0:
        raise RigError(
            f"the legs of the skeleton (joints {rig._listed()}) have no length: "
            "the joints from thigh to ankle have zero offsets"
        )
    return length


def _known_role(role: str) -> str:
    if role not in ROLES:
        raise RigError(f"there is no role {role!r}; roles are {', '.join(ROLES)}")
    return role


# Putting the sources together


def _build(skeleton: Skeleton, override: Given) -> Rig:
    named = roles_by_name(skeleton)
    shaped = roles_by_shape(skeleton)
    legs = _legs_beyond_two(skeleton, named, override)
    roles: dict[str, int] = {}
    origins: dict[str, str] = {}

    def learn(found: Mapping[str, int], origin: str) -> None:
        for role, joint in found.items():
            if role not in roles:
                roles[role] = joint
                origins[role] = origin

    given = {
        role: skeleton.index(name)
        for role, name in override.items()
        if role != "spine" and isinstance(name, str)
    }
    learn(given, "override")
    unnamed = []
    limbs = () if legs else tuple(each_limb())
    found = [
        checked_limb(skeleton, {**part_of(named, limb), **part_of(given, limb)}, limb)
        for limb in limbs
    ]
    for limb, own, other in zip(limbs, found, other_sides(found), strict=True):
        by_name = own if any(role in given for role in limb) else as_full(skeleton, own, other)
        if by_name:
            learn(by_name, "names")
        elif not any(role in given for role in limb):
            unnamed.append(part_of(shaped, limb))
    for by_shape in unnamed:
        # What names call a leg is not an arm.
        if not set(by_shape.values()) & set(roles.values()):
            learn(by_shape, "shape")
    for side in () if legs else SIDES:
        learn(limb_ends(skeleton, roles, side), "shape")
    learn(_checked_centre(skeleton, roles, named), "names")
    learn(_centre_from_limbs(skeleton, roles, shaped), "shape")
    for role, name in override.items():
        if name is None:
            roles.pop(role, None)
            origins.pop(role, None)
    spine_names = override.get("spine")
    if isinstance(spine_names, tuple):
        spine = tuple(skeleton.index(name) for name in spine_names)
    else:
        spine = _spine(skeleton, roles)
    ordered = {role: roles[role] for role in ROLES if role in roles}
    return Rig(skeleton, MappingProxyType(ordered), spine, MappingProxyType(origins), legs)


def _legs_beyond_two(skeleton: Skeleton, named: Mapping[str, int], given: Given) -> int:
    """The number of legs of a body that is not human; 0 for humans and if it is unknown.

    Names of four-legged rigs are often human ones: if the hands so named stand on the floor
    with the feet, they are feet. Otherwise names of legs and arms mean a human, whatever hangs
    beside the legs (a skirt, a coat).
    """
    said = given.get("legs")
    if isinstance(said, int):
        return said if said > 2 else 0
    if any(given.get(role) for limb in each_limb() for role in limb):
        return 0
    limbs = [checked_limb(skeleton, part_of(named, limb), limb) for limb in each_limb()]
    if all(limbs):
        ends = [
            (found[limb[first]], found[limb[first + 2]])
            for limb, found in zip(each_limb(), limbs, strict=True)
            for first in [0 if limb[0].endswith("thigh") else 1]
        ]
        # Zero poses of animals often do not stand; legs with hocks give them away.
        count = 4 if has_hocks(skeleton) else standing_legs(skeleton, ends)
    elif all(limbs[::2]) and any(limbs[1::2]):
        count = 2
    else:
        count = standing_legs(skeleton)
    return max(count if count > 2 else 0, legs_by_name(skeleton))


def _checked_centre(
    skeleton: Skeleton, roles: Mapping[str, int], named: Mapping[str, int]
) -> dict[str, int]:
    """Named hips, neck and head, where they are in the right place of the tree."""
    centre: dict[str, int] = {}
    thighs = [roles[r] for r in ("left_thigh", "right_thigh") if r in roles]
    arms = [roles[r] for r in ("left_upper_arm", "right_upper_arm") if r in roles]
    hips, neck, head = (named.get(role) for role in ("hips", "neck", "head"))
    if hips is not None and all(is_above(skeleton, hips, j) for j in [*thighs, *arms]):
        centre["hips"] = hips
    if head is not None:
        centre["head"] = head
    if neck is not None and (head is None or is_above(skeleton, neck, head)):
        centre["neck"] = neck
    return centre


def _centre_from_limbs(
    skeleton: Skeleton, roles: Mapping[str, int], shaped: Mapping[str, int]
) -> dict[str, int]:
    """Hips where legs and trunk meet, chest where the arms meet, neck between chest and head."""
    known = dict(roles)
    arms = [roles[r] for r in ("left_upper_arm", "right_upper_arm") if r in roles]
    if "head" not in known and "head" in shaped:
        known["head"] = shaped["head"]
    if "chest" not in known:
        chest = meeting(skeleton, arms) if len(arms) == 2 else None
        neck = known.get("neck")
        # Some rigs attach the arms to the neck.
        if neck is not None and (chest is None or chest == neck or is_above(skeleton, neck, chest)):
            chest = int(skeleton.parents[neck])
        if chest is not None and chest >= 0:
            known["chest"] = chest
    if "hips" not in known:
        legs = [roles[r] for r in ("left_thigh", "right_thigh") if r in roles]
        trunk = [known[r] for r in ("chest", "head") if r in known][:1]
        if len(legs) == 2:
            known["hips"] = meeting(skeleton, legs + trunk)
    if "neck" not in known and "chest" in known and "head" in known:
        between = chain(skeleton, known["chest"], known["head"])[1:-1]
        if between:
            known["neck"] = between[0]
    return {role: known[role] for role in CENTRE_ROLES if role in known}


def _spine(skeleton: Skeleton, roles: Mapping[str, int]) -> tuple[int, ...]:
    if "hips" not in roles or "chest" not in roles:
        return ()
    return chain(skeleton, roles["hips"], roles["chest"])[1:]
