"""The header of the page: the project, the screens, undo and redo, code and export."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from nicegui import ui
from nicegui.element import Element

from motionweave.studio.files.recent import RecentProject
from motionweave.studio.page import dialogs
from motionweave.studio.page.menus import export_options
from motionweave.studio.screens.screen import Screen
from motionweave.studio.ui import widgets
from motionweave.studio.web import WEB
from motionweave.studio.workspace import Workspace

_ICON = WEB / "icon.svg"


@dataclass(frozen=True)
class HeaderActions:
    """What the buttons of the header do.

    Parameters
    ----------
    open
        Show the screen of that name.
    save, browse, start_anew
        Save the project, open one or clips, begin a new one.
    reopen
        Open a recent project.
    switch_theme
        Dark or light.
    copy, export
        Show the result as code; hand it out as a file with that suffix.
    """

    open: Callable[[str], None]
    save: Callable[[], None]
    browse: Callable[[], None]
    start_anew: Callable[[], None]
    reopen: Callable[[RecentProject], object]
    switch_theme: Callable[[], None]
    copy: Callable[[], None]
    export: Callable[[str], None]


class Header:
    """The header.

    Parameters
    ----------
    workspace
        What is worked on.
    screens
        In the order of their tabs, by name.
    actions
        What the buttons do.
    """

    def __init__(
        self, workspace: Workspace, screens: Mapping[str, Screen], actions: HeaderActions
    ) -> None:
        self._workspace = workspace
        self._actions = actions
        self._listed: tuple[RecentProject, ...] = ()
        session = workspace.session
        with ui.element("header").classes("mw-header"):
            with ui.element("div").classes("mw-brand"):
                ui.html(_ICON.read_text(encoding="utf-8"), sanitize=False)
                ui.element("h1").add_slot("default", "motionweave")
            self._document = ui.label("").classes("mw-document")
            self._tabs: dict[str, Element] = {}
            with ui.element("nav").classes("mw-nav"):
                for number, (name, screen) in enumerate(screens.items(), start=1):
                    with ui.element("button") as tab:
                        widgets.symbol(screen.icon)
                        ui.label(screen.title)
                    tab.props["title"] = f"{screen.title} ({number})"
                    tab.on("click", lambda _, name=name: actions.open(name))
                    self._tabs[name] = tab
            ui.element("div").classes("mw-gap")
            self._undo = widgets.icon_button("undo", "Undo (Z)", session.undo)
            self._redo = widgets.icon_button("redo", "Redo (Shift+Z)", session.redo)
            with widgets.icon_button("folder_open", "Project", lambda: None):
                projects = widgets.menu(
                    {
                        "Save project (Ctrl+S)": actions.save,
                        "Open project or clips… (Ctrl+O)": actions.browse,
                        "New project": actions.start_anew,
                    }
                )
            with projects:
                self._recent = ui.element("div").classes("mw-recent")
            widgets.icon_button("contrast", "Dark or light theme", actions.switch_theme)
            widgets.icon_button("help_outline", "Keys and help (?)", dialogs.show_help)
            self._copy = widgets.button(
                "Copy as code",
                actions.copy,
                icon="code",
                title="Copy as Python or command line (C)",
            )
            with widgets.button(
                "Export", lambda: None, icon="download", title="Export (E)", kind="primary"
            ) as self._export:
                self.export_menu = widgets.menu(export_options(actions.export))

    def show_screen(self, name: str) -> None:
        """Mark the tab of the screen that is open."""
        for other, tab in self._tabs.items():
            widgets.mark(tab, "on", other == name)

    def refresh(self) -> None:
        """Bring undo and redo, the project's name and the recent ones up to the session."""
        session = self._workspace.session
        widgets.enable(self._undo, bool(session.undoable))
        widgets.enable(self._redo, bool(session.redoable))
        widgets.entitle(self._undo, f"Undo {session.undoable} (Z)".replace("  ", " "))
        widgets.entitle(self._redo, f"Redo {session.redoable} (Shift+Z)".replace("  ", " "))
        dirty = session.dirty
        self._document.set_text(f"{'• ' if dirty else ''}{self._workspace.name}")
        saved = "All changes are saved" if not dirty else "Changes since it was saved (Ctrl+S)"
        widgets.entitle(self._document, saved)
        recent = self._listed if session.live else self._workspace.recent.listed()
        if recent != self._listed:
            self._listed = recent
            self._recent.clear()
            with self._recent:
                ui.label("Recent projects").classes("mw-sheet-title")
                for one in recent:
                    ui.menu_item(one.title, partial(self._actions.reopen, one))

    def allow_export(self, allowed: bool) -> None:
        """Say whether there is a result to export or to show as code."""
        widgets.enable(self._export, allowed)
        widgets.enable(self._copy, allowed)

    def tab(self, name: str) -> Element:
        """The tab of a screen."""
        return self._tabs[name]
