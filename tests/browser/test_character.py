"""A user's own character in a real browser."""

from __future__ import annotations

from pathlib import Path

import motionweave as mw
from motionweave.io.gltf.mesh import read_mesh
from tests.browser.conftest import Studio, picture_changed
from tests.characters import write_character

WORN = "s.looks.some((look) => look.id === 'result' && look.worn)"


def test_a_character_is_shown_worn_and_exported(studio: Studio, tmp_path: Path) -> None:
    page = studio.page
    path = write_character(tmp_path / "hero.glb", mw.sample("dance_a"), mw.sample("jab"))
    page.set_input_files(".mw-shell input[type=file]", str(path))
    card = studio.card("hero dance_a")
    card.wait_for()
    assert studio.card("hero jab").count() == 1
    # By itself it is drawn with its mesh.
    card.hover()
    card.locator('[title^="Show only"]').click()
    studio.until("s.count === 1 && s.looks[0].worn")
    studio.pause(1.0)
    mesh = studio.pixels()
    page.evaluate("{const c = motionweave.viewport.main(); c.skin.mesh.visible = false;}")
    page.evaluate("motionweave.viewport.stage.dirty = true")
    assert picture_changed(mesh, studio.pixels()) > 0.01
    card.locator('[title^="Show only"]').click()
    studio.until("s.count === 4")
    # Any result is performed by it, and exported so.
    card.hover()
    card.locator('[title^="More"]').click()
    page.locator(".q-item", has_text="Wear this character").click()
    studio.until(WORN)
    page.locator(".mw-result", has_text="hero dance_a").wait_for()
    studio.click(".mw-button", "Export")
    with page.expect_download() as download:
        page.locator(".q-item", has_text="(.glb)").click()
    download.value.save_as(tmp_path / "made.glb")
    assert read_mesh(tmp_path / "made.glb") is not None
    assert len(mw.load(tmp_path / "made.glb")) == studio.state()["frames"]
    studio.click(".mw-result button", "hero dance_a")
    studio.until(f"!({WORN})")
