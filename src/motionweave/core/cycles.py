"""Closed cycles: clips whose last frame is their first one, moved on the floor."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from motionweave.core import constraints as constraint_tools
from motionweave.core import rotations
from motionweave.core.arrays import Array, sealed
from motionweave.core.concatenation import concatenate
from motionweave.core.constraints import Constraint
from motionweave.core.motion import Motion
from motionweave.core.planar import Planar
from motionweave.errors import MotionError

# Seconds over which the speeds on both sides of the seam are brought together.
_EASE = 0.15
# Ends that differ by no more than this (radians, body heights) are closed already.
_CLOSED = 1e-6
# Seconds within which two contacts on both sides of the seam are one.
_SAME_CONTACT = 0.1


def displacement(cycle: Motion) -> Planar:
    """The move on the floor from a closed cycle's first frame to its last."""
    turn = rotations.multiply(cycle.rotations[-1, 0], rotations.inverse(cycle.rotations[0, 0]))
    angle = float(rotations.vertical_angle(turn))
    return Planar.onto(angle, cycle.root[0, [0, 2]], cycle.root[-1, [0, 2]])


def repeat(cycle: Motion, times: int) -> Motion:
    """A closed cycle several times over; a frame that two of them share occurs once."""
    if times < 1:
        raise MotionError(f"rounds {times}: expected a whole number, 1 or more")
    step = displacement(cycle)
    length = len(cycle) - 1
    moves = [Planar()]
    for _ in range(1, times):
        moves.append(step @ moves[-1])
    turns = [cycle.rotations, *(cycle.rotations[1:] for _ in moves[1:])]
    places = [cycle.root, *(move.apply(cycle.root[1:]) for move in moves[1:])]
    turned = np.concatenate(turns)
    for n, move in enumerate(moves[1:], start=1):
        turned[n * length + 1 : (n + 1) * length + 1, 0] = move.turn(cycle.rotations[1:, 0])
    slides = cycle.translations
    return replace(
        cycle,
        root=sealed(np.concatenate(places)),
        rotations=sealed(turned),
        translations=None
        if slides is None
        else sealed(np.concatenate([slides, *(slides[1:] for _ in moves[1:])])),
        constraints=constraint_tools.joined(
            [c.shifted(n * length) if n else c for n in range(times) for c in cycle.constraints]
        ),
    )


def rolled(cycle: Motion, frame: int) -> Motion:
    """The same cycle, beginning with another of its frames."""
    frame %= len(cycle) - 1
    return cycle if frame == 0 else repeat(cycle, 2)[frame : frame + len(cycle)]


def wrapped(clip: Motion) -> Motion:
    """A ready-made cycle that ends one frame before its first one comes again, with that frame.

    The root continues at its average speed between both ends.
    """
    turn = rotations.multiply(clip.rotations[-1, 0], rotations.inverse(clip.rotations[-2, 0]))
    back = rotations.multiply(clip.rotations[1, 0], rotations.inverse(clip.rotations[0, 0]))
    angles = [float(rotations.vertical_angle(each)) for each in (turn, back)]
    heading = rotations.vertical_angle(
        rotations.multiply(clip.rotations[-1, 0], rotations.inverse(clip.rotations[0, 0]))
    )
    move = Planar(float(heading) + 0.5 * sum(angles))
    first, second = (clip.root[i + 1] - clip.root[i] for i in (0, len(clip) - 2))
    ahead = clip.root[-1] + 0.5 * (move.apply(first) + second)
    step = Planar.onto(float(move.angle), clip.root[0, [0, 2]], ahead[[0, 2]])
    return concatenate([clip, clip[0].moved(step)]).with_constraints(clip.constraints)


def is_closed(clip: Motion) -> bool:
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


def closed(clip: Motion, step: Planar) -> Motion:
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
    """Contacts that end just before the seam and continue just after it are joined across it."""
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
    count = len(clip)
    # The first two frames, and the last two moved back to them.
    frames = [0, min(1, count - 1), max(count - 2, 0), count - 1]
    places, turns = clip.root[frames], clip.rotations[frames]
    back = step.inverse()
    places[2:], turns[2:, 0] = back.apply(places[2:]), back.turn(turns[2:, 0])

    def differences(a: list[int], b: list[int]) -> Array:
        turned = rotations.log(rotations.multiply(rotations.inverse(turns[a]), turns[b]))
        return np.concatenate([(places[b] - places[a])[:, None], turned], axis=1)

    pose, ending, beginning = differences([0, 2, 0], [3, 3, 1])
    return pose, ending - beginning if count > 2 else np.zeros_like(pose)


def _bump(frame: Array, ease: float, length: int) -> Array:
    """Zero at both ends and beyond ``ease`` from them; slope 1/2 at the first frame and
    -1/2 at the last, so that both sides of the seam get the mean of their speeds."""

    def rise(x: Array) -> Array:
        x = np.clip(x, 0.0, 1.0)
        return np.asarray(ease * x * (1.0 - x) ** 2)

    return 0.5 * (rise(frame / ease) + rise((length - frame) / ease))
