"""What all screens have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from motionweave.studio.document.document import Document
from motionweave.studio.screens.host import Host
from motionweave.studio.screens.snippets import Snippet
from motionweave.studio.view.result import NewClip, Result

# Colours of clips in the order in which they are used; the result is none of them.
SERIES = ("#4f8fd6", "#e07f42", "#3fb37a", "#a877cf", "#cfa63c", "#d9608a", "#46aebd", "#8a93a0")
RESULT = "#c9d1da"


def series(index: int) -> str:
    """The colour of the index-th clip of a screen."""
    return SERIES[index % len(SERIES)]


class Screen(ABC):
    """One way to make motion; see the package's documentation for how to write one."""

    name: ClassVar[str]
    title: ClassVar[str]
    icon: ClassVar[str]
    #: What to do when there is nothing to see yet.
    hint: ClassVar[str]
    #: A frozen dataclass; its field ``clips`` holds the ids of the clips worked on.
    Settings: ClassVar[type]
    #: How many clips the screen can work on.
    most: ClassVar[int] = 2
    #: How many it takes when the studio opens.
    first: ClassVar[int] = 2

    def __init__(self, page: Host) -> None:
        self.page = page

    @property
    def settings(self) -> Any:
        """The screen's settings now."""
        return self.page.session.settings(self.name)

    def change(
        self, label: str, *, merge: str | None = None, final: bool = False, **fields: Any
    ) -> None:
        """Change fields of the settings; with ``merge`` as part of a drag, ``final`` at its end."""
        self.page.session.set(
            self.name,
            replace(self.settings, **fields),
            label,
            merge=None if merge is None else f"{self.name}.{merge}",
            final=final,
        )

    def settle(self) -> None:
        """The end of a drag."""
        self.page.session.settle()

    @abstractmethod
    def build_panel(self) -> None:
        """Make the widgets to the right of the viewport."""

    def build_dock(self) -> None:  # noqa: B027 - a screen may do without
        """Make the widgets below the viewport; a screen without any has no dock."""

    @property
    def has_dock(self) -> bool:
        """Whether the screen has widgets below the viewport."""
        return type(self).build_dock is not Screen.build_dock

    @abstractmethod
    def refresh(self, settings: Any) -> None:
        """Bring the widgets up to the settings and the shelf."""

    @staticmethod
    @abstractmethod
    def missing(document: Document) -> str:
        """What the user has to do before anything can be made; empty if nothing."""

    @staticmethod
    @abstractmethod
    def make(document: Document, live: bool) -> Result:
        """Make the motion that the settings describe."""

    @staticmethod
    @abstractmethod
    def recipe(document: Document) -> Snippet:
        """How to make the same with the library and on the command line."""

    @staticmethod
    def with_clips(settings: Any, clips: tuple[str, ...]) -> Any:
        """The settings for other clips."""
        return replace(settings, clips=clips)

    def toggle(self, clip_id: str) -> None:
        """Take a clip of the shelf in, or leave it out; of too many the last one goes."""
        clips = tuple(clip.id for clip in self.page.session.document.usable(self.settings.clips))
        if clip_id in clips:
            clips = tuple(one for one in clips if one != clip_id)
        else:
            clips = (*clips[: self.most - 1], clip_id)
        self.page.session.set(self.name, self.with_clips(self.settings, clips), "choice of clips")

    def pieces(self, found: str) -> Callable[[], Sequence[NewClip]] | None:
        """Work that loads something that this screen lists and that was dragged from it."""
        return None

    def present(self, result: Result) -> None:  # noqa: B027 - a screen may do without
        """Bring the widgets up to what was made."""

    def key_pressed(self, key: str) -> bool:
        """A key such as ``Delete`` or ``k``; True if the screen has done something with it."""
        return False

    def key(self, document: Document) -> Hashable:
        """What the result depends on: it is made anew when this changes."""
        settings = document.settings[self.name]
        clips = tuple(
            (clip.name, id(clip.original), clip.trim, clip.mirrored)
            for clip in document.usable(settings.clips)
        )
        return (repr(settings), document.settings["common"], clips)
