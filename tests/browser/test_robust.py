"""A server that is killed, tabs that are closed: every end is a clear state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from motionweave.studio.project import load_project, save_project
from motionweave.studio.workspace import Workspace
from tests.browser.conftest import Studio
from tests.studio.process import Server

Start = Callable[..., Server]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts servers, and ends those that are left."""
    servers: list[Server] = []

    def one(*arguments: str, port: int = 0) -> Server:
        servers.append(Server(*arguments, port=port))
        return servers[-1]

    yield one
    for server in servers:
        if server.process.poll() is None:
            server.stop()


def test_a_killed_server_is_told_and_what_was_saved_is_there_again(
    browser: Any, start: Start, tmp_path: Path
) -> None:
    path = tmp_path / "mine.mwproj"
    workspace = Workspace.open()
    save_project(workspace.session.document, path)
    server = start(str(path))
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    try:
        studio = Studio(context.new_page())
        studio.open(server.address)
        number = studio.page.locator(".mw-pad-numbers input").first
        number.fill("80")
        number.press("Enter")
        studio.wait("document.querySelector('.mw-pad-numbers input').value === '80'")
        studio.key("Control+s")
        studio.page.locator(".q-notification", has_text="Saved").wait_for()
        saved = path.read_bytes()
        number.fill("20")
        number.press("Enter")
        server.kill()
        lost = studio.page.locator("#popup")
        lost.wait_for(state="visible")
        assert "does not answer" in lost.inner_text()
        assert "start it again" in lost.inner_text()
        assert path.read_bytes() == saved
        assert [p.name for p in tmp_path.iterdir()] == ["mine.mwproj"]
        kinds = workspace.session.kinds
        assert load_project(path, kinds).settings["blend"].weights[0] == pytest.approx(0.8)
        again = start(str(path), port=server.port)
        # The page loads anew by itself, with what was saved.
        lost.wait_for(state="hidden")
        studio.wait("window.motionweave?.viewport?.state().count === 4")
        studio.wait("document.querySelector('.mw-pad-numbers input').value === '80'")
        assert "Traceback" not in again.log
    finally:
        context.close()
