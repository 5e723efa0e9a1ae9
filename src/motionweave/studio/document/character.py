"""Characters that users bring: the mesh of a glTF file, as the browser wants it.

A character is a 32-bit little-endian length, that many bytes of JSON (padded with blanks to a
multiple of four), then the arrays that the JSON names, then the pictures on the mesh.
"""

from __future__ import annotations

import json
import struct
import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from motionweave.core.motion import Motion
from motionweave.io.gltf.mesh import SkinnedMesh, read_mesh
from motionweave.rendering.skin import carried

# Files whose meshes can be shown.
SUFFIXES = (".glb", ".gltf", ".vrm")
# The browser gets no more than this of a character; a larger one is shown as the usual body.
_MOST_BYTES = 80_000_000


@dataclass(frozen=True, eq=False)
class Character:
    """A body with a mesh; clips of one file share theirs.

    Parameters
    ----------
    name
        The file's, without its suffix.
    data
        The file.
    suffix
        Its kind.
    """

    name: str
    data: bytes
    suffix: str = ".glb"

    @cached_property
    def mesh(self) -> SkinnedMesh | None:
        """The mesh of the file; None if it has none of its own."""
        with tempfile.TemporaryDirectory(prefix="motionweave-") as folder:
            path = Path(folder) / f"character{self.suffix}"
            path.write_bytes(self.data)
            return read_mesh(path)

    def packed(self, body: Motion) -> bytes:
        """What the browser needs to draw it on the joints of a motion of that body."""
        mesh = self.mesh
        assert mesh is not None
        joints, binding = carried(mesh, body)
        order = np.argsort(mesh.surface, kind="stable")
        arrays = {
            "position": mesh.bare.astype("<f4"),
            "normal": mesh.bare_normals.astype("<f4"),
            "uv": mesh.places.astype("<f4"),
            "skinWeight": mesh.weights.astype("<f4"),
            "index": mesh.triangles[order].astype("<u4"),
            "binding": binding.reshape(len(joints), 12).astype("<f4"),
            "skinIndex": mesh.joints.astype("<u2"),
        }
        counts = np.bincount(mesh.surface, minlength=len(mesh.surfaces))
        starts = np.cumsum([0, *counts[:-1]])
        header: dict[str, Any] = {
            "joints": joints.tolist(),
            "arrays": [[name, rows.dtype.str[1:], rows.size] for name, rows in arrays.items()],
            "images": [[kind, len(data)] for kind, data in mesh.images],
            "surfaces": [
                {
                    "start": 3 * int(start),
                    "count": 3 * int(count),
                    "colour": list(surface.colour),
                    "image": surface.image,
                    "bothSides": surface.both_sides,
                    "holes": surface.holes,
                }
                for surface, start, count in zip(mesh.surfaces, starts, counts, strict=True)
            ],
        }
        text = json.dumps(header, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        parts = [struct.pack("<I", len(text)), text]
        parts += [rows.tobytes() for rows in arrays.values()]
        return b"".join([*parts, *(data for _, data in mesh.images)])


def read_character(path: Path, name: str, body: Motion) -> Character | None:
    """The character in a file that a clip was read from; None if it has no mesh of its own.

    Parameters
    ----------
    path
        The file.
    name
        What to call it.
    body
        The clip: its joints carry the mesh.

    Raises
    ------
    MotionweaveError
        If the mesh is broken, or hangs on other joints.
    """
    if path.suffix.lower() not in SUFFIXES or path.stat().st_size > _MOST_BYTES:
        return None
    character = Character(name, path.read_bytes(), path.suffix.lower())
    if character.mesh is None:
        return None
    carried(character.mesh, body)
    return character
