"""Any skeleton, any channels, any motion: what is written is what is read again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import motionweave as mw
from motionweave import samples
from motionweave.core import rotations
from motionweave.io.bvh.channels import decode
from tests.strategies import motions, random_motion, random_skeleton

_settings = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
_ROTATIONS = ["Xrotation", "Yrotation", "Zrotation"]
_POSITIONS = ["Xposition", "Yposition", "Zposition"]


@st.composite
def _channels(draw: st.DrawFn, joints: int) -> tuple[tuple[str, ...], ...]:
    rows = []
    for joint in range(joints):
        turn = draw(st.lists(st.sampled_from(_ROTATIONS), unique=True, max_size=3))
        place = draw(st.lists(st.sampled_from(_POSITIONS), unique=True, max_size=3))
        if joint == 0 and not turn and not place:
            turn = ["Yrotation"]
        rows.append(tuple(draw(st.permutations(turn + place))))
    return tuple(rows)


def _text(skeleton: mw.Skeleton, channels: tuple[tuple[str, ...], ...], values: np.ndarray) -> str:
    """A BVH file, written the plain recursive way."""

    def joint(index: int, word: str) -> list[str]:
        lines = [f"{word} {skeleton.names[index]}", "{"]
        lines.append("OFFSET " + " ".join(map(repr, skeleton.offsets[index].tolist())))
        lines.append(f"CHANNELS {len(channels[index])} {' '.join(channels[index])}")
        for end, parent in enumerate(skeleton.end_parents):
            if parent == index:
                offset = " ".join(map(repr, skeleton.end_offsets[end].tolist()))
                lines += ["End Site", "{", f"OFFSET {offset}", "}"]
        for child in skeleton.children[index]:
            lines += joint(child, "JOINT")
        return [*lines, "}"]

    rows = [" ".join(map(repr, row)) for row in values.tolist()]
    head = ["MOTION", f"Frames: {len(values)}", "Frame Time: 0.02"]
    return "\n".join(["HIERARCHY", *joint(0, "ROOT"), *head, *rows])


def _depth_first(skeleton: mw.Skeleton) -> list[int]:
    def below(joint: int) -> list[int]:
        return [joint] + [one for child in skeleton.children[joint] for one in below(child)]

    return below(0)


@_settings
@given(st.data())
def test_any_channels_come_back(tmp_path: Path, data: st.DataObject) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    skeleton = random_skeleton(rng, data.draw(st.integers(1, 6)))
    channels = data.draw(_channels(len(skeleton)))
    order = _depth_first(skeleton)
    columns = sum(len(row) for row in channels)
    smooth = np.cumsum(rng.uniform(-90, 90, (5, columns)), axis=0) + rng.uniform(-400, 400, columns)
    path = tmp_path / "clip.bvh"
    path.write_text(_text(skeleton, channels, smooth))
    up = data.draw(st.sampled_from(["y", "z"]))
    once = mw.load(path, contacts=False, up=up)
    assert once.source["channels"] == tuple(channels[joint] for joint in order)
    mw.save(once, tmp_path / "again.bvh")
    again = mw.load(tmp_path / "again.bvh", contacts=False, up=up)
    assert again.source["channels"] == once.source["channels"]
    assert again.source["frame_time"] == "0.02"
    assert again.skeleton == once.skeleton
    np.testing.assert_array_equal(again.source["values"], smooth)
    np.testing.assert_allclose(again.positions(), once.positions(), atol=1e-9)


def _ends(skeleton: mw.Skeleton) -> set[tuple[str, tuple[float, ...]]]:
    return {
        (skeleton.names[joint], tuple(offset))
        for joint, offset in zip(skeleton.end_parents, skeleton.end_offsets.tolist(), strict=True)
    }


@_settings
@given(motions(), st.sampled_from(["y", "z"]), st.booleans())
def test_motions_from_elsewhere(tmp_path: Path, motion: mw.Motion, up: str, slides: bool) -> None:
    if slides:
        rng = np.random.default_rng(len(motion))
        sliding = motion.skeleton.offsets + rng.normal(size=(len(motion), len(motion.skeleton), 3))
        motion = mw.Motion(
            motion.skeleton, motion.fps, motion.root, motion.rotations, translations=sliding
        )
    path = tmp_path / "clip.bvh"
    mw.save(motion, path, up=up)
    read = mw.load(path, contacts=False, up=up)
    by_name = [read.skeleton.index(name) for name in motion.skeleton.names]
    height = motion.skeleton.height
    np.testing.assert_allclose(
        read.positions()[:, by_name], motion.positions(), atol=1e-6 * max(height, 1.0)
    )
    assert _ends(read.skeleton) == _ends(motion.skeleton)
    assert read.fps == motion.fps


@_settings
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.001, 0.02, 1.0, 170.0, 30000.0]))
def test_lengths_are_exact_in_any_unit(tmp_path: Path, seed: int, unit: float) -> None:
    motion = random_motion(np.random.default_rng(seed), 5, 4).scaled(unit)
    mw.save(motion, tmp_path / "clip.bvh")
    read = mw.load(tmp_path / "clip.bvh", contacts=False, up="y")
    by_name = [read.skeleton.index(name) for name in motion.skeleton.names]
    np.testing.assert_array_equal(read.skeleton.offsets[by_name], motion.skeleton.offsets)
    apart = np.abs(read.positions()[:, by_name] - motion.positions()).max()
    assert apart < 1e-6 * motion.skeleton.height


@given(st.integers(0, 2**32 - 1))
def test_angles_written_are_continuous(seed: int) -> None:
    from motionweave.io.bvh.channels import DEFAULT_ROTATION, PoseArrays, encode

    rng = np.random.default_rng(seed)
    # Turning steadily, several times round, through every orientation.
    axis = rotations.normalize(rng.normal(size=(1, 4)))[:, :3]
    angle = np.linspace(0.0, 20.0, 400)[:, None]
    turning = rotations.multiply(
        rotations.exp(angle * axis), rotations.exp(rng.normal(size=(1, 3)))
    )[:, None]
    pose = PoseArrays(np.zeros((400, 3)), turning, None)
    values = encode((DEFAULT_ROTATION,), pose, np.zeros((1, 3)), 1.0)
    assert np.abs(np.diff(values, axis=0)).max() <= 180.0
    back = decode((DEFAULT_ROTATION,), np.zeros((1, 3)), 1.0, values)
    assert rotations.angle_between(back.rotations, turning).max() < np.radians(1e-5)


def test_decoding_agrees_with_plain_products() -> None:
    rng = np.random.default_rng(0)
    for order in ("XYZ", "ZXY", "YX", "Z", "ZXZ"):
        row = tuple(f"{letter}rotation" for letter in order)
        values = rng.uniform(-720, 720, (20, len(order)))
        pose = decode((row,), np.zeros((1, 3)), 1.0, values)
        expected = rotations.from_euler(np.radians(values), order)
        assert rotations.angle_between(pose.rotations[:, 0], expected).max() < 1e-12


@pytest.mark.parametrize("name", samples.names())
def test_built_in_clips_stay_compatible_with_themselves(tmp_path: Path, name: str) -> None:
    clip = samples.sample(name)
    mw.save(clip, tmp_path / "clip.bvh")
    read = mw.load(tmp_path / "clip.bvh")
    assert read.skeleton == clip.skeleton
    assert read.fps == clip.fps
    assert np.abs(read.positions() - clip.positions()).max() < 1e-6 * clip.skeleton.height
    assert len(read.constraints) == len(clip.constraints)
    assert np.abs(np.diff(read.source["values"], axis=0)).max() <= 180.0
