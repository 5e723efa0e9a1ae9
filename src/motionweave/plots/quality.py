"""A quality report: how feet slide, how high they are, how hard joints turn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from motionweave.body.floor import Floor
from motionweave.body.pose.tpose import tpose_frames
from motionweave.body.rig.roles import SIDES, find_rig, leg_length
from motionweave.body.soles import contact_points
from motionweave.contacts.detect import estimate_floor
from motionweave.core.arrays import Array
from motionweave.core.constraints import active
from motionweave.core.motion import Motion
from motionweave.errors import MotionError
from motionweave.measure.peaks import turning
from motionweave.measure.quality import Quality, quality
from motionweave.plots import figure as look

# Heights are shown up to this, in per cent of leg length: swings go off the top.
_CEILING = 12.0
# Usually regarded as free of skate, in per cent of leg length per frame.
_GOOD = 0.2
# Plants whose names still fit side by side.
_MANY = 24
# Degrees per second squared below which nothing is drawn.
_QUIET = 10.0
_LEG = ("thigh", "shin", "ankle")


def quality_plot(
    motions: Motion | Sequence[Motion],
    path: str | Path | None = None,
    labels: Sequence[str] | None = None,
    floor: Floor | None = None,
) -> Any:
    """Skate of every plant, heights of the feet and angular accelerations.

    Parameters
    ----------
    motions
        One clip, or several of the same frames to compare, such as before and after
        clean-up; they are measured on the floor of the first.
    path
        Where to save the figure, if at all.
    labels
        A name for each.
    floor
        What they stand on; estimated from the first by default.

    Returns
    -------
    The matplotlib figure.
    """
    clips = [motions] if isinstance(motions, Motion) else list(motions)
    if not clips:
        raise MotionError("a quality plot needs at least one motion")
    names = list(labels or (clip.name or f"clip {i + 1}" for i, clip in enumerate(clips)))
    if len(names) != len(clips):
        raise MotionError(f"{len(clips)} motions need as many labels, not {len(names)}")
    floor = floor or estimate_floor(clips[0])
    measured = [quality(clip, floor=floor) for clip in clips]
    with look.styled():
        figure = look.new_figure(10.0, 7.6)
        grid = figure.add_gridspec(4, 1, height_ratios=(1.0, 1.0, 1.0, 1.0))
        bars = figure.add_subplot(grid[0])
        _draw_skate(bars, measured, names)
        below = None
        for row, side in enumerate(SIDES, start=1):
            axes = figure.add_subplot(grid[row], sharex=below)
            below = below or axes
            _draw_heights(axes, clips, floor, side)
            axes.tick_params(labelbottom=False)
        axes = figure.add_subplot(grid[3], sharex=below)
        _draw_accelerations(axes, clips, measured)
        axes.set_xlim(0.0, max(clip.duration for clip in clips) or 1.0)
        return look.finish(figure, path)


def _draw_skate(axes: Any, measured: Sequence[Quality], names: Sequence[str]) -> None:
    width = 0.8 / len(measured)
    for index, one in enumerate(measured):
        place = np.arange(len(one.plants)) + (index - 0.5 * (len(measured) - 1)) * width
        mean = [100.0 * plant.skate_mean for plant in one.plants]
        most = [100.0 * plant.skate_max for plant in one.plants]
        colour = _colour(index, len(measured))
        axes.bar(place, most, width, color=look.mix(colour, "white", 0.65))
        axes.bar(place, mean, width, color=colour, label=names[index])
    first = measured[0]
    axes.set_xticks(range(len(first.plants)), _plant_labels(first), fontsize=6.5)
    axes.axhline(_GOOD, color=look.FAINT, linewidth=0.8, linestyle="--")
    axes.set_ylabel("% of leg per frame")
    axes.set_title("Skate of each contact: mean (solid) and largest (pale)")
    if len(measured) > 1:
        axes.legend(loc="upper right", ncols=len(measured))


def _plant_labels(measured: Quality) -> list[str]:
    """What is planted, below each bar; initials where there are many."""
    words = [plant.kind.split("_") for plant in measured.plants]
    if len(words) > _MANY:
        words = [[word[0] for word in pair] for pair in words]
    return ["\n".join(pair) for pair in words]


def _draw_heights(axes: Any, clips: Sequence[Motion], floor: Floor, side: str) -> None:
    for index, clip in enumerate(clips):
        size = leg_length(clip.skeleton)
        points = contact_points(clip)
        first = tpose_frames(clip)
        time = np.arange(first, len(clip)) / clip.fps
        colour = _colour(index, len(clips))
        for part, line in (("heel", "-"), ("toe", ":")):
            kind = f"{side}_{part}"
            height = 100.0 * floor.above(points[kind])[first:] / size
            axes.plot(time, height, line, color=colour, linewidth=1.1, label=part)
            if index == len(clips) - 1:
                held = active(clip.constraints, kind, np.arange(first, len(clip)))
                row = -2.0 if part == "heel" else -2.8
                _draw_held(axes, time, held, row)
    axes.axhline(0.0, color=look.INK, linewidth=0.8)
    axes.set_ylim(-3.4, _CEILING)
    axes.set_ylabel("% of leg")
    axes.set_title(f"Height of the {side} heel (line) and toe (dots); bars: planted")


def _draw_held(axes: Any, time: Array, held: NDArray[np.bool_], row: float) -> None:
    axes.fill_between(
        time, row - 0.3, row + 0.3, where=held, color=look.CONTACT, linewidth=0.0, step="mid"
    )


def _draw_accelerations(axes: Any, clips: Sequence[Motion], measured: Sequence[Quality]) -> None:
    for index, (clip, one) in enumerate(zip(clips, measured, strict=True)):
        first = tpose_frames(clip)
        _, accelerations = turning(clip[first:])
        time = (np.arange(len(accelerations)) + first + 1) / clip.fps
        rig = find_rig(clip.skeleton)
        legs = [rig.roles[f"{side}_{role}"] for side in SIDES for role in _LEG]
        colour = _colour(index, len(clips))
        pale = look.mix(colour, "white", 0.6)
        for joints, shade in ((slice(None), pale), (legs, colour)):
            largest = accelerations[:, joints].max(axis=1, initial=0.0)
            axes.plot(time, np.maximum(largest, _QUIET), color=shade, linewidth=0.9)
        for seam in one.seams:
            axes.axvline(seam.frame / clip.fps, color=look.SERIES[5], linewidth=0.7, alpha=0.6)
    axes.set_yscale("log")
    axes.set_ylabel("°/s²")
    axes.set_xlabel("seconds")
    axes.set_title(
        "Largest angular acceleration of the legs (and, pale, of any joint); lines: seams"
    )


def _colour(index: int, count: int) -> str:
    """Before is grey, so that what came out stands out."""
    if count > 1 and index == 0:
        return look.FAINT
    return look.SERIES[(index - (count > 1)) % len(look.SERIES)]
