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
from motionweave.studio.characters import Character

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


def choices() -> dict[str, str]:
    """What to call each way of exporting, by suffix: every format that can be written here."""
    found = {}
    for one in formats():
        if one.write is None or any(importlib.util.find_spec(m) is None for m in one.modules):
            continue
        for suffix in one.suffixes:
            found[suffix] = f"{one.name} ({suffix})"
    usual = {suffix: found[suffix] for suffix in _USUAL if suffix in found}
    pictures = {
        suffix: label
        for suffix, (label, modules) in _PICTURES.items()
        if all(importlib.util.find_spec(module) is not None for module in modules)
    }
    return {**usual, **pictures, **found, f".bvh{WITH_CONTACTS}": "BVH with contacts (.zip)"}


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
