"""Joint positions in one array: rotations are fitted, places stay."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.core import rotations
from motionweave.io.npy import body_positions, fit_motion


@pytest.mark.parametrize("name", ["walk_left", "kick_high", "sit"])
def test_fitted_joints_are_where_the_array_says(name: str) -> None:
    positions = body_positions(mw.sample(name))
    assert positions.shape[1:] == (22, 3)
    fitted = fit_motion(positions, 30.0)
    error = np.linalg.norm(fitted.positions() - positions, axis=-1)
    assert error.max() < 5e-5


def test_collars_at_the_neck_and_a_spine_at_the_pelvis() -> None:
    """Bones on one line leave a turn open; the joints beyond them decide it."""
    positions = body_positions(mw.sample("walk_left"))
    names = list(fit_motion(positions, 30.0).skeleton.names)
    at = {name: names.index(name) for name in names}
    positions[:, [at["left_collar"], at["right_collar"]]] = positions[:, [at["neck"]]]
    positions[:, at["spine1"]] = positions[:, at["pelvis"]]
    fitted = fit_motion(positions, 30.0)
    assert np.linalg.norm(fitted.positions() - positions, axis=-1).max() < 5e-5
    # The chest turns with the shoulders, not at random.
    turn = rotations.angle_between(
        fitted.orientations()[1:, at["spine3"]], fitted.orientations()[:-1, at["spine3"]]
    )
    assert np.degrees(turn.max()) < 8.0


def test_noise_moves_joints_by_no_more_than_itself() -> None:
    rng = np.random.default_rng(0)
    positions = body_positions(mw.sample("walk"))
    noisy = positions + rng.normal(0.0, 0.005, positions.shape)
    error = np.linalg.norm(fit_motion(noisy, 30.0).positions() - noisy, axis=-1)
    assert float(np.median(error)) < 0.012


def test_round_trip_and_shapes(tmp_path: Path) -> None:
    walk = mw.sample("walk")
    mw.save(walk.scaled(100.0), tmp_path / "a.npy", contacts=False)
    array = np.load(tmp_path / "a.npy")
    assert array.shape == (62, 22, 3)
    np.testing.assert_allclose(array, body_positions(walk.resample(20.0)), atol=1e-5)
    for shape in (array, array[None], np.moveaxis(array, 0, -1), array.reshape(62, 66)):
        np.save(tmp_path / "b.npy", shape)
        again = mw.load(tmp_path / "b.npy")
        assert again.fps == 20.0
        np.testing.assert_allclose(again.positions(), array, atol=1e-5)
    assert mw.load(tmp_path / "b.npy", fps=30).fps == 30.0


def test_what_cannot_be(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.zeros((5, 21, 3)))
    with pytest.raises(mw.FormatError, match=r"found \(5, 21, 3\)"):
        mw.load(path)
    np.save(path, np.zeros((3, 22, 3, 60)))
    with pytest.raises(mw.FormatError, match=r"3 motions: save one of them, array\[0\]"):
        mw.load(path)
    np.save(path, np.zeros((60, 263)))
    with pytest.raises(mw.FormatError, match="features that networks learn from"):
        mw.load(path)
    np.save(path, np.full((5, 22, 3), np.nan))
    with pytest.raises(mw.FormatError, match="finite"):
        mw.load(path)
    np.save(path, np.array({"motion": 1}, dtype=object), allow_pickle=True)
    with pytest.raises(mw.FormatError, match="pickle"):
        mw.load(path)


@pytest.mark.parametrize("fps", [None, 10.0])
def test_contacts_are_counted_in_the_frames_of_the_file(tmp_path: Path, fps: float | None) -> None:
    walk = mw.sample("walk")
    assert walk.fps == 30.0
    mw.save(walk, tmp_path / "walk.npy", **({} if fps is None else {"fps": fps}))
    again = mw.load(tmp_path / "walk.npy", fps=fps)
    assert again.fps == (fps or 20.0)
    assert [c.kind for c in again.constraints] == [c.kind for c in walk.constraints]
    # In seconds they are where they were, but for the end of the clip, which a frame may miss.
    for one, other in zip(walk.constraints, again.constraints, strict=True):
        assert abs(one.start / walk.fps - other.start / again.fps) < 1e-3
        assert abs(one.end / walk.fps - other.end / again.fps) < 1.0 / again.fps
