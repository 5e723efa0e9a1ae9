"""What the server holds for all its tabs: one session, the packed motions, the project's file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from motionweave.clips import motion_files
from motionweave.core.runtime.cache import Recent
from motionweave.errors import MotionweaveError
from motionweave.studio.document.document import Document, ShelfClip
from motionweave.studio.document.session import Session
from motionweave.studio.files.project import SUFFIX, load_project, project_bytes, save_project
from motionweave.studio.files.recent import RecentProject, RecentProjects
from motionweave.studio.files.upload import MOST_CLIPS, Received, add_files, sample_clip
from motionweave.studio.screens import SCREENS
from motionweave.studio.view.payload import PayloadStore
from motionweave.studio.view.result import Result
from motionweave.studio.work.jobs import Outcome

# Names of the built-in clips that a new session starts with.
_FIRST_CLIPS = (
    "walk", "jog", "sneak", "walk_left", "walk_right", "kick_high", "jump", "landing",
    "dance_a", "dance_b", "reach_high",
)  # fmt: skip
# Results that are shown again at once, as by undo or on the way back to a screen.
_OUTCOMES = 12


class Workspace:
    """One document and what belongs to it; tabs are views of it."""

    def __init__(self) -> None:
        self.session = Session({screen.name: screen.Settings for screen in SCREENS})
        self.store = PayloadStore()
        #: What came of the last few requests, with the documents that their clips are of.
        self.outcomes: Recent[tuple[Document, Outcome[Result]]] = Recent(_OUTCOMES)
        #: Recent projects, which are remembered if there is a folder for that.
        self.recent = RecentProjects()
        #: Whether it goes on with unsaved work, and nobody has been told yet.
        self.restored = False

    @property
    def name(self) -> str:
        """What the project is called."""
        return self.session.document.title or "Untitled"

    @classmethod
    def open(cls, paths: Sequence[Path] = ()) -> Workspace:
        """A workspace with a project, with clips of files, or with the built-in clips."""
        workspace = cls()
        session = workspace.session
        if len(paths) == 1 and paths[0].suffix.lower() == SUFFIX:
            opened = load_project(paths[0], session.kinds)
            session.replace(replace(opened, title=paths[0].stem, path=paths[0]))
            return workspace
        document = session.empty()
        if paths:
            files = motion_files(paths)
            if len(files) > MOST_CLIPS:
                raise MotionweaveError(
                    f"there are {len(files)} motion files, and the shelf holds {MOST_CLIPS}; name "
                    "fewer, or start the studio without any and open the folder as a library"
                )
            document, _ = add_files(document, [Received(path.name, path) for path in files])
        else:
            for name in _FIRST_CLIPS:
                document = document.with_clip(sample_clip(document, name))
        session.replace(opening(document))
        return workspace

    def save(self) -> Path | None:
        """Write the project back to its file; None if it has none."""
        document = self.session.document
        if document.path is not None:
            save_project(document, document.path)
            self.recent.add(document.title, path=document.path)
            self.session.mark_saved()
        return document.path

    def saved_elsewhere(self) -> tuple[bytes, str]:
        """The project as a file to be downloaded, and what to call it; it is safe from now on."""
        document = self.session.document
        data, title = project_bytes(document), document.title or "project"
        self.recent.add(title, data=data)
        self.session.mark_saved()
        return data, f"{title}{SUFFIX}"

    def reopen(self, recent: RecentProject, document: Document) -> None:
        """Go on with a recent project that was read."""
        path = None if recent.copied else recent.path
        self.recent.add(recent.title, path=recent.path)
        self.session.open(replace(document, title=recent.title, path=path), "opening a project")


def opening(document: Document) -> Document:
    """The document with its first clips in use, so that something moves at once."""
    usable = [clip for clip in document.clips if clip.usable]
    for screen in SCREENS:
        clips = _first(usable, screen.first)
        if clips and len(clips) >= min(screen.first, 2):
            settings = document.settings[screen.name]
            ids = tuple(clip.id for clip in clips)
            document = document.with_settings(screen.name, screen.with_clips(settings, ids))
    return document


def _first(clips: Sequence[ShelfClip], count: int) -> list[ShelfClip]:
    """The first clips of the first one's skeleton."""
    alike = [
        c
        for c in clips
        if c.original is not None
        and clips[0].original is not None
        and c.original.skeleton.names == clips[0].original.skeleton.names
    ]
    return alike[:count]
