"""Blend: pick clips, drag the weights, see the motion change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from nicegui import ui
from numpy.typing import NDArray

from motionweave.analysis import measures
from motionweave.blending.blend import blend
from motionweave.blending.parametric import ParametricSpace, parametric
from motionweave.blending.weights import Weights, normalized, over_time
from motionweave.core.constraints import kinds as kinds_of
from motionweave.core.motion import Motion
from motionweave.registration.curve import RegistrationCurve
from motionweave.registration.distance import distance_grid
from motionweave.registration.register import register
from motionweave.studio import snippets, widgets
from motionweave.studio.components import CurveEditor, HeatMap, Lanes, WeightPad
from motionweave.studio.document import Clip, Document
from motionweave.studio.memo import Memo
from motionweave.studio.screens.screen import RESULT, Result, Screen, series
from motionweave.studio.snippets import Recipe
from motionweave.studio.viewport import Look

Array = NDArray[np.float64]
# A key of the weights over time: seconds, and a weight a clip.
WeightKey = tuple[float, tuple[float, ...]]
# A measure and the value asked for; None for the middle of what the clips can give.
Wanted = tuple[str, float | None]

# Metres from the result to ghosts and to what it is compared with.
_GHOST_GAP = 0.95
_COMPARE_GAP = 0.75
# How near to each other keys may be, in seconds.
_KEY_GAP = 0.05


@dataclass(frozen=True)
class BlendSettings:
    """What the blend screen makes.

    Parameters
    ----------
    clips, weights
        Ids of the clips and a weight for each.
    ends, cyclic, slope_limit
        How they are registered.
    mode
        ``"weights"``: constant; ``"time"``: they follow ``keys``; ``"parameters"``: they are
        found from what is asked for.
    keys
        Weights over time.
    duration
        Seconds, for motions that go round and for weights over time.
    wanted
        Name and value of each parameter.
    compare
        Show the linear blend beside the registered one.
    against
        The clip whose distances to the reference are shown.
    """

    clips: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()
    ends: str = "fixed"
    cyclic: bool = False
    slope_limit: int = 2
    mode: str = "weights"
    keys: tuple[WeightKey, ...] = ()
    duration: float = 4.0
    wanted: tuple[Wanted, ...] = ()
    compare: bool = False
    against: str = ""


@dataclass(frozen=True, eq=False)
class Registered:
    """A registration, and the distances that it was found from: ``{clip: (Tref, Tclip)}``."""

    curve: RegistrationCurve
    grids: dict[int, Array]


@dataclass(frozen=True, eq=False)
class Details:
    """What the widgets of the screen show of a result."""

    registered: Registered
    clips: tuple[Clip, ...]
    weights: tuple[float, ...]
    ranges: dict[str, tuple[float, float]]
    reached: dict[str, float]


_registrations: Memo[Registered] = Memo()
_spaces: Memo[ParametricSpace] = Memo()
_inputs: Memo[tuple[Motion, ...]] = Memo()


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
        settings: BlendSettings = document.settings["blend"]
        clips, weights = parts(document)
        motions = [clip.motion for clip in clips]
        registered = _registered(motions, settings)
        curve = registered.curve
        clean = document.settings["common"].clean and not live
        ranges: dict[str, tuple[float, float]] = {}
        reached: dict[str, float] = {}
        used: Weights = weights
        duration = settings.duration if curve.cyclic else None
        if settings.mode == "parameters" and settings.wanted:
            space = _space(motions, settings, curve)
            found = space.at(outside="nearest", **_within(settings.wanted, space.ranges))
            ranges, reached = space.ranges, found.values
            used = weights = [float(w) for w in found.weights]
            duration = None
        elif settings.mode == "time" and settings.keys:
            used = _function(settings.keys, len(clips))
            duration = settings.duration
        motion = blend(curve, used, duration=duration, clean=clean)
        motion = replace(motion, name=_title(clips, weights, settings.mode))
        looks = [Look("result", motion, RESULT)]
        if settings.compare:
            plain = blend(curve, used, method="linear")
            looks = [
                Look("result", motion, RESULT, beside=_COMPARE_GAP, label="registered"),
                Look("linear", plain, "#b06a7c", beside=-_COMPARE_GAP, label="linear"),
            ]
        else:
            looks += _ghosts(curve, clips, motion)
        details = Details(registered, tuple(clips), tuple(weights), ranges, reached)
        return Result(motion, tuple(looks), tuple(motions), details)

    @staticmethod
    def recipe(document: Document) -> Recipe:
        settings: BlendSettings = document.settings["blend"]
        clips, weights = parts(document)
        names = snippets.named(clips)
        clean = document.settings["common"].clean
        asked: dict[str, float] = {}
        if settings.mode == "parameters" and settings.wanted:
            motions = [clip.motion for clip in clips]
            curve = _registered(motions, settings).curve
            asked = _within(settings.wanted, _space(motions, settings, curve).ranges)
        python, words, tables = _blend_call(settings, weights, asked, clean)
        options = ""
        flags: list[object] = []
        if settings.cyclic:
            options, flags = ", cyclic=True", ["--cyclic"]
        elif settings.ends != "fixed":
            options, flags = f", ends={settings.ends!r}", ["--ends", settings.ends]
        if settings.slope_limit != 2:
            options += f", slope_limit={settings.slope_limit}"
            flags += ["--slope-limit", settings.slope_limit]
        arguments = ", ".join(one.variable for one in names)
        verb = "parametric" if settings.mode == "parameters" and settings.wanted else "blend"
        call = snippets.command(
            "motionweave", verb, *(one.file for one in names), *flags, *words, "-o", snippets.OUTPUT
        )
        return Recipe(
            snippets.script(
                names,
                f"curve = mw.register({arguments}{options})",
                *python,
                f"mw.save(motion, {snippets.OUTPUT!r})",
            ),
            snippets.commands(names, *tables, call),
        )

    @staticmethod
    def with_clips(settings: BlendSettings, clips: tuple[str, ...]) -> BlendSettings:
        old = dict(zip(settings.clips, settings.weights, strict=False))
        count = max(len(clips), 1)
        raw = [old.get(clip, 1.0 / count) for clip in clips]
        total = sum(raw)
        even = tuple(1.0 / count for _ in clips)
        weights = tuple(w / total for w in raw) if total > 1e-9 else even
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
            self._sliders = ui.element("div").classes("mw-parameters")
            self._slider_names: tuple[str, ...] = ()
            self._slider_of: dict[str, widgets.Slider] = {}
            self._compare = widgets.Switch(
                "Compare with linear blending",
                "Registered and plain average side by side",
                lambda on: self.change("compare", compare=on),
            )
        with widgets.section("Registration"):
            self._ends = widgets.Choice(
                {
                    "fixed": ("Whole clips", "First frames belong together, and last frames"),
                    "free": ("Best stretch", "The longest stretch on which clips correspond"),
                    "cyclic": ("Cycles", "Cut to one cycle each, which goes on for ever"),
                },
                self._set_ends,
            )
            self._duration = widgets.Slider(
                "Length", 0.5, 20.0, 0.1, self._set_duration, unit=" s", digits=1
            )
            self._heat = HeatMap()
            self._heat_of = ui.element("div").classes("mw-tabs")
            self._heat_shown: tuple[Any, ...] = ()

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
        self._pad.set_visibility(settings.mode != "time" and len(clips) > 1)
        self._mode.set(settings.mode)
        self._sliders.set_visibility(settings.mode == "parameters")
        self._ends.set("cyclic" if settings.cyclic else settings.ends)
        self._duration.element.set_visibility(settings.cyclic or settings.mode == "time")
        self._duration.set(settings.duration)
        self._compare.set(settings.compare)
        self._refresh_curves(settings, clips, weights)

    def present(self, result: Result) -> None:
        details: Details = result.details
        settings: BlendSettings = self.settings
        if settings.mode == "parameters":
            names = [c.name for c in details.clips]
            colors = [series(i) for i in range(len(names))]
            self._pad.set(names, colors, details.weights)
        self._show_parameters(settings, details)
        self._show_distances(settings, details)
        self._show_contacts(details)

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
            clips=tuple(clip.id for clip in clips),
            weights=tuple(float(w) for w in shares),
            mode="weights",
        )
        if final:
            self.settle()

    def _set_mode(self, mode: str) -> None:
        settings: BlendSettings = self.settings
        fields: dict[str, Any] = {"mode": mode}
        clips, weights = parts(self.page.session.document)
        if mode == "time" and not settings.keys and len(clips) > 1:
            fields["keys"] = first_keys(weights, settings.duration)
        if mode == "parameters" and not settings.wanted:
            fields["wanted"] = (("speed", None),)
        self.change("way to weigh", **fields)
        self._show_dock("time" if mode == "time" else "contacts")

    def _set_ends(self, ends: str) -> None:
        cyclic = ends == "cyclic"
        self.change("registration", cyclic=cyclic, ends="fixed" if cyclic else ends)

    def _set_duration(self, seconds: float, final: bool) -> None:
        self.change("length", merge="duration", duration=round(seconds, 3))
        if final:
            self.settle()

    def _show_dock(self, what: str) -> None:
        self._dock.set(what)
        self._lanes.set_visibility(what == "contacts")
        self._curves.set_visibility(what == "time")

    # Weights over time

    def _refresh_curves(
        self, settings: BlendSettings, clips: Sequence[Clip], weights: Sequence[float]
    ) -> None:
        end = settings.duration
        keys = settings.keys or ((0.0, tuple(weights)),)
        at = np.linspace(0.0, end, 160)
        lines: list[dict[str, Any]] = []
        if clips:
            rows = np.array([_function(keys, len(clips))(t) for t in at])
            rows = rows / rows.sum(axis=1, keepdims=True)
            lines = [
                {"color": series(j), "points": np.stack([at, rows[:, j]], axis=1).round(4).tolist()}
                for j in range(len(clips))
            ]
        handles = [
            {"id": f"{i}:{j}", "x": t, "y": row[j], "color": series(j)}
            for i, (t, row) in enumerate(settings.keys)
            for j in range(len(row))
        ]
        self._curves.set(lines=lines, handles=handles, x=(0.0, end), y=(0.0, 1.0))

    def _key_dragged(self, handle: str, x: float, y: float, final: bool) -> None:
        i, j = (int(part) for part in handle.split(":"))
        keys = list(self.settings.keys)
        if not (i < len(keys) and j < len(keys[i][1])):
            return
        low = keys[i - 1][0] + _KEY_GAP if i > 0 else 0.0
        high = keys[i + 1][0] - _KEY_GAP if i + 1 < len(keys) else self.settings.duration
        keys[i] = (float(np.clip(x, low, high)), shifted(keys[i][1], j, y))
        self.change("weights over time", merge="keys", keys=tuple(keys), mode="time")
        if final:
            self.settle()

    def _key_added(self, x: float, y: float) -> None:
        settings: BlendSettings = self.settings
        clips, weights = parts(self.page.session.document)
        keys = settings.keys or first_keys(weights, settings.duration)
        if any(abs(t - x) < _KEY_GAP for t, _ in keys) or len(clips) < 2:
            return
        row = _function(keys, len(clips))(x)
        # The curve nearest to the click is the one that is pulled there.
        nearest = int(np.argmin(np.abs(row - y)))
        added = (x, shifted(tuple(float(w) for w in row), nearest, y))
        self.change("a weight key", keys=tuple(sorted([*keys, added])), mode="time")

    def _key_removed(self, handle: str) -> None:
        i = int(handle.split(":")[0])
        keys = self.settings.keys
        if len(keys) > 1 and i < len(keys):
            self.change("a weight key", keys=keys[:i] + keys[i + 1 :])

    # What was made

    def _show_parameters(self, settings: BlendSettings, details: Details) -> None:
        if settings.mode != "parameters":
            return
        names = tuple(name for name, _ in settings.wanted)
        if names != self._slider_names:
            self._slider_names = names
            self._slider_of = {}
            self._sliders.clear()
            with self._sliders:
                for name in names:
                    self._slider_of[name] = widgets.Slider(
                        name.replace("_", " "),
                        0.0,
                        1.0,
                        0.01,
                        partial(self._parameter_dragged, name),
                        digits=2,
                    )
                self._measure_menu(names)
        for name, slider in self._slider_of.items():
            if name in details.ranges:
                asked = dict(settings.wanted)[name]
                value = details.reached[name] if asked is None else asked
                slider.set(value, *details.ranges[name])

    def _measure_menu(self, names: tuple[str, ...]) -> None:
        with ui.element("div").classes("mw-row"):
            for title, replacing in (("Measure…", True), ("Add a measure…", False)):
                if not replacing and len(names) > 1:
                    continue
                with widgets.button(title, lambda: None, kind="quiet"):
                    widgets.menu(
                        {
                            name.replace("_", " "): partial(self._take_measure, name, replacing)
                            for name in measures.names()
                        }
                    )

    def _take_measure(self, name: str, replacing: bool) -> None:
        kept = () if replacing else tuple(w for w in self.settings.wanted if w[0] != name)
        self.change("measure", wanted=(*kept, (name, None)))

    def _parameter_dragged(self, name: str, value: float, final: bool) -> None:
        wanted = tuple((n, value if n == name else v) for n, v in self.settings.wanted)
        self.change(name.replace("_", " "), merge="wanted", wanted=wanted)
        if final:
            self.settle()

    def _show_distances(self, settings: BlendSettings, details: Details) -> None:
        curve = details.registered.curve
        others = [j for j in range(len(curve)) if j != curve.reference]
        chosen = next((j for j in others if details.clips[j].id == settings.against), others[0])
        shown = (details.registered, chosen)
        if shown == self._heat_shown:
            return
        self._heat_shown = shown
        u = np.linspace(curve.timewarp.start, curve.timewarp.end * (1.0 - 1e-12), 200)
        names = [clip.name for clip in details.clips]
        reference = curve.reference
        self._heat.set(
            details.registered.grids[chosen],
            rows=(names[reference], len(curve.motions[reference]) - 1),
            columns=(names[chosen], len(curve.motions[chosen]) - 1),
            path=curve.timewarp.frames(u)[:, [reference, chosen]],
        )
        self._heat_of.clear()
        if len(others) > 1:
            with self._heat_of:
                for j in others:
                    one = widgets.button(
                        names[j],
                        partial(self.change, "distances shown", against=details.clips[j].id),
                        kind="quiet",
                    )
                    widgets.mark(one, "on", j == chosen)

    def _show_contacts(self, details: Details) -> None:
        curve = details.registered.curve
        kinds = sorted({kind for m in curve.motions for kind in kinds_of(m.constraints)})
        lanes = [
            {
                "group": kind,
                "color": series(j),
                "bars": np.round(curve.contacts(j, kind), 4).tolist(),
            }
            for kind in kinds
            for j in range(len(curve))
        ]
        links = [
            [
                (kinds.index(match.kind) * len(curve) + j, float(start), float(end))
                for j, (start, end) in enumerate(match.intervals)
            ]
            for match in curve.matches
        ]
        self._lanes.set(lanes, links, (curve.timewarp.start, curve.timewarp.end))


def parts(document: Document) -> tuple[list[Clip], list[float]]:
    """The clips of the blend that are there, and their weights scaled to sum to one."""
    settings: BlendSettings = document.settings["blend"]
    given = dict(zip(settings.clips, settings.weights, strict=False))
    clips = document.usable(settings.clips)
    weights = [given.get(clip.id, 0.0) for clip in clips]
    total = sum(weights)
    if abs(total) < 1e-9:
        return clips, [1.0 / len(clips) for _ in clips]
    return clips, [w / total for w in weights]


def shifted(row: tuple[float, ...], index: int, value: float) -> tuple[float, ...]:
    """Weights with one of them set; the others share the rest in their old proportions."""
    value = float(np.clip(value, 0.0, 1.0))
    rest = sum(row) - row[index]
    if rest <= 1e-9:
        others = [(1.0 - value) / (len(row) - 1)] * len(row)
    else:
        others = [w / rest * (1.0 - value) for w in row]
    return tuple(value if j == index else w for j, w in enumerate(others))


def first_keys(weights: Sequence[float], duration: float) -> tuple[WeightKey, ...]:
    """Keys to begin with: from the present weights over to the least of them."""
    least = int(np.argmin(weights))
    target = tuple(1.0 if j == least else 0.0 for j in range(len(weights)))
    return (0.0, tuple(weights)), (0.35 * duration, tuple(weights)), (0.75 * duration, target)


def _registered(motions: Sequence[Motion], settings: BlendSettings) -> Registered:
    options = (settings.ends, settings.cyclic, settings.slope_limit)

    def make() -> Registered:
        curve = register(
            *motions,
            ends=settings.ends,
            cyclic=settings.cyclic,
            slope_limit=settings.slope_limit,
        )
        reference = curve.motions[curve.reference]
        grids = {
            j: np.sqrt(np.maximum(distance_grid(reference, motion), 0.0))
            for j, motion in enumerate(curve.motions)
            if j != curve.reference
        }
        return Registered(curve, grids)

    return _registrations.get(motions, options, make)


def _space(
    motions: Sequence[Motion], settings: BlendSettings, curve: RegistrationCurve
) -> ParametricSpace:
    names = tuple(name for name, _ in settings.wanted)
    options = (settings.ends, settings.cyclic, settings.slope_limit, names)
    return _spaces.get(
        motions,
        options,
        lambda: parametric(curve, {name: measures.named(name) for name in names}),
    )


def _within(wanted: Sequence[Wanted], ranges: dict[str, tuple[float, float]]) -> dict[str, float]:
    """Wanted values; the middle of the range for one that was not said yet."""
    return {
        name: float(np.mean(ranges[name])) if value is None else value for name, value in wanted
    }


def _function(keys: Sequence[WeightKey], count: int) -> Any:
    rows = [row if len(row) == count else (1.0,) * count for _, row in keys]
    return over_time([t for t, _ in keys], rows)


def _ghosts(curve: RegistrationCurve, clips: Sequence[Clip], result: Motion) -> list[Look]:
    """The inputs in step with the result, in a row on its far side."""
    count = len(clips)
    looks = []
    for j, clip in enumerate(clips):
        beside = _GHOST_GAP * (j + 1)
        if curve.cyclic:
            alone = np.eye(count)[j]
            lap = blend(curve, alone).duration
            laps = result.duration / max(blend(curve, np.full(count, 1 / count)).duration, 1e-6)
            ghost = blend(curve, alone, duration=max(laps * lap, lap))
        else:
            ghost = _inputs.get(curve.motions, None, lambda: _in_step(curve))[j]
        looks.append(
            Look(f"ghost{j}", ghost, series(j), ghost=True, beside=beside, label=clip.name)
        )
    return looks


def _in_step(curve: RegistrationCurve) -> tuple[Motion, ...]:
    """The inputs along the curve: the same whatever the weights, so that a drag leaves them be."""
    count = max(len(motion) for motion in curve.motions)
    u = np.linspace(curve.timewarp.start, curve.timewarp.end, count)
    return tuple(
        motion.sample(np.clip(frames, 0, len(motion) - 1))
        for motion, frames in zip(curve.motions, curve.timewarp.frames(u).T, strict=True)
    )


def _title(clips: Sequence[Clip], weights: Sequence[float], mode: str) -> str:
    if mode == "time":
        return " to ".join(clip.name for clip in clips)
    shares = (f"{clip.name} {round(100 * w)}%" for clip, w in zip(clips, weights, strict=True))
    return ", ".join(shares)


def _blend_call(
    settings: BlendSettings, weights: Sequence[float], asked: dict[str, float], clean: bool
) -> tuple[list[str], list[object], list[str]]:
    """Python lines, command words, and tables that the command needs."""
    keep: list[object] = [] if clean else ["--no-clean"]
    cleaning = ", clean=True" if clean else ""
    length = f", duration={snippets.number(settings.duration)}"
    if settings.mode == "time" and settings.keys:
        rows = [[t, *row] for t, row in settings.keys]
        table = "\n".join(",".join(snippets.number(v) for v in row) for row in rows)
        python = [
            "from motionweave.blending.weights import over_time",
            "",
            f"times = {snippets.numbers([t for t, _ in settings.keys])}",
            "rows = [" + ", ".join(snippets.numbers(row) for _, row in settings.keys) + "]",
            f"motion = mw.blend(curve, over_time(times, rows){length}{cleaning})",
        ]
        words: list[object] = ["--weights-over-time", "weights.csv"]
        words += ["--duration", snippets.number(settings.duration), *keep]
        return python, words, [f"cat > weights.csv <<'END'\n{table}\nEND"]
    if settings.mode == "parameters" and settings.wanted:
        values = ", ".join(f"{n}={snippets.number(v)}" for n, v in asked.items())
        python = [
            "from motionweave.analysis import measures",
            "",
            "space = mw.parametric(curve, {"
            + ", ".join(f"{n!r}: measures.named({n!r})" for n in asked)
            + "})",
            f'motion = space.at({values}, outside="nearest").motion',
        ]
        if clean:
            python.append("motion = mw.clean_feet(motion)")
        words = [w for n, v in asked.items() for w in ("--set", f"{n}={snippets.number(v)}")]
        return python, [*words, "--nearest", *keep], []
    extra = length if settings.cyclic else ""
    python = [f"motion = mw.blend(curve, {snippets.numbers(weights)}{extra}{cleaning})"]
    words = ["--weights", ",".join(snippets.number(w) for w in weights)]
    if settings.cyclic:
        words += ["--duration", snippets.number(settings.duration)]
    return python, [*words, *keep], []
