"""Acclaim skeletons (ASF): the text into bones, and bones into text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from motionweave.core.checks import LARGEST, LONGEST_NAME, MOST_JOINTS
from motionweave.core.parsing import parse_json
from motionweave.errors import FormatError
from motionweave.io.acclaim.bones import MOVES, ROOT, TURNS, Acclaim, Bone
from motionweave.io.numbers import decimals

_LARGEST_FILE = 1 << 24
# A shorter direction counts as zero.
_NO_DIRECTION = 1e-9
# What ASF has no place for is kept as JSON in the documentation, after this word.
_NOTE = "motionweave"


def parse_asf(path: Path) -> Acclaim:
    """Read and check an ASF file; `FormatError` names the line and what is wrong with it."""
    if path.stat().st_size > _LARGEST_FILE:
        raise FormatError("too large for an ASF skeleton", path)
    data = path.read_bytes()
    if b"\0" in data:
        raise FormatError("this is a binary file, not an ASF text", path)
    return _Reader(data.decode("utf-8-sig", "replace"), path).parse()


class _Reader:
    """Goes through the sections line by line."""

    def __init__(self, text: str, path: Path):
        self.path = path
        self.asf = Acclaim(text=text)
        self.asf.bones[ROOT] = Bone(ROOT, np.zeros(3), dof=(*MOVES, *TURNS))
        self.lines = list(enumerate(text.splitlines(), start=1))

    def fail(self, reason: str, line: int | None = None) -> FormatError:
        return FormatError(reason, self.path, line)

    def parse(self) -> Acclaim:
        found = set()
        for keyword, rows in self._sections():
            found.add(keyword)
            if keyword == "units":
                self._units(rows)
            elif keyword == "documentation":
                self._documentation(rows)
            elif keyword == "root":
                self._root(rows)
            elif keyword == "bonedata":
                self._bones(rows)
            elif keyword == "hierarchy":
                self._hierarchy(rows)
        missing = {"root", "bonedata", "hierarchy"} - found
        if missing:
            raise self.fail(f"not an ASF skeleton: there is no section :{sorted(missing)[0]}")
        lost = [name for name in self.asf.bones if name not in self.asf.parents and name != ROOT]
        if lost:
            raise self.fail(f"the bone {lost[0]!r} is not in the hierarchy")
        if len(self.asf.ordered()) != len(self.asf.bones):
            raise self.fail("the hierarchy contains a cycle")
        if not self.asf.degrees:
            self._in_degrees()
        return self.asf

    def _sections(self) -> Iterator[tuple[str, list[tuple[int, list[str]]]]]:
        """Each keyword with the words of the lines that follow it."""
        keyword = ""
        rows: list[tuple[int, list[str]]] = []
        for number, line in self.lines:
            words = line.split("#", 1)[0].split()
            if words and words[0].startswith(":"):
                if keyword:
                    yield keyword, rows
                keyword, rows = words[0][1:].lower(), [(number, words[1:])] if words[1:] else []
            elif keyword == "documentation":
                rows.append((number, [line.strip()]))
            elif words:
                if not keyword:
                    raise self.fail(
                        f"an ASF file begins with a keyword such as :version, "
                        f"this one with {words[0][:40]!r}",
                        number,
                    )
                rows.append((number, words))
        if keyword:
            yield keyword, rows

    def _numbers(self, words: Sequence[str], count: int, what: str, line: int) -> list[float]:
        try:
            numbers = [float(word) for word in words[:count]]
        except ValueError:
            numbers = []
        if len(numbers) != count or not all(abs(one) <= LARGEST for one in numbers):
            raise self.fail(f"{what}: expected {count} numbers", line)
        return numbers

    def _units(self, rows: list[tuple[int, list[str]]]) -> None:
        for line, words in rows:
            if words[0].lower() == "angle":
                kind = words[1].lower()[:3] if len(words) > 1 else ""
                if kind not in ("deg", "rad"):
                    raise self.fail("angle: expected deg or rad", line)
                self.asf.degrees = kind == "deg"
            elif words[0].lower() == "length":
                self.asf.length_unit = self._numbers(words[1:], 1, "length", line)[0]

    def _documentation(self, rows: list[tuple[int, list[str]]]) -> None:
        for _, words in rows:
            word, _, rest = words[0].partition(" ")
            if word == _NOTE:
                try:
                    note = parse_json(rest)
                except FormatError:
                    # Written by another program, and not needed.
                    continue
                self.asf.note = note if isinstance(note, dict) else {}

    def _root(self, rows: list[tuple[int, list[str]]]) -> None:
        root = self.asf.bones[ROOT]
        for line, words in rows:
            word = words[0].lower()
            if word == "order":
                root = replace(root, dof=self._channels(words[1:], line))
            elif word == "axis":
                root = replace(root, order=self._order(words[1:], line))
            elif word == "position":
                self.asf.position = np.array(self._numbers(words[1:], 3, "position", line))
            elif word == "orientation":
                x, y, z = self._numbers(words[1:], 3, "orientation", line)
                root = replace(root, axis=(x, y, z))
        self.asf.bones[ROOT] = root

    def _bones(self, rows: list[tuple[int, list[str]]]) -> None:
        inside: dict[str, Any] | None = None
        for line, words in rows:
            word = words[0].lower()
            if word == "begin":
                if inside is not None:
                    raise self.fail("a bone begins before the one before it ends", line)
                inside = {}
            elif inside is None:
                raise self.fail(f"expected begin, found {words[0][:40]!r}", line)
            elif word == "end":
                self._add(inside, line)
                inside = None
            elif word.startswith("(") or word == "limits":
                inside.setdefault("limits", []).extend(self._limits(words, line))
            elif word == "name":
                if len(words) < 2:
                    raise self.fail("the bone has no name", line)
                if len(words[1]) > LONGEST_NAME:
                    raise self.fail(f"a name of more than {LONGEST_NAME} characters", line)
                inside["name"] = words[1]
            elif word == "direction":
                inside["direction"] = self._numbers(words[1:], 3, "direction", line)
            elif word == "length":
                inside["length"] = self._numbers(words[1:], 1, "length", line)[0]
            elif word == "axis":
                inside["axis"] = tuple(self._numbers(words[1:], 3, "axis", line))
                inside["order"] = self._order(words[4:], line)
            elif word == "dof":
                inside["dof"] = self._channels(words[1:], line)
        if inside is not None:
            raise self.fail("the file ends within a bone", self.lines[-1][0])

    def _add(self, said: dict[str, Any], line: int) -> None:
        name = said.pop("name", None)
        if name is None:
            raise self.fail("the bone has no name", line)
        if name in self.asf.bones:
            raise self.fail(f"two bones are named {name!r}", line)
        if len(self.asf.bones) == MOST_JOINTS:
            raise self.fail(f"more than {MOST_JOINTS} bones", line)
        direction = np.array(said.pop("direction", (0.0, 0.0, 0.0)))
        limits = tuple(said.pop("limits", ()))
        if limits and len(limits) != len(said.get("dof", ())):
            limits = ()
        length, long = said.pop("length", 0.0), float(np.linalg.norm(direction))
        if long < _NO_DIRECTION and length != 0.0:
            raise self.fail(f"the bone {name!r} has a length, but no direction", line)
        vector = direction / long * length if long >= _NO_DIRECTION else np.zeros(3)
        self.asf.bones[name] = Bone(name, vector, limits=limits, **said)

    def _limits(self, words: list[str], line: int) -> list[tuple[float, float]]:
        text = " ".join(words).lower().removeprefix("limits")
        pairs = re.findall(r"\(\s*([^\s(),]+)[\s,]+([^\s(),]+)\s*\)", text)
        try:
            limits = [(float(low), float(high)) for low, high in pairs]
            if any(low != low or high != high for low, high in limits):
                raise ValueError
            return limits
        except ValueError:
            raise self.fail(
                "limits: expected pairs of numbers such as (-45.0 90.0)", line
            ) from None

    def _order(self, words: Sequence[str], line: int) -> str:
        order = words[0].upper() if words else "XYZ"
        if sorted(order) != ["X", "Y", "Z"]:
            raise self.fail(f"rotation order {order[:20]!r}: expected such as XYZ", line)
        return order

    def _channels(self, words: Sequence[str], line: int) -> tuple[str, ...]:
        channels = tuple(word.lower() for word in words)
        for one in channels:
            if one not in (*MOVES, *TURNS, "l"):
                raise self.fail(f"channel {one[:20]!r}: expected rx, ry, rz, tx, ty, tz or l", line)
        if len(set(channels)) != len(channels):
            raise self.fail("a channel is given twice", line)
        return channels

    def _hierarchy(self, rows: list[tuple[int, list[str]]]) -> None:
        for line, words in rows:
            if words[0].lower() in ("begin", "end") and len(words) == 1:
                continue
            for name in words:
                if name not in self.asf.bones:
                    raise self.fail(f"there is no bone {name[:40]!r}", line)
            for child in words[1:]:
                if child in self.asf.parents or child == ROOT:
                    raise self.fail(f"the bone {child!r} has two parents", line)
                self.asf.parents[child] = words[0]

    def _in_degrees(self) -> None:
        for name, bone in self.asf.bones.items():
            x, y, z = np.degrees(bone.axis).tolist()
            limits = tuple(
                (low, high) if channel in MOVES else (np.degrees(low), np.degrees(high))
                for channel, (low, high) in zip(bone.dof, bone.limits, strict=False)
            )
            self.asf.bones[name] = replace(bone, axis=(x, y, z), limits=limits)


def format_asf(asf: Acclaim, name: str) -> str:
    """The text of an ASF file, angles in degrees."""
    root = asf.bones[ROOT]
    lines = [
        ":version 1.10",
        f":name {re.sub(r'[^!-~]+', '_', name) or 'motion'}",
        ":units",
        "  mass 1.0",
        f"  length {decimals([asf.length_unit])}",
        "  angle deg",
        ":documentation",
        f"   {_NOTE} {json.dumps(asf.note)}",
        ":root",
        f"   order {' '.join(root.dof).upper()}",
        f"   axis {root.order}",
        f"   position {decimals(asf.position.tolist())}",
        f"   orientation {decimals(root.axis)}",
        ":bonedata",
    ]
    for number, one in enumerate(asf.ordered()[1:], start=1):
        lines += _bone_lines(asf.bones[one], number)
    lines += [":hierarchy", "  begin"]
    children = asf.children()
    for one in asf.ordered():
        if one in children:
            lines.append(f"    {one} {' '.join(children[one])}")
    return "\n".join([*lines, "  end", ""])


def _bone_lines(bone: Bone, number: int) -> Iterator[str]:
    length = float(np.linalg.norm(bone.vector))
    direction = bone.vector / length if length > 0.0 else np.array([0.0, 1.0, 0.0])
    yield "  begin"
    yield f"     id {number}"
    yield f"     name {bone.name}"
    yield f"     direction {decimals(direction.tolist())}"
    yield f"     length {decimals([length])}"
    yield f"     axis {decimals(bone.axis)}  {bone.order}"
    if bone.dof:
        yield f"    dof {' '.join(bone.dof)}"
    for index, (low, high) in enumerate(bone.limits):
        word = "    limits" if index == 0 else "          "
        yield f"{word} ({_limit(low)} {_limit(high)})"
    yield "  end"


def _limit(value: float) -> str:
    return decimals([value]) if np.isfinite(value) else ("inf" if value > 0 else "-inf")
