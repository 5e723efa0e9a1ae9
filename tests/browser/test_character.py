"""A user's own character in a real browser."""

from __future__ import annotations

from pathlib import Path

import motionweave as mw
from motionweave.io.gltf.mesh import read_mesh
from tests.browser.conftest import Studio, picture_changed
from tests.characters import write_character


def worn(studio: Studio) -> bool:
    """Whether the result is performed by a character."""
    return any(look["id"] == "result" and look["worn"] for look in studio.settle()["looks"])


def test_a_character_is_shown_worn_and_exported(studio: Studio, tmp_path: Path) -> None:
    page = studio.page
    path = write_character(tmp_path / "hero.glb", mw.sample("dance_a"), mw.sample("jab"))
    page.set_input_files(".mw-shell input[type=file]", str(path))
    studio.settle()
    card = studio.card("hero dance_a")
    assert studio.card("hero jab").count() == 1
    # By itself it is drawn with its mesh.
    card.hover()
    card.locator('[title^="Show only"]').click()
    alone = studio.settle()
    assert [look["worn"] for look in alone["looks"]] == [True]
    studio.pause(1.0)
    mesh = studio.pixels()
    page.evaluate("{const c = motionweave.viewport.main(); c.skin.mesh.visible = false;}")
    page.evaluate("motionweave.viewport.stage.dirty = true")
    assert picture_changed(mesh, studio.pixels()) > 0.01
    card.locator('[title^="Show only"]').click()
    assert studio.settle()["count"] == 4
    # Any result is performed by it, and exported so.
    card.hover()
    card.locator('[title^="More"]').click()
    page.locator(".q-item", has_text="Show all results on this character").click()
    assert worn(studio)
    assert page.locator(".mw-result", has_text="hero dance_a").count() == 1
    studio.click(".mw-button", "Export")
    with page.expect_download() as download:
        page.locator(".q-item", has_text="(.glb)").click()
    download.value.save_as(tmp_path / "made.glb")
    assert read_mesh(tmp_path / "made.glb") is not None
    assert len(mw.load(tmp_path / "made.glb")) == studio.state()["frames"]
    studio.click(".mw-result button", "hero dance_a")
    assert not worn(studio)
