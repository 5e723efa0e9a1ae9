"""Where motions are put: on the shelf as new clips, and in the sequence as new blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from nicegui import background_tasks, ui

from motionweave.studio.document.document import Document, ShelfClip, unique_name
from motionweave.studio.files.upload import MOST_CLIPS
from motionweave.studio.screens.sequence.model import MOST_BLOCKS, Block, SequenceSettings
from motionweave.studio.ui.dragging import CLIP, MADE
from motionweave.studio.view.result import NewClip
from motionweave.studio.work.jobs import Outcome, in_thread

if TYPE_CHECKING:
    from motionweave.studio.page.page import Page


def on_shelf(document: Document, pieces: Sequence[NewClip]) -> tuple[Document, tuple[str, ...]]:
    """The document with a new clip for each piece, and their ids; what has no room is left out."""
    ids = []
    for piece in pieces[: MOST_CLIPS - len(document.clips)]:
        name = unique_name(document, piece.name)
        clip = ShelfClip(document.new_id(), name, piece.motion, "result", piece.source)
        document = document.with_clip(clip)
        ids.append(clip.id)
    return document, tuple(ids)


def in_sequence(document: Document, ids: Sequence[str], index: int | None = None) -> Document:
    """The document with clips of the shelf as new blocks: from a place in the row on, or last."""
    settings: SequenceSettings = document.settings["sequence"]
    at = len(settings.blocks) if index is None else index
    for clip_id in ids[: MOST_BLOCKS - len(settings.blocks)]:
        settings = settings.inserted(Block(settings.new_id(), clip_id), at)
        at += 1
    return document.with_settings("sequence", settings)


def _known(document: Document, piece: NewClip) -> str | None:
    """The clip of the shelf that is just this piece, if there is one."""
    for clip in document.clips:
        motion = clip.motion if clip.usable else None
        if (
            motion is not None
            and len(motion) == len(piece.motion)
            and motion.skeleton == piece.motion.skeleton
            and np.array_equal(motion.root, piece.motion.root)
            and np.array_equal(motion.rotations, piece.motion.rotations)
        ):
            return clip.id
    return None


class Placing:
    """Puts what is dragged, or on screen, on the shelf or in the sequence, each as one step."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def to_shelf(self, kind: str, what: str) -> None:
        """Put something on the shelf; clips are there already."""
        if kind != CLIP:
            self._loaded(kind, what, self._shelved)

    def to_sequence(self, kind: str, what: str, index: int | None = None) -> None:
        """Put something in the sequence, and on the shelf if it is not a clip of it yet."""
        if kind != CLIP:
            self._loaded(kind, what, lambda pieces: self._sequenced(pieces, index))
            return
        document = self.page.session.document
        if document.usable((what,)):
            self._tell_sequenced(document, (what,), index)

    def _loaded(self, kind: str, what: str, then: Callable[[Sequence[NewClip]], None]) -> None:
        """Go on with what something is when that is known."""
        if kind == MADE:
            result, document = self.page.showing.result_of(what), self.page.session.document
            if result is None:
                ui.notify("This result is no longer there.", classes="mw-toast")
                return
            screen = self.page.screens[what]
            name = result.motion.name or screen.title
            then((NewClip(name, result.motion, screen.recipe(document).python),))
            return
        name, _, found = what.partition(":")
        load = self.page.screens[name].pieces(found) if name in self.page.screens else None
        if load is not None:
            self.gather(load, then)

    def gather(
        self,
        load: Callable[[], Sequence[NewClip]],
        then: Callable[[Sequence[NewClip]], None] | None = None,
    ) -> None:
        """Load pieces off the event loop, then put them on the shelf, or do something else."""

        async def task() -> None:
            outcome: Outcome[Sequence[NewClip]] = await in_thread(load)
            with self.page.viewport:
                if outcome.value is None:
                    ui.notify(outcome.error, classes="mw-toast")
                else:
                    (then or self._shelved)(outcome.value)

        background_tasks.create(task())

    def _shelved(self, pieces: Sequence[NewClip]) -> None:
        document, ids = on_shelf(self.page.session.document, pieces)
        if len(ids) == 1:
            clip = document.clip(ids[0])
            assert clip is not None
            said, label = f"{clip.name} is on the shelf.", f"{clip.name} on the shelf"
        else:
            said, label = f"{len(ids)} clips are on the shelf.", "adding what was found"
        self.page.session.change(document, label)
        ui.notify(said, classes="mw-toast")

    def _sequenced(self, pieces: Sequence[NewClip], index: int | None) -> None:
        document = self.page.session.document
        ids: list[str] = []
        for piece in pieces:
            known = _known(document, piece)
            if known is None:
                document, new = on_shelf(document, (piece,))
                ids += new
            else:
                ids.append(known)
        self._tell_sequenced(document, ids, index)

    def _tell_sequenced(self, document: Document, ids: Sequence[str], index: int | None) -> None:
        before = len(document.settings["sequence"].blocks)
        document = in_sequence(document, ids, index)
        if not ids or len(document.settings["sequence"].blocks) == before:
            ui.notify("There is no room for more in the sequence.", classes="mw-toast")
            return
        names = ", ".join(clip.name for clip in document.usable(tuple(ids)))
        self.page.session.change(document, f"adding {names} to the sequence")
        if self.page.active.name != "sequence":
            place = (before if index is None else index) + 1
            ui.notify(f"{names} is block {place} of the sequence.", classes="mw-toast")
