"""Motions that repeat themselves: where a cycle begins and ends, cut out, and repeated.

A cycle is a clip whose last frame is its first one, moved on the floor. Frames are
compared by the registration distance, which does not see where the character stands.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from motionweave.body.size import body_height
from motionweave.core.arrays import Array
from motionweave.core.cycles import closed, is_closed
from motionweave.core.motion import Motion
from motionweave.errors import MotionError
from motionweave.registration import distance

# Frames a second at which the period is looked for.
_RATE = 30.0
# Seconds that a cycle lasts at least.
_SHORTEST = 0.3
# Share of a period for which the clip must go on after its first one.
_LEAST_OVERLAP = 0.3
# A period's frames are nearer to each other than this share of their usual distance, and of
# several periods the first that is worse than the best by no more than this is taken.
_CLEAR = 0.48
_NEARLY = 0.15
# Frames that differ by less than this share of the body's height are one pose.
_STILL = 0.005
# How far from the period the best pair of frames may be, as a share of it.
_PLAY = 0.1
# Shares that differ by less are equal.
_ROUNDING = 1e-9


def find_cycle(motion: Motion) -> tuple[int, int]:
    """First and last frame of the clip's best cycle.

    The period is the shortest shift in time at which the clip is much like itself; of
    all pairs of frames about a period apart the two that are most alike are returned.

    Raises
    ------
    MotionError
        If the motion does not repeat itself, or its repetition is not in the clip.
    """
    slow = _slowed(motion)
    grid = distance.distance_grid(slow, slow)
    period = _period(grid, slow)
    if period is None:
        raise MotionError(
            f"{motion.name or 'the clip'} does not repeat itself: no two stretches of its "
            f"{motion.duration:.2g} seconds are alike; give a clip with more than one cycle"
        )
    first, last = _best_pair(grid, period)
    stride = (len(motion) - 1) / (len(slow) - 1)
    return _refined(motion, first * stride, last * stride, stride)


def is_cyclic(motion: Motion) -> bool:
    """Whether the clip holds more than one cycle of a motion that repeats itself."""
    slow = _slowed(motion)
    return _period(distance.distance_grid(slow, slow), slow) is not None


def extract_cycle(motion: Motion, ends: tuple[int, int] | None = None) -> Motion:
    """One cycle, closed: its last frame is its first one moved on the floor.

    Parameters
    ----------
    ends
        First and last frame; by default those of `find_cycle`.

    Notes
    -----
    The difference between the two end poses is spread evenly over the cycle; what remains
    between the speeds on both sides of the seam is eased within a fraction of a second.
    A cycle that is closed already is returned as it is.
    """
    first, last = find_cycle(motion) if ends is None else ends
    if not 0 <= first < last < len(motion):
        raise MotionError(
            f"a cycle from frame {first} to {last} is not in a clip of {len(motion)} frames"
        )
    clip = motion[first : last + 1]
    if is_closed(clip):
        return clip
    step = distance.align_frames(motion, motion, last, first)
    return closed(clip, step)


def _slowed(motion: Motion) -> Motion:
    count = max(2, round(motion.duration * _RATE) + 1)
    if motion.fps <= _RATE or count >= len(motion):
        return motion
    sampled = replace(motion, constraints=()).sample(np.linspace(0, len(motion) - 1, count))
    return replace(sampled, fps=_RATE)


def _period(grid: Array, clip: Motion) -> int | None:
    """Frames of the shortest shift at which a clip is clearly like itself, or None."""
    count, fps = len(grid), clip.fps
    # The clip must go on for a while after its first period.
    shifts = np.arange(round(_SHORTEST * fps), int((count - 1) / (1.0 + _LEAST_OVERLAP)) + 1)
    if len(shifts) < 3:
        return None
    # The median over a shift's pairs of frames: a pause or a stumble does not spoil it.
    level = np.array([np.median(np.diagonal(grid, shift)) for shift in shifts])
    inner = np.flatnonzero((level[1:-1] <= level[:-2]) & (level[1:-1] <= level[2:])) + 1
    varied = np.array([_variation(grid, int(shifts[i])) for i in inner])
    moving = varied > (_STILL * body_height(clip.skeleton)) ** 2
    inner, likeness = inner[moving], level[inner[moving]] / varied[moving]
    if len(inner) == 0 or likeness.min() > _CLEAR:
        return None
    # Twice the period is often a little better; the shortest that is nearly as good counts.
    nearly = likeness <= min(_CLEAR, likeness.min() + _NEARLY)
    return int(shifts[inner[nearly][0]])


def _variation(grid: Array, shift: int) -> float:
    """How different the frames are among themselves that a shift brings together: a figure
    that stands before a jump and after it repeats nothing."""
    overlap = len(grid) - shift
    pairs = np.triu_indices(overlap, 1)
    return min(
        float(np.median(grid[:overlap, :overlap][pairs])),
        float(np.median(grid[shift:, shift:][pairs])),
    )


def _best_pair(grid: Array, period: int) -> tuple[int, int]:
    """The two frames about a period apart that are most alike, for how much happens between."""
    count = len(grid)
    play = max(1, round(_PLAY * period))
    # Frames at the very ends have no neighbours that would show their speed.
    margin = min(2, max(0, (count - 1 - period - play) // 2))
    passed = np.concatenate([np.zeros((count, 1)), np.cumsum(grid, axis=1)], axis=1)
    best, pair = np.inf, (0, period)
    for shift in range(max(2, period - play), min(period + play, count - 1) + 1):
        first = np.arange(margin, count - shift - margin)
        if len(first) == 0:
            continue
        between = (passed[first, first + shift] - passed[first, first]) / shift
        alike = grid[first, first + shift] / np.maximum(between, np.finfo(float).tiny)
        # The first of equally good ones, whatever rounding makes of them.
        i = int(np.argmax(alike <= alike.min() + _ROUNDING))
        if alike[i] < best - _ROUNDING:
            best, pair = float(alike[i]), (int(first[i]), int(first[i]) + shift)
    return pair


def _refined(motion: Motion, first: float, last: float, stride: float) -> tuple[int, int]:
    """The best pair among the clip's own frames near one found at a lower rate."""
    if stride <= 1.0:
        return round(first), round(last)
    start = round(first)
    near = np.arange(np.ceil(last - stride), np.floor(last + stride) + 1).astype(int)
    near = near[(near > start) & (near < len(motion))]
    alike = distance.distance_block(
        motion, motion, (start, start + 1), (int(near[0]), int(near[-1]) + 1)
    )
    return start, int(near[int(np.argmin(alike))])
