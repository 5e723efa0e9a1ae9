"""Files that are not what they say they are."""

from __future__ import annotations

import io
import json
import struct
import tempfile
import zipfile
from functools import cache
from pathlib import Path

from motionweave.clips import save
from motionweave.samples.clips import sample

MEGABYTE = bytes(1 << 20)


@cache
def broken_files() -> dict[str, bytes]:
    """By name, content that no format can read; names are none that a disk could do without."""
    walk = whole("walk.bvh")
    return {
        "truncated.bvh": walk[: 2 * len(walk) // 3],
        "cut in its head.bvh": walk[:200],
        "text.bvh": b"Dear diary,\ntoday I walked.\n",
        "empty.bvh": b"",
        "empty.glb": b"",
        "empty.npz": b"",
        "empty.amc": b"",
        "bomb.npz": bomb(None),
        "truncated.npz": whole("walk.npz")[:-200],
        "text.npz": b"no archive",
        "wild.glb": wild_glb(),
        "truncated.glb": whole("walk.glb")[:-1000],
        "text.glb": b"glTF is what this is not",
        "noise.fbx": bytes(range(256)) * 8,
        "noise.c3d": bytes(range(256)) * 8,
        "noise.usda": b"#usda 1.0\ndef Skeleton {",
        "alone.amc": b":FULLY-SPECIFIED\n1\nroot 0 0 0 0 0 0\n",
        "../../x.bvh": b"HIERARCHY",
        "..\\..\\windows\\x.bvh": b"HIERARCHY",
        "n\u00e4chtlich \U0001f43e \u6b69\u304f.bvh": b"HIERARCHY",
        "x" * 3000 + ".bvh": b"HIERARCHY",
        "movie.mp4": bytes(100),
    }


def whole(name: str) -> bytes:
    """The walk as a file of that suffix."""
    with tempfile.TemporaryDirectory() as folder:
        save(sample("walk"), Path(folder) / name)
        return (Path(folder) / name).read_bytes()


def bomb(header: str | None, size: int = 300) -> bytes:
    """A small archive that unpacks to so many megabytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        if header is not None:
            archive.writestr(header, "{}")
        with archive.open("zeros.npy", "w") as member:
            for _ in range(size):
                member.write(MEGABYTE)
    return buffer.getvalue()


def wild_glb() -> bytes:
    """A GLB whose accessors point far outside its buffer."""
    document = {
        "asset": {"version": "2.0"},
        "buffers": [{"byteLength": 16}],
        "bufferViews": [{"buffer": 0, "byteOffset": 2**40, "byteLength": 2**40}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 2**40, "type": "SCALAR"},
            {"bufferView": 99, "componentType": 5126, "count": 4, "type": "VEC4"},
        ],
        "nodes": [{"name": "root"}],
        "scenes": [{"nodes": [0]}],
        "animations": [
            {
                "samplers": [{"input": 0, "output": 1}],
                "channels": [{"sampler": 0, "target": {"node": 0, "path": "rotation"}}],
            }
        ],
    }
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text
    chunks += struct.pack("<II", 16, 0x004E4942) + bytes(16)
    return b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks
