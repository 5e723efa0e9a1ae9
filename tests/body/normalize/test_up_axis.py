"""Which way is up, on bodies whose vertical is known."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave import samples
from motionweave.body.normalize.up_axis import find_up, up_of_points
from motionweave.core import rotations


def _z_up(motion: mw.Motion) -> mw.Motion:
    """The motion in axes whose vertical is z: turned as a whole, skeleton included."""
    quarter = rotations.about_axis("X", np.pi / 2)

    def turn(vectors: np.ndarray) -> np.ndarray:
        return rotations.rotate(quarter, vectors)

    skeleton = motion.skeleton
    turned = mw.Skeleton(
        skeleton.names,
        skeleton.parents,
        turn(skeleton.offsets),
        skeleton.end_parents,
        turn(skeleton.end_offsets),
    )
    quaternions = rotations.multiply(
        quarter, rotations.multiply(motion.rotations, rotations.inverse(quarter))
    )
    return mw.Motion(turned, motion.fps, turn(motion.root), quaternions)


def _stick(motion: mw.Motion) -> mw.Motion:
    """The same motion on a skeleton whose rest pose is a bundle of bones along x."""
    skeleton = motion.skeleton
    frames = np.tile(rotations.IDENTITY, (len(skeleton), 1))
    for joint, children in enumerate(skeleton.children):
        if children and np.linalg.norm(skeleton.offsets[children[0]]) > 0.0:
            frames[joint] = rotations.between_vectors([1.0, 0, 0], skeleton.offsets[children[0]])
    above = np.concatenate([rotations.IDENTITY[None], frames[skeleton.parents[1:]]])
    offsets = rotations.rotate(rotations.inverse(above), skeleton.offsets)
    quaternions = rotations.multiply(
        rotations.inverse(above), rotations.multiply(motion.rotations, frames)
    )
    stick = mw.Skeleton(skeleton.names, skeleton.parents, offsets)
    result = mw.Motion(stick, motion.fps, motion.root, quaternions)
    np.testing.assert_allclose(result.positions(), motion.positions(), atol=1e-9)
    return result


def _found(motion: mw.Motion) -> bool:
    up = find_up(motion.skeleton, motion.root, motion.rotations, motion.translations)
    return up.axis == "z"


@pytest.mark.parametrize("name", samples.names())
def test_built_in_clips(name: str) -> None:
    motion = samples.sample(name)
    for form in (motion, _stick(motion), motion[:1]):
        assert not _found(form)
        assert _found(_z_up(form))


@pytest.mark.mocap
def test_real_clips(mocap: Path) -> None:
    for path in sorted((mocap / "bvh").glob("*.bvh"))[::4]:
        motion = mw.load(path, contacts=False, up="y")
        for form in (motion, _stick(motion[1:]), motion[20:40]):
            assert not _found(form), path.name
            assert _found(_z_up(form)), path.name


def test_a_four_legged_body_is_longer_than_high() -> None:
    rng = np.random.default_rng(3)
    legs = np.array([[x, y, z] for x in (-0.2, 0.2) for z in (-0.7, 0.6) for y in (0.0, 0.4, 0.8)])
    body = np.concatenate([legs, [[0, 0.8, -0.7], [0, 0.9, 0.6], [0, 1.1, 1.0], [0, 0.7, -1.2]]])
    frames = body + rng.normal(scale=0.02, size=(50, 1, 1))
    for speed in (0.0, 0.1):
        walk = frames + np.array([0.0, 0.0, speed]) * np.arange(50)[:, None, None]
        assert up_of_points(walk, body).axis == "y"


def _lying(motion: mw.Motion) -> mw.Motion:
    """The motion of someone who lies on the back."""
    lie = rotations.about_axis("X", np.pi / 2)
    quaternions = np.array(motion.rotations)
    quaternions[:, 0] = rotations.multiply(lie, quaternions[:, 0])
    root = np.array(motion.root)
    root[:, 1] = 0.1 * motion.skeleton.height
    return mw.Motion(motion.skeleton, motion.fps, root, quaternions)


def test_lying_on_the_floor_is_not_standing() -> None:
    assert not _found(_lying(samples.sample("walk")))


def test_a_narrow_choice_is_told_with_its_remedy(tmp_path: Path) -> None:
    # Lying, with a rest pose that says nothing, one may as well stand in a file with z up.
    lying = _lying(samples.sample("stand"))
    path = tmp_path / "lying.bvh"
    mw.save(_stick(lying), path)
    with pytest.warns(mw.QualityWarning, match=r"load it with up=.*--up"):
        mw.load(path, contacts=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mw.load(path, contacts=False, up="y")


@pytest.mark.parametrize(("quarters", "axis"), [(2, "-y"), (3, "-z")])
def test_a_file_with_an_axis_that_points_down_is_turned_over(
    tmp_path: Path, quarters: int, axis: str
) -> None:
    # Depth cameras have y pointing down.
    walk = samples.sample("walk")
    motion = walk
    for _ in range(quarters):
        motion = _z_up(motion)
    found = find_up(motion.skeleton, motion.root, motion.rotations)
    assert (found.axis, found.doubt) == (axis, None)
    path, again = tmp_path / "down.bvh", tmp_path / "again.bvh"
    mw.save(motion, path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loaded = mw.load(path)
    np.testing.assert_allclose(loaded.positions(), walk.positions(), atol=1e-4)
    assert {c.kind for c in loaded.constraints} == {c.kind for c in walk.constraints}
    # It is written as it came.
    mw.save(loaded, again)
    assert again.read_text() == path.read_text()


@pytest.mark.parametrize("axis", ["y", "z"])
def test_a_body_that_is_upside_down_only_while_it_moves_is_told(tmp_path: Path, axis: str) -> None:
    walk = samples.sample("walk")
    turned = np.array(walk.rotations)
    turned[:, 0] = rotations.multiply(rotations.about_axis("X", np.pi), turned[:, 0])
    root = np.array(walk.root)
    root[:, 1] *= -1.0
    motion = replace(walk, root=root, rotations=turned, constraints=())
    path = tmp_path / "over.bvh"
    mw.save(motion if axis == "y" else _z_up(motion), path)
    with pytest.warns(mw.QualityWarning, match=f'upside down.*up="-{axis}"'):
        handstand = mw.load(path, contacts=False)
    np.testing.assert_allclose(handstand.positions(), motion.positions(), atol=1e-4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stands = mw.load(path, up=f"-{axis}")
        mw.load(path, contacts=False, up=axis)
    head = stands.positions()[:, stands.skeleton.index("Head"), 1]
    foot = stands.positions()[:, stands.skeleton.index("LeftFoot"), 1]
    assert np.all(head > foot)


def test_somebody_who_does_a_cartwheel_is_not_upside_down() -> None:
    """Head down for half of the clip."""
    walk = samples.sample("walk")
    turn = rotations.about_axis("Z", np.linspace(0.0, 2.0 * np.pi, len(walk)))
    turned = np.array(walk.rotations)
    turned[:, 0] = rotations.multiply(turn, turned[:, 0])
    found = find_up(walk.skeleton, walk.root, turned)
    assert (found.axis, found.head_down) == ("y", False)


def test_a_single_point_says_nothing() -> None:
    assert up_of_points(np.zeros((3, 1, 3))).axis == "y"
