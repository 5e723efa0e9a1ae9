"""``.mwproj`` files: a whole session in one file.

The file is a ZIP archive. ``project.json`` says in which version it is, and holds the shelf and
the settings of all screens; clips from files and results are stored whole (each array a
``.npy`` member), built-in clips by name.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from motionweave.errors import FormatError, MotionweaveError
from motionweave.io.archive import motion_from, motion_header
from motionweave.io.atomic import atomic_path
from motionweave.samples.clips import sample
from motionweave.studio.document import Clip, Document, settings_from_json, settings_to_json

SUFFIX = ".mwproj"
FORMAT = "motionweave project"
VERSION = 1
_HEADER = "project.json"
# An archive that unpacks to more than this was not made by us.
_MOST_BYTES = 2_000_000_000


def save_project(document: Document, path: str | Path) -> None:
    """Write a project file, whole or not at all."""
    with atomic_path(path) as temporary:
        temporary.write_bytes(project_bytes(document))


def project_bytes(document: Document) -> bytes:
    """A project file in memory."""
    arrays: dict[str, np.ndarray] = {}

    def keep(name: str, array: np.ndarray) -> str:
        member = f"{name}.npy"
        arrays[member] = np.asarray(array)
        return member

    header = {
        "format": FORMAT,
        "version": VERSION,
        "clips": [_clip_header(clip, keep) for clip in document.clips],
        "settings": {name: settings_to_json(one) for name, one in document.settings.items()},
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_HEADER, json.dumps(header, indent=1))
        for member, array in arrays.items():
            data = io.BytesIO()
            np.save(data, array, allow_pickle=False)
            archive.writestr(member, data.getvalue())
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
    path = source if isinstance(source, str | Path) else None
    try:
        with zipfile.ZipFile(source) as archive:
            if sum(info.file_size for info in archive.infolist()) > _MOST_BYTES:
                raise FormatError("the project unpacks to more than it can hold", path)
            header = _header(archive, path)

            def fetch(member: str) -> np.ndarray:
                with archive.open(member) as data:
                    return np.lib.format.read_array(io.BytesIO(data.read()), allow_pickle=False)

            return _document(header, fetch, kinds)
    except (zipfile.BadZipFile, EOFError) as error:
        raise FormatError(f"this is not a project file ({error})", path) from None
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror or error}", path) from error
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise FormatError(f"the project file is damaged ({error})", path) from None


def _header(archive: zipfile.ZipFile, path: str | Path | None) -> dict[str, Any]:
    if _HEADER not in archive.namelist():
        raise FormatError(f"this is not a project file: it has no {_HEADER}", path)
    header = json.loads(archive.read(_HEADER))
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise FormatError("this is not a project file", path)
    version = header.get("version")
    if not isinstance(version, int) or version < 1:
        raise FormatError(f"project file of unknown version {version!r}", path)
    if version > VERSION:
        raise FormatError(
            f"written as version {version} of the project format, this program knows up to "
            f"{VERSION}: update motionweave",
            path,
        )
    return header


def _clip_header(clip: Clip, keep: Any) -> dict[str, Any]:
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
    return header


def _document(header: dict[str, Any], fetch: Any, kinds: Mapping[str, type]) -> Document:
    clips = tuple(_clip(one, fetch) for one in header["clips"])
    if len({clip.id for clip in clips}) != len(clips):
        raise ValueError("two clips have one id")
    stored = header["settings"]
    settings = {
        name: settings_from_json(kind, stored.get(name, {})) for name, kind in kinds.items()
    }
    return Document(clips, settings)


def _clip(header: dict[str, Any], fetch: Any) -> Clip:
    original, error = None, str(header["error"])
    try:
        if header["origin"] == "sample":
            original = sample(header["source"])
        elif "motion" in header:
            original = motion_from(header["motion"], fetch)
    except MotionweaveError as problem:
        error = str(problem)
    trim = header["trim"]
    if trim is not None and original is not None:
        first, last = (int(frame) for frame in trim)
        if not 0 <= first <= last < len(original):
            raise ValueError(f"frames {first} to {last} are not in {header['name']}")
        trim = (first, last)
    return Clip(
        id=str(header["id"]),
        name=str(header["name"]),
        original=original,
        origin=str(header["origin"]),
        source=str(header["source"]),
        trim=trim,
        mirrored=bool(header["mirrored"]),
        warnings=tuple(map(str, header["warnings"])),
        error=error,
    )
