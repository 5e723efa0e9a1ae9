"""The curves of the warp screen, in which keys and their tangents are dragged."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from motionweave.studio.screens.warp.drawing import (
    DrawnCurves,
    contact_times,
    drawn,
    tangent_marked,
)
from motionweave.studio.screens.warp.model import NEUTRAL, Warped, WarpSettings, inside
from motionweave.studio.screens.warp.tangents import Keys, TangentDrag, with_tangent
from motionweave.studio.screens.warp.values import AXES, TURNS
from motionweave.studio.ui import widgets
from motionweave.studio.ui.components import CurveEditor

Moves = list[tuple[str, float, float]]

# What is chosen where curves of all axes are shown.
_ALL = len(AXES)


class KeyCurves:
    """A picture of what the keys of a joint change, along one axis or all of them.

    Parameters
    ----------
    on_axis
        Called when other curves are to be shown.
    on_drag
        Called with marks of keys, where they were dragged to, and whether the drag has ended.
    on_remove
        Called with marks of keys that are to go.
    on_bend
        Called with the mark of a tangent, the slope that it was turned to (None to have it
        automatic), whether the one on the other side stays, and whether the drag has ended.
    """

    def __init__(
        self,
        *,
        on_axis: Callable[[], None],
        on_drag: Callable[[Moves, bool], None],
        on_remove: Callable[[list[str]], None],
        on_bend: Callable[[str, float | None, bool, bool], None],
    ) -> None:
        self._on_axis, self._on_drag, self._on_remove = on_axis, on_drag, on_remove
        self._on_bend = on_bend
        self._channel = 1
        self._range: tuple[float, float] | None = None
        self._held = False
        self._turning = TangentDrag()

    def build_head(self) -> None:
        """Make the choice of axes: those along which things move, and about which they turn."""
        self._moved, self._turned = (
            widgets.Choice(
                {
                    **{
                        str(i): (name, "Curve shown below, dashed as it was")
                        for i, name in enumerate(names)
                    },
                    str(_ALL): ("All", "All three curves, dashed as they were"),
                },
                self._choose,
            )
            for names in (AXES, TURNS)
        )
        ui.label(
            "Double-click adds a key, drag moves it, right-click removes it, a box selects several"
        ).classes("mw-curves-note")

    def build(self) -> None:
        """Make the picture."""
        self._editor = CurveEditor(
            on_drag=lambda mark, x, y, final: self._dragged([(mark, x, y)], final),
            on_remove=lambda mark: self._on_remove([mark]),
            on_drag_several=self._dragged,
            on_remove_several=self._on_remove,
            on_tangent=self._bent,
        )

    def axis(self, group: str) -> int | None:
        """The axis of a group of keys that is shown; None for all of several."""
        if len(NEUTRAL[group]) == 1:
            return 0
        return None if self._channel == _ALL else self._channel

    def another(self) -> None:
        """Another joint or key is chosen: its curves have a range of their own."""
        self._range = None

    def clear(self) -> None:
        """Show nothing."""
        self._editor.set(lines=[], handles=[], x=(0.0, 1.0), y=(0.0, 1.0))

    def show(self, made: Warped, settings: WarpSettings, joint: str, group: str) -> None:
        """Show what the keys of a joint change.

        Parameters
        ----------
        made, settings
            The result, and the keys.
        joint, group
            Whose keys, and of which group.
        """
        settings = inside(settings, len(made.source))
        for choice, turns in ((self._moved, False), (self._turned, True)):
            mine = (group in ("turn", "look_at")) == turns
            choice.element.set_visibility(mine and len(NEUTRAL[group]) > 1)
            choice.set(str(self._channel))
        curves = self._drawn(made, settings, joint, group)
        if self._range is None or not self._held:
            # While the curve itself is dragged its axis must not run away under it.
            self._range = curves.range
        fps = made.motion.fps
        keys = {
            i: key
            for i, key in enumerate(settings.keys)
            if (key.joint, key.group) == (joint, group)
        }
        self._editor.set(
            lines=curves.lines(fps),
            handles=curves.handles(made, keys),
            tangents=curves.tangents(made, keys),
            x=(0.0, max(made.duration, 1e-3)),
            y=self._range,
            unit=curves.unit,
            step=1.0 / fps,
            catches=contact_times(made),
        )

    def bent(
        self,
        made: Warped,
        settings: WarpSettings,
        mark: str,
        slope: float,
        *,
        apart: bool,
        final: bool,
    ) -> Keys:
        """Keys with the tangent of one such that its curve is as steep as it was turned."""
        index, side, axis = tangent_marked(mark)
        key = settings.keys[index]
        curves = drawn(made, settings, key.joint, key.group, axis)
        if curves.change:
            fps = made.source.fps
            return with_tangent(settings.keys, index, side, axis, slope, apart=apart, fps=fps)
        return self._turning.turned(
            made,
            curves.new[:, 0],
            curves.scale,
            settings.keys,
            (index, side, axis),
            slope,
            apart=apart,
            final=final,
        )

    def _drawn(self, made: Warped, settings: WarpSettings, joint: str, group: str) -> DrawnCurves:
        return drawn(made, settings, joint, group, self.axis(group))

    def _choose(self, channel: str) -> None:
        self._channel = int(channel)
        self._range = None
        self._on_axis()

    def _dragged(self, moves: Moves, final: bool) -> None:
        self._held = not final
        self._on_drag(moves, final)

    def _bent(self, mark: str, slope: float | None, apart: bool, final: bool) -> None:
        self._held = not final
        self._on_bend(mark, slope, apart, final)
