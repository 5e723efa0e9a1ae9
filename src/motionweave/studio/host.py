"""What the parts of a page know of it: enough to work with it, and nothing of how it is built."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from motionweave.core.motion import Motion
from motionweave.studio.characters import Character
from motionweave.studio.remarks import Remark
from motionweave.studio.session import Session
from motionweave.studio.viewport import Look, Viewport


@dataclass(frozen=True, eq=False)
class Result:
    """What a screen made.

    Parameters
    ----------
    motion
        What is exported, measured and put back on the shelf.
    looks
        What is shown; the first is the main character.
    inputs
        What it was made from, to compare with.
    details
        Whatever the screen's own widgets show.
    remarks
        What the screen has to say about it, beside the warnings of the library.
    character
        Who performs it, if it is a body with a mesh of its own.
    """

    motion: Motion
    looks: tuple[Look, ...]
    inputs: tuple[Motion, ...] = ()
    details: Any = None
    remarks: tuple[Remark, ...] = ()
    character: Character | None = None


@dataclass(frozen=True, eq=False)
class NewClip:
    """What can become a clip: its name, its motion, and where that came from."""

    name: str
    motion: Motion
    source: str


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
    viewport: Viewport
    result: Result | None

    @property
    def placing(self) -> Placer:
        """Who puts things on the shelf and in the sequence."""

    #: The clip that is shown by itself, if one is.
    solo: str | None

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
