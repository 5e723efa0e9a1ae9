"""The spline screen in a real browser."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.browser.conftest import Studio, drag, picture_changed
from tests.browser.editors import ask, slide


def view(studio: Studio, call: str) -> Any:
    return ask(studio, ".mw-space", call)


def opened(studio: Studio) -> dict[str, Any]:
    """The screen with its curves drawn."""
    state = studio.screen("Spline")
    assert len(view(studio, "spline.frames")) == 2
    return state


def space_pixels(studio: Studio) -> bytes:
    picture: bytes = studio.page.locator(".mw-space canvas").screenshot()
    return picture


def redrawn(studio: Studio, before: bytes) -> None:
    """Another picture of the curves is on screen, or will be in a moment."""

    def changed() -> None:
        assert picture_changed(before, space_pixels(studio)) > 0.001

    studio.eventually(changed)


def test_degree_and_length_redraw_the_spline_and_change_the_motion(studio: Studio) -> None:
    opened(studio)
    leave = view(studio, "spline.frames[0]")
    studio.pause((leave + 3) / 30)
    before, seen, drawn = studio.state(), studio.pixels(), space_pixels(studio)
    slide(studio, "Degree", 2)
    after = studio.after(before)
    assert np.abs(np.array(after["points"]) - np.array(before["points"])).max() > 0.005
    redrawn(studio, drawn)
    assert picture_changed(seen, studio.pixels()) > 0.0005
    slide(studio, "Length", 2.6)
    assert studio.after(after)["frames"] > after["frames"]
    studio.key("z")
    studio.key("z")
    again = studio.settle()
    np.testing.assert_allclose(again["points"], before["points"], atol=1e-5)


def test_a_part_of_the_body_changes_above_legs_that_go_on(studio: Studio) -> None:
    before = opened(studio)
    studio.click(".mw-choice button", "Both arms")
    after = studio.after(before)
    assert after["frames"] == view(studio, "curves[0].points.length")
    assert after["frames"] != before["frames"]
    studio.key("z")
    again = studio.settle()
    np.testing.assert_allclose(again["points"], before["points"], atol=1e-5)


def test_handles_are_dragged_along_their_curves(studio: Studio) -> None:
    before = opened(studio)
    leave, enter = view(studio, "spline.frames")
    start, goal = view(studio, "handleAt(0)"), view(studio, f"pointAt(0, {leave - 9})")
    drag(studio.page, start, goal)
    after = studio.after(before)
    assert view(studio, "spline.frames[0]") < leave - 4
    assert after["duration"] != before["duration"]
    assert view(studio, "spline.frames[1]") == enter
    shown = studio.page.locator('input[aria-label="Leave at"] >> visible=true').input_value()
    assert int(shown) == view(studio, "spline.frames[0]")
    studio.click(".mw-choice button", "3-D")
    studio.settle()
    flat = space_pixels(studio)
    corner = studio.page.locator(".mw-space canvas").bounding_box()
    x, y = corner["x"] + 12, corner["y"] + 12
    drag(studio.page, (x, y), (x + 60, y + 20), steps=4)
    studio.settle()
    assert view(studio, "yaw") > 1.0
    redrawn(studio, flat)
