"""What the browser is sent."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest

from motionweave.body.size import body_height
from motionweave.core.motion import Motion
from motionweave.core.skeleton import Skeleton
from motionweave.samples.clips import sample
from motionweave.studio.payload import HEIGHT, PayloadStore, pack


def unpacked(payload: bytes) -> tuple[dict, np.ndarray]:
    (length,) = struct.unpack_from("<I", payload)
    header = json.loads(payload[4 : 4 + length])
    assert (4 + length) % 4 == 0
    rows = np.frombuffer(payload, "<f4", offset=4 + length)
    return header, rows.reshape(header["frames"], header["points"] + len(header["soles"]), 3)


def test_joints_come_first_and_are_scaled_to_a_persons_height() -> None:
    walk = sample("walk")
    header, points = unpacked(pack(walk))
    scale = HEIGHT / body_height(walk.skeleton)
    joints = len(walk.skeleton)
    np.testing.assert_allclose(points[:, :joints], walk.positions() * scale, atol=1e-5)
    assert header["unit"] == pytest.approx(1 / scale)
    big, _ = unpacked(pack(walk.scaled(100.0)))
    np.testing.assert_allclose(unpacked(pack(walk.scaled(100.0)))[1], points, atol=1e-4)
    assert big["unit"] == pytest.approx(100.0 / scale)


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
    assert store.get(key) == pack(walk)
    for _ in range(80):
        store.key_of(walk[:3])
    assert store.get(key) is None
    assert store.key_of(walk) != key
    assert store.get("nonsense") is None
