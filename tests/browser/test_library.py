"""The library screen in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest

import motionweave as mw
from tests.browser.conftest import Studio, drag, picture_changed
from tests.browser.editors import slide
from tests.browser.test_details import FAINT, UNNAMED


def test_motions_are_found_shown_and_taken(studio: Studio, tmp_path: Path) -> None:
    for name in ("walk", "jog", "punch"):
        mw.save(mw.sample(name), tmp_path / f"{name}.npz")
    page = studio.page
    open_library(studio)
    assert "Name a folder" in page.locator(".mw-empty").inner_text()
    field = page.locator('input[aria-label="Folder of clips"]')
    field.fill(str(tmp_path))
    field.press("Enter")
    page.locator(".mw-empty", has_text="as an example, or type words").wait_for()
    studio.card("jog").click()
    studio.until("s.of === 'library' && s.count === 2")
    rows = page.locator(".mw-found-row")
    # The example, which is in the folder too, is not listed; the nearest of the others is shown.
    page.locator(".mw-found-row.on", has_text="walk").wait_for()
    assert page.locator(".mw-found-row", has_text="jog").count() == 0
    walk = studio.state()["frames"]
    assert page.evaluate(UNNAMED) == []
    assert page.evaluate(FAINT) == []
    # The keyboard goes through the list.
    rows.first.focus()
    page.keyboard.press("ArrowRight")
    page.locator(".mw-found-row.on", has_text="punch").wait_for()
    studio.until(f"s.frames !== {walk}")
    studio.settle()
    count, found = page.locator(".mw-card").count(), rows.count()
    studio.click(".mw-button", "All to the shelf")
    studio.wait(f"document.querySelectorAll('.mw-card').length === {count + found}")
    # One is dragged to the shelf.
    rows.first.drag_to(page.locator(".mw-cards"))
    studio.wait(f"document.querySelectorAll('.mw-card').length === {count + found + 1}")
    assert page.locator(".mw-cards.over").count() == 0
    # And one into the sequence.
    rows.nth(1).drag_to(page.locator('.mw-nav button[title^="Sequence"]'))
    page.locator(".q-notification", has_text="is block 4 of the sequence").wait_for()
    # All clips of the folder are on a rig of the shelf.
    studio.click(".mw-switch", "Only rigs on the shelf")
    studio.settle()
    assert rows.count() == found
    studio.click(".mw-choice button", "Fill a gap")
    jog = len(mw.sample("jog"))
    studio.until(f"s.frames === {jog} && s.looks.some((look) => look.id === 'original')")


def test_a_path_is_drawn_on_the_floor_and_followed(studio: Studio, tmp_path: Path) -> None:
    for name in ("walk", "walk_left", "walk_right"):
        mw.save(mw.sample(name), tmp_path / f"{name}.npz")
    page = studio.page
    open_library(studio)
    field = page.locator('input[aria-label="Folder of clips"]')
    field.fill("nowhere at all")
    field.press("Enter")
    page.locator(".mw-empty", has_text="There is no folder").wait_for()
    studio.settle()
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
    # Its feet are planted, or not.
    studio.pause(0.8)
    before = studio.state()
    studio.click(".mw-switch", "Plant the feet")
    assert studio.after(before)["points"] != before["points"]
    studio.key("z")
    studio.settle()
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


def open_library(studio: Studio) -> None:
    """Go to the screen, and wait until its fields show what the document says."""
    studio.click(".mw-nav button", "Library")
    studio.settle()


def open_folder(studio: Studio, folder: Path, words: str) -> None:
    """List what is in a folder by words."""
    open_library(studio)
    for label, text in (("Folder of clips", str(folder)), ("Words", words)):
        field = studio.page.locator(f'input[aria-label="{label}"]')
        field.fill(text)
        field.press("Enter")
        studio.settle()


FIGURES = """() => [...document.querySelectorAll('.mw-found .mw-thumbnail')]
  .filter((one) => one.editor.ready && one.editor.frame)
  .map(({ editor }) => ({ ...editor.frame, flat: Boolean(editor.$refs.canvas.getContext('2d')) }))"""  # noqa: E501


@pytest.mark.mocap
def test_every_result_has_a_small_figure_that_moves_when_it_is_pointed_at(
    studio: Studio, mocap: Path, tmp_path: Path
) -> None:
    names = ("16_49_run", "13_18_punch_right_soft", "16_01_jump_up", "111_18_pick_up")
    for name in names:
        source = next((mocap / "bvh").glob(f"cmu_{name}*"))
        (tmp_path / source.name).symlink_to(source)
    page = studio.page
    open_folder(studio, tmp_path, "cmu")
    rows = page.locator(".mw-found-row")
    assert rows.count() == len(names)
    studio.wait(f"({FIGURES})().length === {len(names)}")
    for figure in page.evaluate(FIGURES):
        # All of the body is in the picture, and the picture is well used.
        assert 0 <= figure["top"] < figure["bottom"] <= figure["height"]
        assert figure["bottom"] - figure["top"] > 0.5 * figure["height"]
        assert figure["flat"]
    pose = "document.querySelectorAll('.mw-found .mw-thumbnail')[1].editor.pose"
    picture = rows.nth(1).locator(".mw-thumbnail")
    page.mouse.move(5, 5)
    studio.wait(f"{pose} === null")
    still = picture.screenshot()
    rows.nth(1).hover()
    studio.wait(f"{pose} > 4")
    assert picture_changed(still, picture.screenshot()) > 0.01
    page.mouse.move(5, 5)
    studio.wait(f"{pose} === null")
    assert picture_changed(still, picture.screenshot()) == 0.0
    # The keyboard moves it as well; whoever asked for less motion sees it stand still.
    rows.nth(0).focus()
    page.keyboard.press("ArrowRight")
    studio.wait(f"{pose} > 1")
    page.locator('input[aria-label="Words"]').focus()
    studio.wait(f"{pose} === null")
    page.emulate_media(reduced_motion="reduce")
    rows.nth(1).hover()
    page.wait_for_timeout(200)
    assert page.evaluate(pose) is None
    page.emulate_media(reduced_motion="no-preference")
    studio.settle()


@pytest.mark.mocap
def test_real_clips_go_from_the_folder_into_the_sequence_and_along_a_path(
    studio: Studio, mocap: Path, tmp_path: Path
) -> None:
    for name in ("02_01_walk_straight", "16_58_walk", "13_18_punch_right_soft"):
        source = next((mocap / "bvh").glob(f"cmu_{name}*"))
        (tmp_path / source.name).symlink_to(source)
    page = studio.page
    studio.screen("Sequence")
    studio.click(".mw-sequence .mw-button", "Remove all")
    open_folder(studio, tmp_path, "walk")
    rows, tab = page.locator(".mw-found-row"), page.locator('.mw-nav button[title^="Sequence"]')
    for number in (0, 1):
        rows.nth(number).drag_to(tab)
        page.locator(".q-notification", has_text=f"is block {number + 1} of").wait_for()
    studio.screen("Sequence")
    assert page.locator(".mw-sequence .mw-block").count() == 2
    # A longer spline between them takes more time.
    page.locator(".mw-sequence .mw-block").first.click()
    studio.settle()
    studio.click(".mw-sequence .mw-choice button", "Spline")
    natural = studio.settle()["duration"]
    slide(studio, "Length", 2.0)
    assert studio.settle()["duration"] > natural
    # Both arms of another clip over the first block.
    studio.pause(0.5)
    before = studio.state()
    page.locator(".mw-sequence select").select_option(label="kick_high")
    studio.settle()
    studio.click(".mw-sequence .mw-choice button", "Both arms")
    assert studio.settle()["points"] != before["points"]
    # The same clips along a path, with feet that are planted or not.
    open_library(studio)
    studio.click(".mw-choice button", "Follow a path")
    studio.settle()
    box = page.locator(".mw-stage").bounding_box()
    x, y = box["x"] + 0.4 * box["width"], box["y"] + 0.9 * box["height"]
    drag(page, (x, y), (x + 0.2 * box["width"], y - 0.35 * box["height"]))
    studio.settle()
    skating = page.locator(".mw-figures > div", has_text="skating").locator(".mw-value")
    planted = float(skating.inner_text().rstrip("%"))
    studio.click(".mw-switch", "Plant the feet")
    studio.settle()
    assert float(skating.inner_text().rstrip("%")) > planted
