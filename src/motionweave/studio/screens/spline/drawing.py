"""The subspace of two clips, and the spline through it, as the widget shows them."""

from __future__ import annotations

import numpy as np

from motionweave.core.arrays import Array
from motionweave.methods.subspace import bezier
from motionweave.studio.screens.screen import series
from motionweave.studio.screens.spline.model import SplineDetails

# Points that the spline is drawn with.
_DRAWN = 48
# Room for three coordinates; a subspace may have fewer.
_SHOWN = 3


def drawn(details: SplineDetails) -> tuple[list[dict[str, object]], dict[str, object]]:
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
