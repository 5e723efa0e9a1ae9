"""`blend`: motions mixed along their registration curve (Section 5 of Kovar & Gleicher)."""

from __future__ import annotations

from typing import Literal, overload

from motionweave.core.arguments import check_arguments
from motionweave.core.checks import check_choice
from motionweave.core.markers import Markers
from motionweave.core.motion import Motion
from motionweave.errors import BlendError, Remedy
from motionweave.methods.blending.advance import Pace
from motionweave.methods.blending.linear import linear_blend
from motionweave.methods.blending.markers import blend_markers
from motionweave.methods.blending.trace import Direction, assemble, trace_of
from motionweave.methods.blending.weights import Weights
from motionweave.methods.finish import finish
from motionweave.methods.resting_contacts import resting
from motionweave.registration.curve import RegistrationCurve
from motionweave.registration.markers import MarkerCurve

Method = Literal["registered", "linear"]

# Options of `register` that may help if blends of its curve are faulty.
REMEDIES = (Remedy("anchors"), Remedy("ends"))


@overload
def blend(
    curve: RegistrationCurve,
    weights: Weights,
    *,
    method: Method = "registered",
    start: float | None = None,
    duration: float | None = None,
    direction: Direction = "forward",
    fps: float | None = None,
    pace: Pace = "durations",
    clean: bool = True,
) -> Motion: ...


@overload
def blend(
    curve: MarkerCurve,
    weights: Weights,
    *,
    method: Method = "registered",
    start: float | None = None,
    duration: float | None = None,
    direction: Direction = "forward",
    fps: float | None = None,
    pace: Pace = "durations",
    clean: bool = True,
) -> Markers: ...


def blend(
    curve: RegistrationCurve | MarkerCurve,
    weights: Weights,
    *,
    method: Method = "registered",
    start: float | None = None,
    duration: float | None = None,
    direction: Direction = "forward",
    fps: float | None = None,
    pace: Pace = "durations",
    clean: bool = True,
) -> Motion | Markers:
    """Blend the motions of a registration curve.

    Parameters
    ----------
    curve
        The curve from `register`; for markers, points are averaged.
    weights
        ``(k,)`` constant weights (an interpolation), ``(T, k)`` one row per output frame, or a
        function of time in seconds (continuous control). They are scaled to sum to one; weights
        below zero or above one exaggerate.
    method
        ``"registered"``, or ``"linear"`` for the plain average of frames at equal times
        that the paper compares with (it ignores timing and position).
    start
        Where on the curve to start; at its beginning by default.
    duration
        Seconds after which to stop. By default an open curve is followed to its end, a cyclic one
        for one cycle.
    direction
        ``"forward"``; ``"backward"`` makes the frames that lead up to ``start``; ``"both"``
        makes those before and after it. The time passed to a weight function counts from ``start``
        and is negative before it.
    fps
        Frame rate of the result, the first motion's by default.
    pace
        How the motions agree on the speed along the curve. ``"durations"``: each votes for how long
        a piece of the curve takes, so that none is ever played faster than one over its weight.
        ``"rates"``: each votes for a speed, as in the paper (Eq. 6).
    clean
        Plant the feet afterwards, unless that makes something worse. Ignored for markers.

    Returns
    -------
    Motion
        Starts where the first motion is at that place on the curve.

    Raises
    ------
    BlendError
        If weights, a place or an option do not fit the curve.

    Warns
    -----
    QualityWarning
        If the blend is clearly worse than its clips in some respect, with frame and joint.

    Examples
    --------
    >>> import motionweave as mw
    >>> curve = mw.register(mw.sample("walk"), mw.sample("jog"))
    >>> half = mw.blend(curve, [0.5, 0.5])
    >>> faster = mw.blend(curve, lambda t: [1 - t / 3, t / 3])
    """
    check_arguments(blend, locals(), BlendError)
    for value, choices, option in (
        (method, Method, "method"),
        (direction, Direction, "direction"),
        (pace, Pace, "pace"),
    ):
        check_choice(value, choices, option, BlendError)
    if isinstance(curve, MarkerCurve):
        if method != "registered" or start is not None or direction != "forward":
            raise BlendError("method, start and direction need a skeleton, and markers have none")
        return blend_markers(curve, weights, duration=duration, fps=fps, pace=pace)
    if method == "linear":
        result = linear_blend(curve.motions, weights, fps=fps)
    else:
        trace = trace_of(
            curve,
            weights,
            start=start,
            duration=duration,
            direction=direction,
            fps=fps,
            pace=pace,
        )
        result = assemble(curve, trace)
    whole = duration is None and start is None
    return finished_blend(result, curve, clean=clean, whole=whole)


def finished_blend(result: Motion, curve: RegistrationCurve, *, clean: bool, whole: bool) -> Motion:
    """A blend with its feet planted and checked; see `finish`."""
    if clean:
        result = resting(result, curve.used)
    # Warnings refer to the line that called our caller.
    return finish(result, curve.used, clean=clean, whole=whole).reported(REMEDIES, stacklevel=3)
