"""The page: header, shelf, viewport, and the screen that is open."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from nicegui import background_tasks, ui

from motionweave.core.motion import Motion
from motionweave.core.runtime.kernels import MESSAGE
from motionweave.studio.document.character import Character
from motionweave.studio.document.document import Document, ShelfClip
from motionweave.studio.files import export, upload
from motionweave.studio.files.project import load_project
from motionweave.studio.files.recent import RecentProject
from motionweave.studio.page import dialogs
from motionweave.studio.page.header import Header, HeaderActions
from motionweave.studio.page.overlay import Overlay
from motionweave.studio.page.placement import Placing
from motionweave.studio.page.quality import QualityTable
from motionweave.studio.page.shelf import Shelf
from motionweave.studio.screens import SCREENS
from motionweave.studio.screens.screen import RESULT, Screen
from motionweave.studio.screens.snippets import Snippet, alone, performed_by
from motionweave.studio.ui import widgets
from motionweave.studio.ui.components import Shell, Splitter
from motionweave.studio.ui.dragging import CARRIED, CLIP, MADE, receive, spring
from motionweave.studio.view.comparison import compared
from motionweave.studio.view.performer import performer_of, with_performer
from motionweave.studio.view.result import Result
from motionweave.studio.view.viewport import Look, Viewport, key_of
from motionweave.studio.work.jobs import Latest, Outcome, in_thread, stage, told
from motionweave.studio.work.problems import RemedyButton, problem_of
from motionweave.studio.work.remarks import Remark
from motionweave.studio.workspace import Workspace

# The cookie in which a browser keeps its theme.
THEME = "motionweave_theme"
_NO_CLIPS = "Drop motion files here, or add built-in clips to the shelf."


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
        # Whether the result is seen beside what there was before.
        self._split = False
        # What each screen made last, and what from: it may be dragged to another screen.
        self._results: dict[str, tuple[Hashable, Result]] = {}
        self._latest = Latest(self._busy, on_stage=self._staged, compiles=self._compiles)

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
                    self.viewport = Viewport(
                        self.workspace.store, theme=self.theme, empty=self.active.hint
                    )
                    self.viewport.on_split(self._compare)
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
                "Your work from last time was restored; undo (Z) goes back to what was opened.",
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
        self.shelf.refresh()
        self.active.refresh(self.active.settings)
        self.figures.refresh()
        self._header.refresh()
        self._shell.tell_document(self.workspace.name, self.session.dirty)
        self._make()

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
        common, body = document.settings["common"], performer_of(document)
        performer = None if body is None else id(body.original)
        meshes = tuple(id(clip.character) for clip in document.clips if clip.character is not None)
        split = self._split
        whole = (screen.name, screen.key(document), live and common.clean, performer, meshes)
        key = (*whole, split)
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

        def make(document: Document, live: bool) -> Result:
            return with_performer(screen.make(document, live), document, live)

        def work() -> Result:
            if not split:
                return self._packed(make(document, live))
            alone = self.workspace.outcomes.get((*whole, False))
            result = make(document, live) if alone is None else told(alone[1])
            return self._packed(compared(result, make, document, live))

        self._latest.submit(work, done)

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
                self.figures.show(result, kind=MADE, what=screen.name)
                self._results[screen.name] = (screen.key(document), result)

    def _failed(self, screen: Screen, document: Document, problem: Exception) -> None:
        """Say why there is no result; an earlier one of the same screen stays, dimmed."""
        if self.result is None:
            self._show_nothing("")
        self._settled(fresh=False)
        self._overlay.remarks(())
        self._overlay.problem(problem_of(problem, screen.name, document))
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
        self._overlay.problem(None)
        self._overlay.stale("")
        widgets.mark(self.viewport, "stale", not fresh and self.result is not None)
        self._header.allow_export(fresh)

    def _show_single(self, clip: ShelfClip) -> None:
        self._latest.cancel()
        self._computed = None
        self._beside = self.active.key(self.session.document)
        look = Look("alone", clip.motion, RESULT, label=clip.name)
        own = Result(clip.motion, (look,), (clip.motion,))
        self.result = with_performer(own, self.session.document, False, alone=True)
        self._settled(fresh=True)
        self._overlay.remarks(())
        self._say(
            f"Only {clip.name} is shown, measured and exported. Click its eye again to go back."
        )
        self.viewport.show(self.result.looks, of=clip.id)
        self.figures.show(self.result, kind=CLIP, what=clip.id)

    def _compare(self, on: bool) -> None:
        """Show the result beside what there was before it, or by itself."""
        self._split = on
        self._make()

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
                self._overlay.problem(None)
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

    def result_of(self, name: str) -> Result | None:
        """The result of a screen as it is now, if it is known; None for a clip shown alone."""
        if name == self.active.name:
            return self.result if self._fresh and self._single() is None else None
        key, result = self._results.get(name, (None, None))
        return result if key == self.screens[name].key(self.session.document) else None

    def put_back(self) -> None:
        """Put the result on the shelf as a new input."""
        if self.result_of(self.active.name) is not None:
            self.placing.to_shelf(MADE, self.active.name)

    def put_in_sequence(self) -> None:
        """Put the result, or the clip that is shown alone, in the sequence as its last block."""
        single = self._single()
        if single is not None:
            self.placing.to_sequence(CLIP, single.id)
        elif self.result_of(self.active.name) is not None and self.active.name != "sequence":
            self.placing.to_sequence(MADE, self.active.name)

    def export(self, suffix: str) -> None:
        """Hand the result to the user as a file."""
        if self.result is not None and self._fresh:
            self.export_motion(self.result.motion, suffix, self.result.character)

    def export_motion(
        self, motion: Motion, suffix: str, character: Character | None = None
    ) -> None:
        """Hand a motion to the user as a file."""

        name = export.file_name(motion, suffix)

        async def work() -> None:
            self._say(f"Writing {name} …")
            outcome = await in_thread(lambda: export.to_file(motion, suffix, character))
            with self.viewport:
                if outcome.value is None:
                    # Not the path: the browser saves it elsewhere.
                    why = getattr(outcome.problem, "reason", outcome.error)
                    self._say(f"{name} could not be written: {why}", "error")
                else:
                    self._say("")
                    ui.download.content(*outcome.value)

        background_tasks.create(work())

    def copy(self) -> None:
        """Show what is on screen as code."""
        if self.result is not None and self._fresh:
            dialogs.show_code(self._recipe())

    def _recipe(self) -> Snippet:
        single = self._single()
        if single is not None:
            return alone(single)
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
