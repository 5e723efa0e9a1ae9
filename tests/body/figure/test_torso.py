"""The trunk that is drawn: closed, smooth, around the joints, and carried by them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import motionweave as mw
from motionweave.body.figure.torso import Torso, torso_of, torso_triangles
from motionweave.core import rotations
from motionweave.rendering.figure import make_figure


@pytest.fixture(scope="module")
def walk() -> mw.Motion:
    return mw.sample("walk")


@pytest.fixture(scope="module")
def torso(walk: mw.Motion) -> Torso:
    found = torso_of(walk.skeleton)
    assert found is not None
    return found


def test_it_is_closed(torso: Torso, walk: mw.Motion) -> None:
    triangles = torso_triangles()
    edges = Counter(
        (int(row[i]), int(row[(i + 1) % 3])) for row in triangles for i in range(3)
    )  # fmt: skip
    # Each edge is run through once in each direction: by the faces on both of its sides.
    assert set(edges.values()) == {1}
    assert all((b, a) in edges for a, b in edges)
    assert triangles.max() == len(torso.at(walk.positions()[0])[0]) - 1


def test_normals_look_outwards(torso: Torso, walk: mw.Motion) -> None:
    for pose in walk.positions()[::20]:
        vertices, normals = torso.at(pose)
        a, b, c = (vertices[torso_triangles()[:, i]] for i in range(3))
        faces = np.cross(b - a, c - a)
        corners = normals[torso_triangles()]
        agree = np.sum(faces[:, None] * corners, axis=-1)
        # All faces are laid the same way round, and corners look to the same side as their faces.
        assert np.mean(np.sign(agree) == np.sign(np.median(agree))) > 0.97
        middle = vertices.mean(axis=0)
        assert np.mean(np.sum((vertices - middle) * normals, axis=1) > 0.0) > 0.97


def test_it_turns_and_moves_with_the_body(torso: Torso, walk: mw.Motion) -> None:
    pose = walk.positions()[17]
    turn = rotations.to_matrix(rotations.exp(np.array([0.4, -1.1, 0.7])))
    there = np.array([3.0, -1.0, 2.0])
    vertices, normals = torso.at(pose)
    turned, looking = torso.at(pose @ turn.T + there)
    np.testing.assert_allclose(turned, vertices @ turn.T + there, atol=1e-9)
    np.testing.assert_allclose(looking, normals @ turn.T, atol=1e-9)


def test_shoulders_are_as_wide_as_the_joints(torso: Torso, walk: mw.Motion) -> None:
    pose = walk.positions()[0]
    vertices, _ = torso.at(pose)
    for joint in torso.shoulders:
        # The joint is no further from the surface than an arm is thick.
        assert np.linalg.norm(vertices - pose[joint], axis=1).min() < 0.045 * torso.height


def test_no_trunk_without_limbs() -> None:
    chain = mw.Skeleton(("a", "b", "c"), np.array([-1, 0, 1]), np.eye(3))
    assert torso_of(chain) is None


def test_the_floor_is_under_the_feet_that_stand(walk: mw.Motion) -> None:
    figure = make_figure(walk, walk.fps, 1.0)
    held = np.zeros(len(walk), dtype=bool)
    for contact in walk.constraints:
        held[int(np.ceil(contact.start)) : int(contact.end) + 1] = True
    lowest = (figure.points[:, figure.ends, 1] - figure.radii).min(axis=(1, 2))
    # Under a foot that rolls over its toes, half a centimetre is what a picture may be wrong by.
    assert abs(np.median(lowest[held]) - figure.floor) < 0.005


def test_joints_carry_it_to_where_it_is_drawn(torso: Torso, walk: mw.Motion) -> None:
    # A mesh in a file moves with the joints alone; the trunk that is drawn follows them exactly.
    positions, orientations = walk.forward()
    joints, weights = torso.carriers(walk.skeleton)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0)
    matrices = rotations.to_matrix(orientations)
    drawn = [torso.at(row)[0] for row in positions]
    rest = torso.at(positions[0])[0]
    for frame in range(0, len(walk), 15):
        turn = matrices[frame] @ matrices[0].swapaxes(-1, -2)
        local = rest[:, None] - positions[0][joints]
        carried = np.einsum("vkij,vkj->vki", turn[joints], local) + positions[frame][joints]
        moved = np.einsum("vk,vki->vi", weights, carried)
        far = np.linalg.norm(moved - drawn[frame], axis=1)
        assert far.mean() < 0.02 * torso.height
