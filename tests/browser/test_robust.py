"""A server that is killed, tabs that are closed: every end is a clear state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from motionweave.studio.files.project import load_project, save_project
from motionweave.studio.workspace import Workspace
from tests.browser.conftest import Studio
from tests.studio.process import Server

Start = Callable[..., Server]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts servers, and ends those that are left."""
    servers: list[Server] = []

    def one(*arguments: str, port: int = 0, state: Path | None = None) -> Server:
        servers.append(Server(*arguments, port=port, state=state))
        return servers[-1]

    yield one
    for server in servers:
        if server.process.poll() is None:
            server.stop()


def test_a_killed_server_is_told_and_nothing_is_lost(
    browser: Any, start: Start, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path / "mine.mwproj"
    state = tmp_path_factory.mktemp("state")
    workspace = Workspace.open()
    save_project(workspace.session.document, path)
    server = start(str(path), state=state)
    # Coarse, as all pictures in tests, and also when the page loads anew.
    context = browser.new_context(viewport={"width": 1280, "height": 720}, device_scale_factor=0.5)
    try:
        studio = Studio(context.new_page())
        studio.open(server.entrance)
        number = studio.page.locator(".mw-pad-numbers input").first
        number.fill("80")
        number.press("Enter")
        studio.settle()
        studio.key("Control+s")
        studio.page.locator(".q-notification", has_text="Saved").wait_for()
        saved = path.read_bytes()
        studio.wait("!document.title.includes('•')")
        number.fill("20")
        number.press("Enter")
        studio.wait("document.title.startsWith('•')")
        studio.screen("Warp")
        studio.pause(0.5)
        studio.eventually(lambda: written(state))
        server.kill()
        lost = studio.page.locator("#popup")
        lost.wait_for(state="visible")
        assert "does not answer" in lost.inner_text()
        assert "start it again" in lost.inner_text()
        assert path.read_bytes() == saved
        assert [p.name for p in tmp_path.iterdir()] == ["mine.mwproj"]
        kinds = workspace.session.kinds
        assert load_project(path, kinds).settings["blend"].weights[0] == pytest.approx(0.8)
        again = start(str(path), port=server.port, state=state)
        # The page loads anew by itself, on the same screen at the same time, with everything.
        lost.wait_for(state="hidden")
        studio.page.locator(".mw-nav button.on", has_text="Warp").wait_for()
        studio.until("s.of === 'warp' && Math.abs(s.time - 0.5) < 0.02 && !s.playing")
        studio.screen("Blend")
        studio.wait("document.querySelector('.mw-pad-numbers input').value === '20'")
        studio.wait("document.title.startsWith('•')")
        # What was saved is one step back.
        studio.key("z")
        studio.wait("document.querySelector('.mw-pad-numbers input').value === '80'")
        assert "Traceback" not in again.log
    finally:
        context.close()


def written(folder: Path) -> None:
    found = list(folder.glob("unsaved-*.mwproj"))
    assert found
    document = load_project(found[0], Workspace.open().session.kinds)
    assert document.settings["blend"].weights[0] == pytest.approx(0.2)
