"""What the browser is sent."""

from __future__ import annotations

import json
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from motionweave.body.rig.roles import find_rig
from motionweave.body.size import body_height
from motionweave.clips import load
from motionweave.core.motion import Motion
from motionweave.core.skeleton import Skeleton
from motionweave.samples.clips import sample
from motionweave.studio.view.payload import HEIGHT, PayloadStore, floor_of, pack, scale_of, stature


def unpacked(payload: bytes) -> tuple[dict, np.ndarray]:
    (length,) = struct.unpack_from("<I", payload)
    header = json.loads(payload[4 : 4 + length])
    assert (4 + length) % 4 == 0
    rows = np.frombuffer(payload, "<f4", offset=4 + length)
    return header, rows.reshape(header["frames"], header["points"] + len(header["soles"]), 3)


def test_joints_come_first_in_metres() -> None:
    walk = sample("walk")
    header, points = unpacked(pack(walk))
    scale = 1.0
    joints = len(walk.skeleton)
    np.testing.assert_allclose(points[:, :joints], walk.positions() * scale, atol=1e-5)
    assert header["unit"] == pytest.approx(1 / scale)
    big, _ = unpacked(pack(walk.scaled(100.0)))
    np.testing.assert_allclose(unpacked(pack(walk.scaled(100.0)))[1], points, atol=1e-4)
    assert big["unit"] == pytest.approx(100.0 / scale)


@pytest.mark.parametrize("unit", [1.0, 10.0, 100.0, 1000.0, 1 / 0.3048, 1 / 0.0254, 0.45 / 0.0254])
def test_a_body_is_shown_as_tall_as_it_is_in_any_unit(unit: float) -> None:
    walk = sample("walk")
    assert scale_of(walk.scaled(unit)) == pytest.approx(1.0 / unit)


def test_a_body_of_no_known_unit_is_as_tall_as_a_person() -> None:
    walk = sample("walk").scaled(4.3)
    assert scale_of(walk) * body_height(walk.skeleton) == pytest.approx(HEIGHT)


def test_a_body_whose_joints_end_below_the_skull_is_taken_for_no_dwarf() -> None:
    """Without anything above the head's joint a person of 1.5 m seems to be one of 1.3 m."""
    walk = sample("walk")
    head = find_rig(walk.skeleton).roles["head"]
    ends = walk.skeleton.end_parents
    offsets = walk.skeleton.end_offsets[ends != head]
    bare = replace(walk.skeleton, end_parents=ends[ends != head], end_offsets=offsets)
    small = replace(walk, skeleton=bare).scaled(100.0 * 1.3 / body_height(bare))
    assert scale_of(small) == pytest.approx(0.01)
    assert stature(small.skeleton) == pytest.approx(130.0 / 0.88)


def test_a_body_stands_on_the_floor_wherever_its_file_has_it() -> None:
    walk = sample("walk")
    buried = replace(walk, root=walk.root - [0.0, 0.7, 0.0])
    assert floor_of(buried) == pytest.approx(floor_of(walk) - 0.7, abs=1e-6)
    store = PayloadStore()
    header, points = unpacked(store.get(store.key_of(buried)))
    assert points[..., 1].min() == pytest.approx(0.0, abs=0.03)
    assert header["floor"] == pytest.approx(floor_of(buried))


@pytest.mark.wild
def test_bodies_of_all_sources_stand_on_the_floor_and_are_as_tall_as_people(
    wild: Path,
) -> None:
    for source in sorted(folder for folder in wild.iterdir() if folder.is_dir()):
        files = sorted(source.glob("*.bvh"), key=lambda path: path.stat().st_size)
        motion = load(files[0])
        store = PayloadStore()
        header, points = unpacked(store.get(store.key_of(motion)))
        assert 1.4 <= header["height"] <= 2.0, files[0]
        # What is drawn in most frames: neither in the floor nor above it, and no giant.
        low, high = points[..., 1].min(axis=1), points[..., 1].max(axis=1)
        assert abs(np.median(low)) < 0.15, (files[0], np.median(low))
        assert 0.4 < np.median(high - low) < 2.5, (files[0], np.median(high - low))


def test_any_skeleton_can_be_shown() -> None:
    snake = Skeleton(
        ("a", "b", "c"), np.array([-1, 0, 1]), np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0]])
    )
    still = Motion(snake, 30.0, np.zeros((4, 3)), np.tile([0.0, 0.0, 0.0, 1.0], (4, 3, 1)))
    header, points = unpacked(pack(still))
    assert header["body"]["torso"] is None
    assert header["soles"] == []
    assert np.isfinite(points).all()


def test_a_motion_is_packed_once_and_old_ones_go() -> None:
    store = PayloadStore()
    walk = sample("walk")
    key = store.key_of(walk)
    assert store.key_of(walk) == key
    assert store.get(key) == pack(walk, floor_of(walk))
    for _ in range(80):
        store.key_of(walk[:3])
    assert store.get(key) is None
    assert store.key_of(walk) != key
    assert store.get("nonsense") is None
