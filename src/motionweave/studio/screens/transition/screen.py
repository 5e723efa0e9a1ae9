"""Transition: one clip runs over into another, at the best place or at the one that is clicked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from nicegui import ui

from motionweave.methods.blending.seam import HALF_WIDTH
from motionweave.methods.joining.junctions import Junction
from motionweave.studio.document.document import Document
from motionweave.studio.screens.screen import Screen
from motionweave.studio.screens.sequence.drawing import LONGEST, SHORTEST, half_seconds
from motionweave.studio.screens.snippets import Snippet
from motionweave.studio.screens.transition.code import as_code
from motionweave.studio.screens.transition.drawing import drawn
from motionweave.studio.screens.transition.model import (
    TransitionDetails,
    TransitionSettings,
    make,
    why,
)
from motionweave.studio.ui import widgets
from motionweave.studio.ui.components import HeatMap
from motionweave.studio.ui.dragging import CLIP
from motionweave.studio.ui.editors import SequenceTrack
from motionweave.studio.view.result import Result

# Rows of the list.
_LISTED = 5


class TransitionScreen(Screen):
    """The transition screen."""

    name = "transition"
    title = "Transition"
    icon = "double_arrow"
    hint = "Click two clips on the shelf: the first runs over into the second."
    Settings = TransitionSettings
    most = 2

    @staticmethod
    def missing(document: Document) -> str:
        count = len(document.usable(document.settings["transition"].clips))
        return (
            ("", "Click the clip to continue with.")[count == 1]
            if count
            else (TransitionScreen.hint)
        )

    @staticmethod
    def make(document: Document, live: bool) -> Result:
        return make(document, live)

    @staticmethod
    def recipe(document: Document) -> Snippet:
        return as_code(document)

    @staticmethod
    def with_clips(settings: TransitionSettings, clips: tuple[str, ...]) -> TransitionSettings:
        return replace(settings, clips=clips, at=None, half_width=None)

    def build_panel(self) -> None:
        with widgets.section("Where"):
            self._heat = HeatMap(on_pick=self._picked)
            ui.label(
                "Dark means similar. Rings mark good places; click or drag to join elsewhere."
            ).classes("mw-curves-note")
            with ui.element("div").classes("mw-row"):
                self._best = widgets.button(
                    "Best place", lambda: self.change("place", at=None), icon="auto_awesome"
                )
                widgets.button("Swap", self._swap, icon="swap_vert", title="Swap the clips")
            self._why = ui.label("").classes("mw-curves-note")
            self._places = ui.element("div").classes("mw-list mw-places")
            self._known: tuple[Junction, ...] = ()
            self._listed: tuple[object, ...] = ()
        with widgets.section("How long"):
            self._width = widgets.Slider(
                "Half width", SHORTEST, LONGEST, 0.01, self._set_width, unit=" s", digits=2
            )

    def build_dock(self) -> None:
        # What a drag in the track began with.
        self._base: tuple[float, float] | None = None
        self._wide: float | None = None
        self._track = SequenceTrack(
            on_pick=lambda _: None,
            on_move=self._moved,
            on_trim=self._slid,
            on_widen=self._widened,
            on_remove=self._left_out,
            on_drop=lambda kind, clip, index: self.toggle(clip),
            accepts=(CLIP,),
            outer=False,
            hint="Drag its inner edge to leave it earlier or enter it later",
            empty="Click two clips on the shelf, or drag them here.",
        )

    def refresh(self, settings: TransitionSettings) -> None:
        if settings.half_width is not None:
            self._width.set(settings.half_width)
        widgets.mark(self._best, "on", settings.at is None)
        if self.missing(self.page.session.document):
            self._width.set(HALF_WIDTH)
            self._heat.clear()
            self._list((), None, 1.0)
            self._track.set([], [], 0.0)

    def present(self, result: Result) -> None:
        details: TransitionDetails = result.details
        if self.settings.half_width is None:
            self._width.set(round(half_seconds(details.made), 2))
        self._track.set(*drawn(details, fixed=self.settings.at is not None))
        # While a place is dragged, the good ones stay as they are.
        self._known = details.places or self._known
        self._heat.set(
            details.grid,
            rows=(details.names[0], details.lasts[0]),
            columns=(details.names[1], details.lasts[1]),
            marks=[
                (*place.frames, f"distance {100 * place.distance / details.unit:.1f}% of height")
                for place in self._known
            ],
            chosen=details.chosen,
        )
        self._list(self._known, details.chosen, details.unit)

    def _list(
        self,
        places: Sequence[Junction],
        chosen: tuple[float, float] | None,
        unit: float,
    ) -> None:
        listed = (tuple(places), chosen)
        if listed == self._listed:
            return
        self._listed = listed
        self._why.set_text(why(places, unit) if places else "")
        self._places.clear()
        with self._places:
            if places:
                with ui.element("div").classes("mw-list-row head"):
                    for head in ("Frames", "Poses apart", "Kept"):
                        ui.label(head)
            for number, place in enumerate(places[:_LISTED]):
                with ui.element("button").classes("mw-list-row") as row:
                    ui.label(f"{place.frames[0]:.0f} → {place.frames[1]:.0f}")
                    ui.label(f"{place.distance / unit:.1%}").classes("mw-value")
                    ui.label(f"{min(place.kept):.0%}").classes("mw-value")
                kept = "{:.0%} of the first clip's action and {:.0%} of the second's are kept"
                said = "The automatic choice. " if number == 0 else ""
                row.props["title"] = said + kept.format(*place.kept)
                row.on("click", partial(self._take, place.frames))
                widgets.mark(row, "best", number == 0)
                widgets.mark(row, "on", place.frames == chosen)

    def _take(self, frames: tuple[float, float]) -> None:
        self.change("place", at=(float(frames[0]), float(frames[1])))

    def _picked(self, row: float, column: float, final: bool) -> None:
        frames = (float(round(row)), float(round(column)))
        self.change("place", merge="place", final=final, at=frames)

    # The track

    def _details(self) -> TransitionDetails | None:
        details = None if self.page.result is None else self.page.result.details
        return details if isinstance(details, TransitionDetails) else None

    def _moved(self, block: str, index: int) -> None:
        if index != int(block):
            self._swap()

    def _left_out(self, block: str) -> None:
        self.toggle(self.settings.clips[int(block)])

    def _slid(self, block: str, _edge: str, by: float, final: bool) -> None:
        """The inner edge of a clip was dragged by some seconds."""
        details, side = self._details(), int(block)
        if details is None:
            return
        self._base = self._base or details.chosen
        frames = [float(round(one)) for one in self._base]
        frames[side] = min(
            max(float(round(self._base[side] + by * details.rates[side])), 0.0), details.lasts[side]
        )
        self.change("place", merge="place", final=final, at=(frames[0], frames[1]))
        if final:
            self._base = None

    def _widened(self, _seam: str, by: float, final: bool) -> None:
        details = self._details()
        if details is None:
            return
        self._wide = self._wide or half_seconds(details.made)
        self._set_width(min(max(self._wide + by, SHORTEST), LONGEST), final)
        if final:
            self._wide = None

    def _swap(self) -> None:
        clips = self.settings.clips
        self.change("order of clips", clips=clips[::-1], at=None)

    def _set_width(self, seconds: float, final: bool) -> None:
        self.change("half width", merge="width", final=final, half_width=round(seconds, 3))
