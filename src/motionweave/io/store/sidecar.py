"""Contacts in a small JSON file beside a clip, to be read and edited by people.

``walk.contacts.json`` belongs to ``walk.bvh`` (or ``walk.glb`` ...) in the same folder.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from motionweave.core.checks import number, shown
from motionweave.core.constraints import Constraint, clipped
from motionweave.core.motion import Motion
from motionweave.core.parsing import parse_json, read_text
from motionweave.errors import FormatError, MotionError
from motionweave.io.store.atomic import atomic_path

SUFFIX = ".contacts.json"
_FORMAT = "motionweave contacts"
_VERSION = 1
# Frames are written to this many decimals.
_DECIMALS = 4


def beside(path: str | Path) -> Path:
    """Where the contacts of a clip are kept."""
    return Path(path).with_suffix(SUFFIX)


def save_contacts(motion: Motion, path: str | Path, *, clip: str = "") -> None:
    """Write a motion's constraints as JSON.

    Parameters
    ----------
    motion
        Whose constraints; its length and frame rate are noted too.
    path
        The JSON file.
    clip
        Name of the clip's file, for the reader's information.
    """
    inside = clipped(motion.constraints, 0.0, len(motion) - 1.0)
    contacts = [json.dumps(_entry(one)) for one in inside]
    head = {
        "format": _FORMAT,
        "version": _VERSION,
        "clip": clip or motion.name,
        "frames": len(motion),
        "fps": motion.fps,
    }
    # One contact a line: easy to edit, and easy to compare.
    lines = ",\n    ".join(contacts)
    text = json.dumps(head, indent=2, ensure_ascii=False)[:-2]
    listed = f"[\n    {lines}\n  ]" if contacts else "[]"
    with atomic_path(path) as temporary:
        temporary.write_text(f'{text},\n  "contacts": {listed}\n}}\n', encoding="utf-8")


def load_contacts(path: str | Path, *, frames: int | None = None) -> tuple[Constraint, ...]:
    """Read constraints that `save_contacts` wrote or a person edited.

    Parameters
    ----------
    path
        The JSON file.
    frames
        How many frames the clip has; a file made for another length is an error.
    """
    path = Path(path)
    data = parse_json(read_text(path), path)
    if not isinstance(data, dict) or not isinstance(data.get("contacts"), list):
        raise FormatError('expected an object with a list "contacts"', path)
    version = data.get("version", _VERSION)
    if not isinstance(version, int) or version > _VERSION:
        raise FormatError(
            f"version {shown(version)} of the contacts is newer than this motionweave knows", path
        )
    made_for = data.get("frames")
    if frames is not None and made_for is not None and made_for != frames:
        raise FormatError(
            f"these contacts are for a clip of {shown(made_for)} frames, but it has {frames}; "
            "delete the file or write it again with 'motionweave contacts'",
            path,
        )
    last = math.inf if frames is None else frames - 1
    return tuple(
        sorted(
            _constraint(entry, index, last, path) for index, entry in enumerate(data["contacts"])
        )
    )


def remove_stale(path: str | Path, *, frames: int) -> None:
    """Remove contacts that cannot be those of a clip of this many frames."""
    path = Path(path)
    if path.is_file():
        try:
            load_contacts(path, frames=frames)
        except FormatError:
            path.unlink()


def _entry(one: Constraint) -> dict[str, Any]:
    return {"kind": one.kind, "start": _short(one.start), "end": _short(one.end)}


def _short(frame: float) -> float | int:
    value = round(frame, _DECIMALS)
    return int(value) if value == int(value) else value


def _constraint(entry: Any, index: int, last: float, path: Path) -> Constraint:
    what = f"contact {index + 1}"
    if not isinstance(entry, dict):
        raise FormatError(f"{what}: expected an object with kind, start and end", path)
    kind = entry.get("kind")
    if not isinstance(kind, str) or not kind:
        raise FormatError(
            f'{what}: expected a "kind" such as "left_heel", found {shown(kind)}', path
        )
    try:
        start, end = (number(entry.get(key), f"{what}: {key}") for key in ("start", "end"))
    except MotionError as error:
        raise FormatError(str(error), path) from None
    if not 0 <= start <= end <= last:
        raise FormatError(
            f"{what} ({shown(kind)}): frames {start:g} to {end:g} are not an interval of the "
            f"clip's frames 0 to {last:g}",
            path,
        )
    try:
        return Constraint(start, end, kind)
    except MotionError as error:
        raise FormatError(f"{what}: {error}", path) from None
