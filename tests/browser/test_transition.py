"""The transition screen in a real browser."""

from __future__ import annotations

import numpy as np

from tests.browser.conftest import Studio
from tests.browser.editors import ask


def test_a_transition_at_the_best_place_at_another_and_narrower(studio: Studio) -> None:
    best = studio.screen("Transition")
    assert best["count"] == 3
    rows = studio.page.locator(".mw-list-row")
    rows.nth(1).click()
    other = studio.after(best)
    assert other["frames"] != best["frames"]
    studio.click(".mw-button", "Best place")
    again = studio.after(other)
    assert again["frames"] == best["frames"]
    width = studio.page.locator(".mw-transition input[type=range]").locator("visible=true")
    width.focus()
    for _ in range(10):
        width.press("ArrowLeft")
    studio.after(again)
    # No press is lost, however slowly the server follows.
    assert studio.page.locator(".mw-transition .mw-value", has_text="0.40 s").count() == 1
    assert float(width.input_value()) == 0.4


def click_at(studio: Studio, leave: float, enter: float) -> None:
    """Click on a place of the map."""
    where = f"onPage(element.editor.xy({leave}, {enter}))"
    studio.page.mouse.click(*ask(studio, ".mw-transition .mw-heat", where))


def test_a_click_in_the_map_joins_there(studio: Studio) -> None:
    best = studio.screen("Transition")
    click_at(studio, 46, 37)
    joined = studio.after(best)
    assert ask(studio, ".mw-transition .mw-heat", "map.chosen") == [46, 37]
    # The corners of the map have no room for a transition: that is told, and nothing breaks.
    click_at(studio, 0.4, 0.4)
    assert studio.settle()["frames"] == joined["frames"]
    assert "not enough room" in studio.page.locator(".mw-trouble").inner_text()
    studio.click(".mw-button", "Best place")
    assert studio.after(joined)["frames"] == best["frames"]
    assert not studio.page.locator(".mw-trouble").is_visible()


def test_nothing_pops_at_the_seams(studio: Studio) -> None:
    frames = studio.screen("Transition")["frames"]
    steps = studio.page.evaluate(
        """(frames) => {
            const v = motionweave.viewport, all = [];
            v.playing = false;
            for (let f = 0; f < frames; f++) { v.seek(f / v.fps); all.push([...v.main().points]); }
            return all;
        }""",
        frames,
    )
    moved = np.linalg.norm(np.diff(np.array(steps).reshape(frames, -1, 3), axis=0), axis=-1)
    assert moved.max() < 4.0 * np.median(moved.max(axis=1))
