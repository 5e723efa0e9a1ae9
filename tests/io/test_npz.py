"""NumPy archives: every bit comes back; AMASS poses on a skeleton of the user."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import motionweave as mw
from motionweave.io.npz import MODELS
from tests.io.files import damaged, only_format_errors, sliding
from tests.strategies import motions, random_motion

_settings = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@_settings
@given(motions(), st.booleans())
def test_every_bit_comes_back(tmp_path: Path, motion: mw.Motion, slides: bool) -> None:
    motion = sliding(motion) if slides else motion
    mw.save(motion, tmp_path / "clip.npz")
    read = mw.load(tmp_path / "clip.npz", contacts=False)
    assert read.skeleton == motion.skeleton
    assert read.fps == motion.fps
    np.testing.assert_array_equal(read.root, motion.root)
    np.testing.assert_array_equal(read.rotations, motion.rotations)
    if slides:
        np.testing.assert_array_equal(read.translations, motion.translations)
    with np.load(tmp_path / "clip.npz") as arrays:
        np.testing.assert_array_equal(arrays["positions"], motion.positions())


# AMASS

_PARENTS = [-1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 12, 13, 14, 16, 17, 18, 19]


def _model(rng: np.random.Generator, count: int = 22) -> tuple[np.ndarray, np.ndarray]:
    parents = np.array([*_PARENTS, *([20] * (count - 22))])
    return parents, rng.normal(scale=0.3, size=(count, 3))


def _amass(path: Path, rng: np.random.Generator, joints: int, **more: Any) -> dict[str, Any]:
    arrays = {
        "poses": rng.normal(scale=0.5, size=(5, 3 * joints)),
        "trans": rng.normal(size=(5, 3)),
        "mocap_framerate": np.array(120.0),
        "betas": np.zeros(16),
        "gender": np.array("neutral"),
        **more,
    }
    np.savez(path, **arrays)
    return arrays


@pytest.mark.parametrize("joints", [22, 24, 52, 55])
def test_amass_poses_move_the_model_as_published(tmp_path: Path, joints: int) -> None:
    rng = np.random.default_rng(joints)
    parents, rest = _model(rng, joints)
    table = np.stack([np.where(parents < 0, 2**32 - 1, parents), np.arange(joints)])
    np.savez(tmp_path / "model.npz", J=rest, kintree_table=table)
    arrays = _amass(tmp_path / "clip.npz", rng, joints)
    read = mw.load(tmp_path / "clip.npz", contacts=False, skeleton=tmp_path / "model.npz")
    assert read.fps == 120.0
    assert read.skeleton.names[:3] == ("pelvis", "left_hip", "right_hip")
    # The model's own formula: turn about joints at rest, then move everything.
    for frame in range(5):
        turns = Rotation.from_rotvec(arrays["poses"][frame].reshape(-1, 3)).as_matrix()
        at, world = np.zeros((joints, 3)), np.zeros((joints, 3, 3))
        for joint, parent in enumerate(parents):
            if parent < 0:
                at[joint], world[joint] = rest[joint], turns[joint]
            else:
                at[joint] = at[parent] + world[parent] @ (rest[joint] - rest[parent])
                world[joint] = world[parent] @ turns[joint]
        at += arrays["trans"][frame]
        upright = np.stack([at[:, 0], at[:, 2], -at[:, 1]], axis=1)
        np.testing.assert_allclose(read.positions()[frame], upright, atol=1e-9)


def test_amass_on_a_skeleton_file(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    parents, rest = _model(rng)
    offsets = rest - rest[np.maximum(parents, 0)]
    offsets[0] = rest[0]
    names = tuple(name.replace("_", " ").title() for name in MODELS[22])
    tree = mw.Skeleton(names, parents, offsets)
    still = mw.Motion(tree, 30.0, np.zeros((1, 3)), np.tile([0.0, 0, 0, 1], (1, 22, 1)))
    mw.save(still, tmp_path / "body.bvh")
    mw.save(still, tmp_path / "body.npz")
    _amass(tmp_path / "clip.npz", rng, 52)
    one = mw.load(tmp_path / "clip.npz", contacts=False, skeleton=tmp_path / "body.npz")
    other = mw.load(tmp_path / "clip.npz", contacts=False, skeleton=tmp_path / "body.bvh")
    assert one.skeleton.names == names
    by_name = [other.skeleton.index(name) for name in names]
    np.testing.assert_allclose(other.positions()[:, by_name], one.positions(), atol=1e-9)


def test_amass_that_cannot_be(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    _amass(tmp_path / "clip.npz", rng, 22)
    with pytest.raises(mw.FormatError, match="name the file of the body model"):
        mw.load(tmp_path / "clip.npz")
    mw.save(random_motion(rng, 2, 4), tmp_path / "other.bvh")
    with pytest.raises(mw.FormatError, match="not those of the body model"):
        mw.load(tmp_path / "clip.npz", skeleton=tmp_path / "other.bvh")
    with pytest.raises(mw.FormatError, match="no such"):
        mw.load(tmp_path / "clip.npz", skeleton=tmp_path / "none.npz")
    _amass(tmp_path / "odd.npz", rng, 23)
    with pytest.raises(mw.FormatError, match=r"poses \(5, 69\)"):
        mw.load(tmp_path / "odd.npz", skeleton=tmp_path / "other.bvh")
    mw.save(random_motion(rng, 2, 4), tmp_path / "own.npz")
    with pytest.raises(mw.FormatError, match="with AMASS files"):
        mw.load(tmp_path / "own.npz", skeleton=tmp_path / "other.bvh")


# Broken files


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"rotations": None}, "no array 'rotations'"),
        ({"fps": None}, "no frame rate"),
        ({"fps": np.array(-1.0)}, "fps -1.0: expected"),
        ({"root": np.zeros((3, 2))}, "root positions: expected shape"),
        ({"rotations": np.zeros((3, 4, 4))}, "not a unit quaternion"),
        ({"root": np.full((3, 3), np.nan)}, "root: every value must be finite"),
        ({"root": np.full((3, 3), "x")}, "root: expected numbers"),
        ({"parents": np.array([-1, 2, 1, 0])}, "parents come before children"),
        ({"names": np.array(["a", "a", "b", "c"])}, "unique"),
        ({"end_parents": np.array([9])}, "end_"),
        ({"translations": np.zeros((3, 4, 2))}, "translations: expected shape"),
    ],
)
def test_broken_arrays(tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    mw.save(random_motion(np.random.default_rng(0), 3, 4), tmp_path / "clip.npz")
    with np.load(tmp_path / "clip.npz") as archive:
        arrays = {**archive, **change}
    np.savez(tmp_path / "clip.npz", **{k: v for k, v in arrays.items() if v is not None})
    with pytest.raises(mw.FormatError, match=reason):
        mw.load(tmp_path / "clip.npz")


def test_no_code_is_run(tmp_path: Path) -> None:
    np.savez(tmp_path / "clip.npz", names=np.array([object()], dtype=object))
    with pytest.raises(mw.FormatError, match="no array 'names'"):
        mw.load(tmp_path / "clip.npz")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=400)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_damaged_files(tmp_path: Path, seed: int, packed: bool) -> None:
    rng = np.random.default_rng(seed)
    motion = random_motion(np.random.default_rng(1), 3, 3)
    mw.save(motion, tmp_path / "whole.npz")
    data = (tmp_path / "whole.npz").read_bytes()
    if not packed:
        buffer = io.BytesIO()
        with np.load(tmp_path / "whole.npz") as archive:
            np.savez(buffer, **archive)
        data = buffer.getvalue()
    only_format_errors(mw.load, tmp_path / "broken.npz", damaged(data, rng))
