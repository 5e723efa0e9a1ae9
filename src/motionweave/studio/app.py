"""The page: header, shelf, viewport, and the screen that is open."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from nicegui import background_tasks, ui

from motionweave.core.compiled import MESSAGE
from motionweave.studio import dialogs, export, upload, widgets
from motionweave.studio.components import Shell
from motionweave.studio.document import Clip, unique_name
from motionweave.studio.figures import Figures
from motionweave.studio.jobs import Latest, Outcome, in_thread
from motionweave.studio.project import SUFFIX, project_bytes
from motionweave.studio.receiving import take_in
from motionweave.studio.screens import SCREENS
from motionweave.studio.screens.screen import RESULT, Result, Screen
from motionweave.studio.shelf import Shelf
from motionweave.studio.viewport import Look, Viewport
from motionweave.studio.workspace import Workspace

WEB = Path(__file__).parent / "web"
_THEME = "motionweave_theme"
_NO_CLIPS = "Drop motion files here, or add built-in clips to the shelf."


def build(workspace: Workspace) -> FastAPI:
    """The application that serves a workspace."""
    server = FastAPI(openapi_url=None)

    @server.get("/motion/{key}")
    def motion(key: str) -> Response:
        payload = workspace.store.get(key)
        if payload is None:
            return Response("This motion is no longer kept.", status_code=404)
        return Response(
            payload,
            media_type="application/octet-stream",
            headers={"Cache-Control": "private, max-age=3600"},
        )

    @server.post("/upload")
    async def receive(request: Request) -> Response:
        return await take_in(workspace, request)

    @server.get("/studio.css")
    def style() -> Response:
        return Response((WEB / "studio.css").read_text(encoding="utf-8"), media_type="text/css")

    # The functions below are pages, not elements: NiceGUI runs them once for every tab.
    @ui.page("/", title="motionweave studio", favicon=WEB / "icon.svg", response_timeout=20.0)
    def page(request: Request) -> None:
        Page(workspace, theme=request.cookies.get(_THEME, "dark")).build()

    ui.run_with(
        server,
        title="motionweave studio",
        show_welcome_message=False,
        tailwind=False,
        reconnect_timeout=30.0,
    )
    return server


class Page:
    """One browser tab."""

    def __init__(self, workspace: Workspace, theme: str) -> None:
        self.workspace = workspace
        self.session = workspace.session
        self.theme = "light" if theme == "light" else "dark"
        self.result: Result | None = None
        self.solo: str | None = None
        self._computed: object = None
        self._latest = Latest(self._busy, compiles=self._compiles)

    # Building

    def build(self) -> None:
        """Make the whole page."""
        ui.add_head_html('<link rel="stylesheet" href="/studio.css">')
        self._dark = ui.dark_mode(self.theme == "dark")
        self.screens: dict[str, Screen] = {cls.name: cls(self) for cls in SCREENS}
        self.active: Screen = next(iter(self.screens.values()))
        self.figures = Figures(self)
        self._shell = Shell(self._key, lambda: None, upload.MOST_BYTES)
        with ui.element("div").classes("mw-app"):
            self._build_header()
            with ui.element("aside").classes("mw-shelf"):
                self.shelf = Shelf(self)
            with ui.element("main").classes("mw-main"):
                self.viewport = Viewport(
                    self.workspace.store, theme=self.theme, empty=self.active.hint
                )
                self._build_status()
                self._docks = self._build_parts("mw-dock", lambda screen: screen.build_dock())
            with ui.element("aside").classes("mw-panel"):
                self._panels = self._build_parts("mw-screen", lambda screen: screen.build_panel())
                self.figures.build_panel()
        self.open(self.active.name)
        client = ui.context.client
        stop = self.session.listen(lambda: self._changed(client))
        client.on_delete(stop)
        client.on_delete(self._latest.cancel)

    def _build_parts(self, css: str, make: Callable[[Screen], None]) -> dict[str, ui.element]:
        parts = {}
        for name, screen in self.screens.items():
            with ui.element("div").classes(f"{css} mw-{name}") as parts[name]:
                make(screen)
        return parts

    def _build_header(self) -> None:
        with ui.element("header").classes("mw-header"):
            with ui.element("div").classes("mw-brand"):
                ui.html((WEB / "icon.svg").read_text(encoding="utf-8"), sanitize=False)
                ui.label("motionweave")
            self._tabs = {}
            with ui.element("nav").classes("mw-nav"):
                for number, (name, screen) in enumerate(self.screens.items(), start=1):
                    with ui.element("button") as tab:
                        widgets.symbol(screen.icon)
                        ui.label(screen.title)
                    tab.props["title"] = f"{screen.title} ({number})"
                    tab.on("click", lambda _, name=name: self.open(name))
                    self._tabs[name] = tab
            ui.element("div").classes("mw-gap")
            self._undo = widgets.icon_button("undo", "Undo (Z)", self.session.undo)
            self._redo = widgets.icon_button("redo", "Redo (Shift+Z)", self.session.redo)
            with widgets.icon_button("folder_open", "Project", lambda: None):
                widgets.menu(
                    {
                        "Save project (Ctrl+S)": self.save,
                        "Open project or clips… (Ctrl+O)": self._shell.browse,
                        "Start anew": self._start_anew,
                    }
                )
            widgets.icon_button("contrast", "Dark or light theme", self._switch_theme)
            widgets.icon_button("help_outline", "Keys and help (?)", dialogs.show_help)
            self._copy = widgets.button(
                "Copy as code", self.copy, icon="code", title="Copy as Python or command line (C)"
            )
            with widgets.button(
                "Export", lambda: None, icon="download", title="Export (E)", kind="primary"
            ) as self._export:
                self._export_menu = widgets.menu(
                    {
                        label: partial(self.export, suffix)
                        for suffix, label in export.choices().items()
                    }
                )

    def _build_status(self) -> None:
        with ui.element("div").classes("mw-status"):
            self._progress = ui.element("div").classes("mw-progress")
            self._message = ui.label("").classes("mw-message")
            self._cancel = widgets.button("Cancel", self._give_up, kind="quiet")
            self.figures.build_bar()
            self._cancel.set_visibility(False)

    # Showing

    def open(self, name: str) -> None:
        """Show a screen."""
        self.active = self.screens[name]
        for other in self.screens:
            widgets.mark(self._tabs[other], "on", other == name)
            self._panels[other].set_visibility(other == name)
            self._docks[other].set_visibility(other == name and self.screens[other].has_dock)
        self.solo = None
        self._computed = None
        self.update()

    def _changed(self, client: Any) -> None:
        with client:
            self.update()

    def update(self) -> None:
        """Bring the page up to the document."""
        session = self.session
        self.shelf.refresh()
        self.active.refresh(self.active.settings)
        self.figures.refresh()
        widgets.enable(self._undo, bool(session.undoable))
        widgets.enable(self._redo, bool(session.redoable))
        widgets.entitle(self._undo, f"Undo {session.undoable} (Z)".replace("  ", " "))
        widgets.entitle(self._redo, f"Redo {session.redoable} (Shift+Z)".replace("  ", " "))
        self._make()

    def _make(self) -> None:
        document, screen = self.session.document, self.active
        alone = None if self.solo is None else document.clip(self.solo)
        if alone is not None and alone.usable:
            self._show_alone(alone)
            return
        missing = screen.missing(document)
        if missing and not any(clip.usable for clip in document.clips):
            missing = _NO_CLIPS
        widgets.enable(self._export, not missing)
        widgets.enable(self._copy, not missing)
        if missing:
            self.result = None
            self._computed = None
            self._latest.cancel()
            self._say("")
            self.viewport.props["empty"] = missing
            self.viewport.update()
            self.viewport.show([], of="nothing")
            self.figures.show(None)
            return
        live = self.session.live
        key = (screen.name, screen.key(document), live and document.settings["common"].clean)
        if key == self._computed:
            return
        self._computed = key
        self._latest.submit(
            lambda: self._packed(screen.make(document, live)),
            lambda outcome: self._made(screen, outcome, live),
        )

    def _packed(self, result: Result) -> Result:
        """Packing belongs to the work: it must not hold up the event loop."""
        for look in result.looks:
            self.workspace.store.key_of(look.motion)
        return result

    def _made(self, screen: Screen, outcome: Outcome[Result], live: bool) -> None:
        if screen is not self.active or self.solo is not None:
            return
        with self.viewport:
            if outcome.value is None:
                self._say(outcome.error, "error")
                self.figures.show(None)
                return
            result = self.result = outcome.value
            self._say(" · ".join(outcome.warnings), "warning")
            self.viewport.show(result.looks, of=screen.name)
            screen.present(result)
            if not live:
                self.figures.show(result)

    def _show_alone(self, clip: Clip) -> None:
        self._computed = None
        self._say(f"Only {clip.name} is shown. Click its eye again to go back.")
        self.viewport.show([Look("alone", clip.motion, RESULT, label=clip.name)], of=clip.id)

    def show_alone(self, clip_id: str) -> None:
        """Show one clip of the shelf, or go back to the result."""
        self.solo = None if self.solo == clip_id else clip_id
        self._computed = None
        self._say("")
        self.update()

    def _say(self, text: str, kind: str = "") -> None:
        self._message.set_text(text)
        for name in ("error", "warning"):
            widgets.mark(self._message, name, bool(text) and kind == name)

    def _busy(self, busy: bool) -> None:
        if self.viewport.is_deleted:
            return
        with self.viewport:
            widgets.mark(self._progress, "on", busy)
            self._cancel.set_visibility(busy)

    def _compiles(self) -> None:
        if not self.viewport.is_deleted:
            with self.viewport:
                self._say(f"{MESSAGE[0].upper()}{MESSAGE[1:]}")

    def _give_up(self) -> None:
        self._latest.cancel()
        self._cancel.set_visibility(False)
        self._say("Stopped. Change something to try again.", "warning")

    # Doing

    def put_back(self) -> None:
        """Put the result on the shelf as a new input."""
        if self.result is None:
            return
        document = self.session.document
        name = unique_name(document, self.result.motion.name or self.active.title)
        clip = Clip(
            id=document.new_id(),
            name=name,
            original=self.result.motion,
            origin="result",
            source=self.active.recipe(document).python,
        )
        self.session.change(document.with_clip(clip), "result on the shelf")
        ui.notify(f"{name} is on the shelf.", classes="mw-toast")

    def export(self, suffix: str) -> None:
        """Hand the result to the user as a file."""
        if self.result is not None:
            self.export_motion(self.result.motion, suffix)

    def export_motion(self, motion: Any, suffix: str) -> None:
        """Hand a motion to the user as a file."""

        async def work() -> None:
            outcome = await in_thread(lambda: export.to_file(motion, suffix))
            with self.viewport:
                if outcome.value is None:
                    self._say(outcome.error, "error")
                else:
                    data, name = outcome.value
                    ui.download.content(data, name)

        background_tasks.create(work())

    def copy(self) -> None:
        """Show what is on screen as code."""
        if not self.active.missing(self.session.document):
            dialogs.show_code(self.active.recipe(self.session.document))

    def save(self) -> None:
        """Save the project: to its file, or as a download."""
        if self.workspace.path is not None:
            path = self.workspace.save()
            ui.notify(f"Saved {path}.", classes="mw-toast")
            return
        ui.download.content(project_bytes(self.session.document), f"project{SUFFIX}")
        self.session.saved = self.session.document

    def browse(self) -> None:
        """Let the user choose files."""
        self._shell.browse()

    def _start_anew(self) -> None:
        self.workspace.path = None
        self.session.change(Workspace.open().session.document, "starting anew")

    def _switch_theme(self) -> None:
        self.theme = "light" if self.theme == "dark" else "dark"
        self._dark.set_value(self.theme == "dark")
        self.viewport.props["theme"] = self.theme
        self.viewport.update()
        ui.run_javascript(
            f"document.cookie = '{_THEME}={self.theme}; path=/; max-age=31536000; SameSite=Strict'"
        )

    def _key(self, key: str) -> None:
        keys: dict[str, Callable[[], Any]] = {
            "z": self.session.undo,
            "ctrl+z": self.session.undo,
            "shift+z": self.session.redo,
            "ctrl+shift+z": self.session.redo,
            "y": self.session.redo,
            "ctrl+y": self.session.redo,
            "ctrl+s": self.save,
            "ctrl+o": self._shell.browse,
            "e": self._export_menu.open,
            "c": self.copy,
            "k": self.put_back,
            "?": dialogs.show_help,
        }
        names = list(self.screens)
        if self.active.key_pressed(key):
            return
        if key in keys:
            keys[key]()
        elif key.isdigit() and 1 <= int(key) <= len(names):
            self.open(names[int(key) - 1])
