"""What people use otherwise: cross-fades, and the inertialised switch of games.

All take clips of one skeleton and frame rate. The transitions put frame ``at[0]`` of the
first clip and frame ``at[1]`` of the second into the middle of a zone of ``2 half`` frames.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from motionweave.body.pose.heading import facing
from motionweave.core import rotations
from motionweave.core.concatenation import concatenate
from motionweave.core.motion import Motion
from motionweave.core.planar import Planar

Array = NDArray[np.float64]
At = tuple[int, int]


def linear_transition(a: Motion, b: Motion, at: At, half: int) -> Motion:
    """Frames averaged with weights that change evenly, each clip where it was recorded."""
    return _faded(a, b, at, half, np.linspace(0.0, 1.0, 2 * half + 1))


def slerp_transition(a: Motion, b: Motion, at: At, half: int) -> Motion:
    """Slerp cross-fade with eased weights; the second clip is laid over the first once."""
    t = np.linspace(0.0, 1.0, 2 * half + 1)
    return _faded(a, _laid_over(a, b, at), at, half, t * t * (3.0 - 2.0 * t))


def inertialised_transition(a: Motion, b: Motion, at: At, half: int) -> Motion:
    """A hard switch at the middle; what pose and velocity jump by dies away smoothly."""
    b = _laid_over(a, b, at)
    before, after = a[: at[0] + 1], b[at[1] + 1 :]
    span = min(2 * half, len(after))
    decay = _dying_away(span)
    here, there = a.rotations[at[0]], b.rotations[at[1]]
    offset = _difference(there, here)
    # The jump in velocity: what the offset would change by in one frame if both went on.
    change = _difference(b.rotations[at[1] + 1], _ahead(a.rotations, at[0])) - offset
    turn = decay[0][:, None, None] * offset + decay[1][:, None, None] * change
    turned = np.array(after.rotations)
    turned[:span] = rotations.multiply(after.rotations[:span], rotations.exp(turn))
    gap = a.root[at[0]] - b.root[at[1]]
    speed = (a.root[at[0]] - a.root[at[0] - 1]) - (b.root[at[1] + 1] - b.root[at[1]])
    root = np.array(after.root)
    root[:span] += decay[0][:, None] * gap + decay[1][:, None] * speed
    return concatenate([before, replace(after, root=root, rotations=turned)])


def linear_mean(a: Motion, b: Motion) -> Motion:
    """Frames of equal times averaged, each clip where it was recorded."""
    count = min(len(a), len(b))
    return _mixed(a[:count], b[:count], np.full(count, 0.5))


def slerp_mean(a: Motion, b: Motion) -> Motion:
    """Both clips stretched to one length and slerped; the second starts where the first does."""
    count = round(0.5 * (len(a) + len(b)))
    b = _laid_over(a, b, (0, 0))
    stretched = [m.sample(np.linspace(0.0, len(m) - 1.0, count)) for m in (a, b)]
    return _mixed(*stretched, np.full(count, 0.5))


def _faded(a: Motion, b: Motion, at: At, half: int, weights: Array) -> Motion:
    first, second = at[0] - half, at[1] - half
    zone = _mixed(a[first : at[0] + half + 1], b[second : at[1] + half + 1], weights)
    return concatenate([a[:first], zone, b[at[1] + half + 1 :]]) if first else zone


def _mixed(a: Motion, b: Motion, weights: Array) -> Motion:
    return replace(
        a,
        root=(1.0 - weights)[:, None] * a.root + weights[:, None] * b.root,
        rotations=rotations.slerp(a.rotations, b.rotations, weights[:, None]),
        constraints=(),
    )


def _laid_over(a: Motion, b: Motion, at: At) -> Motion:
    """``b`` turned and shifted so that root and facing agree at the given frames."""
    angle = float(facing(a)[at[0]] - facing(b)[at[1]])
    x, _, z = a.root[at[0]] - Planar(angle).apply(b.root[at[1]])
    return b.moved(Planar(angle, float(x), float(z)))


def _difference(base: Array, other: Array) -> Array:
    """Rotation vectors that lead from ``base`` to ``other``, each in the joint's own frame."""
    return rotations.log(rotations.multiply(rotations.inverse(base), other))


def _ahead(turned: Array, frame: int) -> Array:
    """Where joints would be a frame later if they went on as they do."""
    step = rotations.multiply(rotations.inverse(turned[frame - 1]), turned[frame])
    return rotations.multiply(turned[frame], step)


def _dying_away(span: int) -> tuple[Array, Array]:
    """Quintics for an offset (from 1 to 0) and a velocity (from slope 1), at rest at both ends.

    Of frames 1 to ``span`` after the switch.
    """
    t = np.arange(1, span + 1) / span
    offset = 1.0 - 10.0 * t**3 + 15.0 * t**4 - 6.0 * t**5
    speed = t - 6.0 * t**3 + 8.0 * t**4 - 3.0 * t**5
    return offset, span * speed
