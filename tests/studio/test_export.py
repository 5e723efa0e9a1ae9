"""Results as files that the browser downloads."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest

from motionweave.samples.clips import sample
from motionweave.studio import export

STEP = replace(sample("walk")[:4], name="a step / 50 %")


def test_what_most_people_want_comes_first_and_pictures_after_it() -> None:
    offered = list(export.choices())
    assert offered[:2] == [".bvh", ".glb"]
    assert offered.index(".html") < offered.index(".npz")
    assert len(set(export.choices().values())) == len(offered)


def test_a_page_plays_the_motion() -> None:
    data, name = export.to_file(STEP, ".html")
    assert name == export.file_name(STEP, ".html") == "a_step_50.html"
    assert b"<canvas" in data or b"<script" in data


def test_a_moving_picture_has_the_frames_of_the_motion() -> None:
    image = pytest.importorskip("PIL.Image")
    data, name = export.to_file(STEP, ".gif")
    assert name == "a_step_50.gif"
    with image.open(io.BytesIO(data)) as picture:
        assert picture.n_frames == len(STEP)
