"""Joint positions as one array (``.npy``): what HumanML3D and models of motion read and write.

The array is ``(T, 22, 3)`` or, with hands, ``(T, 24, 3)``: the joints of the SMPL body, in
metres, up is +y. Positions do not define how joints are rotated; rotations are fitted to them, with
bones of constant length. The file does not state its frame rate: 20 frames per second is usual.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from motionweave.body.rig.roles import SIDES, Rig, find_rig
from motionweave.body.soles import contact_points
from motionweave.core import checks, rotations
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.core.skeleton import Skeleton
from motionweave.errors import FormatError
from motionweave.io.npz import MODELS
from motionweave.io.registry import Format
from motionweave.io.scene.units import metres_a_unit
from motionweave.io.store.container import array_in

# Numbers per frame of HumanML3D's and of KIT-ML's features.
_FEATURES = (263, 251)

# Frames per second of HumanML3D.
RATE = 20.0
_PARENTS = (-1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 12, 13, 14, 16, 17, 18, 19, 20, 21)
_UP, _DOWN, _LEFT, _RIGHT = (0.0, 1.0, 0.0), (0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (-1.0, 0.0, 0.0)
_AHEAD = (0.0, -0.3, 0.95)
# Where the bone to each joint points in a T-pose; those of pelvis and chest are measured.
_WAYS = {
    **dict.fromkeys((4, 5, 7, 8), _DOWN),
    **dict.fromkeys((6, 9, 15), _UP),
    **dict.fromkeys((10, 11), _AHEAD),
    **dict.fromkeys((16, 18, 20, 22), _LEFT),
    **dict.fromkeys((17, 19, 21, 23), _RIGHT),
}
# Joints with several children: those, further joints that decide where the children lie on one
# line, which of all these are left and right of each other, and which are up and down from it.
_HUBS: dict[int, dict[str, tuple[int, ...]]] = {
    0: {"own": (1, 2, 3), "more": (6,), "left": (1,), "right": (2,), "up": (3, 6), "down": (1, 2)},
    9: {"own": (12, 13, 14), "more": (16, 17), "left": (13, 16), "right": (14, 17),
        "up": (12, 13, 14), "down": ()},
}  # fmt: skip
# How much those further joints count: almost nothing, unless nothing else decides.
_LITTLE = 1e-6
_ROUNDS = 5
# Bones that change their length by more than this share, on average, get a warning.
_STEADY = 0.03


def read(path: str | Path, *, fps: float | None = None) -> Motion:
    """Read joint positions and fit a motion to them.

    Parameters
    ----------
    path
        The file.
    fps
        Frames per second; 20 if None.
    """
    path = Path(path)
    positions = _positions(path)
    motion = fit_motion(positions, RATE if fps is None else fps, path.stem)
    lengths = _lengths(positions)
    change = float((lengths.std(axis=0) / np.maximum(lengths.mean(axis=0), 1e-9)).max())
    warnings: tuple[str, ...] = ()
    if change > _STEADY:
        warnings = (f"bones change their lengths by up to {change:.0%}; one length was fitted",)
    source = {"format": FORMAT.name, "metres_a_unit": 1.0, "warnings": warnings}
    return replace(motion, source=source)


def write(
    motion: Motion, path: str | Path, *, fps: float = RATE, unit: str | float | None = None
) -> None:
    """Write joint positions ``(T, 22, 3)``.

    Parameters
    ----------
    motion
        Its rig needs hips, legs, arms and head; a spine of another number of joints is divided
        evenly.
    path
        The file.
    fps
        Frames per second, which the file does not say.
    unit
        The motion's unit of length, as for glTF; lengths are metres in the file.
    """
    metres = metres_a_unit(motion, unit)
    positions = body_positions(motion.resample(fps)) * metres
    with Path(path).open("wb") as file:
        np.save(file, positions.astype(np.float32))


FORMAT = Format("NumPy joint positions", (".npy",), read=read, write=write, rate=RATE)


def _positions(path: Path) -> Array:
    """Positions ``(T, J, 3)`` in a file, whose axes may be in a network's order."""
    array = array_in(path)
    if array is None or array.dtype.kind not in "fiu":
        raise FormatError(
            "this is not an array of numbers; objects kept with pickle are not read: save the "
            "array of joint positions alone",
            path,
        )
    if array.ndim == 4 and array.shape[0] == 1:
        array = array[0]
    if array.ndim == 3 and array.shape[0] in MODELS and array.shape[1] == 3:
        array = np.moveaxis(array, -1, 0)
    if array.ndim == 2 and array.shape[1] % 3 == 0:
        array = array.reshape(len(array), -1, 3)
    known = (22, 24)
    if array.ndim != 3 or array.shape[1] not in known or array.shape[2] != 3 or not len(array):
        raise FormatError(
            f"joint positions: expected shape (frames, 22 or 24, 3), found {array.shape}"
            f"{_hint(array)}",
            path,
        )
    return np.array(checks.array(array, "joint positions in metres", (None, None, 3), 1e6))


def _hint(array: NDArray[Any]) -> str:
    """What an array is that people take for joint positions."""
    if array.ndim == 4:
        return f"; these seem to be {array.shape[0]} motions: save one of them, array[0]"
    if array.ndim == 2 and array.shape[1] in _FEATURES:
        return "; these are the features that networks learn from: save what they recover from them"
    return ""


def _lengths(positions: Array) -> Array:
    parents = np.array(_PARENTS[: positions.shape[1]])
    return np.asarray(np.linalg.norm(positions[:, 1:] - positions[:, parents[1:]], axis=-1))


def fit_motion(positions: Array, fps: float, name: str = "") -> Motion:
    """A motion whose joints are as near as bones of one length allow to ``(T, J, 3)``.

    Pelvis and chest are turned such that all their bones fit best; every other joint by the
    least turn, seen from its parent, that points its bone the right way.
    """
    count = positions.shape[1]
    parents = np.array(_PARENTS[:count], dtype=np.intp)
    bones = positions - positions[:, np.maximum(parents, 0)]
    lengths = np.median(np.linalg.norm(bones, axis=-1), axis=0)
    offsets = np.zeros((count, 3))
    for joint, way in _WAYS.items():
        if joint < count:
            offsets[joint] = lengths[joint] * np.array(way) / np.linalg.norm(way)
    turned = np.empty((*positions.shape[:2], 4))
    for joint in range(count):
        if joint in _HUBS:
            own = list(_HUBS[joint]["own"])
            offsets[own], turned[:, joint] = _fit_hub(positions, joint)
            continue
        base = turned[:, parents[joint]]
        below = np.flatnonzero(parents == joint)
        turned[:, joint] = base
        if len(below) and lengths[below[0]] > 1e-6:
            seen = rotations.rotate(base, offsets[below[0]])
            bone = bones[:, below[0]]
            ok = np.linalg.norm(bone, axis=-1) > 1e-6
            step = rotations.between_vectors(seen[ok], bone[ok])
            turned[ok, joint] = rotations.multiply(step, base[ok])
    offsets[0] = [0.0, float(-_rest_lowest(parents, offsets)), 0.0]
    skeleton = Skeleton(MODELS[count], parents, offsets)
    turned = rotations.normalize(turned)
    return Motion.from_global(skeleton, fps, positions[:, 0], turned, name=name)


def _rest_lowest(parents: NDArray[np.intp], offsets: Array) -> float:
    points = np.zeros_like(offsets)
    for joint in range(1, len(parents)):
        points[joint] = points[parents[joint]] + offsets[joint]
    return float(points[:, 1].min())


def _fit_hub(positions: Array, hub: int) -> tuple[Array, Array]:
    """Bones ``(k, 3)`` of a joint's children in a T-pose's axes, and its turns ``(T, 4)``."""
    parts = _HUBS[hub]
    own, everything = len(parts["own"]), [*parts["own"], *parts["more"]]
    bones = positions[:, everything] - positions[:, hub, None]
    weights = np.where(np.arange(len(everything)) < own, 1.0, _LITTLE)
    shape = bones[0]
    for _ in range(_ROUNDS):
        turns = _best_turns(shape, bones, weights)
        shape = rotations.rotate(rotations.inverse(turns)[:, None], bones).mean(axis=0)

    def along(plus: str, minus: str) -> Array:
        way = sum((shape[everything.index(j)] for j in parts[plus]), start=np.zeros(3))
        return np.asarray(way - sum((shape[everything.index(j)] for j in parts[minus]), start=0.0))

    left, up = along("left", "right"), along("up", "down")
    left = left / max(float(np.linalg.norm(left)), 1e-12)
    up = up - (up @ left) * left
    ahead = np.cross(left, up)
    if np.linalg.norm(ahead) < 1e-9:
        # All on one line or in one place: any axes will do.
        return np.asarray(shape[:own]), _best_turns(shape, bones, weights)
    axes = np.stack([left, up / np.linalg.norm(up), ahead / np.linalg.norm(ahead)])
    shape = shape @ axes.T
    return np.asarray(shape[:own]), _best_turns(shape, bones, weights)


def _best_turns(shape: Array, bones: Array, weights: Array) -> Array:
    """Turns ``(T, 4)`` that bring ``shape`` ``(k, 3)`` nearest to bones ``(T, k, 3)`` (Kabsch)."""
    u, _, vt = np.linalg.svd(np.einsum("k,tki,kj->tij", weights, bones, shape))
    u[..., :, 2] *= np.linalg.det(u @ vt)[:, None]
    return rotations.from_matrix(u @ vt)


def body_positions(motion: Motion) -> Array:
    """Places ``(T, 22, 3)`` of the joints of the SMPL body, found by role."""
    names = MODELS[22]
    positions = motion.positions()
    if set(names) <= set(motion.skeleton.names):
        return positions[:, [motion.skeleton.index(name) for name in names]]
    rig = find_rig(motion.skeleton)

    def at(role: str) -> Array:
        return positions[:, rig.joint(role, "writing joint positions")]

    found = {"pelvis": at("hips"), "head": at("head"), **_spine(rig, positions)}
    toes = contact_points(motion)
    for side in SIDES:
        for part, role in (("hip", "thigh"), ("knee", "shin"), ("ankle", "ankle")):
            found[f"{side}_{part}"] = at(f"{side}_{role}")
        found[f"{side}_foot"] = toes[f"{side}_toe"]
        for part, role in (("shoulder", "upper_arm"), ("elbow", "forearm"), ("wrist", "hand")):
            found[f"{side}_{part}"] = at(f"{side}_{role}")
        found[f"{side}_collar"] = (
            at(f"{side}_shoulder")
            if rig.has(f"{side}_shoulder")
            else 0.7 * found["neck"] + 0.3 * found[f"{side}_shoulder"]
        )
    return np.stack([found[name] for name in names], axis=1)


def _spine(rig: Rig, positions: Array) -> dict[str, Array]:
    """Three joints of the spine and the neck, of a spine of any number of joints."""
    hips = rig.joint("hips", "writing joint positions")
    top = rig.roles.get("neck", rig.roles.get("head", hips))
    chain = list(dict.fromkeys([hips, *rig.spine]))
    if len(chain) == 4:
        spots = chain[1:]
        rows = [positions[:, joint] for joint in spots]
    else:
        line = positions[:, [*chain, top]] if len(chain) < 3 else positions[:, chain]
        places = np.linspace(0.0, line.shape[1] - 1.0, 4)[1:] * (0.8 if len(chain) < 3 else 1.0)
        low = np.minimum(places.astype(int), line.shape[1] - 2)
        share = (places - low)[:, None]
        mixed = (1.0 - share) * line[:, low] + share * line[:, low + 1]
        rows = [mixed[:, k] for k in range(3)]
    return {"spine1": rows[0], "spine2": rows[1], "spine3": rows[2], "neck": positions[:, top]}
