"""Files from outside: read, or kept with the reason why not. Their names never name a path."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from motionweave.io.clips import load
from motionweave.io.registry import suffixes
from motionweave.samples.clips import sample
from motionweave.studio.document import Clip, Document, unique_name
from motionweave.studio.jobs import attempt

# Of one upload.
MOST_BYTES = 100_000_000
MOST_FILES = 60
# On the shelf.
MOST_CLIPS = 300
_LONGEST_NAME = 80


@dataclass(frozen=True)
class Received:
    """A file as it came: what it is called, and where it was put."""

    name: str
    path: Path


def display_name(name: str) -> str:
    """A file's name without folders and anything that is not plain text, never empty."""
    last = PurePosixPath(name.replace("\\", "/")).name
    printable = "".join(c for c in last if c.isprintable()).strip()
    return printable[:_LONGEST_NAME] or "unnamed"


def safe_suffix(name: str) -> str:
    """The suffix if it is one that a format has, or belongs to a sidecar; else none."""
    lower = display_name(name).lower()
    if lower.endswith(".contacts.json"):
        return ".contacts.json"
    found = re.search(r"\.[a-z0-9]{1,8}$", lower)
    known = {*suffixes(), ".json", ".mwproj"}
    return found.group() if found and found.group() in known else ""


def stem_of(name: str) -> str:
    """The name without its suffix."""
    shown = display_name(name)
    suffix = safe_suffix(name)
    return shown[: -len(suffix)] if suffix and len(shown) > len(suffix) else shown


def clip_of(document: Document, received: Received) -> Clip:
    """A shelf entry for a file; one that cannot be read says why."""
    outcome = attempt(lambda: load(received.path))
    shown = display_name(received.name)

    def spoken(text: str) -> str:
        # Messages name the file as the user knows it, not where it was put.
        return text.replace(str(received.path), shown)

    return Clip(
        id=document.new_id(),
        name=unique_name(document, stem_of(received.name)),
        original=outcome.value,
        origin="file",
        source=shown,
        warnings=tuple(spoken(text) for text in outcome.warnings),
        error=spoken(outcome.error),
    )


def add_files(document: Document, files: Sequence[Received]) -> tuple[Document, list[Clip]]:
    """The document with clips for all motion files added; sidecars go with their clips."""
    added = []
    for one in files:
        if safe_suffix(one.name) in (".contacts.json", ".json"):
            continue
        clip = clip_of(document, one)
        document = document.with_clip(clip)
        added.append(clip)
    return document, added


def sample_clip(document: Document, name: str) -> Clip:
    """A shelf entry for a built-in clip."""
    return Clip(
        id=document.new_id(),
        name=unique_name(document, name),
        original=sample(name),
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
