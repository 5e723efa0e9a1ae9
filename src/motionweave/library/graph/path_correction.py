"""Bends a walk slightly, so that it follows its path where the clips alone do not.

Clips turn as they were recorded, and a walk made from them drifts off its path. A walker looks
ahead and steers: at every frame the direction is turned along the path, and back onto it, never by
more than a little per step.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from motionweave.body.rig.roles import leg_length
from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.core.planar import Planar
from motionweave.library.graph.floor_path import FloorPath

# Leg lengths over which a walker beside the path returns to it.
_AHEAD = 1.5
# Leg lengths of travel over which the direction is averaged: swaying hips do not steer.
_SWAY = 1.5


def corrected(motion: Motion, path: FloorPath, limit: float) -> Motion:
    """The motion bent towards a path.

    Parameters
    ----------
    motion
        Begins where the path does.
    path
        The path.
    limit
        Radians per leg length travelled.
    """
    unit = leg_length(motion.skeleton)
    places = motion.root[:, [0, 2]] / unit
    turns = _steered(places, path, limit)
    steps = Planar(turns[1:]).apply_xz(np.diff(places, axis=0))
    moved = places[0] + np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
    root = np.array(motion.root)
    root[:, [0, 2]] = moved * unit
    local = np.array(motion.rotations)
    local[:, 0] = rotations.multiply(rotations.about_vertical(turns), local[:, 0])
    return replace(motion, root=root, rotations=local)


def _steered(places: Array, path: FloorPath, limit: float) -> Array:
    """The angle ``(T,)`` by which the direction is turned at each frame."""
    steps = np.diff(places, axis=0)
    lengths = np.linalg.norm(steps, axis=1)
    # The direction of travel without the hips' sway: over about a stride.
    travelled = np.concatenate([[0.0], np.cumsum(lengths)])
    grid = travelled + 1e-9 * np.arange(len(travelled))
    ahead, behind = (
        np.stack([np.interp(travelled + half, grid, places[:, axis]) for axis in (0, 1)], axis=1)
        for half in (0.5 * _SWAY, -0.5 * _SWAY)
    )
    way = ahead - behind
    directions = np.unwrap(np.arctan2(way[:, 0], way[:, 1]))
    goes = np.interp(travelled + _AHEAD, grid, directions)
    turns = np.zeros(len(places))
    here = np.array(places[0])
    progress = 0.0
    for frame in range(1, len(places)):
        progress = path.nearest(here, progress)
        # Along the path at the point ahead, and back onto the path by then.
        runs = float(path.direction(progress + _AHEAD))
        aside = Planar(-float(path.direction(progress))).apply_xz(path.at(progress) - here)[0]
        wanted = runs + np.arctan2(aside, _AHEAD) - goes[frame] - turns[frame - 1]
        wanted = (wanted + np.pi) % (2.0 * np.pi) - np.pi
        # The target is reached over the distance to the point ahead.
        steer = np.clip(wanted / _AHEAD, -limit, limit) * lengths[frame - 1]
        turns[frame] = turns[frame - 1] + steer
        here = here + Planar(turns[frame]).apply_xz(steps[frame - 1])
    return turns
