"""``.mwproj`` files: a whole session in one file.

The file is a ZIP archive. ``project.json`` says in which version it is, and holds the shelf and
the settings of all screens; clips from files and results are stored whole (each array a
``.npy`` member), built-in clips by name.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from motionweave.core.checks import LONGEST_NAME, MOST_FRAMES, clean_name, name, shown, whole
from motionweave.core.motion import Motion
from motionweave.errors import FormatError, MotionweaveError
from motionweave.io.store.archive import Fetch, Keep, motion_from, motion_header
from motionweave.io.store.atomic import atomic_path
from motionweave.io.store.container import Container
from motionweave.rendering.skin import carried
from motionweave.studio.document.character import SUFFIXES, Character
from motionweave.studio.document.document import (
    Document,
    ShelfClip,
    built_in,
    settings_from_json,
    settings_to_json,
)

SUFFIX = ".mwproj"
_CONTAINER = Container("project", version=1)
_ORIGINS = ("sample", "file", "result")


def save_project(document: Document, path: str | Path) -> None:
    """Write a project file, whole or not at all."""
    with atomic_path(path) as temporary:
        temporary.write_bytes(project_bytes(document))


def project_bytes(document: Document) -> bytes:
    """A project file in memory."""

    characters = [c.character for c in document.clips if c.character is not None]
    # Clips of one file share their character, which is stored once.
    numbers = {id(one): number for number, one in enumerate(dict.fromkeys(characters))}

    def content(keep: Keep) -> dict[str, Any]:
        return {
            "clips": [_clip_header(clip, keep, numbers) for clip in document.clips],
            "characters": [
                {
                    "name": one.name,
                    "suffix": one.suffix,
                    "data": keep(f"character{numbers[id(one)]}", np.frombuffer(one.data, np.uint8)),
                }
                for one in dict.fromkeys(characters)
            ],
            "settings": {name: settings_to_json(one) for name, one in document.settings.items()},
        }

    buffer = io.BytesIO()
    _CONTAINER.write(buffer, content)
    return buffer.getvalue()


def load_project(source: str | Path | BinaryIO, kinds: Mapping[str, type]) -> Document:
    """Read a project file.

    Parameters
    ----------
    source
        The file, by path or open.
    kinds
        The settings class of every screen, by name.

    Raises
    ------
    FormatError
        If it is not a project file, is broken, or was written by a newer version.
    """
    return _CONTAINER.read(source, lambda header, fetch: _document(header, fetch, kinds))


def _clip_header(clip: ShelfClip, keep: Keep, characters: Mapping[int, int]) -> dict[str, Any]:
    header: dict[str, Any] = {
        "id": clip.id,
        "name": clip.name,
        "origin": clip.origin,
        "source": clip.source,
        "trim": clip.trim,
        "mirrored": clip.mirrored,
        "warnings": list(clip.warnings),
        "error": clip.error,
    }
    if clip.original is not None and clip.origin != "sample":
        header["motion"] = motion_header(clip.original, clip.id, keep, source=True)
    if clip.character is not None:
        header["character"] = characters[id(clip.character)]
    return header


def _document(header: dict[str, Any], fetch: Fetch, kinds: Mapping[str, type]) -> Document:
    characters = [_character(one, fetch) for one in header.get("characters", ())]
    clips = tuple(_clip(one, fetch, characters) for one in header["clips"])
    if len({clip.id for clip in clips}) != len(clips):
        raise ValueError("two clips have one id")
    stored = header["settings"]
    settings = {
        name: settings_from_json(kind, stored.get(name, {})) for name, kind in kinds.items()
    }
    return Document(clips, settings)


def _character(header: dict[str, Any], fetch: Fetch) -> Character:
    data = fetch(header["data"])
    if data.dtype != np.uint8 or header["suffix"] not in SUFFIXES:
        raise ValueError("a character that is not a file")
    title = clean_name(str(header["name"]), "character")[:LONGEST_NAME]
    return Character(title, data.tobytes(), str(header["suffix"]))


def _clip(header: dict[str, Any], fetch: Fetch, characters: Sequence[Character]) -> ShelfClip:
    original, error = None, str(header["error"])
    try:
        if header["origin"] == "sample":
            original = built_in(header["source"])
        elif "motion" in header:
            original = motion_from(header["motion"], fetch)
    except FormatError:
        raise
    except MotionweaveError as problem:
        error = str(problem)
    trim = None
    if header["trim"] is not None and original is not None:
        first, last = (whole(frame, "trim", 0, MOST_FRAMES) for frame in header["trim"])
        if not 0 <= first <= last < len(original):
            raise ValueError(f"frames {first} to {last} are not in {shown(header['name'])}")
        trim = (first, last)
    if header["origin"] not in _ORIGINS:
        raise ValueError(f"a clip from {shown(header['origin'])}")
    return ShelfClip(
        id=name(header["id"], "id of a clip"),
        name=clean_name(str(header["name"]), "clip")[:LONGEST_NAME],
        original=original,
        origin=header["origin"],
        source=str(header["source"]),
        trim=trim,
        mirrored=bool(header["mirrored"]),
        warnings=tuple(map(str, header["warnings"])),
        error=error,
        character=_worn(header, characters, original),
    )


def _worn(
    header: dict[str, Any], characters: Sequence[Character], body: Motion | None
) -> Character | None:
    """The character of a clip, if its mesh hangs on the clip's joints."""
    number = header.get("character")
    if number is None or body is None:
        return None
    character = characters[whole(number, "character", 0, len(characters) - 1)]
    if character.mesh is None:
        return None
    carried(character.mesh, body)
    return character
