"""A walk with a foot that skims the floor."""

from __future__ import annotations

import numpy as np

import motionweave as mw
from motionweave.body.soles import contact_points
from motionweave.core.constraints import active
from motionweave.core.intervals import runs
from motionweave.methods.joining.feet import lifted


def skimming(fps: float) -> tuple[mw.Motion, tuple[int, int]]:
    """A walk whose left foot skims the floor in its second swing, and the frames of that."""
    walk = mw.sample("walk").resample(fps)
    points, frames = contact_points(walk), np.arange(len(walk))
    kinds = ("left_heel", "left_toe")
    heights = np.min([points[kind][:, 1] for kind in kinds], axis=0)
    planted = np.any([active(walk.constraints, kind, frames) for kind in kinds], axis=0)
    first, last = runs(~planted)[1]
    swing = slice(first, last + 1)
    low = np.zeros(len(walk))
    low[swing] = np.maximum(heights[swing] - heights[planted].max(), 0.0)
    return lifted(walk, {"left": -low, "right": np.zeros(len(walk))}), (first, last)
