"""The studio's own widgets, each a small file in ``web/`` that draws and listens."""

from __future__ import annotations

import base64
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import numpy as np
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from motionweave.core.arrays import Array
from motionweave.studio.web import WEB

# Cells of a heat map on its longer side: more than pixels would be wasted.
_CELLS = 240


class ToldElement(Element):
    """An element of our own that is told what to show.

    A property that changes makes the browser render the whole page anew, and is wrapped value by
    value before it is sent. What is told goes to the element alone, as it is.
    """

    def __init__(self, **given: Any) -> None:
        super().__init__()
        #: What it shows.
        self.given = given
        self._remember()

    def tell(self, **news: Any) -> None:
        """Show these; only what is new goes to the browser."""
        changed = {name: value for name, value in news.items() if self.given[name] != value}
        if changed:
            self.given = {**self.given, **changed}
            self._remember()
            self.run_method("tell", changed)

    def _remember(self) -> None:
        # For a page that is loaded anew; past `Props`, which would send it at once.
        dict.__setitem__(self._props, "given", self.given)


class WeightPad(Element, component=WEB / "weightpad.js"):
    """Weights by dragging: two clips a slider, three a triangle, more a polygon."""

    def __init__(self, on_weights: Callable[[list[float], bool], None]) -> None:
        super().__init__()
        self._props["names"] = []
        self._props["colors"] = []
        self._props["weights"] = []

        def told(event: GenericEventArguments) -> None:
            weights = [float(w) for w in event.args["weights"]]
            # The pad shows them already: to send them back would only keep the page busy.
            with self._props.suspend_updates():
                self._props["weights"] = weights
            on_weights(weights, bool(event.args["final"]))

        self.on("weights", told)

    def set(self, names: Sequence[str], colors: Sequence[str], weights: Sequence[float]) -> None:
        """Show clips and their weights."""
        shown = self._props["weights"]
        # Scaling the weights to sum to one changes their last digits: no news to the pad.
        if len(shown) == len(weights) and np.allclose(shown, weights, rtol=0.0, atol=1e-6):
            weights = shown
        update_props(self, names=list(names), colors=list(colors), weights=list(weights))


class HeatMap(Element, component=WEB / "heatmap.js"):
    """Distances of all frames of one clip (down) to all of another (across); dark is alike."""

    def __init__(self, on_pick: Callable[[float, float, bool], None] | None = None) -> None:
        super().__init__()
        self._props["map"] = None
        self._props["pickable"] = on_pick is not None
        self._shown: object = None
        if on_pick is not None:
            self.on(
                "pick",
                lambda e: on_pick(
                    float(e.args["row"]), float(e.args["column"]), bool(e.args["final"])
                ),
            )

    def set(
        self,
        grid: Array,
        *,
        rows: tuple[str, float],
        columns: tuple[str, float],
        path: Array | None = None,
        marks: Sequence[tuple[float, float, str]] = (),
        chosen: tuple[float, float] | None = None,
    ) -> None:
        """Show a grid.

        Parameters
        ----------
        grid
            ``(Ta, Tb)`` distances.
        rows, columns
            Name and last frame of the clip down and of the one across.
        path
            ``(n, 2)`` matching frames.
        marks
            Places worth a look: row frame, column frame, what to say about it.
        chosen
            The place that is taken.
        """
        step = max(1, -(-max(grid.shape) // _CELLS))
        small = grid[::step, ::step]
        low, high = float(small.min()), float(np.quantile(small, 0.98))
        shades = np.clip((small - low) / max(high - low, 1e-12), 0.0, 1.0) * 255.0
        data = {
            "shape": list(small.shape),
            "cells": base64.b64encode(shades.astype(np.uint8).tobytes()).decode(),
            "rows": [rows[0], float(rows[1])],
            "columns": [columns[0], float(columns[1])],
            "path": [] if path is None else np.round(path, 3).tolist(),
            "marks": [list(mark) for mark in marks],
            "chosen": None if chosen is None else list(chosen),
        }
        update_props(self, map=data)

    def clear(self) -> None:  # type: ignore[override]
        """Show nothing."""
        update_props(self, map=None)


class Lanes(ToldElement, component=WEB / "lanes.js"):
    """Intervals in rows, and which of them belong together."""

    def __init__(self) -> None:
        super().__init__(lanes=[], links=[], span=[0.0, 1.0])

    def set(
        self,
        lanes: Sequence[dict[str, Any]],
        links: Sequence[Sequence[tuple[int, float, float]]],
        span: tuple[float, float],
    ) -> None:
        """Show lanes ``{group, label, color, bars: [(start, end)]}`` and matches between them.

        A link is a row of (lane, start, end): bars that belong together.
        """
        self.tell(
            lanes=list(lanes), links=[list(map(list, link)) for link in links], span=list(span)
        )


class CurveEditor(ToldElement, component=WEB / "curves.js"):
    """Curves over time with handles to drag; the one editor for all of them.

    Python says where curves and handles are, and is told what is done to the handles:
    ``drag`` (id, x, y, final), ``add`` (x, y) for a double click, ``remove`` (id). With
    ``on_drag_several`` and ``on_remove_several``, handles can be picked in a box, to be moved
    ((id, x, y) of each, final) and removed (ids) together. With ``on_tangent``, handles of tangents
    are dragged (id, slope, whether apart from the one on the other side of the key, final), or
    given back to the curve (slope None).
    """

    def __init__(
        self,
        *,
        on_drag: Callable[[str, float, float, bool], None],
        on_add: Callable[[float, float], None] | None = None,
        on_remove: Callable[[str], None] | None = None,
        on_drag_several: Callable[[list[tuple[str, float, float]], bool], None] | None = None,
        on_remove_several: Callable[[list[str]], None] | None = None,
        on_tangent: Callable[[str, float | None, bool, bool], None] | None = None,
        hint: str = "",
        playhead: bool = True,
    ) -> None:
        super().__init__(
            lines=[],
            handles=[],
            tangents=[],
            x=[0.0, 1.0],
            y=[0.0, 1.0],
            marks=[],
            clock=[],
            unit="",
            across="",
            step=0.0,
            catches=[],
            hint=hint,
            playhead=playhead,
            several=on_drag_several is not None,
        )
        self.on(
            "drag",
            lambda e: on_drag(
                str(e.args["id"]), float(e.args["x"]), float(e.args["y"]), bool(e.args["final"])
            ),
        )
        if on_add is not None:
            self.on("add", lambda e: on_add(float(e.args["x"]), float(e.args["y"])))
        if on_remove is not None:
            self.on("remove", lambda e: on_remove(str(e.args["id"])))
        if on_drag_several is not None:
            self.on(
                "dragseveral",
                lambda e: on_drag_several(
                    [(str(m["id"]), float(m["x"]), float(m["y"])) for m in e.args["moves"]],
                    bool(e.args["final"]),
                ),
            )
        if on_remove_several is not None:
            self.on("removeseveral", lambda e: on_remove_several(list(map(str, e.args["ids"]))))
        if on_tangent is not None:

            def bent(event: GenericEventArguments) -> None:
                given = event.args["slope"]
                slope = None if given is None else float(given)
                apart, final = bool(event.args["apart"]), bool(event.args["final"])
                on_tangent(str(event.args["id"]), slope, apart, final)

            self.on("tangent", bent)

    def set(
        self,
        *,
        lines: Sequence[dict[str, Any]],
        handles: Sequence[dict[str, Any]],
        x: tuple[float, float],
        y: tuple[float, float],
        marks: Sequence[dict[str, Any]] = (),
        clock: Sequence[Sequence[float]] = (),
        unit: str = "",
        across: str = "s",
        step: float = 0.0,
        catches: Sequence[float] = (),
        tangents: Sequence[dict[str, Any]] = (),
    ) -> None:
        """Show curves.

        Parameters
        ----------
        lines
            ``{color, points: [(x, y)], label, dashed}``.
        handles
            ``{id, x, y, color, group}``; those of one group are joined by a thin line.
            ``lock="x"`` or ``"y"`` lets one move only along the other axis.
        x, y
            Ranges of the axes.
        marks
            Words in the picture: ``{x, y, text, color}``.
        clock
            Pairs (seconds, x) that say where the playhead is, if x is not in seconds.
        unit, across
            Units of y and of x.
        step
            Handles are dragged along x by whole steps of this; 0 for no steps.
        catches
            Places on x where a handle that is dragged near them catches, unless Shift is held.
        tangents
            ``{id, of, side, slope, color, linked, auto}``: of which handle, ``"in"`` or ``"out"``,
            how much of y per x, whether the other side turns with it, and whether it is the
            curve's own.
        """
        self.tell(
            lines=list(lines),
            handles=list(handles),
            x=list(x),
            y=list(y),
            marks=list(marks),
            clock=[list(pair) for pair in clock],
            unit=unit,
            across=across,
            step=step,
            catches=list(catches),
            tangents=list(tangents),
        )


class Thumbnail(Element, component=WEB / "thumbnail.js"):
    """A small figure that moves while what it belongs to is pointed at or has the focus.

    Its pose strip is fetched from ``url`` when it is first seen. It says nothing that the words
    beside it do not say, so that assistive tools pass over it.
    """

    def __init__(self, url: str) -> None:
        super().__init__()
        self._props["url"] = url


class Splitter(Element, component=WEB / "splitter.js"):
    """The edge of a part of the page, to be dragged; sizes are in the page's ``rem``."""

    def __init__(self, part: str, side: str, least: float, most: float) -> None:
        super().__init__()
        self._props.update({"part": part, "side": side, "least": least, "most": most})


class Shell(Element, component=WEB / "shell.js"):
    """What belongs to the whole page: keys, files dropped anywhere, the address, the title."""

    def __init__(
        self,
        on_key: Callable[[str], None],
        on_visit: Callable[[str], None],
        rest: Callable[[], Awaitable[None]],
        limit: int,
    ) -> None:
        super().__init__()
        self._props["limit"] = limit
        self._props["screen"] = ""
        self._props["title"] = ""
        self._props["dirty"] = False
        self.on("key", lambda e: on_key(str(e.args)))
        self.on("visit", lambda e: on_visit(str(e.args)))

        # Whoever asks has an answer when all that was asked before has been done and sent.
        async def asked(event: GenericEventArguments) -> None:
            await rest()
            self.run_method("answered", int(event.args))

        self.on("ask", asked)
        self.on("call", lambda e: self.run_method("answered", int(e.args)))

    def tell_screen(self, name: str) -> None:
        """Put the screen that is open into the address."""
        update_props(self, screen=name)

    def tell_document(self, name: str, dirty: bool) -> None:
        """Say what the document is called, and whether it has changes that were not saved."""
        update_props(self, title=name, dirty=dirty)

    def browse(self) -> None:
        """Open the browser's file dialog."""
        self.run_method("browse")


def update_props(element: Element, **props: Any) -> None:
    """Set properties; only what is new goes to the browser."""
    if any(element._props.get(name) != value for name, value in props.items()):
        element._props.update(props)
        element.update()
