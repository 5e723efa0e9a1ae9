"""Contacts as lanes below the heights of heels and toes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from motionweave.body.pose.tpose import tpose_frames
from motionweave.body.rig.roles import SIDES, leg_length
from motionweave.body.soles import contact_points
from motionweave.contacts.detect import estimate_floor
from motionweave.core.constraints import FOOT_KINDS, HAND_KINDS, kinds, of_kind
from motionweave.core.motion import Motion
from motionweave.plots import figure as look

# The lowest part of a step is what matters: heights are cut off above this (leg lengths).
_CEILING = 1.0
_COLOURS = {"left": look.LEFT, "right": look.RIGHT}


def contact_plot(motion: Motion, path: str | Path | None = None) -> Any:
    """A figure of when heels and toes are planted.

    Parameters
    ----------
    motion
        Its constraints are drawn as bars, one lane per kind; the curves above are the
        heights of heel (solid) and toe (dotted) over the floor, in leg lengths.
    path
        Where to save it; None to get only the figure.

    Returns
    -------
    The matplotlib figure.
    """
    with look.styled():
        figure = look.new_figure(9.0, 5.2)
        grid = figure.add_gridspec(3, 1, height_ratios=(1.0, 1.0, 0.9))
        floor = estimate_floor(motion)
        size = leg_length(motion.skeleton)
        first = tpose_frames(motion)
        frames = np.arange(first, len(motion))
        points = contact_points(motion)
        top = None
        for row, side in enumerate(SIDES):
            axes = figure.add_subplot(grid[row], sharex=top)
            top = axes if top is None else top
            for part, line in (("heel", "-"), ("toe", ":")):
                kind = f"{side}_{part}"
                height = np.minimum(floor.above(points[kind])[first:] / size, _CEILING)
                axes.plot(frames, height, line, color=_COLOURS[side], label=part)
                for plant in of_kind(motion.constraints, kind):
                    inside = (frames >= plant.start) & (frames <= plant.end)
                    held = np.where(inside, height, np.nan)
                    axes.plot(frames, held, color=look.CONTACT, linewidth=3.0, alpha=0.55)
            axes.set_title(f"{side} foot")
            axes.set_ylabel("height / leg")
            axes.tick_params(labelbottom=False)
            axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, borderpad=0.0)
        lanes = figure.add_subplot(grid[2], sharex=top)
        _draw_lanes(lanes, motion)
        lanes.set_xlabel(f"frame ({motion.fps:g} fps)")
        lanes.set_xlim(0, max(len(motion) - 1, 1))
        return look.finish(figure, path)


def _draw_lanes(axes: Any, motion: Motion) -> None:
    present = kinds(motion.constraints)
    rows = [*FOOT_KINDS, *(kind for kind in HAND_KINDS if kind in present)]
    rows += [kind for kind in present if kind not in rows]
    for row, kind in enumerate(rows):
        colour = _COLOURS.get(kind.split("_")[0], look.MIDDLE)
        bars = [(c.start, max(c.end - c.start, 0.3)) for c in of_kind(motion.constraints, kind)]
        axes.broken_barh(bars, (row - 0.36, 0.72), color=colour)
    axes.set_yticks(range(len(rows)), [kind.replace("_", " ") for kind in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
