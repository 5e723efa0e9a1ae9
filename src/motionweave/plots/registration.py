"""A registration curve: distance grids with the path through them, timing, contacts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from motionweave.core.arguments import check_arguments
from motionweave.core.arrays import Array
from motionweave.core.constraints import FOOT_KINDS, clipped, of_kind
from motionweave.core.constraints import kinds as kinds_of
from motionweave.plots import figure as look
from motionweave.registration.clouds import as_points
from motionweave.registration.curve import RegistrationCurve
from motionweave.registration.distance import distance_grid

# Grids are drawn with at most this many samples per second and a side.
_RATE = 30.0
_MOST = 700
_COLUMNS = 4
_SIDES = {"left": look.LEFT, "right": look.RIGHT}


def registration_plot(curve: RegistrationCurve, path: str | Path | None = None) -> Any:
    """A figure of a registration curve.

    Above, for each clip, the distances of all its frames to those of the reference (dark is
    similar), with the matching frames as a line: the paper's Figure 4. Below, how far each clip has
    played along the curve, and the contacts as they are in the clips and as they are along the
    curve.

    Parameters
    ----------
    curve
        What `register` found.
    path
        Where to save it; None to get only the figure.

    Returns
    -------
    The matplotlib figure.

    Examples
    --------
    >>> import motionweave as mw
    >>> curve = mw.register(mw.sample("walk"), mw.sample("jog"))
    >>> figure = mw.registration_plot(curve, "curve.png")
    """
    check_arguments(registration_plot, locals())
    others = [j for j in range(len(curve)) if j != curve.reference]
    columns = min(_COLUMNS, max(2, len(others)))
    rows = -(-len(others) // columns)
    lanes = _kinds(curve)
    lane_height = 0.5 + 0.13 * len(curve) * max(1, len(lanes))
    with look.styled():
        figure = look.new_figure(3.2 * columns + 0.6, 3.0 * rows + 2.4 + 2 * lane_height)
        upper, lower = figure.subfigures(
            2, 1, height_ratios=(3.0 * rows, 2.4 + 2 * lane_height), hspace=0.02
        )
        places = upper.subplots(rows, columns, squeeze=False).ravel()
        for axes, clip in zip(places, others, strict=False):
            _draw_grid(axes, curve, clip)
        for axes in places[len(others) :]:
            axes.set_visible(False)
        timing, before, after = lower.subplots(3, 1, height_ratios=(2.4, lane_height, lane_height))
        _draw_timing(timing, curve)
        _draw_lanes(before, curve, lanes, along_curve=False)
        _draw_lanes(after, curve, lanes, along_curve=True)
        return look.finish(figure, path)


def _label(curve: RegistrationCurve, clip: int) -> str:
    return curve.motions[clip].name or f"clip {clip}"


def _draw_grid(axes: Any, curve: RegistrationCurve, clip: int) -> None:
    sides = []
    for j in (clip, curve.reference):
        points = as_points(curve.motions[j])
        rate = min(_RATE, _MOST / max(points.duration, 1e-9))
        sides.append(points.spread(rate))
    grid = np.sqrt(distance_grid(sides[0], sides[1]))
    lengths = [curve.motions[j].duration for j in (clip, curve.reference)]
    axes.imshow(
        grid,
        origin="lower",
        extent=(0.0, lengths[1], 0.0, lengths[0]),
        aspect="auto",
        cmap="gray",
        interpolation="nearest",
    )
    seconds = _seconds(curve, _parameters(curve))
    axes.plot(seconds[:, curve.reference], seconds[:, clip], color=look.RIGHT, linewidth=2.0)
    axes.plot(
        seconds[[0, -1], curve.reference],
        seconds[[0, -1], clip],
        "o",
        color=look.RIGHT,
        markersize=4.0,
        clip_on=False,
    )
    axes.set_xlabel(f"{_label(curve, curve.reference)} [s]")
    axes.set_ylabel(f"{_label(curve, clip)} [s]")


def _draw_timing(axes: Any, curve: RegistrationCurve) -> None:
    u = _parameters(curve)
    seconds = _seconds(curve, u)
    for clip in range(len(curve)):
        colour = look.SERIES[clip % len(look.SERIES)]
        label = _label(curve, clip) + (" (reference)" if clip == curve.reference else "")
        axes.plot(u, seconds[:, clip] - seconds[0, clip], color=colour, label=label)
    axes.set_title("timewarp curve")
    axes.set_ylabel("clip time [s]")
    axes.set_xlim(u[0], u[-1])
    axes.legend(loc="upper left", ncols=1 + len(curve) // 5, fontsize=7.5)


def _draw_lanes(
    axes: Any, curve: RegistrationCurve, kinds: list[str], *, along_curve: bool
) -> None:
    """One band per kind of contact, with one lane per clip."""
    count = len(curve)
    for band, kind in enumerate(kinds):
        side = _SIDES.get(kind.split("_")[0], look.MIDDLE)
        for clip in range(count):
            row = band * (count + 1) + clip
            bars = _bars(curve, clip, kind, along_curve)
            colour = look.SERIES[clip % len(look.SERIES)] if count > 1 else side
            axes.broken_barh(bars, (row, 0.8), color=colour)
    axes.set_yticks(
        [band * (count + 1) + 0.5 * count for band in range(len(kinds))],
        [kind.replace("_", " ") for kind in kinds],
    )
    axes.set_ylim(len(kinds) * (count + 1) - 0.8, -0.6)
    axes.set_title("contacts along the curve" if along_curve else "contacts as in the clips")
    axes.set_xlabel("u" if along_curve else "seconds from the start of the curve")
    if along_curve:
        axes.set_xlim(curve.timewarp.start, curve.timewarp.end)
    else:
        seconds = _seconds(curve, np.array([curve.timewarp.start, curve.timewarp.end]))
        axes.set_xlim(0.0, float(np.max(seconds[1] - seconds[0])))


def _bars(
    curve: RegistrationCurve, clip: int, kind: str, along_curve: bool
) -> list[tuple[float, float]]:
    warp = curve.timewarp
    first, last = warp.frames(np.array([warp.start, warp.end]))[:, clip]
    inside = clipped(of_kind(curve.motions[clip].constraints, kind), first, last)
    frames = np.array([[c.start, c.end] for c in inside]).reshape(-1, 2)
    if along_curve:
        edges = np.where(frames >= last, warp.end, warp.parameter(clip, np.minimum(frames, last)))
    else:
        edges = (frames - first) / curve.motions[clip].fps
    return [(float(a), float(b - a)) for a, b in edges]


def _kinds(curve: RegistrationCurve) -> list[str]:
    present = sorted({kind for m in curve.motions for kind in kinds_of(m.constraints)})
    return [k for k in FOOT_KINDS if k in present] + [k for k in present if k not in FOOT_KINDS]


def _parameters(curve: RegistrationCurve) -> Array:
    # Just short of the end: a closed curve is there at its start again.
    return np.linspace(curve.timewarp.start, curve.timewarp.end * (1.0 - 1e-12), 400)


def _seconds(curve: RegistrationCurve, u: Array) -> Array:
    return np.asarray(curve.timewarp.frames(u) / curve.timewarp.fps)
