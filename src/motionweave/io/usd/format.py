"""USD (``.usda``, ``.usdc``, ``.usd``): UsdSkel skeletons and animations.

Written is a character with its skeleton, one animation with a sample a frame, and a simple
body; the stage says the unit, the vertical and the frame rate. Read is the skeleton with
the most joints, wherever it stands on its stage.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.core.skeleton import Skeleton
from motionweave.errors import FormatError
from motionweave.io.axes import Pose, check_up, to_y_up, to_z_up, turned
from motionweave.io.bvh.format import unique_names
from motionweave.io.registry import Format
from motionweave.io.scene import note as notes
from motionweave.io.scene.body_mesh import COLOURS, SIDE_NAMES, body_parts
from motionweave.io.scene.curves import frame_rate
from motionweave.io.scene.rest import Rest, normalised, orientations_of, with_rest
from motionweave.io.scene.units import metres_a_unit
from motionweave.io.usd.crate import check_crate

_LARGEST_FILE = 1 << 31
_MOST_FRAMES = 2_000_000
_HOME = "/character"


def read(path: str | Path, *, rate: float | None = None) -> Motion:
    """Read a skeleton and its animation.

    Parameters
    ----------
    path
        The file.
    rate
        Frames a second at which the animation is sampled; if None a frame is a time code
        where samples are at whole ones, else what suits the samples.
    """
    from pxr import Tf, UsdUtils

    path = Path(path)
    if rate is not None and not (np.isfinite(rate) and rate > 0.0):
        raise FormatError(f"rate={rate}: expected frames a second", path)
    if path.stat().st_size > _LARGEST_FILE:
        raise FormatError("the file is larger than 2 GB", path)
    check_crate(path)
    # Collects what USD would print about broken files.
    delegate = UsdUtils.CoalescingDiagnosticDelegate()
    try:
        return _read_stage(path, rate)
    except Tf.ErrorException as error:
        said = _said(error)
        raise FormatError(f"this is no USD file, or it is broken{said}", path) from None
    finally:
        del delegate


def write(
    motion: Motion, path: str | Path, *, unit: str | float | None = None, up: str | None = None
) -> None:
    """Write a skeleton, its animation and a body.

    Parameters
    ----------
    motion
        What to write; lengths are written as they are.
    path
        ``.usda`` is text, ``.usdc`` and ``.usd`` are binary.
    unit
        The motion's unit of length, noted in the file; see `motionweave.io.gltf.format.write`.
    up
        ``"y"`` or ``"z"``; None for that of the original file, else ``"y"``.
    """
    path = Path(path)
    check_up(up, path)
    source = motion.source if motion.source.get("format") == FORMAT.name else {}
    up = up or source.get("up", "y")
    metres = metres_a_unit(motion, unit)
    orientations = orientations_of(motion, FORMAT.name)
    if up == "z":
        skeleton, pose = turned(
            motion.skeleton, Pose(motion.root, motion.rotations, motion.translations), to_z_up
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
    _define_body(stage, motion.skeleton, skeleton_prim)
    if not stage.GetRootLayer().Export(str(path)):
        raise FormatError("USD could not write the file", path)


FORMAT = Format(
    "USD", (".usdc", ".usda", ".usd"), read=read, write=write, extra="usd", modules=("pxr",)
)


# Reading


def _said(error: Exception) -> str:
    """What USD says about a file, on one line; nothing if it quotes what is no text."""
    try:
        return f": {' '.join(str(error).split())[-160:]}"
    except UnicodeDecodeError:
        return ""


def _read_stage(path: Path, rate: float | None) -> Motion:
    from pxr import Usd, UsdGeom

    stage = Usd.Stage.Open(_fresh_layer(path))
    query = _largest_skeleton(stage, path)
    prim = query.GetPrim()
    names = _names(query)
    parents = [int(one) for one in query.GetTopology().GetParentIndices()]
    if (
        parents.count(-1) != 1
        or parents[0] != -1
        or any(above >= joint for joint, above in enumerate(parents))
    ):
        raise FormatError("the joints do not hang on one root that comes first", path)
    codes, fps = _frames(stage, query, path, rate)
    cache = UsdGeom.XformCache()
    placed, matrices = [], []
    for code in codes:
        at = Usd.TimeCode(float(code))
        cache.SetTime(at)
        placed.append(np.array(cache.GetLocalToWorldTransform(prim)))
        matrices.append(_matrices(query.ComputeJointSkelTransforms(at), len(names), path))
    worlds = np.array(matrices) @ np.array(placed)[:, None]
    rest_world = _rest(query, len(names), path) @ placed[0]
    positions, orientations = _decomposed(worlds, path)
    rest_positions, rest_orientations = _decomposed(rest_world, path)
    up = "z" if UsdGeom.GetStageUpAxis(stage) == UsdGeom.Tokens.z else "y"
    rest = Rest(rest_positions, rest_orientations)
    skeleton, pose = normalised(names, parents, rest, positions, orientations)
    note = notes.note_in(prim.GetCustomDataByKey(notes.KEY), len(names))
    if note is not None:
        skeleton = note.on(skeleton)
    if up == "z":
        skeleton, pose = turned(skeleton, pose, to_y_up)
    return Motion(
        skeleton,
        fps if note is None or rate is not None else note.fps,
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
            "metres_a_unit": float(UsdGeom.GetStageMetersPerUnit(stage)) or 1.0,
            "warnings": () if len(codes) > 1 or note else ("there is no animation; one frame",),
        },
    )


def _fresh_layer(path: Path) -> Any:
    """The file's layer; not one that USD remembers of an earlier file of this name."""
    from pxr import Sdf

    known = Sdf.Layer.Find(str(path))
    if known is not None:
        known.Reload(True)
        return known
    layer = Sdf.Layer.FindOrOpen(str(path))
    if layer is None:
        raise FormatError("this is no USD file, or it is broken", path)
    return layer


def _largest_skeleton(stage: Any, path: Path) -> Any:
    from pxr import Usd, UsdSkel

    cache = UsdSkel.Cache()
    queries = []
    for prim in stage.TraverseAll():
        if prim.IsA(UsdSkel.Root):
            cache.Populate(UsdSkel.Root(prim), Usd.PrimDefaultPredicate)
    for prim in stage.TraverseAll():
        if prim.IsA(UsdSkel.Skeleton):
            query = cache.GetSkelQuery(UsdSkel.Skeleton(prim))
            if query and len(query.GetJointOrder()):
                queries.append(query)
    if not queries:
        raise FormatError("there is no skeleton (UsdSkel) on the stage", path)
    return max(queries, key=lambda one: len(one.GetJointOrder()))


def _names(query: Any) -> tuple[str, ...]:
    """Names as they were before they were made legal, if the file keeps them."""
    order = [str(one) for one in query.GetJointOrder()]
    named = query.GetSkeleton().GetJointNamesAttr().Get()
    if named is not None and len(named) == len(order):
        return unique_names(str(one) for one in named)
    return unique_names(one.rsplit("/", 1)[-1] for one in order)


def _frames(stage: Any, query: Any, path: Path, rate: float | None) -> tuple[Array, float]:
    """Time codes of the frames, and how many frames a second those are."""
    animation = query.GetAnimQuery()
    samples = np.array(animation.GetJointTransformTimeSamples() if animation else [], dtype=float)
    a_second = float(stage.GetTimeCodesPerSecond())
    if not 1e-3 < a_second < 1e6 or (len(samples) and not np.all(np.isfinite(samples))):
        raise FormatError("the times of the animation are out of range", path)
    if len(samples) == 0:
        return np.zeros(1), rate or a_second
    whole = bool(np.all(samples == np.round(samples)))
    fps = rate or (a_second if whole else frame_rate([samples / a_second]))
    count = np.floor((samples[-1] - samples[0]) / a_second * fps + 1e-3) + 1.0
    if not count <= _MOST_FRAMES:
        raise FormatError(f"the animation has {count:g} frames, which is too many", path)
    return samples[0] + np.arange(int(count)) * (a_second / fps), fps


def _matrices(transforms: Any, joints: int, path: Path) -> Array:
    """Matrices ``(J, 4, 4)`` that act on rows, as USD has them."""
    matrices = np.array(transforms if transforms is not None else [])
    if matrices.shape != (joints, 4, 4):
        raise FormatError("the animation does not fit its skeleton", path)
    return matrices


def _rest(query: Any, joints: int, path: Path) -> Array:
    """The rest pose in the skeleton's space; the pose that meshes are bound in if there is none."""
    from pxr import Usd

    if query.HasRestPose():
        start = Usd.TimeCode.EarliestTime()
        return _matrices(query.ComputeJointSkelTransforms(start, atRest=True), joints, path)
    bound = np.array(query.GetSkeleton().GetBindTransformsAttr().Get() or [])
    if bound.shape == (joints, 4, 4):
        return bound
    return _matrices(query.ComputeJointSkelTransforms(Usd.TimeCode.EarliestTime()), joints, path)


def _decomposed(matrices: Array, path: Path) -> tuple[Array, Array]:
    """Positions ``(..., 3)`` and orientations ``(..., 4)`` of matrices that act on rows."""
    if not np.all(np.isfinite(matrices)) or np.abs(matrices).max() > 1e12:
        raise FormatError("transforms that are not finite or out of range", path)
    linear = np.swapaxes(matrices[..., :3, :3], -1, -2)
    if np.any(np.linalg.norm(linear, axis=-2) < 1e-12):
        raise FormatError("a joint is scaled to nothing", path)
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


def _define_body(stage: Any, skeleton: Skeleton, skeleton_prim: Any) -> None:
    from pxr import Gf, UsdGeom, UsdSkel, Vt

    for part in body_parts(skeleton):
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
        joints = Vt.IntArray.FromNumpy(part.joints.astype(np.int32))
        binding.CreateJointIndicesPrimvar(False, 1).Set(joints)
        weights = Vt.FloatArray.FromNumpy(np.ones(len(part.joints), dtype=np.float32))
        binding.CreateJointWeightsPrimvar(False, 1).Set(weights)
        binding.CreateGeomBindTransformAttr(Gf.Matrix4d(1.0))
