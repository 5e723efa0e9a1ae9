"""The page: header, shelf, viewport, and the screen that is open."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from nicegui import app as nicegui_app
from nicegui import background_tasks, ui

from motionweave.core.compiled import MESSAGE
from motionweave.core.motion import Motion
from motionweave.studio import dialogs, export, upload, widgets
from motionweave.studio.characters import Character
from motionweave.studio.components import Shell, Splitter
from motionweave.studio.document import Document, ShelfClip, unique_name
from motionweave.studio.figures import QualityTable
from motionweave.studio.host import Result
from motionweave.studio.jobs import Latest, Outcome, in_thread, stage
from motionweave.studio.overlay import Overlay
from motionweave.studio.project import load_project
from motionweave.studio.receiving import take_in
from motionweave.studio.recent import RecentProject
from motionweave.studio.remarks import Remark
from motionweave.studio.screens import SCREENS
from motionweave.studio.screens.screen import RESULT, Screen
from motionweave.studio.shelf import Shelf
from motionweave.studio.snippets import Snippet, alone, performed_by
from motionweave.studio.troubles import RemedyButton, trouble_of
from motionweave.studio.viewport import Look, Viewport, key_of
from motionweave.studio.wearing import dressed, worn
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

    @server.get("/skin/{key}")
    def skin(key: str) -> Response:
        packed = workspace.store.skin(key)
        if packed is None:
            return Response("This character is no longer kept.", status_code=404)
        return Response(
            packed,
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


class Page:
    """One browser tab."""

    def __init__(self, workspace: Workspace, theme: str) -> None:
        self.workspace = workspace
        self.session = workspace.session
        self.theme = "light" if theme == "light" else "dark"
        self.result: Result | None = None
        self.solo: str | None = None
        # What the result was made from, and whether that is what is wanted now.
        self._computed: object = None
        self._fresh = False
        # What the screen was to make when a clip was shown by itself.
        self._beside: object = None
        self._latest = Latest(self._busy, on_stage=self._staged, compiles=self._compiles)

    # Building

    def build(self) -> None:
        """Make the whole page."""
        ui.add_head_html('<link rel="stylesheet" href="/studio.css">')
        self._dark = ui.dark_mode(self.theme == "dark")
        self.screens: dict[str, Screen] = {cls.name: cls(self) for cls in SCREENS}
        self.active: Screen = next(iter(self.screens.values()))
        self.figures = QualityTable(self)
        self._shell = Shell(self._key, self.visit, self._rest, upload.MOST_BYTES)
        with ui.element("div").classes("mw-app"):
            self._build_header()
            with ui.element("aside").classes("mw-shelf") as shelf:
                self.shelf = Shelf(self)
                Splitter("shelf", "right", 11, 40)
            shelf.props["aria-label"] = "shelf"
            with ui.element("div").classes("mw-main"):
                with ui.element("div").classes("mw-scene"):
                    self.viewport = Viewport(
                        self.workspace.store, theme=self.theme, empty=self.active.hint
                    )
                    self._overlay = Overlay(
                        on_remedy=self._remedy,
                        on_remark=self._go_to,
                        on_cancel=self._give_up,
                        on_retry=self.make_again,
                    )
                self._build_status()
                self._docks = self._build_parts("mw-dock", lambda screen: screen.build_dock())
            with ui.element("aside").classes("mw-panel") as panel:
                Splitter("panel", "left", 15, 60)
                self._panels = self._build_parts("mw-screen", lambda screen: screen.build_panel())
                self.figures.build_panel()
            panel.props["aria-label"] = "settings of the screen"
        self.open(self.active.name)
        if self.workspace.restored:
            self.workspace.restored = False
            ui.notify(
                "Unsaved work from last time was restored; undo (Z) goes back to what was opened.",
                classes="mw-toast",
                timeout=8000,
            )
        client = ui.context.client
        stop = self.session.listen(lambda: self._changed(client))
        client.on_delete(stop)
        client.on_delete(self._latest.cancel)

    def _build_parts(self, css: str, make: Callable[[Screen], None]) -> dict[str, ui.element]:
        parts = {}
        for name, screen in self.screens.items():
            with ui.element("div").classes(f"{css} mw-{name}") as parts[name]:
                if css == "mw-dock" and screen.has_dock:
                    Splitter("dock", "top", 6, 60)
                make(screen)
        return parts

    def _build_header(self) -> None:
        with ui.element("header").classes("mw-header"):
            with ui.element("div").classes("mw-brand"):
                ui.html((WEB / "icon.svg").read_text(encoding="utf-8"), sanitize=False)
                ui.element("h1").add_slot("default", "motionweave")
            self._document = ui.label("").classes("mw-document")
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
                projects = widgets.menu(
                    {
                        "Save project (Ctrl+S)": self.save,
                        "Open project or clips… (Ctrl+O)": self._shell.browse,
                        "New project": self._start_anew,
                    }
                )
            with projects:
                self._recent = ui.element("div").classes("mw-recent")
            self._listed: tuple[RecentProject, ...] = ()
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
            self._message = ui.label("").classes("mw-message")
            self._message.props["role"] = "status"
            self.figures.build_bar()

    # Showing

    def open(self, name: str) -> None:
        """Show a screen."""
        self.active = self.screens[name]
        self._shell.tell_screen(name)
        for other in self.screens:
            widgets.mark(self._tabs[other], "on", other == name)
            self._panels[other].set_visibility(other == name)
            self._docks[other].set_visibility(other == name and self.screens[other].has_dock)
        self.solo = None
        self._computed = self.result = None
        self._say("")
        self._overlay.remarks(())
        self.viewport.show_path(())
        self.viewport.draw_path(on=False)
        self.update()

    def visit(self, name: str) -> None:
        """Show the screen that the address names, as after a reload or the Back button."""
        if name in self.screens and name != self.active.name:
            self.open(name)

    @property
    def chooser(self) -> Screen:
        """The screen that is open."""
        return self.active

    def _changed(self, client: Any) -> None:
        with client:
            if self.solo is not None and self.active.key(self.session.document) != self._beside:
                # Whoever goes on working wants to see what comes of it.
                self.solo = None
            self.update()

    def update(self) -> None:
        """Bring the page up to the document."""
        session = self.session
        self.shelf.refresh()
        self.active.refresh(self.active.settings)
        self.figures.refresh()
        widgets.enable(self._undo, bool(session.undoable))
        widgets.enable(self._redo, bool(session.redoable))
        self._tell_saved()
        widgets.entitle(self._undo, f"Undo {session.undoable} (Z)".replace("  ", " "))
        widgets.entitle(self._redo, f"Redo {session.redoable} (Shift+Z)".replace("  ", " "))
        self._make()

    def _tell_saved(self) -> None:
        dirty = self.session.dirty
        self._document.set_text(f"{'• ' if dirty else ''}{self.workspace.name}")
        saved = "All changes are saved" if not dirty else "Changes since it was saved (Ctrl+S)"
        widgets.entitle(self._document, saved)
        self._shell.tell_document(self.workspace.name, dirty)
        recent = self._listed if self.session.live else self.workspace.recent.listed()
        if recent != self._listed:
            self._listed = recent
            self._recent.clear()
            with self._recent:
                ui.label("Recent projects").classes("mw-sheet-title")
                for one in recent:
                    ui.menu_item(one.title, partial(self._reopen, one))

    def _make(self) -> None:
        document, screen = self.session.document, self.active
        single = self._single()
        widgets.mark(self._docks[screen.name], "aside", single is not None)
        if single is not None:
            self._show_single(single)
            return
        missing = screen.missing(document)
        if missing and not any(clip.usable for clip in document.clips):
            missing = _NO_CLIPS
        if missing:
            self.result = self._computed = None
            self._latest.cancel()
            self._say("")
            self._show_nothing(missing)
            return
        live = self.session.live
        common, body = document.settings["common"], worn(document)
        performer = None if body is None else id(body.original)
        meshes = tuple(id(clip.character) for clip in document.clips if clip.character is not None)
        key = (screen.name, screen.key(document), live and common.clean, performer, meshes)
        if key == self._computed:
            return
        self._computed = key
        known = self.workspace.outcomes.get(key)
        if known is not None:
            self._latest.cancel()
            self._made(screen, document, known[1], live)
            return

        def done(outcome: Outcome[Result]) -> None:
            if outcome.value is not None and not live:
                self.workspace.outcomes.put(key, (document, outcome))
            self._made(screen, document, outcome, live)

        self._latest.submit(
            lambda: self._packed(dressed(screen.make(document, live), document, live)), done
        )

    def _single(self) -> ShelfClip | None:
        """The clip that is shown by itself, if one is."""
        clip = None if self.solo is None else self.session.document.clip(self.solo)
        return clip if clip is not None and clip.usable else None

    def _packed(self, result: Result) -> Result:
        """Packing belongs to the work: it must not hold up the event loop."""
        stage("Sending the pictures", 0.9)
        for look in result.looks:
            key_of(self.workspace.store, look)
            if look.character is not None:
                self.workspace.store.skin_of(look.character, look.motion)
        return result

    def _made(
        self, screen: Screen, document: Document, outcome: Outcome[Result], live: bool
    ) -> None:
        if screen is not self.active or self.solo is not None:
            return
        with self.viewport:
            if outcome.value is None:
                problem = outcome.problem or RuntimeError("nothing was made")
                self._failed(screen, document, problem)
                return
            result = self.result = outcome.value
            self._say("")
            self._settled(fresh=True)
            if self._latest.behind:
                # What comes next is being made already.
                self._busy(True)
            self.viewport.show(result.looks, of=screen.name)
            screen.present(result)
            if not live:
                self._overlay.remarks(tuple(dict.fromkeys([*result.remarks, *outcome.remarks])))
                self.figures.show(result)

    def _failed(self, screen: Screen, document: Document, problem: Exception) -> None:
        """Say why there is no result; an earlier one of the same screen stays, dimmed."""
        if self.result is None:
            self._show_nothing("")
        self._settled(fresh=False)
        self._overlay.remarks(())
        self._overlay.trouble(trouble_of(problem, screen.name, document))
        if self.result is not None:
            self._overlay.stale("Earlier result")
        self.figures.show(None)

    def _show_nothing(self, why: str) -> None:
        self._settled(fresh=False)
        self._overlay.remarks(())
        self.viewport.tell_empty(why)
        self.viewport.show([], of="nothing")
        self.figures.show(None)

    def _settled(self, *, fresh: bool) -> None:
        """Nothing is being done now; what is seen is up to date, or is not."""
        self._fresh = fresh
        self._overlay.trouble(None)
        self._overlay.stale("")
        widgets.mark(self.viewport, "stale", not fresh and self.result is not None)
        widgets.enable(self._export, fresh)
        widgets.enable(self._copy, fresh)

    def _show_single(self, clip: ShelfClip) -> None:
        self._latest.cancel()
        self._computed = None
        self._beside = self.active.key(self.session.document)
        look = Look("alone", clip.motion, RESULT, label=clip.name)
        own = Result(clip.motion, (look,), (clip.motion,))
        self.result = dressed(own, self.session.document, False, alone=True)
        self._settled(fresh=True)
        self._overlay.remarks(())
        self._say(f"Only {clip.name} is shown, measured and exported; its eye leads back.")
        self.viewport.show(self.result.looks, of=clip.id)
        self.figures.show(self.result, shelved=True)

    def show_alone(self, clip_id: str) -> None:
        """Show one clip of the shelf, or go back to the result."""
        self.solo = None if self.solo == clip_id else clip_id
        self._computed = self.result = None
        self._say("")
        self.update()

    def _say(self, text: str, kind: str = "") -> None:
        self._message.set_text(text)
        for name in ("error", "warning"):
            widgets.mark(self._message, name, bool(text) and kind == name)

    # Long work

    def _busy(self, busy: bool) -> None:
        if self.viewport.is_deleted:
            return
        with self.viewport:
            self._overlay.working(busy)
            if busy:
                self._overlay.trouble(None)
                self._overlay.stale("Earlier result" if self.result is not None else "")
                widgets.mark(self.viewport, "stale", self.result is not None)
                if self.result is None:
                    self.viewport.tell_empty("")

    async def _rest(self) -> None:
        """Return when all that was asked for has been made, shown and measured."""
        await self._latest.rest()
        await self.figures.rest()

    def _staged(self, name: str, share: float) -> None:
        if not self.viewport.is_deleted:
            with self.viewport:
                self._overlay.stage(name, share)

    def _compiles(self) -> None:
        if not self.viewport.is_deleted:
            with self.viewport:
                self._say(f"{MESSAGE[0].upper()}{MESSAGE[1:]}")

    def _give_up(self) -> None:
        self._latest.cancel()
        self._settled(fresh=False)
        self._overlay.stale("Stopped", retry=True)

    def make_again(self) -> None:
        """Make the result anew although nothing was changed on the page."""
        self._computed = None
        self._overlay.stale("")
        self.update()

    def _remedy(self, remedy: RemedyButton) -> None:
        label = remedy.label[:1].lower() + remedy.label[1:]
        self.session.change(remedy.apply(self.session.document), label)

    def _go_to(self, remark: Remark) -> None:
        if self.result is not None and remark.frame is not None:
            self.viewport.point_at(remark.frame / self.result.motion.fps, remark.joint or "")

    # Doing

    def put_back(self) -> None:
        """Put the result on the shelf as a new input."""
        if self.result is None or not self._fresh or self._single() is not None:
            return
        document = self.session.document
        name = unique_name(document, self.result.motion.name or self.active.title)
        clip = ShelfClip(
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
        if self.result is not None and self._fresh:
            self.export_motion(self.result.motion, suffix, self.result.character)

    def export_motion(
        self, motion: Motion, suffix: str, character: Character | None = None
    ) -> None:
        """Hand a motion to the user as a file."""

        async def work() -> None:
            outcome = await in_thread(lambda: export.to_file(motion, suffix, character))
            with self.viewport:
                if outcome.value is None:
                    self._say(outcome.error, "error")
                else:
                    data, name = outcome.value
                    ui.download.content(data, name)

        background_tasks.create(work())

    def copy(self) -> None:
        """Show what is on screen as code."""
        if self.result is not None and self._fresh:
            dialogs.show_code(self._recipe())

    def _recipe(self) -> Snippet:
        single = self._single()
        if single is not None:
            return alone(single)
        made, body = self.active.recipe(self.session.document), worn(self.session.document)
        return made if body is None else performed_by(made, body)

    def save(self) -> None:
        """Save the project: to its file, or as a download."""
        path = self.workspace.save()
        if path is not None:
            ui.notify(f"Saved {path}.", classes="mw-toast")
            return
        ui.download.content(*self.workspace.saved_elsewhere())

    def browse(self) -> None:
        """Let the user choose files."""
        self._shell.browse()

    async def _reopen(self, recent: RecentProject) -> None:
        kinds = self.session.kinds
        outcome = await in_thread(lambda: load_project(recent.path, kinds))
        with self.viewport:
            if outcome.value is None:
                self._say(outcome.error, "error")
                return
            if self.session.dirty:
                ui.notify("Undo (Z) brings back what was open.", classes="mw-toast")
            self.workspace.reopen(recent, outcome.value)

    def _start_anew(self) -> None:
        self.session.open(Workspace.open().session.document, "the new project")

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
