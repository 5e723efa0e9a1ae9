"""What a screen makes, and what can become a clip."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from motionweave.core.motion import Motion
from motionweave.studio.document.character import Character
from motionweave.studio.view.viewport import Look
from motionweave.studio.work.remarks import Remark


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
