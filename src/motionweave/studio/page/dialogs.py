"""The help sheet, and what is on screen as code."""

from __future__ import annotations

import json
from functools import partial

from nicegui import ui

from motionweave.studio.screens.snippets import Snippet
from motionweave.studio.ui import widgets

KEYS = {
    "Space": "play or pause",
    "← →": "a frame back or on; with Shift, ten",
    "Home  End": "to the first or last frame",
    "L": "loop",
    "F": "follow the character",
    "T": "foot trails and paths",
    "G": "inputs as ghosts",
    "O": "onion skin: the poses before and after",
    "B": "before and after: the result beside what it was made from",
    "+  −  0": "zoom the timeline in, out, or to all of it",
    "1 – 7": "screens",
    "Z  Shift+Z": "undo, redo",
    "K": "put the result on the shelf; on the Warp screen, set a key",
    "A": "add the result to the sequence",
    "Delete": "delete the chosen key (Warp) or block (Sequence), or the selected clips",
    "E": "export",
    "C": "copy as Python or command line",
    "Ctrl+S  Ctrl+O": "save or open a project",
    "?": "this sheet",
}
_MOUSE = {
    "Drag": "turn the view, move handles",
    "Right drag": "move the view",
    "Wheel": "zoom the view, or the timeline; with Shift along the timeline",
    "Double-click": "add a key or event in a strip",
    "Right-click": "remove it",
    "Drop files": "put them on the shelf",
}


def show_help() -> None:
    """Show keys and a few words."""
    with ui.dialog() as dialog, ui.element("div").classes("mw-sheet"):
        dialog.props["aria-label"] = "keys and help"
        with ui.element("div").classes("mw-sheet-head"):
            ui.label("Keys and mouse")
            widgets.icon_button("close", "Close", dialog.close)
        for title, rows in (("Keyboard", KEYS), ("Mouse", _MOUSE)):
            ui.label(title).classes("mw-sheet-title")
            with ui.element("dl").classes("mw-keys"):
                for key, meaning in rows.items():
                    ui.element("dt").add_slot("default", key)
                    ui.element("dd").add_slot("default", meaning)
    dialog.on("hide", dialog.delete)
    dialog.open()


def show_code(recipe: Snippet) -> None:
    """Show what is on screen as Python and as command lines, ready to be copied."""
    with ui.dialog() as dialog, ui.element("div").classes("mw-sheet wide"):
        dialog.props["aria-label"] = "the same, as code"
        with ui.element("div").classes("mw-sheet-head"):
            ui.label("The same, as code")
            widgets.icon_button("close", "Close", dialog.close)
        for title, text in (("Python", recipe.python), ("Command line", recipe.commands)):
            with ui.element("div").classes("mw-code-head"):
                ui.label(title).classes("mw-sheet-title")
                widgets.button("Copy", partial(_copy, text), icon="content_copy")
            code = ui.element("pre").classes("mw-code")
            with code:
                ui.label(text)
            code.props["data-language"] = title.lower()
    dialog.on("hide", dialog.delete)
    dialog.open()


def _copy(text: str) -> None:
    ui.run_javascript(f"navigator.clipboard.writeText({json.dumps(text)})")
    ui.notify("Copied.", classes="mw-toast")
