"""Spline: one clip swings over into another along a curve through the subspace of both."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from nicegui import ui

from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.methods.subspace import bezier
from motionweave.methods.subspace.joined import SplineTransition
from motionweave.methods.subspace.space import Subspace
from motionweave.studio import snippets, widgets
from motionweave.studio.components import Lanes
from motionweave.studio.document import Document
from motionweave.studio.editors import SpaceView
from motionweave.studio.host import Result
from motionweave.studio.jobs import stage
from motionweave.studio.parts import PARTS, Part
from motionweave.studio.screens.screen import RESULT, Screen, series
from motionweave.studio.snippets import Snippet
from motionweave.studio.spaces import own_frame, space_of
from motionweave.studio.viewport import Look

_GHOST_GAP = 1.1
# Points that the spline is drawn with.
_DRAWN = 48
# Room for three coordinates; a subspace may have fewer.
_SHOWN = 3
# The choice of no part.
_WHOLE = "whole"


@dataclass(frozen=True)
class SplineSettings:
    """What the spline screen makes.

    Parameters
    ----------
    clips
        Ids of the clip that is left and of the one that is entered.
    leave, enter
        Last frame of the first and first frame of the second; None for the best.
    degree, length, bias
        Of the spline, see `Subspace.transition`.
    part
        The part of the body that alone changes to the second clip; None for all of it.
    axes
        Of the subspace that are shown: 2 or 3.
    """

    clips: tuple[str, ...] = ()
    leave: int | None = None
    enter: int | None = None
    degree: int = 4
    length: float = 1.3
    bias: float = 0.0
    part: Part | None = None
    axes: int = 2


@dataclass(frozen=True, eq=False)
class SplineDetails:
    """What the widgets show."""

    names: tuple[str, str]
    space: Subspace
    made: SplineTransition


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
        settings: SplineSettings = document.settings["spline"]
        clips = document.usable(settings.clips)
        first, second = (clip.motion for clip in clips)
        stage("Finding the space of both clips", 0.0)
        space = space_of(first, second, settings.part)
        stage("Swinging over", 0.6)
        leave, enter = _inside(settings, first, second)
        made = space.transition(
            leave,
            enter,
            degree=settings.degree,
            length=settings.length,
            bias=settings.bias,
            clean=document.settings["common"].clean and not live,
        )
        looks = (
            Look("result", made.motion, RESULT, ground=first),
            Look("ghost0", first, series(0), ghost=True, beside=_GHOST_GAP, label=clips[0].name),
            Look("ghost1", second, series(1), ghost=True, beside=-_GHOST_GAP, label=clips[1].name),
        )
        details = SplineDetails((clips[0].name, clips[1].name), space, made)
        return Result(made.motion, looks, (first, second), details)

    @staticmethod
    def recipe(document: Document) -> Snippet:
        settings: SplineSettings = document.settings["spline"]
        clips = document.usable(settings.clips)
        names = snippets.named(clips)
        clean = document.settings["common"].clean
        leave, enter = _inside(settings, *(clip.motion for clip in clips))
        given: dict[str, object] = {
            "leave": leave,
            "enter": enter,
            "degree": settings.degree,
            "length": snippets.number(settings.length),
            "bias": snippets.number(settings.bias) if settings.bias else None,
        }
        said = {name: value for name, value in given.items() if value is not None}
        arguments = [one.variable for one in names]
        arguments += [f"{name}={value}" for name, value in said.items()]
        if settings.part is not None:
            said["part"] = settings.part
            arguments.append(f"part={settings.part!r}")
        arguments.append(f"clean={clean}")
        words = [word for name, value in said.items() for word in (f"--{name}", value)]
        return Snippet(
            snippets.script(
                names,
                f"motion = mw.spline_transition({', '.join(arguments)})",
                f"mw.save(motion, {snippets.OUTPUT!r})",
            ),
            snippets.commands(
                names,
                snippets.command(
                    "motionweave",
                    "spline",
                    *(one.file for one in names),
                    *words,
                    *([] if clean else ["--no-clean"]),
                    "-o",
                    snippets.OUTPUT,
                ),
            ),
        )

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
        self._view.set(*_drawn(details), self.settings.axes)
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


def _inside(
    settings: SplineSettings, first: Motion, second: Motion
) -> tuple[int | None, int | None]:
    """Frames to leave and to enter, inside clips that may have been trimmed since."""
    leave, enter = settings.leave, settings.enter
    return (
        None if leave is None else min(leave, len(first) - 1),
        None if enter is None else min(enter, len(second) - 1),
    )


def _drawn(details: SplineDetails) -> tuple[list[dict[str, object]], dict[str, object]]:
    """Curves and spline as `SpaceView` shows them."""
    space, made = details.space, details.made
    curves: list[dict[str, object]] = [
        {"name": name, "color": series(i), "points": _shown(points)}
        for i, (name, points) in enumerate(zip(details.names, space.curves, strict=True))
    ]
    u = np.linspace(0.0, 1.0, _DRAWN)
    before = space.curves[0][made.leave - made.start : made.leave]
    path = np.concatenate([before, made.path, space.curves[1][made.enter + 1 :]])
    path = path[: len(made.motion)]
    # A part of the body returns to a first clip that goes on after the second has ended.
    path = np.concatenate([path, space.curves[0][len(path) : len(made.motion)]])
    spline: dict[str, object] = {
        "points": _shown(bezier.evaluate(made.control, u)),
        "frames": [made.leave, made.enter],
        "path": _shown(path),
    }
    return curves, spline


def _shown(points: Array) -> list[list[float]]:
    """The first three coordinates, zero where the subspace has fewer."""
    wide = np.zeros((len(points), _SHOWN))
    count = min(_SHOWN, points.shape[1])
    wide[:, :count] = points[:, :count]
    rounded: list[list[float]] = np.round(wide, 4).tolist()
    return rounded
