"""Spline: one clip swings over into another along a curve through the subspace of both."""

from __future__ import annotations

from dataclasses import replace

from nicegui import ui

from motionweave.studio.document.document import Document
from motionweave.studio.screens.parts import PARTS
from motionweave.studio.screens.screen import Screen, series
from motionweave.studio.screens.snippets import Snippet
from motionweave.studio.screens.spline.code import as_code
from motionweave.studio.screens.spline.drawing import drawn
from motionweave.studio.screens.spline.model import SplineDetails, SplineSettings, make
from motionweave.studio.screens.subspaces import own_frame
from motionweave.studio.ui import widgets
from motionweave.studio.ui.components import Lanes
from motionweave.studio.ui.editors import SpaceView
from motionweave.studio.view.result import Result

# The choice of no part.
_WHOLE = "whole"


class SplineScreen(Screen):
    """The spline screen."""

    name = "spline"
    title = "Spline"
    icon = "gesture"
    hint = "Click two clips on the shelf: the first swings over into the second."
    Settings = SplineSettings
    most = 2

    # Making

    @staticmethod
    def missing(document: Document) -> str:
        count = len(document.usable(document.settings["spline"].clips))
        return (SplineScreen.hint, "Click the clip to swing over into.", "")[count]

    @staticmethod
    def make(document: Document, live: bool) -> Result:
        return make(document, live)

    @staticmethod
    def recipe(document: Document) -> Snippet:
        return as_code(document)

    @staticmethod
    def with_clips(settings: SplineSettings, clips: tuple[str, ...]) -> SplineSettings:
        return replace(settings, clips=clips, leave=None, enter=None)

    # Widgets

    def build_panel(self) -> None:
        with widgets.section("Subspace"):
            self._view = SpaceView(self._handle_dragged)
            with ui.element("div").classes("mw-row mw-spread"):
                self._axes = widgets.Choice(
                    {
                        "2": ("2-D", "The two axes along which the clips differ most"),
                        "3": ("3-D", "Three axes; drag to turn"),
                    },
                    lambda axes: self.change("axes shown", axes=int(axes)),
                )
                self._told = ui.label("").classes("mw-value")
        with widgets.section("Where"):
            self._leave = widgets.Slider("Leave at", 0, 1, 1, self._set_leave, unit="")
            self._enter = widgets.Slider("Enter at", 0, 1, 1, self._set_enter, unit="")
            with ui.element("div").classes("mw-row"):
                self._best = widgets.button(
                    "Best frames",
                    lambda: self.change("frames", leave=None, enter=None),
                    icon="auto_awesome",
                    title="Leave and enter where the poses are most similar",
                )
                widgets.button("Swap", self._swap, icon="swap_vert", title="Swap the clips")
        with widgets.section("Part of the body"):
            whole = {_WHOLE: ("Whole body", "All of the body changes to the second clip")}
            self._part = widgets.Choice({**whole, **PARTS}, self._set_part)
        with widgets.section("Spline"):
            self._shape = widgets.SplineSliders(self._set_shape)

    def build_dock(self) -> None:
        self._lanes = Lanes()

    def refresh(self, settings: SplineSettings) -> None:
        self._axes.set(str(settings.axes))
        self._part.set(settings.part or _WHOLE)
        self._shape.set(settings.degree, settings.length, settings.bias)
        widgets.mark(self._best, "on", settings.leave is None and settings.enter is None)
        if self.missing(self.page.session.document):
            self._view.set([], None, settings.axes)
            self._lanes.set([], [], (0.0, 1.0))
            self._told.set_text("")

    def present(self, result: Result) -> None:
        details: SplineDetails = result.details
        space, made = details.space, details.made
        self._view.set(*drawn(details), self.settings.axes)
        if not self.page.session.live:
            self._told.set_text(
                f"{space.embedding.dimensions} axes keep {100 * made.explained:.0f}% · "
                f"{made.duration:.2f} s"
            )
        self._leave.set(made.leave, 0, len(space.a) - 1)
        self._enter.set(own_frame(space, made.enter), 0, own_frame(space, len(space.b) - 1))
        last = len(made.motion) - 1
        # Legs of the first clip go on below a part of the body.
        first = (0, made.start if space.part is None else last)
        until = min(len(made.raw) - 1, last)
        bars = (first, (made.start, made.end), (made.end, until))
        names = (details.names[0], "spline", details.names[1])
        colors = (series(0), "accent", series(1))
        self._lanes.set(
            [
                {"group": name, "color": color, "bars": [bar]}
                for name, color, bar in zip(names, colors, bars, strict=True)
            ],
            [],
            (0.0, float(last)),
        )

    # Handlers

    def _frames_now(self) -> dict[str, int | None]:
        """Frames as they are on screen: when one is dragged the other stays."""
        result = self.page.result
        if result is None or not isinstance(result.details, SplineDetails):
            return {"leave": self.settings.leave, "enter": self.settings.enter}
        details = result.details
        return {
            "leave": details.made.leave,
            "enter": own_frame(details.space, details.made.enter),
        }

    def _handle_dragged(self, curve: int, frame: int, final: bool) -> None:
        if curve == 0:
            self._set_leave(frame, final)
        elif self.page.result is not None and isinstance(self.page.result.details, SplineDetails):
            self._set_enter(own_frame(self.page.result.details.space, frame), final)

    def _set_leave(self, frame: float, final: bool) -> None:
        frames = {**self._frames_now(), "leave": round(frame)}
        self._drag("leaving frame", "leave", final, **frames)

    def _set_enter(self, frame: float, final: bool) -> None:
        frames = {**self._frames_now(), "enter": round(frame)}
        self._drag("entry frame", "enter", final, **frames)

    def _set_part(self, part: str) -> None:
        self.change("part of the body", part=None if part == _WHOLE else part)

    def _set_shape(self, name: str, value: float, final: bool) -> None:
        self._drag(name, name, final, **{name: value})

    def _drag(self, label: str, merge: str, final: bool, **fields: float | None) -> None:
        self.change(label, merge=merge, final=final, **fields)

    def _swap(self) -> None:
        self.change("order of clips", clips=self.settings.clips[::-1], leave=None, enter=None)
