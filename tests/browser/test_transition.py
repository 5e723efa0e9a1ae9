"""The transition screen in a real browser."""

from __future__ import annotations

import numpy as np
import pytest

from tests.browser.conftest import Studio


def test_a_transition_at_the_best_place_at_another_and_narrower(studio: Studio) -> None:
    studio.screen("Transition")
    best = studio.until("s.count === 3")
    rows = studio.page.locator(".mw-list-row")
    rows.nth(1).click()
    other = studio.until(f"s.frames !== {best['frames']}")
    studio.click(".mw-button", "Best place")
    again = studio.until(f"s.frames === {best['frames']} && s.shown > {other['shown']}")
    width = studio.page.locator(".mw-transition input[type=range]").locator("visible=true")
    width.focus()
    for _ in range(10):
        width.press("ArrowLeft")
    studio.after(again)
    # No press is lost, however slowly the server follows.
    studio.page.locator(".mw-transition .mw-value", has_text="0.40 s").wait_for()
    assert float(width.input_value()) == 0.4


@pytest.mark.xfail(
    reason="the place that is clicked no longer gives a warning to look for", strict=False
)
def test_a_click_in_the_map_joins_there(studio: Studio) -> None:
    studio.screen("Transition")
    best = studio.until("s.count === 3")
    canvas = studio.page.locator(".mw-transition .mw-heat canvas").locator("visible=true")
    box = canvas.bounding_box()
    width, height = box["width"] - 22, box["height"] - 22
    canvas.click(position={"x": 18 + 0.55 * width, "y": 4 + 0.5 * height})
    studio.after(best)
    # One corner of the map has hardly room for a transition: that is told, and nothing breaks.
    canvas.click(position={"x": 21, "y": box["height"] - 22})
    studio.page.locator(".mw-remark").first.wait_for()
    before = studio.state()
    studio.click(".mw-button", "Best place")
    studio.after(before)

    def mended() -> None:
        assert studio.state()["frames"] == best["frames"]
        assert studio.page.locator(".mw-remark").count() == 0

    studio.eventually(mended)


def test_nothing_pops_at_the_seams(studio: Studio) -> None:
    studio.screen("Transition")
    frames = studio.until("s.count === 3")["frames"]
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
