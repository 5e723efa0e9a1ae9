"""Walks that are bent towards their paths."""

from __future__ import annotations

import numpy as np

import motionweave as mw
from motionweave.body.rig.roles import leg_length
from motionweave.library.graph.floor_path import FloorPath
from motionweave.library.graph.path_correction import corrected


def test_a_bent_walk_keeps_to_its_path(library: mw.Library) -> None:
    walk = library.load("walks/walk.npz")
    turn = np.linspace(0.0, 2.4, 90)
    unit = leg_length(walk.skeleton)
    path = FloorPath(8.0 * np.column_stack([1.0 - np.cos(turn), np.sin(turn)]))
    walk = walk.moved(mw.Planar(0.0, *(-walk.root[0, [0, 2]])))
    curved = corrected(walk, path, np.radians(10.0))
    errors = [path.error(motion.root[:, [0, 2]] / unit) for motion in (walk, curved)]
    assert errors[1] < 0.15
    assert errors[1] < 0.2 * errors[0]
    # It is bent, not stretched: steps are as long as they were.
    steps = [np.linalg.norm(np.diff(m.root, axis=0), axis=1) for m in (walk, curved)]
    np.testing.assert_allclose(steps[0], steps[1], atol=1e-9)
    ahead = FloorPath(np.array([[0.0, 0.0], [0.0, 20.0]]))
    straight = corrected(walk, ahead, 0.1)
    assert np.abs(straight.root - walk.root).max() < 0.05 * unit
