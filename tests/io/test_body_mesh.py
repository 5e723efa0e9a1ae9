"""The simple body that files for viewers get: closed, and carried by the joints as it is drawn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import motionweave as mw
from motionweave.body.figure.torso import torso_of
from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.io.scene.body_mesh import MeshPart, body_parts
from tests.rests import with_other_rest
from tests.strategies import motions


def carried(part: MeshPart, motion: mw.Motion, frame: int) -> Array:
    """Where the joints of a frame carry the vertices ``(V, 3)`` of a part, as viewers do it."""
    positions, orientations = motion.forward()
    turns = rotations.to_matrix(orientations[frame])[part.joints]
    local = part.vertices[:, None] - motion.skeleton.rest_positions[part.joints]
    places = np.einsum("vkij,vkj->vki", turns, local) + positions[frame][part.joints]
    return np.asarray(np.einsum("vk,vki->vi", part.weights, places))


@given(motions())
def test_it_is_closed_and_belongs_to_joints(motion: mw.Motion) -> None:
    parts = body_parts(motion)
    assert parts
    for part in parts:
        assert part.joints.min() >= 0
        assert part.joints.max() < len(motion.skeleton)
        np.testing.assert_allclose(part.weights.sum(axis=1), 1.0)
        np.testing.assert_allclose(np.linalg.norm(part.normals, axis=1), 1.0)
        edges = np.concatenate([part.triangles[:, [i, (i + 1) % 3]] for i in range(3)])
        there = {(int(a), int(b)) for a, b in edges}
        assert len(there) == len(edges), "an edge is used twice the same way round"
        assert all((b, a) in there for a, b in there), "an edge has one triangle only"
        corners = part.vertices[part.triangles]
        volume = np.sum(np.cross(corners[:, 0], corners[:, 1]) * corners[:, 2])
        assert volume > 0.0, "triangles face inwards"


@pytest.mark.parametrize("seed", [None, 1, 2, 3])
def test_the_trunk_is_where_it_is_drawn_whatever_the_rest_pose(seed: int | None) -> None:
    motion = mw.sample("walk")
    torso = torso_of(motion.skeleton)
    assert torso is not None
    other = motion if seed is None else with_other_rest(motion, seed)
    middle = next(part for part in body_parts(other) if part.side == 0)
    for frame in range(0, len(motion), 20):
        drawn, _ = torso.at(motion.positions()[frame])
        mesh = carried(middle, other, frame)
        gaps = np.linalg.norm(drawn[:, None] - mesh[None], axis=2).min(axis=1)
        assert np.median(gaps) < 0.02 * torso.height
        # Nowhere has it shrunk to a thread.
        assert gaps.max() < 0.06 * torso.height


@pytest.mark.parametrize("seed", [1, 2])
def test_feet_are_flat_whatever_the_rest_pose(seed: int) -> None:
    walk = mw.sample("walk")
    other = with_other_rest(walk, seed)
    frame = len(walk) // 2
    for side in (1, -1):
        ours, theirs = (
            carried(next(part for part in body_parts(each) if part.side == side), each, frame)
            for each in (walk, other)
        )
        low = ours[:, 1] < 0.08
        gaps = np.linalg.norm(ours[low][:, None] - theirs[None], axis=2).min(axis=1)
        assert gaps.max() < 0.02
