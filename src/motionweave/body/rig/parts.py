"""Joints and parts of the body by their common names or roles."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from motionweave.body.rig.roles import ROLES, Rig
from motionweave.core.skeleton import Skeleton
from motionweave.errors import RigError

# Common names for the joint that moves a part.
_ALIASES = {
    "foot": "ankle",
    "knee": "shin",
    "hip": "thigh",
    "leg": "thigh",
    "arm": "upper_arm",
    "elbow": "forearm",
    "wrist": "hand",
}

# Parts that are more than one joint and what hangs on it.
_PARTS = ("upper", "lower", "arms")


def joints_called(name: str, rig: Rig, others: Sequence[str] = ()) -> tuple[int, ...]:
    """Joints of a name or role: one, or those of the spine from hips to chest.

    ``others`` are further names that could have been meant, for the message.
    """
    skeleton = rig.skeleton
    if name in skeleton.names:
        return (skeleton.index(name),)
    if name == "root":
        return (0,)
    if name == "spine":
        if not rig.spine:
            raise RigError(
                "the spine of the skeleton was not recognised; name its joints one by one"
            )
        return rig.spine
    role = _role(name)
    if role in ROLES:
        return (rig.joint(role, f"{name!r}"),)
    known = [*skeleton.names, *ROLES, "spine", *others]
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    hint = f"; did you mean {', '.join(near)}?" if near else f"; roles are {', '.join(ROLES)}"
    raise RigError(f"the skeleton has no joint or role {name!r}{hint}")


def part_joints(name: str, rig: Rig) -> tuple[int, ...]:
    """All joints of a part of the body: ``"upper"``, ``"lower"``, ``"arms"``, or a joint and all
    below it.

    Arms and legs may be called so: ``"left_arm"`` begins at the upper arm.
    """
    skeleton = rig.skeleton
    if name in ("upper", "lower"):
        top = rig.spine[0] if rig.spine else rig.joint("chest", "the upper body")
        upper = below(skeleton, top)
        return upper if name == "upper" else tuple(sorted(set(range(len(skeleton))) - set(upper)))
    if name == "spine":
        return rig.spine
    if name == "arms" and name not in skeleton.names:
        return tuple(sorted({*part_joints("left_arm", rig), *part_joints("right_arm", rig)}))
    return below(skeleton, joints_called(name, rig, _PARTS)[0])


def below(skeleton: Skeleton, joint: int) -> tuple[int, ...]:
    """A joint and everything below it."""
    chosen = {joint}
    for child, parent in enumerate(skeleton.parents):
        if int(parent) in chosen:
            chosen.add(child)
    return tuple(sorted(chosen))


def _role(name: str) -> str:
    side, _, part = name.partition("_")
    if side in ("left", "right"):
        return f"{side}_{_ALIASES.get(part, part)}"
    return name
