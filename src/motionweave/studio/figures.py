"""What holds for every result: how good it is, whether feet are planted, where it goes next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from motionweave.core.motion import Motion
from motionweave.studio import widgets
from motionweave.studio.document import Common
from motionweave.studio.jobs import Latest, Outcome

if TYPE_CHECKING:
    from motionweave.studio.app import Page
    from motionweave.studio.screens.screen import Result


class Figures:
    """The lower end of the panel, the same on every screen."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._latest = Latest()
        with widgets.section("Result", classes="mw-result"):
            self._clean = widgets.Switch(
                "Plant the feet", "Hold planted feet where they stand (clean-up)", self._set_clean
            )
            self._table = ui.element("dl").classes("mw-figures")
            self._back = widgets.button(
                "Put on the shelf",
                page.put_back,
                icon="add_to_photos",
                title="Use the result as a new input (K)",
            )

    def _set_clean(self, on: bool) -> None:
        self.page.session.set("common", Common(clean=on), "foot clean-up")

    def refresh(self) -> None:
        """Bring the switch up to the document."""
        self._clean.set(self.page.session.settings("common").clean)

    def show(self, result: Result | None) -> None:
        """Measure a result and show the figures; they stay until the next ones are there."""
        widgets.enable(self._back, result is not None)
        if result is None:
            self._latest.cancel()
            self._fill({})
            return
        motion = result.motion
        self._latest.submit(lambda: figures(motion), self._told)

    def _told(self, outcome: Outcome[dict[str, str]]) -> None:
        if not self._table.is_deleted:
            self._fill(outcome.value or {})

    def _fill(self, rows: dict[str, str]) -> None:
        self._table.clear()
        with self._table:
            for name, value in rows.items():
                with ui.element("div"):
                    ui.label(name)
                    ui.label(value).classes("mw-value")


def figures(motion: Motion) -> dict[str, str]:
    """A few figures of a motion, as names and texts."""
    return {
        "length": f"{motion.duration:.2f} s · {len(motion)} frames",
        "contacts": str(len(motion.constraints)),
    }
