"""The alignment curve: the planar moves that lay corresponding frames over each other (4.3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from motionweave.core.arrays import Array
from motionweave.core.numerics import splines
from motionweave.core.numerics.quantiles import median
from motionweave.core.numerics.splines import QuadraticSpline
from motionweave.core.planar import Planar
from motionweave.registration.distance import Comparison, along
from motionweave.registration.tracks import Tracks
from motionweave.registration.windows import CentredClip, dots

# Samples per second along the curve, samples per knot, width of the median filter.
_RATE = 30.0
_SAMPLES_PER_KNOT = 4
_MEDIAN = 5
# Below this certainty an angle is meaningless. Clips that do the same thing at the same time have
# two thirds or more, a walk out of step with another a tenth.
_CERTAIN = 0.5


@dataclass(frozen=True, eq=False)
class AlignmentCurve:
    """A(u): for each parameter u and each of k clips a move into the reference's coordinates.

    The optimal move (Eqs. 2-4) takes the centre of the clip's window to the centre of the
    reference's, so that an angle and the two centres define it. The splines go through these, not
    through the shifts x0 and z0: shifts grow with the distance from the world's origin and would
    wobble with every small error of the angle.

    Parameters
    ----------
    spline
        3 k dimensions: for each clip the angle to turn it by, and x and z of its centre.
    reference
        The clip that stays where it is.
    """

    spline: QuadraticSpline
    reference: int

    def __repr__(self) -> str:
        clips = self.spline.control.shape[1] // 3
        return f"<AlignmentCurve of {clips} clips onto clip {self.reference}>"

    def at(self, u: ArrayLike) -> Planar:
        """Moves ``(..., k)`` at u ``(...)``."""
        values = self.spline(u)
        values = values.reshape(*values.shape[:-1], -1, 3)
        angle, centre = values[..., 0], values[..., 1:]
        return Planar.onto(angle, centre, centre[..., self.reference, None, :])


def fit_alignment(tracks: Tracks, reference: int, *, cyclic: bool = False) -> AlignmentCurve:
    """The alignment of clips along their timewarp curve.

    The moves are computed for the frames on the curve itself, not for the cells of the
    path it was fitted to, so that the path's stairs do not show in them.

    A closed curve is sampled three times round and used in the middle, so that what
    follows its end is its beginning, moved on.
    """
    steps = _SAMPLES_PER_KNOT * max(1, tracks.count(_RATE) // _SAMPLES_PER_KNOT)
    u, lanes = tracks.sample(steps, steps if cyclic else 0)
    values = np.zeros((len(u), len(lanes), 3))
    turned = [_turned(lane) for lane in lanes]
    for j, lane in enumerate(lanes):
        if j != reference:
            found = along(lanes[reference], lane)
            values[:, j, 0] = _median(_continuous(found, turned[reference] - turned[j]))
            values[:, reference, 1:], values[:, j, 1:] = found.centres
    knots = (len(u) - 1) // _SAMPLES_PER_KNOT
    spline = splines.fit(u, values.reshape(len(u), -1), knots, start=u[0], end=u[-1])
    return AlignmentCurve(spline, reference)


def _turned(clip: CentredClip) -> Array:
    """How far a body has turned since the first frame ``(n,)``, frame by frame."""
    before, after = clip[:-1], clip[1:]
    cosine = dots(after.plane, before.plane)
    sine = dots(after.x, before.z) - dots(after.z, before.x)
    return np.concatenate([[0.0], np.cumsum(np.arctan2(sine, cosine))])


def _continuous(found: Comparison, apart: Array) -> Array:
    """The angles ``(n,)`` without full turns; uncertain ones lie between their neighbours.

    Where clips are out of step, the optimal angle swings around arbitrarily, and a body that
    followed it would spin. If one clip really spins meanwhile, the angle may change by more than
    half a turn: ``apart`` ``(n,)``, how much further the reference turns than the clip, tells real
    full turns from arbitrary ones.
    """
    certain = np.flatnonzero(found.certainty >= _CERTAIN)
    if len(certain) == 0:
        # The least bad one turns the whole clip.
        return np.full(len(found.angle), found.angle[np.argmax(found.certainty)])
    samples = np.arange(len(found.angle))
    turns = apart[certain] + np.unwrap(found.angle[certain] - apart[certain])
    return np.interp(samples, certain, turns)


def _median(values: Array) -> Array:
    """Running median ``(n,)`` of width 5, narrower at the ends."""
    reach = _MEDIAN // 2
    if len(values) <= _MEDIAN:
        return values
    result = np.array(values)
    moving = np.lib.stride_tricks.sliding_window_view(values, _MEDIAN)
    result[reach:-reach] = median(moving.T)
    result[1], result[-2] = median(values[:3]), median(values[-3:])
    return result
