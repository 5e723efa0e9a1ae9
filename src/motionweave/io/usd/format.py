"""USD (``.usda``, ``.usdc``, ``.usd``, ``.usdz``): UsdSkel skeletons and animations.

Written is a character with its skeleton, one animation with a sample a frame, and a simple
body; the stage says the unit, the vertical and the frame rate. Read is the skeleton with
the most joints, wherever it stands on its stage.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.checks import rate as checked_rate
from motionweave.core.checks import size
from motionweave.core.motion import Motion
from motionweave.core.parsing import parse_json
from motionweave.core.skeleton import Skeleton
from motionweave.errors import FormatError
from motionweave.io.apart.process import read_apart
from motionweave.io.axes import PoseArrays, check_up, to_y_up, to_z_up, turned
from motionweave.io.bvh.format import unique_names
from motionweave.io.registry import Format
from motionweave.io.scene import note as notes
from motionweave.io.scene.body_mesh import COLOURS, SIDE_NAMES, body_parts
from motionweave.io.scene.rest import Rest, normalised, orientations_of, with_rest
from motionweave.io.scene.units import metres_a_unit
from motionweave.io.usd import package
from motionweave.io.usd.crate import check_crate

_LARGEST_FILE = 1 << 31
_SCRIPT = Path(__file__).with_name("usd_script.py")
_HOME = "/character"


def read(path: str | Path, *, rate: float | None = None) -> Motion:
    """Read a skeleton and its animation.

    Parameters
    ----------
    path
        The file.
    rate
        Frames per second at which the animation is sampled; if None a frame is a time code
        where samples are at whole ones, else what suits the samples.
    """
    path = Path(path)
    rate = None if rate is None else checked_rate(rate, "rate=")
    if path.stat().st_size > _LARGEST_FILE:
        raise FormatError("the file is larger than 2 GB", path)
    options = {"rate": rate, "key": notes.KEY}
    if path.suffix.lower() == package.SUFFIX:
        arrays = package.read(path, partial(read_apart, _SCRIPT, options=options))
    else:
        check_crate(path.read_bytes(), path)
        arrays = read_apart(_SCRIPT, path, "a USD file", options)
    return _motion(arrays, path, rate)


def write(
    motion: Motion, path: str | Path, *, unit: str | float | None = None, up: str | None = None
) -> None:
    """Write a skeleton, its animation and a body.

    Parameters
    ----------
    motion
        What to write; lengths are written as they are.
    path
        ``.usda`` is text, ``.usdc`` and ``.usd`` are binary, ``.usdz`` is a package for phones.
    unit
        The motion's unit of length, noted in the file; see `motionweave.io.gltf.format.write`.
    up
        ``"y"`` or ``"z"``; None for that of the original file, otherwise ``"y"``.
    """
    path = Path(path)
    check_up(up, path)
    source = motion.source if motion.source.get("format") == FORMAT.name else {}
    up = up or source.get("up", "y")
    metres = metres_a_unit(motion, unit)
    orientations = orientations_of(motion, FORMAT.name)
    if up == "z":
        skeleton, pose = turned(
            motion.skeleton, PoseArrays(motion.root, motion.rotations, motion.translations), to_z_up
        )
        motion = Motion(
            skeleton,
            motion.fps,
            pose.root,
            pose.rotations,
            pose.translations,
            name=motion.name,
        )
    stage = _new_stage(motion, metres, up)
    joints = _joint_paths(motion.skeleton)
    local, moves, rest_local = with_rest(motion, orientations)
    skeleton_prim = _define_skeleton(stage, motion, joints, orientations, rest_local, metres)
    _define_animation(stage, skeleton_prim, joints, local, moves)
    _define_body(stage, motion, skeleton_prim)
    if path.suffix.lower() == package.SUFFIX:
        package.pack(stage, path)
    elif not stage.GetRootLayer().Export(str(path)):
        raise FormatError("USD could not write the file", path)


FORMAT = Format(
    "USD",
    (".usdc", ".usda", ".usd", package.SUFFIX),
    read=read,
    write=write,
    extra="usd",
    modules=("pxr",),
)


# Reading


def _motion(arrays: Mapping[str, NDArray[Any]], path: Path, rate: float | None) -> Motion:
    """The motion in what `usd_script` read."""
    names = unique_names(str(one) for one in arrays["names"])
    parents = arrays["parents"].tolist()
    placed, matrices = arrays["placed"], arrays["matrices"]
    size(len(matrices), len(names), path.stat().st_size)
    positions, orientations = _decomposed(matrices @ placed[:, None], path)
    rest_positions, rest_orientations = _decomposed(arrays["rest"] @ placed[0], path)
    up = "z" if bool(arrays["z_up"]) else "y"
    rest = Rest(rest_positions, rest_orientations)
    skeleton, pose = normalised(names, parents, rest, positions, orientations)
    note = notes.note_in(parse_json(str(arrays["note"]), path), len(names))
    if note is not None:
        skeleton = note.on(skeleton)
    if up == "z":
        skeleton, pose = turned(skeleton, pose, to_y_up)
    alone = len(matrices) == 1 and note is None
    return Motion(
        skeleton,
        float(arrays["fps"]) if note is None or rate is not None else note.fps,
        pose.root,
        pose.rotations,
        pose.translations,
        name=path.stem,
        source={
            "format": FORMAT.name,
            "joints": skeleton.names,
            # In the axes of the file, to which a writer turns everything first.
            "rest_orientations": rest_orientations,
            "up": up,
            "metres_a_unit": float(arrays["metres"]) or 1.0,
            "warnings": ("there is no animation; one frame",) if alone else (),
        },
    )


def _decomposed(matrices: Array, path: Path) -> tuple[Array, Array]:
    """Positions ``(..., 3)`` and orientations ``(..., 4)`` of matrices that act on rows."""
    if not np.all(np.isfinite(matrices)) or np.abs(matrices).max() > 1e12:
        raise FormatError("some transforms are not finite numbers, or out of range", path)
    linear = np.swapaxes(matrices[..., :3, :3], -1, -2)
    if np.any(np.linalg.norm(linear, axis=-2) < 1e-12):
        raise FormatError("a joint is scaled to zero", path)
    return matrices[..., 3, :3], rotations.from_matrix(rotations.orthogonal(linear))


# Writing


def _new_stage(motion: Motion, metres: float, up: str) -> Any:
    from pxr import Usd, UsdGeom, UsdSkel

    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.y if up == "y" else UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, metres)
    stage.SetTimeCodesPerSecond(motion.fps)
    stage.SetFramesPerSecond(motion.fps)
    stage.SetStartTimeCode(0)
    stage.SetEndTimeCode(len(motion) - 1)
    root = UsdSkel.Root.Define(stage, _HOME)
    stage.SetDefaultPrim(root.GetPrim())
    return stage


def _joint_paths(skeleton: Skeleton) -> list[str]:
    """Joints as USD names them: legal names, with those of all joints above."""
    from pxr import Tf

    legal = unique_names(Tf.MakeValidIdentifier(name) for name in skeleton.names)
    paths: list[str] = []
    for name, parent in zip(legal, skeleton.parents, strict=True):
        paths.append(name if parent < 0 else f"{paths[parent]}/{name}")
    return paths


def _define_skeleton(
    stage: Any,
    motion: Motion,
    joints: list[str],
    orientations: Array,
    rest_local: Array,
    metres: float,
) -> Any:
    from pxr import UsdSkel, Vt

    skeleton = motion.skeleton
    prim = UsdSkel.Skeleton.Define(stage, f"{_HOME}/skeleton")
    prim.CreateJointsAttr(joints)
    prim.CreateJointNamesAttr(list(skeleton.names))
    above = np.maximum(skeleton.parents, 0)
    places = rotations.rotate(rotations.inverse(orientations[above]), skeleton.offsets)
    places[0] = skeleton.offsets[0]
    prim.CreateRestTransformsAttr(_row_matrices(rest_local, places))
    prim.CreateBindTransformsAttr(_row_matrices(orientations, skeleton.rest_positions))
    values = notes.values_of(motion, metres)
    values["root_offset"] = Vt.DoubleArray(values["root_offset"])
    values["end_joints"] = Vt.IntArray(values["end_joints"])
    values["end_offsets"] = Vt.DoubleArray(values["end_offsets"])
    prim.GetPrim().SetCustomDataByKey(notes.KEY, values)
    return prim


def _row_matrices(turns: Array, places: Array) -> Any:
    from pxr import Vt

    matrices = np.tile(np.eye(4), (len(turns), 1, 1))
    matrices[:, :3, :3] = np.swapaxes(rotations.to_matrix(turns), 1, 2)
    matrices[:, 3, :3] = places
    return Vt.Matrix4dArray.FromNumpy(matrices)


def _define_animation(
    stage: Any, skeleton: Any, joints: list[str], local: Array, moves: Array
) -> None:
    from pxr import Gf, UsdSkel, Vt

    animation = UsdSkel.Animation.Define(stage, f"{_HOME}/skeleton/animation")
    animation.CreateJointsAttr(joints)
    animation.CreateScalesAttr([Gf.Vec3h(1.0, 1.0, 1.0)] * len(joints))
    places, turns = animation.CreateTranslationsAttr(), animation.CreateRotationsAttr()
    unrolled = rotations.unroll(local).astype(np.float32)
    single = moves.astype(np.float32)
    sliding = bool(np.any(np.ptp(moves[:, 1:], axis=0) > 0.0)) if len(joints) > 1 else False
    for frame in range(len(local)):
        turns.Set(Vt.QuatfArray.FromNumpy(np.ascontiguousarray(unrolled[frame])), frame)
        row = single[frame] if sliding else np.concatenate([single[frame, :1], single[0, 1:]])
        places.Set(Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(row)), frame)
    binding = UsdSkel.BindingAPI.Apply(skeleton.GetPrim())
    binding.CreateAnimationSourceRel().SetTargets([animation.GetPath()])


def _define_body(stage: Any, motion: Motion, skeleton_prim: Any) -> None:
    from pxr import Gf, UsdGeom, UsdSkel, Vt

    for part in body_parts(motion):
        mesh = UsdGeom.Mesh.Define(stage, f"{_HOME}/body_{SIDE_NAMES[part.side]}")
        mesh.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(part.vertices.astype(np.float32)))
        mesh.CreateNormalsAttr(Vt.Vec3fArray.FromNumpy(part.normals.astype(np.float32)))
        mesh.SetNormalsInterpolation(UsdGeom.Tokens.vertex)
        mesh.CreateFaceVertexCountsAttr(
            Vt.IntArray.FromNumpy(np.full(len(part.triangles), 3, "i4"))
        )
        mesh.CreateFaceVertexIndicesAttr(
            Vt.IntArray.FromNumpy(part.triangles.reshape(-1).astype(np.int32))
        )
        mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
        mesh.CreateDisplayColorAttr([Gf.Vec3f(*COLOURS[part.side])])
        low, high = part.vertices.min(axis=0), part.vertices.max(axis=0)
        mesh.CreateExtentAttr([Gf.Vec3f(*low.tolist()), Gf.Vec3f(*high.tolist())])
        binding = UsdSkel.BindingAPI.Apply(mesh.GetPrim())
        binding.CreateSkeletonRel().SetTargets([skeleton_prim.GetPath()])
        joints = Vt.IntArray.FromNumpy(part.joints.reshape(-1).astype(np.int32))
        binding.CreateJointIndicesPrimvar(False, 2).Set(joints)
        weights = Vt.FloatArray.FromNumpy(part.weights.reshape(-1).astype(np.float32))
        binding.CreateJointWeightsPrimvar(False, 2).Set(weights)
        binding.CreateGeomBindTransformAttr(Gf.Matrix4d(1.0))
