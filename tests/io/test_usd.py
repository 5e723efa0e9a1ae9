"""USD: what is written is read again; skeletons that stand elsewhere; broken files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import motionweave as mw
from motionweave import samples
from motionweave.core import rotations
from tests.io.files import apart, damaged, only_format_errors, sliding
from tests.strategies import motions, random_motion, random_quaternions

pytest.importorskip("pxr")
# Each file is read in a process of its own, which takes its time to start.
_settings = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=4)


@_settings
@given(
    motions(),
    st.sampled_from([".usda", ".usdc", ".usd", ".usdz"]),
    st.sampled_from("yz"),
    st.booleans(),
)
def test_motions_come_back(
    tmp_path: Path, motion: mw.Motion, suffix: str, up: str, slides: bool
) -> None:
    motion = sliding(motion) if slides else motion
    path = tmp_path / f"clip{suffix}"
    mw.save(motion, path, up=up)
    read = mw.load(path, contacts=False)
    assert read.skeleton.names == motion.skeleton.names
    np.testing.assert_array_equal(read.skeleton.parents, motion.skeleton.parents)
    assert apart(motion, read) < 1e-5
    assert read.fps == motion.fps
    assert read.source["up"] == up
    if len(motion) > 1 or not slides:
        np.testing.assert_allclose(read.skeleton.offsets, motion.skeleton.offsets, atol=1e-12)
        assert (read.translations is None) == (not slides or len(motion.skeleton) == 1)


@_settings
@given(motions(min_frames=2), st.integers(0, 2**32 - 1), st.sampled_from("yz"))
def test_joints_that_are_turned_at_rest(
    tmp_path: Path, motion: mw.Motion, seed: int, up: str
) -> None:
    from dataclasses import replace

    turned = random_quaternions(np.random.default_rng(seed), len(motion.skeleton))
    source = {
        "format": "USD",
        "joints": motion.skeleton.names,
        "rest_orientations": turned,
        "up": up,
    }
    mw.save(replace(motion, source=source), tmp_path / "a.usda")
    read = mw.load(tmp_path / "a.usda", contacts=False)
    assert apart(motion, read) < 1e-5
    np.testing.assert_allclose(read.skeleton.offsets, motion.skeleton.offsets, atol=1e-6)
    kept = rotations.angle_between(read.source["rest_orientations"], turned)
    assert kept.max() < 1e-6
    mw.save(read, tmp_path / "b.usda")
    again = mw.load(tmp_path / "b.usda", contacts=False)
    assert apart(motion, again) < 1e-5
    assert rotations.angle_between(again.source["rest_orientations"], turned).max() < 1e-6


@pytest.mark.mocap
def test_real_clips_by_way_of_usd(mocap: Path, tmp_path: Path) -> None:
    paths = sorted((mocap / "bvh").glob("*.bvh"))
    assert len(paths) == 70
    for path in paths[::10]:
        clip = mw.load(path, contacts=False)[::16]
        mw.save(clip, tmp_path / "clip.usdc")
        read = mw.load(tmp_path / "clip.usdc", contacts=False)
        mw.save(read, tmp_path / "clip.bvh")
        again = mw.load(tmp_path / "clip.bvh", contacts=False)
        assert again.skeleton.names == clip.skeleton.names
        assert again.fps == clip.fps
        assert apart(clip, again) < 1e-5, path.name


def test_names_that_usd_does_not_allow(tmp_path: Path) -> None:
    from dataclasses import replace

    motion = random_motion(np.random.default_rng(0), 3, 4)
    names = ("mixamorig:Hips", "left leg", "left_leg", "尾")
    odd = replace(motion, skeleton=replace(motion.skeleton, names=names))
    mw.save(odd, tmp_path / "clip.usda")
    read = mw.load(tmp_path / "clip.usda", contacts=False)
    assert read.skeleton.names == names
    assert apart(odd, read) < 1e-5


def test_the_stage_says_what_others_need(tmp_path: Path) -> None:
    from pxr import Usd, UsdGeom, UsdSkel

    clip = samples.sample("walk").scaled(100.0)
    mw.save(clip, tmp_path / "clip.usdc", up="z")
    stage = Usd.Stage.Open(str(tmp_path / "clip.usdc"))
    assert UsdGeom.GetStageMetersPerUnit(stage) == 0.01
    assert UsdGeom.GetStageUpAxis(stage) == "Z"
    assert stage.GetTimeCodesPerSecond() == clip.fps
    assert stage.GetEndTimeCode() == len(clip) - 1
    root = UsdSkel.Root(stage.GetDefaultPrim())
    cache = UsdSkel.Cache()
    assert cache.Populate(root, Usd.PrimDefaultPredicate)
    bindings = cache.ComputeSkelBindings(root, Usd.PrimDefaultPredicate)
    assert len(bindings) == 1
    assert len(bindings[0].GetSkinningTargets()) == 3, "left, right and middle of the body"
    query = cache.GetSkelQuery(bindings[0].GetSkeleton())
    frame = len(clip) // 2
    seen = np.array(query.ComputeJointSkelTransforms(Usd.TimeCode(frame)))[:, 3, :3]
    upright = np.stack([seen[:, 0], seen[:, 2], -seen[:, 1]], axis=1)
    assert np.abs(upright - clip.positions()[frame]).max() < 1e-5 * clip.skeleton.height


def test_where_the_skeleton_stands_counts(tmp_path: Path) -> None:
    from pxr import Gf, Usd, UsdGeom

    clip = samples.sample("walk")
    mw.save(clip, tmp_path / "clip.usda")
    stage = Usd.Stage.Open(str(tmp_path / "clip.usda"))
    place = UsdGeom.Xformable(stage.GetDefaultPrim())
    place.AddTranslateOp().Set(Gf.Vec3d(1, 0, 2))
    place.AddRotateYOp().Set(90.0)
    place.AddScaleOp().Set(Gf.Vec3f(2, 2, 2))
    stage.Export(str(tmp_path / "placed.usda"))
    read = mw.load(tmp_path / "placed.usda", contacts=False)
    expected = 2.0 * clip.positions()[..., [2, 1, 0]] * [1, 1, -1] + [1, 0, 2]
    np.testing.assert_allclose(read.positions(), expected, atol=1e-5)
    # The rest pose is the placed one, and is not turned.
    assert read.skeleton.height == pytest.approx(2.0 * clip.skeleton.height, rel=0.1)


def test_a_file_of_the_same_name_is_read_anew(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for frames in (3, 5):
        mw.save(random_motion(rng, frames, 3), tmp_path / "clip.usdc")
        assert len(mw.load(tmp_path / "clip.usdc", contacts=False)) == frames


def test_sampling_and_stages_without_skeletons(tmp_path: Path) -> None:
    clip = samples.sample("walk")
    mw.save(clip, tmp_path / "clip.usdc")
    finer = mw.load(tmp_path / "clip.usdc", contacts=False, rate=2 * clip.fps)
    assert finer.fps == 2 * clip.fps
    assert len(finer) == 2 * len(clip) - 1
    assert np.abs(finer.positions()[::2] - clip.positions()).max() < 1e-5
    (tmp_path / "empty.usda").write_text("#usda 1.0\n")
    with pytest.raises(mw.FormatError, match="cannot be read as a USD file: there is no skeleton"):
        mw.load(tmp_path / "empty.usda")
    (tmp_path / "text.usda").write_text("not USD")
    with pytest.raises(mw.FormatError, match="cannot be read as a USD file"):
        mw.load(tmp_path / "text.usda")
    (tmp_path / "binary.usdc").write_bytes(bytes(range(256)))
    with pytest.raises(mw.FormatError, match="cannot be read as a USD file"):
        mw.load(tmp_path / "binary.usdc")


def test_packages_are_what_usd_expects_and_broken_ones_are_refused(tmp_path: Path) -> None:
    import zipfile

    from pxr import Usd

    clip, path = samples.sample("walk"), tmp_path / "clip.usdz"
    mw.save(clip, path)
    assert Usd.Stage.Open(str(path)).GetEndTimeCode() == len(clip) - 1
    with zipfile.ZipFile(path) as packed:
        (member,) = packed.infolist()
        # Phones map the stage into memory as it is: not compressed, at a multiple of 64 bytes.
        assert member.compress_type == zipfile.ZIP_STORED
        head = path.read_bytes()[member.header_offset :][:30]
        lengths = int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little")
        assert (member.header_offset + 30 + lengths) % 64 == 0
    # A stage that refers to another layer of its package.
    layers = tmp_path / "layers.usdz"
    with zipfile.ZipFile(path) as packed, zipfile.ZipFile(layers, "w") as made:
        made.writestr("stage.usda", "#usda 1.0\n(subLayers = [@parts/body.usdc@])\n")
        made.writestr("parts/body.usdc", packed.read(packed.namelist()[0]))
    assert len(mw.load(layers, contacts=False)) == len(clip)
    for members, reason in (
        ({"photo.png": b""}, "no stage"),
        ({"../stage.usda": b"#usda 1.0"}, "leads out of the package"),
        ({"stage.usda": b"not USD"}, "bad.usdz: it cannot be read as a USDZ package"),
        ({"stage.usdc": b"PXR-USDC" + bytes(80)}, "broken or cut off"),
    ):
        with zipfile.ZipFile(tmp_path / "bad.usdz", "w") as made:
            for name, data in members.items():
                made.writestr(name, data)
        with pytest.raises(mw.FormatError, match=reason):
            mw.load(tmp_path / "bad.usdz")
    (tmp_path / "bad.usdz").write_bytes(path.read_bytes()[:-30])
    with pytest.raises(mw.FormatError, match="not a USDZ package"):
        mw.load(tmp_path / "bad.usdz")


@_settings
@given(st.integers(0, 2**32 - 1))
def test_damaged_text(tmp_path: Path, seed: int) -> None:
    whole = tmp_path / "whole.usda"
    if not whole.exists():
        mw.save(random_motion(np.random.default_rng(1), 3, 3), whole)
    data = whole.read_bytes()
    # The body is most of the file; what matters comes before it.
    head = data[: data.index(b"def Mesh")]
    rng = np.random.default_rng(seed)
    only_format_errors(mw.load, tmp_path / "broken.usda", damaged(head, rng) + b"}\n")


def test_damaged_binaries(tmp_path: Path) -> None:
    """What reads them is not Python, and may crash: there, not here."""
    mw.save(random_motion(np.random.default_rng(1), 3, 3), tmp_path / "whole.usdc")
    data = (tmp_path / "whole.usdc").read_bytes()
    for seed in range(6):
        broken = damaged(data, np.random.default_rng(seed))
        only_format_errors(mw.load, tmp_path / "broken.usdc", broken)
