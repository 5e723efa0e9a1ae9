"""Motions that repeat themselves: where a cycle begins and ends, cut out, and repeated.

A cycle is a clip whose last frame is its first one, moved on the floor. Frames are
compared by the registration distance, which does not see where the character stands.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from motionweave.core import constraints as constraint_tools
from motionweave.core import rotations
from motionweave.core.constraints import Constraint
from motionweave.core.motion import Motion
from motionweave.core.planar import Planar
from motionweave.errors import MotionError
from motionweave.registration import distance

Array = NDArray[np.float64]

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
# Seconds over which the speeds on both sides of the seam are brought together.
_EASE = 0.15
# Shares that differ by less are equal.
_ROUNDING = 1e-9
# Ends that differ by no more than this (radians, body heights) are closed already.
_CLOSED = 1e-6
# Seconds within which two contacts on both sides of the seam are one.
_SAME_CONTACT = 0.1


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
    if _is_closed(clip):
        return clip
    step = distance.align_frames(motion, motion, last, first)
    return _closed(clip, step)


def displacement(cycle: Motion) -> Planar:
    """The move on the floor from a closed cycle's first frame to its last."""
    turn = rotations.multiply(cycle.rotations[-1, 0], rotations.inverse(cycle.rotations[0, 0]))
    angle = float(rotations.vertical_angle(turn))
    return distance.onto(angle, cycle.root[0, [0, 2]], cycle.root[-1, [0, 2]])


def repeat(cycle: Motion, times: int) -> Motion:
    """A closed cycle several times over; a frame that two of them share occurs once."""
    if times < 1:
        raise MotionError(f"a cycle cannot be repeated {times} times")
    step = displacement(cycle)
    length = len(cycle) - 1
    move, parts, held = Planar(), [cycle], list(cycle.constraints)
    for n in range(1, times):
        move = step @ move
        parts.append(cycle.moved(move)[1:])
        held += [c.shifted(n * length) for c in cycle.constraints]
    return replace(
        cycle,
        root=np.concatenate([part.root for part in parts]),
        rotations=np.concatenate([part.rotations for part in parts]),
        translations=None
        if cycle.translations is None
        else np.concatenate([part.translations for part in parts if part.translations is not None]),
        constraints=constraint_tools.joined(held),
    )


def rolled(cycle: Motion, frame: int) -> Motion:
    """The same cycle, beginning with another of its frames."""
    frame %= len(cycle) - 1
    return cycle if frame == 0 else repeat(cycle, 2)[frame : frame + len(cycle)]


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
    moving = varied > (_STILL * clip.skeleton.height) ** 2
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


def _is_closed(clip: Motion) -> bool:
    """Whether the last frame is the first one moved on the floor, to rounding."""
    first, last = clip.rotations[0], clip.rotations[-1]
    turn = rotations.multiply(last[0], rotations.inverse(first[0]))
    level = rotations.about_vertical(rotations.vertical_angle(turn))
    rise = abs(float(clip.root[-1, 1] - clip.root[0, 1]))
    return (
        float(rotations.angle_between(first[1:], last[1:]).max(initial=0.0)) < _CLOSED
        and float(rotations.angle_between(turn, level)) < _CLOSED
        and rise < _CLOSED * (clip.skeleton.height or 1.0)
    )


def _closed(clip: Motion, step: Planar) -> Motion:
    """The clip with its ends brought together: its last frame is its first one moved by step."""
    length = len(clip) - 1
    place = np.linspace(0.0, 1.0, length + 1)
    gap, speed = _gaps(clip, step)
    ease = min(0.5 * length, max(1.0, _EASE * clip.fps))
    # Half of the difference is made up at the beginning and half at the end, fading
    # evenly in between; likewise for the speeds, close to the ends only.
    weight, bump = 0.5 - place, _bump(np.arange(length + 1.0), ease, length)
    change = weight[:, None, None] * gap + bump[:, None, None] * speed
    turned = rotations.multiply(clip.rotations, rotations.exp(change[:, 1:]))
    # The root's difference is known in the first frame's coordinates; it turns along.
    root = Planar(step.angle * place).apply(change[:, 0])
    moved = clip.root + root
    turned[-1] = turned[0]
    turned[-1, 0] = step.turn(turned[0, 0])
    moved[-1] = step.apply(moved[0])
    slides = clip.translations
    if slides is not None:
        slides = slides + weight[:, None, None] * (slides[-1] - slides[0])
        slides[-1] = slides[0]
    return replace(
        clip,
        root=moved,
        rotations=turned,
        translations=slides,
        constraints=_sealed(clip.constraints, length, _SAME_CONTACT * clip.fps),
    )


def _sealed(held: tuple[Constraint, ...], length: int, near: float) -> tuple[Constraint, ...]:
    """Contacts that end just before the seam and go on just after it last across it."""
    sealed = []
    for c in held:
        same = [d for d in held if d.kind == c.kind]
        start = 0.0 if c.start <= near and any(d.end >= length - near for d in same) else c.start
        end = (
            float(length)
            if c.end >= length - near and any(d.start <= near for d in same)
            else c.end
        )
        sealed.append(replace(c, start=start, end=end))
    return tuple(sealed)


def _gaps(clip: Motion, step: Planar) -> tuple[Array, Array]:
    """Difference of place and of speed a frame between the two ends, each ``(1 + J, 3)``:
    the root's position, then rotation vectors of the joints."""
    back = step.inverse()
    if len(clip) < 3:
        ends = clip.sample([0.0, len(clip) - 1.0])
        pose = _difference(ends[0], ends[1].moved(back))
        return pose, np.zeros_like(pose)
    begin, end = clip[0:2], clip[len(clip) - 2 : len(clip)].moved(back)
    pose = _difference(begin[0], end[1])
    speed = _difference(end[0], end[1]) - _difference(begin[0], begin[1])
    return pose, speed


def _difference(a: Motion, b: Motion) -> Array:
    turn = rotations.log(rotations.multiply(rotations.inverse(a.rotations[0]), b.rotations[0]))
    return np.concatenate([b.root - a.root, turn])


def _bump(frame: Array, ease: float, length: int) -> Array:
    """Zero at both ends and beyond ``ease`` from them; slope 1/2 at the first frame and
    -1/2 at the last, so that both sides of the seam get the mean of their speeds."""

    def rise(x: Array) -> Array:
        x = np.clip(x, 0.0, 1.0)
        return np.asarray(ease * x * (1.0 - x) ** 2)

    return 0.5 * (rise(frame / ease) + rise((length - frame) / ease))
