"""Examples: what a search starts from, inside or outside the library."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any

from motionweave.clips import load
from motionweave.core.motion import Motion
from motionweave.errors import FormatError, LibraryError
from motionweave.library.index.features import ClipTrack, mirrored, track
from motionweave.library.index.folder import IndexedFolder
from motionweave.library.index.reading import rig_of

# First and last frame.
Frames = tuple[float, float]
# How an example is given: a motion, or the path of a clip inside or outside the library.
Given = Motion | str | Path


@dataclass(frozen=True, eq=False)
class Example:
    """An example as the library sees it.

    Parameters
    ----------
    track
        What to look for.
    own
        Where in the library it is, if at all: a clip, its first and last frame.
    number
        Its number, if there are several.
    mirrored
        Whether it is the mirror image of what was given.
    """

    track: ClipTrack
    own: tuple[str, float, float] | None = None
    number: int = 0
    mirrored: bool = False


def examples_of(
    library: IndexedFolder,
    given: Sequence[Given],
    frames: Frames | Sequence[Frames | None] | None,
    *,
    with_mirrored: bool,
) -> list[Example]:
    """Examples as the library sees them; with their mirror images, if these count, too."""
    found = []
    for number, (one, which) in enumerate(zip(given, frames_of(given, frames), strict=True)):
        seen, own = _seen(library, one, which)
        found.append(Example(seen, own, number))
        if with_mirrored:
            found.append(Example(mirrored(seen), own, number, mirrored=True))
    return found


def frames_of(
    given: Sequence[Given], frames: Frames | Sequence[Frames | None] | None
) -> list[Frames | None]:
    """First and last frame of each example; None for all of it."""
    if frames is None:
        return [None] * len(given)
    each: list[Any] = [frames] if all(isinstance(one, Real) for one in frames) else [*frames]
    if len(each) != len(given):
        raise LibraryError(
            f"frames={frames!r}: expected the first and last frame of each of {len(given)} "
            "examples; None for all of one"
        )
    return each


def _seen(
    library: IndexedFolder, example: Given, frames: Frames | None
) -> tuple[ClipTrack, tuple[str, float, float] | None]:
    """The example as the library sees it, and where in the library it is, if at all."""
    if isinstance(example, Motion):
        return track(_cut(example, frames)), None
    number = library.number(example)
    if number is None:
        if not Path(example).exists():
            raise FormatError("there is no such file, and no such clip in the library", example)
        return track(_cut(load(example, contacts=False, drop_tpose=True), frames)), None
    entry = library.index.entries[number]
    first, last = frames or (0.0, entry.frames - 1.0)
    if not 0 <= first <= last <= entry.frames - 1:
        raise LibraryError(
            f"frames {first:g} to {last:g} are not all in {entry.path}, which has frames 0 "
            f"to {entry.frames - 1}"
        )
    low, high = library.index.sample(number, first), library.index.sample(number, last)
    return library.index.track(number, low, high + 1), (entry.path, first, last)


def motion_of(library: IndexedFolder, example: Given, frames: Frames | None) -> Motion:
    """The example as a motion."""
    if isinstance(example, Motion):
        return _cut(example, frames)
    number = library.number(example)
    if number is None:
        whole = load(example, drop_tpose=True)
    else:
        whole = library.load(number, doubts=frames is None)
    return _cut(whole, frames)


def rigs_of(library: IndexedFolder, clips: Collection[Given]) -> set[str]:
    """The rigs of motions, and of clips inside or outside the library."""
    rigs = set()
    for clip in clips:
        number = None if isinstance(clip, Motion) else library.number(clip)
        if number is None:
            rigs.add(rig_of(motion_of(library, clip, None).skeleton))
        else:
            rigs.add(library.index.entries[number].rig)
    return rigs


def _cut(motion: Motion, frames: Frames | None) -> Motion:
    if frames is None:
        return motion
    first, last = round(frames[0]), round(frames[1])
    if not 0 <= first <= last <= len(motion) - 1:
        raise LibraryError(
            f"frames {first} to {last} are not all in the example, which has frames 0 to "
            f"{len(motion) - 1}"
        )
    return motion[first : last + 1]
