"""Clips of one timing compared frame by frame: distances and moves along a timewarp curve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from motionweave.core.arrays import Array
from motionweave.core.planar import Planar
from motionweave.registration.clouds import PointClip
from motionweave.registration.windows import REACH


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two clips of n frames compared frame by frame.

    Parameters
    ----------
    distance
        ``(n,)``, Eq. 1.
    angle
        ``(n,)``, by how much the second is to be turned, Eq. 2.
    certainty
        ``(n,)``, from 0 to 1: how much of the windows' extent on the floor the angle brings
        to agree. Where the poses have little in common, about any angle is as good.
    centres
        ``(2, n, 2)``: x and z of the weighted means of the first's and the second's windows.
    """

    distance: Array
    angle: Array
    certainty: Array
    centres: Array

    @property
    def moves(self) -> Planar:
        """The moves ``(n,)`` that bring the second nearest to the first (Eqs. 2-4)."""
        return Planar.onto(self.angle, self.centres[1], self.centres[0])


@dataclass(frozen=True, eq=False)
class Track:
    """A clip of n frames, made ready to be compared frame by frame.

    Parameters
    ----------
    x, y, z
        ``(n, P)``, x and z about each frame's own centre.
    centre
        ``(n, 2)`` x and z of the weighted mean of each frame's points.
    energy
        ``(n,)`` weighted mean of x² + z².
    signals, weights
        Those of the clip.
    """

    x: Array
    y: Array
    z: Array
    centre: Array
    energy: Array
    signals: Array
    weights: Array

    @classmethod
    def of(cls, clip: PointClip) -> Track:
        """The track of a clip."""
        w = clip.weights
        plane = clip.plane
        centre = plane @ w
        x, z = (plane[:, i] - centre[:, i, None] for i in range(2))
        y = np.ascontiguousarray(clip.points[..., 1])
        return cls(x, y, z, centre, (x * x + z * z) @ w, clip.signals, w)

    def __getitem__(self, frames: slice) -> Track:
        return Track(
            self.x[frames],
            self.y[frames],
            self.z[frames],
            self.centre[frames],
            self.energy[frames],
            self.signals[frames],
            self.weights,
        )


def compare(a: Track, b: Track, signals: float = 0.0) -> Comparison:
    """Compare two clips of n frames frame by frame, each frame with its neighbours.

    Other than in a grid, where each window runs at its own clip's pace, the windows here
    run through the same steps: this is for clips whose timing is known.

    ``signals`` is how much the difference of the clips' signals adds to the distance.
    """
    w = a.weights
    count = len(a.x)
    cosine = (a.x * b.x + a.z * b.z) @ w
    sine = (a.x * b.z - a.z * b.x) @ w
    other = (a.y - b.y) ** 2 @ w
    if signals:
        other += signals * np.sum((a.signals - b.signals) ** 2, axis=1)
    # Rows of sums over the windows: these five, then x and z of both centres, seen from the
    # middle of the window, and how many frames it has.
    single = np.stack([cosine, sine, a.energy, b.energy, other])
    centres = np.concatenate([a.centre.T, b.centre.T])
    sums, paths, frames = np.zeros((5, count)), np.zeros((4, count)), np.zeros(count)
    for offset in range(-REACH, REACH + 1):
        here = slice(max(0, -offset), count - max(0, offset))
        there = slice(max(0, offset), count - max(0, -offset))
        xa, za, xb, zb = step = centres[:, there] - centres[:, here]
        sums[:, here] += single[:, there]
        sums[0, here] += xa * xb + za * zb
        sums[1, here] += xa * zb - za * xb
        sums[2, here] += xa * xa + za * za
        sums[3, here] += xb * xb + zb * zb
        paths[:, here] += step
        frames[here] += 1.0
    cosine, sine, size_a, size_b, other = sums / frames
    xa, za, xb, zb = means = paths / frames
    cosine -= xa * xb + za * zb
    sine -= xa * zb - za * xb
    size_a -= xa * xa + za * za
    size_b -= xb * xb + zb * zb
    moved = centres + means
    agreeing = np.hypot(cosine, sine)
    return Comparison(
        np.maximum(size_a + size_b + other - 2.0 * agreeing, 0.0),
        np.arctan2(sine, cosine),
        agreeing / np.sqrt(np.maximum(size_a * size_b, np.finfo(float).tiny)),
        np.stack([moved[:2].T, moved[2:].T]),
    )
