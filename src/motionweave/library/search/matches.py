"""The result of a search: a stretch of a clip, and how it matches the example."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from motionweave.body.mirror import mirror
from motionweave.body.rig.roles import leg_length
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.errors import LibraryError
from motionweave.library.index.features import RATE
from motionweave.library.index.folder import IndexedFolder
from motionweave.library.search.examples import Example
from motionweave.library.search.find import Stretch, find
from motionweave.library.search.query import Query
from motionweave.library.search.spans import SAME

# Seconds around either end of a match in which the ends of an example are looked for that it may
# be, and 1 - cos of half the angle by which joints may be turned there.
_ENDS, _SAME_POSE = 0.1, 1e-6


@dataclass(frozen=True, eq=False)
class Match:
    """A stretch of a clip that is similar to the example.

    Parameters
    ----------
    clip
        Path of the clip in the library.
    first, last
        Frames of the clip, in its own frame rate.
    distance
        Root mean square of all roles over the example, in leg lengths; through intermediaries, the
        largest from one to the next.
    path
        ``(n, 2)``: seconds into the example, and the matching frame of the clip.
    library
        Where the clip is.
    via
        Clips through which it was reached, if it is not similar to the example itself.
    example
        Number of the example that it is similar to, if there are several.
    mirrored
        Whether it is similar to the mirror image of the example.
    """

    clip: str
    first: float
    last: float
    distance: float
    path: Array
    library: IndexedFolder = field(repr=False)
    via: tuple[str, ...] = ()
    example: int = 0
    mirrored: bool = False

    @classmethod
    def of(
        cls, library: IndexedFolder, example: Example, stretch: Stretch, via: tuple[int, ...] = ()
    ) -> Match:
        """A match from what was found in the library's index."""
        index = library.index
        frames = np.array([index.frame(stretch.clip, sample) for sample in stretch.path])
        seconds = np.arange(len(example.track)) / RATE
        return cls(
            index.entries[stretch.clip].path,
            index.frame(stretch.clip, stretch.first),
            index.frame(stretch.clip, stretch.last),
            stretch.distance,
            np.column_stack([seconds, frames]),
            library,
            tuple(index.entries[number].path for number in via),
            example.number,
            example.mirrored,
        )

    @classmethod
    def whole(cls, library: IndexedFolder, number: int) -> Match:
        """A whole clip, found by words or measures."""
        entry = library.index.entries[number]
        last = entry.frames - 1.0
        path = np.array([[0.0, 0.0], [last / entry.fps, last]])
        return cls(entry.path, 0.0, last, 0.0, path, library)

    def load(self) -> Motion:
        """The stretch as a motion, mirrored if it is similar to the example only then."""
        motion = self.library.load(self.clip, doubts=False)
        first, last = round(self.first), min(round(self.last), len(motion) - 1)
        stretch = motion[first : last + 1]
        return mirror(stretch) if self.mirrored else stretch

    def overlaps(self, clip: str, first: float, last: float) -> bool:
        """Whether it is effectively these frames of that clip."""
        common = min(self.last, last) - max(self.first, first)
        shorter = min(self.last - self.first, last - first)
        # Poses share nothing but their frame.
        return self.clip == clip and 0.0 <= common >= SAME * shorter

    def is_itself(self, example: Motion) -> bool:
        """Whether it is where the example was cut out: a body of the same size in the same poses
        at both ends."""
        clip = self.library.load(self.clip, doubts=False)
        if self.mirrored or not clip.skeleton.same_joints(example.skeleton):
            return False
        if not np.isclose(leg_length(clip.skeleton), leg_length(example.skeleton)):
            return False
        reach = round(_ENDS * clip.fps)
        for frame, pose in ((self.first, example.rotations[0]), (self.last, example.rotations[-1])):
            near = clip.rotations[max(0, round(frame) - reach) : round(frame) + reach + 1]
            turned = 1.0 - np.abs(np.sum(near * pose, axis=-1)).min(axis=1)
            if turned.min() > _SAME_POSE:
                return False
        return True

    def __str__(self) -> str:
        through = f" through {' and '.join(self.via)}" if self.via else ""
        frames = f"{self.first:.0f} to {self.last:.0f}"
        side = ", mirrored" if self.mirrored else ""
        return f"{self.clip} {frames}, distance {self.distance:.3f}{side}{through}"


def similar(library: IndexedFolder, examples: Sequence[Example], query: Query) -> list[Match]:
    """Stretches similar to any of the examples."""
    limit = np.inf if query.limit is None else query.limit
    return [
        Match.of(library, example, stretch)
        for example in examples
        for stretch in find(
            library.index,
            example.track,
            most=query.most,
            roles=query.roles,
            among=query.among,
            limit=limit,
        )
    ]


def whole_clips(
    library: IndexedFolder, among: NDArray[np.bool_] | None, most: int
) -> tuple[Match, ...]:
    """The first of the clips that are asked for ``(clips,)``, each as a whole."""
    if among is None:
        raise LibraryError("nothing to find: give an example, words, measures or rigs")
    return tuple(Match.whole(library, int(number)) for number in np.flatnonzero(among)[:most])


def distinct(
    matches: Iterable[Match],
    examples: Sequence[Example],
    most: int,
    *,
    without: Sequence[Match] = (),
) -> tuple[Match, ...]:
    """The nearest matches of examples, each stretch once, without the examples themselves.

    Parameters
    ----------
    matches
        Some may be the same stretches, found for several examples.
    examples
        What was looked for.
    most
        How many at most.
    without
        Matches whose stretches are left out, too.
    """
    own = [example.own for example in examples if example.own is not None]
    kept: list[Match] = []
    taken: dict[str, list[Match]] = {}
    for one in without:
        taken.setdefault(one.clip, []).append(one)
    for one in sorted(matches, key=lambda match: (len(match.via), match.distance)):
        others = taken.setdefault(one.clip, [])
        if any(one.overlaps(other.clip, other.first, other.last) for other in others):
            continue
        others.append(one)
        if not any(one.overlaps(*place) for place in own):
            kept.append(one)
    return tuple(kept[:most])
