"""A subspace: the curves of two clips and the splines between them, beside film strips."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from motionweave.core.motion import Motion
from motionweave.errors import BlendError
from motionweave.methods.subspace import bezier
from motionweave.methods.subspace.joined import SplineTransition
from motionweave.methods.subspace.space import Subspace
from motionweave.plots import figure as look
from motionweave.plots.filmstrip import Strip

_SIZE = 4.4
_POSES = 13
# Seconds of the clips that are shown before and after the transition.
_BEFORE, _AFTER = 0.2, 0.3
# Seconds from dot to dot along a spline.
_TICK = 0.1


def subspace_plot(
    space: Subspace,
    transitions: SplineTransition | Sequence[SplineTransition],
    path: str | Path | None = None,
    *,
    dimensions: int = 2,
    labels: Sequence[str] | None = None,
    others: Sequence[tuple[str, Motion, int, int]] = (),
    view: str = "follow",
) -> Any:
    """The clips' curves and the splines in the first dimensions, beside film strips.

    Parameters
    ----------
    space
        The subspace.
    transitions
        One or several transitions made from it.
    path
        Where to write the picture (png, pdf, svg); None to get only the figure.
    dimensions
        2 or 3 axes of the subspace to show.
    labels
        A name for each transition; its degree and length if not given.
    others
        Further motions to compare with, such as a plain blend: name, motion, and the
        first and last frame of what joins the clips in it.
    view
        Of the film strips, see `film_strip`.

    Returns
    -------
    matplotlib.figure.Figure
    """
    made = [transitions] if isinstance(transitions, SplineTransition) else list(transitions)
    if not made:
        raise BlendError("no transition to draw")
    if dimensions not in (2, 3):
        raise BlendError(f"a picture of {dimensions} dimensions: expected 2 or 3")
    dimensions = min(dimensions, space.embedding.dimensions)
    names = [_describe(one) for one in made] if labels is None else list(labels)
    if len(names) != len(made):
        raise BlendError(f"{len(names)} labels for {len(made)} transitions")
    rows = [(name, one.motion, one.start, one.end) for name, one in zip(names, made, strict=True)]
    colours = [look.SERIES[2 + i % (len(look.SERIES) - 2)] for i in range(len(made))]
    with look.styled():
        strips = [
            (name, _strip(motion, start, end, view), start, end)
            for name, motion, start, end in [*rows, *others]
        ]
        heights = [1.0 + strip.height / strip.width * 8.0 for _, strip, _, _ in strips]
        width = 8.4
        tall = sum(width * strip.height / strip.width + 0.3 for _, strip, _, _ in strips)
        figure = look.new_figure(_SIZE + width, max(tall, _SIZE))
        left, right = figure.subfigures(1, 2, width_ratios=(_SIZE, width))
        axes = left.add_subplot(projection="3d" if dimensions == 3 else None)
        _draw_curves(axes, space, made, dimensions)
        for one, name, colour in zip(made, names, colours, strict=True):
            _draw_spline(axes, one, name, colour, dimensions)
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16))
        grid = right.subplots(len(strips), 1, squeeze=False, height_ratios=heights)[:, 0]
        marks = [*colours, *[look.FAINT] * len(others)]
        for place, (name, strip, start, end), colour in zip(grid, strips, marks, strict=True):
            strip.draw(place, name, contacts=True)
            _mark(place, strip, start, end, colour)
        return look.finish(figure, path)


def _describe(one: SplineTransition) -> str:
    return f"degree {one.degree}, length {one.length:.2g}: {one.duration:.2f} s"


def _strip(motion: Motion, start: int, end: int, view: str) -> Strip:
    first = max(start - round(_BEFORE * motion.fps), 0)
    last = min(end + round(_AFTER * motion.fps), len(motion) - 1)
    return Strip(motion, np.linspace(first, last, _POSES).tolist(), view, travel=False)


def _mark(axes: Any, strip: Strip, start: int, end: int, colour: str) -> None:
    """A band behind the poses of the transition itself."""
    places = strip.points[:, 0, 0]
    begin, finish = np.interp([start, end], strip.at, places)
    axes.axvspan(begin, finish, color=look.mix(colour, "#ffffff", 0.82), linewidth=0, zorder=0.1)


def _draw_curves(
    axes: Any, space: Subspace, made: Sequence[SplineTransition], dimensions: int
) -> None:
    leave, enter = made[0].leave, made[0].enter
    clips = ((space.a, look.LEFT, slice(0, leave + 1)), (space.b, look.RIGHT, slice(enter, None)))
    for curve, (clip, colour, used) in zip(space.curves, clips, strict=True):
        points = curve[:, :dimensions]
        axes.plot(*points.T, color=look.mix(colour, "#ffffff", 0.6), linewidth=0.9)
        axes.plot(*points[used].T, color=colour, label=clip.name or None)
    for curve, frame, colour, what in (
        (space.curves[0], leave, look.LEFT, f"leave {leave}"),
        (space.curves[1], enter, look.RIGHT, f"enter {enter}"),
    ):
        point = curve[frame, :dimensions]
        axes.plot(*point[:, None], marker="o", markersize=6.5, color=colour, zorder=5)
        axes.text(*point, f"  {what}", fontsize=8, color=colour, zorder=6)
    shares = space.embedding.spectrum / max(float(space.embedding.spectrum.sum()), 1e-300)
    for letter, share, number in zip("xyz", shares, range(1, dimensions + 1), strict=False):
        getattr(axes, f"set_{letter}label")(f"dimension {number} ({100 * share:.0f} %)")
    axes.set_title(f"{space.embedding.dimensions} dimensions keep {100 * space.explained:.0f} %")
    if dimensions == 2:
        axes.set_aspect("equal", adjustable="datalim")
    axes.tick_params(labelsize=7)


def _draw_spline(axes: Any, one: SplineTransition, name: str, colour: str, dimensions: int) -> None:
    curve = bezier.evaluate(one.control, np.linspace(0.0, 1.0, 200))[:, :dimensions]
    axes.plot(*curve.T, color=colour, linewidth=2.0, label=name, zorder=4)
    axes.plot(
        *one.control[:, :dimensions].T,
        color=look.mix(colour, "#ffffff", 0.5),
        linewidth=0.7,
        linestyle=(0, (3, 2)),
        marker="s",
        markersize=3.0,
    )
    step = max(round(_TICK * one.motion.fps), 1)
    ticks = one.path[step:-1:step, :dimensions]
    axes.plot(*ticks.T, linestyle="none", marker="o", markersize=3.2, color=colour, zorder=4.5)
