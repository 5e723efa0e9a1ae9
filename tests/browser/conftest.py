"""One studio and one browser for all tests of a session."""

from __future__ import annotations

import base64
import os
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from motionweave.studio.files.project import project_bytes
from motionweave.studio.workspace import Workspace
from tests.browser.find import find_browser
from tests.studio.process import Server

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

# WebGL without a graphics card.
FLAGS = [
    "--no-sandbox",
    "--enable-unsafe-swiftshader",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--ignore-gpu-blocklist",
    "--disable-gpu-compositing",
    # On a busy machine drawing in software is slow, not hung.
    "--disable-gpu-watchdog",
]
# The machine may be busy with other tests.
PATIENCE = 90_000
# Drawing in software is most of the work, and what is tested can be seen in a coarse picture.
COARSE = "{ const { stage } = motionweave.viewport; stage.ratio = stage.finest = 0.5; }"
STILL = """addEventListener("DOMContentLoaded", () => document.head.append(Object.assign(
  document.createElement("style"), { textContent: "* { transition: none !important; }" })))"""
# What the page looks like to whoever waited for it in vain.
SITUATION = """(() => {
  const said = (css) => document.querySelector(css)?.innerText ?? "";
  const { points, looks, held, ...state } = window.motionweave?.viewport?.state() ?? {};
  return { state, title: document.title, connected: window.socket?.connected,
    sending: said(".mw-sending"), working: said(".mw-working"), problem: said(".mw-problem") };
})()"""


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as tool:
        try:
            opened = tool.chromium.launch(executable_path=find_browser(), args=FLAGS)
        except playwright.Error as error:
            pytest.fail(
                "no browser to test with: install Chromium or Chrome, run 'make browser', or name "
                f"one in MOTIONWEAVE_BROWSER ({str(error).splitlines()[0]})"
            )
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    one = Server()
    yield one
    one.stop()


class Studio:
    """A tab, and what tests do in it."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.errors: list[str] = []
        #: What happened to the tab, for those who look into a failure.
        self.log: list[str] = []
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._heard)
        page.on("framenavigated", lambda frame: self.log.append(f"went to {frame.url}"))
        page.on("crash", lambda _: self.log.append("crashed"))

    def _heard(self, message: Any) -> None:
        self.log.append(f"console: {message.text}")
        if message.type == "error":
            self.errors.append(message.text)

    def open(self, address: str) -> None:
        self.page.goto(address, timeout=PATIENCE)
        self.wait("window.motionweave?.viewport?.state().count > 0")
        if "fine" not in address:
            self.page.evaluate(COARSE)
        self.settle()

    def wait(self, condition: str) -> None:
        try:
            self.page.wait_for_function(condition, timeout=PATIENCE, polling=50)
        except playwright.TimeoutError:
            raise AssertionError(f"not so: {condition}\n{self._situation()}") from None

    def _situation(self) -> str:
        return f"{self.page.evaluate(SITUATION)}\n{self.log[-20:]}"

    def state(self) -> dict[str, Any]:
        return self.page.evaluate("window.motionweave.viewport.state()")

    def until(self, condition: str) -> dict[str, Any]:
        """Wait for a condition on ``s``, the viewport's state; returns that state."""
        self.wait(f"(() => {{ const s = motionweave.viewport.state(); return {condition}; }})()")
        return self.state()

    def settle(self) -> dict[str, Any]:
        """Wait until all that was done so far is answered and on screen; returns the state."""
        settled = self.page.evaluate(
            "(patience) => Promise.race([motionweave.settled().then(() => true),"
            " new Promise((done) => setTimeout(done, patience, false))])",
            PATIENCE,
        )
        if not settled:
            raise AssertionError(f"it does not settle\n{self._situation()}")
        return self.state()

    def after(self, before: dict[str, Any]) -> dict[str, Any]:
        """Wait until something new is on screen, and nothing else is on its way."""
        state = self.settle()
        assert state["shown"] > before["shown"], "nothing new was shown"
        return state

    def eventually(self, check: Callable[[], None]) -> None:
        """Wait until a check holds: the last of a drag's results may still be on its way."""
        deadline = time.monotonic() + PATIENCE / 1000.0
        while True:
            try:
                return check()
            except AssertionError:
                if time.monotonic() > deadline:
                    raise
                self.page.wait_for_timeout(50)

    def pause(self, seconds: float = 0.5) -> None:
        """Stand still at a time, so that poses and pixels can be compared."""
        self.page.evaluate(
            "async (seconds) => { const v = motionweave.viewport;"
            " v.playing = false; v.seek(seconds); await v.onScreen(); }",
            seconds,
        )

    def pixels(self) -> bytes:
        """The picture in the viewport, which stands still, as fine as it becomes then."""
        self.page.evaluate(
            """async () => {
              const { stage } = motionweave.viewport;
              do await new Promise(requestAnimationFrame);
              while (stage.dirty || stage.renderer.getPixelRatio() !== stage.finest);
              await new Promise(requestAnimationFrame);
            }"""
        )
        return self.page.locator(".mw-stage").screenshot()

    def click(self, selector: str, text: str | None = None) -> None:
        target = (
            self.page.locator(selector)
            if text is None
            else self.page.locator(selector, has_text=text)
        )
        target.locator("visible=true").first.click()

    def key(self, key: str) -> None:
        self.page.locator("body").press(key)

    def screen(self, title: str) -> dict[str, Any]:
        self.click(".mw-nav button", title)
        state = self.settle()
        assert state["of"] == title.lower()
        return state

    def card(self, name: str) -> Any:
        return self.page.locator(f'.mw-card[data-clip="{name}"]')

    def message(self) -> str:
        return str(self.page.locator(".mw-message").inner_text())


@pytest.fixture(scope="session")
def tab(server: Server, browser: Any) -> Iterator[Studio]:
    """The one tab of all tests: opening a page is the slowest thing that they do."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 720},
        accept_downloads=True,
        permissions=["clipboard-read", "clipboard-write"],
    )
    context.add_init_script(STILL)
    one = Studio(context.new_page())
    # Pictures that are to be kept are drawn as finely as with a graphics card.
    one.open(server.entrance)
    if os.environ.get("MOTIONWEAVE_PICTURES"):
        one.open(f"{server.address}?fine")
    yield one
    context.close()


START_ANEW = """async (project) => {
  const form = new FormData();
  form.append("files", new Blob([Uint8Array.from(atob(project), (c) => c.charCodeAt(0))]), "first.mwproj");
  const answer = await fetch("/upload", { method: "POST", body: form });
  if (!answer.ok) throw new Error(await answer.text());
}"""  # noqa: E501


@pytest.fixture(scope="session")
def first() -> str:
    """The document that the studio opens with, as a project file in base 64."""
    return base64.b64encode(project_bytes(Workspace.open().session.document)).decode()


@pytest.fixture
def studio(tab: Studio, first: str) -> Iterator[Studio]:
    """A tab on the first document; the test fails on any error in the browser's console."""
    tab.errors.clear()
    tab.page.keyboard.press("Escape")
    tab.page.evaluate(START_ANEW, first)
    state = tab.screen("Blend")
    assert {look["label"] for look in state["looks"]} == {"", "walk", "jog", "sneak"}
    tab.pause()
    yield tab
    assert tab.errors == []


def picture_changed(one: bytes, other: bytes) -> float:
    """The share of pixels that differ clearly between two screenshots."""
    import io

    import numpy as np

    image = pytest.importorskip("PIL.Image")
    a, b = (np.asarray(image.open(io.BytesIO(p)).convert("RGB"), dtype=int) for p in (one, other))
    return float((np.abs(a - b).max(axis=-1) > 24).mean()) if a.shape == b.shape else 1.0


def drag(page: Any, start: tuple[float, float], end: tuple[float, float], steps: int = 8) -> None:
    """Press, move and let go."""
    page.mouse.move(*start)
    page.mouse.down()
    for i in range(1, steps + 1):
        share = i / steps
        page.mouse.move(
            start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])
        )
        time.sleep(0.03)
    page.mouse.up()
