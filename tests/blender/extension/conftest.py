"""The extension in a real Blender (its package ``bpy``): ``make test-blender``."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import motionweave as mw

SOURCE = Path(__file__).resolve().parents[3] / "blender"
NAME = "extension_under_test"


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    return True if importlib.util.find_spec("bpy") is None else None


def loaded() -> ModuleType:
    """The extension as a package, from its sources."""
    if NAME not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            NAME, SOURCE / "__init__.py", submodule_search_locations=[str(SOURCE)]
        )
        assert spec is not None
        assert spec.loader is not None
        package = importlib.util.module_from_spec(spec)
        sys.modules[NAME] = package
        spec.loader.exec_module(package)
    return sys.modules[NAME]


def part(name: str) -> Any:
    """A module of the extension."""
    loaded()
    return importlib.import_module(f"{NAME}.{name}")


def exhausted(steps: Any) -> Any:
    """What a generator returns."""
    try:
        while True:
            next(steps)
    except StopIteration as end:
        return end.value


@pytest.fixture(scope="session")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with built-in clips as BVH, GLB and FBX."""
    import bpy

    folder = tmp_path_factory.mktemp("clips")
    for name in ("walk", "jog"):
        clip = mw.sample(name).resample(30.0)
        for suffix in ("bvh", "glb"):
            mw.save(clip, folder / f"{name}.{suffix}", contacts=False)
        bpy.ops.wm.read_factory_settings(use_empty=True)
        bpy.context.scene.render.fps = 30
        bpy.ops.import_scene.gltf(filepath=str(folder / f"{name}.glb"))
        bpy.ops.export_scene.fbx(filepath=str(folder / f"{name}.fbx"), add_leaf_bones=False)
    return folder


@pytest.fixture
def blender() -> Iterator[Any]:
    """An empty scene at 30 frames per second, with the extension registered."""
    import bpy

    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = 30
    package = loaded()
    package.register()
    try:
        yield bpy
    finally:
        package.unregister()


def imported(bpy: Any, path: Path) -> Any:
    """The armature of a clip, active and alone selected."""
    before = set(bpy.data.objects)
    if path.suffix == ".bvh":
        bpy.ops.import_anim.bvh(filepath=str(path), update_scene_fps=False)
    elif path.suffix == ".glb":
        bpy.ops.import_scene.gltf(filepath=str(path))
    else:
        bpy.ops.import_scene.fbx(filepath=str(path))
    owner = next(o for o in bpy.data.objects if o.type == "ARMATURE" and o not in before)
    activate(bpy, owner)
    return owner


def activate(bpy: Any, owner: Any) -> None:
    for one in bpy.data.objects:
        one.select_set(one == owner)
    bpy.context.view_layer.objects.active = owner


def take_of(bpy: Any, owner: Any, action: Any) -> Any:
    return exhausted(part("bridge.sampling").sampled(bpy.context, owner, action))


def motion_of(bpy: Any, owner: Any, action: Any) -> mw.Motion:
    return part("compute.convert").to_motion(take_of(bpy, owner, action))


@pytest.fixture
def pair(blender: Any, clips: Path) -> SimpleNamespace:
    """One armature with the actions ``walk`` and ``jog``."""
    owner = imported(blender, clips / "walk.bvh")
    walk = owner.animation_data.action
    other = imported(blender, clips / "jog.bvh")
    jog = other.animation_data.action
    data = other.data
    blender.data.objects.remove(other)
    blender.data.armatures.remove(data)
    activate(blender, owner)
    walk.name, jog.name = "walk", "jog"
    return SimpleNamespace(bpy=blender, owner=owner, walk=walk, jog=jog)


def apart(one: mw.Motion, other: mw.Motion) -> float:
    """The largest distance of two joints of two motions."""
    assert len(one) == len(other)
    return float(np.abs(one.positions() - other.positions()).max())
