"""Motions as the browser wants them: one compact binary that is fetched once and played there.

A payload is a 32-bit little-endian length, that many bytes of JSON (padded with blanks to a
multiple of four), then 32-bit floats: for every frame the places of all points to draw, and
after them those of heels, toes and hands that can be planted, all in metres above the floor.
For a body with a mesh the orientations of all joints follow, as quaternions of every frame.
"""

from __future__ import annotations

import json
import struct
import threading
from collections import OrderedDict
from typing import Any

import numpy as np

from motionweave.body.figure.plan import BodyPlan, body_plan, body_points
from motionweave.body.figure.stance import standing_at_rest
from motionweave.body.rig.roles import find_rig
from motionweave.body.size import body_height
from motionweave.body.soles import contact_points, has_feet
from motionweave.contacts.detect import estimate_floor
from motionweave.core.motion import Motion
from motionweave.core.skeleton import Skeleton
from motionweave.errors import RigError
from motionweave.studio.document.character import Character
from motionweave.studio.work.memo import Memo

# A character of no known unit is shown about as tall as a person ...
HEIGHT = 1.75
# ... and so are all that would be smaller or taller than people are.
_PEOPLE = (1.4, 2.0)
# Units that files are in, in metres: metre, decimetre, centimetre, millimetre, foot, inch, and
# what the Acclaim files of the CMU database have (an inch over 0.45).
_UNITS = (1.0, 0.1, 0.01, 0.001, 0.3048, 0.0254, 0.0254 / 0.45)
# The share of a person's height that is above the joint on which the head turns.
_SKULL = 0.12
# Clips whose floors are remembered.
_FLOORS = 128
# Payloads kept for the browser to fetch; older ones are long on screen or out of date.
_KEPT = 64
# Characters kept, which are larger.
_SKINS = 6


def stature(skeleton: Skeleton) -> float:
    """How tall a body is in its unit, with a skull where its joints end below that."""
    height = body_height(skeleton) or 1.0
    head = find_rig(skeleton).roles.get("head")
    if head is None:
        return height
    bones = np.concatenate(
        [
            skeleton.offsets[skeleton.parents == head],
            skeleton.end_offsets[skeleton.end_parents == head],
        ]
    )
    return height if np.any(bones) else height / (1.0 - _SKULL)


def scale_of(motion: Motion) -> float:
    """From the motion's unit to metres: the unit that makes the body most like a person."""
    height = stature(motion.skeleton)
    tall = [unit * height for unit in _UNITS if _PEOPLE[0] <= unit * height <= _PEOPLE[1]]
    return min(tall, key=lambda metres: abs(metres - HEIGHT), default=HEIGHT) / height


_floors: Memo[float] = Memo(size=_FLOORS)


def floor_of(motion: Motion) -> float:
    """How high the floor of a clip is, in its unit; remembered."""

    def found() -> float:
        if not has_feet(motion.skeleton):
            return float(body_points(motion)[..., 1].min())
        return estimate_floor(motion).height

    return _floors.get((motion,), None, found)


def pack(motion: Motion, floor: float = 0.0, *, turns: bool = False) -> bytes:
    """The payload of a motion over a floor at that height, in the motion's unit.

    ``turns`` says whether the orientations of joints go along, which a mesh needs.
    """
    down = np.array([0.0, floor, 0.0])
    drawn = standing_at_rest(motion)
    points = body_points(drawn) - down
    scale = scale_of(motion)
    soles = _soles(motion)
    header = {
        "name": motion.name,
        "frames": len(motion),
        "fps": motion.fps,
        "points": points.shape[1],
        "joints": list(motion.skeleton.names),
        "unit": 1.0 / scale,
        "floor": floor * scale,
        "height": round(stature(motion.skeleton) * scale, 3),
        "body": {**_body(body_plan(drawn.skeleton), scale), "torso": _torso(motion)},
        "feet": _feet(motion),
        "soles": list(soles),
        "turns": turns,
        "contacts": [[c.kind, c.start, c.end] for c in motion.constraints],
    }
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    everything = np.concatenate(
        [points, *(path[:, None] - down for path in soles.values())], axis=1
    )
    data = (everything * scale).astype("<f4").tobytes()
    if turns:
        data += motion.orientations().astype("<f4").tobytes()
    return struct.pack("<I", len(text)) + text + data


def _body(shape: BodyPlan, scale: float) -> dict[str, Any]:
    return {
        "pieces": [
            [list(p.points), [round(r * scale, 4) for r in p.radii], int(p.side)]
            for p in shape.pieces
        ],
        "head": None if shape.head is None else [*map(int, shape.head), shape.head_radius * scale],
    }


def _torso(motion: Motion) -> dict[str, list[int]] | None:
    """Joints that carry one smooth torso, where the rig says which they are."""
    rig = find_rig(motion.skeleton)
    hips, shoulders = ("left_thigh", "right_thigh"), ("left_upper_arm", "right_upper_arm")
    if not rig.has(*hips, *shoulders):
        return None
    return {
        "hips": [rig.roles[role] for role in hips],
        "shoulders": [rig.roles[role] for role in shoulders],
        "spine": list(rig.spine),
    }


def _feet(motion: Motion) -> list[int]:
    """Points whose trails show where the feet went."""
    roles = find_rig(motion.skeleton).roles
    return [roles[r] for r in ("left_toe", "right_toe") if r in roles] or [
        roles[r] for r in ("left_ankle", "right_ankle") if r in roles
    ]


def _soles(motion: Motion) -> dict[str, np.ndarray]:
    """Points that can be planted, by kind of contact; none for a skeleton without feet."""
    try:
        return contact_points(motion)
    except RigError:
        return {}


class PayloadStore:
    """Packed motions under addresses that change whenever their content does."""

    def __init__(self) -> None:
        # Motions are packed by threads, and asked for on the event loop.
        self._lock = threading.Lock()
        self._payloads: OrderedDict[str, bytes] = OrderedDict()
        self._keys: dict[tuple[int, bool], tuple[Motion, str]] = {}
        self._skins: OrderedDict[str, tuple[object, bytes]] = OrderedDict()
        self._characters: dict[str, Character] = {}
        self._count = 0

    def key_of(self, motion: Motion, ground: Motion | None = None, *, turns: bool = False) -> str:
        """The key under which a motion can be fetched; packed on first use.

        ``ground`` is the clip on whose floor it is, by default itself; ``turns`` as for `pack`.
        """
        with self._lock:
            known = self._keys.get((id(motion), turns))
            if known is not None and known[0] is motion and known[1] in self._payloads:
                self._payloads.move_to_end(known[1])
                return known[1]
        packed = pack(motion, floor_of(motion if ground is None else ground), turns=turns)
        with self._lock:
            self._count += 1
            key = str(self._count)
            self._payloads[key] = packed
            self._keys[id(motion), turns] = (motion, key)
            while len(self._payloads) > _KEPT:
                old, _ = self._payloads.popitem(last=False)
                self._keys = {i: pair for i, pair in self._keys.items() if pair[1] != old}
        return key

    def skin_of(self, character: Character, body: Motion) -> str:
        """The key under which a character on that body can be fetched."""
        for key, (known, _) in self._skins.items():
            if known == (id(character), body.skeleton):
                return key
        self._count += 1
        key = str(self._count)
        # The character is kept too, so that its id is not given to another.
        self._skins[key] = ((id(character), body.skeleton), character.packed(body))
        self._characters[key] = character
        while len(self._skins) > _SKINS:
            old, _ = self._skins.popitem(last=False)
            del self._characters[old]
        return key

    def skin(self, key: str) -> bytes | None:
        """A packed character, if it is still kept."""
        return self._skins[key][1] if key in self._skins else None

    def get(self, key: str) -> bytes | None:
        """The payload, if it is still kept."""
        return self._payloads.get(key)
