"""The text of a BVH file into names, a tree, channels and rows of numbers.

Nothing here knows what a channel means; that is `motionweave.io.bvh.channels`. The file is read in
blocks and checked as it is read, so that a broken file of any size is refused early and with little
memory.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NoReturn

import numpy as np
from numpy.typing import NDArray

from motionweave.core.arrays import Array
from motionweave.core.checks import LARGEST, LONGEST_NAME, MOST_JOINTS
from motionweave.errors import FormatError
from motionweave.io.numbers import NotANumberError, parse_numbers

# A character has some hundred joints, and each takes some hundred bytes.
_LONGEST_HEADER = 1 << 22
# Encodings of Japan, China, Taiwan and Korea, and what left and right are there.
EAST_ASIAN = {
    "cp932": ("左", "右"),
    "gb18030": ("左", "右"),
    "big5": ("左", "右"),
    "cp949": ("왼", "오른"),
}
_BLOCK = 1 << 22
_LONGEST_LINE = 1 << 26

_MOTION = re.compile(rb"(?:^|[\r\n}])[^\S\r\n]*MOTION(?=\s|$)", re.IGNORECASE)
_FIELD = re.compile(rb"\s*(frames|frame[^\S\r\n]*time)[^\S\r\n]*:?[^\S\r\n]*(\S+)", re.IGNORECASE)
_TOKEN = re.compile(r"\s*([{}]|[^\s{}]+)")
_NAME = re.compile(r"[^{}\r\n]*")
_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_CHANNEL = re.compile(r"([xyz])(position|rotation)", re.IGNORECASE)


@dataclass
class BvhText:
    """The contents of a BVH file, in its own axes and order.

    Parents come before children. ``channels`` holds one tuple of canonical
    channel names (``"Xposition"`` ...) a joint, ``values`` one row per frame.
    """

    names: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    offsets: list[tuple[float, ...]] = field(default_factory=list)
    channels: list[tuple[str, ...]] = field(default_factory=list)
    end_names: list[str] = field(default_factory=list)
    end_parents: list[int] = field(default_factory=list)
    end_offsets: list[tuple[float, ...]] = field(default_factory=list)
    frames: int | None = None
    frame_time: str | None = None
    values: Array = field(default_factory=lambda: np.zeros((0, 0)))
    encoding: str = "utf-8"
    warnings: list[str] = field(default_factory=list)

    def column(self, index: int) -> tuple[str, str]:
        """Joint and channel name of a column of ``values``."""
        for name, row in zip(self.names, self.channels, strict=True):
            if index < len(row):
                return name, row[index]
            index -= len(row)
        raise IndexError(index)


def read_text(path: Path) -> BvhText:
    """Read and check a file; `FormatError` names the line and what is wrong with it."""
    with path.open("rb") as file:
        head = file.read(_LONGEST_HEADER)
        if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise FormatError("the text is UTF-16; save it as UTF-8", path, 1)
        head = head.removeprefix(codecs.BOM_UTF8)
        if not head.strip():
            raise FormatError("the file is empty", path)
        if b"\0" in head:
            raise FormatError("this is a binary file, not a BVH text", path)
        motion = _MOTION.search(head)
        header = head if motion is None else head[: motion.end() - len(b"MOTION")]
        text, encoding = _decoded(header)
        if motion is not None:
            end = "MOTION comes"
        else:
            end = "the file ends" if len(head) < _LONGEST_HEADER else "4 MB of hierarchy end"
        bvh = _Header(text, path, end).parse()
        bvh.encoding = encoding
        if motion is None:
            raise FormatError(f"{end} before MOTION", path, 1 + _line_breaks(text))
        _read_motion(bvh, head, motion.end(), file, path)
    return bvh


def _decoded(header: bytes) -> tuple[str, str]:
    """The text before the numbers, and its encoding.

    Old East Asian encodings take the bytes of each other for other characters: the right one is
    that in which joints have a left and a right.
    """
    try:
        return header.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        for encoding, sides in EAST_ASIAN.items():
            if all(side.encode(encoding) in header for side in sides):
                try:
                    return header.decode(encoding), encoding
                except UnicodeDecodeError:
                    continue
        # Any byte is a character in Latin-1, so names round-trip unchanged.
        return header.decode("latin-1"), "latin-1"


class _Header:
    """Reads the hierarchy token by token, with a stack instead of recursion."""

    def __init__(self, text: str, path: Path, end: str):
        self.text = text
        self.path = path
        self.end = end
        self.at = 0
        self.bvh = BvhText()

    def fail(self, reason: str, at: int | None = None) -> NoReturn:
        before = self.text[: self.at if at is None else at]
        raise FormatError(reason, self.path, 1 + _line_breaks(before))

    def token(self, expected: str) -> str:
        match = _TOKEN.match(self.text, self.at)
        if match is None:
            self.fail(f"{self.end} where {expected} was expected", len(self.text))
        self.at = match.end()
        return match.group(1)

    def name(self, of: str) -> str:
        match = _NAME.match(self.text, self.at)
        assert match is not None
        self.at = match.end()
        name = match.group().strip()
        if not name:
            self.fail(f"{of} has no name")
        if len(name) > LONGEST_NAME:
            self.fail(f"a name of {len(name)} characters; at most {LONGEST_NAME}")
        return name

    def brace(self, of: str) -> None:
        found = self.token("'{'")
        if found != "{":
            self.fail(f"expected '{{' after {of}, found {_shown(found)}")

    def parse(self) -> BvhText:
        found = self.token("HIERARCHY")
        if found.upper() != "HIERARCHY":
            self.fail(f"a BVH file begins with HIERARCHY, this one with {_shown(found)}")
        found = self.token("ROOT")
        if found.upper() != "ROOT":
            self.fail(f"expected ROOT, found {_shown(found)}")
        self._joint(-1)
        stack = [0]
        while stack:
            self._inside(stack)
        rest = _TOKEN.match(self.text, self.at)
        if rest is not None:
            self.at = rest.end()
            if rest.group(1).upper() == "ROOT":
                self.fail(
                    "a second ROOT; only one character per file can be read, "
                    "so save each in its own file"
                )
            self.fail(f"expected MOTION, found {_shown(rest.group(1))}")
        if not any(self.bvh.channels):
            self.fail("no joint has a channel, so there is no motion")
        return self.bvh

    def _joint(self, parent: int) -> int:
        bvh = self.bvh
        if len(bvh.names) == MOST_JOINTS:
            self.fail(f"more than {MOST_JOINTS} joints")
        name = self.name("the joint")
        bvh.names.append(name)
        bvh.parents.append(parent)
        bvh.offsets.append(())
        bvh.channels.append(())
        self.brace(f"joint {name!r}")
        return len(bvh.names) - 1

    def _inside(self, stack: list[int]) -> None:
        """One statement of the innermost joint."""
        bvh, joint = self.bvh, stack[-1]
        name = bvh.names[joint]
        found = self.token(f"the end of joint {name!r}")
        word = found.upper()
        if word == "JOINT":
            stack.append(self._joint(joint))
        elif word == "END":
            self._end_site(joint)
        elif word == "OFFSET":
            if bvh.offsets[joint]:
                self.fail(f"joint {name!r} has OFFSET twice")
            bvh.offsets[joint] = self._offset(name)
        elif word == "CHANNELS":
            if bvh.channels[joint]:
                self.fail(f"joint {name!r} has CHANNELS twice")
            bvh.channels[joint] = self._channels(name)
        elif word == "}":
            if not bvh.offsets[joint]:
                self.fail(f"joint {name!r} has no OFFSET")
            stack.pop()
        else:
            self.fail(
                f"expected OFFSET, CHANNELS, JOINT, End Site or '}}' in joint {name!r}, "
                f"found {_shown(found)}"
            )

    def _end_site(self, joint: int) -> None:
        bvh = self.bvh
        of = f"the end site of joint {bvh.names[joint]!r}"
        bvh.end_names.append(self.name(of))
        bvh.end_parents.append(joint)
        self.brace(of)
        offset: tuple[float, ...] = ()
        while (found := self.token(f"the end of {of}")) != "}":
            if found.upper() == "OFFSET":
                offset = self._offset(of)
            elif found.upper() != "CHANNELS" or self._channels(of):
                self.fail(f"expected OFFSET or '}}' in {of}, found {_shown(found)}")
        if not offset:
            self.fail(f"{of} has no OFFSET")
        bvh.end_offsets.append(offset)

    def _offset(self, of: str) -> tuple[float, ...]:
        numbers = []
        for _ in range(3):
            found = self.token("a number")
            if not _DECIMAL.fullmatch(found) or not abs(float(found)) <= LARGEST:
                self.fail(f"OFFSET of {of}: expected three numbers, found {_shown(found)}")
            numbers.append(float(found))
        return tuple(numbers)

    def _channels(self, of: str) -> tuple[str, ...]:
        found = self.token("the number of channels")
        if not re.fullmatch(r"\d{1,4}", found):
            self.fail(f"CHANNELS of {of}: expected their number, found {_shown(found)}")
        row = []
        for _ in range(int(found)):
            name = self.token("a channel")
            match = _CHANNEL.fullmatch(name)
            if match is None:
                self.fail(
                    f"CHANNELS of {of}: expected {found} names such as Xposition or "
                    f"Zrotation, found {_shown(name)}"
                )
            canonical = match.group(1).upper() + match.group(2).lower()
            if canonical in row and canonical.endswith("position"):
                self.fail(f"CHANNELS of {of}: {canonical} is given twice")
            row.append(canonical)
        return tuple(row)


def _read_motion(bvh: BvhText, head: bytes, start: int, file: BinaryIO, path: Path) -> None:
    """Frame count, frame time and all rows."""
    rest = head[start:]
    if len(rest) < 1024:
        rest += file.read(1024)
    line = 1 + _line_breaks(head[:start])
    position = 0
    while field_ := _FIELD.match(rest, position):
        text = field_.group(2).decode("latin-1")
        at = line + _line_breaks(rest[: field_.start(2)])
        if field_.group(1).lower() == b"frames":
            if not re.fullmatch(r"\d{1,12}", text):
                raise FormatError(
                    f"Frames: expected a whole number, found {_shown(text)}", path, at
                )
            if bvh.frames is not None:
                raise FormatError("Frames is given twice", path, at)
            bvh.frames = int(text)
        else:
            if bvh.frame_time is not None:
                raise FormatError("Frame Time is given twice", path, at)
            if not _DECIMAL.fullmatch(text):
                raise FormatError(f"Frame Time: expected seconds, found {_shown(text)}", path, at)
            bvh.frame_time = text
        position = field_.end()
    line += _line_breaks(rest[:position])
    bvh.values = _read_rows(bvh, rest[position:], line, file, path)
    found = len(bvh.values)
    if found == 0:
        raise FormatError("there are no frames", path, line)
    if bvh.frames is None:
        bvh.warnings.append(f"the number of frames is not given; {found} were found")
    elif bvh.frames != found:
        frames = "1 frame was" if found == 1 else f"{found} frames were"
        bvh.warnings.append(f"{frames} found, not {bvh.frames} as the file says")


def _read_rows(bvh: BvhText, block: bytes, line: int, file: BinaryIO, path: Path) -> Array:
    """All numbers that follow, ``(T, C)``, taking the file block by block."""
    columns = sum(len(row) for row in bvh.channels)
    parts: list[Array] = []
    before = 0
    left_out = None
    while True:
        more = file.read(_BLOCK)
        block += more
        # Cut where a line ends, so that no number is torn apart.
        cut = len(block) if not more else block.rfind(b"\n") + 1
        if more and cut == 0:
            if len(block) > _LONGEST_LINE:
                raise FormatError("a line longer than 64 MB", path, line)
            continue
        stated = None if bvh.frames is None else bvh.frames * columns
        try:
            part, counts = parse_numbers(block[:cut])
        except NotANumberError as error:
            if error.not_finite or stated is None or before + error.index < stated:
                _refuse_token(bvh, block[:cut], error, before, columns, line, path)
            # Whatever it is, it comes after the last frame.
            cut, more = _place_of_token(block, error.index), b""
            part, counts = parse_numbers(block[:cut])
            left_out = line + _line_breaks(block[:cut])
        if stated is not None:
            lines = _lines_of_frames(counts, before, columns, stated)
            if lines < len(counts):
                part, counts, more = part[: counts[:lines].sum()], counts[:lines], b""
                left_out = line + lines
        _check_range(bvh, part, before, columns, path)
        _check_columns(counts, before, columns, line, path)
        parts.append(part)
        before += len(part)
        line += len(counts)
        block = block[cut:]
        if not more:
            break
    if before % columns:
        raise FormatError(
            f"the last frame has {before % columns} values, but there are {columns} channels",
            path,
            line - 1,
        )
    if left_out is not None:
        bvh.warnings.append(
            f"what follows the frames, from line {left_out} on, is not part of the motion and was "
            "left out"
        )
    return np.concatenate(parts).reshape(-1, columns)


def _lines_of_frames(counts: NDArray[np.int64], before: int, columns: int, stated: int) -> int:
    """How many of the lines are frames: some editors add lists of their own after the last one.

    Parameters
    ----------
    counts
        Numbers on each line.
    before
        How many numbers there were before.
    stated
        How many there should be according to the file. Lines beyond count if they are frames.
    """
    begins = before + np.cumsum(counts) - counts
    other = np.flatnonzero((begins >= stated) & (counts > 0) & (counts != columns))
    return int(other[0]) if len(other) else len(counts)


def _place_of_token(block: bytes, index: int) -> int:
    tokens = re.finditer(rb"\S+", block)
    for _ in range(index):
        next(tokens)
    return next(tokens).start()


def _refuse_token(
    bvh: BvhText,
    block: bytes,
    error: NotANumberError,
    before: int,
    columns: int,
    line: int,
    path: Path,
) -> NoReturn:
    at = line + _line_breaks(block[: _place_of_token(block, error.index)])
    frame, column = divmod(before + error.index, columns)
    joint, channel = bvh.column(column)
    kind = "not a finite number" if error.not_finite else "not a number"
    if "," in error.token:
        kind += ": decimals need a point, not a comma"
    raise FormatError(
        f"frame {frame}, joint {joint!r}, {channel}: {_shown(error.token)} is {kind}", path, at
    )


def _check_range(bvh: BvhText, part: Array, before: int, columns: int, path: Path) -> None:
    if len(part) and not -LARGEST <= part.min() <= part.max() <= LARGEST:
        index = int(np.argmax(np.abs(part)))
        frame, column = divmod(before + index, columns)
        joint, channel = bvh.column(column)
        raise FormatError(
            f"frame {frame}, joint {joint!r}, {channel}: {part[index]:g} is out of range", path
        )


def _check_columns(
    counts: NDArray[np.int64], before: int, columns: int, line: int, path: Path
) -> None:
    """Refuse lines that end one frame and begin another in the middle.

    Nearly always a line is a frame. It may also be a part of one, or several whole ones.

    Parameters
    ----------
    counts
        Numbers on each line.
    before, line
        How many numbers there were before, and the number of the first line.
    """
    if before % columns == 0 and np.all((counts == columns) | (counts == 0)):
        return
    ends = before + np.cumsum(counts)
    begins = ends - counts
    inside = begins // columns == (ends - 1) // columns
    whole = (begins % columns == 0) & (ends % columns == 0)
    wrong = np.flatnonzero((counts > 0) & ~inside & ~whole)
    if len(wrong) == 0:
        return
    # The line that went wrong may be an earlier one: the first that is not a frame.
    first = int(np.flatnonzero((counts > 0) & (counts != columns))[0])
    raise FormatError(
        f"frame {begins[first] // columns} has {counts[first]} values, "
        f"but there are {columns} channels",
        path,
        line + first,
    )


def _line_breaks(text: str | bytes) -> int:
    if isinstance(text, bytes):
        return text.count(b"\n") + text.count(b"\r") - text.count(b"\r\n")
    return text.count("\n") + text.count("\r") - text.count("\r\n")


def _shown(token: str) -> str:
    return repr(token if len(token) <= 40 else f"{token[:40]}…")
