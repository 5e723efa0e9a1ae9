"""The warp screen in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tests.body.normalize.test_quadrupeds import dog, filed
from tests.browser.conftest import Studio, drag, picture_changed
from tests.browser.editors import ask, slide

LEFT_HAND = 17


def grip(studio: Studio, name: str) -> tuple[float, float]:
    box = studio.page.locator(f'[data-grip="{name}"]').bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def joint(state: dict[str, Any], index: int) -> np.ndarray:
    return np.array(state["points"]).reshape(-1, 3)[index]


def track(studio: Studio, call: str) -> Any:
    return ask(studio, ".mw-keytrack", call)


def marked(studio: Studio, row: int, count: int) -> None:
    """Wait for the marks in a row of the track, and for what comes of them.

    The server asks the page for the time before it puts one there.
    """
    rows = "document.querySelector('.mw-keytrack').editor.rows"
    studio.wait(f"{rows}.at({row}).marks.length === {count}")
    studio.settle()


def test_a_hand_is_posed_by_dragging_it(studio: Studio) -> None:
    studio.screen("Warp")
    studio.pause(1.2)
    before, seen = studio.state(), studio.pixels()
    x, y = grip(studio, "left_hand")
    page = studio.page
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y - 80, steps=6)
    # While the button is still down the body follows.
    live = studio.after(before)
    assert live["count"] == 2
    page.mouse.up()
    after = studio.after(live)
    assert after["time"] == before["time"]
    assert picture_changed(seen, studio.pixels()) > 0.003
    way = joint(after, LEFT_HAND) - joint(before, LEFT_HAND)
    assert way[1] > 0.3
    # The joint is where it was let go.
    at = grip(studio, "left_hand")
    assert np.hypot(at[0] - x - 40, at[1] - y + 80) < 12
    assert studio.page.locator(".mw-warp", has_text="left hand, frame 36").count() > 0
    assert track(studio, "rows.map((row) => row.marks.length)") == [0, 1, 0]
    studio.key("z")
    again = studio.settle()
    assert again["count"] == 1
    np.testing.assert_allclose(again["points"], before["points"], atol=1e-5)


def test_an_arrow_moves_a_joint_one_way_only_and_numbers_are_typed(studio: Studio) -> None:
    studio.screen("Warp")
    studio.pause(1.2)
    fields = studio.page.locator(".mw-warp-values .mw-value >> visible=true")
    box = studio.page.locator('.mw-axis[data-axis="1"]').bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    drag(studio.page, (x, y), (x + 25, y - 60))
    studio.settle()
    left, up, forwards = (field.input_value() for field in fields.all())
    assert (left, forwards) == ("0.00 m", "0.00 m")
    assert float(up.removesuffix(" m")) > 0.1
    before = studio.state()
    fields.nth(0).fill("0.2")
    fields.nth(0).press("Enter")
    after = studio.after(before)
    assert [field.input_value() for field in fields.all()] == ["0.20 m", up, "0.00 m"]
    moved = joint(after, LEFT_HAND) - joint(before, LEFT_HAND)
    assert abs(np.linalg.norm(moved) - 0.2) < 0.03
    # All of its curves are seen at once, each with a handle of its own.
    studio.click(".mw-warp .mw-choice button", "All")
    studio.settle()
    assert ask(studio, ".mw-warp .mw-curves", "handles.length") == 3
    handle = ask(studio, ".mw-warp .mw-curves", "handleAt('k0:2')")
    drag(studio.page, handle, (handle[0], handle[1] - 30))
    studio.settle()
    left, same, forwards = (field.input_value() for field in fields.all())
    assert (left, same) == ("0.20 m", up)
    assert float(forwards.removesuffix(" m")) > 0.05
    studio.click(".mw-warp .mw-choice button", "Up")
    # What is to be turned has no arrows to move it along.
    studio.click(".mw-choice button", "Turn")
    studio.settle()
    assert not studio.page.locator('.mw-axis[data-axis="1"]').is_visible()


def test_keys_picked_in_a_box_move_together_and_catch_on_contacts(studio: Studio) -> None:
    studio.screen("Warp")
    css = ".mw-warp .mw-curves"
    for count, seconds in enumerate((1.0, 1.4, 2.2), start=1):
        studio.pause(seconds)
        studio.key("k")
        marked(studio, 1, count)
    at = [ask(studio, css, f"handleAt('k{i}:1')") for i in range(3)]
    left, top, right, bottom = (
        edge([point[axis] for point in at[:2]])
        for edge, axis in ((min, 0), (min, 1), (max, 0), (max, 1))
    )
    drag(studio.page, (left - 15, top - 15), (right + 15, bottom + 15))
    assert ask(studio, css, "picked") == ["k0:1", "k1:1"]
    # Near the end of a contact, the key that is held catches there; the other keeps its distance.
    before = ask(studio, css, "handles.map((handle) => handle.x)")
    contact = ask(studio, css, "catches.find((x) => x > 1.05)")
    across = ask(studio, css, f"onPage(element.editor.px([{contact}, 0]))[0]")
    drag(studio.page, at[0], (across + 4, at[0][1] - 12))
    studio.settle()
    after = ask(studio, css, "handles.map((handle) => handle.x)")
    moved = np.subtract(after, before)
    assert after[0] == contact
    np.testing.assert_allclose(moved, [contact - 1.0, contact - 1.0, 0.0], atol=1e-3)
    # With Shift it goes where it is dragged to.
    start = ask(studio, css, "handleAt('k2:1')")
    contact = ask(studio, css, "catches.findLast((x) => x < 2.1)")
    across = ask(studio, css, f"onPage(element.editor.px([{contact} + 1.1 / 30, 0]))[0]")
    studio.page.keyboard.down("Shift")
    drag(studio.page, start, (across, start[1]))
    studio.page.keyboard.up("Shift")
    studio.settle()
    assert abs(ask(studio, css, "handles[2].x") - contact - 1 / 30) < 1e-3
    # All are deleted at once, and undo brings all of them back.
    studio.page.locator(f"{css} canvas").press("Control+a")
    studio.page.locator(f"{css} canvas").press("Delete")
    marked(studio, 1, 0)
    studio.key("z")
    marked(studio, 1, 3)


def test_grips_behind_the_body_stand_back(studio: Studio) -> None:
    studio.screen("Warp")
    studio.pause(1.2)
    behind = "[...document.querySelectorAll('.mw-grip.behind')].map((grip) => grip.dataset.grip)"
    hidden = {}
    for side in ("side", "front"):
        studio.click(".mw-views button", side)
        studio.settle()
        hidden[side] = studio.page.evaluate(behind)
    studio.click(".mw-views button", "corner")
    # Seen from the right, what is hidden is on the left or in the middle; never the head.
    assert hidden["side"]
    assert not [name for name in hidden["side"] if name.lower().startswith("right_")]
    assert "head" not in hidden["side"] + hidden["front"]


def test_keys_are_copied_moved_and_deleted(studio: Studio) -> None:
    studio.screen("Warp")
    studio.pause(1.0)
    before = studio.state()
    x, y = grip(studio, "right_hand")
    drag(studio.page, (x, y), (x + 25, y - 40), steps=4)
    first = studio.after(before)
    assert first["count"] == 2
    studio.pause(2.0)
    studio.click(".mw-button", "Copy here")
    marked(studio, 1, 2)
    copied = studio.after(first)
    start = track(studio, "markAt('k1')")
    drag(studio.page, start, (start[0] + 60, start[1]), steps=4)
    studio.after(copied)
    assert track(studio, "rows[1].marks[1].at") > 2.1
    studio.key("Delete")
    marked(studio, 1, 1)
    start = track(studio, "markAt('k0')")
    studio.page.mouse.click(*start, button="right")
    last = studio.settle()
    assert last["count"] == 1
    assert last["frames"] == before["frames"]


def test_a_joint_is_turned_and_scaled_by_its_key(studio: Studio) -> None:
    studio.screen("Warp")
    studio.pause(1.0)
    before = studio.state()
    studio.page.locator('[data-grip="LeftForeArm"]').click()
    studio.key("k")
    marked(studio, 1, 1)
    studio.click(".mw-choice button", "Turn")
    studio.settle()
    studio.page.locator('input[aria-label="Bend"] >> visible=true').fill("-70")
    turned = studio.settle()
    assert turned["count"] == 2
    assert np.abs(joint(turned, LEFT_HAND) - joint(before, LEFT_HAND)).max() > 0.1
    # Joints above the one that is turned stay where they are.
    np.testing.assert_allclose(joint(turned, 15), joint(before, 15), atol=1e-4)


def test_rings_turn_the_chosen_joint_about_one_axis_each(studio: Studio) -> None:
    studio.screen("Warp")
    studio.pause(1.0)
    before = studio.state()
    assert not studio.page.locator(".mw-rings").is_visible()
    studio.page.locator('[data-grip="LeftArm"]').click()
    studio.settle()
    studio.click(".mw-choice button", "Turn")
    studio.click(".mw-views button", "side")
    studio.settle()
    fields = studio.page.locator(".mw-warp-values .mw-value >> visible=true")
    shoulder = joint(before, 15)
    # Seen from its side the body bends in the plane of the picture, as far as the pointer goes.
    corner = """(axis, angle) => {
      const { grips, stage } = motionweave.viewport, box = stage.host.getBoundingClientRect();
      const [x, y] = grips.rings.corner(axis, angle);
      return [box.x + x, box.y + y];
    }"""
    at = [studio.page.evaluate(f"({corner})(0, {angle})") for angle in (0.3, 0.8, 1.3)]
    studio.page.mouse.move(*at[0])
    studio.page.mouse.down()
    for point in at[1:]:
        studio.page.mouse.move(*point, steps=3)
    studio.page.mouse.up()
    turned = studio.after(before)
    bend, turn, tilt = (float(field.input_value().removesuffix("°")) for field in fields.all())
    assert (turn, tilt) == (0.0, 0.0)
    assert abs(bend - np.degrees(1.0)) < 3.0
    np.testing.assert_allclose(joint(turned, 15), shoulder, atol=1e-4)
    # The hand goes round with the pointer, as far.
    hands = [joint(state, LEFT_HAND) - shoulder for state in (before, turned)]
    angles = [np.arctan2(hand[2], hand[1]) for hand in hands]
    gone = np.degrees(angles[1] - angles[0])
    assert abs((gone + 180.0) % 360.0 - 180.0 - bend) < 12.0
    # Another ring, which is seen from its edge, goes on from there.
    at = [studio.page.evaluate(f"({corner})(2, {angle})") for angle in (0.2, 0.5)]
    drag(studio.page, at[0], at[1])
    studio.after(turned)
    values = [float(field.input_value().removesuffix("°")) for field in fields.all()]
    assert (values[0], values[1]) == (bend, 0.0)
    assert 5.0 < values[2] < 40.0
    studio.click(".mw-views button", "corner")


def test_time_is_warped_by_sliding_a_marker(studio: Studio) -> None:
    before = studio.screen("Warp")
    studio.pause(1.0)
    pose = studio.state()["points"]
    studio.click(".mw-button", "Marker here")
    marked(studio, 0, 1)
    start = track(studio, "markAt('t0')")
    drag(studio.page, start, (start[0] + 120, start[1]), steps=5)
    after = studio.after(before)
    assert after["frames"] > before["frames"] + 10
    studio.pause(track(studio, "rows[0].marks[0].at"))
    # What was seen after one second is seen where the marker is now.
    np.testing.assert_allclose(studio.state()["points"], pose, atol=2e-3)
    assert after["duration"] > before["duration"]


def test_the_way_is_turned_and_the_head_looks_aside(studio: Studio) -> None:
    studio.screen("Warp")
    studio.pause(1.5)
    before = studio.state()
    x, y = track(studio, "onPage([40, 19 * 2 + 9])")
    studio.page.mouse.click(x, y)
    studio.settle()
    assert studio.page.locator(".mw-warp", has_text="path: key it here").count() > 0
    studio.key("k")
    marked(studio, -1, 1)
    slide(studio, "To the left", 60)
    turned = studio.settle()
    shoulders = [joint(s, LEFT_HAND - 2) - joint(s, LEFT_HAND + 3) for s in (before, turned)]
    across = [np.degrees(np.arctan2(v[0], v[2])) for v in shoulders]
    assert abs(across[0] - across[1]) > 30
    studio.key("z")
    studio.key("z")
    assert studio.settle()["count"] == 1
    studio.page.locator('[data-grip="head"]').click()
    studio.settle()
    studio.key("k")
    marked(studio, 1, 1)
    studio.click(".mw-choice button", "Look at")
    studio.settle()
    slide(studio, "Left", 1.5)
    looking = studio.settle()
    assert np.abs(np.array(looking["points"]) - np.array(before["points"])).max() > 0.05
    studio.key("c")
    code = studio.page.locator('.mw-code[data-language="python"]')
    code.wait_for()
    assert "'head', look_at=(" in code.inner_text()
    studio.page.keyboard.press("Escape")


def test_tangents_bend_the_curve_at_a_key_linked_or_apart(studio: Studio) -> None:
    studio.screen("Warp")
    studio.pause(1.2)
    hand = studio.page.locator('[data-grip="left_hand"]')
    for name in ("pointerdown", "pointerup"):
        hand.dispatch_event(name, {"pointerId": 1, "button": 0})
    studio.settle()
    studio.click(".mw-choice button", "Move")
    studio.settle()
    studio.key("k")
    marked(studio, 1, 1)
    height = studio.page.locator(".mw-warp-values .mw-value >> visible=true").nth(1)
    height.fill("0.4")
    height.press("Enter")
    studio.settle()
    css = ".mw-warp .mw-curves"

    def up() -> np.ndarray:
        """The curve of the hand's height, (seconds, metres)."""
        return np.array(ask(studio, css, "lines.at(-1).points"))

    def sides() -> list[str]:
        return ask(studio, css, "tangents.map((one) => [one.side, one.auto, one.linked].join(' '))")

    before = up()
    key = int(np.argmin(np.abs(before[:, 0] - 1.2)))
    assert sides() == ["in true true", "out true true"]
    start = ask(studio, css, "tangentAt('out0:1')")
    drag(studio.page, start, (start[0], start[1] - 40))
    studio.settle()
    assert sides() == ["in false true", "out false true"]
    rising = up()
    # The key is met; the curve comes to it from further below, and goes on further up.
    assert abs(rising[key, 1] - before[key, 1]) < 2e-3
    assert rising[key - 4, 1] < before[key - 4, 1] - 0.02
    assert rising[key + 4, 1] > before[key + 4, 1] + 0.02
    # With Alt the other side stays as it is.
    start = ask(studio, css, "tangentAt('out0:1')")
    studio.page.keyboard.down("Alt")
    drag(studio.page, start, (start[0], start[1] + 60))
    studio.page.keyboard.up("Alt")
    studio.settle()
    assert sides() == ["in false false", "out false false"]
    corner = up()
    np.testing.assert_allclose(corner[: key + 1, 1], rising[: key + 1, 1], atol=2e-3)
    assert corner[key + 4, 1] < rising[key + 4, 1] - 0.02
    # Numbers are typed, and the snippet has them.
    field = studio.page.get_by_label("Tangent in, as a number").locator("visible=true")
    field.fill("0")
    field.press("Enter")
    studio.settle()
    assert up()[key - 4, 1] > corner[key - 4, 1] + 0.02
    studio.key("c")
    code = studio.page.locator('.mw-code[data-language="python"]')
    code.wait_for()
    assert "tangent_in=(" in code.inner_text()
    studio.page.keyboard.press("Escape")
    # Automatic again, the curve is what it was, and undo goes back to what was bent.
    studio.click(".mw-tangents .mw-choice button", "Auto")
    studio.settle()
    np.testing.assert_array_equal(up(), before)
    studio.key("z")
    studio.settle()
    assert sides() == ["in false false", "out false false"]


def test_turns_and_scales_and_their_tangents_are_dragged_in_the_curves(studio: Studio) -> None:
    studio.screen("Warp")
    studio.pause(1.2)
    studio.page.locator('[data-grip="LeftForeArm"]').click()
    studio.settle()
    studio.key("k")
    marked(studio, 1, 1)
    studio.settle()
    css = ".mw-warp .mw-curves"

    def value() -> float:
        shown = studio.page.locator(".mw-warp-values .mw-value >> visible=true").first
        return float(shown.input_value().strip("°× "))

    def curve() -> np.ndarray:
        """The change as it is drawn, (seconds, how much)."""
        return np.array(ask(studio, css, "lines.at(-1).points"))

    for kind, unit, least in (("Turn", "degrees", 5.0), ("Scale", "×", 0.05)):
        studio.click(".mw-choice button", kind)
        studio.settle()
        if kind == "Turn":
            studio.click(".mw-warp .mw-choice button", "Bend")
            studio.settle()
        assert ask(studio, css, "unit") == unit
        before = value()
        start = ask(studio, css, "handleAt('k0:0')")
        drag(studio.page, start, (start[0], start[1] - 30))
        studio.settle()
        assert value() > before + least
        flat = curve()
        key = int(np.argmin(np.abs(flat[:, 0] - 1.2)))
        assert abs(flat[key, 1] - value()) < 0.02 * abs(value()) + 0.5 * least
        # The tangent turns the curve about the key.
        start = ask(studio, css, "tangentAt('out0:0')")
        drag(studio.page, start, (start[0], start[1] - 25))
        studio.settle()
        rising = curve()
        assert abs(rising[key, 1] - flat[key, 1]) < 1e-6
        assert rising[key + 3, 1] > flat[key + 3, 1] + 0.1 * least
        assert rising[key - 3, 1] < flat[key - 3, 1] - 0.1 * least
        # As it is typed.
        numbers = [
            studio.page.get_by_label(f"Tangent {side}, as a number").locator("visible=true")
            for side in ("in", "out")
        ]
        speeds = [float(field.input_value().strip("°×/s ")) for field in numbers]
        assert speeds[0] == speeds[1] > 0.0
        slope = ask(studio, css, "tangents[0].slope")
        # As finely as the number is shown.
        assert abs(slope - speeds[0]) <= (0.051 if kind == "Scale" else 0.51)


def test_a_body_on_four_legs_is_seen_and_gripped(studio: Studio, tmp_path: Path) -> None:
    studio.screen("Warp")
    path = filed(dog(), tmp_path)
    studio.page.set_input_files(".mw-shell input[type=file]", str(path))
    studio.wait("document.querySelector('.mw-card[data-clip=\"clip\"]')")
    before = studio.settle()
    studio.card("clip").click(position={"x": 60, "y": 15})
    assert studio.after(before)["frames"] > 0
    # There are no feet to light up, and the curves are those of a joint that it has.
    main = "[...motionweave.viewport.stage.characters.values()][0]"
    assert studio.page.evaluate(f"{main}.marks.count") == 0
    grips = [name for name, _, _ in studio.state()["looks"][0]["grips"]]
    told = studio.page.locator(".mw-warp .mw-section").first.inner_text()
    assert any(f"{name}: drag it" in told for name in grips)
