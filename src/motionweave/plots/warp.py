"""A warp at a glance: curves before and after with the keys marked, and film strips of both.

The curves are those of Witkin & Popović's Figure 4, the strips those of their Figure 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from motionweave.body.rig.parts import joints_called
from motionweave.body.rig.roles import find_rig, leg_length
from motionweave.body.size import body_height
from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.errors import WarpError
from motionweave.methods.warping.files import Recipe
from motionweave.methods.warping.moments import frame_of
from motionweave.methods.warping.time import TimeCurve, time_curve
from motionweave.plots.figure import FAINT, GRID, INK, SERIES, finish, new_figure, styled
from motionweave.plots.filmstrip import Strip

_ORIGINAL, _WARPED, _KEY = FAINT, SERIES[0], SERIES[1]
_POSES = 8


@dataclass(frozen=True)
class _Curve:
    """One curve of a motion before and after, with its unit."""

    name: str
    before: Array
    after: Array


def warp_plot(
    original: Motion,
    warped: Motion,
    recipe: Recipe,
    path: str | Path | None = None,
    curves: int = 3,
    width: float = 11.0,
) -> Any:
    """Curves and film strips of a clip and what a recipe made of it.

    Parameters
    ----------
    original, warped
        Before and after.
    recipe
        The recipe: its keys and the objects around the character.
    path
        Where to write the picture (png, pdf, svg); None to get only the figure.
    curves
        How many curves to show, those that changed most.
    width
        Of the figure, in inches.

    Returns
    -------
    matplotlib.figure.Figure
    """
    keys = np.array(recipe.key_frames(original))
    timing = _timing(recipe, original)
    shown = np.unique(
        np.round(np.concatenate([np.linspace(0.0, len(original) - 1.0, _POSES), keys]))
    )
    poses = _shown_at(shown, timing, len(warped))
    with styled():
        strips = [
            Strip(original, shown.tolist(), "side", False),
            Strip(warped, poses.tolist(), "side", False),
            Strip(warped, _POSES + 2, "side", True),
        ]
        heights = [width * strip.height / strip.width for strip in strips]
        chosen = _most_changed(original, warped, timing, curves)
        figure = new_figure(width, 1.25 * len(chosen) + sum(heights) + 0.9)
        grid = figure.subplots(
            len(chosen) + 3, 1, squeeze=False, height_ratios=[1.25] * len(chosen) + heights
        )[:, 0]
        for axes, curve in zip(grid, chosen, strict=False):
            _draw_curve(axes, curve, original, warped, _shown_at(keys, timing, len(warped)))
        if chosen:
            grid[len(chosen) - 1].set_xlabel("seconds")
            grid[0].legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=3)
        names = ("original", recipe.title or "warped", "")
        for axes, strip, name in zip(grid[len(chosen) :], strips, names, strict=True):
            strip.draw(axes, name, True)
        for axes, strip in zip(grid[len(chosen) :], strips[:2], strict=False):
            _shade_keys(axes, strip, np.isin(shown, keys))
        for prop in recipe.scene:
            _draw_prop(grid[-1], strips[2], strips[0].floor, prop, original, warped, timing)
        return finish(figure, path)


def _timing(recipe: Recipe, original: Motion) -> TimeCurve | None:
    arguments = recipe.arguments(original)
    if "time_keys" not in arguments:
        return None
    options = {name: arguments[name] for name in ("tension", "monotone") if name in arguments}
    return time_curve(arguments["time_keys"], len(original), **options)


def _shown_at(frames: Array, timing: TimeCurve | None, length: int) -> Array:
    """Output frames that show source ``frames`` first."""
    if timing is None:
        return frames
    sources = timing(np.arange(length, dtype=np.float64))
    return np.array([float(np.argmin(np.abs(sources - frame))) for frame in frames])


def _most_changed(
    original: Motion, warped: Motion, timing: TimeCurve | None, count: int
) -> list[_Curve]:
    """Joint angles (degrees) and root curves (leg lengths), the most changed first."""
    source = np.arange(len(warped), dtype=np.float64) if timing is None else None
    if source is None and timing is not None:
        source = np.clip(timing(np.arange(len(warped), dtype=np.float64)), 0, len(original) - 1)
    plain = original.sample(source if source is not None else [0.0])
    apart = np.degrees(rotations.angle_between(plain.rotations, warped.rotations))
    curves: list[tuple[float, _Curve]] = []
    for joint in np.argsort(-np.mean(apart, axis=0))[:count]:
        before, after = (
            np.degrees(rotations.to_euler(m.rotations[:, joint], "ZYX")) for m in (original, warped)
        )
        then = np.degrees(rotations.to_euler(plain.rotations[:, joint], "ZYX"))
        after = after - 360.0 * np.round(np.mean(after - then, axis=0) / 360.0)
        axis = int(np.argmax(np.mean(np.abs(after - then), axis=0)))
        change = float(np.mean(np.abs(after - then)[:, axis]))
        name = f"{original.skeleton.names[joint]} {'zyx'[axis]}, °"
        curves.append((change / 45.0, _Curve(name, before[:, axis], after[:, axis])))
    leg = _leg(original)
    for axis, name in ((0, "root x"), (1, "root height"), (2, "root z")):
        change = float(np.mean(np.abs(plain.root - warped.root)[:, axis])) / leg
        pair = original.root[:, axis] / leg, warped.root[:, axis] / leg
        curves.append((change / 0.3, _Curve(f"{name}, legs", *pair)))
    ordered = sorted(curves, key=lambda entry: -entry[0])[:count]
    return [curve for change, curve in ordered if change > 1e-4]


def _draw_curve(axes: Any, curve: _Curve, original: Motion, warped: Motion, shown: Array) -> None:
    """Draw a curve before and after, with its keys at the frames ``(k,)`` that show them."""
    for frame in shown:
        axes.axvline(frame / warped.fps, color=_KEY, linewidth=0.9, alpha=0.7)
    time, new_time = (np.arange(len(m)) / m.fps for m in (original, warped))
    axes.plot(time, curve.before, color=_ORIGINAL, linewidth=1.2, label="original")
    axes.plot(new_time, curve.after, color=_WARPED, linewidth=1.6, label="warped")
    values = np.interp(shown, np.arange(len(curve.after)), curve.after)
    axes.plot(shown / warped.fps, values, "o", color=_KEY, markersize=4.5, label="keys")
    axes.set_ylabel(curve.name, fontsize=7.5)
    axes.set_xlim(0.0, max(time[-1], new_time[-1], 1e-9))


def _shade_keys(axes: Any, strip: Strip, keyed: NDArray[np.bool_]) -> None:
    """A tinted ground behind the poses that have keys."""
    middles = strip.points[:, 0, 0]
    half = 0.5 * float(np.min(np.diff(middles))) if len(middles) > 1 else 0.3 * strip.tall
    for middle in middles[keyed]:
        axes.axvspan(middle - half, middle + half, color=_KEY, alpha=0.10, linewidth=0, zorder=0.2)


def _draw_prop(
    axes: Any,
    strip: Strip,
    floor: float,
    prop: Mapping[str, Any],
    original: Motion,
    warped: Motion,
    timing: TimeCurve | None,
) -> None:
    """A block of the scene: where a joint is at a moment, from ``bottom`` to ``top``.

    Lengths are in leg lengths, heights above the ``floor`` of the original; ``of`` says
    whose joint, the original's or the warped one's.
    """
    known = ("at", "joint", "of", "ahead", "length", "bottom", "top")
    for name in prop:
        if name not in known:
            raise WarpError(f"scene: {name!r} is not known; expected {', '.join(known)}")
    leg = _leg(original)
    frame = frame_of(prop.get("at", "50%"), original)
    motion = original if prop.get("of") == "original" else warped
    if motion is warped:
        frame = float(_shown_at(np.array([frame]), timing, len(warped))[0])
    joint = joints_called(prop.get("joint", "hips"), find_rig(original.skeleton))[0]
    place = motion.sample([frame]).positions()[0, joint]
    middle = strip.picture(place[None])[0, 0] + prop.get("ahead", 0.0) * leg
    half = 0.5 * prop.get("length", 0.3) * leg
    low, high = (
        floor - strip.floor + prop.get(end, usual) * leg
        for end, usual in (("bottom", 0.0), ("top", 1.0))
    )
    axes.fill_between(
        [middle - half, middle + half],
        low,
        high,
        facecolor=GRID,
        edgecolor=INK,
        linewidth=0.8,
        zorder=1.2,
    )
    axes.set_ylim(axes.get_ylim()[0], max(axes.get_ylim()[1], high + 0.05 * leg))


def _leg(motion: Motion) -> float:
    rig = find_rig(motion.skeleton)
    legs = ("left_thigh", "left_ankle", "right_thigh", "right_ankle")
    return (
        leg_length(motion.skeleton, rig) if rig.has(*legs) else body_height(motion.skeleton) or 1.0
    )
