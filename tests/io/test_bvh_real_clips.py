"""Every real clip loads, and comes back from a file as it went in."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.body.pose.tpose import tpose_frames


@pytest.mark.mocap
def test_every_clip_round_trips(mocap: Path, tmp_path: Path) -> None:
    with (mocap / "catalog.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["file"].endswith(".bvh")]
    assert len(rows) == 70
    for row in rows:
        once = mw.load(mocap / row["file"], contacts=False)
        mw.save(once, tmp_path / "again.bvh")
        again = mw.load(tmp_path / "again.bvh", contacts=False)
        assert len(once) == int(row["frames"])
        assert once.fps == again.fps == 120.0
        assert again.source["frame_time"] == row["frame_time"]
        assert again.source["channels"] == once.source["channels"]
        assert again.source["end_names"] == once.source["end_names"]
        assert again.skeleton == once.skeleton
        assert once.source["up"] == "y"
        assert tpose_frames(once) == int(row["tpose_frame0"] == "yes"), row["file"]
        given, written = once.source["values"], again.source["values"]
        # Full turns between frames are taken out, everything else stays.
        apart = np.mod(given - written + 180.0, 360.0) - 180.0
        assert np.abs(apart).max() < 1e-5, row["file"]
        assert np.abs(np.diff(written[:, 3:], axis=0)).max() <= 180.0, row["file"]
        moved = np.abs(once.positions() - again.positions()).max()
        assert moved < 1e-6 * once.skeleton.height, row["file"]
