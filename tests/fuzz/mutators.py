"""Damage to files, from a random generator: blind, by tokens, by structure, and inside archives.

Each mutator takes the bytes of a whole file and returns those of a bad one. The same generator
state gives the same bytes.
"""

from __future__ import annotations

import io
import json
import re
import struct
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np

Mutator = Callable[[bytes, np.random.Generator], bytes]

_NUMBERS = (
    *("0", "-1", "1", "nan", "inf", "-inf", "1e9", "1e308", "1e-320", "-0.0", "9" * 400),
    *("1.2.3", "2147483648", "-9223372036854775809", "0x10", "1e", "--1", "1_000", "٣"),
)
# Numbers that a file may well hold, so that what is accepted is tested as hard as what is not.
_MILD = (
    *("0", "-0.0", "1", "-1", "0.5", "90", "-180", "359.999", "720", "0.008333", "1e-9", "123.25"),
    *("1e5", "-1e5", "1e8", "3.0e-05"),
)
_WORDS = (
    *("", " ", "\t", "\0", "\n", "{", "}", "[", "]", "(", ")", ":", "#", '"', "\\", "\ufeff"),
    *("ROOT", "JOINT", "End Site", "OFFSET", "CHANNELS", "MOTION", "begin", "end", "root"),
    *(
        "length",
        "direction",
        "a" * 5000,
        "\udcff".encode("utf-8", "surrogatepass").decode("latin-1"),
    ),
    *("&a", "*a", "<<: *a", "!!python/object:os.system", "2001-12-14t21:59:43.10-05:00", "1:60:60"),
)
_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 1.5, 10**30, -(10**30), 10**400, 1e300, -1e300, 1e-300),
    *("", "a", "\0", "a\nb", "\ud800", "x" * 3000, "node", "../x", "-1", "nan"),
    *([], {}, [[]], {"a": []}, [None], [1, 2, 3], [0] * 16, {"array": "x"}, {"tuple": 3}),
)
_BINARY = (b"\x00", b"\xff", b"\x80", b"\x7f", b"\xff\xff\xff\xff", b"\x00\x00\x80\x7f")


def _pick(options: Any, rng: np.random.Generator) -> Any:
    return options[int(rng.integers(len(options)))]


def blind(data: bytes, rng: np.random.Generator) -> bytes:
    """Bytes changed, cut out, doubled, or put elsewhere."""
    result = bytearray(data)
    for _ in range(int(rng.integers(1, 6))):
        if not result:
            break
        at = int(rng.integers(len(result)))
        span = int(min(len(result) - at, 2 ** rng.integers(0, 8)))
        kind = int(rng.integers(6))
        if kind == 0:
            result[at] = int(rng.integers(256))
        elif kind == 1:
            del result[at : at + span]
        elif kind == 2:
            result[at:at] = result[at : at + span] * int(rng.integers(1, 5))
        elif kind == 3:
            result[at : at + span] = _pick(_BINARY, rng)
        elif kind == 4:
            del result[at:]
        else:
            value = (
                int(rng.integers(-(2**31), 2**31)) if rng.random() < 0.5 else _pick((0, -1), rng)
            )
            result[at : at + 4] = struct.pack("<i", value)
    return bytes(result)


def text(data: bytes, rng: np.random.Generator) -> bytes:
    """Words and numbers changed, lines doubled, dropped or moved."""
    said = data.decode("utf-8", "replace")
    for _ in range(int(rng.integers(1, 5))):
        kind = int(rng.integers(5))
        if kind < 3:
            pattern = r"[-+.\w]*\d[-+.\w]*" if kind == 0 else r"\S+"
            places = list(re.finditer(pattern, said))
            if not places:
                continue
            place = _pick(places, rng)
            new = _pick(_NUMBERS if kind == 0 else (*_WORDS, *_NUMBERS), rng)
            if kind == 2:
                new = _pick(places, rng).group()
            said = said[: place.start()] + new + said[place.end() :]
        else:
            lines = said.split("\n")
            at = int(rng.integers(len(lines)))
            span = lines[at : at + int(rng.integers(1, 6))]
            if kind == 3:
                del lines[at : at + len(span)]
            else:
                where = int(rng.integers(len(lines)))
                lines[where:where] = span * int(rng.integers(1, 20))
            said = "\n".join(lines)
    return said.encode("utf-8", "replace")


def numbers(data: bytes, rng: np.random.Generator) -> bytes:
    """A few numbers of a text changed into others."""
    said = data.decode("utf-8", "replace")
    for _ in range(int(rng.integers(1, 4))):
        places = list(re.finditer(r"(?<![\w.])[-+]?\d[\d.]*(?:e[-+]?\d+)?", said))
        if places:
            place = _pick(places, rng)
            said = said[: place.start()] + _pick(_MILD, rng) + said[place.end() :]
    return said.encode("utf-8", "replace")


def value(data: Any, rng: np.random.Generator) -> Any:
    """Plain values, as JSON has them, with some of them changed."""
    for _ in range(int(rng.integers(1, 4))):
        places = _places(data)
        if not places:
            return _pick(_VALUES, rng)
        holder, key = _pick(places, rng)
        kind = int(rng.integers(6))
        if kind == 0:
            del holder[key]
        elif kind == 1:
            holder[key] = _pick(_places(data) or places, rng)[0]
            # What holds itself cannot be written.
            data = json.loads(json.dumps(data, default=str)) if not _holds_itself(data) else []
        elif kind == 2 and isinstance(holder[key], list):
            holder[key] = holder[key] * int(rng.integers(0, 4))
        elif kind == 3 and isinstance(holder[key], int | float):
            holder[key] = _pick((0, -1, 1, 2**31, 1e30, holder[key] + 1, -holder[key]), rng)
        else:
            holder[key] = _pick(_VALUES, rng)
    return data


def _holds_itself(data: Any) -> bool:
    try:
        json.dumps(data, default=str)
    except (ValueError, RecursionError):
        return True
    return False


def _places(data: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    stack = [data]
    while stack and len(found) < 3000:
        one = stack.pop()
        keys = (
            list(one) if isinstance(one, dict) else range(len(one)) if isinstance(one, list) else ()
        )
        for key in keys:
            found.append((one, key))
            stack.append(one[key])
    return found


def json_text(data: bytes, rng: np.random.Generator) -> bytes:
    """JSON with its structure, its numbers or its text damaged."""
    kind = rng.random()
    if kind < 0.2:
        return text(data, rng)
    if kind < 0.4:
        return numbers(data, rng)
    if rng.random() < 0.02:
        return b"[" * int(rng.integers(50, 200_000))
    return _structure(data, rng)


def _structure(data: bytes, rng: np.random.Generator) -> bytes:
    return _dumped(value(json.loads(data), rng))


def _dumped(data: Any) -> bytes:
    try:
        return json.dumps(data).encode("utf-8", "replace")
    except (ValueError, RecursionError):
        # Numbers of too many digits, and values that hold themselves.
        return b"9" * 5000


def glb(data: bytes, rng: np.random.Generator) -> bytes:
    """A GLB file with its JSON, its numbers or its container damaged."""
    kind = rng.random()
    if kind < 0.15:
        return blind(data, rng)
    length = struct.unpack_from("<I", data, 12)[0]
    header, binary = data[20 : 20 + length], data[28 + length :]
    if kind < 0.8:
        change = numbers if kind < 0.3 else _structure
        header = change(header, rng)
    else:
        binary = blind(binary, rng)
    header += b" " * (-len(header) % 4)
    chunks = struct.pack("<II", len(header), 0x4E4F534A) + header
    chunks += struct.pack("<II", len(binary), 0x004E4942) + binary
    return b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks


def archive(data: bytes, rng: np.random.Generator) -> bytes:
    """A ZIP archive damaged as a whole, in a member, or packed in another way."""
    if rng.random() < 0.15:
        return blind(data, rng)
    with zipfile.ZipFile(io.BytesIO(data)) as old:
        members = {name: old.read(name) for name in old.namelist()}
    gentle = rng.random() < 0.4
    for _ in range(1 if gentle else int(rng.integers(1, 3))):
        name = _pick(list(members), rng)
        headers = [one for one in members if one.endswith(".json")]
        if headers and rng.random() < 0.5:
            name = headers[0]
        kind = rng.random()
        if gentle:
            change = numbers if name.endswith(".json") else some_numbers
            members[name] = change(members[name], rng)
        elif kind < 0.1:
            members.pop(name)
        elif kind < 0.2:
            members[name] = members[_pick(list(members), rng)]
        elif name.endswith(".json"):
            members[name] = json_text(members[name], rng) if _is_json(members[name]) else b"{}"
        else:
            members[name] = npy(members[name], rng)
        if not members:
            break
    buffer = io.BytesIO()
    packing = (
        _pick((zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2), rng)
        if rng.random() < 0.05
        else zipfile.ZIP_STORED
    )
    with zipfile.ZipFile(buffer, "w", packing) as new:
        for name, content in members.items():
            new.writestr(zipfile.ZipInfo(name), content, packing)
    result = buffer.getvalue()
    return blind(result, rng) if packing != zipfile.ZIP_STORED and rng.random() < 0.5 else result


def _is_json(data: bytes) -> bool:
    try:
        json.loads(data)
    except ValueError:
        return False
    return True


def npy(data: bytes, rng: np.random.Generator) -> bytes:
    """A ``.npy`` member with other numbers, another shape, or damage."""
    kind = int(rng.integers(7))
    if kind == 0:
        return blind(data, rng)
    try:
        array = np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
    except ValueError:
        return blind(data, rng)
    if kind == 1:
        array = np.array(_pick((0.0, "text", b"\xff", 1 + 2j, np.nan, 1e300), rng))
    elif kind == 2 and array.size:
        array = array.copy()
        flat = array.reshape(-1)
        bad = (0.0, -1.0, np.nan, np.inf, 1e9, 1e30, 1.0005)
        with np.errstate(all="ignore"):
            new = _pick(bad, rng) if array.dtype.kind == "f" else flat[0]
            flat[int(rng.integers(flat.size))] = new
    elif kind == 3:
        array = array.reshape(-1)
    elif kind == 4:
        array = array[: int(rng.integers(0, max(len(array), 1)))] if array.ndim else array
    elif kind == 5:
        to = _pick((np.uint8, np.float16, np.int64, np.bool_, np.complex128, "U3", ">f8"), rng)
        with np.errstate(all="ignore"):
            try:
                # Once it is complex, only its real part can become anything else.
                array = (array.real if array.dtype.kind == "c" else array).astype(to)
            except ValueError:
                array = np.zeros(array.shape, dtype=np.uint8)
    else:
        array = np.concatenate([array, array]) if array.ndim else array[None]
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def some_numbers(data: bytes, rng: np.random.Generator) -> bytes:
    """A ``.npy`` member with a few numbers changed into others."""
    array = np.lib.format.read_array(io.BytesIO(data), allow_pickle=False).copy()
    flat = array.reshape(-1)
    for _ in range(int(rng.integers(1, 4))):
        if flat.size and array.dtype.kind in "fiu":
            at = int(rng.integers(flat.size))
            with np.errstate(all="ignore"):
                new = _pick((0.0, -1.0, 1.0, 1e-9, 1e5, float(flat[at]) * 1.5), rng)
                flat[at] = new if array.dtype.kind == "f" else int(new)
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def either(*mutators: Mutator) -> Mutator:
    """One of several, by chance."""

    def chosen(data: bytes, rng: np.random.Generator) -> bytes:
        return bytes(_pick(mutators, rng)(data, rng))

    return chosen
