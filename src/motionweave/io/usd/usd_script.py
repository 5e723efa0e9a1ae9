"""Runs in a separate process: the largest skeleton of a USD file into plain arrays.

Started by `motionweave.io.apart.worker`. What is wrong with a file is raised as ``SystemExit``.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from motionweave.core.arrays import Array
from motionweave.core.checks import FASTEST, MOST_FRAMES, MOST_JOINTS, SLOWEST
from motionweave.io.scene.rates import frame_rate


def prepare() -> None:
    """Load what every file needs; the first stage takes as long as a hundred others."""
    from pxr import Usd, UsdGeom, UsdSkel, UsdUtils

    stage = Usd.Stage.CreateInMemory()
    UsdSkel.Root.Define(stage, "/root")
    UsdGeom.XformCache()
    UsdUtils.CoalescingDiagnosticDelegate()


def read(path: str, options: dict[str, Any]) -> dict[str, Any]:
    from pxr import Sdf, Tf, Usd, UsdUtils

    # Collects what USD would print about broken files.
    delegate = UsdUtils.CoalescingDiagnosticDelegate()
    try:
        layer = Sdf.Layer.FindOrOpen(path)
        if layer is None:
            raise SystemExit("USD cannot open it")
        return _arrays(Usd.Stage.Open(layer), options["rate"], options["key"])
    except Tf.ErrorException as error:
        raise SystemExit(_said(error)) from None
    finally:
        del delegate


def _said(error: Exception) -> str:
    """What USD says about a file, on one line, without where in USD it is said."""
    try:
        return " ".join(str(error).split()).rsplit(" : '", 1)[-1].rstrip("' ")[-160:]
    except UnicodeDecodeError:
        return "its text is broken"


def _arrays(stage: Any, rate: float | None, key: str) -> dict[str, Any]:
    from pxr import Usd, UsdGeom

    query = _largest_skeleton(stage)
    prim = query.GetPrim()
    names = _names(query)
    parents = [int(one) for one in query.GetTopology().GetParentIndices()]
    if (
        parents.count(-1) != 1
        or parents[0] != -1
        or any(above >= joint for joint, above in enumerate(parents))
    ):
        raise SystemExit("the joints have no common root that comes first")
    codes, fps = _frames(stage, query, rate)
    cache = UsdGeom.XformCache()
    placed, matrices = [], []
    for code in codes:
        at = Usd.TimeCode(float(code))
        cache.SetTime(at)
        placed.append(np.array(cache.GetLocalToWorldTransform(prim)))
        matrices.append(_matrices(query.ComputeJointSkelTransforms(at), len(names)))
    return {
        "names": np.array(names, dtype=np.str_),
        "parents": np.array(parents),
        "placed": np.array(placed),
        "matrices": np.array(matrices),
        "rest": _rest(query, len(names)),
        "fps": fps,
        "z_up": UsdGeom.GetStageUpAxis(stage) == UsdGeom.Tokens.z,
        "metres": float(UsdGeom.GetStageMetersPerUnit(stage)),
        "note": json.dumps(_plain(prim.GetCustomDataByKey(key))),
    }


def _plain(note: Any) -> Any:
    """Values of a note without USD's own arrays; None for what is not one."""
    if not isinstance(note, dict):
        return None
    try:
        return {
            str(key): value if isinstance(value, int | float | str) else [float(x) for x in value]
            for key, value in note.items()
        }
    except (TypeError, ValueError):
        return None


def _largest_skeleton(stage: Any) -> Any:
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
        raise SystemExit("there is no skeleton (UsdSkel) on the stage")
    largest = max(queries, key=lambda one: len(one.GetJointOrder()))
    if len(largest.GetJointOrder()) > MOST_JOINTS:
        raise SystemExit(f"more than {MOST_JOINTS} joints")
    return largest


def _names(query: Any) -> list[str]:
    """Names as they were before they were made legal, if the file keeps them."""
    order = [str(one) for one in query.GetJointOrder()]
    named = query.GetSkeleton().GetJointNamesAttr().Get()
    if named is not None and len(named) == len(order):
        return [str(one) for one in named]
    return [one.rsplit("/", 1)[-1] for one in order]


def _frames(stage: Any, query: Any, rate: float | None) -> tuple[Array, float]:
    """Time codes of the frames, and how many frames per second those are."""
    animation = query.GetAnimQuery()
    samples = np.array(animation.GetJointTransformTimeSamples() if animation else [], dtype=float)
    a_second = float(stage.GetTimeCodesPerSecond())
    if not SLOWEST <= a_second <= FASTEST or not np.all(np.abs(samples) < 1e12):
        raise SystemExit("the times of the animation are out of range")
    if len(samples) == 0:
        return np.zeros(1), rate or a_second
    whole = bool(np.all(samples == np.round(samples)))
    fps = rate or (a_second if whole else frame_rate([samples / a_second]))
    count = np.floor((samples[-1] - samples[0]) / a_second * fps + 1e-3) + 1.0
    if not count <= MOST_FRAMES:
        raise SystemExit(f"the animation has {count:g} frames, which is too many")
    return samples[0] + np.arange(int(count)) * (a_second / fps), fps


def _matrices(transforms: Any, joints: int) -> Array:
    """Matrices ``(J, 4, 4)`` that act on rows, as USD has them."""
    matrices = np.array(transforms if transforms is not None else [])
    if matrices.shape != (joints, 4, 4):
        raise SystemExit("the animation does not fit its skeleton")
    return matrices


def _rest(query: Any, joints: int) -> Array:
    """The rest pose in the skeleton's space; the pose that meshes are bound in if there is none."""
    from pxr import Usd

    if query.HasRestPose():
        start = Usd.TimeCode.EarliestTime()
        return _matrices(query.ComputeJointSkelTransforms(start, atRest=True), joints)
    bound = np.array(query.GetSkeleton().GetBindTransformsAttr().Get() or [])
    if bound.shape == (joints, 4, 4):
        return bound
    return _matrices(query.ComputeJointSkelTransforms(Usd.TimeCode.EarliestTime()), joints)
