"""The framespace screen in a real browser."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from tests.browser.conftest import Studio, drag, picture_changed
from tests.browser.editors import ask


def editor(studio: Studio, call: str) -> Any:
    return ask(studio, ".mw-dock.mw-framespace .mw-curves", call)


def lanes(studio: Studio, call: str) -> Any:
    return ask(studio, ".mw-events", call)


def test_dragging_a_vertex_changes_the_motion_within_its_bounds(studio: Studio) -> None:
    studio.screen("Framespace")
    studio.pause(0.8)
    before, seen = studio.state(), studio.pixels()
    start = editor(studio, "handleAt('1:3')")
    page = studio.page
    page.mouse.move(*start)
    page.mouse.down()
    # Far above the top: it stops at the bound.
    page.mouse.move(start[0] - 40, start[1] - 400, steps=6)
    studio.after(before)
    page.mouse.up()
    # More of the jog, which is quicker.
    after = studio.settle()
    assert after["frames"] < before["frames"]
    assert np.abs(np.array(after["points"]) - np.array(before["points"])).max() > 0.02
    assert picture_changed(seen, studio.pixels()) > 0.001
    handles = {h["id"]: h for h in editor(studio, "handles")}
    assert handles["1:3"]["y"] == 1.0
    assert handles["1:2"]["x"] <= handles["1:3"]["x"] <= handles["1:4"]["x"]
    studio.key("z")
    again = studio.settle()
    np.testing.assert_allclose(again["points"], before["points"], atol=1e-5)


def test_events_are_seen_moved_and_found_again(studio: Studio) -> None:
    studio.screen("Framespace")
    studio.pause(2.5)
    before = studio.state()
    studio.click(".mw-dock .mw-choice button", "Events")
    studio.settle()
    found = lanes(studio, "lanes[0].states")
    state = next(s for s in found if "L_et" in s["text"].split())
    start = lanes(studio, f"stateAt({state['id']!r})")
    drag(studio.page, start, (start[0] + 22, start[1]), steps=4)
    after = studio.after(before)
    now = next(s for s in lanes(studio, "lanes[0].states") if s["id"] == state["id"])
    assert now["at"] > state["at"] + 0.02
    assert after["points"] != before["points"]
    studio.click(".mw-button", "Find events again")
    again = studio.settle()
    np.testing.assert_allclose(again["points"], before["points"], atol=1e-5)


def test_an_event_is_added_by_hand_and_a_clip_played_once(studio: Studio) -> None:
    studio.screen("Framespace")
    studio.click(".mw-dock .mw-choice button", "Events")
    studio.settle()
    times = sorted(state["at"] for state in lanes(studio, "lanes[0].states"))
    gap, begin = max((b - a, a) for a, b in pairwise(times))
    x, y = lanes(studio, f"placeAt(0, {begin + gap / 2})")
    before = studio.state()
    studio.page.mouse.dblclick(x, y)
    studio.after(before)
    assert lanes(studio, "lanes[0].states.length") == len(times) + 1
    studio.key("z")
    studio.settle()
    assert lanes(studio, "lanes[0].states.length") == len(times)
    once = studio.page.locator(".mw-cycle .mw-choice button.on", has_text="Once")
    studio.click(".mw-cycle .mw-choice button", "Once")
    studio.settle()
    assert once.count() == 1
    studio.key("z")
    studio.settle()
    assert once.count() == 0


def test_decoupling_and_four_clips(studio: Studio) -> None:
    before = studio.screen("Framespace")
    studio.click(".mw-dock .mw-choice button", "Events")
    studio.settle()
    assert lanes(studio, "lanes.length") == 2
    studio.click(".mw-switch", "Decouple")
    studio.settle()
    assert lanes(studio, "lanes.length") == 4
    studio.click(".mw-dock .mw-choice button", "Interpolant")
    studio.card("sneak").click()
    # Three clips make no framespace: the page says what to do.
    assert studio.settle()["count"] == 0
    assert "two clips or four" in studio.page.locator(".mw-empty").inner_text()
    studio.card("walk_left").click()
    four = studio.settle()
    assert four["count"] == 5
    assert four["duration"] > before["duration"]
    assert studio.page.locator(".mw-map").is_visible()
