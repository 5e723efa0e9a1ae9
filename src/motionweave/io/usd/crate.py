"""A look at a binary USD file before USD's own reader, which believes any count it reads.

A few damaged bytes make that reader ask for more memory than there is. Sections must lie
in the file, and what they say to hold must be possible for their size.
"""

from __future__ import annotations

import struct
from pathlib import Path

from motionweave.errors import FormatError

_MAGIC = b"PXR-USDC"
_ENTRY = struct.Struct("<16sqq")
# LZ4 makes at most 255 bytes of one; the packed integers before it take a quarter byte.
_BYTES, _INTEGERS = 255, 4 * 255


def check_crate(data: bytes, path: Path) -> None:
    """Refuse a binary file whose sections cannot be; other files are left to USD."""
    if not data.startswith(_MAGIC):
        return
    try:
        sections = _sections(data)
    except struct.error:
        sections = None
    if sections is None or not all(_possible(*one) for one in sections.items()):
        raise FormatError("the binary USD file is broken or cut off", path)


def _sections(data: bytes) -> dict[bytes, bytes] | None:
    start = struct.unpack_from("<q", data, 16)[0]
    # The table of contents is the last thing in the file.
    if not 0 < start <= len(data) - 8:
        return None
    count = struct.unpack_from("<Q", data, start)[0]
    if start + 8 + count * _ENTRY.size != len(data):
        return None
    sections = {}
    for index in range(count):
        name, at, size = _ENTRY.unpack_from(data, start + 8 + index * _ENTRY.size)
        if at < 0 or size < 0 or at + size > start:
            return None
        sections[name.rstrip(b"\0")] = data[at : at + size]
    return sections


def _possible(name: bytes, data: bytes) -> bool:
    """Whether a section can hold as much as its first numbers say."""
    try:
        if name == b"TOKENS":
            tokens, size, packed = struct.unpack_from("<QQQ", data)
            return packed <= len(data) and size <= _BYTES * packed + 64 and tokens <= size
        if name == b"STRINGS":
            return bool(4 * struct.unpack_from("<Q", data)[0] <= len(data))
        if name in (b"FIELDS", b"FIELDSETS", b"SPECS"):
            count, packed = struct.unpack_from("<QQ", data)
            return packed <= len(data) and count <= _INTEGERS * max(packed, 1)
        if name == b"PATHS":
            paths, written, packed = struct.unpack_from("<QQQ", data)
            return written <= paths and packed <= len(data) and paths <= _INTEGERS * max(packed, 1)
    except struct.error:
        return False
    return True
