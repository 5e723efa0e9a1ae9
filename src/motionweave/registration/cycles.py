"""Motions that repeat themselves: where a cycle begins and ends, and how to cut it out.

A clip is compared with itself a lag later, for all lags up to a few seconds: a band along the
diagonal of its distance grid. Longer lags use fewer samples, so that the cost grows only with the
clip's length. There is a cycle where, for a whole period, frames are much closer to those a lag
later than frames usually are. This is evidence from one place of the clip, so that a walk that
slows down, turns or stops is found by its best stretch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from motionweave.core.arrays import Array, IntArray
from motionweave.core.cycles import closed, is_closed, wrapped
from motionweave.core.motion import Motion
from motionweave.core.runtime.cache import MotionCache
from motionweave.errors import Kind, MotionError, Remedy
from motionweave.registration import distance
from motionweave.registration.clouds import PointClip, as_points
from motionweave.registration.windows import CentredClip

# Samples per second for the search of the period.
_RATE = 30.0
# Shortest cycle in seconds, and the longest lag for which all samples are used.
_SHORTEST = 0.3
_LONGEST = 4.0
# Share of a period for which the clip must continue after its first period.
_LEAST_OVERLAP = 0.3
# Frames a period apart are closer than this share of the usual distance between frames.
_CLEAR = 0.45
# Of several periods, the shortest counts that is worse than the best by at most this.
_NEARLY = 0.05
# Frames that differ by less than this share of body height are the same pose.
_STILL = 0.005
# How far from the period the best pair of frames may be, as a share of it.
_PLAY = 0.1
# A part of a clip repeats itself too if its period is within this share of the one found.
_DRIFT = 0.25
# A clip whose ends differ by less than this share of how much its poses vary is one cycle,
_ONE_ROUND = 0.2
# if it accelerates no more there than this many times as much as elsewhere,
_NO_JERK = 1.75
# and moves at this share of its usual speed or more.
_ON_THE_MOVE = 0.3
# A clip whose ends differ by less than this share was made to be played in a loop, at rest or not.
_MADE_TO_LOOP = 0.01
# Cells of several lags that are computed at once.
_AT_ONCE = 16_384
# Shares that differ by less are equal.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Repetition:
    """How a clip repeats itself.

    Parameters
    ----------
    first, last
        Frames of its best cycle.
    likeness
        How far frames a period apart differ, as a share of how far frames usually differ: 0
        for a motion that repeats itself exactly.
    share
        The share of the clip that repeats itself with about this period.
    whole
        Whether the clip is one ready-made cycle.
    sure
        Whether it has to be a cycle. A clip that ends exactly as it begins, but at rest, may also
        be a kick from a stance and back.
    """

    first: int
    last: int
    likeness: float
    share: float
    whole: bool = False
    sure: bool = True


def find_cycle(motion: Motion, *, remedies: Sequence[Remedy] = ()) -> tuple[int, int]:
    """First and last frame of the clip's best cycle.

    A clip that already is one cycle is used as a whole: its ends have the same pose and speed, or
    exactly the same pose.

    Parameters
    ----------
    motion
        A clip that holds about one and a third cycles or more, or is one cycle.
    remedies
        What the caller offers for a clip that does not repeat itself, for the error's message.

    Returns
    -------
    tuple of int
        Frames a period apart that are most similar.

    Raises
    ------
    MotionError
        If the motion does not repeat itself, or its repetition is not in the clip.
    """
    found = repetition(motion)
    if found is None:
        raise MotionError(
            f"{motion.name or 'the clip'} does not repeat itself: no two stretches of its "
            f"{motion.duration:.2g} seconds are similar; give a clip with more than one cycle"
            + ("" if not remedies else ", or say that this is one"),
            remedies,
            Kind.NO_CYCLE,
        )
    return found.first, found.last


REPETITIONS: MotionCache[Repetition | None] = MotionCache()


def repetition(motion: Motion) -> Repetition | None:
    """How the clip repeats itself, or could be repeated; None if it does not close.

    It is cached for the last few clips.
    """
    return REPETITIONS.get(motion, lambda: _look_for_repetition(motion))


def _look_for_repetition(motion: Motion) -> Repetition | None:
    points = as_points(motion)
    clip = points.spread(_RATE)
    found = [(likeness, lags, lag) for lags in _levels(clip) for lag, likeness in lags.candidates()]
    least = min((likeness for likeness, _, _ in found), default=np.inf)
    if least > _CLEAR:
        return one_round(points)
    # Twice the period is often a little better; the shortest that is nearly as good counts.
    enough = min(_CLEAR, max(least + _NEARLY, 2.0 * least))
    likeness, best, lag = next(one for one in found if one[0] <= enough)
    row, lag = best.pair(lag, enough)
    stride = best.step * (len(motion) - 1) / (len(clip) - 1)
    first, last = _refined(points, row * stride, (row + lag) * stride, stride)
    return Repetition(first, last, likeness, best.share(lag))


def extract_cycle(motion: Motion, ends: tuple[int, int] | None = None) -> Motion:
    """One cycle, closed: its last frame is its first one moved on the floor.

    Parameters
    ----------
    motion
        The clip to cut it out of.
    ends
        First and last frame; by default those of `find_cycle`.

    Returns
    -------
    Motion
        The cycle. Its first and last frames are those given, brought together.

    Raises
    ------
    MotionError
        If the frames are not in the clip, or none are given and it does not repeat itself.

    Notes
    -----
    The difference between the two end poses is spread evenly over the cycle; the remaining
    difference in speed at the seam is eased within a fraction of a second.
    A cycle that is already closed is returned unchanged. Many ready-made cycles leave out the
    last frame, because it would be the first one again; it is added.
    """
    first, last = find_cycle(motion) if ends is None else ends
    if not 0 <= first < last < len(motion):
        raise MotionError(
            f"a cycle from frame {first} to {last} is not in a clip of {len(motion)} frames"
        )
    clip = motion[first : last + 1]
    if is_closed(clip):
        return clip
    if len(clip) == len(motion) and _lacks_last_frame(motion):
        clip = wrapped(clip)
        return closed(clip, distance.align_frames(clip, clip, len(clip) - 1, 0))
    step = distance.align_frames(motion, motion, last, first)
    return closed(clip, step)


@dataclass(frozen=True, eq=False)
class _Lags:
    """A clip of n samples compared with itself, lags ``[1, most]`` later.

    Parameters
    ----------
    clip
        The samples.
    shortest, most
        Lags that may be a period.
    step
        How many samples of the whole clip are one of these.
    """

    clip: PointClip
    shortest: int
    most: int
    step: int

    @cached_property
    def count(self) -> int:
        """n."""
        return len(self.clip)

    @cached_property
    def distances(self) -> Array:
        """``(n, most)``; 0 where the clip has ended."""
        first = np.arange(1, self.count + 1)
        band = distance.distance_band(self.clip, self.clip, first, self.most)
        return np.where(np.isfinite(band), band, 0.0)

    @cached_property
    def _sums(self) -> Array:
        """``(most + 1, n + 1)`` sums of all lags and rows before."""
        sums = np.zeros((self.most + 1, self.count + 1))
        np.cumsum(self.distances.T, axis=1, out=sums[1:, 1:])
        np.cumsum(sums[1:, 1:], axis=0, out=sums[1:, 1:])
        return sums

    @cached_property
    def lags(self) -> range:
        """Those that can be within `_PLAY` of a period."""
        return range(max(1, self.shortest - _play(self.shortest)), self.most + 1)

    def overlaps(self, lags: IntArray) -> IntArray:
        """Over how many samples lags are judged: a period, or what there is of the second."""
        return np.minimum(lags, self.count - lags)

    @cached_property
    def likeness(self) -> Array:
        """``(lags, places)`` for each place at which as many samples as a lag is judged over can be
        compared: how far they are from those a lag later, as a share of how far the samples there
        usually are from each other. Infinite beyond the last place of a lag."""
        lags = np.array(self.lags)
        places = int((self.count - lags - self.overlaps(lags)).max()) + 1
        result = np.full((len(lags), places), np.inf)
        # All lags of a short clip are compared at once, and one after the other of a long one.
        size = max(1, _AT_ONCE // self.count)
        for first in range(0, len(lags), size):
            some = slice(first, first + size)
            self._compare(lags[some], result[some])
        return result

    def _compare(self, lags: IntArray, result: Array) -> None:
        """Fill `likeness` of some lags."""
        many = self.overlaps(lags)
        # What is brought together has to vary in itself: a figure that stands before a jump and
        # after it repeats nothing.
        half, reach = np.maximum(1, many // 2), np.clip(many, 1, self.most)
        still = (_STILL * self.clip.height) ** 2
        places = self.count - lags - many + 1
        place = np.arange(places.max())
        # Sums up to a place, of all lags up to one: rows of the table lie one after the other.
        table, width = self._sums.ravel(), self.count + 1

        def over(row: IntArray, first: IntArray, length: IntArray) -> Array:
            begin = (row * width)[:, None] + first
            return table.take(begin + length[:, None], mode="clip") - table.take(begin, mode="clip")

        # Sums over all lags up to this one, and over this one alone.
        all_lags = over(lags, place, many)
        apart = all_lags - over(lags - 1, place, many)
        near = np.minimum(over(reach, place, half), over(reach, lags[:, None] + place, half))
        usual = near / (half * reach)[:, None]
        usual = np.minimum(usual, all_lags / (many * lags)[:, None])
        known = (usual > still) & (place < places[:, None])
        np.divide(apart / many[:, None], usual, out=result[:, : len(place)], where=known)

    def candidates(self) -> Iterator[tuple[int, float]]:
        """Lags that fit better than their neighbours, and how well they do at their best."""
        best = self.likeness.min(axis=1).tolist()
        for lag in range(max(self.shortest, self.lags[0] + 1), self.most):
            before, here, after = best[lag - self.lags[0] - 1 : lag - self.lags[0] + 2]
            if here <= min(before, after) and here < np.inf:
                yield lag, here

    def pair(self, period: int, enough: float) -> tuple[int, int]:
        """The sample and lag, about the period, whose two ends are most similar."""
        count = self.count
        best, pair = np.inf, (0, period)
        play = _play(period)
        for lag in range(max(2, period - play), min(period + play, self.most, count - 1) + 1):
            likeness = self.likeness[lag - self.lags[0]]
            # Samples at the very ends have no neighbours that would show their speed.
            margin = min(2, (count - 1 - lag) // 2)
            row = np.arange(margin, count - lag - margin)
            # The stretch around the cycle's end.
            many = min(lag, count - lag)
            around = np.clip(row - many // 2, 0, count - lag - many)
            between = self.distances[row, :lag].mean(axis=1)
            alike = self.distances[row, lag - 1] / np.maximum(between, np.finfo(float).tiny)
            alike[likeness[around] > max(enough, likeness.min())] = np.inf
            # The first of equally good ones, whatever rounding makes of them.
            i = int(np.argmax(alike <= alike.min() + _ROUNDING))
            if alike[i] < best - _ROUNDING:
                best, pair = float(alike[i]), (int(row[i]), lag)
        return pair

    def share(self, period: int) -> float:
        """The share of the clip that repeats itself with about this period."""
        near = round(_DRIFT * period)
        lags = np.arange(max(self.shortest, period - near), min(period + near, self.most) + 1)
        alike = self.likeness[lags[0] - self.lags[0] : lags[-1] - self.lags[0] + 1] <= _CLEAR
        which, starts = np.nonzero(alike)
        stops = starts + (lags + self.overlaps(lags))[which]
        begun, ended = (np.bincount(at, minlength=self.count + 1) for at in (starts, stops))
        return float(np.mean(np.cumsum(begun - ended)[:-1] > 0))


def _play(period: int) -> int:
    """How many samples the best pair of frames may be nearer or farther apart than a period."""
    return max(1, round(_PLAY * period))


def _levels(clip: PointClip) -> Iterator[_Lags]:
    """The clip with all samples for short lags, half of them for lags twice as long, ..."""
    most, shortest, step = round(_LONGEST * _RATE), round(_SHORTEST * _RATE), 1
    while True:
        longest = min(most, int((len(clip) - 1) / (1.0 + _LEAST_OVERLAP)))
        if longest < shortest + 2:
            return
        yield _Lags(clip, shortest, longest, step)
        # Windows keep their number of samples: they span longer for longer periods.
        clip, shortest, step = clip[::2], most // 2, 2 * step


def one_round(clip: PointClip) -> Repetition | None:
    """The whole clip as a cycle if its end continues into its beginning.

    In the middle of a movement that cannot be chance. At rest, it is a sign only if the two poses
    are the same, as in loops animated by hand, whose keys are often at the extremes of a step;
    but a kick from a stance and back may be like that too.
    """
    if len(clip) < 5 or clip.duration < _SHORTEST:
        return None
    pose, jerk, pace = min(_end_gap(clip, lacking) for lacking in (False, True))
    moving = pose < _ONE_ROUND and pace > _ON_THE_MOVE
    if jerk >= _NO_JERK or not (moving or pose < _MADE_TO_LOOP):
        return None
    return Repetition(0, len(clip) - 1, 0.0, 1.0, whole=True, sure=moving)


def _lacks_last_frame(motion: Motion) -> bool:
    """Whether a ready-made cycle ends one frame before its first one comes again."""
    clip = as_points(motion)
    return _end_gap(clip, True) < _end_gap(clip, False)


def _end_gap(clip: PointClip, lacking: bool) -> tuple[float, float, float]:
    """How far the clip's end is from its beginning, as a share of how much poses vary; the
    largest acceleration there, as a share of the largest elsewhere; the speed there, as a
    share of the usual one.

    ``lacking`` is whether the clip ends one frame before its first one comes again.
    """
    p, w = clip.points, clip.weights

    def size(vectors: Array) -> Array:
        return np.asarray(np.sqrt(np.sum(vectors**2, axis=-1) @ w))

    poses = CentredClip.of(clip).poses
    varied = float(np.sqrt(2.0 * np.sum(np.var(poses, axis=0))))
    still = varied < _STILL * clip.height
    varied = max(varied, _STILL * clip.height)
    # Half of the step that is lacking is taken at the speed of each end.
    step = 0.5 * float(lacking)
    begin, end = p[0] - step * (p[1] - p[0]), p[-1] + step * (p[-1] - p[-2])
    move = distance.align(begin, end, w)
    # Speeds over about 1/30 s: from frame to frame a fast camera sees little but noise.
    k = max(1, min(round(clip.fps / _RATE), (len(p) - 1) // 3))
    before, after = move.apply(p[[-1 - k, -1]]), p[[0, k]]
    bend = size(np.diff(after, axis=0) - np.diff(before, axis=0))[0]
    usual = size(p[2 * k :] - 2.0 * p[k:-k] + p[: -2 * k]).max()
    steps = np.linalg.norm(np.diff(poses, axis=0), axis=1)
    tiny = np.finfo(float).tiny
    pace = 0.0 if still else min(steps[0], steps[-1]) / max(np.sqrt(np.mean(steps**2)), tiny)
    bend /= 1.0 + float(lacking) / k
    gap = float(size(move.apply(end) - begin))
    return gap / varied, float(bend / max(usual, tiny)), float(pace)


def _refined(clip: PointClip, first: float, last: float, stride: float) -> tuple[int, int]:
    """The best pair among the clip's own frames near one found at another rate."""
    start, far = round(first), max(1.0, stride)
    low = max(start + 1, int(np.ceil(last - far)))
    high = min(len(clip) - 1, int(np.floor(last + far)))
    here: Motion | PointClip = clip
    there: Motion | PointClip = clip
    begin = left = 0
    if clip.spread(_RATE) is not clip:
        # At its own rate the clip was not compared yet, and a few cells are not worth preparing it.
        here, begin = distance.near(clip, start, start + 1)
        there, left = distance.near(clip, low, high + 1)
    alike = distance.distance_block(
        here, there, (start - begin, start + 1 - begin), (low - left, high + 1 - left)
    )
    return start, low + int(np.argmin(alike))
