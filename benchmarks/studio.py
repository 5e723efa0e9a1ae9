"""The studio: what a drag costs on the server, and how long it takes to be on screen."""

from __future__ import annotations

import base64
import itertools
import statistics
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.measure import Row, ours

# How often the knob is moved, and how far, in pixels.
_DRAGS = 40
_FAR = 14.0

# Notes when the pointer moves, by the clock of the event itself, and when the picture made
# from that is on screen.
_WATCH = """
() => {
  const viewport = motionweave.viewport, before = viewport.shown;
  window.waited = new Promise((done) => {
    let moved = null;
    addEventListener("pointermove", (e) => { moved = e.timeStamp; }, { once: true, capture: true });
    const look = () => viewport.seen > before ? done(performance.now() - moved) : requestAnimationFrame(look);
    requestAnimationFrame(look);
  });
}"""  # noqa: E501 - as it is read in the browser


def rows() -> list[Row]:
    """What the server does for every move of the pointer."""
    return [Row("studio: a weight of three clips is dragged, on the server", [ours(_server)])]


def _server() -> Callable[[], Any]:
    from motionweave.studio.payload import PayloadStore
    from motionweave.studio.screens.blend import BlendScreen
    from motionweave.studio.workspace import Workspace

    document = Workspace.open().session.document
    settings = document.settings["blend"]
    shares = itertools.cycle(np.linspace(0.1, 0.8, 50))
    store = PayloadStore()

    def drag() -> None:
        share = next(shares)
        weights = (share, 0.9 - share, 0.1)
        there = {**document.settings, "blend": replace(settings, weights=weights)}
        made = BlendScreen.make(replace(document, settings=there), True)
        packed = [store.get(store.key_of(look.motion, look.ground)) for look in made.looks]
        base64.b64encode(packed[0] or b"")

    return drag


def drags() -> list[dict[str, Any]]:
    """Wall time from a moved pointer to the new motion on screen, in a real browser."""
    try:
        from playwright.sync_api import Error, sync_playwright
        from tests.browser.conftest import FLAGS, Studio
        from tests.browser.find import find_browser
        from tests.studio.process import Server
    except ImportError as error:
        return [{"playback": "–", "missing": f"{error.name} is not installed"}]
    server = Server()
    try:
        with sync_playwright() as tool:
            browser = tool.chromium.launch(executable_path=find_browser(), args=FLAGS)
            page = browser.new_page(viewport={"width": 1280, "height": 720})
            Studio(page).open(server.entrance)
            return [_dragged(page, playing) for playing in (False, True)]
    except Error as error:
        return [{"playback": "–", "missing": str(error).splitlines()[0]}]
    finally:
        server.stop()


def _dragged(page: Any, playing: bool) -> dict[str, Any]:
    page.evaluate(f"motionweave.viewport.playing = {str(playing).lower()}")
    page.locator(".mw-pad svg").dblclick()
    knob = page.locator(".mw-pad-knob").bounding_box()
    x, y = knob["x"] + knob["width"] / 2, knob["y"] + knob["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    times = []
    for i in range(_DRAGS):
        angle = 2.4 * i
        page.evaluate(_WATCH)
        page.mouse.move(x + _FAR * np.cos(angle), y + _FAR * np.sin(angle))
        times.append(page.evaluate("window.waited") / 1e3)
    page.mouse.up()
    return {
        "playback": "while it plays" if playing else "while it stands still",
        "median_s": statistics.median(times),
        "least_s": min(times),
        "most_s": max(times),
        "repeats": len(times),
    }
