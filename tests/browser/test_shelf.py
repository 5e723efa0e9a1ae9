"""The shelf: many files, long names, search, the keyboard."""

from __future__ import annotations

from pathlib import Path

from motionweave.clips import save
from motionweave.samples.clips import sample
from tests.browser.conftest import Studio
from tests.browser.test_details import UNNAMED


def many(folder: Path, count: int) -> list[str]:
    """Files that are each a few steps of a walk."""
    save(sample("walk")[:20], folder / "first.bvh")
    content = (folder / "first.bvh").read_text()
    paths = [folder / f"take {i:03d} of the walking actor.bvh" for i in range(count)]
    for path in paths:
        path.write_text(content)
    return [str(path) for path in paths]


def test_a_hundred_files_at_once_are_searched_and_renamed_one_by_one(
    studio: Studio, tmp_path: Path
) -> None:
    page = studio.page
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.set_input_files(".mw-shell input[type=file]", many(tmp_path, 100))
    studio.settle()
    assert page.locator(".mw-card").count() == 111
    assert page.locator(".mw-sending").count() == 0
    # New clips do not arrive where nobody sees them, and long names have room for two lines.
    first = studio.card("take 000 of the walking actor")

    def in_sight() -> None:
        assert first.bounding_box()["y"] < page.viewport_size["height"]

    # The list scrolls there once they are laid out.
    studio.eventually(in_sight)
    name = first.locator(".mw-name")
    assert name.evaluate("(e) => e.scrollWidth <= e.clientWidth && e.rows === 2")
    # Only what is seen gets a picture.
    first.scroll_into_view_if_needed()
    studio.wait("document.querySelectorAll('.mw-card .mw-thumbnail')[11].editor.ready")
    assert 0 < sum("/strip/" in url for url in asked) < 60
    for i in range(3):
        page.evaluate("document.querySelectorAll('.mw-card').forEach((c) => c.dataset.old = 1)")
        card = studio.card(f"take 00{i} of the walking actor")
        card.locator(".mw-name").fill(f"renamed {i}")
        card.locator(".mw-name").press("Enter")
        studio.settle()
        assert studio.card(f"renamed {i}").count() == 1
        # No other card was touched.
        assert page.locator(".mw-card[data-old]").count() == 111
    for text, count in (("renamed", 3), ("", 111)):
        page.locator(".mw-search").fill(text)
        studio.settle()
        assert page.locator(".mw-card:not(.hidden)").count() == count
    # All that came at once goes at once; keys work as soon as the field is left.
    page.locator(".mw-search").press("Escape")
    for _ in range(4):
        page.locator("body").press("z")
    studio.settle()
    assert page.locator(".mw-card").count() == 11


def test_clips_are_grouped_by_their_rig(studio: Studio, tmp_path: Path) -> None:
    motion = sample("walk")[:30]
    save(motion, tmp_path / "alike.bvh")
    other = (tmp_path / "alike.bvh").read_text().replace("LeftUpLeg", "LThigh")
    (tmp_path / "different.bvh").write_text(other)
    (tmp_path / "shot.png").write_bytes(b"no picture")
    names = ["alike.bvh", "different.bvh", "shot.png"]
    studio.page.set_input_files(
        ".mw-shell input[type=file]", [str(tmp_path / name) for name in names]
    )
    studio.settle()
    assert studio.page.locator(".mw-group").count() == 3
    inside = studio.page.locator(".mw-group").first
    assert inside.locator('.mw-card[data-clip="alike"]').count() == 1
    said = studio.card("shot.png").locator(".mw-card-error").inner_text()
    assert said == "shot.png is a picture, not a motion file."


def test_selected_clips_are_mirrored_and_removed_together(studio: Studio) -> None:
    page = studio.page
    before = studio.state()
    selected = (
        "[...document.querySelectorAll('.mw-card.selected')].map((card) => card.dataset.clip)"
    )
    studio.card("jump").click(modifiers=["Control"])
    studio.card("walk_left").click(modifiers=["Shift"])
    studio.card("walk_right").click(modifiers=["Control"])
    studio.settle()
    assert page.evaluate(selected) == ["walk_left", "kick_high", "jump"]
    assert page.locator(".mw-selected").inner_text().startswith("3 selected")
    assert studio.state()["shown"] == before["shown"], "selecting uses no clip"
    assert page.evaluate(UNNAMED) == []
    page.locator('.mw-selected button[title="Mirror the selected clips"]').click()
    studio.settle()
    assert page.locator(".mw-card.selected .mw-badge", has_text="mirrored").count() == 3
    assert page.locator(".mw-badge", has_text="mirrored").count() == 3
    # Keys go on from the clip that was clicked last, and act on all of them.
    studio.card("jog").locator(".mw-use").focus()
    page.keyboard.press("Escape")
    for _ in range(3):
        page.keyboard.press("Shift+ArrowDown")
    studio.settle()
    assert page.evaluate(selected) == ["jog", "sneak", "walk_left", "walk_right"]
    page.keyboard.press("Shift+ArrowUp")
    page.keyboard.press("Delete")
    studio.settle()
    assert page.locator(".mw-card").count() == 8
    assert not page.locator(".mw-selected").is_visible()
    studio.key("z")
    studio.settle()
    assert page.locator(".mw-card").count() == 11
    studio.card("jump").click(modifiers=["Control"])
    studio.card("landing").click(modifiers=["Control"])
    studio.card("jump").hover()
    studio.card("jump").locator('button[aria-label="More for jump"]').click()
    page.locator(".q-item", has_text="Remove all 2 selected").click()
    studio.settle()
    assert page.locator(".mw-card").count() == 9


def test_cards_are_used_by_keyboard_alone(studio: Studio) -> None:
    page = studio.page
    page.locator(".mw-search").focus()
    page.keyboard.press("Tab")
    focused = "document.activeElement.closest('.mw-card')?.dataset.clip"
    assert page.evaluate(focused) == "walk"
    page.keyboard.press("Enter")
    assert studio.settle()["count"] == 3
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    assert page.evaluate(focused) == "walk_left"
    page.keyboard.press("Space")
    assert studio.settle()["count"] == 4
    # One stop for the whole list, however long it is.
    page.keyboard.press("Tab")
    assert page.evaluate("!document.activeElement.closest('.mw-cards')")
    # The places where a name may be broken are not part of it.
    name = studio.card("walk_left").locator(".mw-name")
    assert name.input_value() == "walk_\u200bleft"
    name.focus()
    assert name.input_value() == "walk_left"
    name.press("Escape")
    assert studio.card("walk_left").count() == 1
    # One click on a name uses the clip, two rename it, and keys work again afterwards.
    name = studio.card("jog").locator(".mw-name")
    name.click()
    assert studio.settle()["count"] == 3
    name.click()
    assert studio.settle()["count"] == 4
    name.dblclick()
    page.keyboard.type("trot")
    name.press("Enter")
    before = studio.settle()["playing"]
    assert studio.card("trot").count() == 1
    page.keyboard.press("Space")
    assert studio.state()["playing"] is not before
