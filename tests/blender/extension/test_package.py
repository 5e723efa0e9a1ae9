"""The zip: what is in it, what Blender says of it, and its life in a clean profile."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import motionweave as mw
from tests.blender.extension.conftest import SOURCE, loaded, part

_LIFE = """
import sys
import bpy

zipped, clips = sys.argv[1:]
before = {name: set(dir(getattr(bpy.types, name))) for name in ("Scene",)}
types = set(dir(bpy.types))
bpy.ops.preferences.addon_enable(module="bl_pkg")
repo = bpy.context.preferences.extensions.repos.new(name="test", module="test_repo")
bpy.ops.extensions.package_install_files(
    filepath=zipped, repo="test_repo", enable_on_install=True, overwrite=True
)
name = "bl_ext.test_repo.motionweave"
assert name in bpy.context.preferences.addons, list(bpy.context.preferences.addons.keys())
assert hasattr(bpy.context.scene, "motionweave")
for clip in ("walk", "jog"):
    bpy.ops.import_anim.bvh(filepath=f"{clips}/{clip}.bvh")
first, second = [one for one in bpy.data.objects if one.type == "ARMATURE"]
bpy.data.objects.remove(second)
bpy.context.view_layer.objects.active = first
first.select_set(True)
print(bpy.ops.motionweave.check())
both = [{"name": "walk", "weight": 0.5}, {"name": "jog", "weight": 0.5}]
assert bpy.ops.motionweave.blend(clips=both) == {"FINISHED"}
assert "Blend" in bpy.data.actions
bpy.ops.preferences.addon_disable(module=name)
assert not hasattr(bpy.types.Scene, "motionweave")
left = {one for one in set(dir(bpy.types)) - types if "otionweave" in one.lower()}
assert not left, left
assert not hasattr(bpy.types, "MOTIONWEAVE_OT_blend")
bpy.ops.extensions.package_uninstall(repo_directory=repo.directory, pkg_id="motionweave")
print("a whole life")
"""


def _built(folder: Path) -> Path:
    spec = importlib.util.spec_from_file_location("build_extension", SOURCE / "build.py")
    assert spec is not None
    assert spec.loader is not None
    build = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build)
    return build.build(folder, [])


def test_only_what_is_needed(tmp_path: Path) -> None:
    with zipfile.ZipFile(_built(tmp_path)) as archive:
        names = set(archive.namelist())
    assert {"blender_manifest.toml", "__init__.py", "LICENSE", "compute/worker.py"} <= names
    assert "build.py" not in names
    assert all(name.endswith((".py", ".toml", "LICENSE")) for name in names)


def test_blender_finds_it_valid(tmp_path: Path) -> None:
    import bpy

    tool = Path(bpy.utils.system_resource("SCRIPTS")) / "addons_core/bl_pkg/cli/blender_ext.py"
    if not tool.exists():
        pytest.skip("this Blender has no extension command")
    done = subprocess.run(
        [sys.executable, str(tool), "validate", str(_built(tmp_path)), "--valid-tags="],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_version_is_the_library_s() -> None:
    manifest = tomllib.loads((SOURCE / "blender_manifest.toml").read_text(encoding="utf-8"))
    assert manifest["version"] == mw.__version__
    assert manifest["license"] == ["SPDX:GPL-3.0-or-later"]


def test_a_life_in_a_clean_profile(tmp_path: Path, clips: Path) -> None:
    script = tmp_path / "life.py"
    script.write_text(_LIFE)
    folder = str(Path(mw.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, str(script), str(_built(tmp_path)), str(clips)],
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
        env={
            **os.environ,
            "BLENDER_USER_RESOURCES": str(tmp_path / "profile"),
            "PYTHONPATH": folder,
        },
    )
    assert "a whole life" in done.stdout, done.stdout[-2000:] + done.stderr[-2000:]


class _Layout:
    """Stands in for Blender's layout: takes everything, and checks names of properties."""

    def __init__(self, operators: set[str]):
        self.operators = operators

    def row(self, **_: Any) -> _Layout:
        return self

    column = row

    def label(self, *, text: str, icon: str = "NONE") -> None:
        assert text

    def prop(self, owner: Any, name: str, **_: Any) -> None:
        assert name in owner.bl_rna.properties

    def operator(self, name: str, **_: Any) -> SimpleNamespace:
        self.operators.add(name)
        return SimpleNamespace()

    def template_list(self, kind: str, number: str, owner: Any, *names: Any, rows: int) -> None:
        assert names[0] in owner.bl_rna.properties


def test_panels_draw(pair: SimpleNamespace) -> None:
    """There is no window to see them in; that they draw what exists can be tested."""
    bpy, panel, seen = pair.bpy, part("panel"), set()
    bpy.ops.motionweave.clip_add(name="walk")
    settings = bpy.context.scene.motionweave
    settings.found.add().name = "walk.bvh"
    drawing = SimpleNamespace(layout=_Layout(seen))
    panels = [one for one in panel.CLASSES if issubclass(one, bpy.types.Panel)]
    for one in panels:
        assert not hasattr(one, "poll") or one.poll(bpy.context)
        one.draw(drawing, bpy.context)
    panel.MOTIONWEAVE_UL_clips.draw_item(
        drawing, bpy.context, drawing.layout, settings, settings.clips[0], 0, settings, "clip"
    )
    part("preferences").Preferences.draw(
        SimpleNamespace(layout=_Layout(seen), bl_rna=part("preferences").Preferences.bl_rna),
        bpy.context,
    )
    bpy.context.view_layer.objects.active = None
    panel.MOTIONWEAVE_PT_main.draw(drawing, bpy.context)
    made = {one.bl_idname for one in (*part("operators").CLASSES, *part("preferences").CLASSES[:2])}
    assert seen == made


def test_nothing_is_left_after_unregister(blender: Any) -> None:
    package = loaded()
    package.unregister()
    assert not hasattr(blender.types.Scene, "motionweave")
    assert not [one for one in dir(blender.types) if one.startswith("MOTIONWEAVE_")]
    package.register()
