"""Sliders of the blend screen for what is asked for by measure: a speed, a turn, a reach."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from nicegui import ui

from motionweave.measure import measures
from motionweave.studio.screens.blend.model import BlendDetails, Wanted
from motionweave.studio.ui import widgets
from motionweave.studio.view.payload import scale_of

# Most measures that are asked for at a time.
_MOST = 2


def unit_of(name: str) -> str:
    """What a measure is shown in: lengths, and the speeds made of them, are in metres."""
    known = {"turn": "°", "duration": " s"}
    return known.get(name) or (" m/s" if name.endswith("speed") else " m")


class Measures:
    """A slider a measure, and menus to choose them.

    Parameters
    ----------
    on_drag
        Called with a measure, the value asked for and whether the drag has ended.
    on_choose
        Called with other measures.
    """

    def __init__(
        self,
        on_drag: Callable[[str, float, bool], None],
        on_choose: Callable[[tuple[Wanted, ...]], None],
    ) -> None:
        self._on_drag = on_drag
        self._on_choose = on_choose
        self._wanted: tuple[Wanted, ...] = ()
        self._sliders: dict[str, widgets.Slider] = {}
        self.element = ui.element("div").classes("mw-parameters")

    def set(self, wanted: tuple[Wanted, ...], details: BlendDetails) -> None:
        """Show what is wanted, within what the clips can give."""
        self._wanted = wanted
        if tuple(name for name, _ in wanted) != tuple(self._sliders):
            self._build()
        metres = scale_of(details.registered.curve.motions[0])
        for name, value in wanted:
            if name in details.ranges:
                self._sliders[name].shown_times(metres if " m" in unit_of(name) else 1.0)
                shown = details.reached[name] if value is None else value
                self._sliders[name].set(shown, *details.ranges[name])

    def _build(self) -> None:
        self.element.clear()
        with self.element:
            self._sliders = {
                name: widgets.Slider(
                    name.replace("_", " "),
                    0.0,
                    1.0,
                    0.01,
                    partial(self._on_drag, name),
                    unit=unit_of(name),
                    digits=2,
                )
                for name, _ in self._wanted
            }
            with ui.element("div").classes("mw-row"):
                self._menu("Measure…", replacing=True)
                if len(self._wanted) < _MOST:
                    self._menu("Add a measure…", replacing=False)

    def _menu(self, title: str, *, replacing: bool) -> None:
        with widgets.button(title, lambda: None, kind="quiet"):
            widgets.menu(
                {
                    name.replace("_", " "): partial(self._take, name, replacing)
                    for name in measures.names()
                }
            )

    def _take(self, name: str, replacing: bool) -> None:
        kept = () if replacing else tuple(w for w in self._wanted if w[0] != name)
        self._on_choose((*kept, (name, None)))
