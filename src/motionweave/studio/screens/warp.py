"""Warp: pull a hand, a foot or the hips at a frame, slide time; the rest follows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from nicegui import background_tasks, ui
from nicegui.element import Element
from numpy.typing import NDArray

from motionweave.studio import widgets
from motionweave.studio.components import CurveEditor
from motionweave.studio.document import Document
from motionweave.studio.editors import KeyTrack
from motionweave.studio.screens.screen import RESULT, Result, Screen, series
from motionweave.studio.screens.warp_code import as_code
from motionweave.studio.screens.warp_drawing import line, padded, rows, spoken
from motionweave.studio.screens.warp_model import (
    NEUTRAL,
    PoseKey,
    Warped,
    WarpSettings,
    grips,
    inside,
    joint_index,
    turn_curve,
    warped,
)
from motionweave.studio.snippets import Recipe
from motionweave.studio.viewport import Look, Place

Array = NDArray[np.float64]

_AXES = ("Left", "Up", "Forwards")
_TURNS = ("Bend", "Turn", "Tilt")
# Where the playhead is, stopped there.
_STOPPED = "(view => { view.playing = false; return view.time; })(window.motionweave.viewport)"


class WarpScreen(Screen):
    """The warp screen."""

    name = "warp"
    title = "Warp"
    icon = "accessibility_new"
    hint = "Click a clip on the shelf, then drag its hands, feet, hips or head."
    Settings = WarpSettings
    most = 1
    first = 1

    # Making

    @staticmethod
    def missing(document: Document) -> str:
        return "" if document.usable(document.settings["warp"].clips) else WarpScreen.hint

    @staticmethod
    def make(document: Document, live: bool) -> Result:
        settings: WarpSettings = document.settings["warp"]
        clip = document.usable(settings.clips)[0]
        clean = document.settings["common"].clean and not live
        made = warped(clip.motion, settings, clean=clean, live=live)
        motion = replace(made.motion, name=f"{clip.name} warped")
        looks = [Look("result", motion, RESULT, grips=grips(motion.skeleton))]
        if settings.keys or settings.times:
            original = clip.motion.sample(made.sources) if settings.times else clip.motion
            looks.append(Look("original", original, series(0), ghost=True))
        return Result(motion, tuple(looks), (clip.motion,), made)

    @staticmethod
    def recipe(document: Document) -> Recipe:
        settings: WarpSettings = document.settings["warp"]
        clip = document.usable(settings.clips)[0]
        return as_code(clip, settings, clean=document.settings["common"].clean)

    # Widgets

    def build_panel(self) -> None:
        self._joint = "left_hand"
        self._chosen: int | None = None
        self._channel = 1
        self._range: tuple[float, float] | None = None
        self._bending = False
        self.page.viewport.on_grip(self._gripped)
        with widgets.section("Key"):
            self._told = ui.label("")
            self._kind = widgets.Choice(
                {
                    "offset": ("Move", "Take the joint elsewhere; the body follows (IK)"),
                    "turn": ("Turn", "Shift the joint's rotation by some degrees"),
                    "factor": ("Scale", "Make the joint's rotation swing more or less"),
                },
                self._set_kind,
            )
            self._sliders: dict[str, list[widgets.Slider]] = {}
            with ui.element("div").classes("mw-warp-values"):
                self._sliders["offset"] = [
                    widgets.Slider(name, -1.0, 1.0, 0.01, partial(self._set_value, i), digits=2)
                    for i, name in enumerate(_AXES)
                ]
                self._sliders["turn"] = [
                    widgets.Slider(name, -120, 120, 1, partial(self._set_value, i), unit="°")
                    for i, name in enumerate(_TURNS)
                ]
                self._sliders["factor"] = [
                    widgets.Slider(
                        "Swing", 0.0, 3.0, 0.05, partial(self._set_value, 0), unit=" ×", digits=2
                    )
                ]
            with ui.element("div").classes("mw-row"):
                self._at_playhead(
                    widgets.button(
                        "Key here",
                        lambda: None,
                        icon="add",
                        title="Key the chosen joint at this frame",
                    ),
                    self._key_here,
                )
                self._copy = widgets.button(
                    "Copy here",
                    lambda: None,
                    icon="content_copy",
                    title="Copy the chosen key to this frame",
                )
                self._at_playhead(self._copy, self._copy_here)
                self._delete = widgets.button(
                    "", self._delete_chosen, icon="delete", title="Delete the chosen key (Delete)"
                )
        with widgets.section("Change"):
            self._ease = widgets.Slider("Ease", 0.1, 2.0, 0.05, self._set_ease, unit=" s", digits=2)
            self._hold = widgets.Switch(
                "Hold to the ends",
                "The first change holds from the beginning, the last to the end",
                lambda on: self.change("hold", hold=on),
            )
        with widgets.section("Time"):
            ui.label("Pin a frame with a marker, then slide it earlier or later.").classes(
                "mw-curves-note"
            )
            with ui.element("div").classes("mw-row"):
                self._at_playhead(
                    widgets.button(
                        "Marker here",
                        lambda: None,
                        icon="more_time",
                        title="Pin this frame in time",
                    ),
                    self._marker_here,
                )
                self._clear = widgets.button(
                    "Clear all", self._clear_all, icon="clear", title="Remove all keys and markers"
                )

    def build_dock(self) -> None:
        with ui.element("div").classes("mw-dock-head"):
            self._channels = widgets.Choice(
                {
                    str(i): (name, "Curve shown below, dashed as it was")
                    for i, name in enumerate(_AXES)
                },
                self._show_channel,
            )
            self._dock_hint = ui.label(
                "Double-click adds a key, drag moves it, right-click removes it"
            )
            self._dock_hint.classes("mw-curves-note")
        self._track = KeyTrack(
            on_pick=self._picked,
            on_move=self._moved,
            on_add=self._added,
            on_remove=self._removed,
            on_row=self._choose_joint,
        )
        self._curves = CurveEditor(on_drag=self._curve_dragged, on_remove=self._removed)

    def refresh(self, settings: WarpSettings) -> None:
        if self._chosen is not None and self._chosen >= len(settings.keys):
            self._chosen = None
        self._ease.set(settings.ease)
        self._hold.set(settings.hold)
        widgets.enable(self._clear, bool(settings.keys or settings.times))
        key = self._key()
        widgets.enable(self._copy, key is not None)
        widgets.enable(self._delete, key is not None)
        self._kind.set(key.kind if key else "offset")
        for kind, sliders in self._sliders.items():
            for i, slider in enumerate(sliders):
                slider.element.set_visibility(kind == (key.kind if key else "offset"))
                widgets.mark(slider.element, "off", key is None)
                if key is not None and key.kind == kind:
                    slider.set(key.value[i])
        self._told.set_text(self._what(key))
        if self.missing(self.page.session.document):
            self._track.set([], (0.0, 1.0), chosen="", row="")
            self._curves.set(lines=[], handles=[], x=(0.0, 1.0), y=(0.0, 1.0))
        else:
            self._draw()

    def present(self, result: Result) -> None:
        made: Warped = result.details
        size = 0.5 * (made.source.skeleton.height or 1.0)
        key = self._key()
        if not self.page.session.live:
            for i, slider in enumerate(self._sliders["offset"]):
                slider.set(key.value[i] if key and key.kind == "offset" else 0.0, -size, size)
        self.page.viewport.choose_grip(self._joint)
        self._draw()

    def key_pressed(self, key: str) -> bool:
        if key == "Delete":
            self._delete_chosen()
        elif key == "k":
            background_tasks.create(self._key_at_playhead())
        return key in ("Delete", "k")

    # What is chosen

    def _made(self) -> Warped | None:
        result = self.page.result
        made = None if result is None else result.details
        return made if isinstance(made, Warped) and self.page.active is self else None

    def _key(self) -> PoseKey | None:
        keys = self.settings.keys
        return keys[self._chosen] if self._chosen is not None and self._chosen < len(keys) else None

    def _what(self, key: PoseKey | None) -> str:
        if key is None:
            return f"{spoken(self._joint)}: drag it in the picture, or key it here"
        return f"{spoken(key.joint)}, frame {key.frame:g}"

    def _choose(self, joint: str, index: int | None) -> None:
        self._joint, self._chosen = joint, index
        self._range = None
        self.page.viewport.choose_grip(joint)
        self.refresh(self.settings)

    def _choose_joint(self, joint: str) -> None:
        if joint != "time":
            self._choose(joint, self._found(joint))

    def _found(self, joint: str, frame: float | None = None, kind: str = "") -> int | None:
        """The last key of a joint, at a frame and of a kind if these are given."""
        for index, key in reversed(list(enumerate(self.settings.keys))):
            if key.joint == joint and frame in (None, key.frame) and kind in ("", key.kind):
                return index
        return None

    # Keys

    def _gripped(self, joint: str, place: Place | None, seconds: float, final: bool) -> None:
        made = self._made()
        if made is None:
            return
        frame = made.source_frame(seconds)
        if place is None:
            self._choose(joint, self._found(joint, frame))
            return
        value = tuple(round(float(v), 4) for v in made.offset(joint, frame, place))
        self._put(PoseKey(float(frame), joint, "offset", value), merge="pose", final=final)

    def _put(self, key: PoseKey, *, merge: str | None = None, final: bool = True) -> None:
        """Set a key, in the place of one of its joint, frame and kind if there is one."""
        keys = list(self.settings.keys)
        index = self._found(key.joint, key.frame, key.kind)
        if index is None:
            index = len(keys)
            keys.append(key)
        keys[index] = key
        self._joint, self._chosen = key.joint, index
        self._change_keys(keys, "a key", merge, final, index)

    def _change_keys(
        self, keys: list[PoseKey], label: str, merge: str | None, final: bool, index: int | None
    ) -> None:
        active = None if final else index
        self.change(label, merge=merge, keys=tuple(keys), active=active)
        if final and merge is not None:
            self.settle()

    def _set_kind(self, kind: str) -> None:
        key = self._key()
        if key is not None and key.kind != kind:
            keys = list(self.settings.keys)
            keys[self._chosen or 0] = replace(key, kind=kind, value=NEUTRAL[kind])
            self.change("kind of key", keys=tuple(keys))

    def _set_value(self, axis: int, value: float, final: bool) -> None:
        key = self._key()
        if key is not None and axis < len(key.value):
            values = list(key.value)
            values[axis] = round(value, 4)
            self._put(replace(key, value=tuple(values)), merge="value", final=final)

    def _key_here(self, seconds: float) -> None:
        made = self._made()
        if made is not None:
            frame = float(made.source_frame(seconds))
            index = self._found(self._joint, frame)
            if index is None:
                self._put(PoseKey(frame, self._joint))
            else:
                self._choose(self._joint, index)

    async def _key_at_playhead(self) -> None:
        with self.page.viewport:
            self._key_here(float(await ui.run_javascript(f"return {_STOPPED}", timeout=5.0)))

    def _copy_here(self, seconds: float) -> None:
        made, key = self._made(), self._key()
        if made is not None and key is not None:
            self._put(replace(key, frame=float(made.source_frame(seconds))))

    def _delete_chosen(self) -> None:
        if self._key() is not None:
            self._removed(f"k{self._chosen}")

    def _clear_all(self) -> None:
        self._chosen = None
        self.change("all keys", keys=(), times=(), active=None)

    def _set_ease(self, seconds: float, final: bool) -> None:
        self.change("ease", merge="ease", ease=round(seconds, 3))
        if final:
            self.settle()

    # Track and curves

    def _picked(self, mark: str) -> None:
        made = self._made()
        index = int(mark[1:])
        if made is None or mark[0] != "k" or index >= len(self.settings.keys):
            return
        key = self.settings.keys[index]
        self._choose(key.joint, index)
        self.page.viewport.seek(made.seconds(key.frame))

    def _moved(self, mark: str, seconds: float, final: bool) -> None:
        made = self._made()
        index = int(mark[1:])
        if made is None:
            return
        if mark[0] == "t":
            self._slide(index, seconds * made.motion.fps, final)
            return
        keys = list(self.settings.keys)
        frame = float(made.source_frame(seconds))
        if index >= len(keys):
            return
        key = keys[index]
        if self._found(key.joint, frame, key.kind) in (None, index):
            keys[index] = replace(key, frame=frame)
        self._change_keys(keys, "moving a key", "move", final, index)

    def _slide(self, index: int, output: float, final: bool) -> None:
        """Show the frame of a marker of time earlier or later."""
        times = list(self.settings.times)
        if index >= len(times):
            return
        low = times[index - 1][0] + 1.0 if index > 0 else 1.0
        high = times[index + 1][0] - 1.0 if index + 1 < len(times) else np.inf
        times[index] = (float(np.clip(round(output), low, max(low, high))), times[index][1])
        self.change("sliding time", merge="slide", times=tuple(times))
        if final:
            self.settle()

    def _added(self, row: str, seconds: float) -> None:
        if row == "time":
            self._marker_here(seconds)
        else:
            self._joint = row
            self._key_here(seconds)

    def _marker_here(self, seconds: float) -> None:
        made = self._made()
        if made is None:
            return
        output = round(seconds * made.motion.fps)
        times = dict(self.settings.times)
        source = made.source_frame(seconds)
        if output > 0 and float(output) not in times and float(source) not in times.values():
            times[float(output)] = float(source)
            self.change("a marker of time", times=tuple(sorted(times.items())))

    def _removed(self, mark: str) -> None:
        index = int(mark[1:])
        if mark[0] == "t":
            times = self.settings.times
            self.change("a marker of time", times=times[:index] + times[index + 1 :])
        else:
            keys = self.settings.keys
            self._chosen = None
            self.change("deleting a key", keys=keys[:index] + keys[index + 1 :], active=None)

    def _show_channel(self, channel: str) -> None:
        self._channel = int(channel)
        self._range = None
        self._draw()

    def _curve_dragged(self, mark: str, x: float, y: float, final: bool) -> None:
        made, index = self._made(), int(mark[1:])
        keys = list(self.settings.keys)
        if made is None or index >= len(keys):
            return
        self._chosen, self._bending = index, not final
        key, frame = keys[index], float(made.source_frame(x))
        if self._found(key.joint, frame, key.kind) not in (None, index):
            frame = key.frame
        value = list(key.value)
        if key.kind == "offset":
            joint = joint_index(key.joint, made.source.skeleton)
            value[self._channel] = round(
                y - made.before_places[int(frame), joint, self._channel], 4
            )
        keys[index] = replace(key, frame=frame, value=tuple(value))
        self._change_keys(keys, "a key", "curve", final, index)

    def _draw(self) -> None:
        made = self._made()
        if made is None:
            return
        settings = inside(self.settings, len(made.source))
        self._channels.set(str(self._channel))
        key = self._key()
        span = (0.0, max(made.duration, 1e-3))
        self._track.set(
            rows(settings, made, self._joint),
            span,
            chosen="" if key is None else f"k{self._chosen}",
            row=self._joint,
        )
        turning = key is not None and key.kind != "offset"
        joint = joint_index(self._joint, made.source.skeleton)
        if turning:
            old, new = turn_curve(made.source, joint), turn_curve(made.motion, joint)
        else:
            old, new = made.original_places[:, joint], made.places[:, joint]
        old, new = old[:, self._channel], new[:, self._channel]
        if self._range is None or not self._bending:
            # While the curve itself is dragged its axis must not run away under it.
            self._range = padded(old, new)
        fps = made.motion.fps
        lines: list[dict[str, Any]] = [
            {"color": series(0), "points": line(old, fps), "dashed": True},
            {"color": "#ffb454", "points": line(new, fps)},
        ]
        handles = []
        for i, one in enumerate(settings.keys):
            if one.joint == self._joint and (one.kind != "offset") == turning:
                at = made.seconds(one.frame)
                y = float(new[min(round(at * fps), len(new) - 1)])
                lock = {} if one.kind == "offset" else {"lock": "y"}
                handles.append({"id": f"k{i}", "x": at, "y": y, "color": "#ffb454", **lock})
        self._curves.set(lines=lines, handles=handles, x=span, y=self._range)

    def _at_playhead(self, button: Element, handler: Callable[[float], None]) -> None:
        """Let a button tell where the playhead is, and stop it there."""
        button.on("click", lambda e: handler(float(e.args)), js_handler=f"() => emit({_STOPPED})")
