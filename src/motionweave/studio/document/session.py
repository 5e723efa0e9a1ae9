"""The session: the document as it is now, what it was before, and who wants to know."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from motionweave.studio.document.document import Common, Document

# Steps that can be undone. Documents share their motions, so a step costs next to nothing.
_STEPS = 200

Listener = Callable[[], None]


class Session:
    """One document with undo and redo, shown by any number of browser tabs.

    Parameters
    ----------
    kinds
        The settings class of every screen, by its name.
    """

    def __init__(self, kinds: Mapping[str, type]) -> None:
        self.kinds = {"common": Common, **kinds}
        self.document = self.empty()
        self.saved: Document | None = None
        self._undo: list[tuple[str, Document]] = []
        self._redo: list[tuple[str, Document]] = []
        self._merge: str | None = None
        self._listeners: list[Listener] = []

    def empty(self) -> Document:
        """A document without clips, every screen with its first settings."""
        return Document(settings={name: kind() for name, kind in self.kinds.items()})

    def settings(self, name: str) -> Any:
        """The settings of a screen now."""
        return self.document.settings[name]

    # Changing

    def change(
        self, document: Document, label: str, *, merge: str | None = None, final: bool = False
    ) -> None:
        """Go on with another document.

        Parameters
        ----------
        document
            What it is from now on.
        label
            What was done, for the undo button.
        merge
            Changes in a row with the same word here are one step: all of a drag is undone
            at once. `settle` ends the row, and so does ``final``.
        final
            Whether this is the last of the row.
        """
        if document is self.document:
            if final:
                self.settle()
            return
        if merge is None or merge != self._merge:
            self._undo = [*self._undo, (label, self.document)][-_STEPS:]
        self._merge = None if final else merge
        self._redo = []
        self.document = document
        self.tell()

    def set(
        self,
        name: str,
        settings: Any,
        label: str,
        *,
        merge: str | None = None,
        final: bool = False,
    ) -> None:
        """Change the settings of a screen."""
        if settings != self.settings(name):
            document = self.document.with_settings(name, settings)
            self.change(document, label, merge=merge, final=final)
        elif final:
            self.settle()

    def settle(self) -> None:
        """A drag has ended: what comes next is a new step."""
        if self._merge is not None:
            self._merge = None
            self.tell()

    def replace(self, document: Document) -> None:
        """Begin with a document; there is nothing to undo."""
        self._undo, self._redo, self._merge = [], [], None
        self.document = self.saved = document
        self.tell()

    def open(self, document: Document, label: str) -> None:
        """Go on with a document that was saved; undo brings back the one before."""
        self.saved = document
        self.change(document, label)

    def mark_saved(self) -> None:
        """The document as it is now is safe."""
        self.saved = self.document
        self.tell()

    @property
    def dirty(self) -> bool:
        """Whether there is something that was not saved."""
        return self.document is not self.saved

    @property
    def live(self) -> bool:
        """Whether the user is in the middle of a drag."""
        return self._merge is not None

    # Going back

    @property
    def undoable(self) -> str:
        """What undo would take back; empty if there is nothing."""
        return self._undo[-1][0] if self._undo else ""

    @property
    def redoable(self) -> str:
        """What redo would do again; empty if there is nothing."""
        return self._redo[-1][0] if self._redo else ""

    def undo(self) -> bool:
        """Take back the last step; False if there is none."""
        return self._step(self._undo, self._redo)

    def redo(self) -> bool:
        """Do again what was taken back last; False if there is nothing."""
        return self._step(self._redo, self._undo)

    def _step(self, source: list[tuple[str, Document]], target: list[tuple[str, Document]]) -> bool:
        if not source:
            return False
        label, document = source.pop()
        target.append((label, self.document))
        self._merge = None
        self.document = document
        self.tell()
        return True

    # Listening

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call ``listener`` after every change; returns what ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def tell(self) -> None:
        """Call all listeners."""
        for listener in tuple(self._listeners):
            listener()
