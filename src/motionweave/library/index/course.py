"""Where a body moves and turns within a second, which single moments do not show.

The distance of registration aligns every moment of one clip with its counterpart, whatever their
position and facing direction: a straight walk and a walk around a corner are the same to it, step
by step. The course of a moment is where the body was and will be, and how it will have turned,
relative to the moment itself.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from motionweave.core.arrays import Array
from motionweave.library.index.features import STRIDE, ClipTrack, PrincipalAxes, descriptors

# Samples before and after a moment that describe its course: half a second and a second.
AHEAD = (-30, -15, 15, 30)
# How much a leg length sideways or forwards and a radian of turn count compared with the pose, in
# the mean of the four: speed varies within a kind, turning less so.
_PLACE, _TURN = 0.4, 1.2
# Samples on either side over which headings are averaged: hips that swing with a punch or a step
# go nowhere.
SMOOTH = 15
# Numbers of a course.
NUMBERS = 3 * len(AHEAD)


def courses(track: ClipTrack, at: NDArray[np.int64]) -> Array:
    """Courses ``(m, 12)`` at samples ``at`` ``(m,)``; beyond its ends a track stands still.

    Squared differences of these add to those of `motionweave.library.index.features.descriptors`.
    """
    hips = np.asarray(track.points[:, 0], dtype=np.float64)
    heading = _smooth(np.unwrap(np.asarray(track.heading, dtype=np.float64)))
    cos, sin = np.cos(heading[at]), np.sin(heading[at])
    parts = []
    for ahead in AHEAD:
        there = np.clip(at + ahead, 0, len(track) - 1)
        way = hips[there] - hips[at]
        parts += [
            _PLACE * (cos * way[:, 0] - sin * way[:, 2]),
            _PLACE * (sin * way[:, 0] + cos * way[:, 2]),
            _TURN * (heading[there] - heading[at]),
        ]
    return np.asarray(np.stack(parts, axis=1) / np.sqrt(len(AHEAD)), dtype=np.float32)


def _smooth(heading: Array) -> Array:
    """Headings averaged with a window that fades on both sides; at the ends it is cut off."""
    window = np.hanning(2 * SMOOTH + 3)[1:-1]
    total = np.convolve(heading, window)[SMOOTH : SMOOTH + len(heading)]
    return total / np.convolve(np.ones(len(heading)), window)[SMOOTH : SMOOTH + len(heading)]


def known(count: int, at: NDArray[np.int64]) -> Array:
    """Which numbers ``(m, 12)`` of courses are of samples that a track of ``count`` has: 1 or 0.

    An example is cut out of something: what happened before and after must not be compared.
    """
    inside = [(at + ahead >= 0) & (at + ahead < count) for ahead in AHEAD]
    return np.asarray(np.repeat(np.stack(inside, axis=1), 3, axis=1), dtype=np.float32)


def off_course(wanted: Array, known: Array, others: Array) -> Array:
    """Squared differences ``(n, m)`` of courses ``(n, 12)`` from others ``(m, 12)``, of what is
    known."""
    own = known * wanted
    squares = np.einsum("ij,ij->i", own, wanted)[:, None] + known @ (others * others).T
    return np.asarray(np.maximum(squares - 2.0 * own @ others.T, 0.0))


def described(track: ClipTrack, basis: PrincipalAxes) -> Array:
    """Features and courses ``(m, d + 12)`` of a track, a row for every third sample."""
    features = basis.project(*descriptors(track))
    return np.concatenate([features, courses(track, np.arange(0, len(track), STRIDE))], axis=1)
