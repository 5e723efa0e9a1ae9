"""What the page fetches besides itself: motions, characters, pose strips, styles."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse

from motionweave.errors import MotionweaveError
from motionweave.library.index.features import ClipTrack
from motionweave.studio.screens.library.model import stretch_track
from motionweave.studio.server.receive import take_in
from motionweave.studio.view.strips import pose_strip, track_of
from motionweave.studio.web import WEB
from motionweave.studio.workspace import Workspace

# What is under an address never changes: whatever is new has a new address.
_KEPT = {"Cache-Control": "private, max-age=3600"}


def add_routes(server: FastAPI, workspace: Workspace) -> None:
    """Let a server answer what the page of a workspace asks for."""

    def packed(content: bytes | None, what: str) -> Response:
        if content is None:
            return Response(f"This {what} is no longer kept.", status_code=404)
        return Response(content, media_type="application/octet-stream", headers=_KEPT)

    @server.get("/motion/{key}")
    def motion(key: str) -> Response:
        return packed(workspace.store.get(key), "motion")

    @server.get("/skin/{key}")
    def skin(key: str) -> Response:
        return packed(workspace.store.skin(key), "character")

    # A list asks for many strips at once, and what is on screen must not wait for them.
    one_by_one = threading.Lock()

    def strip(found: Callable[[], ClipTrack]) -> Response:
        try:
            with one_by_one:
                drawn: dict[str, Any] = pose_strip(found())
        except MotionweaveError:
            # Such as a body without arms: its card has no picture.
            return Response(status_code=204)
        return JSONResponse(drawn, headers=_KEPT)

    @server.get("/strip/shelf/{clip_id}")
    def strip_on_shelf(clip_id: str) -> Response:
        clip = workspace.session.document.clip(clip_id)
        if clip is None or not clip.usable:
            return Response(status_code=204)
        return strip(lambda: track_of(clip.motion))

    @server.get("/strip/found")
    def strip_found(clip: str, first: int, last: int) -> Response:
        folder: str = workspace.session.document.settings["library"].folder
        return strip(lambda: stretch_track(folder, clip, first, last))

    @server.post("/upload")
    async def receive(request: Request) -> Response:
        return await take_in(workspace, request)

    @server.get("/studio.css")
    def style() -> Response:
        return Response((WEB / "studio.css").read_text(encoding="utf-8"), media_type="text/css")
