"""What holds for every result: how good it is, whether feet are planted, where it goes next."""

from __future__ import annotations

from dataclasses import dataclass, replace

from nicegui import ui

from motionweave.core.motion import Motion
from motionweave.measure.quality import quality
from motionweave.studio.screens.host import Host
from motionweave.studio.ui import widgets
from motionweave.studio.ui.dragging import CLIP, MADE, carrying_marked
from motionweave.studio.view.performer import performer_of
from motionweave.studio.view.result import Result
from motionweave.studio.work.jobs import Latest, Outcome
from motionweave.studio.work.memo import Memo

# Shares of the leg from which on a figure is worth a second look.
_SKATE, _DEPTH = 0.01, 0.03


@dataclass(frozen=True)
class QualityRow:
    """One figure of a result: what it is, how much, what that means, and whether it is good."""

    name: str
    value: str
    meaning: str
    good: bool = True


def figures(motion: Motion) -> list[QualityRow]:
    """The figures that tell most about a motion."""
    found = quality(motion)
    seams = len(found.seams)
    return [
        QualityRow("length", f"{motion.duration:.2f} s", f"{len(motion)} frames"),
        QualityRow(
            "contacts",
            str(len(found.plants)),
            "times that a heel, toe or hand is planted",
        ),
        QualityRow(
            "skating",
            f"{found.skate_mean:.2%}",
            "how far planted feet move per frame, as a share of the leg length; "
            f"most {found.skate_max:.2%}",
            found.skate_mean < _SKATE,
        ),
        QualityRow(
            "below floor",
            f"{found.penetration_max:.1%}",
            "how deep the feet go below the floor at most, as a share of the leg length",
            found.penetration_max < _DEPTH,
        ),
        QualityRow("jumps", str(seams), "frames between which a joint jumps", seams == 0),
    ]


_measured: Memo[list[QualityRow]] = Memo()


class QualityTable:
    """The figures in the status bar, and the end of the panel: the same on every screen."""

    def __init__(self, page: Host) -> None:
        self.page = page
        self._latest = Latest()
        self._table: ui.element | None = None

    def build_bar(self) -> None:
        """Make the place for the figures."""
        self._table = ui.element("div").classes("mw-figures")

    def build_panel(self) -> None:
        """Make what can be done with a result."""
        with ui.element("section").classes("mw-section mw-result"):
            self._clean = widgets.Switch(
                "Plant the feet", "Hold planted feet where they stand (clean-up)", self._set_clean
            )
            self._worn = widgets.button(
                "",
                self._undress,
                icon="checkroom",
                title="Show results on their own characters",
                kind="quiet",
            )
            with self._worn:
                self._wearer = ui.label("")
            self._build_carried()
            with ui.element("div").classes("mw-row"):
                self._back = widgets.button(
                    "To the shelf",
                    self.page.put_back,
                    icon="add_to_photos",
                    title="Use the result as a new input (K)",
                )
                self._queue = widgets.button(
                    "Add to sequence",
                    self.page.put_in_sequence,
                    icon="queue",
                    title="Make it the last block of the sequence (A)",
                )

    def _build_carried(self) -> None:
        """A grip by which the result is dragged elsewhere; the buttons beside it do the same."""
        with ui.element("div").classes("mw-carried") as self._carried:
            widgets.symbol("drag_indicator")
            ui.label("Result")
        self._carried.props.update({"draggable": "true", "aria-hidden": "true"})
        self._carried.props["title"] = "Drag the result to the shelf or into the sequence"
        self._carried.on("dragstart", js_handler=carrying_marked())

    def _set_clean(self, on: bool) -> None:
        session = self.page.session
        session.set("common", replace(session.settings("common"), clean=on), "foot clean-up")

    def _undress(self) -> None:
        session = self.page.session
        common = replace(session.settings("common"), worn="")
        session.set("common", common, "the character of the results")

    def refresh(self) -> None:
        """Bring the switch and the name of the chosen character up to the document."""
        document = self.page.session.document
        self._clean.set(document.settings["common"].clean)
        clip = performer_of(document)
        self._worn.set_visibility(clip is not None)
        self._wearer.set_text("" if clip is None else f"{clip.name} ✕")

    def show(self, result: Result | None, *, kind: str = "", what: str = "") -> None:
        """Measure a result and show the figures; they stay until the next ones are there.

        ``kind`` and ``what`` say what it is to whoever drags it, see `dragging`.
        """
        there = result is not None
        widgets.enable(self._back, there and kind != CLIP)
        widgets.enable(self._queue, there and (kind, what) != (MADE, "sequence"))
        widgets.mark(self._carried, "dim", not there)
        disabled = "false" if there else "true"
        self._carried.props.update(
            {"data-kind": kind, "data-what": what, "aria-disabled": disabled}
        )
        if result is None:
            self._latest.cancel()
            self._fill([])
            return
        motion = result.motion
        self._latest.submit(
            lambda: _measured.get((motion,), None, lambda: figures(motion)), self._told
        )

    async def rest(self) -> None:
        """Return when the figures are those of what was shown last."""
        await self._latest.rest()

    def _told(self, outcome: Outcome[list[QualityRow]]) -> None:
        self._fill(outcome.value or [])

    def _fill(self, rows: list[QualityRow]) -> None:
        if self._table is None or self._table.is_deleted:
            return
        self._table.clear()
        with self._table:
            for row in rows:
                with ui.element("div") as one:
                    ui.label(row.name)
                    ui.label(row.value).classes("mw-value")
                one.props["title"] = row.meaning
                widgets.mark(one, "bad", not row.good)
