"""Blend: pick clips, drag the weights, see the motion change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from nicegui import ui

from motionweave.methods.blending.weights import normalized
from motionweave.studio.document.document import Document
from motionweave.studio.screens.blend.code import as_code
from motionweave.studio.screens.blend.drawing import (
    contact_lanes,
    draw_distances,
    in_words,
    weight_handles,
    weight_lines,
)
from motionweave.studio.screens.blend.keys import added, dragged, first_keys
from motionweave.studio.screens.blend.measures import Measures
from motionweave.studio.screens.blend.model import (
    BlendDetails,
    BlendSettings,
    Registered,
    Wanted,
    blended,
    parts,
)
from motionweave.studio.screens.screen import Screen, series
from motionweave.studio.screens.snippets import Snippet
from motionweave.studio.ui import widgets
from motionweave.studio.ui.components import CurveEditor, HeatMap, Lanes, WeightPad
from motionweave.studio.view.result import Result


class BlendScreen(Screen):
    """The blend screen."""

    name = "blend"
    title = "Blend"
    icon = "join_inner"
    hint = "Click two clips or more on the shelf to blend them."
    Settings = BlendSettings
    most = 8
    first = 3

    # Making

    @staticmethod
    def missing(document: Document) -> str:
        count = len(parts(document)[0])
        if count == 0:
            return BlendScreen.hint
        return "Click one more clip on the shelf: a blend needs two." if count == 1 else ""

    @staticmethod
    def make(document: Document, live: bool) -> Result:
        return blended(document, live)

    @staticmethod
    def recipe(document: Document) -> Snippet:
        return as_code(document)

    @staticmethod
    def with_clips(settings: BlendSettings, clips: tuple[str, ...]) -> BlendSettings:
        old = dict(zip(settings.clips, settings.weights, strict=False))
        kept = [old.get(clip, 0.0) for clip in clips]
        # A new clip gets an equal share; those that were there share the rest as they did before.
        share = 1.0 / max(len(clips), 1)
        rest = 1.0 - share * sum(clip not in old for clip in clips)
        weights = tuple(
            share if clip not in old or sum(kept) < 1e-9 else rest * weight / sum(kept)
            for clip, weight in zip(clips, kept, strict=True)
        )
        return replace(
            settings, clips=clips, weights=weights, keys=(), wanted=(), against="", mode="weights"
        )

    # Widgets

    def build_panel(self) -> None:
        with widgets.section("Weights"):
            self._mode = widgets.Choice(
                {
                    "weights": ("Constant", "The same weights all the time"),
                    "time": ("Over time", "Weights that change while the motion runs"),
                    "parameters": ("By measure", "Ask for a turn, a speed, a reach"),
                },
                self._set_mode,
            )
            self._pad = WeightPad(self._weights_dragged)
            self._measures = Measures(self._measure_dragged, self._choose_measures)
            self._compare = widgets.Switch(
                "Compare with linear blending",
                "Registered and plain average side by side",
                lambda on: self.change("compare", compare=on),
            )
        with widgets.section("Registration"):
            self._ends = widgets.Choice(
                {
                    "auto": ("Automatic", "Whole clips, cycles or a stretch: what fits best"),
                    "fixed": ("Whole clips", "First frames match, and last frames"),
                    "free": ("Best stretch", "The longest stretch on which clips correspond"),
                    "cyclic": ("Cycles", "Cut to one cycle each, which goes on forever"),
                },
                self._set_ends,
            )
            self._verdict = ui.label("").classes("mw-curves-note")
            self._duration = widgets.Slider(
                "Length", 0.5, 20.0, 0.1, self._set_duration, unit=" s", digits=1
            )
            self._heat = HeatMap()
            self._heat_of = ui.element("div").classes("mw-tabs")
            self._heat_shown: tuple[Any, ...] = ()
            # Whether the clips of the last result go round.
            self._cyclic = False

    def build_dock(self) -> None:
        with ui.element("div").classes("mw-dock-head"):
            self._dock = widgets.Choice(
                {
                    "contacts": ("Contacts", "When feet are planted, along the blend"),
                    "time": ("Weights over time", "Steer the weights while the motion runs"),
                },
                self._show_dock,
            )
        self._lanes = Lanes()
        self._lanes_shown: Registered | None = None
        self._length = self.settings.duration
        self._curves = CurveEditor(
            on_drag=self._key_dragged,
            on_add=self._key_added,
            on_remove=self._key_removed,
            hint="Double-click adds a key, right-click removes it",
        )
        self._show_dock("contacts")

    def refresh(self, settings: BlendSettings) -> None:
        clips, weights = parts(self.page.session.document)
        self._pad.set([c.name for c in clips], [series(i) for i in range(len(clips))], weights)
        # What does not count now is dimmed, not taken away: nothing else shall move.
        self._pad.set_visibility(len(clips) > 1)
        widgets.mark(self._pad, "dim", settings.mode == "time")
        self._mode.set(settings.mode)
        self._measures.element.set_visibility(settings.mode == "parameters")
        self._ends.set("cyclic" if settings.cyclic else settings.ends)
        self._duration.enable(self._lasting(settings))
        self._duration.set(settings.duration)
        self._compare.set(settings.compare)
        self._refresh_curves(settings, weights)
        if self.missing(self.page.session.document):
            self._verdict.set_text("")
            self._heat.clear()
            self._heat_of.clear()
            self._heat_shown = ()
            self._lanes.set([], [], (0.0, 1.0))
            self._lanes_shown = None

    def present(self, result: Result) -> None:
        details: BlendDetails = result.details
        settings: BlendSettings = self.settings
        if settings.mode == "parameters":
            names = [c.name for c in details.clips]
            colors = [series(i) for i in range(len(names))]
            self._pad.set(names, colors, details.weights)
            self._measures.set(settings.wanted, details)
        self._show_distances(settings, details)
        self._show_contacts(details)
        curve = details.registered.curve
        self._cyclic = curve.cyclic
        self._duration.enable(self._lasting(settings))
        self._verdict.set_text(in_words(curve.verdict))
        self._refresh_curves(settings, details.weights)

    def _lasting(self, settings: BlendSettings) -> bool:
        """Whether the result is as long as it is asked to be."""
        return self._cyclic or settings.cyclic or settings.mode == "time"

    # Handlers

    def _weights_dragged(self, weights: Sequence[float], final: bool) -> None:
        document = self.page.session.document
        clips, _ = parts(document)
        if len(weights) != len(clips):
            return
        shares = normalized(weights, len(weights))
        self.change(
            "weights",
            merge="weights",
            final=final,
            clips=tuple(clip.id for clip in clips),
            weights=tuple(float(w) for w in shares),
            mode="weights",
        )

    def _set_mode(self, mode: str) -> None:
        settings: BlendSettings = self.settings
        fields: dict[str, Any] = {"mode": mode}
        clips, weights = parts(self.page.session.document)
        if mode == "time" and not settings.keys and len(clips) > 1:
            fields["keys"] = first_keys(weights, self._end(settings))
        if mode == "parameters" and not settings.wanted:
            fields["wanted"] = (("speed", None),)
        self.change("way to weigh", **fields)
        self._show_dock("time" if mode == "time" else "contacts")

    def _set_ends(self, ends: str) -> None:
        cyclic = ends == "cyclic"
        self.change("registration", cyclic=cyclic, ends="auto" if cyclic else ends)

    def _set_duration(self, seconds: float, final: bool) -> None:
        self.change("length", merge="duration", final=final, duration=round(seconds, 3))

    def _show_dock(self, what: str) -> None:
        self._dock.set(what)
        self._lanes.set_visibility(what == "contacts")
        self._curves.set_visibility(what == "time")
        self._refresh_curves(self.settings, parts(self.page.session.document)[1])

    def _measure_dragged(self, name: str, value: float, final: bool) -> None:
        wanted = tuple((n, value if n == name else v) for n, v in self.settings.wanted)
        self.change(name.replace("_", " "), merge="wanted", final=final, wanted=wanted)

    def _choose_measures(self, wanted: tuple[Wanted, ...]) -> None:
        self.change("measure", wanted=wanted)

    # Weights over time

    def _refresh_curves(self, settings: BlendSettings, weights: Sequence[float]) -> None:
        if not self._curves.visible:
            return
        end = self._end(settings)
        self._curves.set(
            lines=weight_lines(settings.keys, weights, end),
            handles=weight_handles(settings.keys),
            x=(0.0, end),
            y=(0.0, 1.0),
        )

    def _end(self, settings: BlendSettings) -> float:
        """Seconds to draw weights over: as long as the result is, which ends where its clips do.

        In the middle of a drag the axis stays as it is.
        """
        result = self.page.result
        if not self.page.session.live and result is not None:
            self._length = result.motion.duration
        lasting = self._cyclic or settings.cyclic
        return settings.duration if lasting else min(self._length, settings.duration)

    def _key_dragged(self, handle: str, x: float, y: float, final: bool) -> None:
        i, j = (int(part) for part in handle.split(":"))
        settings: BlendSettings = self.settings
        if not (i < len(settings.keys) and j < len(settings.keys[i][1])):
            return
        keys = dragged(settings.keys, i, j, (x, y), self._end(settings))
        self.change("weights over time", merge="keys", final=final, keys=keys, mode="time")

    def _key_added(self, x: float, y: float) -> None:
        settings: BlendSettings = self.settings
        clips, weights = parts(self.page.session.document)
        if len(clips) < 2:
            return
        more = added(settings.keys, weights, (x, y))
        if more != settings.keys:
            self.change("a weight key", keys=more, mode="time")

    def _key_removed(self, handle: str) -> None:
        i = int(handle.split(":")[0])
        keys = self.settings.keys
        if len(keys) > 1 and i < len(keys):
            self.change("a weight key", keys=keys[:i] + keys[i + 1 :])

    # Of the registration; a drag of the weights leaves it as it is

    def _show_contacts(self, details: BlendDetails) -> None:
        if details.registered is self._lanes_shown:
            return
        self._lanes_shown = details.registered
        curve = details.registered.curve
        self._lanes.set(*contact_lanes(curve), (curve.timewarp.start, curve.timewarp.end))

    def _show_distances(self, settings: BlendSettings, details: BlendDetails) -> None:
        curve = details.registered.curve
        others = [j for j in range(len(curve)) if j != curve.reference]
        chosen = next((j for j in others if details.clips[j].id == settings.against), others[0])
        shown = (details.registered, chosen)
        if shown == self._heat_shown:
            return
        self._heat_shown = shown
        draw_distances(self._heat, details, chosen)
        self._heat_of.clear()
        if len(others) > 1:
            with self._heat_of:
                for j in others:
                    clip = details.clips[j]
                    one = widgets.button(
                        clip.name,
                        partial(self.change, "distances shown", against=clip.id),
                        kind="quiet",
                    )
                    widgets.mark(one, "on", j == chosen)
