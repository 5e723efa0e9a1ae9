"""Which joint of a hand is which joint of which finger, in the naming conventions that number or
name fingers."""

from __future__ import annotations

import re
from collections.abc import Set

from motionweave.body.rig.languages import in_english
from motionweave.body.rig.parts import below
from motionweave.core.skeleton import Skeleton

FINGERS = ("thumb", "index", "middle", "ring", "little")

# Parts of names below a hand that tell the finger.
_WORDS = {
    "thumb": "thumb",
    "index": "index",
    "mid": "middle",
    "ring": "ring",
    "pinky": "little",
    "little": "little",
}
_NUMBER = re.compile(r"finger[\s_.\-]*(\d)")
# Bones in the palm, which only the thumb counts among its joints.
_PALM = ("metacarpal", "inhand", "palm")


def fingers_of(skeleton: Skeleton, hand: int) -> dict[str, tuple[int, ...]]:
    """The joints of each finger of a hand, from the palm outwards, by the names of `FINGERS`.

    Parameters
    ----------
    skeleton
        The character.
    hand
        The joint of the wrist.

    Returns
    -------
    dict
        Only fingers that names tell. Joints at the tips, which some rigs have, come last.
    """
    said: dict[int, str] = {}
    for joint in below(skeleton, hand)[1:]:
        finger = _said(in_english(skeleton.names[joint]).lower())
        if finger is not None:
            said[joint] = finger
    called = _called(set(said.values()))
    chains: dict[str, list[int]] = {}
    for joint, word in said.items():
        finger = called.get(word)
        palm = any(part in skeleton.names[joint].lower() for part in _PALM)
        if finger is None or (palm and finger != "thumb"):
            continue
        chain = chains.setdefault(finger, [])
        if not chain or int(skeleton.parents[joint]) == chain[-1]:
            chain.append(joint)
    return {finger: tuple(chain) for finger, chain in chains.items()}


def _said(name: str) -> str | None:
    """The finger of a name in lower case: one of `FINGERS`, or its number."""
    word = next((finger for word, finger in _WORDS.items() if word in name), None)
    if word is not None:
        return word
    number = _NUMBER.search(name)
    return None if number is None else number[1]


def _called(said: Set[str]) -> dict[str, str]:
    """The fingers of names and numbers that are `_said` of one hand.

    Numbers begin with the thumb, at 0 or 1, unless the thumb has a name of its own.
    """
    first = 0 if "0" in said else 1
    order = FINGERS[1:] if "thumb" in said else FINGERS
    numbers = {str(first + place): finger for place, finger in enumerate(order)}
    return {finger: finger for finger in FINGERS} | numbers
