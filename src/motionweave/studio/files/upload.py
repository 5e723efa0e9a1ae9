"""Files from outside: read, or kept with the reason why not. Their names never name a path."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from motionweave.body.pose.tpose import tpose_frames
from motionweave.clips import load
from motionweave.io.acclaim.takes import skeleton_for
from motionweave.io.registry import suffixes
from motionweave.studio.document.character import read_character
from motionweave.studio.document.document import Document, ShelfClip, built_in, unique_name
from motionweave.studio.work.jobs import attempt

# Of one upload.
MOST_BYTES = 100_000_000
MOST_FILES = 60
# On the shelf.
MOST_CLIPS = 500
# Of one file with several animations.
MOST_ANIMATIONS = 40
_LONGEST_NAME = 80


@dataclass(frozen=True)
class Received:
    """A file as it came: what it is called, and where it was put."""

    name: str
    path: Path


def display_name(name: str) -> str:
    """A file's name without folders and anything that is not plain text, never empty.

    Of one that is too long to be shown the end stays, which says what it is.
    """
    plain = _plain(name)
    if len(plain) > _LONGEST_NAME:
        suffix = safe_suffix(name)
        plain = f"{plain[: _LONGEST_NAME - len(suffix) - 1]}…{suffix}"
    return plain


def _plain(name: str) -> str:
    last = PurePosixPath(name.replace("\\", "/")).name
    return "".join(c for c in last if c.isprintable()).strip() or "unnamed"


def safe_suffix(name: str) -> str:
    """The suffix if it is one that a format has, or belongs to a sidecar; else none."""
    suffix = _suffix(name)
    return suffix if suffix in {*suffixes(), ".json", ".contacts.json", ".mwproj"} else ""


def _suffix(name: str) -> str:
    """What a file's name ends with, whatever that is."""
    lower = _plain(name).lower()
    if lower.endswith(".contacts.json"):
        return ".contacts.json"
    found = re.search(r"\.[a-z0-9]{1,8}$", lower)
    return found.group() if found else ""


# What files are that hold no motion of a skeleton, and what can be done with them.
_OTHERS = {
    "a picture": ".png .jpg .jpeg .gif .webp .svg .bmp .tif .tiff",
    "a document": ".pdf .doc .docx .txt .md .csv .xls .xlsx .html",
    "a video: motion cannot be read from pictures here": ".mp4 .mov .avi .mkv .webm",
    "an archive: unpack it, and drop the files that are in it": ".zip .rar .7z .tar .gz .tgz",
    "markers without a skeleton: fit a skeleton to them first, and export that as BVH": ".c3d .trc",
    "a scene of another program: export it from there as glTF or BVH": ".blend .ma .mb .max .c4d",
    "a mesh without motion": ".obj .stl .ply",
}


def why_not(name: str) -> str:
    """Why a file of that name is not for the shelf; empty if it may be."""
    suffix = _suffix(name)
    if safe_suffix(name) and suffix != ".c3d":
        return ""
    readable = ", ".join(one for one in suffixes() if one not in (".c3d", ".json"))
    what = next((what for what, known in _OTHERS.items() if suffix in known.split()), "")
    shown = display_name(name)
    if what:
        return f"{shown} is {what}." if ":" in what else f"{shown} is {what}, not a motion file."
    ending = f"{suffix} files are not known here" if suffix else "its name has no suffix"
    return f"{shown} cannot be read: {ending}. Motion files are {readable}."


def stem_of(name: str) -> str:
    """The name without its suffix."""
    shown = display_name(name)
    suffix = safe_suffix(name)
    return shown[: -len(suffix)] if suffix and len(shown) > len(suffix) else shown


def clip_of(document: Document, received: Received, **options: Any) -> ShelfClip:
    """A shelf entry for a file; one that cannot be read says why.

    A T-pose in front of the motion is trimmed away: no screen should begin with a flash of it.
    """
    reason = why_not(received.name)
    if reason:
        return _unread(document, received, reason)
    outcome = attempt(lambda: load(received.path, **options))
    shown = display_name(received.name)

    def spoken(text: str) -> str:
        # Messages name the file as the user knows it, not where it was put.
        return text.replace(str(received.path), shown)

    motion = outcome.value
    trim = None
    if motion is not None and (posed := tpose_frames(motion)):
        trim = posed, len(motion) - 1
    return ShelfClip(
        id=document.new_id(),
        name=unique_name(document, stem_of(received.name)),
        original=motion,
        origin="file",
        source=shown,
        trim=trim,
        warnings=tuple(spoken(text) for text in outcome.warnings),
        error=spoken(outcome.error),
    )


def _with_character(clip: ShelfClip, received: Received) -> ShelfClip:
    """The clip with the mesh of its file, if it has one that can be shown."""
    body = clip.original
    if body is None:
        return clip
    found = attempt(lambda: read_character(received.path, stem_of(received.name), body))
    if found.problem is not None:
        reason = f"its mesh cannot be shown: {found.error}".replace(str(received.path), clip.source)
        return replace(clip, warnings=(*clip.warnings, reason))
    return replace(clip, character=found.value)


def _unread(document: Document, received: Received, reason: str) -> ShelfClip:
    return ShelfClip(
        id=document.new_id(),
        name=unique_name(document, stem_of(received.name)),
        original=None,
        source=display_name(received.name),
        error=reason,
    )


def _animations(document: Document, received: Received) -> list[ShelfClip]:
    """Shelf entries for all animations of a file, each with its name."""
    plain = clip_of(document, received)
    first = _with_character(plain, received)
    told = first.warnings[len(plain.warnings) :]
    names = () if first.original is None else first.original.source.get("animations", ())
    if len(names) < 2:
        return [first]
    clips = []
    for number, name in enumerate(names[:MOST_ANIMATIONS]):
        clip = clip_of(document, received, animation=number)
        stem = f"{stem_of(received.name)} {display_name(str(name))}"
        clip = replace(
            clip,
            name=unique_name(document, stem),
            character=first.character,
            warnings=(*clip.warnings, *told),
        )
        document = document.with_clip(clip)
        clips.append(clip)
    return clips


def add_files(document: Document, files: Sequence[Received]) -> tuple[Document, list[ShelfClip]]:
    """The document with clips for all motion files added.

    Sidecars go with their clips, and skeletons (ASF) with the takes (AMC) that came with them,
    by their names or because there is only one.
    """
    skeletons = {stem_of(f.name): f.path for f in files if safe_suffix(f.name) == ".asf"}
    takes = any(safe_suffix(f.name) == ".amc" for f in files)
    left_out = {".contacts.json", ".json", *([".asf"] if takes else [])}
    added = []
    for one in files:
        suffix = safe_suffix(one.name)
        if suffix in left_out:
            continue
        if suffix == ".amc":
            clips = [_take(document, one, skeletons)]
        else:
            clips = _animations(document, one)
        for clip in clips:
            document = document.with_clip(clip)
        added += clips
    return document, added


def _take(document: Document, take: Received, skeletons: Mapping[str, Path]) -> ShelfClip:
    """A shelf entry for a take, with the skeleton among those that came with it."""
    shown = display_name(take.name)
    if not skeletons:
        reason = f"{shown} has no skeleton in it: drop it again together with its ASF file."
        return _unread(document, take, reason)
    asf = skeleton_for(stem_of(take.name), skeletons)
    if asf is not None:
        return clip_of(document, take, asf=asf)
    names = ", ".join(f"{name}.asf" for name in skeletons)
    reason = f"{shown}: which skeleton is it for, {names}? Add it again with that one alone."
    return _unread(document, take, reason)


def sample_clip(document: Document, name: str) -> ShelfClip:
    """A shelf entry for a built-in clip."""
    return ShelfClip(
        id=document.new_id(),
        name=unique_name(document, name),
        original=built_in(name),
        origin="sample",
        source=name,
    )


class Inbox:
    """A folder for one upload, with names of our own making; gone when it is closed."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="motionweave-")
        self._stems: dict[str, str] = {}

    def path_for(self, name: str) -> Path:
        """Where to put a file; files of one name but for the suffix stay together."""
        stem = self._stems.setdefault(stem_of(name), f"clip{len(self._stems)}")
        path = Path(self._folder.name) / f"{stem}{safe_suffix(name)}"
        return path if not path.exists() else path.with_name(f"{path.name}.again{path.suffix}")

    def close(self) -> None:
        """Remove it."""
        self._folder.cleanup()
