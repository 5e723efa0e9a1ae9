"""The sequence screen in a real browser."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from motionweave.clips import save
from motionweave.samples.clips import sample
from tests.browser.conftest import Studio, drag
from tests.browser.editors import ask, slide

CARRY = """([card, index]) => {
  const data = new DataTransfer();
  const send = (target, type, x, y) => target.dispatchEvent(
    new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true, clientX: x, clientY: y }));
  send(document.querySelector(card), 'dragstart', 0, 0);
  const block = document.querySelectorAll('.mw-sequence .mw-block')[index].getBoundingClientRect();
  const [x, y] = [block.left + 2, block.top + 2];
  const track = document.querySelector('.mw-dock.mw-sequence .mw-sequence-track');
  send(track, 'dragover', x, y);
  send(track, 'drop', x, y);
}"""  # noqa: E501


PICKED = "document.querySelector('.mw-sequence select').selectedOptions[0].text"


def row(studio: Studio, names: list[str]) -> None:
    """These clips are in the row, and what is made of them is on screen."""
    studio.settle()
    # Narrow blocks have room for a part of their names.
    known = ask(studio, ".mw-sequence .mw-track", "blocks.map((block) => block.name)")
    assert known == names
    assert studio.page.locator(".mw-sequence .mw-block").count() == len(names)


def opened(studio: Studio) -> float:
    studio.screen("Sequence")
    row(studio, ["walk", "jog", "sneak"])
    return float(studio.state()["duration"])


def test_clips_are_added_moved_and_removed(studio: Studio) -> None:
    opened(studio)
    studio.card("jump").click()
    row(studio, ["walk", "jog", "sneak", "jump"])
    # By the mouse: the last one to the front.
    start, end = (
        ask(studio, ".mw-sequence .mw-track", "blockAt('b4')"),
        ask(studio, ".mw-sequence .mw-track", "blockAt('b1', 'left')"),
    )
    drag(studio.page, start, (end[0] - 2, start[1]))
    row(studio, ["jump", "walk", "jog", "sneak"])
    # By the keyboard: on by one, and away.
    studio.page.locator('.mw-sequence .mw-block[data-block="b4"]').focus()
    studio.page.keyboard.press("Alt+ArrowRight")
    row(studio, ["walk", "jump", "jog", "sneak"])
    studio.page.keyboard.press("ArrowRight")
    studio.page.keyboard.press("Delete")
    row(studio, ["walk", "jump", "sneak"])
    studio.key("z")
    row(studio, ["walk", "jump", "jog", "sneak"])
    # From the shelf to a place in the row.
    studio.page.evaluate(CARRY, ['.mw-card[data-clip="landing"]', 1])
    row(studio, ["walk", "landing", "jump", "jog", "sneak"])


def test_edges_trim_and_move_seams_and_best_takes_it_back(studio: Studio) -> None:
    whole = opened(studio)
    # The edge of an inner block is its seam.
    edge = ask(studio, ".mw-sequence .mw-track", "blockAt('b1', 'right')")
    drag(studio.page, edge, (edge[0] - 40, edge[1]))
    assert abs(studio.settle()["duration"] - whole) > 0.01
    assert studio.page.locator(".mw-sequence .mw-seam.fixed").count() == 1
    studio.click(".mw-sequence .mw-button", "Best place")
    assert abs(studio.settle()["duration"] - whole) < 0.01
    assert studio.page.locator(".mw-sequence .mw-seam.fixed").count() == 0
    # Those of the first and the last block cut the clips.
    edge = ask(studio, ".mw-sequence .mw-track", "blockAt('b3', 'right')")
    drag(studio.page, edge, (edge[0] - 120, edge[1]))
    assert studio.settle()["duration"] < whole - 0.5
    studio.key("z")
    assert abs(studio.settle()["duration"] - whole) < 0.01


def test_a_block_is_faster_and_mirrored_and_all_of_it_is_saved(
    studio: Studio, tmp_path: Path
) -> None:
    whole = opened(studio)
    studio.page.locator('.mw-sequence .mw-block[data-block="b2"]').click()
    studio.settle()
    slide(studio, "Speed", 2.0)
    assert studio.settle()["duration"] < whole - 0.4
    studio.click(".mw-switch", "Mirror")
    saved = studio.settle()["duration"]
    assert (
        studio.page.locator(".mw-sequence .mw-block-facts", has_text="2 × · mirrored").count() == 1
    )
    with studio.page.expect_download() as download:
        studio.key("Control+s")
    path = tmp_path / "p.mwproj"
    download.value.save_as(path)
    studio.settle()
    assert not studio.page.title().startswith("•")
    studio.click(".mw-sequence .mw-button", "Remove all")
    assert studio.settle()["count"] == 0
    studio.page.set_input_files(".mw-shell input[type=file]", str(path))
    studio.click(".mw-asking button", "Open without saving")
    assert abs(studio.settle()["duration"] - saved) < 0.01
    row(studio, ["walk", "jog", "sneak"])


def seconds_of_seam(studio: Studio) -> float:
    """How long the first seam lasts."""
    start, end = (ask(studio, ".mw-track", f"seams[0].{name}") for name in ("start", "end"))
    return float(end - start)


def test_a_seam_is_a_spline_or_a_filled_gap_and_a_transition_again(
    studio: Studio, tmp_path: Path
) -> None:
    whole = opened(studio)
    panel = studio.page.locator(".mw-sequence .mw-section", has_text="Into the next")
    fill = panel.get_by_role("button", name="Fill", exact=True)
    assert fill.is_disabled()
    panel.get_by_role("button", name="Spline", exact=True).click()
    studio.settle()
    track = studio.page.locator(".mw-sequence .mw-seam")
    assert track.nth(0).get_attribute("aria-label").startswith("spline from walk into jog")
    # A longer spline takes more time; without a length it lasts as long as the body needs.
    natural = panel.get_by_role("button", name="A spline that lasts")
    short = studio.state()["duration"]
    assert "on" in natural.get_attribute("class").split()
    slide(studio, "Length", 1.0)
    studio.settle()
    lasted = seconds_of_seam(studio)
    slide(studio, "Length", 2.5)
    long = studio.settle()["duration"]
    assert seconds_of_seam(studio) > lasted + 0.1
    assert "on" not in natural.get_attribute("class").split()
    studio.pause(ask(studio, ".mw-track", "seams[0].start") + 0.5 * seconds_of_seam(studio))
    before = studio.state()["points"]
    slide(studio, "Bias", -0.8)
    assert studio.settle()["points"] != before
    studio.key("z")
    assert abs(studio.settle()["duration"] - long) < 0.01
    natural.click()
    assert abs(studio.settle()["duration"] - short) < 0.01
    for _ in range(4):
        studio.key("z")
    assert abs(studio.settle()["duration"] - whole) < 0.01
    # Gaps are filled from the folder that is open on the Library screen.
    save(sample("walk"), tmp_path / "walk.npz")
    studio.click(".mw-nav button", "Library")
    # A field is filled in when its screen has come to rest, which sets it to what is known.
    studio.settle()
    field = studio.page.locator('input[aria-label="Folder of clips"]')
    field.fill(str(tmp_path))
    field.press("Enter")
    # Without a folder the hint is another one.
    studio.page.locator(".mw-empty", has_text="as an example, or type words").wait_for()
    studio.screen("Sequence")
    studio.settle()
    fill.click()
    studio.settle()
    assert track.nth(0).get_attribute("aria-label").startswith("filled gap from walk into jog")
    filled = studio.state()["duration"]
    slide(studio, "Gap", 1.2)
    assert abs(studio.settle()["duration"] - filled - 0.6) < 0.05


def test_the_ends_of_a_spline_are_dragged_to_leave_and_enter_elsewhere(studio: Studio) -> None:
    opened(studio)
    panel = studio.page.locator(".mw-sequence .mw-section", has_text="Into the next")
    panel.get_by_role("button", name="Spline", exact=True).click()
    studio.settle()
    track = ".mw-sequence .mw-track"

    def frames() -> list[int]:
        sides = ("Leave at", "Enter at")
        fields = [f'.mw-sequence [aria-label="{one}, as a number"]' for one in sides]
        return [int(studio.page.locator(field).input_value()) for field in fields]

    def pulled(edge: str, pixels: float) -> None:
        at = ask(studio, track, f"blockAt('b1>b2', '{edge}')")
        drag(studio.page, at, (at[0] + pixels, at[1]))
        studio.settle()

    def lengths() -> list[float]:
        found = ask(studio, track, "blocks.map((block) => block.end - block.start)")
        return [float(one) for one in found]

    leave, enter = frames()
    walked, jogged, _ = lengths()
    pulled("left", -30)
    earlier, same = frames()
    assert earlier < leave - 3
    assert same == enter
    # What a block loses in frames it loses in time, and its neighbour stays as it is.
    shorter, unchanged, _ = lengths()
    assert abs(walked - shorter - (leave - earlier) / 30) < 1e-3
    assert abs(unchanged - jogged) < 1e-3
    pulled("right", 25)
    same, later = frames()
    assert same == earlier
    assert later > enter + 3
    assert abs(jogged - lengths()[1] - (later - enter) / 30) < 1e-3
    assert studio.page.locator(".mw-sequence .mw-seam.fixed").count() == 1
    # Each drag is one step.
    for _ in range(2):
        studio.key("z")
    studio.settle()
    assert frames() == [leave, enter]


def test_the_upper_body_plays_another_clip_over_a_block(studio: Studio) -> None:
    opened(studio)
    over = studio.page.get_by_label("Layer", exact=True).and_(studio.page.locator("select"))
    facts = studio.page.locator(".mw-sequence .mw-block-facts", has_text="with jump")
    over.select_option(label="jump")
    facts.wait_for()
    studio.settle()
    slide(studio, "Layer starts", 1.0)
    studio.settle()
    assert facts.count() == 1
    studio.pause(1.8)
    before = studio.state()["points"]
    both = studio.page.locator(".mw-sequence .mw-choice button", has_text="Both arms")
    both.click()
    assert studio.settle()["points"] != before
    assert "on" in both.get_attribute("class").split()
    for _ in range(2):
        studio.key("z")
        studio.settle()
    studio.key("z")
    facts.wait_for(state="detached")
    studio.wait(f"{PICKED} === 'Nothing'")


def test_the_timeline_is_seen_larger_and_all_pictures_follow(studio: Studio) -> None:
    opened(studio)
    width = "document.querySelector('.mw-sequence .mw-block').getBoundingClientRect().width"
    before = studio.page.evaluate(width)
    studio.key("+")
    studio.wait(f"{width} > {1.3 * before}")
    studio.key("0")
    studio.wait(f"Math.abs({width} - {before}) < 1")
    # A click on it goes there.
    box = studio.page.locator(".mw-timeline canvas").bounding_box()
    studio.page.mouse.click(box["x"] + 0.6 * box["width"], box["y"] + box["height"] / 2)
    state = studio.state()
    assert not state["playing"]
    assert 0.4 * state["duration"] < state["time"] < 0.7 * state["duration"]


def test_onion_skins_are_the_poses_around(studio: Studio) -> None:
    opened(studio)
    studio.pause(1.0)
    skins = "motionweave.viewport.skins.skins"
    studio.key("o")
    studio.wait(f"{skins}.length === 4")
    studio.settle()
    before = studio.page.evaluate(f"[...{skins}[1].character.points]")
    studio.pause(1.0 - 5 / 30)
    studio.until("s.points.length > 0")
    here = studio.state()["points"]
    np.testing.assert_allclose(before, here, atol=1e-4)
    # Before the first frame there is none.
    studio.pause(0.0)
    assert not studio.page.evaluate(f"{skins}[0].character.group.visible")
    studio.key("o")
    studio.wait(f"{skins}.length === 0")


def test_a_result_is_dragged_to_the_tab_and_on_to_its_place(studio: Studio) -> None:
    page = studio.page
    opened(studio)
    studio.screen("Transition")
    page.locator(".mw-carried").drag_to(page.locator('.mw-nav button[title^="Sequence"]'))
    page.locator(".q-notification", has_text="is block 4 of the sequence").wait_for()
    assert studio.state()["of"] == "transition"
    # Held over the tab it opens the screen, and is dropped where it is wanted.
    source = page.locator(".mw-carried").bounding_box()
    tab = page.locator('.mw-nav button[title^="Sequence"]').bounding_box()
    page.mouse.move(source["x"] + 20, source["y"] + 10)
    page.mouse.down()
    page.mouse.move(tab["x"] + 20, tab["y"] + 20, steps=4)
    studio.until("s.of === 'sequence'")
    studio.settle()
    block = page.locator(".mw-sequence .mw-block").nth(1).bounding_box()
    for x in (4, 6, 8):
        page.mouse.move(block["x"] + x, block["y"] + 5)
    page.locator(".mw-dock.mw-sequence .mw-insert").wait_for()
    page.mouse.up()
    # It is on the shelf only once.
    row(studio, ["walk", "walk to jog", "jog", "sneak", "walk to jog"])
    assert studio.card("walk to jog").count() == 1
    assert page.locator(".mw-sequence .mw-block.on .mw-block-name").inner_text() == "walk to jog"
    studio.key("z")
    studio.key("z")
    row(studio, ["walk", "jog", "sneak"])
    assert studio.card("walk to jog").count() == 0
    # The sequence itself is not added to the sequence.
    assert page.locator(".mw-result [disabled]", has_text="Add to sequence").count() == 1


def test_a_result_is_added_by_a_button_a_key_and_the_menu_of_a_clip(studio: Studio) -> None:
    page = studio.page
    opened(studio)
    studio.screen("Spline")
    studio.click(".mw-result .mw-button", "Add to sequence")
    studio.settle()
    studio.key("a")
    studio.settle()
    studio.card("jump").hover()
    studio.card("jump").locator('button[aria-label="More for jump"]').click()
    page.locator(".q-item", has_text="Add to the sequence").click()
    studio.settle()
    # A result is dragged to the shelf as well.
    count = page.locator(".mw-card").count()
    page.locator(".mw-carried").drag_to(page.locator(".mw-cards"))
    studio.wait(f"document.querySelectorAll('.mw-card').length === {count + 1}")
    studio.key("z")
    studio.settle()
    # A clip that is shown alone is added itself.
    studio.card("landing").hover()
    studio.card("landing").locator('[title^="Show only"]').click()
    studio.settle()
    studio.key("a")
    studio.settle()
    studio.screen("Sequence")
    row(studio, ["walk", "jog", "sneak", "walk to jog", "walk to jog", "jump", "landing"])
