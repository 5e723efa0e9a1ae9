"""Drags: what they bring goes to what shows it, and the page is left alone."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Studio
from tests.browser.editors import ask
from tests.browser.test_warp import grip

LISTEN = """() => {
  window.rendered = 0;
  window.socket.offAny();
  window.socket.onAny((name) => { if (name === "update") window.rendered += 1; });
}"""


def hold(studio: Studio, screen: str) -> tuple[float, float]:
    if screen == "Warp":
        studio.pause(1.2)
        return grip(studio, "left_hand")
    if screen == "Spline":
        x, y = ask(studio, ".mw-spline .mw-space", "handleAt(0)")
    else:
        x, y = ask(studio, ".mw-framespace .mw-curves", "handleAt('1:3')")
    return x, y


@pytest.mark.parametrize("screen", ["Framespace", "Spline", "Warp"])
def test_a_drag_does_not_have_the_whole_page_rendered_anew(studio: Studio, screen: str) -> None:
    before = studio.screen(screen)
    x, y = hold(studio, screen)
    page = studio.page
    page.mouse.move(x, y)
    page.mouse.down()
    # At first there is something to undo, and such.
    page.mouse.move(x + 6, y - 6)
    shown = studio.after(before)
    page.evaluate(LISTEN)
    for step in range(2, 8):
        page.mouse.move(x + 6 * step, y - 6 * step)
        studio.settle()
    rendered = page.evaluate("window.rendered")
    page.mouse.up()
    assert studio.after(shown)["shown"] >= shown["shown"] + 4
    assert rendered == 0
    # When it is let go, figures and undo are brought up to date.
    assert page.evaluate("window.rendered") > 0
