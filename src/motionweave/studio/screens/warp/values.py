"""What a key of the warp screen does, and by how much: a choice and sliders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from nicegui import ui

from motionweave.studio.screens.warp.model import NEUTRAL, WAY, WarpSettings
from motionweave.studio.ui import widgets

AXES = ("Left", "Up", "Forwards")
# As the arrows in the viewport have them.
AXIS_COLORS = ("#e5534b", "#57b35a", "#4f8fd6")
# Degrees that a key turns a joint by at most, about each axis.
MOST_TURN = 120.0
TURNS = ("Bend", "Turn", "Tilt")
# How much a key makes a joint swing at most.
MOST_SWING = 3.0
_JOINT_KINDS = {
    "offset": ("Move", "Take the joint elsewhere; the body follows (IK)"),
    "turn": ("Turn", "Shift the joint's rotation by some degrees"),
    "factor": ("Scale", "Make the joint's rotation swing more or less"),
    "look_at": ("Look at", "Turn the joint, such as the head, to face a point"),
}
_WAY_KINDS = {
    "heading": (
        "Turn the path",
        "Face and travel in another direction from here on, with “Hold to the ends”",
    ),
    "position": ("Move the path", "Lead the whole body elsewhere, steps and all"),
}


class WarpChanges:
    """How all changes run: what they take to come and go, and beyond the outer keys.

    Parameters
    ----------
    on_ease
        Called with seconds, and whether the drag has ended.
    on_hold, on_follow
        Called with whether changes hold to the ends, and the body faces along its path.
    """

    def __init__(
        self,
        on_ease: Callable[[float, bool], None],
        on_hold: Callable[[bool], None],
        on_follow: Callable[[bool], None],
    ) -> None:
        self._ease = widgets.Slider("Ease", 0.1, 2.0, 0.05, on_ease, unit=" s", digits=2)
        self._hold = widgets.Switch(
            "Hold to the ends",
            "The first change holds from the beginning, the last to the end",
            on_hold,
        )
        self._follow = widgets.Switch(
            "Face along the path",
            "Turn the body to face where keys of its path take it",
            on_follow,
        )

    def set(self, settings: WarpSettings) -> None:
        """Show the settings."""
        self._ease.set(settings.ease)
        self._hold.set(settings.hold)
        self._follow.set(settings.follow)


class KeyValues:
    """The kind and the numbers of the chosen key.

    Parameters
    ----------
    on_kind
        Called with another kind (of `NEUTRAL`).
    on_value
        Called with the number's place, its value, and whether the drag has ended.
    """

    def __init__(
        self, on_kind: Callable[[str], None], on_value: Callable[[int, float, bool], None]
    ) -> None:
        self._on_value = on_value
        self._kinds = widgets.Choice(_JOINT_KINDS, on_kind)
        self._ways = widgets.Choice(_WAY_KINDS, on_kind)
        with ui.element("div").classes("mw-warp-values"):
            self._sliders = {group: self._built(group) for group in NEUTRAL}

    def _built(self, group: str) -> list[widgets.Slider]:
        slider, told = widgets.Slider, self._on_value
        if group == "turn":
            return [
                slider(name, -MOST_TURN, MOST_TURN, 1, partial(told, i), unit="°")
                for i, name in enumerate(TURNS)
            ]
        if group == "factor":
            return [slider("Swing", 0.0, MOST_SWING, 0.05, partial(told, 0), unit=" ×", digits=2)]
        if group == "heading":
            return [slider("To the left", -180, 180, 1, partial(told, 0), unit="°")]
        return [
            slider(name, -1.0, 1.0, 0.01, partial(told, i), unit=" m", digits=2)
            for i, name in enumerate(AXES)
        ]

    def measure(self, metres: float) -> None:
        """Say how many metres one of the clip's units is: lengths are shown in metres."""
        for group in ("offset", "position", "look_at"):
            for slider in self._sliders[group]:
                slider.shown_times(metres)

    def show(self, group: str, values: Sequence[float] | None, height: float = 0.0) -> None:
        """Show a group of sliders.

        Parameters
        ----------
        group
            Of `NEUTRAL`.
        values
            Where the sliders are; None if there is no key to set.
        height
            Of the body, which says how far lengths go; 0 for as far as before.
        """
        self._kinds.element.set_visibility(group not in WAY)
        self._ways.element.set_visibility(group in WAY)
        self._kinds.set(group)
        self._ways.set(group)
        for name, sliders in self._sliders.items():
            for i, slider in enumerate(sliders):
                slider.element.set_visibility(name == group)
                slider.enable(values is not None)
                if name == group:
                    value = NEUTRAL[group][i] if values is None else values[i]
                    slider.set(value, *_range(group, i, height))


def _range(group: str, axis: int, height: float) -> tuple[float, float] | tuple[()]:
    """How far a slider of lengths goes, for a body of that height."""
    if height <= 0.0:
        return ()
    if group == "offset":
        return -0.5 * height, 0.5 * height
    if group == "position":
        return -1.5 * height, 1.5 * height
    if group == "look_at":
        return (0.0, 2.0 * height) if axis == 1 else (-2.0 * height, 2.0 * height)
    return ()
