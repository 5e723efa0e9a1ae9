"""NumPy archives (``.npz``): motions as plain arrays, and the layout of AMASS.

A motion is kept in these arrays (T frames, J joints, E end sites, up is +y):

=============  ============  ==================================================
``names``      ``(J,)``      joint names
``parents``    ``(J,)``      index of each joint's parent, -1 for joint 0, the root
``offsets``    ``(J, 3)``    place in the parent's frame at rest
``end_parents``, ``end_offsets``   ``(E,)``, ``(E, 3)``: tips of the last bones
``fps``        ``()``        frames per second
``root``       ``(T, 3)``    positions of the root
``rotations``  ``(T, J, 4)``  local rotations, quaternions xyzw, none turned at rest
``translations``  ``(T, J, 3)``  only for rigs whose bones change their lengths
``positions``  ``(T, J, 3)``  joint positions, for other readers; not read here
=============  ============  ==================================================

AMASS files hold ``poses`` (axis-angle), ``trans`` and ``mocap_framerate`` for the body
models of the SMPL family, z up. They have no skeleton: it is given as a file, either any
motion file whose joints have the names of the body model, or the model file itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from motionweave.core import checks, rotations
from motionweave.core.arrays import Array
from motionweave.core.checks import clean_name
from motionweave.core.motion import Motion
from motionweave.core.skeleton import Skeleton
from motionweave.errors import FormatError
from motionweave.io.axes import to_y_up
from motionweave.io.registry import Format
from motionweave.io.store.container import Members

_RATES = ("mocap_framerate", "mocap_frame_rate")
_SIDES = ("left", "right")
_FINGERS = ("index", "middle", "pinky", "ring", "thumb")
_FACE = ("jaw", "left_eye", "right_eye")
# The first 22 joints are the same in all models of the family.
_BODY = (
    *("pelvis", "left_hip", "right_hip", "spine1", "left_knee", "right_knee", "spine2"),
    *("left_ankle", "right_ankle", "spine3", "left_foot", "right_foot", "neck"),
    *("left_collar", "right_collar", "head", "left_shoulder", "right_shoulder"),
    *("left_elbow", "right_elbow", "left_wrist", "right_wrist"),
)
_HANDS = tuple(f"{side}_{one}{k}" for side in _SIDES for one in _FINGERS for k in (1, 2, 3))
# Joint names by how many joints the poses turn.
MODELS = {
    22: _BODY,
    24: (*_BODY, "left_hand", "right_hand"),
    52: (*_BODY, *_HANDS),
    55: (*_BODY, *_FACE, *_HANDS),
}


def read(
    path: str | Path, *, skeleton: str | Path | None = None, fps: float | None = None
) -> Motion:
    """Read a motion from arrays.

    Parameters
    ----------
    path
        The file.
    skeleton
        For AMASS files: a file with the skeleton.
    fps
        Frames per second, instead of the rate that the file states.
    """
    path = Path(path)
    arrays = _arrays(path)
    if {"poses", "trans"} <= arrays.keys():
        return _read_amass(arrays, path, skeleton, fps)
    if skeleton is not None:
        raise FormatError("skeleton= works only with AMASS files, which have poses and trans", path)
    missing = [
        one for one in ("names", "parents", "offsets", "root", "rotations") if one not in arrays
    ]
    if missing:
        found = ", ".join(sorted(arrays)[:12])
        raise FormatError(f"no motion: there is no array {missing[0]!r} (only {found})", path)
    tree = Skeleton(
        _words(arrays, "names", path),
        arrays["parents"],
        _numbers(arrays, "offsets"),
        arrays.get("end_parents", np.zeros(0, dtype=np.intp)),
        _numbers(arrays, "end_offsets", np.zeros((0, 3))),
    )
    translations = arrays.get("translations")
    return Motion(
        tree,
        _rate(arrays, ("fps",), path) if fps is None else fps,
        _numbers(arrays, "root"),
        _numbers(arrays, "rotations"),
        None if translations is None else _numbers(arrays, "translations"),
        name=path.stem,
        source={"format": FORMAT.name},
    )


def write(motion: Motion, path: str | Path) -> None:
    """Write a motion as arrays, in double precision."""
    arrays: dict[str, Any] = {
        "names": np.array(motion.skeleton.names),
        "parents": motion.skeleton.parents,
        "offsets": motion.skeleton.offsets,
        "end_parents": motion.skeleton.end_parents,
        "end_offsets": motion.skeleton.end_offsets,
        "fps": motion.fps,
        "root": motion.root,
        "rotations": motion.rotations,
        "positions": motion.positions(),
    }
    if motion.translations is not None:
        arrays["translations"] = motion.translations
    with Path(path).open("wb") as file:
        np.savez_compressed(file, **arrays)


FORMAT = Format("NumPy", (".npz",), read=read, write=write)


def _arrays(path: Path) -> dict[str, NDArray[Any]]:
    """All arrays of a file that are of plain numbers or text, but those for other readers."""
    with Members(path, "an .npz file") as members:
        named = {one.removesuffix(".npy"): one for one in members.names if one.endswith(".npy")}
        arrays = {
            name: members.numbers(member) for name, member in named.items() if name != "positions"
        }
    # AMASS files also hold objects, which need not be looked at.
    return {name: array for name, array in arrays.items() if array is not None}


def _words(arrays: Mapping[str, NDArray[Any]], name: str, path: Path) -> tuple[str, ...]:
    values = arrays[name]
    if values.ndim != 1 or values.dtype.kind not in "US":
        raise FormatError(f"{name}: expected a list of names, found {values.dtype}", path)
    if values.dtype.kind == "S":
        values = np.char.decode(values, "utf-8", "replace")
    return tuple(clean_name(one, "joint") for one in values.tolist())


def _numbers(arrays: Mapping[str, NDArray[Any]], name: str, default: Array | None = None) -> Array:
    if name not in arrays and default is not None:
        return default
    values = arrays[name]
    return checks.array(values, name, (None,) * values.ndim)


def _rate(arrays: Mapping[str, NDArray[Any]], names: tuple[str, ...], path: Path) -> float:
    for name in names:
        if name in arrays and arrays[name].size == 1:
            return checks.rate(arrays[name].reshape(())[()], name)
    raise FormatError(
        f"there is no frame rate ({names[0]}); give it with --input-fps (fps= in Python)", path
    )


# AMASS


def _read_amass(
    arrays: Mapping[str, NDArray[Any]],
    path: Path,
    skeleton: str | Path | None,
    fps: float | None,
) -> Motion:
    if skeleton is None:
        raise FormatError(
            "AMASS files have no skeleton; name the file of the body model, or a motion with its "
            "joints, with skeleton= (--option skeleton=FILE)",
            path,
        )
    poses, places = _numbers(arrays, "poses"), _numbers(arrays, "trans")
    turned = poses.shape[1] // 3 if poses.ndim == 2 else 0
    if turned not in MODELS or poses.shape[1] % 3 or places.shape != (len(poses), 3):
        known = ", ".join(str(3 * one) for one in MODELS)
        raise FormatError(
            f"poses {poses.shape} and trans {places.shape}: expected (frames, n) with n one of "
            f"{known}, and (frames, 3)",
            path,
        )
    tree = _skeleton_in(Path(skeleton), MODELS[turned])
    by_name = {name: joint for joint, name in enumerate(MODELS[turned])}
    vectors = np.zeros((len(poses), len(tree), 3))
    unknown = []
    for joint, name in enumerate(tree.names):
        place = by_name.get(_plain(name))
        if place is None:
            unknown.append(name)
        else:
            vectors[:, joint] = poses[:, 3 * place : 3 * place + 3]
    if _plain(tree.names[0]) != "pelvis" or len(unknown) > len(tree) // 2:
        raise FormatError(
            f"the joints of {Path(skeleton).name} are not those of the body model: expected "
            f"{', '.join(_BODY[:4])} ...",
            path,
        )
    quaternions = rotations.exp(vectors)
    # The body model stands with y up; its first joint turns it into a world with z up.
    quaternions[:, 0] = rotations.multiply(rotations.about_axis("X", -np.pi / 2), quaternions[:, 0])
    # The model is moved as it is, so its pelvis is where it is at rest, and trans on top.
    root = to_y_up(places + tree.offsets[0])
    warnings = (f"not in the poses: {', '.join(unknown[:8])}",) if unknown else ()
    return Motion(
        tree,
        _rate(arrays, _RATES, path) if fps is None else fps,
        root,
        quaternions,
        name=path.stem,
        source={"format": FORMAT.name, "metres_a_unit": 1.0, "warnings": warnings},
    )


def _plain(name: str) -> str:
    return name.strip().lower().replace(" ", "_").replace("-", "_")


def _skeleton_in(path: Path, names: tuple[str, ...]) -> Skeleton:
    """The skeleton of a motion file, or of a body model with its joints or their regressor."""
    from motionweave.io import registry

    if path.suffix.lower() != ".npz":
        return registry.read(path).skeleton
    if not path.is_file():
        raise FormatError("there is no such skeleton file", path)
    arrays = _arrays(path)
    if "kintree_table" not in arrays:
        return registry.read(path).skeleton
    # The root's parent is -1, which unsigned numbers cannot hold.
    parents = checks.array(arrays["kintree_table"], "kintree_table", (2, None), 2.0**64)
    if "J" in arrays:
        joints = _numbers(arrays, "J")
    elif {"J_regressor", "v_template"} <= arrays.keys():
        regressor, body = (
            _numbers(arrays, "J_regressor"),
            _numbers(arrays, "v_template"),
        )
        if regressor.ndim != 2 or body.shape != (regressor.shape[1], 3):
            raise FormatError("J_regressor and v_template do not fit each other", path)
        joints = regressor @ body
    else:
        raise FormatError("the body model has neither J nor J_regressor and v_template", path)
    count = len(joints) if joints.ndim == 2 else 0
    if parents.shape != (2, count) or joints.shape != (count, 3) or count < len(_BODY):
        raise FormatError("kintree_table and joints do not fit each other", path)
    above = np.array(parents[0])
    above[0] = -1
    if np.any(above[1:] < 0) or np.any(above >= np.arange(count)):
        raise FormatError("kintree_table: parents must come before their children", path)
    above = checks.indices(above, "kintree_table", (count,), -1, count - 1)
    called = MODELS.get(count, (*names, *(f"joint{k}" for k in range(len(names), count))))
    offsets = joints - joints[np.maximum(above, 0)]
    offsets[0] = joints[0]
    return Skeleton(called[:count], above, offsets)
