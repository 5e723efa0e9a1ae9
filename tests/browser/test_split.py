"""Before and after, side by side in one picture."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.browser.conftest import Studio, drag
from tests.browser.test_warp import grip, joint

LEFT_HAND = 17


def picture(studio: Studio) -> np.ndarray:
    """The viewport ``(height, width, 3)``, without what lies over it."""
    image = pytest.importorskip("PIL.Image")
    hide = "document.querySelector('.mw-app').classList.toggle('bare', {})"
    studio.page.add_style_tag(
        content=".bare :is(.mw-over, .mw-views, .mw-scale, .mw-labels, .mw-grips, .mw-half,"
        " .mw-divider, .mw-here) { visibility: hidden !important; }"
    )
    studio.page.evaluate(hide.format("true"))
    seen = studio.pixels()
    studio.page.evaluate(hide.format("false"))
    return np.asarray(image.open(io.BytesIO(seen)).convert("RGB"), dtype=int)


def unlike(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Which columns of two pictures differ clearly, ``(width,)``."""
    return (np.abs(one - other).max(axis=-1) > 40).any(axis=0)


def halves(studio: Studio) -> dict[str, Any]:
    studio.wait("motionweave.viewport.state().before")
    state = studio.settle()
    studio.page.evaluate("motionweave.viewport.onScreen()")
    return state


@pytest.fixture
def split(studio: Studio) -> Any:
    """The studio; before and after are put away again."""
    yield studio
    view = "motionweave.viewport"
    studio.page.evaluate(f"{view}.divide(0.5); {view}.split = false; {view}.following = true")
    studio.page.evaluate(f"{view}.chosen = ''")
    studio.settle()


def test_left_of_the_divider_is_the_clip_and_right_of_it_the_warp(split: Studio) -> None:
    split.screen("Warp")
    split.pause(1.2)
    split.click(".mw-views button", "front")
    # The camera stays as it is.
    view = "motionweave.viewport"
    split.page.evaluate(f"{view}.stage.touched = true; {view}.following = false")
    clip = picture(split)
    x, y = grip(split, "left_hand")
    drag(split.page, (x, y), (x + 60, y - 120))
    split.settle()
    split.key("g")
    warped = picture(split)
    split.key("g")
    assert unlike(clip, warped).any()
    split.key("b")
    state = halves(split)
    assert state["before"]["name"] == "walk"
    # The same camera and time: each half is what the whole picture would be there.
    width = clip.shape[1]
    columns = np.arange(width)
    for share in (0.0, 0.5, 1.0):
        split.page.evaluate(f"motionweave.viewport.divide({share})")
        seen, middle = picture(split), share * width
        assert not unlike(seen, clip)[columns < middle - 2].any() or share == 0.0
        assert not unlike(seen, warped)[columns > middle + 2].any() or share == 1.0
    split.click(".mw-views button", "corner")
    hands = [joint(state, LEFT_HAND), joint(state["before"], LEFT_HAND)]
    assert np.linalg.norm(hands[0] - hands[1]) > 0.2


def test_the_divider_is_dragged_and_moved_by_keys(split: Studio) -> None:
    split.screen("Warp")
    split.pause(1.0)
    button = split.page.get_by_role("button", name="Before and after, side by side (B)")
    assert button.get_attribute("aria-pressed") == "false"
    button.click()
    halves(split)
    divider = split.page.get_by_role("separator", name="divider between before and after")
    names = split.page.locator(".mw-half b").all_inner_texts()
    assert names == ["Before", "After"]
    box = split.page.locator(".mw-stage").bounding_box()
    at = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    drag(split.page, at, (box["x"] + 0.25 * box["width"], at[1]))
    assert abs(split.state()["before"]["at"] - 0.25) < 0.01
    time = split.state()["time"]
    divider.focus()
    split.page.keyboard.press("ArrowRight")
    split.page.keyboard.press("Shift+ArrowRight")
    assert abs(split.state()["before"]["at"] - 0.37) < 0.01
    assert divider.get_attribute("aria-valuenow") == "37"
    split.page.keyboard.press("End")
    assert split.state()["before"]["at"] == 1.0
    # Keys of the divider do not move the playhead.
    assert split.state()["time"] == time


def test_a_blend_is_compared_with_a_clip_or_with_feet_that_are_not_planted(split: Studio) -> None:
    split.key("b")
    state = halves(split)
    assert state["before"]["name"] == "walk"
    # The others have left the stage.
    seen = "[...motionweave.viewport.stage.characters.values()].filter((c) => c.group.visible)"
    split.wait(f"{seen}.length === 1")
    choice = split.page.get_by_label("what is shown as before")
    assert choice.locator("option").all_inner_texts() == [
        "walk",
        "jog",
        "sneak",
        "feet not planted",
    ]
    choice.select_option("feet not planted")
    state = halves(split)
    hips = [joint(state, 0), joint(state["before"], 0)]
    assert np.linalg.norm(hips[0] - hips[1]) < 0.1
    assert not np.allclose(state["points"], state["before"]["points"], atol=1e-4)
    # Another blend is compared in the same way.
    split.page.locator(".mw-pad-numbers input").first.fill("80")
    split.page.locator(".mw-pad-numbers input").first.press("Enter")
    split.settle()
    assert halves(split)["before"]["id"] == "unplanted"
    # Without planting there is nothing to compare with but the clips.
    split.click(".mw-switch", "Plant the feet")
    split.settle()
    assert choice.locator("option").count() == 3
    assert split.state()["before"]["name"] == "walk"
    split.key("b")
    split.until("!s.before && s.looks.length === 4")
    split.wait(f"{seen}.length === 4")


@pytest.mark.mocap
def test_a_recorded_clip_is_beside_its_warp_in_place_and_size(split: Studio, mocap: Path) -> None:
    path = mocap / "bvh" / "cmu_16_11_walk_veer_left.bvh"
    split.page.set_input_files(".mw-shell input[type=file]", str(path))
    split.settle()
    split.screen("Warp")
    split.card(path.stem).click()
    split.settle()
    split.pause(1.0)
    plain = split.state()
    split.key("b")
    # Without keys what there was is what there is.
    same = halves(split)
    np.testing.assert_allclose(same["before"]["points"], same["points"], atol=1e-6)
    x, y = grip(split, "left_hand")
    drag(split.page, (x, y), (x + 30, y - 60))
    split.settle()
    state = halves(split)
    assert state["before"]["name"] == path.stem
    np.testing.assert_allclose(state["before"]["points"], plain["points"], atol=1e-5)
    apart = np.abs(np.subtract(state["points"], plain["points"])).max()
    assert 0.05 < apart < 1.5
