"""The shelf: all clips, what is known about them, and what can be done to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from motionweave.body.rig.roles import find_rig
from motionweave.samples import clips as samples
from motionweave.studio import export, widgets
from motionweave.studio.document import Clip, unique_name
from motionweave.studio.host import Host
from motionweave.studio.screens.screen import series
from motionweave.studio.upload import display_name, sample_clip


class Shelf:
    """The list of clips at the left."""

    def __init__(self, page: Host) -> None:
        self.page = page
        self._shown: tuple[object, ...] = ()
        self._trimming: str | None = None
        self._cards: dict[str, tuple[Element, Element]] = {}
        with ui.element("div").classes("mw-shelf-head"):
            ui.label("Shelf")
            with widgets.icon_button("playlist_add", "Add a built-in clip", lambda: None):
                widgets.menu(
                    {
                        f"{name.replace('_', ' ')} — {samples.describe(name)}": partial(
                            self._add_sample, name
                        )
                        for name in samples.names()
                    }
                )
            widgets.icon_button("note_add", "Add files (or drop them anywhere)", page.browse)
        self._list = ui.element("div").classes("mw-cards")

    def refresh(self) -> None:
        """Bring the list up to the document.

        Cards are only made anew when clips change: one that is replaced under the pointer
        would lose the click.
        """
        document = self.page.session.document
        shown = (document.clips, self._trimming)
        if shown != self._shown:
            self._shown = shown
            self._cards.clear()
            self._list.clear()
            with self._list:
                for clip in document.clips:
                    self._card(clip)
                if not document.clips:
                    with ui.element("div").classes("mw-shelf-empty"):
                        widgets.symbol("inbox")
                        ui.label(
                            "Drop motion files here, or add built-in clips with the button above."
                        )
        used = [clip.id for clip in document.usable(self.page.chooser.settings.clips)]
        for clip_id, (card, eye) in self._cards.items():
            widgets.mark(card, "used", clip_id in used)
            card.style(replace=f"--tag: {series(used.index(clip_id))}" if clip_id in used else "")
            widgets.mark(eye, "on", self.page.solo == clip_id)

    def _card(self, clip: Clip) -> None:
        with ui.element("div").classes("mw-card") as card:
            card.props["data-clip"] = clip.name
            widgets.mark(card, "broken", not clip.usable)
            with ui.element("div").classes("mw-card-head"):
                ui.element("i").classes("mw-dot")
                self._name(clip)
                eye = self._tools(clip)
            if not clip.usable:
                ui.label(clip.error).classes("mw-card-error")
                return
            ui.label(facts(clip)).classes("mw-facts")
            self._badges(clip)
            if self._trimming == clip.id:
                self._trimmer(clip)
            card.props["tabindex"] = 0
            card.props["title"] = "Click to use it on this screen, again to leave it out"
            card.on("click", lambda _: self.page.chooser.toggle(clip.id))
            self._cards[clip.id] = (card, eye)

    def _name(self, clip: Clip) -> None:
        field = ui.element("input").classes("mw-name")
        field.props.update(
            {"value": clip.name, "aria-label": f"name of {clip.name}", "spellcheck": "false"}
        )
        field.props["title"] = "Click to rename"
        field.on("click.stop", lambda _: None)
        field.on(
            "change",
            partial(self._rename, clip.id),
            js_handler="(event) => emit(event.target.value)",
        )

    def _tools(self, clip: Clip) -> Element:
        """Buttons of a card; returns the first."""
        with ui.element("div").classes("mw-tools"):
            if not clip.usable:
                return widgets.icon_button("close", "Remove", partial(self._remove, clip.id))
            eye = widgets.icon_button(
                "visibility", "Show only this clip", lambda: self.page.show_alone(clip.id)
            )
            with widgets.icon_button("more_vert", f"More for {clip.name}", lambda: None):
                widgets.menu(self._actions(clip))
            return eye

    def _actions(self, clip: Clip) -> dict[str, Callable[[], None]]:
        trimming = "Done trimming" if self._trimming == clip.id else "Trim…"
        return {
            trimming: partial(self._trim, clip.id),
            "Mirror left and right": partial(self._mirror, clip.id),
            "Duplicate": partial(self._duplicate, clip.id),
            **{
                f"Export as {label}": partial(self._export, clip.id, suffix)
                for suffix, label in export.choices().items()
            },
            "Remove": partial(self._remove, clip.id),
        }

    def _badges(self, clip: Clip) -> None:
        notes = [
            *([f"frames {clip.trim[0]}–{clip.trim[1]}"] if clip.trim else []),
            *(["mirrored"] if clip.mirrored else []),
            *(["result"] if clip.origin == "result" else []),
        ]
        if notes or clip.warnings:
            with ui.element("div").classes("mw-badges"):
                for note in notes:
                    ui.label(note).classes("mw-badge")
                for text in clip.warnings:
                    ui.label(text).classes("mw-badge warning")

    def _trimmer(self, clip: Clip) -> None:
        assert clip.original is not None
        last = len(clip.original) - 1
        first, end = clip.trim or (0, last)
        with ui.element("div").classes("mw-trim") as box:
            box.on("click.stop", lambda _: None)
            slider = ui.range(min=0, max=last, value={"min": first, "max": end}).props(
                "dense label thumb-size=0.95rem track-size=0.28rem"
            )
            slider.on("change", lambda e: self._trimmed(clip.id, e))

    # Doing

    def _change(self, clip: Clip, label: str) -> None:
        session = self.page.session
        session.change(session.document.with_clip(clip), label)

    def _clip(self, clip_id: str) -> Clip:
        clip = self.page.session.document.clip(clip_id)
        assert clip is not None
        return clip

    def _add_sample(self, name: str) -> None:
        self._change(sample_clip(self.page.session.document, name), f"adding {name}")

    def _rename(self, clip_id: str, event: GenericEventArguments) -> None:
        clip = self._clip(clip_id)
        wanted = display_name(str(event.args))
        if wanted == clip.name:
            return
        others = self.page.session.document.without_clip(clip_id)
        self._change(replace(clip, name=unique_name(others, wanted)), "renaming")

    def _trim(self, clip_id: str) -> None:
        self._trimming = None if self._trimming == clip_id else clip_id
        self.refresh()

    def _trimmed(self, clip_id: str, event: GenericEventArguments) -> None:
        clip = self._clip(clip_id)
        assert clip.original is not None
        first, last = int(event.args["min"]), int(event.args["max"])
        last = max(last, min(first + 1, len(clip.original) - 1))
        whole = (first, last) == (0, len(clip.original) - 1)
        self._change(replace(clip, trim=None if whole else (first, last)), "trimming")

    def _mirror(self, clip_id: str) -> None:
        clip = self._clip(clip_id)
        self._change(replace(clip, mirrored=not clip.mirrored), "mirroring")

    def _duplicate(self, clip_id: str) -> None:
        document = self.page.session.document
        clip = self._clip(clip_id)
        copy = replace(clip, id=document.new_id(), name=unique_name(document, clip.name))
        self._change(copy, "duplicating")

    def _export(self, clip_id: str, suffix: str) -> None:
        self.page.export_motion(self._clip(clip_id).motion, suffix)

    def _remove(self, clip_id: str) -> None:
        session = self.page.session
        session.change(session.document.without_clip(clip_id), "removing a clip")


def facts(clip: Clip) -> str:
    """One line about a clip: frames, length, rig, contacts."""
    assert clip.original is not None
    frames = len(clip.original) if clip.trim is None else clip.trim[1] - clip.trim[0] + 1
    fps = clip.original.fps
    rig = find_rig(clip.original.skeleton)
    legs = "" if rig.has("left_ankle", "right_ankle") else ", no legs found"
    return (
        f"{frames} frames · {(frames - 1) / fps:.2f} s · {fps:g} fps\n"
        f"{len(clip.original.skeleton)} joints{legs} · {len(clip.original.constraints)} contacts"
    )
