"""The blend screen in a real browser."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.browser.conftest import Server, Studio, drag, picture_changed


def middle(studio: Studio, selector: str, index: int = 0) -> tuple[float, float]:
    box = studio.page.locator(selector).nth(index).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def knob(studio: Studio) -> tuple[float, float]:
    return middle(studio, ".mw-pad-knob")


def corner(studio: Studio, index: int) -> tuple[float, float]:
    return middle(studio, ".mw-pad-corner circle", index)


def shares(studio: Studio) -> list[int]:
    return [int(f.input_value()) for f in studio.page.locator(".mw-pad-numbers input").all()]


def test_a_drag_leaves_the_rest_of_the_page_alone(studio: Studio, server: Server) -> None:
    """What comes back is the motion, in one message: to lay the page out anew takes longer."""
    page = studio.page.context.new_page()
    messages: list[str] = []
    page.on("websocket", lambda s: s.on("framereceived", lambda text: messages.append(str(text))))
    other = Studio(page)
    other.open(server.address)
    other.pause()
    # What says on a slow machine that work goes on, and that what is seen is not its result yet.
    working = set(
        page.evaluate(
            "[...document.querySelectorAll('.mw-over, .mw-over *, .mw-viewport, .mw-message')]"
            ".map((e) => e.id.slice(1))"
        )
    )
    page.mouse.move(*knob(other))
    page.mouse.down()
    ways = (6, -6, 9, -9)
    for way in ways:
        before = other.state()
        at = knob(other)
        page.mouse.move(at[0] + way, at[1])
        other.after(before)
        if way == ways[0]:
            # The first change makes it undoable, and the buttons say so.
            messages.clear()
    updates = [json.loads(text[2:])[1] for text in messages if text.startswith('42["update"')]
    assert {name for update in updates for name in update} <= {"_id", *working}
    assert sum('"show\\"' in text for text in messages) == len(ways) - 1
    page.mouse.up()
    page.close()


def test_it_opens_on_a_blend_that_moves(studio: Studio) -> None:
    state = studio.state()
    ghosts = [look["label"] for look in state["looks"] if look["ghost"]]
    assert sorted(ghosts) == ["jog", "sneak", "walk"]
    assert len(state["looks"]) == 4
    studio.key(" ")
    assert studio.state()["playing"]
    moving = studio.until(f"Math.abs(s.time - {state['time']}) > 0.1")
    assert np.abs(np.array(state["points"]) - np.array(moving["points"])).max() > 0.02


def test_dragging_a_weight_changes_pose_and_picture_and_is_undone_at_once(studio: Studio) -> None:
    before, seen = studio.state(), studio.pixels()
    page = studio.page
    page.mouse.move(*knob(studio))
    page.mouse.down()
    goal = corner(studio, 1)
    page.mouse.move(goal[0], goal[1] - 3, steps=6)
    # While the button is still down.
    studio.after(before)
    page.mouse.up()
    # A jog is quicker than the mean of the three.
    after = studio.settle()
    assert after["frames"] < 70
    assert shares(studio)[1] > 90
    assert np.abs(np.array(before["points"]) - np.array(after["points"])).max() > 0.1
    assert picture_changed(seen, studio.pixels()) > 0.005
    studio.key("z")
    again = studio.settle()
    np.testing.assert_allclose(again["points"], before["points"], atol=1e-5)
    assert shares(studio) == [33, 33, 33]
    studio.key("Shift+Z")
    assert studio.settle()["frames"] < 70


def test_two_clips_are_a_slider_and_four_a_polygon(studio: Studio) -> None:
    studio.card("sneak").click()
    assert studio.settle()["count"] == 3
    assert studio.page.locator(".mw-pad-track").count() == 1
    studio.card("sneak").click()
    studio.card("walk_left").click()
    before = studio.settle()
    assert before["count"] == 5
    assert studio.page.locator(".mw-pad-corner").count() == 4
    drag(studio.page, knob(studio), corner(studio, 3))
    studio.after(before)
    assert shares(studio)[3] > 90
    for name in ("walk", "jog", "sneak", "walk_left"):
        studio.card(name).click()
    assert studio.settle()["count"] == 0
    studio.page.locator(".mw-empty", has_text="Click two clips").wait_for()


def test_registered_and_linear_side_by_side(studio: Studio) -> None:
    studio.click(".mw-switch", "Compare")
    state = studio.settle()
    assert [look["label"] for look in state["looks"]] == ["registered", "linear"]
    assert state["looks"][0]["beside"] != state["looks"][1]["beside"]


def test_weights_over_time(studio: Studio) -> None:
    studio.click(".mw-choice button", "Cycles")
    before = studio.settle()
    assert before["duration"] > 3.5
    studio.click(".mw-section .mw-choice button", "Over time")
    studio.after(before)
    canvas = studio.page.locator(".mw-blend .mw-curves canvas")
    canvas.wait_for(state="visible")
    studio.pause(3.0)
    before = studio.state()
    box = canvas.bounding_box()
    left, width = box["x"] + 38, box["width"] - 52
    top, height = box["y"] + 10, box["height"] - 30
    # The last key of the first clip is at the top, at three quarters of the time.
    drag(studio.page, (left + 0.75 * width, top), (left + 0.5 * width, top + 0.6 * height))
    assert abs(studio.after(before)["points"][2] - before["points"][2]) > 0.01
    studio.key("z")
    assert abs(studio.settle()["points"][2] - before["points"][2]) < 1e-4


def test_a_measure_steers(studio: Studio) -> None:
    studio.click(".mw-section .mw-choice button", "By measure")
    before = studio.settle()
    slider = studio.page.locator('.mw-parameters input[aria-label="speed"]')
    slider.focus()
    # As fast as these clips can be is a jog.
    slider.press("End")
    assert studio.after(before)["frames"] < before["frames"] - 5
    assert shares(studio)[1] > 90
    assert float(slider.input_value()) == pytest.approx(float(slider.get_attribute("max")))
    studio.page.locator("body").click(position={"x": 640, "y": 60})


def test_the_distance_map_and_the_contacts_are_drawn(studio: Studio) -> None:
    colours = """(selector) => {
        const c = [...document.querySelectorAll(selector)].find((e) => e.clientWidth);
        const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
        const seen = new Set();
        for (let i = 0; i < d.length; i += 16)
            seen.add(`${d[i] >> 4},${d[i + 1] >> 4},${d[i + 2] >> 4}`);
        return seen.size;
    }"""
    for selector in (".mw-heat canvas", ".mw-lanes canvas"):
        studio.wait(f"({colours})({selector!r}) > 8")


def test_a_held_arrow_key_leaves_nothing_half_done(studio: Studio) -> None:
    """The last step of a slider is told at once, those on the way to it a moment later."""
    figures = studio.page.locator(".mw-figures")
    blended = figures.inner_text()
    studio.screen("Warp")
    studio.click(".mw-button", "Key here")
    studio.settle()
    assert figures.inner_text() != blended
    up = studio.page.locator('input[type=range][aria-label="Up"]').locator("visible=true")
    up.evaluate(
        """(slider) => {
          for (let i = 0; i < 12; i++) {
            slider.stepUp();
            for (const name of ["input", "change"]) slider.dispatchEvent(new Event(name));
          }
        }"""
    )
    # Longer than what is throttled may take.
    studio.page.wait_for_timeout(300)
    studio.settle()
    # As long as something is being changed, results are not measured.
    studio.screen("Blend")
    assert figures.inner_text() == blended
