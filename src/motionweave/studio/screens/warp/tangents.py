"""Tangents of the warp screen's keys: how fast a change goes on before and after its key."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from nicegui import ui

from motionweave.core.arrays import Array
from motionweave.core.numerics.curves import cardinal_tangents
from motionweave.methods.warping.keys import SIDES_OF_KEY, Side
from motionweave.studio.screens.warp.model import PoseKey, Warped
from motionweave.studio.ui import widgets

Keys = tuple[PoseKey, ...]
Tangent = tuple[float, ...]

_MODES = {
    "auto": ("Auto", "Tangents of the smooth curve through the keys"),
    "linked": ("Linked", "Both tangents turn together: the curve goes smoothly through the key"),
    "broken": ("Broken", "Each tangent for itself: the curve has a corner at the key"),
}
# Groups of keys by the unit of their speed, and how fast a change can be set to go on.
_SPEEDS = {"offset": "m", "position": "m", "turn": "°", "heading": "°", "factor": "×"}
_FASTEST = {"m": 5.0, "°": 720.0, "×": 5.0}


def mode_of(key: PoseKey) -> str:
    """One of ``"auto"``, ``"linked"`` and ``"broken"``."""
    if key.tangent_in is None and key.tangent_out is None:
        return "auto"
    return "broken" if key.broken else "linked"


def has_tangents(key: PoseKey) -> bool:
    """Whether the change of a key has a speed that can be set."""
    return key.group in _SPEEDS


def tangents_of(keys: Keys, index: int, fps: float) -> tuple[Tangent, Tangent]:
    """The tangents in and out of a key, per second; those of the spline where none are set."""
    key = keys[index]
    own = _automatic(keys, index, fps)
    return key.tangent_in or own, key.tangent_out or own


def _automatic(keys: Keys, index: int, fps: float) -> Tangent:
    """The tangent of the Cardinal spline through the keys of a curve, at one of them."""
    key = keys[index]
    mine = sorted(
        (k for k in keys if (k.joint, k.group) == (key.joint, key.group)), key=lambda k: k.frame
    )
    seconds = np.array([k.frame for k in mine]) / fps
    values = np.array([k.value for k in mine])
    rows: list[list[float]] = cardinal_tangents(seconds, values).tolist()
    return tuple(rows[mine.index(key)])


def with_mode(keys: Keys, index: int, mode: str, fps: float) -> Keys:
    """Keys with the tangents of one automatic, linked or broken, and otherwise as they were."""
    into, out = tangents_of(keys, index, fps)
    first, second = {"auto": (None, None), "linked": (out, out), "broken": (into, out)}[mode]
    changed = replace(keys[index], tangent_in=first, tangent_out=second, broken=mode == "broken")
    return _replaced(keys, index, changed)


def with_tangent(
    keys: Keys, index: int, side: Side, axis: int, speed: float, *, apart: bool, fps: float
) -> Keys:
    """Keys with the tangent of one set along an axis.

    Parameters
    ----------
    side, axis, speed
        Which tangent, along which axis of the change, and how much of it per second.
    apart
        Whether the tangent on the other side stays as it is.
    """
    key = keys[index]
    both = dict(zip(SIDES_OF_KEY, tangents_of(keys, index, fps), strict=True))
    apart = apart or key.broken
    for one in SIDES_OF_KEY:
        if one == side or not apart:
            both[one] = (*both[one][:axis], round(speed, 4), *both[one][axis + 1 :])
    changed = replace(key, tangent_in=both["in"], tangent_out=both["out"], broken=apart)
    return _replaced(keys, index, changed)


def _replaced(keys: Keys, index: int, key: PoseKey) -> Keys:
    return (*keys[:index], key, *keys[index + 1 :])


def slope_at(made: Warped, curve: Array, frame: float, side: Side) -> float:
    """How steeply a curve ``(T,)`` of the result comes to the frame of a key, or leaves it.

    Per second of the clip, whatever is done to its time.
    """
    index = round(made.seconds(frame) * made.motion.fps)
    first = index - 1 if side == "in" else index
    first = int(np.clip(first, 0, max(len(curve) - 2, 0)))
    if len(curve) < 2:
        return 0.0
    gone = float(made.sources[first + 1] - made.sources[first]) or 1.0
    return float(curve[first + 1] - curve[first]) * made.source.fps / gone


def tangent_handles(
    made: Warped,
    keys: Mapping[int, PoseKey],
    shown: Sequence[tuple[int, int, Array, str]],
    *,
    change: bool,
) -> list[dict[str, object]]:
    """Handles of tangents, for keys and axes whose curve ``(T,)`` is drawn in some colour.

    ``keys`` are all of one curve. If ``change`` is drawn alone, its slopes are the tangents.
    """
    found: list[dict[str, object]] = []
    numbers = list(keys)
    for index, axis, curve, color in shown:
        key = keys[index]
        mode = mode_of(key)
        if change:
            both = tangents_of(tuple(keys.values()), numbers.index(index), made.source.fps)
            slopes = [tangent[axis] for tangent in both]
        else:
            slopes = [slope_at(made, curve, key.frame, side) for side in SIDES_OF_KEY]
        if mode == "linked":
            slopes = [float(np.mean(slopes))] * 2
        for side, slope in zip(SIDES_OF_KEY, slopes, strict=True):
            found.append(
                {
                    "id": f"{side}{index}:{axis}",
                    "of": f"k{index}:{axis}",
                    "side": side,
                    "slope": slope,
                    "color": color,
                    "linked": mode != "broken",
                    "auto": mode == "auto",
                }
            )
    return found


class TangentDrag:
    """Tangents that are turned in the picture of a curve, from there to the keys."""

    def __init__(self) -> None:
        # How steep the curve would be with a flat tangent, while one is turned.
        self._flat: float | None = None

    def turned(
        self,
        made: Warped,
        curve: Array,
        scale: float,
        keys: Keys,
        handle: tuple[int, Side, int],
        slope: float,
        *,
        apart: bool,
        final: bool,
    ) -> Keys:
        """Keys with the tangent of one such that a curve is as steep as it was turned.

        Parameters
        ----------
        curve, scale
            ``(T,)`` as it is drawn, and what one unit of the keys is there.
        handle
            Which key, side and axis.
        slope
            How steep the curve shall be, per second.
        """
        index, side, axis = handle
        own = tangents_of(keys, index, made.source.fps)[SIDES_OF_KEY.index(side)]
        axis = min(axis, len(own) - 1)
        if self._flat is None:
            # What the curve does by itself there goes on while its tangent is turned.
            self._flat = slope_at(made, curve, keys[index].frame, side) - scale * own[axis]
        speed = (slope - self._flat) / scale
        self._flat = None if final else self._flat
        return with_tangent(keys, index, side, axis, speed, apart=apart, fps=made.source.fps)


class KeyTangents:
    """The tangents of the chosen key, by their kind and as numbers.

    Parameters
    ----------
    on_mode
        Called with ``"auto"``, ``"linked"`` or ``"broken"``.
    on_speed
        Called with the side, the change per second, and whether the drag has ended.
    """

    def __init__(
        self, on_mode: Callable[[str], None], on_speed: Callable[[Side, float, bool], None]
    ) -> None:
        with ui.element("div").classes("mw-tangents") as self.element:
            ui.label("Tangents").classes("mw-curves-note")
            self._modes = widgets.Choice(_MODES, on_mode)
            self._sliders = {
                unit: {
                    side: widgets.Slider(
                        f"Tangent {side}",
                        -most,
                        most,
                        0.05 if most < 10 else 5,
                        partial(on_speed, side),
                        unit=f" {unit}/s" if unit == "m" else f"{unit}/s",
                        digits=1 if most < 10 else 0,
                    )
                    for side in SIDES_OF_KEY
                }
                for unit, most in _FASTEST.items()
            }

    def measure(self, metres: float) -> None:
        """Say how many metres one of the clip's units is."""
        for slider in self._sliders["m"].values():
            slider.shown_times(metres)

    def show(
        self, keys: Keys, index: int | None, axis: int | None, fps: float, metres: float
    ) -> None:
        """Show the tangents of a key along an axis; for no key or axis there is nothing to set."""
        key = None if index is None else keys[index]
        self.element.set_visibility(key is not None and has_tangents(key))
        if key is None or index is None or not has_tangents(key):
            return
        mode, unit = mode_of(key), _SPEEDS[key.group]
        self._modes.set(mode)
        both = dict(zip(SIDES_OF_KEY, tangents_of(keys, index, fps), strict=True))
        most = _FASTEST[unit] / (metres if unit == "m" else 1.0)
        for name, sliders in self._sliders.items():
            for side, slider in sliders.items():
                slider.element.set_visibility(name == unit and axis is not None and mode != "auto")
                if name == unit and axis is not None:
                    slider.set(both[side][min(axis, len(both[side]) - 1)], -most, most)
