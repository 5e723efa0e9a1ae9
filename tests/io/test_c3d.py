"""C3D: markers, what can be done with them without a skeleton, and what cannot."""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave import samples
from tests.io.files import damaged

ezc3d = pytest.importorskip("ezc3d")


def _write(path: Path, labels: list[str], points: np.ndarray, fps: float, **more: list) -> None:
    """Points ``(T, P, 3)`` as a C3D file, in the file's own axes."""
    file = ezc3d.c3d()
    file["parameters"]["POINT"]["RATE"]["value"] = [fps]
    file["parameters"]["POINT"]["LABELS"]["value"] = labels
    file["parameters"]["POINT"]["UNITS"]["value"] = ["mm"]
    for name, value in more.items():
        file.add_parameter("POINT", name, value)
    data = np.ones((4, len(labels), len(points)))
    data[:3] = points.transpose(2, 1, 0)
    file["data"]["points"] = data
    file.write(str(path))


def _recorded(path: Path, clip: mw.Motion) -> mw.Markers:
    """A clip's joints as a z-up recording in millimetres."""
    points = 1000.0 * clip.positions()
    turned = np.stack([points[..., 0], -points[..., 2], points[..., 1]], axis=-1)
    _write(path, list(clip.skeleton.names), turned, clip.fps)
    return mw.load_markers(path)


def test_markers_come_as_they_were_recorded(tmp_path: Path) -> None:
    clip = samples.sample("walk")
    markers = _recorded(tmp_path / "walk.c3d", clip)
    assert markers.labels == clip.skeleton.names
    assert markers.fps == clip.fps
    assert markers.source["metres_a_unit"] == 0.001
    np.testing.assert_allclose(markers.points, 1000.0 * clip.positions(), atol=1e-2)
    assert mw.load_markers(tmp_path / "walk.c3d", fps=50).fps == 50.0


def test_the_vertical(tmp_path: Path) -> None:
    points = np.arange(24.0).reshape(2, 4, 3)
    _write(tmp_path / "a.c3d", list("abcd"), points, 100.0)
    upright = np.stack([points[..., 0], points[..., 2], -points[..., 1]], axis=-1)
    np.testing.assert_allclose(mw.load_markers(tmp_path / "a.c3d").points, upright)
    np.testing.assert_allclose(mw.load_markers(tmp_path / "a.c3d", up="y").points, points)
    _write(tmp_path / "b.c3d", list("abcd"), points, 100.0, Y_SCREEN=["+Y"])
    np.testing.assert_allclose(mw.load_markers(tmp_path / "b.c3d").points, points)


def test_gaps(tmp_path: Path) -> None:
    points = np.zeros((5, 3, 3))
    points[:, 0, 0] = [0, np.nan, np.nan, 3, np.nan]
    points[:, 2] = np.nan
    markers = mw.Markers(("a", "b", "never"), points, 100.0)
    assert markers.seen[:, 0].tolist() == [True, False, False, True, False]
    filled = markers.filled()
    assert filled.labels == ("a", "b")
    np.testing.assert_allclose(filled.points[:, 0, 0], [0, 1, 2, 3, 3])
    _write(tmp_path / "a.c3d", ["a", "b", "never"], points, 100.0)
    read = mw.load_markers(tmp_path / "a.c3d", up="y")
    np.testing.assert_array_equal(read.seen, markers.seen)


# Without a skeleton


def test_markers_register_as_their_skeletons_do(tmp_path: Path) -> None:
    """A clip and the same clip warped in time, turned and moved: the warp is found again."""
    walk = samples.sample("walk")
    length = len(walk) - 1
    # Never faster than 1.6 times, never slower than 0.4 times.
    frames = np.linspace(0, length, len(walk))
    warped = frames + 0.09 * length * np.sin(2.0 * np.pi * frames / length)
    other = walk.sample(np.clip(warped, 0, length)).moved(mw.Planar(0.7, 2.0, -1.0))
    one = _recorded(tmp_path / "one.c3d", walk)
    two = _recorded(tmp_path / "two.c3d", other)
    curve = mw.register(one, two)
    assert isinstance(curve, mw.MarkerCurve)
    u = np.linspace(curve.timewarp.start, curve.timewarp.end, 50)
    mine, theirs = curve.timewarp.frames(u).T
    truth = np.interp(theirs, frames, warped)
    assert np.abs(mine - truth).max() < 1.5
    turn = curve.alignment.at(u).angle[:, 1 - curve.reference]
    assert np.abs(np.abs(np.sin(turn)) - np.sin(0.7)).max() < 0.05
    # Both are one motion, so that any blend of them is that motion.
    blended = mw.blend(curve, [0.5, 0.5], clean=False)
    assert isinstance(blended, mw.Markers)
    assert blended.labels == one.labels
    height = 1000.0 * walk.skeleton.height
    alone = mw.blend(curve, [1.0, 0.0], clean=False)
    assert len(alone) == len(one)
    assert np.abs(alone.points - one.points).max() < 1e-3 * height
    theirs_alone = mw.blend(curve, [0.0, 1.0], clean=False)
    start = one.points[0].mean(axis=0) - theirs_alone.points[0].mean(axis=0)
    assert np.abs(start).max() < 0.02 * height
    assert np.linalg.norm(np.diff(blended.points, axis=0), axis=-1).max() < 1.3 * max(
        np.linalg.norm(np.diff(clip.points, axis=0), axis=-1).max() for clip in (one, two)
    )
    # Limbs keep their lengths, as both clips hold them alike.
    knee, ankle = (one.labels.index(name) for name in walk.skeleton.names[1:3])
    lengths = np.linalg.norm(blended.points[:, knee] - blended.points[:, ankle], axis=-1)
    assert np.ptp(lengths) < 0.05 * lengths.mean()


def test_sets_of_other_order_and_size(tmp_path: Path) -> None:
    walk = samples.sample("walk")
    one = _recorded(tmp_path / "one.c3d", walk)
    other = one.only(one.labels[::-1][:-2])
    curve = mw.register(one, other)
    assert curve.motions[0].labels == curve.motions[1].labels
    assert len(curve.motions[0].labels) == len(one.labels) - 2
    few = one.only(one.labels[:2])
    with pytest.raises(mw.RegistrationError, match="2 markers in common"):
        mw.register(one, few)


def test_where_a_skeleton_is_needed(tmp_path: Path) -> None:
    walk = samples.sample("walk")
    markers = _recorded(tmp_path / "walk.c3d", walk)
    with pytest.raises(mw.FormatError, match="a skeleton is needed here; load_markers reads it"):
        mw.load(tmp_path / "walk.c3d")
    with pytest.raises(mw.FormatError, match="cannot be written"):
        mw.save(walk, tmp_path / "out.c3d")
    mw.save(walk, tmp_path / "walk.bvh")
    with pytest.raises(mw.FormatError, match=r"markers are read from \.c3d"):
        mw.load_markers(tmp_path / "walk.bvh")
    with pytest.raises(mw.RegistrationError, match="cannot be registered with each other"):
        mw.register(markers, walk)
    with pytest.raises(mw.RegistrationError, match="need a skeleton"):
        mw.register(markers, markers, ends="cyclic")
    curve = mw.register(markers, markers)
    with pytest.raises(mw.BlendError, match="need a skeleton"):
        mw.blend(curve, [1, 1], direction="backward")


def test_markers_that_cannot_be() -> None:
    points = np.zeros((2, 3, 3))
    with pytest.raises(mw.MotionError, match="expected shape"):
        mw.Markers(("a",), points, 100.0)
    with pytest.raises(mw.MotionError, match="unique"):
        mw.Markers(("a", "a", "b"), points, 100.0)
    with pytest.raises(mw.MotionError, match="frame rate"):
        mw.Markers(("a", "b", "c"), points, 0.0)
    with pytest.raises(mw.MotionError, match="finite"):
        mw.Markers(("a", "b", "c"), points + np.inf, 100.0)
    clip = mw.Markers(("a", "b", "c"), points, 100.0)
    with pytest.raises(mw.MotionError, match="no marker 'd'"):
        clip.only(["d"])
    assert clip[::2].fps == 50.0


# Broken files


@pytest.mark.parametrize("data", [b"", b"x" * 100, b"x" * 2000, b"\x02\x50" + bytes(510)])
def test_what_is_no_c3d(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.c3d").write_bytes(data)
    with pytest.raises(mw.FormatError):
        mw.load_markers(tmp_path / "a.c3d")


def test_damaged_files(tmp_path: Path) -> None:
    """Some of these crash the library that reads C3D, and only it."""
    points = np.random.default_rng(0).normal(size=(9, 4, 3))
    _write(tmp_path / "whole.c3d", list("abcd"), points, 60.0)
    data = (tmp_path / "whole.c3d").read_bytes()
    for seed in range(8):
        rng = np.random.default_rng(seed)
        cut = int(rng.choice([64, 1024, len(data)]))
        (tmp_path / "broken.c3d").write_bytes(damaged(data[:cut], rng) + data[cut:])
        with contextlib.suppress(mw.FormatError):
            mw.load_markers(tmp_path / "broken.c3d")
