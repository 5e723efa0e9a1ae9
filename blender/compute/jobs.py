"""What the operators ask for: each job is one call of motionweave on takes.

A job gets takes and plain values, and gives takes and plain values, so that it can run in
Blender or in a process beside it.
"""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import motionweave as mw
from motionweave.core import rotations

from .convert import to_motion, to_motions, to_take
from .library import function, options
from .take import Take

_CURVES: OrderedDict[tuple[Any, ...], Any] = OrderedDict()
_MOST_CURVES = 4
# Angle and share of the height within which a frame of a result is the clip's own.
_SAME = 1e-6


@dataclass
class Reply:
    """What a job gives: new takes, plain values, and what the user should be told."""

    takes: list[Take] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)


def run(name: str, takes: list[Take], values: dict[str, Any]) -> Reply:
    """Do one job; the warnings of motionweave come back as messages."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        reply = JOBS[name](takes, values)
    kinds = tuple(
        getattr(mw, kind) for kind in ("QualityWarning", "RetargetNotice") if hasattr(mw, kind)
    )
    for one in heard:
        if issubclass(one.category, kinds) and str(one.message) not in reply.messages:
            reply.messages.append(str(one.message))
    return reply


def check(takes: list[Take], values: dict[str, Any]) -> Reply:
    """Which version runs, and what it can do."""
    wanted = ("loop", "in_place", "travel", "retarget", "Library")
    missing = [name for name in wanted if not hasattr(mw, name)]
    return Reply(values={"version": mw.__version__, "missing": missing})


def blend(takes: list[Take], values: dict[str, Any]) -> Reply:
    """``weights`` is one row, or a row for each scene frame from the start."""
    curve = _registered(takes)
    weights = np.asarray(values["weights"], dtype=float)
    given: Any = _along(weights, takes[0].fps) if weights.ndim == 2 else weights
    return Reply([to_take(mw.blend(curve, given), takes[0])])


def parametric(takes: list[Take], values: dict[str, Any]) -> Reply:
    """The blend of which a ``measure`` has a ``value``."""
    measure = values["measure"]
    space = mw.parametric(_registered(takes), measure)
    reached = space.at(**{measure: values["value"]})
    weights = [float(one) for one in reached.weights]
    found = {"weights": weights, "value": reached.values[measure]}
    return Reply([to_take(reached.motion, takes[0])], found)


def transition(takes: list[Take], values: dict[str, Any]) -> Reply:
    """Two takes or more as one; for two also where the ``seam`` is in it."""
    motions = to_motions(takes)
    at = values.get("at")
    given = options(
        mw.transition,
        at=None if at is None else tuple(at),
        half_width=values.get("half_width"),
        keep=values.get("keep"),
    )
    joined = mw.transition(*motions, **given)
    seam = _seam(joined, motions) if len(motions) == 2 else None
    return Reply([to_take(joined, takes[0])], {"seam": seam})


def loop(takes: list[Take], values: dict[str, Any]) -> Reply:
    made = function("loop")(
        to_motion(takes[0]), rounds=values["rounds"], in_place=values["in_place"]
    )
    return Reply([to_take(made, takes[0])])


def in_place(takes: list[Take], values: dict[str, Any]) -> Reply:
    return Reply([to_take(function("in_place")(to_motion(takes[0])), takes[0])])


def travel(takes: list[Take], values: dict[str, Any]) -> Reply:
    made = function("travel")(to_motion(takes[0]), speed=values.get("speed"))
    return Reply([to_take(made, takes[0])])


def root_motion(takes: list[Take], values: dict[str, Any]) -> Reply:
    """The same motion with its root motion on the armature object."""
    motion = to_motion(takes[0])
    still = function("in_place")(motion)
    # The move that brings the motion in place to where it was, frame by frame.
    turn = rotations.multiply(motion.rotations[:, 0], rotations.inverse(still.rotations[:, 0]))
    shift = motion.root - rotations.rotate(turn, still.root)
    took = _floor_moves(turn, shift)
    take = to_take(still, takes[0])
    return Reply([replace(take, objects=took @ take.objects)])


def clean_feet(takes: list[Take], values: dict[str, Any]) -> Reply:
    return Reply([to_take(mw.clean_feet(to_motion(takes[0])), takes[0])])


def warp(takes: list[Take], values: dict[str, Any]) -> Reply:
    """``marks``: frame and bones of each posed frame; takes after the first are these poses."""
    motions = to_motions(takes)
    motion, keys = motions[0], []
    for posed, mark in zip(motions[1:], values["marks"], strict=True):
        frame = float(mark["frame"])
        for bone in mark["bones"]:
            if bone not in motion.skeleton.names:
                raise mw.WarpError(
                    f"bone {bone!r} is not part of the body; pose bones from the hips downwards "
                    "in the hierarchy"
                )
            joint = motion.skeleton.index(bone)
            keys.append(mw.Key(frame, bone, rotation=posed.rotations[0, joint]))
        if mark["moved"]:
            keys.append(mw.Key(frame, "position", goal=tuple(posed.root[0])))
    return Reply([to_take(mw.warp(motion, keys), takes[0])])


def contacts(takes: list[Take], values: dict[str, Any]) -> Reply:
    """Contacts of a take, detected again."""
    motion = to_motion(replace(takes[0], contacts=None), contacts=False)
    found = mw.detect_contacts(motion)
    return Reply(values={"contacts": [(c.start, c.end, c.kind) for c in found]})


def quality(takes: list[Take], values: dict[str, Any]) -> Reply:
    measured = mw.quality(to_motion(takes[0]))
    return Reply(values={"text": str(measured), "quality": _plain(measured.to_dict())})


def retarget(takes: list[Take], values: dict[str, Any]) -> Reply:
    """The first take on the armature of the second."""
    source, onto = to_motion(takes[0]), to_motion(takes[1], contacts=False)
    made = function("retarget")(source, onto)
    return Reply([replace(to_take(made, takes[1]), start=takes[0].start)])


def find(takes: list[Take], values: dict[str, Any]) -> Reply:
    """Stretches of a library's clips that are like a take."""
    with function("Library")(values["folder"]) as library:
        if values.get("update", True):
            library.add()
        found = library.find(to_motion(takes[0]), most=values["most"])
        rows = [
            {
                "clip": one.clip,
                "start": float(one.first),
                "end": float(one.last),
                "distance": float(one.distance),
            }
            for one in found
        ]
    return Reply(values={"found": rows})


def fetch(takes: list[Take], values: dict[str, Any]) -> Reply:
    """A stretch of a clip of a library, on the armature of a take."""
    with function("Library")(values["folder"]) as library:
        clip = library.load(values["clip"])
    first, last = int(np.floor(values["start"])), int(np.ceil(values["end"]))
    onto = to_motion(takes[0], contacts=False)
    made = function("retarget")(clip[first : last + 1].resample(takes[0].fps), onto)
    return Reply([to_take(made, takes[0])])


Job = Callable[[list[Take], dict[str, Any]], Reply]
JOBS: dict[str, Job] = {
    job.__name__: job
    for job in (
        check,
        blend,
        parametric,
        transition,
        loop,
        in_place,
        travel,
        root_motion,
        clean_feet,
        warp,
        contacts,
        quality,
        retarget,
        find,
        fetch,
    )
}


def _registered(takes: list[Take]) -> Any:
    """The registration of takes; the last few are kept, so that weights can be dragged."""
    motions = to_motions(takes)
    key = tuple((motion.fingerprint, motion.constraints) for motion in motions)
    if key not in _CURVES:
        _CURVES[key] = mw.register(*motions)
        while len(_CURVES) > _MOST_CURVES:
            _CURVES.popitem(last=False)
    _CURVES.move_to_end(key)
    return _CURVES[key]


def _along(rows: np.ndarray, fps: float) -> Callable[[float], np.ndarray]:
    """Weights over time from one row per frame; the last row holds after the end."""
    frames = np.arange(len(rows))

    def at(seconds: float) -> np.ndarray:
        return np.array([np.interp(seconds * fps, frames, column) for column in rows.T])

    return at


def _seam(joined: mw.Motion, motions: list[mw.Motion]) -> tuple[int, int] | None:
    """The last frame before and the first after a transition; None if there is none of them.

    Before it the first clip is as it was; after it joints turn as in the second.
    """
    first, second = (motion.resample(joined.fps) for motion in motions)
    height = joined.skeleton.height

    def alike(one: mw.Motion, other: mw.Motion, backwards: bool) -> int:
        count = min(len(one), len(other))
        rows = slice(None, -count - 1, -1) if backwards else slice(count)
        turned = rotations.angle_between(one.rotations[rows], other.rotations[rows])
        apart = np.abs(one.root[rows] - other.root[rows]).max(axis=1)
        if backwards:
            # The second clip is turned and shifted on the floor.
            turned, apart = turned[:, 1:], apart * 0.0
        same = (turned.max(axis=1) < _SAME) & (apart < _SAME * height)
        return count if same.all() else int(np.argmin(same))

    before, after = alike(joined, first, False), alike(joined, second, True)
    # The frame at which two strips meet is the same in both.
    return (before - 1, len(joined) - after) if before > 1 and after > 1 else None


def _floor_moves(turn: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """Turns about the vertical and shifts (y up) as matrices (z up), ``(T, 4, 4)``."""
    angle = rotations.vertical_angle(turn)
    made = np.tile(np.eye(4), (len(angle), 1, 1))
    made[:, 0, 0] = made[:, 1, 1] = np.cos(angle)
    made[:, 1, 0], made[:, 0, 1] = np.sin(angle), -np.sin(angle)
    made[:, 0, 3], made[:, 1, 3], made[:, 2, 3] = shift[:, 0], -shift[:, 2], shift[:, 1]
    return made


def _plain(value: Any) -> Any:
    """NumPy numbers and tuples as JSON has them."""
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, np.generic):
        return value.item()
    return value
