"""The library screen in a real browser."""

from __future__ import annotations

from pathlib import Path

import motionweave as mw
from tests.browser.conftest import Studio, drag
from tests.browser.test_details import FAINT, UNNAMED


def test_motions_are_found_shown_and_taken(studio: Studio, tmp_path: Path) -> None:
    for name in ("walk", "jog", "punch"):
        mw.save(mw.sample(name), tmp_path / f"{name}.npz")
    page = studio.page
    studio.click(".mw-nav button", "Library")
    page.locator(".mw-empty", has_text="Name a folder").wait_for()
    field = page.locator('input[aria-label="Folder of clips"]')
    field.fill(str(tmp_path))
    field.press("Enter")
    page.locator(".mw-empty", has_text="as an example, or type words").wait_for()
    studio.card("jog").click()
    studio.until("s.of === 'library' && s.count === 2")
    rows = page.locator(".mw-found-row")
    page.locator(".mw-found-row.on", has_text="jog").wait_for()
    jog = studio.state()["frames"]
    assert page.evaluate(UNNAMED) == []
    assert page.evaluate(FAINT) == []
    # The keyboard goes through the list.
    rows.first.focus()
    page.keyboard.press("ArrowDown")
    page.locator(".mw-found-row.on", has_text="walk").wait_for()
    studio.until(f"s.frames !== {jog}")
    count, found = page.locator(".mw-card").count(), rows.count()
    studio.click(".mw-button", "All to the shelf")
    studio.wait(f"document.querySelectorAll('.mw-card').length === {count + found}")
    # One is dragged to the shelf.
    rows.first.drag_to(page.locator(".mw-cards"))
    studio.wait(f"document.querySelectorAll('.mw-card').length === {count + found + 1}")
    assert page.locator(".mw-cards.over").count() == 0
    # All clips of the folder are on a rig of the shelf.
    studio.click(".mw-switch", "Compatible only")
    studio.settle()
    assert rows.count() == found
    studio.click(".mw-choice button", "Fill a gap")
    studio.until(f"s.frames === {jog} && s.looks.some((look) => look.id === 'original')")


def test_a_path_is_drawn_on_the_floor_and_followed(studio: Studio, tmp_path: Path) -> None:
    for name in ("walk", "walk_left", "walk_right"):
        mw.save(mw.sample(name), tmp_path / f"{name}.npz")
    page = studio.page
    studio.click(".mw-nav button", "Library")
    field = page.locator('input[aria-label="Folder of clips"]')
    field.fill("nowhere at all")
    field.press("Enter")
    page.locator(".mw-empty", has_text="There is no folder").wait_for()
    field.fill(str(tmp_path))
    field.press("Enter")
    studio.click(".mw-choice button", "Follow a path")
    studio.settle()
    camera = "motionweave.viewport.stage.camera.position.toArray()"
    before = page.evaluate(camera)
    box = page.locator(".mw-stage").bounding_box()
    drag(
        page,
        (box["x"] + 0.4 * box["width"], box["y"] + 0.9 * box["height"]),
        (box["x"] + 0.6 * box["width"], box["y"] + 0.6 * box["height"]),
    )
    state = studio.settle()
    assert (state["of"], state["count"]) == ("library", 1)
    # It was drawn, and did not turn the view; the walk begins where the path does.
    path = page.evaluate("motionweave.viewport.path.points")
    assert len(path) > 5
    studio.pause(0.0)
    x, _, z = studio.state()["points"][:3]
    assert abs(x - path[0][0]) + abs(z - path[0][1]) < 0.8
    assert "off the path" in page.locator(".mw-library .mw-dock-head").inner_text()
    # Another drag turns the view again; undo takes the path away.
    drag(page, (box["x"] + 200, box["y"] + 100), (box["x"] + 260, box["y"] + 110))
    assert len(page.evaluate("motionweave.viewport.path.points")) == len(path)
    assert page.evaluate(camera) != before
    studio.key("z")
    assert studio.settle()["count"] == 0
    assert page.evaluate("motionweave.viewport.path.points") == []
    studio.screen("Blend")
    studio.click(".mw-views button", "corner")
