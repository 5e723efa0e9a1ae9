"""Widgets that belong to one screen each: the subspace, event lanes, the track of keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from nicegui.element import Element
from numpy.typing import NDArray

from motionweave.studio.components import update_props

Array = NDArray[np.float64]


class SpaceView(Element, component="web/space.js"):
    """Clips as curves in a subspace, a spline between them, and a handle on each curve."""

    def __init__(self, on_frame: Callable[[int, int, bool], None]) -> None:
        super().__init__()
        self._props["curves"] = []
        self._props["spline"] = None
        self._props["axes"] = 2
        self.on(
            "frame",
            lambda e: on_frame(int(e.args["curve"]), int(e.args["frame"]), bool(e.args["final"])),
        )

    def set(
        self,
        curves: Sequence[dict[str, Any]],
        spline: dict[str, Any] | None,
        axes: int,
    ) -> None:
        """Show curves and the spline between two of their frames.

        Parameters
        ----------
        curves
            ``{name, color, points: [(x, y, z)]}``, a point a frame.
        spline
            ``{points, control, frames: (leave, enter), path: [(x, y, z)]}``: the curve, its
            control points, the frames that it joins, and a point for every frame of the
            whole result.
        axes
            2 or 3.
        """
        update_props(self, curves=list(curves), spline=spline, axes=axes)
