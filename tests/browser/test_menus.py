"""Menus: every format once, menus inside menus, the keyboard."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Studio


def focused(studio: Studio) -> str:
    """The first line of what has the focus."""
    return str(studio.page.evaluate("document.activeElement.innerText.split('\\n')[0]"))


def test_a_format_with_several_suffixes_is_exported_from_a_menu_of_its_own(studio: Studio) -> None:
    pytest.importorskip("pxr")
    page = studio.page
    studio.card("jog").hover()
    studio.card("jog").locator('[title^="More"]').click()
    page.locator(".q-item", has_text="Export as").click()
    usd = page.locator(".q-item", has_text="USD")
    usd.first.wait_for()
    assert usd.count() == 1
    usd.click()
    with page.expect_download() as download:
        page.locator(".q-item", has_text="(.usda)").click()
    assert download.value.suggested_filename == "jog.usda"
    # All three menus are closed.
    page.locator(".q-menu").first.wait_for(state="detached")
    assert page.locator(".q-menu").count() == 0


def test_arrow_keys_walk_through_menus_and_not_through_time(studio: Studio) -> None:
    page, time = studio.page, studio.state()["time"]
    studio.key("e")
    page.locator(".q-menu").wait_for()
    walked = []
    for key in ("ArrowDown", "ArrowDown", "ArrowUp", "End", "Home"):
        page.keyboard.press(key)
        walked.append(focused(studio))
    bvh = "BVH (.bvh)"
    assert walked == [bvh, "glTF (.glb)", bvh, "BVH with contacts (.zip)", bvh]
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    assert download.value.suggested_filename.endswith(".bvh")
    page.locator(".q-menu").wait_for(state="detached")
    assert studio.state()["time"] == time
    page.keyboard.press("ArrowRight")
    assert studio.settle()["time"] > time


def test_the_arrow_right_enters_a_menu_inside_a_menu_and_left_leaves_it(studio: Studio) -> None:
    page = studio.page
    studio.card("jog").hover()
    studio.card("jog").locator('[title^="More"]').click()
    item = page.locator(".q-item", has_text="Export as")
    item.focus()
    page.keyboard.press("ArrowRight")
    page.locator(".q-item", has_text="(.bvh)").wait_for()
    studio.wait("document.activeElement.innerText.startsWith('BVH')")
    page.keyboard.press("ArrowLeft")
    studio.wait("document.activeElement.innerText.startsWith('Export as')")
    assert page.locator(".q-menu").count() == 1
    page.keyboard.press("Escape")
    page.locator(".q-menu").wait_for(state="detached")
