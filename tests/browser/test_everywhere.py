"""What holds on every screen: files, export, projects, keys, code, themes, two tabs."""

from __future__ import annotations

import re
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np

from motionweave.clips import load, save
from motionweave.samples.clips import sample
from motionweave.studio.files.project import load_project
from motionweave.studio.server.guard import COOKIE
from motionweave.studio.view.payload import floor_of, scale_of
from motionweave.studio.workspace import Workspace
from tests.browser.conftest import Studio, picture_changed
from tests.studio.process import Server

DROP = """async (files) => {
  const data = new DataTransfer();
  for (const [name, text] of files) data.items.add(new File([text], name));
  const options = { dataTransfer: data, bubbles: true, cancelable: true };
  window.dispatchEvent(new DragEvent('drop', options));
}"""


def drop(studio: Studio, *files: tuple[str, str]) -> None:
    studio.page.evaluate(DROP, [list(file) for file in files])


def test_dropped_files_are_on_the_shelf_and_can_be_blended(studio: Studio, tmp_path: Path) -> None:
    save(sample("walk_left"), tmp_path / "a.bvh")
    drop(studio, ("my turn.bvh", (tmp_path / "a.bvh").read_text()), ("bad.bvh", "HIERARCHY\nROOT"))
    studio.settle()
    card = studio.card("my turn")
    assert "93 frames" in card.inner_text()
    assert "contacts" in card.inner_text()
    broken = studio.card("bad")
    assert "bad.bvh" in broken.locator(".mw-card-error").inner_text()
    card.click()
    assert studio.settle()["count"] == 5
    studio.key("z")
    studio.key("z")
    studio.settle()
    assert card.count() == 0


def test_clips_are_trimmed_mirrored_renamed_and_removed(studio: Studio) -> None:
    studio.card("walk").hover()
    studio.card("walk").locator('[title^="More"]').click()
    studio.page.locator(".q-item", has_text="Mirror").click()
    studio.settle()
    assert studio.card("walk").locator(".mw-badge").inner_text() == "mirrored"
    name = studio.card("walk").locator(".mw-name")
    name.fill("stroll")
    name.press("Enter")
    studio.settle()
    assert studio.page.locator(".mw-pad-corner", has_text="stroll").count() == 1
    studio.card("stroll").hover()
    studio.card("stroll").locator('[title^="More"]').click()
    studio.page.locator(".q-item", has_text="Trim").click()
    studio.page.locator(".q-menu").wait_for(state="detached")
    studio.settle()
    thumb = studio.card("stroll").locator(".q-slider__thumb").last
    box = thumb.bounding_box()
    studio.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    studio.page.mouse.down()
    studio.page.mouse.move(box["x"] - 60, box["y"] + box["height"] / 2, steps=5)
    studio.page.mouse.up()
    studio.settle()
    assert studio.card("stroll").locator(".mw-badge", has_text="frames 0").count() == 1
    studio.card("stroll").hover()
    studio.card("stroll").locator('[title^="More"]').click()
    studio.page.locator(".q-item", has_text="Remove").click()
    assert studio.settle()["count"] == 3
    assert studio.card("stroll").count() == 0


def test_an_export_is_what_is_on_screen_and_loads_again(studio: Studio, tmp_path: Path) -> None:
    frames = studio.state()["frames"]
    studio.click(".mw-button", "Export")
    with studio.page.expect_download() as download:
        studio.page.locator(".q-item", has_text="BVH (.bvh)").click()
    path = tmp_path / "export.bvh"
    download.value.save_as(path)
    assert download.value.suggested_filename.endswith(".bvh")
    motion = load(path)
    assert len(motion) == frames
    drop(studio, ("export.bvh", path.read_text()))
    studio.settle()
    studio.card("export").hover()
    studio.card("export").locator('[title^="Show only"]').click()
    assert studio.settle()["count"] == 1
    studio.pause(0.5)
    points = np.array(studio.state()["points"]).reshape(-1, 3)
    down = [0.0, floor_of(motion), 0.0]
    expected = (motion.sample([0.5 * motion.fps]).positions()[0] - down) * scale_of(motion)
    np.testing.assert_allclose(points[: len(expected)], expected, atol=5e-3)


def test_a_project_is_saved_and_opened_again(studio: Studio, tmp_path: Path) -> None:
    before = studio.state()
    studio.page.locator(".mw-pad-numbers input").first.fill("80")
    studio.page.locator(".mw-pad-numbers input").first.press("Enter")
    assert studio.after(before)["count"] == 4
    studio.pause(0.4)
    saved = studio.state()
    with studio.page.expect_download() as download:
        studio.key("Control+s")
    path = tmp_path / "p.mwproj"
    download.value.save_as(path)
    studio.settle()
    assert not studio.page.title().startswith("•")
    studio.card("walk").click()
    assert studio.settle()["count"] == 3
    assert studio.page.title().startswith("•")
    # It asks before it takes the place of what was not saved.
    studio.page.set_input_files(".mw-shell input[type=file]", str(path))
    asking = studio.page.locator(".mw-asking")
    asking.locator("button", has_text="Cancel").click()
    asking.wait_for(state="detached")
    assert studio.settle()["count"] == 3
    studio.page.set_input_files(".mw-shell input[type=file]", [])
    studio.page.set_input_files(".mw-shell input[type=file]", str(path))
    asking.locator("button", has_text="Open without saving").click()
    opened = studio.settle()
    assert (opened["count"], opened["frames"]) == (4, saved["frames"])
    studio.pause(0.4)
    again = studio.state()
    np.testing.assert_allclose(again["points"], saved["points"], atol=1e-4)
    assert studio.page.locator(".mw-pad-numbers input").first.input_value() == "80"
    # What was there before is one step back.
    studio.key("z")
    assert studio.settle()["count"] == 3
    # Saved first, it is what was there that is saved, not what takes its place.
    studio.page.set_input_files(".mw-shell input[type=file]", [])
    studio.page.set_input_files(".mw-shell input[type=file]", str(path))
    with studio.page.expect_download() as download:
        asking.locator("button", has_text="Save first").click()
    assert studio.settle()["count"] == 4
    assert studio.page.title().startswith("p –")
    kinds = Workspace.open().session.kinds
    assert len(load_project(download.value.path(), kinds).settings["blend"].clips) == 2
    assert len(load_project(path, kinds).settings["blend"].clips) == 3
    # Recent projects are in the menu.
    studio.card("walk").click()
    assert studio.settle()["count"] == 3
    studio.click('.mw-icon[title="Project"]')
    studio.page.locator(".mw-recent .q-item").get_by_text("p", exact=True).click()
    studio.page.locator(".q-menu").wait_for(state="detached")
    # The file is read in the background, and nobody waits for that but the page.
    studio.until("s.count === 4")


def test_starting_anew_is_a_step_like_any_other(studio: Studio) -> None:
    studio.card("walk").click()
    assert studio.settle()["count"] == 3
    studio.click('.mw-icon[title="Project"]')
    studio.page.locator(".q-item", has_text="New project").click()
    assert studio.settle()["count"] == 4
    studio.key("z")
    assert studio.settle()["count"] == 3


def test_the_address_has_screen_and_time_and_back_goes_back(studio: Studio) -> None:
    page = studio.page
    studio.screen("Transition")
    studio.pause(0.7)
    studio.wait("location.hash === '#transition@0.70'")
    studio.screen("Spline")
    page.go_back()
    studio.until("s.of === 'transition'")
    studio.settle()
    assert page.locator(".mw-nav button.on").inner_text().endswith("Transition")
    studio.pause(0.7)
    studio.wait("location.hash === '#transition@0.70'")
    page.reload()
    studio.wait("window.motionweave?.viewport?.state().of === 'transition'")
    state = studio.settle()
    assert abs(state["time"] - 0.7) < 0.02
    assert not state["playing"]


def test_a_result_goes_back_on_the_shelf(studio: Studio) -> None:
    count = studio.page.locator(".mw-card").count()
    studio.key("k")
    studio.settle()
    assert studio.page.locator(".mw-card").count() == count + 1
    assert studio.page.locator(".mw-card .mw-badge", has_text="result").count() == 1


def test_feet_are_planted_unless_they_shall_not_be(studio: Studio) -> None:
    def skating() -> float:
        shown = studio.page.locator(".mw-figures").inner_text()
        found = re.search(r"skating\s*([\d.]+)%", shown)
        assert found is not None
        return float(found[1])

    assert skating() < 0.2
    before = studio.state()
    studio.click(".mw-switch", "Plant the feet")
    assert studio.after(before)["points"] != before["points"]
    assert skating() > 0.2
    studio.click(".mw-switch", "Plant the feet")
    studio.settle()
    assert skating() < 0.2


def test_keys(studio: Studio) -> None:
    studio.key(" ")
    assert studio.state()["playing"]
    studio.key(" ")
    assert not studio.state()["playing"]
    studio.key("Home")
    studio.key("ArrowRight")
    studio.key("ArrowRight")
    assert abs(studio.state()["time"] * 30 - 2) < 1e-6
    studio.key("Shift+?")
    studio.page.locator(".mw-sheet", has_text="Keyboard").wait_for()
    studio.page.keyboard.press("Escape")
    studio.page.locator(".mw-sheet").wait_for(state="detached")
    studio.key("2")
    studio.page.locator(".mw-nav button.on", has_text="Transition").wait_for()


def test_code_is_shown_and_copied(studio: Studio) -> None:
    studio.key("c")
    code = studio.page.locator('.mw-code[data-language="python"]')
    code.wait_for()
    assert "mw.register(walk, jog, sneak)" in code.inner_text()
    assert "motionweave blend" in studio.page.locator(".mw-code").last.inner_text()
    studio.page.locator(".mw-sheet .mw-button", has_text="Copy").first.click()
    studio.page.locator(".q-notification", has_text="Copied").wait_for()
    assert "mw.register" in studio.page.evaluate("navigator.clipboard.readText()")
    studio.page.keyboard.press("Escape")
    studio.page.locator(".mw-sheet").wait_for(state="detached")


def test_themes_are_remembered_and_the_page_asks_nobody_else(
    studio: Studio, server: Server
) -> None:
    dark = studio.pixels()
    studio.click('.mw-icon[title^="Dark or light"]')
    studio.settle()
    assert studio.page.evaluate("document.body.classList.contains('body--light')")
    assert picture_changed(dark, studio.pixels()) > 0.5
    asked: list[str] = []
    studio.page.on("request", lambda request: asked.append(request.url))
    studio.open(server.address)
    assert studio.page.evaluate("document.body.classList.contains('body--light')")
    # The page works without the rest of the world.
    ours = (server.address, "data:", "blob:", server.address.replace("http", "ws"))
    assert asked
    assert [url for url in asked if not url.startswith(ours)] == []
    studio.click('.mw-icon[title^="Dark or light"]')
    studio.wait("document.body.classList.contains('body--dark')")


def test_two_tabs_show_one_document(studio: Studio, server: Server) -> None:
    other = Studio(studio.page.context.new_page())
    other.open(server.address)
    other.pause()
    field = studio.page.locator(".mw-pad-numbers input").first
    field.fill("90")
    field.press("Enter")
    other.wait("document.querySelector('.mw-pad-numbers input').value === '90'")
    assert other.errors == []
    # A tab that is closed in the middle of work takes nothing with it.
    before = studio.state()
    other.page.evaluate(
        "document.querySelectorAll('.mw-pad-corner circle')[1]"
        ".dispatchEvent(new PointerEvent('pointerdown', {bubbles: true}))"
    )
    other.page.close()
    studio.page.bring_to_front()
    field.fill("20")
    field.press("Enter")
    assert studio.after(before)["count"] == 4


def ask(server: Server, path: str, headers: dict[str, str], data: bytes | None = None) -> int:
    headers = {"Cookie": f"{COOKIE}={server.token}", **headers}
    address = server.address.rstrip("/") + path
    request = urllib.request.Request(address, data=data, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return int(error.code)


def test_the_server_refuses_others(server: Server) -> None:
    assert ask(server, "/", {}) == 200
    # Other users of this machine do not know the token.
    assert ask(server, "/", {"Cookie": ""}) == 401
    assert ask(server, "/", {"Host": "evil.example"}) == 403
    evil = {"Origin": "https://evil.example"}
    assert ask(server, "/upload", evil, b"x") == 403
    assert ask(server, "/_nicegui_ws/socket.io/?EIO=4&transport=polling", evil) == 403
    assert ask(server, "/motion/999999", {}) == 404
    assert ask(server, "/upload", {"Content-Type": "text/plain"}, b"x") == 400
    huge = {"Content-Length": "200000000", "Content-Type": "multipart/form-data; boundary=b"}
    assert ask(server, "/upload", huge, b"") == 413


def test_a_malformed_upload_changes_nothing(studio: Studio, server: Server) -> None:
    count = studio.page.locator(".mw-card").count()
    form = {"Content-Type": "multipart/form-data; boundary=b"}
    assert ask(server, "/upload", form, b"--b\r\nnonsense") == 400
    drop(studio, ("p.mwproj", "no zip"))
    studio.page.locator(".mw-sending", has_text="not a project").wait_for()
    studio.errors.clear()  # the browser reports the refused request
    assert studio.page.locator(".mw-card").count() == count


def test_a_file_that_is_too_large_keeps_no_other_away(studio: Studio, tmp_path: Path) -> None:
    save(sample("walk_left"), tmp_path / "a.bvh")
    large = """(text) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(101e6)], "large.bvh"));
      data.items.add(new File([text], "small.bvh"));
      window.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
    }"""
    studio.page.evaluate(large, (tmp_path / "a.bvh").read_text())
    studio.wait("document.querySelector('.mw-sending')?.innerText.includes('large.bvh')")
    studio.settle()
    assert studio.card("small").count() == 1
    assert studio.card("large").count() == 0
