"""Pose strips: what small figures are drawn from, and how a page gets them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("nicegui", reason="the studio is not installed")

import httpx
from fastapi import FastAPI

import motionweave as mw
from motionweave.core import rotations
from motionweave.core.planar import Planar
from motionweave.library.index.features import TRACKED
from motionweave.library.library import Library
from motionweave.studio.document.document import ShelfClip
from motionweave.studio.screens.library.model import LibrarySettings
from motionweave.studio.server.routes import add_routes
from motionweave.studio.view.payload import stature
from motionweave.studio.view.strips import POSES, UNIT, pose_strip, track_of
from motionweave.studio.workspace import Workspace


def poses_of(motion: mw.Motion) -> np.ndarray:
    """Points ``(poses, 19, 3)`` of the strip of a motion, in thousandths of the height."""
    return np.array(pose_strip(track_of(motion))["poses"]).reshape(-1, len(TRACKED) + 1, 3)


@pytest.mark.parametrize("name", ["walk", "jump", "kick_high", "reach_high", "dance_b"])
def test_all_of_the_body_is_in_the_picture_and_it_is_as_tall_as_it_is(name: str) -> None:
    motion = mw.sample(name)
    strip = pose_strip(track_of(motion))
    points = poses_of(motion)
    assert len(points) <= POSES
    left, bottom, right, top = strip["box"]
    assert np.all((points[..., 0] > left) & (points[..., 0] < right))
    assert np.all((points[..., 1] > bottom) & (points[..., 1] < top))
    assert points[:, strip["head"], 1].max() + strip["radius"] <= top
    # A standing body fits, however low this one stays; the height is that of its own bones.
    assert bottom <= 0 < UNIT <= top
    body = motion.skeleton
    thigh = np.linalg.norm(body.offsets[body.index("LeftLeg")])
    drawn = points[:, TRACKED.index("left_shin")] - points[:, TRACKED.index("left_thigh")]
    expected = UNIT * thigh / stature(body)
    np.testing.assert_allclose(np.linalg.norm(drawn, axis=1), expected, rtol=0.08)
    assert 0 <= strip["still"] < len(points)


def test_where_the_body_is_and_how_large_does_not_matter() -> None:
    motion = mw.sample("walk_left")
    moved = motion.moved(Planar(1.3, 4.0, -2.0)).scaled(100.0)
    np.testing.assert_allclose(poses_of(moved), poses_of(motion), atol=3)
    # It walks to the right of the picture, and the hips stay in its middle.
    points = poses_of(mw.sample("walk"))
    assert np.all(points[:, 0, [0, 2]] == 0)
    toe, ankle = (points[:, TRACKED.index(f"left_{part}"), 0] for part in ("toe", "ankle"))
    assert np.mean(toe - ankle) > 0.0


def test_a_long_clip_shows_its_liveliest_moment() -> None:
    still, punch = mw.sample("walk")[:1], mw.sample("punch")
    waiting = still.sample(np.zeros(300))
    parts = (waiting, punch, waiting)
    long = replace(
        punch,
        root=np.concatenate([part.root for part in parts]),
        rotations=np.concatenate([part.rotations for part in parts]),
        constraints=(),
    )
    points = poses_of(long)
    assert len(points) == POSES
    hand = points[:, [TRACKED.index(f"{side}_hand") for side in ("left", "right")]]
    expected = poses_of(punch)[:, [TRACKED.index(f"{s}_hand") for s in ("left", "right")]]
    reach = np.ptp(expected, axis=0).max()
    assert np.ptp(hand, axis=0).max() > 0.9 * reach


def test_a_t_pose_before_a_recording_is_not_its_liveliest_moment() -> None:
    walk = mw.sample("walk")
    rest = np.tile(rotations.IDENTITY, (1, len(walk.skeleton), 1))
    marked = replace(
        walk,
        root=np.concatenate([walk.root[:1], walk.root]),
        rotations=np.concatenate([rest, walk.rotations]),
        constraints=(),
    )
    np.testing.assert_allclose(poses_of(marked), poses_of(walk), atol=3)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("clips")
    for name in ("walk", "punch"):
        mw.save(mw.sample(name), place / f"{name}.npz")
    with Library(place) as library:
        library.add()
    return place


def test_the_page_gets_strips_of_the_shelf_and_of_the_folder_without_reading_files(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = Workspace.open()
    session = workspace.session
    rod = mw.Skeleton(("grip", "tip"), (-1, 0), [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    swung = mw.Motion(rod, 30.0, np.zeros((9, 3)), np.tile(rotations.IDENTITY, (9, 2, 1)))
    document = session.document.with_clip(ShelfClip("c99", "sword", swung))
    session.replace(document.with_settings("library", LibrarySettings(str(folder))))
    server = FastAPI()
    add_routes(server, workspace)

    def get(path: str) -> httpx.Response:
        async def asked() -> httpx.Response:
            line = httpx.ASGITransport(app=server)
            async with httpx.AsyncClient(transport=line, base_url="http://studio") as page:
                return await page.get(f"/strip/{path}")

        return asyncio.run(asked())

    shelf = get("shelf/c1")
    assert shelf.json() == pose_strip(track_of(document.clips[0].motion))
    assert len(shelf.content) < 8000

    def load(*args: object, **options: object) -> None:
        raise AssertionError("a list of hundreds must not read hundreds of files")

    monkeypatch.setattr(Library, "load", load)
    found = get("found?clip=walk.npz&first=30&last=60").json()
    expected = pose_strip(track_of(mw.sample("walk"))[30:61])
    np.testing.assert_allclose(found["poses"], expected["poses"], atol=2)
    # What has no picture is no error.
    for missing in ("shelf/c99", "shelf/c1000", "found?clip=../walk.npz&first=0&last=9"):
        assert get(missing).status_code == 204
    session.replace(document)
    assert get("found?clip=walk.npz&first=0&last=9").status_code == 204
