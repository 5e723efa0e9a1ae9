"""What a search starts from: an example inside or outside the library, words, measures."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from motionweave.clips import load
from motionweave.core.motion import Motion
from motionweave.errors import FormatError, LibraryError
from motionweave.library.index import adding
from motionweave.library.index.features import ClipTrack, mirrored, track
from motionweave.library.index.reading import rig_of, words
from motionweave.library.index.snapshot import Index

if TYPE_CHECKING:
    from motionweave.library.library import Library

Range = tuple[float | None, float | None]
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
    library: Library,
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
    library: Library, example: Given, frames: Frames | None
) -> tuple[ClipTrack, tuple[str, float, float] | None]:
    """The example as the library sees it, and where in the library it is, if at all."""
    if isinstance(example, Motion):
        return track(_cut(example, frames)), None
    number = _number(library, example)
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


def motion_of(library: Library, example: Given, frames: Frames | None) -> Motion:
    """The example as a motion."""
    if isinstance(example, Motion):
        return _cut(example, frames)
    number = _number(library, example)
    whole = load(example, drop_tpose=True) if number is None else library.load(number)
    return _cut(whole, frames)


def rigs_of(library: Library, clips: Collection[Given]) -> set[str]:
    """The rigs of motions, and of clips inside or outside the library."""
    rigs = set()
    for clip in clips:
        number = None if isinstance(clip, Motion) else _number(library, clip)
        if number is None:
            rigs.add(rig_of(motion_of(library, clip, None).skeleton))
        else:
            rigs.add(library.index.entries[number].rig)
    return rigs


def _number(library: Library, example: str | Path) -> int | None:
    """Number of the clip in the library, by its path there or on disk."""
    for path in (library.folder / example, Path(example)):
        number = library.index.number(adding.name_of(path, library.folder))
        if number is not None:
            return number
    return None


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


def chosen(
    index: Index,
    text: str,
    measures: Mapping[str, Range] | None,
    rigs: Collection[str] = (),
) -> NDArray[np.bool_] | None:
    """Which clips ``(clips,)`` have the requested words, measures and rigs; None if none are
    requested."""
    if not text and not measures and not rigs:
        return None
    wanted = words(text)
    fitting = np.ones(len(index), dtype=bool)
    for number, entry in enumerate(index.entries):
        said = index.words.get(entry.id, set())
        fits = all(any(one.startswith(word) for one in said) for word in wanted)
        fits = fits and (not rigs or entry.rig in rigs)
        for name, (low, high) in (measures or {}).items():
            if name not in entry.measures:
                known = ", ".join(entry.measures)
                raise LibraryError(f"there is no measure {name!r}; there are: {known}")
            value = entry.measures[name]
            fits = fits and (low is None or value >= low) and (high is None or value <= high)
        fitting[number] = fits
    return fitting


def kind_of(index: Index, text: str) -> NDArray[np.bool_]:
    """Which clips ``(clips,)`` are meant by a path or by words."""
    number = index.number(text)
    if number is not None:
        return np.asarray(np.arange(len(index)) == number)
    among = chosen(index, text, None)
    if among is None or not among.any():
        raise LibraryError(f"{text!r}: no clip of the library has that path or these words")
    return among
