"""FBX, through an installed Blender that runs in the background.

There is no reliable FBX reader for plain Python, and no writer. Lengths come in metres; a figure is
written with the same simple body as in glTF.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.checks import size
from motionweave.core.motion import Motion
from motionweave.errors import FormatError
from motionweave.io.axes import PoseArrays, to_y_up, turned
from motionweave.io.bvh.format import unique_names
from motionweave.io.fbx.blender import convert
from motionweave.io.gltf import format as gltf
from motionweave.io.registry import Format
from motionweave.io.scene.animations import unasked
from motionweave.io.scene.rest import Rest, normalised
from motionweave.io.store.container import Members

_MAGICS = (b"Kaydara FBX Binary", b"; FBX")


def read(path: str | Path, *, animation: str | int | None = None) -> Motion:
    """Read the largest skeleton of an FBX file and what it does.

    Parameters
    ----------
    path
        The file.
    animation
        Name or number (from 0) of the animation, where there are several; the one that Blender
        shows if None.
    """
    path = Path(path)
    with path.open("rb") as file:
        if not file.read(64).lstrip().startswith(_MAGICS):
            raise FormatError("this is not an FBX file", path)
    with tempfile.TemporaryDirectory(prefix="motionweave-") as folder:
        dumped = Path(folder) / "joints.npz"
        convert(path, dumped, path, animation=animation)
        return from_joints(dumped, path, animation)


def write(motion: Motion, path: str | Path, *, unit: str | float | None = None) -> None:
    """Write an FBX file; ``unit`` is the motion's unit of length, see `gltf.write`."""
    path = Path(path)
    with tempfile.TemporaryDirectory(prefix="motionweave-") as folder:
        between = Path(folder) / "motion.glb"
        gltf.write(motion, between, unit=unit)
        convert(between, path, path, fps=motion.fps)


FORMAT = Format("FBX", (".fbx",), read=read, write=write)


def from_joints(dumped: Path, path: Path, animation: str | int | None = None) -> Motion:
    """The motion in arrays written by Blender, whose world has z up.

    Parameters
    ----------
    dumped
        The arrays, see `blender_script`.
    path
        The user's file.
    animation
        Which animation the user asked for.
    """
    with Members(dumped, "what Blender makes of an FBX file") as members:
        arrays = {
            name: members.array(f"{name}.npy")
            for name in ("names", "parents", "rest", "poses", "fps", "animations", "taken")
        }
    names = unique_names(str(one) for one in arrays["names"])
    animations = tuple(str(one) for one in arrays["animations"])
    taken = int(arrays["taken"])
    parents = arrays["parents"].tolist()
    rest, poses, fps = arrays["rest"], arrays["poses"], float(arrays["fps"])
    size(len(poses), len(names), path.stat().st_size)
    if parents.count(-1) != 1 or parents[0] != -1:
        raise FormatError("the joints do not have one common root", path)
    if not (np.all(np.isfinite(rest)) and np.all(np.isfinite(poses))):
        raise FormatError("some transforms are not finite numbers", path)
    skeleton, pose = normalised(names, parents, _rest(rest), *_decomposed(poses))
    skeleton, pose = turned(
        skeleton, PoseArrays(pose.root, pose.rotations, pose.translations), to_y_up
    )
    return Motion(
        skeleton,
        fps,
        pose.root,
        pose.rotations,
        pose.translations,
        name=path.stem if animation is None else animations[taken],
        source={
            "format": FORMAT.name,
            "metres_a_unit": 1.0,
            "animations": animations,
            "warnings": tuple(unasked(animations, taken)) if animation is None else (),
        },
    )


def _decomposed(matrices: Array) -> tuple[Array, Array]:
    """Positions and orientations of matrices ``(..., 4, 4)``."""
    linear = rotations.orthogonal(matrices[..., :3, :3])
    return matrices[..., :3, 3].astype(np.float64), rotations.from_matrix(linear)


def _rest(matrices: Array) -> Rest:
    return Rest(*_decomposed(matrices))
