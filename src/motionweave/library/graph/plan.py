"""Plans of walks: which parts of which clips follow a path best.

A beam search: plans that have got equally far are compared, and the most promising are
pursued further.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from motionweave.core.planar import Planar
from motionweave.errors import LibraryError
from motionweave.library.graph.floor_path import FloorPath
from motionweave.library.graph.graph import MARGIN, STAY, Graph, heights
from motionweave.library.index.features import RATE
from motionweave.library.index.folder import IndexedFolder

# Plans that are pursued in parallel; more if the best of fewer strays from the path ...
_BREADTHS = (40, 160)
# ... by more than this on average, in square leg lengths; and how many plans in any one clip.
_STRAYS, _PER_CLIP = 1.0, 3
# Samples within which a clip is left again, at most.
LONGEST = round(4.0 * RATE)
# Leg lengths after which plans are compared; a clip is left only after more.
_ADVANCE = 0.5
# Beginnings that are tried, spread over the graph.
_BEGINNINGS = 120
# The cost of a second compared with the squared distance from the path, in leg lengths squared: of
# plans that follow equally well, the faster one wins.
_HURRY = 0.02
# The cost of the squared distance at a junction.
_ROUGH = 0.3
# The cost of facing away from the direction of the path, for half a turn.
_ASTRAY = 0.15
# The cost of the squared distance of hips and lower ankle from their usual heights: of plans that
# follow equally well, the one that neither jumps nor crawls wins.
_UNUSUAL = 5.0
# Samples between points at which a plan is compared with the path.
_CHECK = 3


@dataclass(frozen=True)
class WalkPiece:
    """Samples of a clip in a walk: from entering (or starting) to leaving (or ending)."""

    clip: int
    first: int
    last: int


@dataclass(frozen=True, eq=False)
class WalkPlan:
    """A path through a graph.

    Parameters
    ----------
    pieces
        Which parts of which clips are played.
    place
        The move that takes the current clip's track to where the walk performs it.
    progress
        Leg lengths travelled.
    cost
        Its cost so far.
    """

    pieces: tuple[WalkPiece, ...]
    place: Planar = field(default_factory=Planar)
    progress: float = 0.0
    cost: float = 0.0

    @property
    def current(self) -> WalkPiece:
        """The clip that it is in."""
        return self.pieces[-1]


def at_beginning(graph: Graph, clip: int, sample: int, route: FloorPath) -> Planar:
    """The move that takes a clip, from a sample on, to the beginning of a path."""
    ahead = graph.index.track(clip, sample, sample + STAY)
    hips = ahead.points[:, 0]
    way = hips[-1] - hips[0]
    # A walking body moves along the path; a standing one faces along it.
    travels = float(np.hypot(way[0], way[2])) > 0.3
    facing = float(np.arctan2(way[0], way[2])) if travels else float(ahead.heading[0])
    turn = float(route.direction(0.0)) - facing
    return Planar.onto(turn, hips[0, [0, 2]].astype(float), route.at(0.0))


def beginnings(graph: Graph, library: IndexedFolder, start: str | None) -> list[tuple[int, int]]:
    """Clips and samples at which a walk may begin."""
    index = graph.index
    if start is not None:
        number = index.number(library.entry(start).path)
        assert number is not None
        if not graph.leaving(number, MARGIN):
            raise LibraryError(f"{start}: this clip leads to no other; see `library.graph()`")
        return [(number, 0)]
    used = np.unique(graph.clips[:, 0])
    step = max(1, len(used) // _BEGINNINGS)
    return [(int(clip), 0) for clip in used[::step]]


def beginning(graph: Graph, library: IndexedFolder, start: str | None) -> tuple[int, int]:
    """The clip with the most continuations, or the requested one, and its first sample."""
    if start is None:
        return int(np.argmax(np.diff(graph.firsts))), 0
    return beginnings(graph, library, start)[0]


def follow(
    graph: Graph,
    route: FloorPath,
    begins: Sequence[tuple[int, int]],
    *,
    heading: float | None = None,
) -> WalkPlan:
    """The plan that follows a path best.

    Among thousands of clips, the few plans that follow a straight stretch best may all be unable to
    take the corner after it: if so, more are pursued.
    """
    for breadth in _BREADTHS:
        best = _best(graph, route, begins, breadth, heading)
        if best.cost <= _STRAYS * best.progress:
            break
    return best


def _best(
    graph: Graph,
    route: FloorPath,
    begins: Sequence[tuple[int, int]],
    breadth: int,
    heading: float | None,
) -> WalkPlan:
    """The best plan, if a number of plans is pursued in parallel.

    Plans that have got equally far are compared with each other, and the most promising of
    them are gone on with.
    """
    plans = [
        WalkPlan((WalkPiece(clip, s, s),), at_beginning(graph, clip, s, route))
        for clip, s in begins
    ]
    by_progress: dict[int, list[WalkPlan]] = {}
    finished: list[WalkPlan] = []
    for step in range(int(route.length / _ADVANCE) + 1):
        for plan in plans if step == 0 else _promising(by_progress.pop(step, []), breadth):
            for grown in _grown(graph, route, plan, finished, heading):
                # A body that stands still follows any path perfectly, and never arrives.
                reached = int(grown.progress / _ADVANCE)
                if reached > step:
                    by_progress.setdefault(reached, []).append(grown)
    if not finished:
        raise LibraryError(
            "found no walk along the path: the graph has too few clips that travel; add some, or "
            "choose other kinds"
        )
    return min(finished, key=lambda plan: plan.cost / plan.progress)


def _grown(
    graph: Graph,
    route: FloorPath,
    plan: WalkPlan,
    finished: list[WalkPlan],
    heading: float | None,
) -> list[WalkPlan]:
    """Extend a plan to every junction within reach; plans that reach the end go to ``finished``."""
    here = plan.current
    ahead = graph.index.track(here.clip, here.first, here.first + LONGEST + 1)
    at = np.arange(0, len(ahead), _CHECK)
    places = plan.place.apply_xz(ahead.points[at, 0][:, [0, 2]].astype(np.float64))
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(places, axis=0), axis=1))])
    travelled = plan.progress + way
    off = np.sum((places - route.at(travelled)) ** 2, axis=1)
    turned = ahead.heading[at] + plan.place.angle - route.direction(travelled)
    astray = _ASTRAY * 0.5 * (1.0 - np.cos(turned))
    unusual = _UNUSUAL * np.sum((heights(ahead)[at] - graph.usual_heights) ** 2, axis=1)
    # By the distance covered, and slightly by the time that it took.
    steps = np.diff(way, prepend=0.0)
    cost = plan.cost + np.cumsum((off + astray + unusual) * steps + _HURRY * _CHECK / RATE)
    beyond = np.flatnonzero(travelled >= route.length)
    stop = int(at[beyond[0]]) if len(beyond) else len(ahead)
    if len(beyond) and stop >= MARGIN:
        total = float(cost[beyond[0]])
        if heading is not None:
            apart = float(ahead.heading[stop]) + plan.place.angle - np.radians(heading)
            total += route.length * (1.0 - np.cos(apart))
        last = replace(here, last=here.first + stop)
        finished.append(
            WalkPlan((*plan.pieces[:-1], last), plan.place, float(travelled[beyond[0]]), total)
        )
    stay = STAY if len(plan.pieces) > 1 else MARGIN
    grown = []
    for taken in graph.leaving(here.clip, here.first + stay, here.first + stop - 1):
        leave = int(graph.samples[taken, 0])
        check = (leave - here.first) // _CHECK
        entered = int(graph.samples[taken, 1])
        grown.append(
            WalkPlan(
                (
                    *plan.pieces[:-1],
                    replace(here, last=leave),
                    WalkPiece(int(graph.clips[taken, 1]), entered, entered),
                ),
                plan.place @ graph.arrivals[taken],
                float(travelled[check]),
                float(cost[check]) + _ROUGH * float(graph.distances[taken]) ** 2,
            )
        )
    return grown


def _promising(plans: list[WalkPlan], breadth: int) -> list[WalkPlan]:
    """The best plans, not too many of them in one clip."""
    kept: list[WalkPlan] = []
    held: dict[int, int] = {}
    for plan in sorted(plans, key=lambda plan: plan.cost):
        clip = plan.current.clip
        if held.get(clip, 0) < _PER_CLIP:
            held[clip] = held.get(clip, 0) + 1
            kept.append(plan)
            if len(kept) == breadth:
                break
    return kept
