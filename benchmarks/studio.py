"""The studio: what a drag costs on the server, and how long it takes to be on screen."""

from __future__ import annotations

import base64
import itertools
import os
import statistics
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import clips
from benchmarks.measure import Row, ours

# Frames of a clip that counts as long.
_LONG = 7000
# How often the knob is moved, and how far, in pixels.
_DRAGS = 40
_FAR = 14.0

# Notes when the pointer moves, by the clock of the event itself, and when the picture made
# from that is on screen.
_WATCH = """
() => {
  const viewport = motionweave.viewport;
  window.waited = new Promise((done) => {
    // What is still shown of the move before does not count.
    let moved = null, before = Infinity;
    const note = (e) => { moved = e.timeStamp; before = viewport.shown; };
    addEventListener("pointermove", note, { once: true, capture: true });
    const look = () => viewport.seen > before ? done(performance.now() - moved) : requestAnimationFrame(look);
    requestAnimationFrame(look);
  });
}"""  # noqa: E501 - as it is read in the browser


_WAITED = """Promise.race([window.waited, new Promise((done) => setTimeout(done, 3000, null))])"""

# Clips to drag with: three of one kind, so that they can be matched on every screen.
_REAL = ("cmu_02_01_walk_straight", "cmu_16_11_walk_veer_left", "cmu_104_35_walk_slow")

Place = tuple[float, float]


def rows() -> list[Row]:
    """What the server does for every move of the pointer, and for long clips at first."""
    dragged = "is dragged, on the server"
    return [
        Row(f"studio: a weight of three clips {dragged}", [ours(_weight)]),
        Row(f"studio: a point of a framespace curve {dragged}", [ours(_interpolant)]),
        Row(f"studio: the length of a spline {dragged}", [ours(_spline)]),
        Row(f"studio: a hand {dragged}", [ours(_hand)]),
        *(
            Row(
                f"studio: {screen} with a clip of {_LONG:,} frames, at first",
                [ours(lambda screen=screen: _first(screen))],
                seconds=10.0,
                full=True,
            )
            for screen in ("transition", "framespace", "spline")
        ),
    ]


def _server(screen: str, change: Callable[[Any, float], Any]) -> Callable[[], Any]:
    """One move of the pointer: ``change`` makes settings of a screen from a share, 0 to 1."""
    from motionweave.studio.screens import SCREENS
    from motionweave.studio.view.payload import PayloadStore
    from motionweave.studio.workspace import Workspace

    document = Workspace.open().session.document
    settings = document.settings[screen]
    shares = itertools.cycle(np.linspace(0.1, 0.8, 50))
    store = PayloadStore()
    make = next(one for one in SCREENS if one.name == screen).make

    def drag() -> None:
        changed = document.with_settings(screen, change(settings, float(next(shares))))
        made = make(changed, True)
        packed = [store.get(store.key_of(look.motion, look.ground)) for look in made.looks]
        base64.b64encode(packed[0] or b"")

    return drag


def _weight() -> Callable[[], Any]:
    return _server("blend", lambda at, share: replace(at, weights=(share, 0.9 - share, 0.1)))


def _interpolant() -> Callable[[], Any]:
    return _server(
        "framespace",
        lambda at, share: replace(at, vertices=((0.0, 0.0), (share, share), (1.0, 1.0))),
    )


def _spline() -> Callable[[], Any]:
    return _server("spline", lambda at, share: replace(at, length=1.0 + share))


def _hand() -> Callable[[], Any]:
    from motionweave.studio.screens.warp.model import PoseKey

    return _server(
        "warp",
        lambda at, share: replace(
            at, keys=(PoseKey(20.0, "left_hand", "offset", (0.0, 0.2 * share, 0.0)),), active=0
        ),
    )


def _first(screen: str) -> Callable[[], Any]:
    """What a screen does when it has never seen a long clip before, a short one beside it."""
    from motionweave.studio.document.document import Common, Document, ShelfClip
    from motionweave.studio.screens import SCREENS

    chosen = next(one for one in SCREENS if one.name == screen)
    settings = chosen.with_clips(chosen.Settings(), ("c1", "c2"))
    take, jog = clips.built_in("walk", duration=(_LONG + 100) / 30.0), clips.built_in("jog")
    numbers = itertools.count()

    def look() -> None:
        # Another stretch each time, so that nothing is known of it.
        number = next(numbers) % 100
        parts = take[number : number + _LONG], jog[number % 5 :]
        shelf = tuple(
            ShelfClip(f"c{i}", f"clip {i}", motion, "sample", "")
            for i, motion in enumerate(parts, 1)
        )
        chosen.make(Document(shelf, {"common": Common(), screen: settings}), False)

    return look


def drags() -> list[dict[str, Any]]:
    """Wall time from a moved pointer to the new motion on screen, in a real browser.

    On four screens with three clips on the shelf, real ones where they are at hand, while the
    result stands still and while it plays.
    """
    try:
        from playwright.sync_api import Error, sync_playwright
        from tests.browser.conftest import FLAGS, Studio
        from tests.browser.find import find_browser
        from tests.studio.process import Server
    except ImportError as error:
        return [{"screen": "–", "playback": "–", "missing": f"{error.name} is not installed"}]
    folder = clips.mocap()
    files = () if folder is None else tuple(str(folder / "bvh" / f"{one}.bvh") for one in _REAL)
    server = Server(*files)
    rows: list[dict[str, Any]] = []
    try:
        with sync_playwright() as tool:
            browser = tool.chromium.launch(executable_path=find_browser(), args=FLAGS)
            studio = Studio(browser.new_page(viewport={"width": 1280, "height": 720}))
            studio.open(server.entrance)
            for screen, hold in _HOLDS.items():
                studio.screen(screen)
                # Whoever takes hold of a joint stops the playback.
                for playing in (False,) if screen == "Warp" else (False, True):
                    row = _dragged(studio, hold, playing, server.process.pid)
                    what = "three CMU clips" if files else "three built-in clips"
                    rows.append({"screen": screen, "clips": what, **row})
        return rows
    except Error as error:
        return [{"screen": "–", "playback": "–", "missing": str(error).splitlines()[0]}]
    finally:
        server.stop()


def _weight_pad(studio: Any) -> Place:
    studio.page.locator(".mw-pad svg").dblclick()
    studio.settle()
    knob = studio.page.locator(".mw-pad-knob").bounding_box()
    return knob["x"] + knob["width"] / 2, knob["y"] + knob["height"] / 2


def _interpolant_point(studio: Any) -> Place:
    editor = "document.querySelector('.mw-framespace .mw-curves').editor"
    middle = f"{editor}.handles[Math.floor({editor}.handles.length / 2)].id"
    return _asked(studio, f"{editor}.handleAt({middle})")


def _leaving_frame(studio: Any) -> Place:
    return _asked(studio, "document.querySelector('.mw-spline .mw-space').editor.handleAt(0)")


def _held_hand(studio: Any) -> Place:
    studio.pause(0.8)
    box = studio.page.locator('[data-grip="left_hand"]').bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def _asked(studio: Any, call: str) -> Place:
    x, y = studio.page.evaluate(call)
    return x, y


# Where to take hold of something, on each screen.
_HOLDS: dict[str, Callable[[Any], Place]] = {
    "Blend": _weight_pad,
    "Framespace": _interpolant_point,
    "Spline": _leaving_frame,
    "Warp": _held_hand,
}


def _dragged(
    studio: Any, hold: Callable[[Any], Place], playing: bool, process: int
) -> dict[str, Any]:
    page = studio.page
    x, y = hold(studio)
    page.mouse.move(x, y)
    page.mouse.down()
    page.evaluate(f"motionweave.viewport.playing = {str(playing).lower()}")
    times, worked = [], _processor_time(process)
    for i in range(_DRAGS):
        angle = 2.4 * i
        page.evaluate(_WATCH)
        page.mouse.move(x + _FAR * np.cos(angle), y + _FAR * np.sin(angle))
        try:
            times.append(page.evaluate(_WAITED) / 1e3)
        except TypeError:
            # The pointer came to where it changes nothing, such as the same frame.
            continue
    worked = _processor_time(process) - worked
    page.mouse.up()
    studio.settle()
    return {
        "playback": "while it plays" if playing else "while it stands still",
        "median_s": statistics.median(times),
        "least_s": min(times),
        "most_s": max(times),
        "repeats": len(times),
        "server_s": worked / len(times),
    }


def _processor_time(process: int) -> float:
    """Seconds that a process has worked so far; not a number where the system cannot tell."""
    try:
        text = Path(f"/proc/{process}/stat").read_text(encoding="ascii")
    except OSError:
        return float("nan")
    fields = text.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
