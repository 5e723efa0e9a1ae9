"""What the studio says when something cannot be made, is doubtful, or takes long."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np

from motionweave.clips import save
from motionweave.core import rotations
from motionweave.core.cycles import repeat
from motionweave.samples.clips import sample
from tests.browser.conftest import Studio
from tests.browser.editors import slide


def too_different(studio: Studio, tmp_path: Path) -> None:
    """Blend a walk and a piece of it that is far too short, from end to end."""
    save(sample("walk")[:9], tmp_path / "short.bvh")
    studio.page.set_input_files(".mw-shell input[type=file]", str(tmp_path / "short.bvh"))
    studio.settle()
    studio.card("sneak").click()
    studio.card("jog").click()
    studio.settle()
    assert "Click one more clip" in studio.page.locator(".mw-empty").inner_text()
    studio.card("short").click()
    studio.click(".mw-choice button", "Whole clips")
    studio.settle()


def test_what_cannot_be_computed_is_said_plainly_and_mended_by_a_button(
    studio: Studio, tmp_path: Path
) -> None:
    too_different(studio, tmp_path)
    card = studio.page.locator(".mw-problem")
    sentence = card.locator(".mw-problem-sentence").inner_text()
    assert "walk and short differ too much" in sentence
    assert "=" not in card.inner_text()
    assert studio.page.locator(".mw-empty").count() == 0
    # What the library said is there for whoever wants to know.
    card.locator("summary").click()
    assert "cannot match from end to end" in card.locator("details").inner_text()
    # Nothing else may be taken for the result.
    assert studio.page.locator(".mw-button", has_text="Export").is_disabled()
    card.locator(".mw-button", has_text="Use the best stretch").click()
    assert studio.settle()["count"] == 3
    assert not card.is_visible()
    assert studio.page.locator(".mw-choice button.on", has_text="Best stretch").count() == 1
    assert not studio.page.locator(".mw-button", has_text="Export").is_disabled()


def test_the_panel_stays_alive_after_a_failure(studio: Studio, tmp_path: Path) -> None:
    too_different(studio, tmp_path)
    problem = studio.page.locator(".mw-problem")
    assert problem.is_visible()
    studio.click(".mw-choice button", "Best stretch")
    assert studio.settle()["count"] == 3
    assert not problem.is_visible()
    # A failure of one screen is none of another.
    studio.click(".mw-choice button", "Whole clips")
    studio.settle()
    assert problem.is_visible()
    assert "stale" in studio.page.locator(".mw-viewport").get_attribute("class")
    assert studio.page.locator(".mw-stale").inner_text() == "Earlier result"
    studio.screen("Transition")
    assert not problem.is_visible()
    assert "stale" not in studio.page.locator(".mw-viewport").get_attribute("class")


def raised(folder: Path) -> Path:
    """A walk with both arms up all the time."""
    walk = sample("walk")
    turns = walk.rotations.copy()
    for name, degrees in (("LeftArm", 75.0), ("RightArm", -75.0)):
        turns[:, walk.skeleton.index(name)] = rotations.about_axis("Z", np.radians(degrees))
    save(replace(walk, rotations=turns), folder / "raised.bvh")
    return folder / "raised.bvh"


def test_a_warning_leads_to_its_frame_and_joint(studio: Studio, tmp_path: Path) -> None:
    """Nobody lifts both arms in a fifth of a second: whoever clicks on what is said sees where."""
    studio.page.set_input_files(".mw-shell input[type=file]", str(raised(tmp_path)))
    studio.screen("Transition")
    studio.card("jog").click()
    studio.card("raised").click()
    studio.settle()
    slide(studio, "Half width", 0.1)
    studio.settle()
    notice = studio.page.locator("button.mw-remark", has_text="frame").first
    said = notice.inner_text()
    assert "=" not in said
    frame = int(re.search(r"frame (\d+)", said)[1])
    notice.click()
    state = studio.settle()
    assert state["pointed"]
    assert round(state["time"] * 30) == frame
    assert studio.page.locator(".mw-here").is_visible()
    assert not state["playing"]
    studio.key("ArrowRight")
    assert not studio.settle()["pointed"]


def test_long_work_says_what_it_does_and_is_cancelled_by_a_click(
    studio: Studio, tmp_path: Path
) -> None:
    names = []
    for name in ("walk", "jog", "sneak"):
        save(repeat(sample(name), 40), tmp_path / f"long {name}.bvh")
        names.append(str(tmp_path / f"long {name}.bvh"))
    for name in ("walk", "jog", "sneak"):
        studio.card(name).click()
    studio.page.set_input_files(".mw-shell input[type=file]", names)
    for name in ("walk", "jog", "sneak"):
        studio.card(f"long {name}").click()
    working = studio.page.locator(".mw-working")
    working.wait_for()

    def told() -> None:
        said = working.inner_text()
        assert re.search(r"(Matching|Blending|Computing).*\d+ %", said, re.DOTALL)
        # No word that belongs to an empty screen is behind it.
        assert studio.page.locator(".mw-empty").count() == 0

    studio.eventually(told)
    working.locator(".mw-button", has_text="Cancel").click()
    working.wait_for(state="hidden")
    studio.page.locator(".mw-stale", has_text="Stopped").wait_for()
    studio.page.locator(".mw-button", has_text="Try again").wait_for()
