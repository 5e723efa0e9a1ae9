"""The library screen in a real browser."""

from __future__ import annotations

from pathlib import Path

import motionweave as mw
from tests.browser.conftest import Studio
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
    page.locator(".mw-empty", has_text="Click a clip").wait_for()
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
    studio.click(".mw-choice button", "Fill a gap")
    studio.until(f"s.frames === {jog} && s.looks.some((look) => look.id === 'original')")
