"""What screens know of the page that they are on, and nothing of how it is built."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from motionweave.core.motion import Motion
from motionweave.studio.document.character import Character
from motionweave.studio.document.session import Session
from motionweave.studio.view.result import NewClip, Result
from motionweave.studio.view.viewport import Viewport


class Chooser(Protocol):
    """The screen that is open, as the shelf sees it."""

    @property
    def settings(self) -> Any:
        """Its settings; ``clips`` are those in use."""

    def toggle(self, clip_id: str) -> None:
        """Take a clip in, or leave it out."""


class Placer(Protocol):
    """Puts things on the shelf and in the sequence; what they are is said as in `dragging`."""

    def to_shelf(self, kind: str, what: str) -> None:
        """Put something on the shelf."""

    def to_sequence(self, kind: str, what: str, index: int | None = None) -> None:
        """Put something in the sequence: at a place, or last."""

    def gather(self, load: Callable[[], Sequence[NewClip]]) -> None:
        """Load pieces off the event loop, and put them on the shelf."""


class Host(Protocol):
    """A page: one browser tab."""

    session: Session

    @property
    def viewport(self) -> Viewport:
        """Where what is made is shown."""

    @property
    def result(self) -> Result | None:
        """What is shown, if anything is."""

    @property
    def placing(self) -> Placer:
        """Who puts things on the shelf and in the sequence."""

    @property
    def alone(self) -> str | None:
        """Id of the clip that is shown alone, if one is."""

    @property
    def chooser(self) -> Chooser:
        """The screen that is open."""

    def show_alone(self, clip_id: str) -> None:
        """Show one clip of the shelf, or go back to the result."""

    def put_back(self) -> None:
        """Put the result on the shelf."""

    def put_in_sequence(self) -> None:
        """Put what is on screen in the sequence as its last block."""

    def export_motion(
        self, motion: Motion, suffix: str, character: Character | None = None
    ) -> None:
        """Hand a motion to the user as a file."""

    def make_again(self) -> None:
        """Make the result anew although nothing was changed on the page."""

    def browse(self) -> None:
        """Let the user choose files."""
