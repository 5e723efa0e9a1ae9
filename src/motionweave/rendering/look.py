"""Colours of pictures: of the scene, and of one or several bodies in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from motionweave.core.arrays import Array
from motionweave.errors import MotionError

# Bodies beside each other in one scene: as far apart as colours in a plot.
_BODIES = ("#8e96a3", "#2f7fc1", "#e07b39", "#3a9d6b", "#9a63b8", "#c2484d")
_LEFT, _RIGHT = "#3f86c6", "#e2793f"
_TONES = 4096


@dataclass(frozen=True, eq=False)
class Scene:
    """Colours ``(3,)`` of what is around a body, linear.

    Parameters
    ----------
    haze, floor, line
        Of the background, of the floor, and of the lines on it.
    mark
        Of contacts.
    opaque
        Whether there is a background at all.
    """

    haze: Array
    floor: Array
    line: Array
    mark: Array
    opaque: bool = True


def linear(colour: str) -> Array:
    """Linear red, green and blue ``(3,)`` of a colour such as ``"#2f7fc1"``."""
    text = colour.removeprefix("#")
    if len(text) == 3:
        text = "".join(2 * letter for letter in text)
    try:
        value = np.array([int(text[i : i + 2], 16) for i in (0, 2, 4)]) / 255.0
        if len(text) != 6:
            raise ValueError
    except ValueError:
        raise MotionError(f"colour {colour!r}: expected a colour such as #2f7fc1") from None
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def tones() -> NDArray[np.uint8]:
    """The curve of a screen ``(n,)``: bytes of evenly spaced linear values."""
    value = np.linspace(0.0, 1.0, _TONES)
    curve = np.where(value <= 0.0031308, 12.92 * value, 1.055 * value ** (1 / 2.4) - 0.055)
    return np.asarray(np.round(255.0 * curve), dtype=np.uint8)


def scene(background: str) -> Scene:
    """The scene on a background: ``"light"``, ``"dark"``, ``"transparent"`` or a colour."""
    mark = linear("#d6336c")
    if background == "dark":
        return Scene(linear("#1b1e24"), linear("#2c313a"), linear("#4a515e"), mark)
    if background == "light":
        return Scene(linear("#f1f3f6"), linear("#dde1e8"), linear("#a9b2bf"), mark)
    if background == "transparent":
        return Scene(linear("#f1f3f6"), linear("#dde1e8"), linear("#a9b2bf"), mark, False)
    if not background.startswith("#"):
        raise MotionError(
            f"background {background!r}: expected light, dark, transparent or a colour (#ffffff)"
        )
    haze = linear(background)
    bright = float(haze.mean()) > 0.2
    floor = haze * 0.88 if bright else haze * 1.6 + 0.01
    line = haze * 0.62 if bright else haze * 3.0 + 0.03
    return Scene(haze, np.minimum(floor, 1.0), np.minimum(line, 1.0), mark)


def body_colours(count: int, given: str | None, number: int) -> tuple[Array, Array, Array]:
    """Linear colours of the middle, the left and the right of body ``number`` of ``count``.

    A body alone has a grey trunk and shows left and right; several are told apart by hue.
    """
    if given is None and count == 1:
        return linear(_BODIES[0]), linear(_LEFT), linear(_RIGHT)
    base = linear(given if given is not None else _BODIES[1 + number % (len(_BODIES) - 1)])
    return base, np.minimum(1.0, 1.25 * base + 0.06), 0.62 * base
