"""The server: the page, the motions it fetches, the files it sends, and who may."""

from __future__ import annotations

import contextlib
import gc
import logging
import secrets
import socket
import sys
import threading
import webbrowser
from collections.abc import Sequence
from pathlib import Path

from motionweave.errors import MissingDependencyError, MotionweaveError
from motionweave.studio.server.guard import Guard, is_loopback

PORT = 8930
_TRIED = 20


def serve(
    paths: Sequence[Path] = (),
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
    token: str = "",
    browser: bool = True,
) -> None:
    """Run the studio until it is interrupted.

    Parameters
    ----------
    paths
        Motion files, folders of them, or one project file, to begin with; without any the
        built-in clips are on the shelf.
    host
        Address to listen on, by default this machine only.
    port
        Port to listen on; by default the first free one from `PORT` on.
    token
        What a browser must know to be let in. By default it is made up, and on this machine
        kept for this user; the address that is printed and opened has it.
    browser
        Open the page in the user's browser.
    """
    try:
        import uvicorn

        from motionweave.studio.server.app import build
    except ImportError as error:
        if (error.name or "").split(".")[0] not in ("nicegui", "uvicorn", "fastapi", "starlette"):
            raise
        raise MissingDependencyError("the studio", "studio") from None
    from motionweave.studio.files.autosave import Autosave, kept_token, state_folder
    from motionweave.studio.files.recent import RecentProjects
    from motionweave.studio.files.upload import MOST_BYTES
    from motionweave.studio.workspace import Workspace

    local = is_loopback(host)
    folder = state_folder()
    token = token or (kept_token(folder) if local else secrets.token_urlsafe(18))
    listener = _listen(host, port)
    if paths and sys.stderr.isatty():
        print("Reading the clips …", file=sys.stderr, flush=True)
    workspace = Workspace.open(paths)
    workspace.recent = RecentProjects(folder)
    opened = workspace.session.document
    if opened.path is not None:
        workspace.recent.add(opened.title, path=opened.path)
    autosave = Autosave(workspace.session, folder, paths)
    workspace.restored = autosave.restore()
    autosave.start()
    address = _address(host, listener.getsockname()[1], token)
    print(f"motionweave studio: {address}", flush=True)
    if not is_loopback(host):
        print(
            f"Listening on {host}: anyone who has this address with its token can use the studio "
            "and read its clips.",
            file=sys.stderr,
        )
    print("Press Ctrl+C to stop.", flush=True)
    if workspace.restored:
        print("Your work from last time is open; undo goes back to what was opened.")
    app = Guard(build(workspace), token=token, most_bytes=MOST_BYTES, local=local)
    server = uvicorn.Server(
        uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1, ws_max_size=2**20)
    )
    logging.getLogger("uvicorn.error").addFilter(_no_cancelled)
    # Two hundred thousand objects stay until the end. To go through them again and again would
    # hold up all threads, and with them what is being dragged, for tenths of a second each time.
    gc.collect()
    gc.freeze()
    if browser:
        threading.Timer(0.8, lambda: webbrowser.open(address)).start()
    with contextlib.closing(listener), contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[listener])
    autosave.end()


def _no_cancelled(record: logging.LogRecord) -> bool:
    """Pages that are still open when the server stops are not an error."""
    return record.exc_info is None or "CancelledError" not in str(record.exc_info[0])


def _listen(host: str, port: int | None) -> socket.socket:
    """A socket on the port, or on the first free one."""
    candidates = range(PORT, PORT + _TRIED) if port is None else [port]
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    reason = ""
    for number in candidates:
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host.strip("[]"), number))
            # From here on a browser waits for the page instead of being turned away.
            listener.listen()
        except (OSError, OverflowError) as error:
            listener.close()
            reason = getattr(error, "strerror", None) or str(error)
            continue
        return listener
    where = f"port {port}" if port is not None else f"ports {PORT} to {PORT + _TRIED - 1}"
    raise MotionweaveError(f"cannot listen on {host}, {where}: {reason}; give another --port")


def _address(host: str, port: int, token: str) -> str:
    shown = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(host, host)
    shown = f"[{shown}]" if ":" in shown else shown
    return f"http://{shown}:{port}/" + (f"?token={token}" if token else "")
