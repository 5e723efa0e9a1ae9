"""BVH, the format of most motion-capture archives: every dialect in, plain BVH out.

A loaded motion remembers in ``Motion.source`` how its file was laid out (channels and their order,
names, end sites, frame time, up axis, the numbers themselves), and is written back that way. Any
other motion gets six channels on the root and three on every other joint.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from motionweave.core.arrays import Array
from motionweave.core.checks import FASTEST, LARGEST, SLOWEST, clean_name, shown, size
from motionweave.core.motion import Motion
from motionweave.core.skeleton import Skeleton
from motionweave.errors import FormatError
from motionweave.io.axes import (
    UP_OR_DOWN,
    PoseArrays,
    check_up,
    found_up,
    from_axes_of_file,
    to_axes_of_file,
)
from motionweave.io.bvh import channels as layout
from motionweave.io.bvh.channels import Channels
from motionweave.io.bvh.text import EAST_ASIAN, BvhText, read_text
from motionweave.io.numbers import decimals
from motionweave.io.registry import Format

# How far from a whole number of frames per second a rounded frame time may be.
_SAME_RATE = 1e-3
_DEEPEST_INDENT = 40


def read(path: str | Path, *, up: str | None = None, fps: float | None = None) -> Motion:
    """Read a BVH file.

    Parameters
    ----------
    path
        The file.
    up
        ``"y"`` or ``"z"``, the axis that points up in the file, or ``"-y"`` or ``"-z"``, the one
        that points down; detected if None.
    fps
        Frames per second, instead of the rate that the file states.
    """
    path = Path(path)
    check_up(up, path, UP_OR_DOWN)
    text = read_text(path)
    names = unique_names(text.names)
    warnings = list(text.warnings)
    if list(names) != text.names:
        warnings.append("several joints have the same name; numbers were added to tell them apart")
    offsets = np.array(text.offsets)
    channels = tuple(text.channels)
    size(len(text.values), len(names), path.stat().st_size)
    skeleton = Skeleton(
        names,
        np.array(text.parents),
        offsets,
        np.array(text.end_parents, dtype=np.intp),
        np.array(text.end_offsets).reshape(-1, 3),
    )
    pose = layout.decode(channels, offsets, skeleton.height, text.values)
    up = up or found_up(skeleton, pose, warnings)
    source = {
        "format": FORMAT.name,
        "up": up,
        "names": tuple(text.names),
        "channels": channels,
        "values": _frozen(text.values),
        "end_names": tuple(text.end_names),
        "frame_time": text.frame_time,
        "encoding": text.encoding,
        "warnings": tuple(warnings),
    }
    skeleton, pose = from_axes_of_file(skeleton, pose, up)
    return Motion(
        skeleton,
        _frames_a_second(text, path) if fps is None else fps,
        _frozen(pose.root),
        _frozen(pose.rotations),
        None if pose.translations is None else _frozen(pose.translations),
        name=path.stem,
        source=source,
    )


def write(motion: Motion, path: str | Path, *, up: str | None = None) -> None:
    """Write a BVH file, laid out as the file that the motion came from, if it came from BVH.

    Parameters
    ----------
    motion
        What to write.
    path
        Where to.
    up
        As for `read`; None for that of the original file, otherwise ``"y"``.
    """
    check_up(up, path, UP_OR_DOWN)
    skeleton, pose = _depth_first(motion)
    source = _fitting_source(motion)
    up = up or source.get("up", "y")
    skeleton, pose = to_axes_of_file(skeleton, pose, up)
    offsets, height = skeleton.offsets, skeleton.height
    channels: Channels = source.get("channels", _usual_channels(len(skeleton)))
    kept = None
    if source and source["up"] == up:
        kept = layout.kept(channels, offsets, height, source["values"], pose)
    channels = layout.with_room(channels, pose, offsets, height, kept)
    values = layout.encode(channels, pose, offsets, height, kept)
    text = "\n".join(
        [
            *_hierarchy(skeleton, channels, source),
            "MOTION",
            f"Frames: {len(values)}",
            f"Frame Time: {_frame_time(motion.fps, source)}",
            *(decimals(row) for row in values.tolist()),
            "",
        ]
    )
    try:
        data = text.encode(source.get("encoding", "utf-8"))
    except UnicodeEncodeError:
        data = text.encode("utf-8", "replace")
    Path(path).write_bytes(data)


FORMAT = Format("BVH", (".bvh",), read=read, write=write)


def unique_names(names: Iterable[str]) -> tuple[str, ...]:
    """Names for a skeleton: without control characters, and with numbers added to those that
    were there before."""
    taken: set[str] = set()
    result = []
    following: dict[str, int] = {}
    for given in names:
        one = name = clean_name(given, "joint")
        while one in taken:
            following[name] = following.get(name, 1) + 1
            one = f"{name}_{following[name]}"
        taken.add(one)
        result.append(one)
    return tuple(result)


# Time


def _frames_a_second(text: BvhText, path: Path) -> float:
    if text.frame_time is None:
        raise FormatError(
            "there is no Frame Time; give its rate with --input-fps (fps= in Python)", path
        )
    seconds = float(text.frame_time)
    if not 1.0 / FASTEST <= seconds <= 1.0 / SLOWEST:
        raise FormatError(
            f"Frame Time {shown(text.frame_time)} is not a number of seconds from "
            f"{1.0 / FASTEST:g} to {1.0 / SLOWEST:g}; give its rate with --input-fps "
            "(fps= in Python)",
            path,
        )
    # Rounded frame times at the very ends.
    return float(np.clip(frame_rate(text.frame_time), SLOWEST, FASTEST))


def frame_rate(frame_time: str) -> float:
    """Frames per second of a frame time as it is written.

    ``.0083333`` is 120 fps, cut off after seven decimals, and not
    120.00048: if a whole number of frames per second, rounded or cut to the decimals
    that are there, gives the frame time, it is what was meant.
    """
    seconds = float(frame_time)
    whole = round(1.0 / seconds)
    digits = re.match(r"[+-]?\d*\.?(\d*)", frame_time)
    step = 10.0 ** -len(digits.group(1)) if digits is not None else 0.0
    close = whole > 0 and abs(whole * seconds - 1.0) < _SAME_RATE
    if close and "e" not in frame_time.lower() and abs(1.0 / whole - seconds) < step:
        return float(whole)
    return 1.0 / seconds


def _frame_time(fps: float, source: Mapping[str, Any]) -> str:
    """As in the source, if the frame rate is still the same."""
    filed = source.get("frame_time")
    if filed is not None and float(filed) * FASTEST >= 1.0 and frame_rate(filed) == fps:
        return str(filed)
    return decimals([1.0 / fps])


# Text


def _fitting_source(motion: Motion) -> Mapping[str, Any]:
    """How the motion's BVH file was laid out; empty if there is none for this skeleton."""
    source = motion.source
    if source.get("format") != FORMAT.name:
        return {}
    try:
        fits = (
            unique_names(source["names"]) == motion.skeleton.names
            and len(source["end_names"]) == len(motion.skeleton.end_parents)
            and _is_layout(source, len(motion.skeleton))
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        # A layout from a damaged archive.
        fits = False
    return source if fits else {}


def _is_layout(source: Mapping[str, Any], joints: int) -> bool:
    """Whether channels and numbers, which archives keep too, can be those of a file."""
    channels, values = source["channels"], source["values"]
    named = {name for row in channels for name in row}
    return (
        len(channels) == joints
        and all(isinstance(name, str) for name in (*source["names"], *source["end_names"]))
        and named <= {*layout.POSITION, *layout.DEFAULT_ROTATION}
        and all(len([n for n in row if n in layout.POSITION]) <= 3 for row in channels)
        and values.ndim == 2
        and values.dtype == np.float64
        and values.shape[1] == sum(map(len, channels))
        and bool(np.all(np.abs(values) <= LARGEST))
        and source["up"] in UP_OR_DOWN
        and source["encoding"] in ("utf-8", "latin-1", *EAST_ASIAN)
        and (source["frame_time"] is None or float(source["frame_time"]) > 0.0)
    )


def _usual_channels(joints: int) -> Channels:
    turn = layout.DEFAULT_ROTATION
    return ((*layout.POSITION, *turn), *((turn,) * (joints - 1)))


def _depth_first(motion: Motion) -> tuple[Skeleton, PoseArrays]:
    """Skeleton and pose with the joints in the order in which a hierarchy lists them."""
    skeleton = motion.skeleton
    order: list[int] = []
    stack = [0]
    while stack:
        joint = stack.pop()
        order.append(joint)
        stack.extend(reversed(skeleton.children[joint]))
    pose = PoseArrays(motion.root, motion.rotations, motion.translations)
    if order == list(range(len(order))):
        return skeleton, pose
    new_index = np.argsort(order)
    parents = skeleton.parents[order]
    sorted_skeleton = Skeleton(
        tuple(skeleton.names[joint] for joint in order),
        np.where(parents < 0, -1, new_index[parents]),
        skeleton.offsets[order],
        new_index[skeleton.end_parents],
        skeleton.end_offsets,
    )
    moves = None if pose.translations is None else pose.translations[:, order]
    return sorted_skeleton, PoseArrays(pose.root, pose.rotations[:, order], moves)


def _hierarchy(skeleton: Skeleton, channels: Channels, source: Mapping[str, Any]) -> Iterator[str]:
    """The lines from HIERARCHY to the last brace."""
    names = source.get("names") or unique_names(_plain(name) for name in skeleton.names)
    end_names = source.get("end_names") or ("Site",) * len(skeleton.end_parents)
    ends: list[list[int]] = [[] for _ in names]
    for end, joint in enumerate(skeleton.end_parents):
        ends[joint].append(end)
    first_end = _first_ends(skeleton)
    yield "HIERARCHY"
    # What is still to be written, the last first: a joint, an end site, or a brace.
    stack: list[tuple[str, int, int]] = [("ROOT", 0, 0)]
    while stack:
        what, index, depth = stack.pop()
        # Indentation is limited, because a long chain would fill the file with tabs.
        indent = "\t" * min(depth, _DEEPEST_INDENT)
        if what == "}":
            yield f"{indent}}}"
            continue
        name = end_names[index] if what == "End" else names[index]
        offset = skeleton.end_offsets[index] if what == "End" else skeleton.offsets[index]
        yield f"{indent}{what} {name}"
        yield f"{indent}{{"
        yield f"{indent}\tOFFSET {decimals(offset.tolist())}"
        stack.append(("}", index, depth))
        if what != "End":
            yield f"{indent}\tCHANNELS {' '.join([str(len(channels[index])), *channels[index]])}"
            # End sites come before the branches whose own end sites have higher
            # numbers, so that they have the same numbers when read again.
            inside = []
            waiting = ends[index]
            for child in skeleton.children[index]:
                inside += [("End", end) for end in waiting if end < first_end[child]]
                waiting = [end for end in waiting if end > first_end[child]]
                inside.append(("JOINT", child))
            inside += [("End", end) for end in waiting]
            stack.extend((kind, item, depth + 1) for kind, item in reversed(inside))


def _first_ends(skeleton: Skeleton) -> list[int]:
    """For each joint the lowest number of an end site in its branch."""
    none = len(skeleton.end_parents)
    first = [none] * len(skeleton)
    for end, joint in reversed(list(enumerate(skeleton.end_parents))):
        first[joint] = end
    for joint in range(len(skeleton) - 1, 0, -1):
        parent = int(skeleton.parents[joint])
        first[parent] = min(first[parent], first[joint])
    return first


def _plain(name: str) -> str:
    """A name that fits on one line."""
    return re.sub(r"[{}\t\r\n]+", "_", name).strip() or "joint"


def _frozen(array: Array) -> Array:
    array = np.ascontiguousarray(array) if array.base is None else array.copy()
    array.setflags(write=False)
    return array
