"""The card of a clip on the shelf."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from motionweave.studio.document.document import ShelfClip
from motionweave.studio.page.clip_facts import edits, facts, looks, strip_address
from motionweave.studio.ui import widgets
from motionweave.studio.ui.components import Thumbnail
from motionweave.studio.ui.dragging import CLIP, carrying

# A click on a card, and how it is meant; keys are the shelf's once something is selected.
_CLICK = """(event) => {
  const adding = event.ctrlKey || event.metaKey;
  if (adding || event.shiftKey) {
    event.currentTarget.querySelector('.mw-use')?.focus({ preventScroll: true });
  }
  emit({ adding, range: event.shiftKey });
}"""
# A name of more letters takes two lines.
_LINE = 18
# Where a long name may be broken; while it is being typed there are none of these in it.
_BREAK = "\u200b"
# Whether a name is being typed, in a handler of its field.
_TYPING = "(document.activeElement === event.target)"


@dataclass(frozen=True)
class CardActions:
    """What the shelf does with the clip of a card, by the clip's id.

    Parameters
    ----------
    click
        Called with the click, and how it is meant.
    rename, trim
        Called with what was typed, and with the frames that were chosen.
    remove, show_alone
        Called when their buttons are pressed.
    options
        What the card's menu offers.
    """

    click: Callable[[str, GenericEventArguments], None]
    rename: Callable[[str, GenericEventArguments], None]
    trim: Callable[[str, GenericEventArguments], None]
    remove: Callable[[str], None]
    show_alone: Callable[[str], None]
    options: Callable[[str], widgets.Options]


class Card:
    """The card of one clip; made where it should be on the page, empty until it is shown."""

    def __init__(self, clip_id: str, actions: CardActions) -> None:
        self._actions = actions
        # What it was filled from, the button that takes the clip in, and that which shows it alone.
        self._shown: tuple[object, ...] = ()
        self._use: Element | None = None
        self._eye: Element | None = None
        self.element = ui.element("div").classes("mw-card")
        self.element.props.update({"data-id": clip_id, "data-moving": "", "draggable": "true"})
        self.element.on("click", partial(actions.click, clip_id), js_handler=_CLICK)
        self.element.on("dragstart", js_handler=carrying(CLIP, clip_id))

    def show(self, clip: ShelfClip, trimming: bool) -> None:
        """Bring the card up to the clip, and offer to trim it or not."""
        shown = (looks(clip), trimming)
        if self._shown != shown:
            self._shown = shown
            self.element.clear()
            with self.element:
                self._fill(clip, trimming)

    def mark(
        self, *, used: bool, colour: str, selected: bool, alone: bool, first: bool, seen: bool
    ) -> None:
        """Show what is done with the clip.

        Parameters
        ----------
        used, colour
            Whether the open screen uses it, and in which colour it is there.
        selected, alone
            Whether it is selected, and shown alone.
        first
            Whether it is the card that the Tab key stops at.
        seen
            Whether it is among what is searched for.
        """
        widgets.mark(self.element, "used", used)
        if self.element.style.get("--tag", "") != colour:
            self.element.style(replace=f"--tag: {colour}" if colour else "")
        widgets.mark(self.element, "selected", selected)
        self.element.set_visibility(seen)
        if self._use is not None:
            _prop(self._use, "aria-pressed", "true" if used else "false")
            _prop(self._use, "aria-description", "selected" if selected else "")
            # The list is one stop of the Tab key; arrows go on from there.
            _prop(self._use, "tabindex", 0 if first else -1)
        if self._eye is not None:
            widgets.mark(self._eye, "on", alone)

    def _fill(self, clip: ShelfClip, trimming: bool) -> None:
        self.element.props["data-clip"] = clip.name
        widgets.mark(self.element, "broken", not clip.usable)
        self._use = self._eye = None
        with ui.element("div").classes("mw-card-head"):
            if clip.usable:
                self._use = ui.element("button").classes("mw-use")
                title = "Click to use it on this screen; drag it into a sequence"
                self._use.props.update({"aria-label": f"use {clip.name}", "title": title})
                with self._use:
                    ui.element("i").classes("mw-dot")
            else:
                ui.element("i").classes("mw-dot")
            self._name(clip)
            self._eye = self._tools(clip)
        if not clip.usable:
            ui.label(clip.error).classes("mw-card-error")
            return
        with ui.element("div").classes("mw-card-facts"):
            Thumbnail(strip_address(clip))
            about = ui.label(facts(clip)).classes("mw-facts")
            source = f", from {clip.source}" if clip.origin == "file" else ""
            about.props["title"] = f"{len(clip.motion.skeleton)} joints{source}"
        self._badges(clip)
        if trimming:
            self._trimmer(clip)

    def _name(self, clip: ShelfClip) -> None:
        field = ui.element("textarea").classes("mw-name")
        field.props.update(
            {
                # Not its value, which would be set back whenever anything on the page changes,
                # in the middle of typing. With another name the field is made anew.
                "defaultValue": clip.name.replace("_", f"_{_BREAK}"),
                "rows": 1 if len(clip.name) <= _LINE else 2,
                "aria-label": f"name of {clip.name}",
                "title": f"{clip.name} (double-click to rename)",
                "spellcheck": "false",
                "tabindex": -1,
            }
        )
        # One click on a name is one on its card: long names take up most of it.
        field.on(
            "mousedown", js_handler=f"(event) => {{ if (!{_TYPING}) event.preventDefault(); }}"
        )
        field.on("click", js_handler=f"(event) => {{ if ({_TYPING}) event.stopPropagation(); }}")
        whole = f"target.value = target.value.replaceAll('{_BREAK}', '')"
        field.on("focus", js_handler=f"({{ target }}) => {{ {whole}; }}")
        broken = f"target.value = target.value.replaceAll('_', '_{_BREAK}')"
        field.on("blur", js_handler=f"({{ target }}) => {{ {broken}; }}")
        field.on("dblclick", js_handler="({ target }) => { target.focus(); target.select(); }")
        field.on(
            "change",
            partial(self._actions.rename, clip.id),
            js_handler="(event) => emit(event.target.value)",
        )
        leaving = "(event) => { if (event.key === 'Enter' || event.key === 'Escape') {"
        leaving += " event.preventDefault(); event.target.blur(); } }"
        field.on("keydown", js_handler=leaving)

    def _tools(self, clip: ShelfClip) -> Element | None:
        """Buttons of a card; returns the eye, if it has one."""
        eye = None
        with ui.element("div").classes("mw-tools"):
            if not clip.usable:
                last = widgets.icon_button(
                    "close", "Remove", partial(self._actions.remove, clip.id)
                )
            else:
                eye = widgets.icon_button(
                    "visibility", "Show only this clip", partial(self._actions.show_alone, clip.id)
                )
                eye.props["tabindex"] = -1
                last = widgets.icon_button(
                    "more_vert", f"More for {clip.name}", lambda: self._open_menu(clip.id, last)
                )
            last.props["tabindex"] = -1 if clip.usable else 0
        return eye

    def _open_menu(self, clip_id: str, button: Element) -> None:
        """The menu of a card is made when it is wanted: a hundred of them would be slow."""
        with button:
            menu = widgets.menu(self._actions.options(clip_id))
        menu.on("hide", menu.delete)
        menu.open()

    def _badges(self, clip: ShelfClip) -> None:
        notes = edits(clip)
        if notes or clip.warnings:
            with ui.element("div").classes("mw-badges"):
                for note in notes:
                    ui.label(note).classes("mw-badge")
                for text in clip.warnings:
                    ui.label(text).classes("mw-badge warning")

    def _trimmer(self, clip: ShelfClip) -> None:
        assert clip.original is not None
        last = len(clip.original) - 1
        first, end = clip.trim or (0, last)
        with ui.element("div").classes("mw-trim") as box:
            box.on("click.stop", lambda _: None)
            slider = widgets.frame_range(f"frames of {clip.name}", last, (first, end))
            slider.on("change", partial(self._actions.trim, clip.id))


def _prop(element: Element, name: str, value: object) -> None:
    if element.props.get(name) != value:
        element.props[name] = value
