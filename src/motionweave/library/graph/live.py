"""A walk through a graph that is steered step by step.

The next request is unknown: at every step all continuations, in the same clip or into another, are
compared with the request, and the best is played. What was played does not change, and each step
begins in the pose in which the one before ended.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np

from motionweave.body.pose.heading import facing
from motionweave.body.rig.roles import leg_length
from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.concatenation import concatenate
from motionweave.core.motion import Motion
from motionweave.core.planar import Planar
from motionweave.core.runtime.cache import Recent
from motionweave.errors import LibraryError, QualityWarning
from motionweave.library.bodies import on_body
from motionweave.library.fading import inside
from motionweave.library.graph.floor_path import LEG
from motionweave.library.graph.graph import MARGIN, Graph
from motionweave.library.index.features import RATE, ClipTrack
from motionweave.library.index.folder import IndexedFolder
from motionweave.methods.blending.transition import transition

# Samples that a step continues in a clip, if nothing is better.
_ONWARDS = round(0.5 * RATE)
# Samples within which a clip is left for another.
_SOON = round(1.2 * RATE)
# Samples after a junction that are examined to see where it leads.
_SEEN = round(1.5 * RATE)
# Samples that are played on either side of a transition, over which planted feet ease off.
_EASE = round(0.3 * RATE)
# The costs of a speed that is off by a leg length per second, and of a junction, squared.
_PACE, _ROUGH = 0.15, 2.0
# Cached clips on the body of the walk.
_AT_HAND = 64
# Below this speed, in leg lengths per second, a body counts as moving where it faces.
_STANDS = 0.3


@dataclass(frozen=True)
class _Way:
    """One continuation: up to a sample of the clip, and perhaps into another.

    Parameters
    ----------
    leave
        Sample of the clip up to which it is played, or at which it is left.
    clip, enter
        The clip that is entered, and the sample; None to stay.
    cost
        Its cost.
    """

    leave: int
    clip: int | None
    enter: int
    cost: float


class LiveWalk:
    """A walk that continues step by step; see `Library.live`.

    Parameters
    ----------
    library, graph
        Where to walk.
    start
        Number of the first clip, and the sample.
    """

    def __init__(self, library: IndexedFolder, graph: Graph, start: tuple[int, int]):
        self._library, self._graph = library, graph
        self._clip, sample = start
        first = library.load(self._clip, doubts=False)
        self._frame = graph.index.frame(self._clip, sample)
        self._body = first
        self._clips: Recent[Motion] = Recent(_AT_HAND)
        # What takes the current clip to where the walk performs it: on the floor, and up.
        self._move, self._lift = Planar(), 0.0
        self._unit = leg_length(first.skeleton)
        now = self._part(self._clip, self._frame, 1)
        turn = -float(facing(now)[0])
        self._move = Planar.onto(turn, now.root[0, [0, 2]], np.zeros(2))
        self._played: list[Motion] = [now.moved(self._move)]
        self.clips: list[str] = [graph.index.entries[self._clip].path]

    @property
    def motion(self) -> Motion:
        """Everything so far."""
        return replace(concatenate(self._played), name="live walk")

    @property
    def place(self) -> tuple[float, float]:
        """Where the body is now: x and z, in the unit of `motion`."""
        x, _, z = self._played[-1].root[-1]
        return float(x), float(z)

    @property
    def heading(self) -> float:
        """Its facing direction now, in degrees; 0 is +z, 90 is +x."""
        return float(np.degrees(facing(self._played[-1])[-1]))

    def step(self, heading: float | None = None, speed: float | None = None) -> Motion:
        """Continue for half a second to two seconds.

        Parameters
        ----------
        heading
            Direction of travel in degrees: 0 is +z, 90 is +x. None for any.
        speed
            How fast, in metres per second of a body 1.7 m tall. None for any.

        Returns
        -------
        Motion
            The frames that follow what was played before.
        """
        way = self._best(heading, speed)
        played = self._on(way.leave) if way.clip is None else self._over(way)
        self._played.append(played)
        return played

    # Choosing

    def _best(self, heading: float | None, speed: float | None) -> _Way:
        index, graph = self._graph.index, self._graph
        sample = index.sample(self._clip, self._frame)
        low = sample + MARGIN + _EASE
        ways = []
        ahead = self._seen(self._clip, sample, _SEEN + _ONWARDS)
        onwards = sample + _ONWARDS
        if len(graph.leaving(self._clip, onwards + MARGIN + _EASE)):
            cost = self._against([ahead], heading, speed)
            ways.append(_Way(onwards, None, 0, cost))
        junctions = graph.leaving(self._clip, low, sample + _SOON)
        if not ways and not junctions:
            # The next one, however long that takes: there is one, as dead ends are left out.
            junctions = graph.leaving(self._clip, low)[:1]
        for taken in junctions:
            leave, enter = (int(one) for one in graph.samples[taken])
            clip = int(graph.clips[taken, 1])
            if not graph.leaving(clip, enter + 2 * (MARGIN + _EASE)):
                continue
            before = index.track(self._clip, sample, leave + 1)
            after = index.track(clip, enter, enter + _SEEN)
            turned = self._placed(before, self._clip, sample)
            moved = _moved(after, self._sight(self._clip, sample) @ graph.arrivals[taken])
            cost = self._against([turned, moved], heading, speed)
            cost += _ROUGH * float(graph.distances[taken]) ** 2
            ways.append(_Way(leave, clip, enter, cost))
        if not ways:
            raise LibraryError(
                "the walk has come to a dead end: no junction can be reached in time"
            )
        return min(ways, key=lambda way: (way.cost, way.leave, way.clip or 0, way.enter))

    def _sight(self, clip: int, sample: int) -> Planar:
        """The move that takes a clip's track to where the body is now, in leg lengths."""
        here = self._graph.index.track(clip, sample, sample + 1)
        turn = np.radians(self.heading) - float(here.heading[0])
        place = np.asarray(self.place) / self._unit
        return Planar.onto(turn, here.points[0, 0, [0, 2]].astype(float), place)

    def _placed(self, track: ClipTrack, clip: int, sample: int) -> ClipTrack:
        return _moved(track, self._sight(clip, sample))

    def _seen(self, clip: int, sample: int, count: int) -> ClipTrack:
        return self._placed(self._graph.index.track(clip, sample, sample + count), clip, sample)

    def _against(self, ahead: list[ClipTrack], heading: float | None, speed: float | None) -> float:
        """The cost of a continuation, by where it leads."""
        cost = 0.0
        total = sum(len(track) for track in ahead)
        for track in ahead:
            if len(track) < 2:
                continue
            way = (track.points[-1, 0] - track.points[0, 0])[[0, 2]].astype(float)
            pace = float(np.linalg.norm(way)) * RATE / (len(track) - 1)
            share = len(track) / total
            if heading is not None:
                goes = np.arctan2(*way) if pace > _STANDS else float(track.heading[-1])
                ends = float(track.heading[-1])
                off = [1.0 - np.cos(one - np.radians(heading)) for one in (goes, ends)]
                cost += share * float(np.mean(off))
            if speed is not None:
                cost += share * _PACE * (pace - speed / LEG) ** 2
        return cost

    # Playing

    def _part(self, clip: int, frame: float, count: int) -> Motion:
        """Some frames of a clip from one on, on the body and in the frame rate of the walk."""
        # The whole clip: its floor is estimated from all of it.
        motion = self._clips.made(
            clip, lambda: on_body(self._library.load(clip, doubts=False), self._body)
        )
        at = frame + np.arange(count) * motion.fps / self._body.fps
        return replace(motion.sample(np.clip(at, 0.0, len(motion) - 1.0)), fps=self._body.fps)

    def _frames(self, samples: float) -> int:
        return round(samples / RATE * self._body.fps)

    def _on(self, sample: int) -> Motion:
        """Continue in the clip up to a sample."""
        index = self._graph.index
        ratio = index.entries[self._clip].fps / self._body.fps
        count = max(1, round((index.frame(self._clip, sample) - self._frame) / ratio))
        part = self._part(self._clip, self._frame, count + 1)[1:]
        self._frame += count * ratio
        return self._moved(part)

    def _moved(self, part: Motion) -> Motion:
        moved = part.moved(self._move)
        return replace(moved, root=moved.root + np.array([0.0, self._lift, 0.0]))

    def _over(self, way: _Way) -> Motion:
        """Turn into another clip."""
        assert way.clip is not None
        index = self._graph.index
        ratios = [index.entries[clip].fps / self._body.fps for clip in (self._clip, way.clip)]
        half = self._frames(MARGIN)
        leave = max(half, round((index.frame(self._clip, way.leave) - self._frame) / ratios[0]))
        before = self._moved(self._part(self._clip, self._frame, leave + half + 1))
        first = index.frame(way.clip, way.enter) - half * ratios[1]
        after = self._part(way.clip, first, 2 * half + self._frames(_EASE) + 1)
        joined = self._joined(before, after, leave, half)
        self._clip, self._frame = way.clip, first + (len(after) - 1) * ratios[1]
        self.clips.append(index.entries[way.clip].path)
        # The transition has laid the other clip over the first, floor on floor: where, its last
        # frame tells.
        own, end = after[-1], joined[-1]
        turn = rotations.multiply(end.rotations[0, 0], rotations.inverse(own.rotations[0, 0]))
        angle = float(rotations.vertical_angle(turn))
        self._move = Planar.onto(angle, own.root[0, [0, 2]], end.root[0, [0, 2]])
        self._lift = float(end.root[0, 1] - own.root[0, 1])
        return joined[1:]

    @staticmethod
    def _joined(before: Motion, after: Motion, leave: int, half: int) -> Motion:
        """The transition, its feet planted; its ends are the clips' own."""
        at = (leave, half)
        planted = transition(before, after, at=at, half_width=half)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", QualityWarning)
            plain = transition(before, after, at=at, half_width=half, clean=False)
        met = inside(plain, planted, 0.0, len(plain) - 1.0, _EASE / RATE)
        return met.with_constraints(planted.constraints)


def _moved(track: ClipTrack, move: Planar) -> ClipTrack:
    """A track moved on the floor."""
    points: Array = np.array(track.points, dtype=np.float64)
    points[..., [0, 2]] = move.apply_xz(points[..., [0, 2]])
    return ClipTrack(points, track.heading + move.angle)
