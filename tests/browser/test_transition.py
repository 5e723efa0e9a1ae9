"""The transition screen in a real browser."""

from __future__ import annotations

import numpy as np
import pytest

from tests.browser.conftest import Studio, drag
from tests.browser.editors import ask


def test_a_transition_at_the_best_place_at_another_and_narrower(studio: Studio) -> None:
    best = studio.screen("Transition")
    assert best["count"] == 3
    rows = studio.page.locator(".mw-transition button.mw-list-row")
    rows.nth(1).click()
    other = studio.after(best)
    assert other["frames"] != best["frames"]
    studio.click(".mw-button", "Best place")
    again = studio.after(other)
    assert again["frames"] == best["frames"]
    width = studio.page.locator(".mw-transition input[type=range]").locator("visible=true")
    usual = float(width.input_value())
    width.focus()
    for _ in range(10):
        width.press("ArrowLeft")
    studio.after(again)
    # No press is lost, however slowly the server follows.
    assert float(width.input_value()) == pytest.approx(usual - 0.1)
    number = studio.page.locator('[aria-label="Half width, as a number"]').locator("visible=true")
    assert number.input_value() == f"{usual - 0.1:.2f} s"
    # Numbers can be typed, with or without their unit; what is none is not taken.
    number.fill("0,3 s")
    number.press("Enter")
    studio.settle()
    assert (number.input_value(), float(width.input_value())) == ("0.30 s", 0.3)
    number.fill("wide")
    number.press("Enter")
    studio.settle()
    assert number.input_value() == "0.30 s"


def test_clips_and_overlap_are_dragged_by_their_edges(studio: Studio) -> None:
    best = studio.screen("Transition")
    track = ".mw-transition .mw-track"

    def pulled(part: str, edge: str, pixels: float) -> None:
        at = ask(studio, track, f"blockAt('{part}', '{edge}')")
        drag(studio.page, at, (at[0] + pixels, at[1]))
        studio.settle()

    def frames() -> list[int]:
        told = ask(studio, track, "blocks.map((block) => block.facts)")
        return [int(text.rpartition(" ")[2]) for text in told]

    def overlap() -> float:
        return ask(studio, track, "seams[0].end") - ask(studio, track, "seams[0].start")

    leave, enter = frames()
    pulled("0", "right", -40)
    earlier, same = frames()
    assert earlier < leave - 3
    assert same == enter
    pulled("1", "left", 30)
    same, later = frames()
    assert same == earlier
    assert later > enter + 2
    before = overlap()
    pulled("overlap", "left", 15)
    assert overlap() < before - 0.1
    # Each drag is one step.
    for _ in range(3):
        studio.key("z")
    assert studio.settle()["frames"] == best["frames"]
    assert studio.page.locator(".mw-transition .mw-button.on", has_text="Best place").count() == 1


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
    assert "not enough room" in studio.page.locator(".mw-problem").inner_text()
    studio.click(".mw-button", "Best place")
    assert studio.after(joined)["frames"] == best["frames"]
    assert not studio.page.locator(".mw-problem").is_visible()


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
