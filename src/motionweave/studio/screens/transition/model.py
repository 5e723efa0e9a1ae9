"""What the transition screen makes: the best place to join two clips, or a chosen one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from motionweave.body.size import body_height
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.methods.blending.transition import (
    Transition,
    best_junction,
    junctions,
    make_transition,
)
from motionweave.methods.joining.junctions import Junction
from motionweave.registration.distance import distance_grid
from motionweave.studio.document.document import Document
from motionweave.studio.screens.screen import RESULT, series
from motionweave.studio.view.result import Result
from motionweave.studio.view.viewport import Look
from motionweave.studio.work.jobs import stage
from motionweave.studio.work.memo import Memo

# Places marked in the map.
_MARKED = 8
# A place is marked if its frames are among this share of the most alike ones.
_ALIKE = 0.4
# Frames apart up to which two places are the same: they may have been found at another rate.
_SAME = 2.0
_GHOST_GAP = 0.95


@dataclass(frozen=True)
class TransitionSettings:
    """What the transition screen makes.

    Parameters
    ----------
    clips
        Ids of the clip that is left and of the one that is entered.
    at
        The frame of each at the middle of the transition; None for the best place.
    half_width
        Seconds from the middle to the ends; None for half a second, or less in short clips.
    """

    clips: tuple[str, ...] = ()
    at: tuple[float, float] | None = None
    half_width: float | None = None


@dataclass(frozen=True, eq=False)
class TransitionDetails:
    """What the widgets show."""

    names: tuple[str, str]
    lasts: tuple[float, float]
    grid: Array
    #: The best place first, then others that would do; empty while there is no time to look.
    places: tuple[Junction, ...]
    chosen: tuple[float, float]
    unit: float
    made: Transition
    #: Frames a second of both clips.
    rates: tuple[float, float]


_grids: Memo[Array] = Memo()
_places: Memo[tuple[Junction, ...]] = Memo()
_bests: Memo[Junction] = Memo()


def make(document: Document, live: bool) -> Result:
    """The transition that the settings describe, with what the widgets show of it."""
    settings: TransitionSettings = document.settings["transition"]
    clips = document.usable(settings.clips)
    first, second = (clip.motion for clip in clips)
    half = half_frames(settings, first)
    stage("Comparing all frames", 0.0)
    grid = _grids.get(
        (first, second), None, lambda: np.sqrt(np.maximum(distance_grid(first, second), 0.0))
    )
    stage("Looking for places to join", 0.3)
    places: tuple[Junction, ...] = ()
    if settings.at is None or not live:
        best = _bests.get(
            (first, second), half, lambda: best_junction(first, second, half_width=half)
        )
        others = _places.get(
            (first, second),
            half,
            lambda: junctions(first, second, half_width=half, most=_MARKED),
        )
        places = (best, *others_alike(best, others, grid))
    chosen = settings.at or places[0].frames
    clean = document.settings["common"].clean and not live
    stage("Joining", 0.6)
    made = make_transition([first, second], at=chosen, half_width=half, clean=clean)
    ghosts = [
        Look(
            f"ghost{i}",
            clip.motion,
            series(i),
            ghost=True,
            beside=_GHOST_GAP * (i + 1),
            label=clip.name,
        )
        for i, clip in enumerate(clips)
    ]
    looks = [Look("result", made.motion, RESULT, ground=first), *ghosts]
    height = body_height(first.skeleton) or 1.0
    details = TransitionDetails(
        (clips[0].name, clips[1].name),
        (len(first) - 1.0, len(second) - 1.0),
        grid,
        places,
        chosen,
        height,
        made,
        (first.fps, second.fps),
    )
    return Result(made.motion, tuple(looks), (first, second), details)


def others_alike(best: Junction, places: Sequence[Junction], grid: Array) -> tuple[Junction, ...]:
    """The places beside the best whose own frames are alike too, as the map shows them."""
    limit = float(np.quantile(grid, _ALIKE))
    last = np.array(grid.shape) - 1

    def distance(place: Junction) -> float:
        row, column = np.clip(np.rint(place.frames).astype(int), 0, last)
        return float(grid[row, column])

    def apart(place: Junction) -> float:
        return float(np.abs(np.subtract(place.frames, best.frames)).max())

    return tuple(p for p in places if distance(p) <= limit and apart(p) > _SAME)


def why(places: Sequence[Junction], unit: float) -> str:
    """Why the first of several places is the automatic choice.

    Places are compared by how far apart the poses are and how much is cut off, which is their
    cost; then the clips are joined at the cheapest ones, and the one that turns out best is taken.
    """
    best, *others = places

    def shown(place: Junction) -> float:
        return round(place.distance / unit, 3)

    nearer = [place for place in others if shown(place) < shown(best)]
    if not nearer:
        return "The first is the automatic choice: no poses are closer."
    reasons = []
    if any(place.cost > best.cost for place in nearer):
        reasons.append("cut off more of the clips")
    if any(place.cost <= best.cost for place in nearer):
        reasons.append("make a rougher seam, with joints that hurry or feet that slide or sink")
    return f"The first is the automatic choice: closer poses would {', or '.join(reasons)}."


def half_frames(settings: TransitionSettings, first: Motion) -> int | None:
    """The half width in frames of the first clip, if one was chosen."""
    width = settings.half_width
    return None if width is None else max(1, round(width * first.fps))
