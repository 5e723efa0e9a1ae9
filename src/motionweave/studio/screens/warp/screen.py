"""Warp: pull a hand, a foot or the hips at a frame, slide time; the rest follows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from nicegui import background_tasks, ui
from nicegui.element import Element

from motionweave.body.size import body_height
from motionweave.methods.warping.keys import Side
from motionweave.studio.document.document import Document
from motionweave.studio.screens.screen import RESULT, Screen, series
from motionweave.studio.screens.snippets import Snippet
from motionweave.studio.screens.warp import editing
from motionweave.studio.screens.warp.code import as_code
from motionweave.studio.screens.warp.curves import KeyCurves, Moves
from motionweave.studio.screens.warp.drawing import (
    WAY_ROW,
    key_marked,
    row_of,
    rows,
    spoken,
    tangent_marked,
)
from motionweave.studio.screens.warp.model import (
    NEUTRAL,
    WAY,
    PoseKey,
    Warped,
    WarpSettings,
    grip_like,
    grips,
    inside,
    warped,
)
from motionweave.studio.screens.warp.tangents import KeyTangents, with_mode, with_tangent
from motionweave.studio.screens.warp.values import MOST_TURN, KeyValues, WarpChanges
from motionweave.studio.ui import widgets
from motionweave.studio.ui.editors import KeyTrack
from motionweave.studio.view.payload import scale_of
from motionweave.studio.view.result import Result
from motionweave.studio.view.viewport import Look, Place
from motionweave.studio.work.jobs import stage

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
        stage("Warping", 0.1)
        made = warped(clip.motion, settings, clean=clean, live=live)
        motion = replace(made.motion, name=f"{clip.name} warped")
        changed = bool(settings.keys or settings.times)
        main = Look("result", motion, RESULT, grips=grips(motion.skeleton), ground=clip.motion)
        # Without keys what there was is what there is.
        looks = [main if changed else replace(main, before=clip.name)]
        if changed:
            original = clip.motion.sample(made.sources) if settings.times else clip.motion
            ghost = Look("original", original, series(0), ghost=True, ground=clip.motion)
            looks.append(replace(ghost, before=clip.name))
        return Result(motion, tuple(looks), (clip.motion,), made)

    @staticmethod
    def recipe(document: Document) -> Snippet:
        settings: WarpSettings = document.settings["warp"]
        clip = document.usable(settings.clips)[0]
        return as_code(clip, settings, clean=document.settings["common"].clean)

    # Widgets

    def build_panel(self) -> None:
        self._joint = "left_hand"
        self._chosen: int | None = None
        self._kind = "offset"
        self.page.viewport.on_grip(self._gripped)
        self.page.viewport.on_turn(self._turned)
        self._turned_from = NEUTRAL["turn"]
        with widgets.section("Key"):
            self._told = ui.label("")
            self._values = KeyValues(self._set_kind, self._set_value)
            self._tangents = KeyTangents(self._set_tangents, self._set_speed)
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
            self._changes = WarpChanges(
                self._set_ease,
                lambda on: self.change("hold", hold=on),
                lambda on: self.change("facing along the path", follow=on),
            )
        with widgets.section("Time"):
            ui.label("Mark a frame, then slide the marker to show it earlier or later.").classes(
                "mw-curves-note"
            )
            with ui.element("div").classes("mw-row"):
                self._at_playhead(
                    widgets.button(
                        "Marker here",
                        lambda: None,
                        icon="more_time",
                        title="Put a marker on this frame",
                    ),
                    self._marker_here,
                )
                self._clear = widgets.button(
                    "Clear all", self._clear_all, icon="clear", title="Remove all keys and markers"
                )

    def build_dock(self) -> None:
        self._curves = KeyCurves(
            on_axis=self._show_axis,
            on_drag=self._curves_dragged,
            on_remove=self._removed_several,
            on_bend=self._bent,
        )
        with ui.element("div").classes("mw-dock-head"):
            self._curves.build_head()
        self._track = KeyTrack(
            on_pick=self._picked,
            on_move=self._moved,
            on_add=self._added,
            on_remove=self._removed,
            on_row=self._choose_row,
        )
        self._curves.build()

    def refresh(self, settings: WarpSettings) -> None:
        if self._chosen is not None and self._chosen >= len(settings.keys):
            self._chosen = None
        self._changes.set(settings)
        widgets.enable(self._clear, bool(settings.keys or settings.times))
        key = self._key()
        widgets.enable(self._copy, key is not None)
        widgets.enable(self._delete, key is not None)
        self._show_values()
        self._told.set_text(self._what(key))
        if self.missing(self.page.session.document):
            self._values.show("offset", None)
            self._tangents.element.set_visibility(False)
            self._track.set([], (0.0, 1.0), chosen="", row="")
            self._curves.clear()
        else:
            self._draw()

    def present(self, result: Result) -> None:
        made: Warped = result.details
        joint = grip_like(self._joint, made.source.skeleton)
        if joint != self._joint:
            self._choose(joint, None)
        if not self.page.session.live:
            self._values.measure(scale_of(made.source))
            self._tangents.measure(scale_of(made.source))
            self._show_values(body_height(made.source.skeleton) or 1.0)
        self._show_grip()
        self._draw()

    def key_pressed(self, key: str) -> bool:
        if key == "Delete":
            self._delete_chosen()
        elif key == "k":
            background_tasks.create(self._key_at_playhead())
        return key in ("Delete", "k")

    # What is chosen

    def _show_values(self, height: float = 0.0) -> None:
        key, made = self._key(), self._made()
        if made is not None:
            axis = self._curves.axis(self._group())
            chosen = None if key is None else self._chosen
            metres = scale_of(made.source)
            self._tangents.show(self.settings.keys, chosen, axis, made.source.fps, metres)
        if key is not None and made is not None:
            self._values.show(key.group, editing.shown_value(made, key), height)
        elif key is None:
            self._values.show(self._group(), None, height)

    def _made(self) -> Warped | None:
        result = self.page.result
        made = None if result is None else result.details
        return made if isinstance(made, Warped) else None

    def _key(self) -> PoseKey | None:
        keys = self.settings.keys
        return keys[self._chosen] if self._chosen is not None and self._chosen < len(keys) else None

    def _group(self) -> str:
        """What the chosen key changes, or the next one would."""
        key = self._key()
        if key is not None:
            return key.group
        return self._joint if self._joint in WAY else self._kind

    def _what(self, key: PoseKey | None) -> str:
        row = spoken(row_of(key.joint if key else self._joint))
        if key is not None:
            return f"{row}, frame {key.frame:g}"
        how = "key it here" if row == WAY_ROW else "drag it, or key it here"
        return f"{row}: {how}"

    def _choose(self, joint: str, index: int | None) -> None:
        self._joint, self._chosen = joint, index
        self._curves.another()
        self._show_grip()
        self.refresh(self.settings)

    def _show_grip(self) -> None:
        kind = self._group()
        self.page.viewport.choose_grip(
            self._joint, movable=kind == "offset", turnable=kind == "turn"
        )

    def _choose_row(self, row: str) -> None:
        if row != "time":
            index = editing.last_in_row(self.settings.keys, row)
            self._choose(
                self._joint_in(row) if index is None else self.settings.keys[index].joint, index
            )

    @staticmethod
    def _joint_in(row: str) -> str:
        return "heading" if row == WAY_ROW else row

    # Keys

    def _gripped(
        self, joint: str, place: Place | None, seconds: float, final: bool, axis: int | None
    ) -> None:
        made = self._made()
        if made is None:
            return
        frame = made.source_frame(seconds)
        if place is None:
            self._choose(joint, editing.found(self.settings.keys, joint, frame))
            return
        key = editing.gripped(made, self.settings.keys, joint, frame, place, axis)
        self._put(key, merge="pose", final=final)

    def _turned(self, joint: str, axis: int, by: float | None, seconds: float, final: bool) -> None:
        made = self._made()
        if made is None:
            return
        frame = float(made.source_frame(seconds))
        if by is None:
            keys = self.settings.keys
            index = editing.found(keys, joint, frame, "turn")
            self._turned_from = NEUTRAL["turn"] if index is None else keys[index].value
            return
        value = list(self._turned_from)
        value[axis] = min(max(round(value[axis] + by, 1), -MOST_TURN), MOST_TURN)
        self._put(PoseKey(frame, joint, "turn", tuple(value)), merge="pose", final=final)

    def _put(self, key: PoseKey, *, merge: str | None = None, final: bool = True) -> None:
        """Set a key, in the place of one of its joint, frame and kind if there is one."""
        keys, index = editing.put(self.settings.keys, key)
        self._joint, self._chosen = key.joint, index
        self._change_keys(keys, "a key", merge, final, index)

    def _change_keys(
        self, keys: editing.Keys, label: str, merge: str | None, final: bool, index: int
    ) -> None:
        active = None if final else index
        self.change(label, merge=merge, final=final, keys=keys, active=active)

    def _set_kind(self, kind: str) -> None:
        key, made = self._key(), self._made()
        if key is None or made is None:
            # What the next key of the joint shall be.
            self._kind = kind
            self._choose(kind if kind in WAY else self._joint, None)
        elif kind != key.group:
            changed = editing.of_kind(made, key, kind)
            keys, index = self.settings.keys, self._chosen or 0
            self._joint = changed.joint
            self.change("kind of key", keys=(*keys[:index], changed, *keys[index + 1 :]))

    def _set_value(self, axis: int, value: float, final: bool) -> None:
        key, made = self._key(), self._made()
        if key is not None and made is not None and axis < len(key.value):
            self._put(editing.with_shown(made, key, axis, value), merge="value", final=final)

    def _key_here(self, seconds: float) -> None:
        made = self._made()
        if made is not None:
            frame = float(made.source_frame(seconds))
            index = editing.found(self.settings.keys, self._joint, frame)
            if index is None:
                key = editing.fresh(frame, self._joint)
                wanted = self._kind if self._joint not in WAY else key.group
                self._put(key if wanted == key.group else editing.of_kind(made, key, wanted))
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
        self.change("ease", merge="ease", final=final, ease=round(seconds, 3))

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
        elif index < len(self.settings.keys):
            keys = editing.moved(self.settings.keys, index, float(made.source_frame(seconds)))
            self._change_keys(keys, "moving a key", "move", final, index)

    def _slide(self, index: int, output: float, final: bool) -> None:
        """Show the frame of a marker of time earlier or later."""
        if index < len(self.settings.times):
            times = editing.slid(self.settings.times, index, output)
            self.change("sliding time", merge="slide", final=final, times=times)

    def _added(self, row: str, seconds: float) -> None:
        if row == "time":
            self._marker_here(seconds)
        else:
            self._joint = self._joint_in(row)
            self._key_here(seconds)

    def _marker_here(self, seconds: float) -> None:
        made = self._made()
        if made is not None:
            output, source = round(seconds * made.motion.fps), made.source_frame(seconds)
            times = editing.pinned(self.settings.times, output, source)
            self.change("a marker of time", times=times)

    def _removed(self, mark: str) -> None:
        index, _ = key_marked(mark)
        if mark[0] == "t":
            times = self.settings.times
            self.change("a marker of time", times=times[:index] + times[index + 1 :])
        else:
            self._removed_several([mark])

    def _removed_several(self, marks: list[str]) -> None:
        gone = {key_marked(mark)[0] for mark in marks}
        label = "deleting a key" if len(gone) == 1 else "deleting keys"
        self._chosen = None
        self.change(label, keys=editing.without(self.settings.keys, gone), active=None)

    def _show_axis(self) -> None:
        self._show_values()
        self._draw()

    def _curves_dragged(self, moves: Moves, final: bool) -> None:
        made = self._made()
        if made is None:
            return
        pulls = editing.pulls_of(made, self.settings.keys, moves)
        keys = editing.pulled(made, self.settings.keys, pulls)
        together = {pull.index for pull in pulls}
        if len(together) == 1:
            (self._chosen,) = together
            self._change_keys(keys, "a key", "curve", final, self._chosen)
        elif together:
            self.change("moving keys", merge="curve", final=final, keys=keys, active=None)

    def _draw(self) -> None:
        made = self._made()
        if made is None:
            return
        self._track.set(
            rows(inside(self.settings, len(made.source)), made, self._joint),
            (0.0, max(made.duration, 1e-3)),
            chosen="" if self._key() is None else f"k{self._chosen}",
            row=row_of(self._joint),
        )
        self._curves.show(made, self.settings, self._joint, self._group())

    # Tangents

    def _set_tangents(self, mode: str) -> None:
        key, made = self._key(), self._made()
        if key is not None and made is not None:
            keys = with_mode(self.settings.keys, self._chosen or 0, mode, made.source.fps)
            self.change("tangents", keys=keys, active=None)

    def _set_speed(self, side: Side, speed: float, final: bool) -> None:
        key, made, keys = self._key(), self._made(), self.settings.keys
        axis = self._curves.axis(self._group())
        if key is None or made is None or axis is None:
            return
        index = self._chosen or 0
        keys = with_tangent(keys, index, side, axis, speed, apart=False, fps=made.source.fps)
        self._change_keys(keys, "a tangent", "tangent", final, index)

    def _bent(self, mark: str, slope: float | None, apart: bool, final: bool) -> None:
        """A tangent was dragged in the curves, or given back to them."""
        made, (index, _, _) = self._made(), tangent_marked(mark)
        if made is None or index >= len(self.settings.keys):
            return
        self._chosen = index
        if slope is None:
            self._set_tangents("auto")
            return
        keys = self._curves.bent(made, self.settings, mark, slope, apart=apart, final=final)
        self._change_keys(keys, "a tangent", "tangent", final, index)

    def _at_playhead(self, button: Element, handler: Callable[[float], None]) -> None:
        """Let a button tell where the playhead is, and stop it there."""
        button.on("click", lambda e: handler(float(e.args)), js_handler=f"() => emit({_STOPPED})")
