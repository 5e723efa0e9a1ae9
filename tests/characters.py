"""Characters with meshes, as another program would write them."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from motionweave.core.motion import Motion
from motionweave.io.gltf.container import GltfWriter, open_gltf
from motionweave.io.gltf.format import write_several


def picture(size: int = 8) -> bytes:
    """A red square as PNG."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    rows = (b"\0" + b"\xd0\x20\x20" * size) * size
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        [chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b"")]
    )


def write_character(path: Path, *motions: Motion, armature: bool = False) -> Path:
    """A body with a mesh and a picture on it, without our note.

    With ``armature`` its joints hang on a node that is turned and scaled, as Blender has it.
    """
    write_several(motions, path)
    gltf = open_gltf(path)
    del gltf.json["skins"][0]["extras"]
    for one in gltf.json["animations"]:
        one.pop("extras", None)
    assert gltf.binary is not None
    out = GltfWriter(gltf.json, bytearray(gltf.binary))
    out.data.extend(b"\0" * (-len(out.data) % 4))
    data = picture()
    view = {"buffer": 0, "byteOffset": len(out.data), "byteLength": len(data)}
    image = {"bufferView": out.add("bufferViews", view), "mimeType": "image/png"}
    out.data.extend(data)
    texture = out.add("textures", {"source": out.add("images", image)})
    out.json["materials"][0]["pbrMetallicRoughness"] = {"baseColorTexture": {"index": texture}}
    for primitive in out.json["meshes"][0]["primitives"]:
        places = gltf.accessor(primitive["attributes"]["POSITION"], "VEC3")[:, :2]
        primitive["attributes"]["TEXCOORD_0"] = out.accessor(places, "VEC2")
    if armature:
        _hang(out)
    out.save(path)
    return path


def _hang(out: GltfWriter) -> None:
    """Put the joints under a node that stands for another unit and another axis up."""
    half = float(np.sqrt(0.5))
    node: dict[str, Any] = {
        "name": "Armature",
        "rotation": [half, 0.0, 0.0, half],
        "scale": [0.5, 0.5, 0.5],
        "children": [0],
    }
    above = out.add("nodes", node)
    out.json["scenes"][0]["nodes"] = [above, *out.json["scenes"][0]["nodes"][1:]]
