"""The containers of glTF 2.0: JSON with its buffers, as ``.gltf`` or as one ``.glb``.

Nothing here knows what a joint is; that is `motionweave.io.gltf.format`. Every index, type and
size that a file states is checked before it is used.
"""

from __future__ import annotations

import base64
import binascii
import json
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from motionweave.core.arrays import Array
from motionweave.core.checks import MOST_SAMPLES, shown
from motionweave.core.parsing import parse_json
from motionweave.errors import FormatError

_MAGIC, _JSON, _BINARY = b"glTF", 0x4E4F534A, 0x004E4942
_TYPES = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
_LARGEST_FILE = 1 << 31
# Keys and matrices; what comes of them is checked again.
_LARGEST = 1e12
FLOAT, USHORT, UINT = 5126, 5123, 5125


@dataclass
class Gltf:
    """A glTF file that was read: its JSON and its buffers, ``stored`` bytes in all.

    `get` and `item` return values of the JSON if they have the type that glTF requires.
    """

    json: dict[str, Any]
    path: Path
    binary: bytes | None = None
    stored: int = 0
    _buffers: dict[int, bytes] = field(default_factory=dict)
    _lists: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    _taken: int = 0

    def fail(self, reason: str) -> FormatError:
        return FormatError(reason, self.path)

    def get(self, entry: dict[str, Any], key: str, kind: type, default: Any = None) -> Any:
        """An entry's property, the default if it has none, `FormatError` if it is odd."""
        value = entry.get(key, default)
        if value is default:
            return default
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value) if abs(value) < 1e30 else float("inf")
        if not isinstance(value, kind) or isinstance(value, bool):
            raise self.fail(f"{key}: expected {kind.__name__}, found {shown(value)}")
        if isinstance(value, float) and not np.isfinite(value):
            raise self.fail(f"{key}: expected a finite number")
        return value

    def items(self, key: str) -> list[dict[str, Any]]:
        """A list of objects at the top of the JSON."""
        if key not in self._lists:
            rows = self.get(self.json, key, list, [])
            if not all(isinstance(one, dict) for one in rows):
                raise self.fail(f"{key}: expected objects")
            self._lists[key] = rows
        return self._lists[key]

    def item(self, key: str, index: Any) -> dict[str, Any]:
        """One of them."""
        rows = self.items(key)
        if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < len(rows):
            raise self.fail(f"there is no number {shown(index)} in {key}")
        return rows[index]

    def numbers(self, entry: dict[str, Any], key: str, default: list[float]) -> Array:
        """A row of numbers, as many as the default has."""
        rows = self.get(entry, key, list, default)
        plain = all(isinstance(one, int | float) and abs(one) < _LARGEST for one in rows)
        if not plain or len(rows) != len(default):
            raise self.fail(f"{key}: expected {len(default)} numbers")
        return np.array(rows, dtype=np.float64)

    # Buffers

    def _buffer(self, index: Any) -> bytes:
        entry = self.item("buffers", index)
        if index not in self._buffers:
            uri = self.get(entry, "uri", str)
            if uri is None:
                if index != 0 or self.binary is None:
                    raise self.fail(f"buffer {index} has no data")
                self._buffers[index] = self.binary
            elif uri.startswith("data:"):
                self._buffers[index] = self.decoded(uri.partition(",")[2], f"buffer {index}")
            else:
                self._buffers[index] = self._beside(uri)
        return self._buffers[index]

    def decoded(self, text: str, what: str) -> bytes:
        """The bytes that are written into the JSON."""
        try:
            return base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            raise self.fail(f"{what} is not valid base64") from None

    def only_buffer(self) -> bytes:
        """The data of a file that has one buffer, inside it."""
        buffers = self.items("buffers")
        uri = str(buffers[0].get("uri", "data:")) if buffers else ""
        if len(buffers) != 1 or not uri.startswith("data:"):
            raise self.fail("its data is not in one buffer inside the file; save it as GLB")
        return self._buffer(0)

    def view_bytes(self, index: Any) -> bytes:
        """All bytes of a buffer view."""
        length = self.get(self.item("bufferViews", index), "byteLength", int, 0)
        return self._view(index, 0, length, np.uint8, 1).tobytes()

    def _beside(self, uri: str) -> bytes:
        name = unquote(uri)
        if "\0" in name or ":" in name or Path(name).is_absolute() or ".." in Path(name).parts:
            raise self.fail(f"the buffer {uri[:40]!r} is not in the folder of the file")
        place = self.path.parent / name
        if not place.is_file():
            raise self.fail(f"the buffer {uri[:40]!r} is missing")
        if place.stat().st_size > _LARGEST_FILE:
            raise self.fail(f"the buffer {uri[:40]!r} is too large")
        data = place.read_bytes()
        self.stored += len(data)
        return data

    def _view(self, index: Any, offset: int, count: int, dtype: Any, width: int) -> NDArray[Any]:
        """Rows ``(count, width)`` in a buffer view."""
        view = self.item("bufferViews", index)
        data = self._buffer(self.get(view, "buffer", int))
        start = self.get(view, "byteOffset", int, 0)
        length = self.get(view, "byteLength", int, 0)
        size = np.dtype(dtype).itemsize * width
        stride = self.get(view, "byteStride", int, size)
        if min(start, length, offset, count) < 0 or start + length > len(data) or stride < size:
            raise self.fail(f"buffer view {index} does not fit its buffer")
        if count and offset + (count - 1) * stride + size > length:
            raise self.fail(f"buffer view {index} is too short for its accessor")
        rows = np.ndarray(
            (count, width),
            dtype,
            data,
            start + offset,
            (stride, np.dtype(dtype).itemsize),
        )
        return rows.copy()

    def accessor(self, index: Any, kind: str) -> Array:
        """Numbers ``(count, width)`` of an accessor that must be of a kind such as ``"VEC3"``."""
        entry = self.item("accessors", index)
        if entry.get("type") != kind:
            raise self.fail(f"accessor {index}: expected {kind}, found {shown(entry.get('type'))}")
        width = _WIDTHS[kind]
        dtype = self._dtype(entry)
        count = self.get(entry, "count", int, 0)
        # Many accessors may read one buffer, and sparse ones need none.
        self._taken += max(count, 0) * width
        if count <= 0 or self._taken > 4 * (MOST_SAMPLES + self.stored):
            raise self.fail(f"accessor {index} has {shown(count)} entries, which is impossible")
        sparse = self.get(entry, "sparse", dict)
        if "bufferView" in entry:
            offset = self.get(entry, "byteOffset", int, 0)
            raw = self._view(entry["bufferView"], offset, count, dtype, width)
        elif sparse is not None:
            raw = np.zeros((count, width), dtype=dtype)
        else:
            raise self.fail(f"accessor {index} has no data")
        if sparse is not None:
            self._fill_in(raw, sparse, index, dtype)
        with np.errstate(invalid="ignore"):
            # NaN is checked below.
            values = raw.astype(np.float64)
        if entry.get("normalized") is True and np.dtype(dtype).kind in "iu":
            values = np.maximum(values / np.iinfo(dtype).max, -1.0)
        if not np.all(np.isfinite(values)) or np.abs(values).max() > _LARGEST:
            raise self.fail(
                f"accessor {index} contains numbers that are not finite or out of range"
            )
        return values

    def _dtype(self, entry: dict[str, Any]) -> Any:
        code = self.get(entry, "componentType", int)
        if code not in _TYPES:
            raise self.fail(f"component type {code}: expected one of {sorted(_TYPES)}")
        return np.dtype(_TYPES[code])

    def _fill_in(self, raw: NDArray[Any], sparse: dict[str, Any], index: Any, dtype: Any) -> None:
        count = self.get(sparse, "count", int, 0)
        at, given = self.get(sparse, "indices", dict, {}), self.get(sparse, "values", dict, {})
        if count > len(raw):
            raise self.fail(f"accessor {index} replaces more entries than it has")
        offset = self.get(at, "byteOffset", int, 0)
        rows = self._view(at.get("bufferView"), offset, count, self._dtype(at), 1)[:, 0]
        if rows.dtype.kind == "f" or (count and not 0 <= rows.min() <= rows.max() < len(raw)):
            raise self.fail(f"accessor {index} replaces entries that it does not have")
        offset = self.get(given, "byteOffset", int, 0)
        raw[rows.astype(np.intp)] = self._view(
            given.get("bufferView"), offset, count, dtype, raw.shape[1]
        )


def open_gltf(path: Path) -> Gltf:
    """Read the container of a ``.glb`` or ``.gltf`` file, whichever it is."""
    try:
        if path.stat().st_size > _LARGEST_FILE:
            raise FormatError("the file is larger than 2 GB", path)
        data = path.read_bytes()
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror or error}", path) from error
    text, binary = data, None
    if data[:4] == _MAGIC:
        text, binary = _chunks(data, path)
    content = parse_json(text, path)
    if not isinstance(content, dict) or not isinstance(content.get("asset"), dict):
        raise FormatError("this is not a glTF file: its JSON has no asset", path)
    version = content["asset"].get("version", "")
    if not isinstance(version, str) or not version.startswith("2"):
        raise FormatError(f"glTF version {shown(version)}: only version 2 can be read", path)
    required = content.get("extensionsRequired")
    if isinstance(required, list) and "EXT_meshopt_compression" in required:
        raise FormatError("the file is packed (EXT_meshopt_compression); unpack it first", path)
    return Gltf(content, path, binary, len(data))


def _chunks(data: bytes, path: Path) -> tuple[bytes, bytes | None]:
    """JSON and binary chunk of a GLB."""
    text, binary = None, None
    at = 12
    if len(data) < 20 or struct.unpack_from("<I", data, 4)[0] != 2:
        raise FormatError("this is not a GLB file of version 2", path)
    while at + 8 <= len(data):
        length, kind = struct.unpack_from("<II", data, at)
        chunk = data[at + 8 : at + 8 + length]
        if len(chunk) < length:
            raise FormatError("the file is cut off", path)
        if kind == _JSON and text is None:
            text = chunk
        elif kind == _BINARY and binary is None:
            binary = chunk
        at += 8 + length
    if text is None:
        raise FormatError("the GLB file has no JSON", path)
    return text, binary


@dataclass
class GltfWriter:
    """Collects the JSON and the one buffer of a file to be written."""

    json: dict[str, Any] = field(default_factory=dict)
    data: bytearray = field(default_factory=bytearray)

    def add(self, key: str, entry: dict[str, Any]) -> int:
        """Append an object to a list at the top of the JSON; its index."""
        rows = self.json.setdefault(key, [])
        rows.append(entry)
        return len(rows) - 1

    def accessor(
        self,
        values: NDArray[Any],
        kind: str,
        component: int = FLOAT,
        *,
        target: int | None = None,
        bounds: bool = False,
    ) -> int:
        """Append numbers ``(count, width)``; the index of their accessor."""
        rows = np.ascontiguousarray(values, dtype=_TYPES[component])
        rows = rows.reshape(-1, _WIDTHS[kind])
        self.data.extend(b"\0" * (-len(self.data) % 4))
        view: dict[str, Any] = {
            "buffer": 0,
            "byteOffset": len(self.data),
            "byteLength": rows.nbytes,
        }
        if target is not None:
            view["target"] = target
        self.data.extend(rows.tobytes())
        entry: dict[str, Any] = {
            "bufferView": self.add("bufferViews", view),
            "componentType": component,
            "count": len(rows),
            "type": kind,
        }
        if bounds:
            entry["min"] = [float(one) for one in rows.min(axis=0)]
            entry["max"] = [float(one) for one in rows.max(axis=0)]
        return self.add("accessors", entry)

    def save(self, path: Path) -> None:
        """Write a GLB, or for ``.gltf`` JSON with its buffer inside."""
        self.data.extend(b"\0" * (-len(self.data) % 4))
        buffer: dict[str, Any] = {"byteLength": len(self.data)}
        self.json["buffers"] = [buffer]
        if path.suffix.lower() == ".gltf":
            encoded = base64.b64encode(self.data).decode("ascii")
            buffer["uri"] = f"data:application/octet-stream;base64,{encoded}"
            path.write_text(json.dumps(self.json, separators=(",", ":")), encoding="utf-8")
            return
        text = json.dumps(self.json, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        total = 12 + 8 + len(text) + 8 + len(self.data)
        with path.open("wb") as file:
            file.write(_MAGIC + struct.pack("<II", 2, total))
            file.write(struct.pack("<II", len(text), _JSON) + text)
            file.write(struct.pack("<II", len(self.data), _BINARY) + self.data)
