"""What the studio works on: clips on a shelf, and the settings of every screen.

A document is never changed; every edit makes a new one that shares what stayed the same. So
undo is going back to an earlier document, and work in the background can hold on to the
document that it was started with.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from motionweave.body.mirror import mirror
from motionweave.core.motion import Motion
from motionweave.errors import FormatError, MotionError
from motionweave.samples.clips import sample
from motionweave.studio.document.character import Character


@dataclass(frozen=True, eq=False)
class ShelfClip:
    """One clip on the shelf: where it came from, and what was done to it there.

    Parameters
    ----------
    id
        Unique in the document; what the settings of screens refer to.
    name
        As shown; the file's name without its folder and suffix at first.
    original
        The motion as it was loaded; None if it could not be.
    origin
        ``"sample"``, ``"file"`` or ``"result"``.
    source
        The sample's name, the file's name, or the call that made the result.
    trim
        First and last frame that are kept, or None for all.
    mirrored
        Whether left and right are exchanged.
    warnings
        What loading it had to say.
    error
        Why it could not be loaded.
    character
        The body with a mesh that came with it, if one did.
    """

    id: str
    name: str
    original: Motion | None
    origin: str = "file"
    source: str = ""
    trim: tuple[int, int] | None = None
    mirrored: bool = False
    warnings: tuple[str, ...] = ()
    error: str = ""
    character: Character | None = None

    @cached_property
    def motion(self) -> Motion:
        """The clip with its edits; an error if it could not be loaded."""
        if self.original is None:
            raise MotionError(f"{self.name} could not be loaded: {self.error}")
        motion = self.original
        if self.trim is not None:
            motion = motion[self.trim[0] : self.trim[1] + 1]
        if self.mirrored:
            motion = mirror(motion)
        return replace(motion, name=self.name)

    @property
    def usable(self) -> bool:
        """Whether there is a motion."""
        return self.original is not None


@dataclass(frozen=True)
class Common:
    """What holds on every screen.

    Parameters
    ----------
    clean
        Whether feet are planted.
    worn
        Id of the clip whose character performs all results; empty for the clips' own bodies.
    """

    clean: bool = True
    worn: str = ""


@dataclass(frozen=True)
class Document:
    """What is worked on, and the project that it is.

    Parameters
    ----------
    clips
        The shelf.
    settings
        By screen name its settings (a frozen dataclass each).
    title
        What the project is called; empty while it has no name.
    path
        The file that it is saved to; without one it is downloaded.
    """

    clips: tuple[ShelfClip, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    title: str = ""
    path: Path | None = None

    def of(self, other: Document) -> Document:
        """The same content as the project that another document is."""
        return replace(self, title=other.title, path=other.path)

    def clip(self, clip_id: str) -> ShelfClip | None:
        """The clip with that id, if it is (still) on the shelf."""
        return next((clip for clip in self.clips if clip.id == clip_id), None)

    def usable(self, ids: tuple[str, ...]) -> list[ShelfClip]:
        """Those of the named clips that are on the shelf and have a motion, in that order."""
        found = [self.clip(clip_id) for clip_id in ids]
        return [clip for clip in found if clip is not None and clip.usable]

    def with_clip(self, clip: ShelfClip) -> Document:
        """The document with a clip added, or put in the place of the one with its id."""
        if self.clip(clip.id) is None:
            return replace(self, clips=(*self.clips, clip))
        return replace(self, clips=tuple(clip if c.id == clip.id else c for c in self.clips))

    def without_clip(self, clip_id: str) -> Document:
        """The document with a clip taken off the shelf."""
        return self.without_clips({clip_id})

    def without_clips(self, ids: Collection[str]) -> Document:
        """The document with several clips taken off the shelf."""
        return replace(self, clips=tuple(clip for clip in self.clips if clip.id not in ids))

    def with_settings(self, name: str, settings: Any) -> Document:
        """The document with other settings of a screen."""
        return replace(self, settings={**self.settings, name: settings})

    def new_id(self) -> str:
        """An id that no clip has."""
        taken = {clip.id for clip in self.clips}
        return next(f"c{n}" for n in range(1, len(taken) + 2) if f"c{n}" not in taken)


@lru_cache(maxsize=128)
def built_in(name: str) -> Motion:
    """A built-in clip: the same object every time, so that what is known of it is known again."""
    return sample(name)


def unique_name(document: Document, wanted: str) -> str:
    """``wanted``, with a number if a clip is called that already."""
    taken = {clip.name for clip in document.clips}
    if wanted not in taken:
        return wanted
    return next(f"{wanted} {n}" for n in range(2, len(taken) + 3) if f"{wanted} {n}" not in taken)


def settings_to_json(settings: Any) -> dict[str, Any]:
    """Settings as plain values."""
    return dataclasses.asdict(settings)


def settings_from_json(cls: type, data: Any) -> Any:
    """Settings of a class from plain values; fields that are not there keep their defaults.

    Raises
    ------
    FormatError
        If a value is not of the field's kind.
    """
    if not isinstance(data, Mapping):
        raise FormatError(f"settings of {cls.__name__}: expected names and values")
    kinds = typing.get_type_hints(cls)
    known = {
        f.name: _shaped(data[f.name], kinds[f.name], f"{cls.__name__}.{f.name}")
        for f in dataclasses.fields(cls)
        if f.name in data
    }
    return cls(**known)


def _shaped(value: Any, kind: Any, what: str) -> Any:
    """A JSON value as the kind that a field is declared to have."""
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    wrong = FormatError(f"{what}: {value!r} is not what is expected there")
    if origin in (typing.Union, types.UnionType):
        if value is None and type(None) in parts:
            return None
        for part in parts:
            if part is type(None):
                continue
            try:
                return _shaped(value, part, what)
            except FormatError:
                continue
        raise wrong
    if origin is typing.Literal:
        if value not in parts:
            raise wrong
        return value
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise wrong
        if len(parts) == 2 and parts[1] is Ellipsis:
            return tuple(_shaped(one, parts[0], what) for one in value)
        if len(value) != len(parts):
            raise wrong
        return tuple(_shaped(one, part, what) for one, part in zip(value, parts, strict=True))
    if origin is dict:
        if not isinstance(value, Mapping):
            raise wrong
        return {
            _shaped(key, parts[0], what): _shaped(one, parts[1], what) for key, one in value.items()
        }
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return settings_from_json(kind, value)
    if kind is float and isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if kind in (int, bool, str) and type(value) is kind:
        return value
    raise wrong
