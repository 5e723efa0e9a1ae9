"""Results as files that the browser downloads."""

from __future__ import annotations

import importlib.util
import io
import re
import tempfile
import zipfile
from pathlib import Path

from motionweave.clips import save
from motionweave.core.motion import Motion
from motionweave.io.gltf.onto import write_onto
from motionweave.io.registry import formats
from motionweave.rendering.render import render
from motionweave.studio.document.character import Character

WITH_CONTACTS = "+contacts"
# Moving pictures, and the packages that it takes to make them.
_PICTURES = {
    ".mp4": ("Video (.mp4)", ("imageio_ffmpeg",)),
    ".gif": ("Animated image (.gif)", ("PIL",)),
    ".html": ("Web page that plays it (.html)", ()),
}
# Of a picture, in pixels.
_SIZE = (960, 540)
# What most people want, before all others.
_USUAL = (".bvh", ".glb", ".fbx")
# Files that are written beside those of another suffix, and need no choice of their own.
_BESIDE = (".asf",)
# What tells suffixes of one format apart.
_VARIANTS = {".usdc": "Binary", ".usda": "Text", ".usd": "Binary", ".usdz": "Package"}

#: By label the suffix, or the choice between several.
Choices = dict[str, "str | Choices"]


def choices() -> Choices:
    """What can be exported here: every format once, with a choice of suffixes where it has more."""
    written = [
        one
        for one in formats()
        if one.write is not None and all(importlib.util.find_spec(m) for m in one.modules)
    ]
    usual: Choices = {
        f"{one.name} ({suffix})": suffix
        for suffix in _USUAL
        for one in written
        if suffix in one.suffixes
    }
    others: Choices = {}
    for one in written:
        rest = [suffix for suffix in one.suffixes if suffix not in (*_USUAL, *_BESIDE)]
        if len(rest) == 1:
            others[f"{one.name} ({rest[0]})"] = rest[0]
        elif rest:
            others[one.name] = {f"{_VARIANTS.get(s, one.name)} ({s})": s for s in rest}
    pictures: Choices = {
        label: suffix
        for suffix, (label, modules) in _PICTURES.items()
        if all(importlib.util.find_spec(module) is not None for module in modules)
    }
    with_contacts: Choices = {"BVH with contacts (.zip)": f".bvh{WITH_CONTACTS}"}
    return {**usual, **pictures, **others, **with_contacts}


def to_file(motion: Motion, suffix: str, character: Character | None = None) -> tuple[bytes, str]:
    """The content and the name of the file; an archive where a format needs several.

    ``character`` is who performs it: in a format with meshes it is drawn with its own.
    """
    suffix, _, beside = suffix.partition("+")
    stem = _stem(motion.name)
    with tempfile.TemporaryDirectory(prefix="motionweave-") as folder:
        path = Path(folder) / f"{stem}{suffix}"
        onto = None if character is None else Path(folder) / f"character{character.suffix}"
        if onto is not None and character is not None:
            onto.write_bytes(character.data)
        if suffix in _PICTURES:
            render(motion, path, size=_SIZE, mesh=True if onto is None else onto)
        elif onto is not None and suffix == ".glb":
            write_onto(motion, onto, path)
        else:
            save(motion, path, contacts=bool(beside))
        if onto is not None:
            onto.unlink()
        written = sorted(Path(folder).iterdir())
        if len(written) == 1:
            return path.read_bytes(), path.name
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for one in written:
                archive.write(one, one.name)
        return buffer.getvalue(), f"{stem}.zip"


def file_name(motion: Motion, suffix: str) -> str:
    """What the file will be called."""
    return f"{_stem(motion.name)}{suffix.partition('+')[0]}"


def _stem(name: str) -> str:
    """A file name that every system takes."""
    return re.sub(r"[^A-Za-z0-9._-]+", "_", name.replace("%", "")).strip("._")[:60] or "motion"
