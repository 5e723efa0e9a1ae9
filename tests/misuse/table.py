"""One table of bad values, one of strange motions, and one of good calls to put them into."""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, wraps
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
    "a module": np,
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


@cache
def _library() -> mw.Library:
    clips = _folder() / "clips"
    clips.mkdir()
    mw.save(walk(), clips / "walk.bvh")
    library = mw.Library(clips)
    library.add()
    return library


def _file(name: str) -> Path:
    path = _folder() / name
    if not path.exists():
        mw.save(walk(), path, contacts=False)
    return path


def _two(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def call(a: Any, b: Any, **options: Any) -> Any:
        return function(a, b, **options)

    return call


def _listed(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def call(a: Any, b: Any, **options: Any) -> Any:
        return function([a, b], **options)

    return call


def _one(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def call(a: Any, **options: Any) -> Any:
        return function(a, **options)

    return call


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def call(it: Any, **options: Any) -> Any:
        return function(it, **options)

    return call


def calls() -> dict[str, tuple[Callable[..., Any], dict[str, Any]]]:
    """By name, a function and arguments that it can use; those named a and b are motions, and
    ``it`` is what a method belongs to.

    Parameters that have a default need not be here: `arguments` finds them.
    """
    a, b = walk(), jog()
    folder = _folder()
    return {
        "Skeleton": (mw.Skeleton, {"names": ("a",), "parents": [-1], "offsets": np.zeros((1, 3))}),
        "Motion": (
            mw.Motion,
            {"skeleton": a.skeleton, "fps": 30.0, "root": a.root, "rotations": a.rotations},
        ),
        "Markers": (mw.Markers, {"labels": ("a",), "points": np.zeros((2, 1, 3)), "fps": 30.0}),
        "Constraint": (mw.Constraint, {"start": 0.0, "end": 1.0, "kind": "left_toe"}),
        "State": (mw.State, {"time": 1.0, "labels": frozenset({"L_et"})}),
        "EventTable": (mw.EventTable, {"states": ()}),
        "Key": (mw.Key, {"frame": 3.0, "joint": "head", "turn": (1.0, 2.0, 3.0)}),
        "Interpolant": (mw.Interpolant, {"vertices": [[0, 0], [1, 1]]}),
        "Motion.sample": (lambda a, frames: a.sample(frames), {"a": a, "frames": [1.5]}),
        "Motion.resample": (lambda a, fps: a.resample(fps), {"a": a, "fps": 60.0}),
        "Motion.trim": (_method(mw.Motion.trim), {"it": a}),
        "Motion.scaled": (lambda a, factor: a.scaled(factor), {"a": a, "factor": 2.0}),
        "Motion.moved": (lambda a, planar: a.moved(planar), {"a": a, "planar": mw.Planar(0, 1, 1)}),
        "Motion[]": (lambda a, key: a[key], {"a": a, "key": 3}),
        "Motion[:]": (lambda a, first, last: a[first:last], {"a": a, "first": 3, "last": 9}),
        "Motion.with_constraints": (
            lambda a, constraints: a.with_constraints(constraints),
            {"a": a, "constraints": []},
        ),
        "load": (mw.load, {"path": _file("clip.bvh"), "contacts": False}),
        "load_all": (mw.load_all, {"where": [_file("clip.bvh")], "contacts": False}),
        "load_registration": (mw.load_registration, {"path": folder / "none.mwreg"}),
        "load_events": (mw.load_events, {"path": folder / "none.csv"}),
        "load_warp": (mw.load_warp, {"path": folder / "none.yaml"}),
        "load_markers": (mw.load_markers, {"path": folder / "none.c3d"}),
        "save": (lambda a, path: mw.save(a, path), {"a": a, "path": folder / "out.bvh"}),
        "save glb": (
            lambda a, unit: mw.save(a, folder / "out.glb", unit=unit),
            {"a": a, "unit": 1.0},
        ),
        "save_events": (
            mw.save_events,
            {"table": mw.EventTable(()), "path": folder / "events.csv"},
        ),
        "save_registration": (
            mw.save_registration,
            {"curve": curve(), "path": folder / "curve.mwreg"},
        ),
        "save_warp": (mw.save_warp, {"recipe": mw.Recipe(), "path": folder / "keys.json"}),
        "sample": (mw.sample, {"name": "walk"}),
        "find_rig": (mw.find_rig, {"skeleton": a.skeleton}),
        "with_rig": (mw.with_rig, {"skeleton": a.skeleton, "override": {}}),
        "mirror": (_one(mw.mirror), {"a": a}),
        "concatenate": (_listed(mw.concatenate), {"a": a, "b": a}),
        "common_skeleton": (_listed(mw.common_skeleton), {"a": a, "b": b}),
        "on_common_skeleton": (_listed(mw.on_common_skeleton), {"a": a, "b": b}),
        "on_skeleton": (_one(mw.on_skeleton), {"a": a, "skeleton": b.skeleton}),
        "retarget": (_one(mw.retarget), {"a": a, "onto": b.scaled(0.7)}),
        "joint_mapping": (mw.joint_mapping, {"source": a, "target": b}),
        "detect_contacts": (_one(mw.detect_contacts), {"a": a}),
        "estimate_floor": (_one(mw.estimate_floor), {"a": a}),
        "find_events": (_one(mw.find_events), {"a": a}),
        "clean_feet": (_one(mw.clean_feet), {"a": a}),
        "quality": (_one(mw.quality), {"a": a}),
        "in_place": (_one(mw.in_place), {"a": a}),
        "travel": (_one(mw.travel), {"a": a}),
        "loop": (_one(mw.loop), {"a": a}),
        "register": (_two(mw.register), {"a": a, "b": b, "ends": "fixed"}),
        "blend": (mw.blend, {"curve": curve(), "weights": [0.5, 0.5]}),
        "Stepper": (mw.Stepper, {"curve": curve()}),
        "Stepper.step": (
            _method(mw.Stepper.step),
            {"it": mw.Stepper(curve()), "weights": [0.5, 0.5], "dt": 0.1},
        ),
        "export_set": (mw.export_set, {"curve": curve(), "folder": folder / "set"}),
        "registration_plot": (
            mw.registration_plot,
            {"curve": curve(), "path": folder / "curve.png"},
        ),
        "transition": (_two(mw.transition), {"a": a, "b": b}),
        "junctions": (_two(mw.junctions), {"a": a, "b": b}),
        "join": (_two(mw.join), {"a": a, "b": b}),
        "layer": (_two(mw.layer), {"a": a, "b": b, "part": "upper"}),
        "spline_transition": (_two(mw.spline_transition), {"a": a, "b": b}),
        "subspace": (_two(mw.subspace), {"a": a, "b": b}),
        "framespace": (_listed(mw.framespace), {"a": a, "b": b}),
        "parametric": (
            mw.parametric,
            {"curve": curve(), "parameters": {"x": lambda m: m.duration}},
        ),
        "warp": (_one(mw.warp), {"a": a}),
        "inbetween": (
            mw.inbetween,
            {"before": a, "after": b, "seconds": 1.0, "library": _library()},
        ),
        "film_strip": (mw.film_strip, {"motions": a, "path": folder / "strip.png"}),
        "render": (
            mw.render,
            {"motion": a[:2], "path": folder / "clip.png", "size": (64, 36), "mesh": False},
        ),
        "player": (mw.player, {"motion": a[:4]}),
    }


def arguments(function: Callable[..., Any], good: dict[str, Any]) -> Iterator[str]:
    """The names of all arguments: those given, and those with a default."""
    yield from (name for name in good if name != "it")
    for name, parameter in inspect.signature(function).parameters.items():
        if name not in good and parameter.default is not parameter.empty:
            yield name


def strange_arguments(good: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The arguments with strange motions in the place of one or of all motions."""
    motions = [name for name in ("a", "b") if name in good]
    for make in STRANGE.values():
        if motions:
            yield {**good, motions[0]: make()}
        if len(motions) > 1:
            yield {**good, **{name: make() for name in motions}}
