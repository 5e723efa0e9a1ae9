"""Acclaim takes (AMC): the text into the values of bones, and values into text.

AMC does not state its frame rate; files written here have it in a comment.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from motionweave.core.arrays import Array
from motionweave.core.checks import FASTEST, LARGEST, MOST_FRAMES, SLOWEST, size
from motionweave.errors import FormatError
from motionweave.io.acclaim.bones import TURNS, Acclaim, Bone
from motionweave.io.numbers import NotANumberError, decimals, parse_numbers

_RATE = re.compile(r"#\s*frames (?:a|per) second:\s*(\d{1,9}(?:\.\d{1,30})?(?:e-?\d{1,3})?)\s*$")


def format_amc(bones: Sequence[str], values: Mapping[str, Array], fps: float) -> str:
    """The text of a take: values ``(T, n)`` of ``bones`` in degrees."""
    columns = [[decimals(row) for row in values[name].tolist()] for name in bones]
    lines = [f"# frames per second: {fps!r}", ":FULLY-SPECIFIED", ":DEGREES"]
    for frame, row in enumerate(zip(*columns, strict=True), start=1):
        lines.append(str(frame))
        lines += [f"{name} {numbers}" for name, numbers in zip(bones, row, strict=True)]
    return "\n".join([*lines, ""])


def parse_amc(path: Path, asf: Acclaim) -> tuple[dict[str, Array], float | None, list[str]]:
    """Values ``(T, n)`` of each bone in degrees, the frame rate if it is stated, warnings."""
    data = path.read_bytes()
    if b"\0" in data:
        raise FormatError("this is a binary file, not an AMC text", path)
    degrees, rate = asf.degrees, None
    # For each bone the frames in which it has numbers, and the numbers as text.
    said: dict[str, tuple[list[int], list[str]]] = {name: ([], []) for name in asf.bones}
    lines: dict[str, list[int]] = {name: [] for name in asf.bones}
    frames, last = 0, None
    warnings = []
    for number, line in enumerate(data.decode("utf-8-sig", "replace").splitlines(), start=1):
        words = line.split(maxsplit=1)
        if not words:
            continue
        word = words[0]
        if word.startswith("#"):
            match = _RATE.match(line)
            if match and SLOWEST <= float(match.group(1)) <= FASTEST:
                rate = float(match.group(1))
        elif word.startswith(":"):
            if word[1:].lower() in ("degrees", "radians"):
                degrees = word[1:].lower() == "degrees"
        elif word.isascii() and word.isdecimal() and len(words) == 1:
            counted = int(word[:18])
            if last is not None and counted <= last:
                raise FormatError(f"frame {counted} comes after frame {last}", path, number)
            if last is not None and counted != last + 1:
                warnings.append(f"frames {last + 1} to {counted - 1} are missing")
            last = counted
            frames += 1
            if frames > MOST_FRAMES:
                raise FormatError(f"more than {MOST_FRAMES} frames", path, number)
        elif frames == 0:
            raise FormatError(f"expected the first frame, found {word[:40]!r}", path, number)
        elif word not in said:
            raise FormatError(f"the skeleton has no bone {word[:40]!r}", path, number)
        else:
            at, texts = said[word]
            if at and at[-1] == frames - 1:
                raise FormatError(f"the bone {word!r} appears twice in a frame", path, number)
            at.append(frames - 1)
            texts.append(words[1] if len(words) > 1 else "")
            lines[word].append(number)
    if frames == 0:
        raise FormatError("there are no frames", path)
    size(frames, len(asf.bones), len(data))
    values = {
        name: _column(asf.bones[name], *said[name], lines[name], frames, path) for name in said
    }
    if not degrees:
        for name, bone in asf.bones.items():
            turns = [index for index, one in enumerate(bone.dof) if one in TURNS]
            values[name][:, turns] = np.degrees(values[name][:, turns])
    return values, rate, warnings[:5]


def _column(
    bone: Bone, at: list[int], texts: list[str], lines: list[int], frames: int, path: Path
) -> Array:
    """Values ``(T, n)`` of a bone; a frame without values repeats those of the one before."""
    count = len(bone.dof)
    try:
        numbers, counts = parse_numbers("\n".join([*texts, ""]).encode())
    except NotANumberError as error:
        row = _row_of(texts, error.index)
        raise FormatError(
            f"bone {bone.name!r}: {error.token[:40]!r} is not a number", path, lines[row]
        ) from None
    wrong = np.flatnonzero(counts != count)
    if len(wrong):
        raise FormatError(
            f"the bone {bone.name!r} has {counts[wrong[0]]} numbers, but {count} channels",
            path,
            lines[wrong[0]],
        )
    rows = numbers.reshape(len(at), count)
    # Moves count from the offset; where they lead is checked with the motion.
    if rows.size and np.abs(rows).max() > 4.0 * LARGEST:
        row = int(np.argmax(np.abs(rows).max(axis=1)))
        raise FormatError(f"bone {bone.name!r}: a number is out of range", path, lines[row])
    if len(at) == frames:
        return rows
    index = np.full(frames, -1)
    index[at] = np.arange(len(at))
    index = np.maximum.accumulate(index)
    return np.concatenate([np.zeros((1, count)), rows])[index + 1]


def _row_of(texts: Sequence[str], index: int) -> int:
    """Which of the texts holds the number of that index."""
    for row, text in enumerate(texts):
        index -= len(text.split())
        if index < 0:
            return row
    raise IndexError(index)
