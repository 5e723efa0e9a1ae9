"""What the library screen finds: plain settings in, stretches of clips of a folder out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from motionweave.body.rig.roles import leg_length
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.core.runtime.cache import Recent
from motionweave.errors import Kind, LibraryError
from motionweave.library.fill.inbetween import inbetween
from motionweave.library.graph.floor_path import LEG
from motionweave.library.index.features import ClipTrack
from motionweave.library.index.folder import FOLDER
from motionweave.library.index.snapshot import Index
from motionweave.library.library import Library
from motionweave.library.search.matches import Match
from motionweave.studio.document.document import Document, ShelfClip
from motionweave.studio.view.payload import scale_of
from motionweave.studio.work.jobs import stage
from motionweave.studio.work.memo import Memo

# Frames that must be left of a clip on either side of a gap.
MARGIN = 8


@dataclass(frozen=True)
class LibrarySettings:
    """What the library screen looks for.

    Parameters
    ----------
    folder
        Where the clips are, on the machine that the studio runs on.
    clips
        Id of the example, or of the clip with a gap.
    mode
        ``"find"``, ``"fill"`` or ``"walk"``.
    words
        Only clips about which all these words are said.
    part
        Part of the body that is compared; empty for all of it.
    through
        Also what is like a match, and so on.
    alike
        How much of what sets the example apart such matches share, 0 to 1; None to decide by kind.
    compatible
        Only clips with the same joints as one on the shelf.
    most
        How many are listed.
    chosen
        Which of them is shown.
    gap
        First and last frame that are made anew; None for the middle third.
    path
        Places (x, z) on the floor, in metres, that a walk goes along.
    """

    folder: str = ""
    clips: tuple[str, ...] = ()
    mode: str = "find"
    words: str = ""
    part: str = ""
    through: bool = False
    alike: float | None = None
    compatible: bool = False
    most: int = 20
    chosen: int = 0
    gap: tuple[int, int] | None = None
    path: tuple[tuple[float, float], ...] = ()

    @property
    def least_alike(self) -> float | None:
        """How much matches of matches have to be alike, where that is asked of whole bodies."""
        return self.alike if self.through and not self.part else None


@dataclass(frozen=True)
class Row:
    """One stretch that was found.

    Parameters
    ----------
    clip
        Path of the clip in the folder.
    first, last
        Its frames.
    seconds
        How long it is.
    distance
        From the example, in leg lengths; None if it was found by words alone.
    via
        Clips through which it was reached.
    """

    clip: str
    first: int
    last: int
    seconds: float
    distance: float | None
    via: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The clip's name without its folders."""
        return Path(self.clip).stem


@dataclass(frozen=True, eq=False)
class Found:
    """What a search gave.

    Parameters
    ----------
    rows
        The nearest first.
    about
        How much is in the folder, in words.
    motion
        The stretch that is shown.
    example
        What was looked for, if it was a motion.
    clock
        The frame of the example at each frame of the stretch.
    chosen
        Which of the rows is shown.
    """

    rows: tuple[Row, ...]
    about: str
    motion: Motion
    example: ShelfClip | None
    clock: tuple[float, ...]
    chosen: int


@dataclass(frozen=True, eq=False)
class Walked:
    """A walk along a path.

    Parameters
    ----------
    motion
        The walk.
    rows
        The stretches that it is made of.
    about
        How much is in the folder, in words.
    path
        Where it was to go, in the metres of `Library.walk`.
    error
        How far from there it is on average, in metres.
    """

    motion: Motion
    rows: tuple[Row, ...]
    about: str
    path: Array
    error: float


def place_of(folder: str) -> Path | None:
    """The folder that is meant, if it is there and may be looked at."""
    try:
        place = Path(folder).expanduser()
        return place if place.is_dir() else None
    except (OSError, RuntimeError, ValueError):
        return None


def opened(folder: str) -> Library:
    """The library of a folder; a folder that was never read is read first."""
    place = place_of(folder)
    if place is None:
        raise LibraryError(f"{folder} is not a folder of this machine")
    fresh = not (place / FOLDER).is_dir()
    library = Library(place)
    if fresh or len(library) == 0:
        read(library)
    return library


def read(library: Library) -> None:
    """Take in what is new in the folder, telling how far it is."""
    stage("Reading the folder", 0.0)
    library.add(
        progress=lambda done, all_of_them: stage(
            f"Reading clip {done} of {all_of_them}", 0.9 * done / max(all_of_them, 1)
        )
    )
    if len(library) == 0:
        raise LibraryError("there are no clips in this folder that can be searched")


_searches: Memo[Found] = Memo(size=8)


def found(document: Document) -> Found:
    """What the settings ask for; remembered until the folder is read again."""
    settings: LibrarySettings = document.settings["library"]
    example = next(iter(document.usable(settings.clips)), None)
    with opened(settings.folder) as library:
        rigs = rigs_on_shelf(document)
        motions = [clip.motion for clip in ([] if example is None else [example]) + rigs]
        asked = (settings, library.store.change(), None if example is None else example.name)
        return _searches.get(motions, asked, lambda: _search(library, settings, example, rigs))


def rigs_on_shelf(document: Document) -> list[ShelfClip]:
    """The first clip of each rig on the shelf, if only these rigs are wanted."""
    first: list[ShelfClip] = []
    settings: LibrarySettings = document.settings["library"]
    for clip in document.clips if settings.compatible else ():
        if clip.original is not None and not any(
            clip.original.skeleton.same_joints(one.motion.skeleton) for one in first
        ):
            first.append(clip)
    return first


def _search(
    library: Library,
    settings: LibrarySettings,
    example: ShelfClip | None,
    rigs: Sequence[ShelfClip],
) -> Found:
    stage("Searching", 0.3)
    matches = library.find(
        None if example is None else example.motion,
        most=settings.most,
        part=settings.part or None,
        words=settings.words,
        through_others=settings.through and example is not None,
        alike=None if example is None else settings.least_alike,
        itself=False,
        rigs=[clip.motion for clip in rigs],
    )
    if not matches:
        whose = ", on a rig of the shelf" if rigs else ""
        raise LibraryError(f"nothing in the folder is like this, or has these words{whose}")
    rows = tuple(_row(library, match, example is not None) for match in matches)
    chosen = min(max(settings.chosen, 0), len(rows) - 1)
    stage("Loading what was found", 0.7)
    motion = matches[chosen].load()
    clock = () if example is None else _clock(matches[chosen], len(motion), example.motion)
    return Found(rows, _about(library), motion, example, clock, chosen)


def stretches(document: Document, rows: tuple[Row, ...]) -> list[tuple[Row, Motion]]:
    """The motions of all that was found."""
    settings: LibrarySettings = document.settings["library"]
    made = []
    with opened(settings.folder) as library:
        for number, row in enumerate(rows):
            stage(f"Loading {row.name}", number / len(rows))
            made.append((row, library.load(row.clip)[row.first : row.last + 1]))
    return made


# What is known of the folder that was asked last: a list asks for its stretches one by one.
_indexes: Recent[Index] = Recent(1)


def stretch_track(folder: str, clip: str, first: int, last: int) -> ClipTrack:
    """The roles over time of a stretch of a clip of the folder; its file is not read."""
    place = place_of(folder)
    if place is None or not (place / FOLDER).is_dir():
        raise LibraryError(f"{folder} is not a folder whose clips were read")
    with Library(place) as library:
        key = (library.folder, library.store.change())
        index = _indexes.made(key, lambda: library.index)
    number = index.number(clip)
    if number is None:
        raise LibraryError(f"{clip}: the folder has no such clip")
    ends = [index.sample(number, frame) for frame in (first, last)]
    return index.track(number, min(ends), max(ends) + 1)


def gap_of(settings: LibrarySettings, frames: int) -> tuple[int, int]:
    """First and last frame of the gap, inside a clip of that many frames."""
    first, last = settings.gap or (frames // 3, 2 * frames // 3)
    first = min(max(first, MARGIN), max(frames - 2 * MARGIN, MARGIN))
    return first, min(max(last, first + 1), frames - 1 - MARGIN)


def filled(document: Document, *, clean: bool) -> tuple[Motion, str]:
    """The clip with its gap made anew from the folder, and how much is in that."""
    settings: LibrarySettings = document.settings["library"]
    (clip,) = document.usable(settings.clips)[:1]
    motion = clip.motion
    if len(motion) <= 3 * MARGIN:
        raise LibraryError(f"{clip.name} is too short to have a gap", kind=Kind.TOO_SHORT)
    first, last = gap_of(settings, len(motion))
    with opened(settings.folder) as library:
        stage("Filling the gap", 0.4)
        seconds = (last + 1 - (first - 1)) / motion.fps
        made = inbetween(motion[:first], motion[last + 1 :], seconds, library, clean=clean)
        return made, _about(library)


_walks: Memo[Walked] = Memo(size=4)


def walked(document: Document, *, clean: bool) -> Walked:
    """A new motion along the path, out of the clips of the folder; remembered."""
    settings: LibrarySettings = document.settings["library"]
    with opened(settings.folder) as library:
        asked = (settings.folder, settings.words, settings.path, clean, library.store.change())
        return _walks.get((), asked, lambda: _walk(library, settings, clean))


def _walk(library: Library, settings: LibrarySettings, clean: bool) -> Walked:
    stage("Looking where clips can turn into each other", 0.1)
    graph = library.graph(
        words=settings.words,
        progress=lambda done, all_of_them: stage(
            "Looking where clips can turn into each other", 0.1 + 0.5 * done / all_of_them
        ),
    )
    stage("Planning the walk", 0.6)
    # Paths are drawn in metres of the scene, and walked in those of a body 1.7 m tall: which of
    # these is larger depends on whichever body performs the walk.
    drawn = np.array(settings.path)
    metre = _metre(library.load(int(graph.clips[0, 0])))
    walk = library.walk(drawn / metre, graph=graph, clean=clean)
    if not np.isclose(_metre(walk.motion), metre):
        metre = _metre(walk.motion)
        walk = library.walk(drawn / metre, graph=graph, clean=clean)
    rows = []
    for clip, first, last in walk.clips:
        entry = library.entry(clip)
        rows.append(Row(clip, round(first), round(last), (last - first) / entry.fps, None))
    motion = replace(walk.motion, name="walk along a path")
    error = metre * (walk.error or 0.0)
    return Walked(motion, tuple(rows), _about(library), drawn / metre, error)


def _metre(motion: Motion) -> float:
    """Metres of the scene in which a motion is shown, in a metre of `Library.walk`."""
    return scale_of(motion) * leg_length(motion.skeleton) / LEG


def _row(library: Library, match: Match, compared: bool) -> Row:
    entry = library.entry(match.clip)
    first, last = round(match.first), min(round(match.last), entry.frames - 1)
    distance = round(match.distance, 4) if compared else None
    return Row(match.clip, first, last, (last - first) / entry.fps, distance, match.via)


def _clock(match: Match, frames: int, example: Motion) -> tuple[float, ...]:
    """The frame of the example that belongs to each frame of a match."""
    at: Array = np.arange(float(frames)) + round(match.first)
    own = np.interp(at, match.path[:, 1], match.path[:, 0] * example.fps)
    return tuple(np.clip(own, 0.0, len(example) - 1.0).tolist())


def _about(library: Library) -> str:
    known = library.info()
    minutes = known["seconds"] / 60.0
    rigs = f", {known['rigs']} rigs" if known["rigs"] > 1 else ""
    many = len(known["broken"])
    broken = f"; {many} file{'s' * (many != 1)} could not be read" if many else ""
    return f"{known['clips']} clips, {minutes:.1f} minutes{rigs}{broken}"
