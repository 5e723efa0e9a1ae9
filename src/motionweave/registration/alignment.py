"""The alignment curve: the planar moves that lay corresponding frames over each other (4.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionweave.core import splines
from motionweave.core.planar import Planar
from motionweave.core.splines import QuadraticSpline
from motionweave.registration import distance
from motionweave.registration.clouds import PointClip
from motionweave.registration.timewarp import TimewarpCurve

Array = NDArray[np.float64]

# Samples a second along the curve, samples for each knot, width of the median filter.
_RATE = 30.0
_SAMPLES_PER_KNOT = 4
_MEDIAN = 5


@dataclass(frozen=True, eq=False)
class AlignmentCurve:
    """A(u): for each parameter u and each of k clips a move into the reference's coordinates.

    The optimal move (Eqs. 2-4) takes the centre of the clip's window to the centre of the
    reference's, so that an angle and the two centres say it all. These are what is
    splined, not the shifts x0 and z0: shifts grow with the distance from the world's
    origin and would wobble with every small error of the angle.

    Parameters
    ----------
    spline
        3 k dimensions: for each clip the angle to turn it by, and x and z of its centre.
    reference
        The clip that stays where it is.
    """

    spline: QuadraticSpline
    reference: int

    def at(self, u: ArrayLike) -> Planar:
        """Moves ``(..., k)`` at u ``(...)``."""
        values = self.spline(u)
        values = values.reshape(*values.shape[:-1], -1, 3)
        angle, centre = values[..., 0], values[..., 1:]
        return distance.onto(angle, centre, centre[..., self.reference, None, :])


def fit_alignment(
    clips: Sequence[PointClip], timewarp: TimewarpCurve, reference: int
) -> AlignmentCurve:
    """The alignment of clips along a timewarp.

    The moves are computed for the frames on the timewarp curve itself, not for the cells
    of the path it was fitted to, so that the path's stairs do not show in them.
    """
    count = max(2, round((timewarp.end - timewarp.start) * _RATE) + 1)
    u = np.linspace(timewarp.start, timewarp.end, count)
    return _fit(clips, u, timewarp.frames(u), reference)


def fit_cyclic_alignment(
    clips: Sequence[PointClip], timewarp: TimewarpCurve, reference: int
) -> AlignmentCurve:
    """The alignment of cycles that go on for ever; each clip is its cycle three times over.

    The spline is fitted to all three and used in the middle one, whose end therefore
    continues in its beginning.
    """
    period = timewarp.end - timewarp.start
    count = _SAMPLES_PER_KNOT * max(2, round(period * _RATE / _SAMPLES_PER_KNOT))
    u = np.linspace(timewarp.start - period, timewarp.end + period, 3 * count + 1)
    cycle = timewarp.frames(timewarp.end) - timewarp.frames(timewarp.start)
    return _fit(clips, u, timewarp.frames(u) + cycle, reference)


def _fit(clips: Sequence[PointClip], u: Array, frames: Array, reference: int) -> AlignmentCurve:
    places = [np.clip(frames[:, j], 0.0, len(clip) - 1.0) for j, clip in enumerate(clips)]
    extents = [distance.extents(clip, at) for clip, at in zip(clips, places, strict=True)]
    cut = (
        np.min([before for before, _ in extents], axis=0),
        np.min([after for _, after in extents], axis=0),
    )
    windows = [distance.windows(clip, at, cut=cut) for clip, at in zip(clips, places, strict=True)]
    columns = []
    for window in windows:
        angle = np.unwrap(distance.window_angles(windows[reference], window))
        columns += [_median(angle), window.centre[:, 0], window.centre[:, 1]]
    values = np.stack(columns, axis=1)
    values[:, 3 * reference] = 0.0
    spans = max(1, round((len(u) - 1) / _SAMPLES_PER_KNOT))
    return AlignmentCurve(splines.fit(u, values, spans, start=u[0], end=u[-1]), reference)


def _median(values: Array) -> Array:
    """Running median ``(n,)`` of width 5, narrower at the ends."""
    reach = _MEDIAN // 2
    if len(values) <= _MEDIAN:
        return values
    result = np.array(values)
    moving = np.lib.stride_tricks.sliding_window_view(values, _MEDIAN)
    result[reach:-reach] = np.median(moving, axis=1)
    result[1], result[-2] = np.median(values[:3]), np.median(values[-3:])
    return result
