"""Which frames of each clip are its cycle: found, given, or the clip is played once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from nicegui import ui
from nicegui.events import GenericEventArguments

from motionweave.studio.screens.framespace.model import LEAST_CYCLE, CycleChoice
from motionweave.studio.ui import widgets

_WAYS = {
    "found": ("Found", "The cycle that is found in the clip; a clip without any is played once"),
    "once": ("Once", "Play the whole clip once"),
}


class Cycles:
    """A row per clip: how its cycle is chosen, and its first and last frame to drag.

    Parameters
    ----------
    on_change
        Called with a clip and the ends of its cycle: empty to play it once, None to find it.
    """

    def __init__(self, on_change: Callable[[str, tuple[int, ...] | None], None]) -> None:
        self._on_change = on_change
        self._shown: list[CycleChoice] = []
        self._box = ui.element("div").classes("mw-cycles")

    def set(self, stretches: Sequence[CycleChoice]) -> None:
        """Show the cycles of clips."""
        if list(stretches) == self._shown:
            return
        self._shown = list(stretches)
        self._box.clear()
        with self._box:
            for one in stretches:
                self._row(one)

    def _row(self, one: CycleChoice) -> None:
        with ui.element("div").classes("mw-cycle"):
            ui.label(one.name)
            ui.label(f"{one.ends[0]} – {one.ends[1]}").classes("mw-value")
            widgets.Choice(_WAYS, partial(self._choose, one)).set(one.way)
        slider = widgets.frame_range(f"cycle of {one.name}", one.last, one.ends)
        slider.on("change", partial(self._dragged, one))

    def _choose(self, one: CycleChoice, way: str) -> None:
        if way != one.way:
            self._on_change(one.clip, () if way == "once" else None)

    def _dragged(self, one: CycleChoice, event: GenericEventArguments) -> None:
        first, last = int(event.args["min"]), int(event.args["max"])
        first = max(0, min(first, one.last - LEAST_CYCLE))
        self._on_change(one.clip, (first, min(max(last, first + LEAST_CYCLE), one.last)))
