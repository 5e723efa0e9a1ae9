"""Legs solved for their feet."""

from __future__ import annotations

import numpy as np

import motionweave as mw
from motionweave.body import ik
from motionweave.body.hinges import find_hinges
from motionweave.contacts.clean.solve import FootWay, solve_limbs
from motionweave.core import rotations


def test_limbs_solved_together_are_as_each_alone() -> None:
    walk = mw.sample("walk")[:40]
    positions, orientations = walk.forward()
    rng = np.random.default_rng(6)
    ways = []
    for role in ("left_shin", "right_shin"):
        hinge = find_hinges(walk)[role]
        moved = 0.02 * rng.normal(size=3) * np.sin(np.linspace(0.0, np.pi, len(walk)))[:, None]
        way = FootWay(
            ik.Limb(hinge.upper, hinge.joint, hinge.end),
            rotations.rotate(orientations[:, hinge.upper], hinge.axis),
            positions[:, hinge.end] + moved,
            rotations.exp(moved),
            rng.uniform(size=len(walk)),
            stretch=0.01,
        )
        ways.append(way)
    shift = 0.01 * rng.normal(size=(len(walk), 3))
    together = np.array(walk.rotations)
    missing, stretched = solve_limbs(walk, positions, orientations, ways, shift, together)
    alone = np.array(walk.rotations)
    for index, way in enumerate(ways):
        left, longer = solve_limbs(walk, positions, orientations, [way], shift, alone)
        np.testing.assert_allclose(missing[index], left[0], atol=1e-12)
        np.testing.assert_allclose(stretched[index], longer[0], atol=1e-12)
    np.testing.assert_allclose(together, alone, atol=1e-12)
    assert np.abs(together - walk.rotations).max() > 0.01
