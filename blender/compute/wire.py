"""Messages of named arrays and plain values as bytes, and how they go through a pipe."""

from __future__ import annotations

import io
import json
import struct
from dataclasses import fields as fields_of
from typing import Any, BinaryIO

import numpy as np

from .take import Take

_LENGTH = struct.Struct(">Q")
_FIELDS = tuple(field.name for field in fields_of(Take))
_ARRAYS = ("parents", "rest", "tails", "poses", "objects")


def packed(values: dict[str, Any], takes: list[Take]) -> bytes:
    """One message: JSON values and takes, as an ``.npz`` file without pickles."""
    arrays: dict[str, np.ndarray] = {}
    heads = []
    for number, take in enumerate(takes):
        fields = {name: getattr(take, name) for name in _FIELDS}
        for name in _ARRAYS:
            arrays[f"{number}.{name}"] = np.asarray(fields.pop(name))
        heads.append(fields)
    text = json.dumps({"values": values, "takes": heads})
    arrays["head"] = np.frombuffer(text.encode(), dtype=np.uint8)
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def unpacked(message: bytes) -> tuple[dict[str, Any], list[Take]]:
    """What `packed` made a message of."""
    with np.load(io.BytesIO(message), allow_pickle=False) as arrays:
        head = json.loads(arrays["head"].tobytes().decode())
        takes = []
        for number, fields in enumerate(head["takes"]):
            fields["names"] = tuple(fields["names"])
            if fields["contacts"] is not None:
                fields["contacts"] = tuple(tuple(one) for one in fields["contacts"])
            fields.update({name: arrays[f"{number}.{name}"] for name in _ARRAYS})
            takes.append(Take(**fields))
    return head["values"], takes


def send(pipe: BinaryIO, message: bytes) -> None:
    """Write one message with its length before it."""
    pipe.write(_LENGTH.pack(len(message)))
    pipe.write(message)
    pipe.flush()


def receive(pipe: BinaryIO) -> bytes | None:
    """The next message; None if the other side has ended."""
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    size = _LENGTH.unpack(head)[0]
    message = pipe.read(size)
    return message if len(message) == size else None
