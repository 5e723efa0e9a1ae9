"""Joint names of the common conventions, read as sides and body parts.

A name such as ``mixamorig:LeftUpLeg``, ``Bip01 L Thigh``, ``thigh.L``, ``L_Hip`` or
``lfemur`` is cut into words; a side is taken out, and the longest run of words at the
end that names a body part is kept. Words are ambiguous between conventions (a
*shoulder* is a collar bone for some and the upper arm's joint for others), so roles are claimed in
an order that resolves it: unambiguous words first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from motionweave.body.rig.languages import in_english
from motionweave.body.rig.tree import depths
from motionweave.core.skeleton import Skeleton

LEFT, RIGHT, CENTRE = "left", "right", ""

LEG_ROLES = ("thigh", "shin", "ankle", "toe")
ARM_ROLES = ("shoulder", "upper_arm", "forearm", "hand")


# Thumbs, numbered fingers, bones of the palm; "ring" and "middle" alone may be anything.
_FINGER = re.compile(r"thumb|finger|pinky|metacarpal|(?:index|middle|ring|little)_?\d")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SIDES = {
    "left": LEFT,
    "l": LEFT,
    "lft": LEFT,
    "lt": LEFT,
    "lf": LEFT,
    "right": RIGHT,
    "r": RIGHT,
    "rgt": RIGHT,
    "rt": RIGHT,
    "rg": RIGHT,
}

# Joints with one of these words are goals and controls of others, somewhere around the body.
_CONTROLS = _words("ik fk ctrl control controller pole target")
# Joints with one of these words control, roll or end another one: never a role.
_HELPERS = _CONTROLS | _words(
    "twist roll nub end site tip effector mch "
    "helper share corrective socket weapon prop attach muscle volume tweak"
)
# Words without meaning that may follow the body part.
_EMPTY = _words("joint jnt jt bone bind bend skin def geo main stretch")

# Joints with one of these words move hair or clothes, which hang on the body.
_WORN = _words(
    "hair ponytail pony pigtail braid bangs ribbon cape cloak mantle coat skirt dress "
    "cloth clothes scarf strap belt"
)

# Claims in order of precedence: a role already claimed, or a joint already taken, is passed over.
_LEG_CLAIMS: Sequence[tuple[str, frozenset[str]]] = (
    ("thigh", _words("upleg upperleg thigh femur legupper legup hipleg")),
    ("shin", _words("shin calf tibia knee lowerleg lowleg leglower legdown crus")),
    ("ankle", _words("ankle")),
    ("toe", _words("toe toes toebase ball tiptoe")),
    # Below the ankle in some rigs, with the toe ahead of it.
    ("toe", _words("forefoot")),
    ("ankle", _words("foot")),
    ("toe", _words("foot")),
    ("shin", _words("leg")),
    ("thigh", _words("hip")),
    ("thigh", _words("leg")),
    ("ankle", _words("footorleg")),
    ("shin", _words("footorleg")),
    ("thigh", _words("footorleg")),
)
_ARM_CLAIMS: Sequence[tuple[str, frozenset[str]]] = (
    ("shoulder", _words("collar clavicle scapula collarbone")),
    (
        "upper_arm",
        _words("uparm upperarm humerus armupper armup shldr uarm"),
    ),
    ("forearm", _words("forearm lowerarm lowarm elbow radius ulna armlower armdown farm")),
    ("hand", _words("wrist")),
    ("hand", _words("hand palm")),
    ("upper_arm", _words("arm")),
    ("upper_arm", _words("shoulder")),
    ("shoulder", _words("shoulder")),
)
# Roles of joints that carry the rest of a limb.
_CARRYING = _words("thigh shin upper_arm forearm")
_CENTRE_CLAIMS: Sequence[tuple[str, frozenset[str]]] = (
    ("hips", _words("hips pelvis hip")),
    ("neck", _words("neck lowerneck neckbase")),
    ("head", _words("head skull")),
)

# Words for the legs of animals, and for where on an animal a leg is.
_BEASTLY = _words("paw hoof foreleg hindleg frontleg backleg rearleg forepaw hindpaw")
_HOCKS = _words("horselink hock fetlock pastern")
_BEASTLY_PLACES = _words("fore hind front rear back")
_LEGGED = _words("leg upleg thigh shin foot paw calf ankle")

_WORDS = frozenset().union(
    *(words for claims in (_LEG_CLAIMS, _ARM_CLAIMS, _CENTRE_CLAIMS) for _, words in claims)
)
_TOKEN = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[^\W\d_]+")
_INITIALS = re.compile(r"(?<![A-Za-z])([LR])([UF]Arm)$")
# A side at the end of a name counts more than letters before: PalmR.L is a part of the left hand.
_ENDING = re.compile(r"[\s_.\-](l|r|left|right)$", re.IGNORECASE)
_PIECE = re.compile(_TOKEN.pattern + r"|\d+")
# Prefixes that exporters put before every name of a character.
_PREFIX = re.compile(
    r"^(?:(?:mixamorig\d*|character\d*|bip\d+|bip|biped|valvebiped|valve|armature|skeleton|"
    r"actor\d*|genesis\d*|cc_base|def|org|b|j_bip|m_avg|jnt|joint|bone)(?:[\s_.\-]+|(?<=\d)(?=[A-Z])))+",
    re.IGNORECASE,
)


def read_name(name: str) -> tuple[str, str]:
    """Side (``left``, ``right`` or empty) and body part (or empty) of a joint name."""
    side, bare = _ending_side(_PREFIX.sub("", _last_part(name)))
    tokens = [token.lower() for token in _TOKEN.findall(bare)]
    if any(token in _HELPERS for token in tokens):
        return CENTRE, ""
    # An initial for the side before one for the part: LUArm, RFArm.
    initials = _INITIALS.search(bare)
    if initials:
        return _SIDES[initials[1].lower()], initials[2].lower()
    rest = []
    for token in tokens:
        if token in _SIDES:
            side = side or _SIDES[token]
            continue
        if side == CENTRE:
            side, token = _glued_side(token)
        rest.append(token)
    while rest and rest[-1] in _EMPTY:
        rest.pop()
    for first in range(len(rest)):
        part = "".join(rest[first:])
        if part in _WORDS:
            return side, part
    return side, ""


def is_helper(name: str) -> bool:
    """Whether a joint says that it controls, rolls or ends another one."""
    return any(token.lower() in _HELPERS for token in _TOKEN.findall(_last_part(name)))


def is_control(name: str) -> bool:
    """Whether a joint says that it is a goal or a control: it is around the body, not in it."""
    return any(token.lower() in _CONTROLS for token in _TOKEN.findall(_last_part(name)))


def is_worn(name: str) -> bool:
    """Whether a joint says that it moves hair or clothes."""
    return any(token.lower() in _WORN for token in _TOKEN.findall(_last_part(name)))


def _ending_side(name: str) -> tuple[str, str]:
    """The side that a name ends with, and the name before it; no side and the name otherwise."""
    ending = _ENDING.search(name)
    if ending is None or ending.start() == 0:
        return CENTRE, name
    return _SIDES[ending[1].lower()], name[: ending.start()]


def is_finger(name: str) -> bool:
    """Whether a joint says that it belongs to a finger."""
    return _FINGER.search(in_english(name).lower()) is not None


def normalised(name: str) -> str:
    """A joint name without prefix, case, separators and spelling of its side.

    ``mixamorig7:LeftUpLeg``, ``Character1_LeftUpLeg``, ``left_up_leg`` and ``UpLeg.L`` are one
    name; counts stay (``Spine1`` is not ``Spine2``), leading zeros go.
    """
    side, bare = _ending_side(_PREFIX.sub("", _last_part(name)))
    tokens = [token.lower() for token in _PIECE.findall(bare)]
    while tokens and tokens[0] in _EMPTY and len(tokens) > 1:
        tokens.pop(0)
    rest = []
    for token in tokens:
        if side == CENTRE and token in _SIDES:
            side = _SIDES[token]
            continue
        if side == CENTRE:
            side, token = _glued_side(token)
        rest.append(token.lstrip("0") or "0" if token.isdigit() else token)
    return f"{side}_{''.join(rest)}" if side else "".join(rest)


def _last_part(name: str) -> str:
    """The name without namespaces and path, in English: what follows the last ``:`` or ``|``."""
    return in_english(re.split(r"[:|]", name)[-1])


def side_key(name: str) -> tuple[str, str]:
    """Side of a joint name, and the name without the side, which is the same for both
    counterparts."""
    name = in_english(name)
    ending, before = _ending_side(name)
    if ending:
        return ending, f"{name[: len(before) + 1]}*".lower()
    for found in _TOKEN.finditer(name):
        token = found.group().lower()
        side, end = _SIDES.get(token, CENTRE), found.end()
        if side == CENTRE:
            side, _ = _glued_side(token)
            prefix = next((p for p in (LEFT, RIGHT) if token.startswith(p)), token[:1])
            end = found.start() + len(prefix)
        if side:
            return side, f"{name[: found.start()]}*{name[end:]}".lower()
    return CENTRE, name.lower()


def _glued_side(token: str) -> tuple[str, str]:
    """Side and rest of words such as ``lfemur`` or ``leftfoot``."""
    for prefix in ("left", "right", "l", "r"):
        if not token.startswith(prefix):
            continue
        part = token[len(prefix) :]
        known = part in _WORDS or part.removesuffix("joint") in _WORDS
        if known or (len(prefix) > 1 and part):
            return _SIDES[prefix], part.removesuffix("joint") if known else part
    return CENTRE, token


def roles_by_name(skeleton: Skeleton) -> dict[str, int]:
    """Roles that the names alone give; not yet checked against the tree."""
    parts: dict[tuple[str, str], list[int]] = {}
    for joint, name in enumerate(skeleton.names):
        side, part = read_name(name)
        if part:
            parts.setdefault((side, part), []).append(joint)
    parts = _off_centre(skeleton, parts)
    depth = depths(skeleton)
    roles: dict[str, int] = {}
    for side in (LEFT, RIGHT):
        for claims in (_LEG_CLAIMS, _ARM_CLAIMS):
            limb = _claimed(skeleton, claims, side, parts, depth)
            if "thigh" in limb and "shin" in limb and depth[limb["thigh"]] > depth[limb["shin"]]:
                # Legs that are numbered alone: Leg1, Leg2.
                limb["thigh"], limb["shin"] = limb["shin"], limb["thigh"]
            roles.update((f"{side}_{role}", joint) for role, joint in limb.items())
    roles.update(_claimed(skeleton, _CENTRE_CLAIMS, CENTRE, parts, depth))
    return roles


def _off_centre(
    skeleton: Skeleton, parts: Mapping[tuple[str, str], list[int]]
) -> dict[tuple[str, str], list[int]]:
    """The joints of sides without those at one place with their like of the other side.

    Some exporters put a joint of the limb's own name between the middle of the body and
    the limb; it turns nothing. Where no joint of that name is left, all stay.
    """
    rest = skeleton.rest_positions
    kept = dict(parts)
    for (side, part), joints in parts.items():
        others = parts.get((RIGHT if side == LEFT else LEFT, part), [])
        if side == CENTRE or len(joints) < 2 or len(others) < 2:
            continue
        near = 1e-3 * skeleton.height
        apart = [j for j in joints if np.linalg.norm(rest[others] - rest[j], axis=1).min() > near]
        kept[side, part] = apart or joints
    return kept


def has_hocks(skeleton: Skeleton) -> bool:
    """Whether names speak of the additional link that the hind legs of animals have."""
    count = 0
    for name in skeleton.names:
        tokens = [token.lower() for token in _TOKEN.findall(name)]
        links = {*tokens, *(a + b for a, b in pairwise(tokens))}
        count += bool(links & _HOCKS)
    return count >= 2


def legs_by_name(skeleton: Skeleton) -> int:
    """4 if names speak of the paws, hooves, fore and hind legs of an animal, else 0."""
    beastly = 0
    for name in skeleton.names:
        tokens = [token.lower() for token in _TOKEN.findall(name)]
        where = any(token in _BEASTLY_PLACES for token in tokens)
        leg = any(token in _LEGGED for token in tokens)
        beastly += any(token in _BEASTLY for token in tokens) or (where and leg)
    return 4 if beastly >= 4 else 0


def _counts(name: str) -> list[int]:
    """The numbers in a name, without what exporters put before all names."""
    return [int(count) for count in re.findall(r"\d{1,9}", _PREFIX.sub("", _last_part(name)))]


def _claimed(
    skeleton: Skeleton,
    claims: Sequence[tuple[str, frozenset[str]]],
    side: str,
    parts: Mapping[tuple[str, str], list[int]],
    depth: Sequence[int],
) -> dict[str, int]:
    taken: dict[str, int] = {}
    carrying = {int(parent) for parent in skeleton.parents}
    # Some rigs hang a bone called tibia beside the foot, below the joint that bends the knee: what
    # carries nothing is the middle of a limb only if no other joint is.
    for role, words, any_joint in (
        *((role, words, role not in _CARRYING) for role, words in claims),
        *((role, words, True) for role, words in claims if role in _CARRYING),
    ):
        if role in taken:
            continue
        joints = [
            joint
            for (where, word), found in parts.items()
            if where == side and word in words
            for joint in found
            if joint not in taken.values() and (any_joint or joint in carrying)
        ]
        if joints:
            # Bones split along their length repeat the name: the uppermost moves the limb. Five
            # toes are in any order in a file: the same one stands for both feet.
            taken[role] = min(
                joints, key=lambda joint: (depth[joint], _counts(skeleton.names[joint]), joint)
            )
    return taken
