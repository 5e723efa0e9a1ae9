"""The player, opened from a saved file without a network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import motionweave as mw
from tests.browser.conftest import PATIENCE, drag, picture_changed

STATE = "document.querySelector('.mw-player').motionweave.state"


def opened(browser: Any, path: Path) -> tuple[Any, list[str]]:
    context = browser.new_context(offline=True, viewport={"width": 720, "height": 480})
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: errors.append(request.url)
            if not request.url.startswith(("file:", "about:")) else None)  # fmt: skip
    page.goto(path.as_uri())
    return page, errors


def test_plays_scrubs_and_orbits(browser: Any, tmp_path: Path) -> None:
    walk = mw.sample("walk")
    mw.render(walk, tmp_path / "walk.html")
    page, errors = opened(browser, tmp_path / "walk.html")
    page.wait_for_function(f"{STATE}.drawn > 5 && {STATE}.time > 0.1", timeout=PATIENCE)
    page.locator("button").click()
    before = page.evaluate(STATE)
    assert before["playing"] is False
    canvas = page.locator("canvas")
    first = canvas.screenshot()
    # Where the pelvis is drawn, the body is: not the background.
    x, y = before["spot"]
    tone = page.evaluate(
        "([x, y]) => [...document.querySelector('canvas').getContext('2d')"
        ".getImageData(x, y, 1, 1).data]",
        [round(x), round(y)],
    )
    assert min(tone[:3]) < 200
    page.evaluate("document.querySelector('.mw-player').motionweave.seek(2.0)")
    assert abs(page.evaluate(STATE)["frame"] - 60.0) < 0.01
    second = canvas.screenshot()
    assert picture_changed(first, second) > 0.01
    box = canvas.bounding_box()
    drag(page, (box["x"] + 200, box["y"] + 150), (box["x"] + 320, box["y"] + 150))
    assert abs(page.evaluate(STATE)["around"] - before["around"]) > 0.5
    assert picture_changed(second, canvas.screenshot()) > 0.01
    assert errors == []
    page.context.close()


def test_trails_are_drawn_and_a_page_that_does_not_loop_stops(browser: Any, tmp_path: Path) -> None:
    clip = mw.sample("walk")[:20]
    spots = []
    for trails in ([], ["hands"]):
        mw.render(clip, tmp_path / "a.html", trails=trails, loop=False)
        page, errors = opened(browser, tmp_path / "a.html")
        page.wait_for_function(f"{STATE}.drawn > 1 && !{STATE}.playing", timeout=PATIENCE)
        assert abs(page.evaluate(STATE)["frame"] - (len(clip) - 1)) < 1e-6
        spots.append(page.locator("canvas").screenshot())
        page.locator("button").click()
        page.wait_for_function(f"{STATE}.drawn > 9 && !{STATE}.playing", timeout=PATIENCE)
        assert errors == []
        page.context.close()
    assert picture_changed(*spots) > 0.001


def test_several_on_one_page_as_in_a_notebook(browser: Any, tmp_path: Path) -> None:
    shown = [mw.player(mw.sample(name), size=(240, 150)) for name in ("jab", "jump", "sit")]
    path = tmp_path / "page.html"
    path.write_text("".join(one._repr_html_() for one in shown), encoding="utf-8")
    page, errors = opened(browser, path)
    assert page.locator("iframe").count() == 3
    for frame in page.frames[1:]:
        frame.wait_for_function(f"{STATE}.drawn > 3", timeout=PATIENCE)
    assert errors == []
    page.context.close()
