"""Plain widgets in the studio's look."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments


@contextmanager
def section(title: str) -> Iterator[Element]:
    """A titled part of a panel."""
    with ui.element("section").classes("mw-section") as part:
        ui.element("h2").add_slot("default", title)
        yield part


def button(
    text: str, handler: Callable[[], Any], *, icon: str = "", title: str = "", kind: str = ""
) -> Element:
    """A push button; ``kind`` is empty, ``"primary"`` or ``"quiet"``."""
    with ui.element("button").classes(f"mw-button {kind}") as element:
        if icon:
            symbol(icon)
        if text:
            ui.label(text)
    element.props["title"] = title or text
    element.props["aria-label"] = title or text
    element.on("click", lambda _: handler())
    return element


def icon_button(icon: str, title: str, handler: Callable[[], Any]) -> Element:
    """A button that is only a symbol."""
    with ui.element("button").classes("mw-icon") as element:
        symbol(icon)
    element.props["title"] = title
    element.props["aria-label"] = title
    element.on("click.stop", lambda _: handler())
    return element


def symbol(name: str) -> Element:
    """A symbol of the icon font that comes with the server."""
    return ui.html(name, sanitize=False, tag="span").classes("material-icons")


def enable(element: Element, on: bool) -> None:
    """Let a button be pressed or not."""
    if on and "disabled" in element.props:
        del element.props["disabled"]
    elif not on and "disabled" not in element.props:
        element.props["disabled"] = True
    else:
        return
    element.update()


def entitle(element: Element, title: str) -> None:
    """Say what an element is for when the pointer rests on it."""
    if element.props.get("title") != title:
        element.props["title"] = title


def mark(element: Element, name: str, on: bool) -> None:
    """Give an element a CSS class or take it away."""
    if on and name not in element.classes:
        element.classes(add=name)
    elif not on and name in element.classes:
        element.classes(remove=name)


class Choice:
    """One of a few, side by side."""

    def __init__(
        self, options: Mapping[str, tuple[str, str]], on_change: Callable[[str], None]
    ) -> None:
        """``options``: value to its label and what it means."""
        self._buttons: dict[str, Element] = {}
        with ui.element("div").classes("mw-choice") as self.element:
            for value, (label, meaning) in options.items():
                with ui.element("button") as one:
                    ui.label(label)
                one.props["title"] = meaning
                one.on("click", lambda _, value=value: on_change(value))
                self._buttons[value] = one

    def set(self, value: str) -> None:
        """Show which one is taken."""
        for name, one in self._buttons.items():
            mark(one, "on", name == value)

    def enable(self, value: str, on: bool, meaning: str) -> None:
        """Let one of them be taken or not, and say what it means, or why it cannot be taken."""
        enable(self._buttons[value], on)
        entitle(self._buttons[value], meaning)


class Switch:
    """On or off."""

    def __init__(self, label: str, title: str, on_change: Callable[[bool], None]) -> None:
        self._on = False
        with ui.element("button").classes("mw-switch") as self.element:
            ui.element("i")
            ui.label(label)
        self.element.props["title"] = title
        self.element.props["role"] = "switch"
        self.element.props["aria-checked"] = "false"
        self.element.on("click", lambda _: on_change(not self._on))

    def set(self, on: bool) -> None:
        """Show it on or off."""
        if on != self._on:
            self._on = on
            self.element.props["aria-checked"] = "true" if on else "false"
            mark(self.element, "on", on)
            self.element.update()


class Picker:
    """One of many, from a list that opens."""

    def __init__(self, label: str, on_change: Callable[[str], None]) -> None:
        self._options: dict[str, str] = {}
        with ui.element("label").classes("mw-text") as self.element:
            ui.label(label)
            self._list = ui.element("select").classes("mw-speed")
        self._list.props["aria-label"] = label
        reading = "(event) => emit(event.target.value)"
        self._list.on("change", lambda e: on_change(str(e.args)), js_handler=reading)

    def set(self, options: Mapping[str, str], value: str) -> None:
        """Show what there is, value to its label, and which one is taken."""
        if options != self._options:
            self._options = dict(options)
            self._list.clear()
            with self._list:
                for one, label in options.items():
                    made = ui.html(html.escape(label), sanitize=False, tag="option")
                    made.props["value"] = one
        # Once the list is on the page.
        there = f"const e = getHtmlElement({self._list.id}); if (e) e.value = {json.dumps(value)};"
        ui.run_javascript(f"setTimeout(() => {{{there}}})")


class TextField:
    """A line of text, told when it is done with."""

    def __init__(self, label: str, example: str, on_change: Callable[[str], None]) -> None:
        self._shown = ""
        with ui.element("label").classes("mw-text") as self.element:
            ui.label(label)
            self._input = ui.element("input")
        self._input.props.update(
            {"type": "text", "placeholder": example, "aria-label": label, "spellcheck": "false"}
        )

        def told(event: GenericEventArguments) -> None:
            self._shown = str(event.args).strip()
            on_change(self._shown)

        reading = "(event) => emit(event.target.value)"
        self._input.on("change", told, js_handler=reading)

    def set(self, text: str) -> None:
        """Show a text."""
        if text != self._shown:
            self._shown = text
            # Not its value: that would be set back in the middle of typing.
            self._input.props["defaultValue"] = text
            there = f"const e = getHtmlElement({self._input.id})"
            ui.run_javascript(f"{{{there}; if (e) e.value = {json.dumps(text)};}}")


class Slider:
    """A number by dragging or typing; tells it while dragging and once more at the end."""

    def __init__(
        self,
        label: str,
        low: float,
        high: float,
        step: float,
        on_change: Callable[[float, bool], None],
        *,
        unit: str = "",
        digits: int = 0,
    ) -> None:
        self._unit, self._digits = unit, digits
        self._times = 1.0
        with ui.element("label").classes("mw-slider") as self.element:
            ui.label(label)
            self._input = ui.element("input")
            self._typed = ui.element("input").classes("mw-value")
        self._input.props.update(
            {"type": "range", "min": low, "max": high, "step": step, "aria-label": label}
        )
        self._typed.props.update(
            {"type": "text", "inputmode": "decimal", "aria-label": f"{label}, as a number"}
        )

        # What the input shows: its range and value. What the user sets is known already and
        # must not be sent back in the middle of a drag.
        self._shown: tuple[float, float, float | None] = (low, high, None)
        # The value with which a change has just ended: what is on its way to it is throttled, may
        # arrive after the end, and must not begin another change.
        self._ended: float | None = None

        def told(value: float, final: bool) -> None:
            if not final and value == self._ended:
                return
            self._ended = value if final else None
            self._shown = (*self._shown[:2], value)
            self._tell(self._typed, self._text(value))
            on_change(value, final)

        def typed(event: GenericEventArguments) -> None:
            low, high, before = self._shown
            value = _number(str(event.args))
            if value is None:
                self._tell(self._typed, "" if before is None else self._text(before))
                return
            value = min(max(value / self._times, low), high)
            self._tell(self._input, value)
            told(value, True)

        reading = "(event) => emit(event.target.value)"
        self._input.on(
            "input", lambda e: told(float(e.args), False), js_handler=reading, throttle=0.04
        )
        self._input.on("change", lambda e: told(float(e.args), True), js_handler=reading)
        self._typed.on("change", typed, js_handler=reading)

    def set(self, value: float, low: float | None = None, high: float | None = None) -> None:
        """Show a value, perhaps in another range."""
        first, last, _ = self._shown
        shown = (first if low is None else low, last if high is None else high, value)
        if shown == self._shown:
            return
        if shown[:2] != self._shown[:2]:
            self._input.props.update({"min": shown[0], "max": shown[1]})
            # Whole numbers, such as frames, stay whole in any range.
            if self._digits:
                # A hair less than a 200th: if it were rounded up, the last step would not fit.
                self._input.props["step"] = max(shown[1] - shown[0], 1e-9) / 200.0 * (1.0 - 1e-9)
        self._shown = shown
        self._tell(self._input, value)
        self._tell(self._typed, self._text(value))

    def enable(self, on: bool) -> None:
        """Let it be moved or not."""
        mark(self.element, "off", not on)
        for part in (self._input, self._typed):
            enable(part, on)

    def shown_times(self, factor: float) -> None:
        """Show the value times a factor, as in another unit."""
        self._times = factor
        if self._shown[2] is not None:
            self._tell(self._typed, self._text(self._shown[2]))

    def _text(self, value: float) -> str:
        return f"{self._times * value:.{self._digits}f}{self._unit}"

    @staticmethod
    def _tell(field: Element, value: float | str) -> None:
        # Not its value: that would be set back to what the server knows whenever anything on
        # the page changes, in the middle of a drag. Once touched, a field must be told itself.
        # Nor through `Props`: that would have the whole page rendered anew.
        dict.__setitem__(field.props, "defaultValue", value)
        ui.run_javascript(
            f"{{const e = getHtmlElement({field.id}); if (e) e.value = {json.dumps(value)};}}"
        )


class SplineSliders:
    """What a spline is like: its degree, length and bias.

    ``on_change`` is called with the name, the value, and whether the drag has ended.
    """

    def __init__(self, on_change: Callable[[str, float, bool], None]) -> None:
        self._degree = Slider(
            "Degree", 2, 6, 1, lambda value, final: on_change("degree", round(value), final)
        )
        self._length = Slider(
            "Length",
            1.0,
            3.0,
            0.01,
            lambda value, final: on_change("length", round(value, 3), final),
            unit=" ×",
            digits=2,
        )
        self._bias = Slider(
            "Bias",
            -1.0,
            1.0,
            0.05,
            lambda value, final: on_change("bias", round(value, 3), final),
            digits=2,
        )
        self.sliders = (self._degree, self._length, self._bias)
        meanings = (
            "2 is quick and plain, 4 or more leaves room to swing",
            "Relative to the most direct spline: longer ones swing further and take more time",
            "Left follows the first clip through, right anticipates the second",
        )
        for slider, meaning in zip(self.sliders, meanings, strict=True):
            slider.element.props["title"] = meaning

    def set(self, degree: int, length: float, bias: float) -> None:
        """Show them."""
        for slider, value in zip(self.sliders, (degree, length, bias), strict=True):
            slider.set(value)


def frame_range(label: str, last: int, ends: tuple[int, int]) -> ui.range:
    """Two ends of a stretch of frames, to be dragged."""
    made = ui.range(min=0, max=last, value={"min": ends[0], "max": ends[1]})
    made.props("dense label thumb-size=0.95rem track-size=0.28rem")
    # Of its own it would say that it is a slider whose value is an object.
    made.props.update(
        {"aria-label": label, "aria-valuenow": ends[0], "aria-valuetext": f"{ends[0]} to {ends[1]}"}
    )
    return made


def _number(text: str) -> float | None:
    """The number that a text begins with, whatever unit comes after it; None if there is none."""
    found = re.match(r"\s*[-+−]?\s*(\d+[.,]?\d*|[.,]\d+)", text)
    if found is None:
        return None
    return float(found.group().replace("−", "-").replace(",", ".").replace(" ", ""))


#: By label what is done, or the options of a menu inside the menu.
Options = Mapping[str, "Callable[[], Any] | Options"]


def menu(options: Options) -> ui.menu:
    """A menu that opens from the element it is made in."""
    with ui.menu().classes("mw-menu") as opened:
        for label, chosen in options.items():
            if callable(chosen):
                item = ui.menu_item(label, chosen)
                for outer in item.ancestors():
                    if isinstance(outer, ui.menu) and outer is not item.menu:
                        item.on_click(outer.close)
            else:
                with ui.menu_item(label, auto_close=False).classes("mw-submenu") as item:
                    symbol("arrow_right").props["aria-hidden"] = "true"
                    menu(chosen).props('anchor="top end" self="top start"')
                item.props["aria-haspopup"] = "menu"
    return opened
