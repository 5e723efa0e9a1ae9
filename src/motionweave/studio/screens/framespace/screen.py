"""Framespace: two or four clips in step with their events, mixed along a curve over cycles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from nicegui import ui

from motionweave.core.arrays import Array
from motionweave.methods.framespace.blend import DEFAULT_CYCLES
from motionweave.methods.framespace.correspondence import MatchedStates
from motionweave.studio.document.document import Document
from motionweave.studio.screens.framespace import model
from motionweave.studio.screens.framespace.code import as_code
from motionweave.studio.screens.framespace.cycles import Cycles
from motionweave.studio.screens.framespace.drawing import (
    COORDINATES,
    DRAWN,
    axis_names,
    clock,
    event_lanes,
    in_words,
)
from motionweave.studio.screens.framespace.model import CORNERS, FramespaceSettings, Made
from motionweave.studio.screens.screen import RESULT, Screen, series
from motionweave.studio.screens.snippets import Snippet
from motionweave.studio.ui import widgets
from motionweave.studio.ui.components import CurveEditor
from motionweave.studio.ui.editors import EventLanes
from motionweave.studio.view.result import Result
from motionweave.studio.view.viewport import Look
from motionweave.studio.work.jobs import stage

# Metres from one to the next, on the far side of the result.
_GHOST_GAP = 0.95
# Of the slider.
_MOST_CYCLES = 12


class FramespaceScreen(Screen):
    """The framespace screen."""

    name = "framespace"
    title = "Framespace"
    icon = "grid_4x4"
    hint = "Click two clips on the shelf, or four: they are mixed in step with their events."
    Settings = FramespaceSettings
    most = 4
    first = 2

    # Making

    @staticmethod
    def missing(document: Document) -> str:
        count = len(document.usable(document.settings["framespace"].clips))
        return {
            0: FramespaceScreen.hint,
            1: "Click one more clip on the shelf.",
            3: "A framespace has two clips or four: click one more, or leave one out.",
        }.get(count, "")

    @staticmethod
    def make(document: Document, live: bool) -> Result:
        settings: FramespaceSettings = document.settings["framespace"]
        clips = document.usable(settings.clips)
        clean = document.settings["common"].clean and not live
        stage("Matching events", 0.0)
        motion, made = model.interpolated(clips, settings, clean=clean)
        stage("Playing each clip alone", 0.7)
        looks = [Look("result", motion, RESULT, ground=clips[0].motion)]
        for i, clip in enumerate(clips):
            ghost, beside = model.alone(made, i), _GHOST_GAP * (i + 1)
            looks.append(
                Look(
                    f"ghost{i}",
                    ghost,
                    series(i),
                    ghost=True,
                    beside=beside,
                    label=clip.name,
                    ground=clip.motion,
                    before=clip.name,
                )
            )
        return Result(motion, tuple(looks), tuple(clip.motion for clip in clips), made)

    @staticmethod
    def recipe(document: Document) -> Snippet:
        settings: FramespaceSettings = document.settings["framespace"]
        clips = document.usable(settings.clips)
        return as_code(clips, settings, clean=document.settings["common"].clean)

    @staticmethod
    def with_clips(settings: FramespaceSettings, clips: tuple[str, ...]) -> FramespaceSettings:
        events = {clip: table for clip, table in settings.events.items() if clip in clips}
        stretches = {clip: ends for clip, ends in settings.stretches.items() if clip in clips}
        return replace(settings, clips=clips, events=events, stretches=stretches)

    # Widgets

    def build_panel(self) -> None:
        with widgets.section("Interpolant"):
            self._shape = widgets.Choice(
                {
                    "concatenate": ("One after another", "From the first clip to the last"),
                    "blend": ("Mixed", "The middle of all clips, held"),
                },
                lambda shape: self.change("interpolant", shape=shape, vertices=()),
            )
            self._cycles = widgets.Slider("Cycles", 1, _MOST_CYCLES, 1, self._set_cycles)
            self._map = CurveEditor(on_drag=self._map_dragged, playhead=False)
            self._map.classes("mw-map")
        with widgets.section("Cycles of the clips"):
            self._stretches = Cycles(self._set_stretch)
        with widgets.section("Events"):
            self._decoupled = widgets.Switch(
                "Decouple upper and lower body",
                "Arms and legs each follow their own events",
                lambda on: self.change("decoupling", decoupled=on),
            )
            self._told = ui.label("").classes("mw-curves-note")
            self._matches = ui.element("div").classes("mw-matches")
            self._listed: tuple[object, ...] = ()
            self._reset = widgets.button(
                "Find events again",
                lambda: self.change("events", events={}),
                icon="restart_alt",
                title="Forget all changes to events",
            )

    def build_dock(self) -> None:
        with ui.element("div").classes("mw-dock-head"):
            self._dock = widgets.Choice(
                {
                    "curve": ("Interpolant", "How much of each clip, when"),
                    "events": ("Events", "What happens when in each clip, and what corresponds"),
                },
                self._show_dock,
            )
        self._curves = CurveEditor(
            on_drag=self._vertex_dragged,
            on_add=self._vertex_added,
            on_remove=self._vertex_removed,
            hint="Drag the vertices; double-click adds one, right-click removes it",
        )
        self._lanes = EventLanes(
            on_move=self._state_moved,
            on_remove=self._state_removed,
            on_join=self._joined,
            on_add=self._state_added,
        )
        self._show_dock("curve")

    def _show_dock(self, what: str) -> None:
        self._dock.set(what)
        self._curves.set_visibility(what == "curve")
        self._lanes.set_visibility(what == "events")

    def refresh(self, settings: FramespaceSettings) -> None:
        self._shape.set("" if settings.vertices else settings.shape or self._usual())
        self._cycles.set(self._span(settings))
        self._decoupled.set(settings.decoupled)
        widgets.enable(self._reset, bool(settings.events))
        document = self.page.session.document
        clips = document.usable(settings.clips)
        ready = not self.missing(document)
        self._map.set_visibility(len(clips) == 4)
        if ready:
            self._draw_curve(settings, [clip.name for clip in clips])
        else:
            self._curves.set(lines=[], handles=[], x=(0.0, self._span(settings)), y=(0.0, 1.0))
            self._lanes.set([], [], [])
            self._told.set_text("")
            self._list([])
            self._stretches.set([])

    def present(self, result: Result) -> None:
        made: Made = result.details
        if not self.settings.vertices:
            self._shape.set(self.settings.shape or made.space.shape)
        self._cycles.set(made.cycles, 1, max(_MOST_CYCLES, made.cycles))
        self._draw_curve(self.settings, [clip.name for clip in made.clips], made)
        matched = made.matched
        halves = (
            [matched.lower] if matched.upper is matched.lower else [matched.lower, matched.upper]
        )
        counts = " and ".join(str(len(half)) for half in halves)
        self._told.set_text(f"{counts} events match, at these parts of each cycle")
        self._list(halves)
        self._lanes.set(*event_lanes(made))
        self._stretches.set(model.stretches_of(made, self.settings))

    def _list(self, halves: Sequence[MatchedStates]) -> None:
        rows = tuple(
            (tuple(sorted(labels)), "  ".join(f"{t % 1.0:.0%}" for t in times))
            for half in halves
            for labels, times in zip(half.labels, half.times, strict=True)
        )
        if rows == self._listed:
            return
        self._listed = rows
        self._matches.clear()
        with self._matches:
            for labels, times in rows:
                with ui.element("div").classes("mw-list-row") as row:
                    ui.label(in_words(labels))
                    ui.label(times).classes("mw-value")
                row.props["title"] = (
                    f"{in_words(labels)} ({', '.join(labels)}): when in the cycle of each clip"
                )

    # The interpolant

    def _draw_curve(
        self, settings: FramespaceSettings, names: Sequence[str], made: Made | None = None
    ) -> None:
        count = len(names)
        curve = settings.curve(count, self._usual())
        span = self._span(settings)
        points, vertices = curve.points(DRAWN), curve.vertices
        axes = range(1, vertices.shape[1])
        lines: list[dict[str, Any]] = []
        handles: list[dict[str, Any]] = []
        for axis in axes:
            color = COORDINATES[axis - 1]
            for rows, dashed in ((vertices, True), (points, False)):
                drawn = (rows[:, [0, axis]] * (span, 1.0)).round(4).tolist()
                lines.append({"color": color, "points": drawn, "dashed": dashed})
            for i, row in enumerate(vertices):
                ends = {"lock": "x"} if i in (0, len(vertices) - 1) else {}
                place = {"x": float(row[0] * span), "y": float(row[axis])}
                handles.append({"id": f"{axis}:{i}", "color": color, **place, **ends})
        times: list[list[float]] = self._curves.given["clock"]
        if made is not None:
            times = clock(made, 1.0 / made.space.bases[0].motion.fps)
        self._curves.set(
            lines=lines,
            handles=handles,
            x=(0.0, span),
            y=(0.0, 1.0),
            marks=axis_names(names, span),
            clock=times,
            across="cycles",
        )
        if count == 4:
            self._draw_map(points, vertices, names)

    def _draw_map(self, points: Array, vertices: Array, names: Sequence[str]) -> None:
        """The same curve seen along time: which of four clips it is near."""
        self._map.set(
            lines=[
                {"color": "faint", "points": vertices[:, 1:].tolist(), "dashed": True},
                {"color": "soft", "points": points[:, 1:].round(4).tolist()},
            ],
            handles=[
                {"id": str(i), "x": float(y), "y": float(z), "color": COORDINATES[0]}
                for i, (_, y, z) in enumerate(vertices)
            ],
            x=(0.0, 1.0),
            y=(0.0, 1.0),
            marks=[
                {"x": y, "y": z, "text": name, "color": series(i)}
                for i, ((y, z), name) in enumerate(zip(CORNERS[4], names, strict=True))
            ],
            across="",
        )

    def _vertices(self) -> model.Vertices:
        settings: FramespaceSettings = self.settings
        count = len(self.page.session.document.usable(settings.clips))
        return model.as_rows(settings.curve(count, self._usual()).vertices)

    def _usual(self) -> str:
        """The shape that suits the clips on screen."""
        made = self._made()
        return "concatenate" if made is None else made.space.shape

    def _span(self, settings: FramespaceSettings) -> float:
        """Cycles that the interpolant spans, as far as that is known."""
        made = self._made()
        return float(settings.cycles or (DEFAULT_CYCLES if made is None else made.cycles))

    def _vertex_dragged(self, handle: str, x: float, y: float, final: bool) -> None:
        axis, index = (int(part) for part in handle.split(":"))
        self._move_vertex(index, {0: x / self._span(self.settings), axis: y}, final)

    def _map_dragged(self, handle: str, x: float, y: float, final: bool) -> None:
        self._move_vertex(int(handle), {1: x, 2: y}, final)

    def _move_vertex(self, index: int, changes: dict[int, float], final: bool) -> None:
        vertices = self._vertices()
        if index < len(vertices):
            moved = model.moved_vertex(vertices, index, changes)
            self.change("interpolant", merge="vertex", final=final, vertices=moved)

    def _vertex_added(self, x: float, y: float) -> None:
        settings: FramespaceSettings = self.settings
        document = self.page.session.document
        if self.missing(document):
            return
        curve = settings.curve(len(document.usable(settings.clips)), self._usual())
        share = x / self._span(settings)
        # The curve nearest to the click is the one that is pulled there.
        nearest = int(np.argmin(np.abs(curve.at([share])[0] - y))) + 1
        self.change("a vertex", vertices=model.with_vertex(curve, share, {nearest: y}))

    def _vertex_removed(self, handle: str) -> None:
        vertices, index = self._vertices(), int(handle.split(":")[1])
        if 0 < index < len(vertices) - 1:
            self.change("a vertex", vertices=vertices[:index] + vertices[index + 1 :])

    def _set_cycles(self, cycles: float, final: bool) -> None:
        self.change("cycles", merge="cycles", final=final, cycles=round(cycles))

    # Events

    def _made(self) -> Made | None:
        result = self.page.result
        made = None if result is None else result.details
        return made if isinstance(made, Made) else None

    def _state_added(self, lane: int, at: float) -> None:
        made = self._made()
        if made is not None:
            clip, half = model.lane_of(made, lane)
            table = model.with_state(made.table(clip), model.frame_at(made, clip, at), half)
            self._set_events({made.clips[clip].id: table}, "an event")

    def _state_moved(self, state: str, at: float, final: bool) -> None:
        made = self._made()
        place = None if made is None else model.place_of(made, state)
        if made is not None and place is not None:
            clip, index = place
            frame = model.frame_at(made, clip, at)
            table = model.moved_state(made.table(clip), index, frame)
            self._set_events({made.clips[clip].id: table}, "an event", merge="event", final=final)
        elif final:
            self.settle()

    def _state_removed(self, state: str) -> None:
        made = self._made()
        place = None if made is None else model.place_of(made, state)
        if made is not None and place is not None:
            clip, index = place
            table = made.table(clip)
            kept = (*table[:index], *table[index + 1 :])
            self._set_events({made.clips[clip].id: kept}, "an event")

    def _joined(self, one: str, other: str) -> None:
        made = self._made()
        if made is None:
            return
        first, second = model.place_of(made, one), model.place_of(made, other)
        if first is None or second is None or first[0] == second[0]:
            return
        (a, i), (b, j) = first, second
        tables = model.joined_states(made.table(a), i, made.table(b), j)
        ids = (made.clips[a].id, made.clips[b].id)
        self._set_events(dict(zip(ids, tables, strict=True)), "a match")

    def _set_events(
        self,
        edited: dict[str, model.Table],
        label: str,
        merge: str | None = None,
        final: bool = False,
    ) -> None:
        self.change(label, merge=merge, final=final, events={**self.settings.events, **edited})

    def _set_stretch(self, clip: str, ends: tuple[int, ...] | None) -> None:
        """Take other frames as the cycle of a clip; None finds them."""
        settings: FramespaceSettings = self.settings
        stretches = {one: given for one, given in settings.stretches.items() if one != clip}
        # Events that were edited were those of the cycle that was.
        events = {one: table for one, table in settings.events.items() if one != clip}
        if ends is not None:
            stretches[clip] = ends
        self.change("the cycle of a clip", stretches=stretches, events=events)
