"""What lies over the viewport: why there is no result, what to know of one, what is being done."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial

from nicegui import ui

from motionweave.studio.ui import widgets
from motionweave.studio.work.problems import Problem, RemedyButton
from motionweave.studio.work.remarks import Remark

# Seconds of work, and the share of it, from which on it can be told how long the rest takes.
_SURE, _FEW = 1.5, 0.05


class Overlay:
    """Cards over the viewport; each is there only while it has something to say.

    Parameters
    ----------
    on_remedy
        Called with the remedy whose button was pressed.
    on_remark
        Called with the remark that was clicked.
    on_cancel, on_retry
        Called to give up what is being done, and to do it again.
    """

    def __init__(
        self,
        *,
        on_remedy: Callable[[RemedyButton], None],
        on_remark: Callable[[Remark], None],
        on_cancel: Callable[[], None],
        on_retry: Callable[[], None],
    ) -> None:
        self._on_remedy, self._on_remark = on_remedy, on_remark
        self._listed: tuple[Remark, ...] = ()
        self._shown: Problem | None = None
        self._began = 0.0
        with ui.element("div").classes("mw-over"):
            with ui.element("div").classes("mw-over-top"):
                self._label = ui.label("").classes("mw-stale")
                self._retry = widgets.button("Try again", on_retry, kind="quiet", icon="refresh")
                self._remarks = ui.element("div").classes("mw-remarks")
            with ui.element("div").classes("mw-working") as self._working:
                self._stage = ui.label("")
                with ui.element("div").classes("mw-bar") as self._bar:
                    ui.element("i")
                self._share = ui.label("").classes("mw-value")
                self._left = ui.label("").classes("mw-left")
                widgets.button("Cancel", on_cancel)
            self._card = ui.element("section").classes("mw-problem")
        self._bar.props.update(
            {"role": "progressbar", "aria-valuemin": 0, "aria-valuemax": 100, "aria-label": "done"}
        )
        self._working.props["role"] = "status"
        self._card.props["role"] = "alert"
        self._remarks.props.update({"role": "list", "aria-label": "about this result"})
        for part in (self._label, self._retry, self._working, self._card):
            part.set_visibility(False)

    def problem(self, problem: Problem | None) -> None:
        """Say why there is no result and what can be done; None takes the card away."""
        if problem == self._shown:
            return
        self._shown = problem
        self._card.set_visibility(problem is not None)
        self._card.clear()
        if problem is None:
            return
        with self._card:
            ui.element("h2").add_slot("default", "This could not be computed")
            ui.label(problem.sentence).classes("mw-problem-sentence")
            with ui.element("div").classes("mw-row"):
                for number, remedy in enumerate(problem.remedies):
                    kind = "" if number else "primary"
                    widgets.button(remedy.label, partial(self._on_remedy, remedy), kind=kind)
            if problem.details:
                with ui.element("details"):
                    ui.element("summary").add_slot("default", "Details")
                    ui.label(problem.details)

    def stale(self, label: str, *, retry: bool = False) -> None:
        """Say that what is seen is not up to date, and why; empty if it is."""
        self._label.set_text(label)
        self._label.set_visibility(bool(label))
        self._retry.set_visibility(retry)

    def remarks(self, remarks: Sequence[Remark]) -> None:
        """Show what is to be known about the result."""
        if tuple(remarks) == self._listed:
            return
        self._listed = tuple(remarks)
        self._remarks.clear()
        with self._remarks:
            for remark in remarks:
                with ui.element("div") as item:
                    self._remark(remark)
                item.props["role"] = "listitem"

    def _remark(self, remark: Remark) -> None:
        text = remark.text if remark.frame is None else f"{remark.text} · frame {remark.frame}"
        if remark.frame is None:
            with ui.element("div").classes("mw-remark") as one:
                widgets.symbol("info")
                ui.label(text)
            widgets.mark(one, "notice", remark.notice)
        else:
            one = widgets.button(
                text, partial(self._on_remark, remark), icon="warning", title=f"Go there: {text}"
            )
            one.classes("mw-remark")
        one.props["title"] = remark.details or text

    def working(self, busy: bool) -> None:
        """Show whether something is being done."""
        self._working.set_visibility(busy)
        if busy:
            self._began = time.monotonic()
            self.stage("", 0.0)

    def stage(self, name: str, share: float) -> None:
        """Show what is being done, and the share that is done."""
        percent = round(100 * share)
        self._stage.set_text(f"{name or 'Computing'} …")
        self._share.set_text(f"{percent} %")
        self._bar.style(f"--share: {percent}%")
        self._bar.props["aria-valuenow"] = percent
        self._left.set_text(time_left(time.monotonic() - self._began, share))


def time_left(seconds: float, share: float) -> str:
    """How long the rest takes if it goes on as it has; empty while nobody can tell."""
    if seconds < _SURE or not _FEW < share < 1.0:
        return ""
    left = seconds * (1.0 - share) / share
    return f"about {left / 60.0:.0f} min left" if left > 90.0 else f"about {left:.0f} s left"
