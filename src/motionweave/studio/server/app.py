"""The application: its routes, and a page for every tab."""

from __future__ import annotations

from fastapi import FastAPI, Request
from nicegui import app as nicegui_app
from nicegui import ui

from motionweave.studio.page.page import THEME, Page
from motionweave.studio.server.routes import add_routes
from motionweave.studio.web import WEB
from motionweave.studio.workspace import Workspace


def build(workspace: Workspace) -> FastAPI:
    """The application that serves a workspace."""
    server = FastAPI(openapi_url=None)

    add_routes(server, workspace)

    # The functions below are pages, not elements: NiceGUI runs them once for every tab.
    @ui.page("/", title="motionweave studio", favicon=WEB / "icon.svg", response_timeout=20.0)
    def page(request: Request) -> None:
        Page(workspace, theme=request.cookies.get(THEME, "dark")).build()

    # The studio says itself what it is waiting for.
    nicegui_app.config.quasar_config["loadingBar"]["skipHijack"] = True
    ui.run_with(
        server,
        title="motionweave studio",
        language="en-US",
        show_welcome_message=False,
        tailwind=False,
        reconnect_timeout=30.0,
    )
    return server
