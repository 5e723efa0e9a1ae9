"""The page: header, shelf, viewport, and the screen that is open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import background_tasks, ui

from motionweave.core.motion import Motion
from motionweave.studio.document.character import Character
from motionweave.studio.files import export, upload
from motionweave.studio.files.project import load_project
from motionweave.studio.files.recent import RecentProject
from motionweave.studio.page import dialogs
from motionweave.studio.page.header import Header, HeaderActions
from motionweave.studio.page.placement import Placing
from motionweave.studio.page.quality import QualityTable
from motionweave.studio.page.shelf import Shelf
from motionweave.studio.page.showing import Showing
from motionweave.studio.screens import SCREENS
from motionweave.studio.screens.screen import Screen
from motionweave.studio.screens.snippets import Snippet, alone, performed_by
from motionweave.studio.ui import widgets
from motionweave.studio.ui.components import Shell, Splitter
from motionweave.studio.ui.dragging import CARRIED, CLIP, MADE, receive, spring
from motionweave.studio.view.performer import performer_of
from motionweave.studio.view.result import Result
from motionweave.studio.view.viewport import Viewport
from motionweave.studio.work.jobs import in_thread
from motionweave.studio.workspace import Workspace

# The cookie in which a browser keeps its theme.
THEME = "motionweave_theme"


class Page:
    """One browser tab."""

    def __init__(self, workspace: Workspace, theme: str) -> None:
        self.workspace = workspace
        self.session = workspace.session
        self.theme = "light" if theme == "light" else "dark"

    @property
    def result(self) -> Result | None:
        """What is shown, if anything is."""
        return self.showing.result

    @property
    def viewport(self) -> Viewport:
        """Where it is shown."""
        return self.showing.viewport

    @property
    def alone(self) -> str | None:
        """Id of the clip that is shown alone, if one is."""
        return self.showing.alone

    # Building

    def build(self) -> None:
        """Make the whole page."""
        ui.add_head_html('<link rel="stylesheet" href="/studio.css">')
        self._dark = ui.dark_mode(self.theme == "dark")
        self.screens: dict[str, Screen] = {cls.name: cls(self) for cls in SCREENS}
        # One file, or files of different rigs, are nothing to blend, but can be seen elsewhere.
        ready = [s for s in self.screens.values() if not s.missing(self.session.document)]
        self.active: Screen = (ready or list(self.screens.values()))[0]
        self.figures = QualityTable(self)
        self.placing = Placing(self)
        self._shell = Shell(self._key, self.visit, self._rest, upload.MOST_BYTES)
        with ui.element("div").classes("mw-app"):
            self._build_header()
            with ui.element("aside").classes("mw-shelf") as shelf:
                self.shelf = Shelf(self)
                Splitter("shelf", "right", 11, 40)
            shelf.props["aria-label"] = "shelf"
            with ui.element("div").classes("mw-main"):
                with ui.element("div").classes("mw-scene"):
                    self.showing = Showing(self)
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
                "Your work from last time was restored; undo (Z) goes back to what was opened.",
                classes="mw-toast",
                timeout=8000,
            )
        client = ui.context.client
        stop = self.session.listen(lambda: self._changed(client))
        client.on_delete(stop)
        client.on_delete(self.showing.close)

    def _build_parts(self, css: str, make: Callable[[Screen], None]) -> dict[str, ui.element]:
        parts = {}
        for name, screen in self.screens.items():
            with ui.element("div").classes(f"{css} mw-{name}") as parts[name]:
                if css == "mw-dock" and screen.has_dock:
                    Splitter("dock", "top", 6, 60)
                make(screen)
        return parts

    def _build_header(self) -> None:
        self._header = Header(
            self.workspace,
            self.screens,
            HeaderActions(
                open=self.open,
                save=self.save,
                browse=self._shell.browse,
                start_anew=self._start_anew,
                reopen=self._reopen,
                switch_theme=self._switch_theme,
                copy=self.copy,
                export=self.export,
            ),
        )
        # Dropped on its tab a thing is the last block; after a moment the track itself opens.
        receive(self._header.tab("sequence"), CARRIED, self.placing.to_sequence)
        spring(self._header.tab("sequence"), CARRIED, lambda: self.visit("sequence"))

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
        self._header.show_screen(name)
        for other in self.screens:
            self._panels[other].set_visibility(other == name)
            self._docks[other].set_visibility(other == name and self.screens[other].has_dock)
        self.showing.clear()
        self.say("")
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
            self.showing.go_on()
            self.update()

    def update(self) -> None:
        """Bring the page up to the document."""
        self.shelf.refresh()
        self.active.refresh(self.active.settings)
        self.figures.refresh()
        self._header.refresh()
        self._shell.tell_document(self.workspace.name, self.session.dirty)
        self.showing.update()

    def set_aside(self, aside: bool) -> None:
        """Dim the dock of the open screen, or not: it is not about a clip that is shown alone."""
        widgets.mark(self._docks[self.active.name], "aside", aside)

    def allow_export(self, allowed: bool) -> None:
        """Whether what is shown can be exported and copied."""
        self._header.allow_export(allowed)

    def say(self, text: str, *, error: bool = False) -> None:
        """Show a line in the status bar."""
        self._message.set_text(text)
        widgets.mark(self._message, "error", error)

    def show_alone(self, clip_id: str) -> None:
        """Show one clip of the shelf, or go back to the result."""
        self.showing.toggle_alone(clip_id)
        self.say("")
        self.update()

    def make_again(self) -> None:
        """Make the result anew although nothing was changed on the page."""
        self.showing.make_again()
        self.update()

    async def _rest(self) -> None:
        await self.showing.rest()

    # Doing

    def put_back(self) -> None:
        """Put the result on the shelf as a new input."""
        if self.showing.result_of(self.active.name) is not None:
            self.placing.to_shelf(MADE, self.active.name)

    def put_in_sequence(self) -> None:
        """Put the result, or the clip that is shown alone, in the sequence as its last block."""
        clip, name = self.showing.clip_alone, self.active.name
        if clip is not None:
            self.placing.to_sequence(CLIP, clip.id)
        elif name != "sequence" and self.showing.result_of(name) is not None:
            self.placing.to_sequence(MADE, name)

    def export(self, suffix: str) -> None:
        """Hand the result to the user as a file."""
        result = self.showing.fresh
        if result is not None:
            self.export_motion(result.motion, suffix, result.character)

    def export_motion(
        self, motion: Motion, suffix: str, character: Character | None = None
    ) -> None:
        """Hand a motion to the user as a file."""
        name = export.file_name(motion, suffix)

        async def work() -> None:
            self.say(f"Writing {name} …")
            outcome = await in_thread(lambda: export.to_file(motion, suffix, character))
            with self.viewport:
                if outcome.value is None:
                    # Not the path: the browser saves it elsewhere.
                    why = getattr(outcome.problem, "reason", outcome.error)
                    self.say(f"{name} could not be written: {why}", error=True)
                else:
                    self.say("")
                    ui.download.content(*outcome.value)

        background_tasks.create(work())

    def copy(self) -> None:
        """Show what is on screen as code."""
        if self.showing.fresh is not None:
            dialogs.show_code(self._recipe())

    def _recipe(self) -> Snippet:
        clip = self.showing.clip_alone
        if clip is not None:
            return alone(clip)
        made, body = self.active.recipe(self.session.document), performer_of(self.session.document)
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
                self.say(outcome.error, error=True)
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
            f"document.cookie = '{THEME}={self.theme}; path=/; max-age=31536000; SameSite=Strict'"
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
            "e": self._header.export_menu.open,
            "c": self.copy,
            "k": self.put_back,
            "a": self.put_in_sequence,
            "?": dialogs.show_help,
        }
        names = list(self.screens)
        if self.active.key_pressed(key):
            return
        if key in keys:
            keys[key]()
        elif key.isdigit() and 1 <= int(key) <= len(names):
            self.open(names[int(key) - 1])
