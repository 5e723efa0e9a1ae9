"""One table of bad values, one of strange motions, and one of good calls to put them into."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import motionweave as mw
from motionweave.core import rotations

BAD: dict[str, Any] = {
    "None": None,
    "a number": 3,
    "a negative number": -7,
    "NaN": float("nan"),
    "infinity": float("inf"),
    "a huge number": 10**400,
    "a text": "nonsense",
    "an empty text": "",
    "bytes": b"bytes",
    "an empty list": [],
    "a list of texts": ["a", "b"],
    "nested lists": [[1.0], [2.0, 3.0]],
    "an array of NaN": np.full((3, 3), np.nan),
    "an array of no shape": np.array(1.0),
    "a dictionary": {"a": 1},
    "an object": object(),
    "a class": int,
    "a complex number": 1j,
}


@cache
def walk() -> mw.Motion:
    return mw.sample("walk")[:40]


@cache
def jog() -> mw.Motion:
    return mw.sample("jog")[:36]


@cache
def curve() -> Any:
    return mw.register(walk(), jog())


def chain(joints: int, frames: int = 30) -> mw.Motion:
    """A swaying chain, as deep as it has joints."""
    offsets = np.tile([0.0, 1.0, 0.0], (joints, 1))
    skeleton = mw.Skeleton(
        tuple(f"j{n}" for n in range(joints)),
        np.arange(joints) - 1,
        offsets,
        [joints - 1],
        [[0, 1, 0]],
    )
    sway = 0.1 * np.sin(np.arange(frames))[:, None, None] * np.ones((1, joints, 3))
    return mw.Motion(skeleton, 30.0, np.zeros((frames, 3)), rotations.exp(sway))


STRANGE: dict[str, Callable[[], mw.Motion]] = {
    "one frame": lambda: walk()[:1],
    "two frames": lambda: walk()[:2],
    "standing still": lambda: walk().sample(np.zeros(30)),
    "one joint": lambda: chain(1),
    "200 joints": lambda: chain(200),
    "tiny": lambda: walk().scaled(1e-9),
    "huge": lambda: walk().scaled(1e6),
    "1 fps": lambda: replace(walk(), fps=1.0),
    "1000 fps": lambda: replace(walk(), fps=1000.0),
    "no contacts": lambda: walk().with_constraints(()),
}


@cache
def _folder() -> Path:
    holder = tempfile.TemporaryDirectory(prefix="motionweave-misuse-")
    _kept.append(holder)
    return Path(holder.name)


_kept: list[Any] = []


def _file(name: str) -> Path:
    path = _folder() / name
    if not path.exists():
        mw.save(walk(), path, contacts=False)
    return path


def calls() -> dict[str, tuple[Callable[..., Any], dict[str, Any]]]:
    """By name, a function and arguments that it can use; those named a, b … are motions."""

    def two(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda a, b, **options: function(a, b, **options)

    def listed(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda a, b, **options: function([a, b], **options)

    a, b = walk(), jog()
    return {
        "Skeleton": (mw.Skeleton, {"names": ("a",), "parents": [-1], "offsets": np.zeros((1, 3))}),
        "Motion": (
            mw.Motion,
            {"skeleton": a.skeleton, "fps": 30.0, "root": a.root, "rotations": a.rotations}
            | {"translations": None, "constraints": (), "source": {}},
        ),
        "Markers": (mw.Markers, {"labels": ("a",), "points": np.zeros((2, 1, 3)), "fps": 30.0}),
        "Constraint": (mw.Constraint, {"start": 0.0, "end": 1.0, "kind": "left_toe"}),
        "State": (mw.State, {"time": 1.0, "labels": frozenset({"L_et"}), "half": "lower"}),
        "Key": (mw.Key, {"frame": 3.0, "joint": "head", "turn": (1.0, 2.0, 3.0)}),
        "Motion.sample": (lambda a, frames: a.sample(frames), {"a": a, "frames": [1.5]}),
        "Motion.resample": (lambda a, fps: a.resample(fps), {"a": a, "fps": 60.0}),
        "Motion.scaled": (lambda a, factor: a.scaled(factor), {"a": a, "factor": 2.0}),
        "Motion.moved": (lambda a, planar: a.moved(planar), {"a": a, "planar": mw.Planar(0, 1, 1)}),
        "Motion[]": (lambda a, key: a[key], {"a": a, "key": 3}),
        "Motion[:]": (lambda a, first, last: a[first:last], {"a": a, "first": 3, "last": 9}),
        "Motion.with_constraints": (
            lambda a, constraints: a.with_constraints(constraints),
            {"a": a, "constraints": []},
        ),
        "load": (mw.load, {"path": _file("clip.bvh"), "up": "y", "fps": 30.0, "contacts": False}),
        "load_registration": (mw.load_registration, {"path": _folder() / "none.mwreg"}),
        "load_events": (mw.load_events, {"path": _folder() / "none.csv"}),
        "load_warp": (mw.load_warp, {"path": _folder() / "none.yaml"}),
        "load_markers": (mw.load_markers, {"path": _folder() / "none.c3d"}),
        "save": (lambda a, path: mw.save(a, path), {"a": a, "path": _folder() / "out.bvh"}),
        "save glb": (
            lambda a, unit: mw.save(a, _folder() / "out.glb", unit=unit),
            {"a": a, "unit": 1.0},
        ),
        "sample": (mw.sample, {"name": "walk", "fps": 30.0}),
        "find_rig": (mw.find_rig, {"skeleton": a.skeleton, "override": {}}),
        "mirror": (lambda a: mw.mirror(a), {"a": a}),
        "concatenate": (listed(mw.concatenate), {"a": a, "b": a}),
        "common_skeleton": (listed(mw.common_skeleton), {"a": a, "b": b}),
        "on_skeleton": (
            lambda a, skeleton: mw.on_skeleton(a, skeleton),
            {"a": a, "skeleton": b.skeleton},
        ),
        "detect_contacts": (lambda a: mw.detect_contacts(a), {"a": a}),
        "estimate_floor": (lambda a: mw.estimate_floor(a), {"a": a}),
        "find_events": (lambda a: mw.find_events(a), {"a": a}),
        "clean_feet": (
            lambda a, **options: mw.clean_feet(a, **options),
            {"a": a, "constraints": None, "ease": 0.2},
        ),
        "quality": (lambda a, inputs: mw.quality(a, inputs), {"a": a, "inputs": ()}),
        "register": (two(mw.register), {"a": a, "b": b, "ends": "fixed", "slope_limit": 2}),
        "blend": (mw.blend, {"curve": curve(), "weights": [0.5, 0.5], "fps": 30.0}),
        "transition": (two(mw.transition), {"a": a, "b": b, "at": None, "half_width": None}),
        "junctions": (two(mw.junctions), {"a": a, "b": b, "most": 3}),
        "join": (two(mw.join), {"a": a, "b": b, "overlap": None}),
        "layer": (two(mw.layer), {"a": a, "b": b, "part": "upper", "weight": 1.0}),
        "spline_transition": (two(mw.spline_transition), {"a": a, "b": b, "degree": 4}),
        "subspace": (two(mw.subspace), {"a": a, "b": b, "explained": 0.95}),
        "framespace": (listed(mw.framespace), {"a": a, "b": b, "cycles": 2}),
        "parametric": (
            mw.parametric,
            {"curve": curve(), "parameters": {"x": lambda m: m.duration}},
        ),
        "warp": (
            lambda a, **options: mw.warp(a, **options),
            {"a": a, "keys": (), "time_keys": None, "ease": 0.8},
        ),
    }


def strange_arguments(good: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The arguments with strange motions in the place of one or of all motions."""
    motions = [name for name in ("a", "b") if name in good]
    for make in STRANGE.values():
        if motions:
            yield {**good, motions[0]: make()}
        if len(motions) > 1:
            yield {**good, **{name: make() for name in motions}}


# What is known to escape: the function, and the arguments (or "motions" for strange ones). To
# be emptied as the methods check what they are given.
KNOWN: dict[str, set[str]] = {
    "clean_feet": {"constraints", "ease"},
    "common_skeleton": {"a", "b"},
    "on_skeleton": {"a", "skeleton"},
    "quality": {"inputs"},
    "register": {"ends", "slope_limit"},
    "blend": {"curve", "weights", "fps"},
    "transition": {"a", "at", "half_width"},
    "junctions": {"a", "most"},
    "join": {"a", "overlap"},
    "spline_transition": {"degree"},
    "subspace": {"explained"},
    "framespace": {"cycles"},
    "parametric": {"curve", "parameters"},
    "warp": {"a", "keys", "time_keys"},
}
