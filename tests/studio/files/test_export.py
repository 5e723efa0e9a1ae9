"""Results as files that the browser downloads."""

from __future__ import annotations

import importlib.util
import io
import zipfile
from dataclasses import replace

import pytest

from motionweave.io.registry import formats
from motionweave.samples.clips import sample
from motionweave.studio.files import export

STEP = replace(sample("walk")[:4], name="a step / 50 %")


def suffixes(offered: export.Choices) -> list[str]:
    return [
        suffix
        for one in offered.values()
        for suffix in ([one] if isinstance(one, str) else suffixes(one))
    ]


def test_what_most_people_want_comes_first_and_pictures_after_it() -> None:
    offered = list(export.choices().values())
    assert offered[:3] == [".bvh", ".glb", ".fbx"]
    assert offered.index(".html") < offered.index(".npz")


def test_every_format_is_offered_once_and_has_all_its_suffixes() -> None:
    offered = export.choices()
    written = [
        one
        for one in formats()
        if one.write is not None and all(importlib.util.find_spec(m) for m in one.modules)
    ]
    for one in written:
        rows = [label for label in offered if label.split(" (")[0] == one.name]
        # The usual suffix of glTF is offered before all others, and the other one beside them.
        assert len(rows) == (2 if one.name == "glTF" else 1)
    assert len(set(suffixes(offered))) == len(suffixes(offered))
    pytest.importorskip("pxr")
    usd = offered["USD"]
    assert isinstance(usd, dict)
    assert list(usd.values()) == [".usdc", ".usda", ".usd", ".usdz"]


def test_a_skeleton_and_its_take_are_one_archive() -> None:
    assert ".asf" not in suffixes(export.choices())
    data, name = export.to_file(STEP, ".amc")
    assert name == "a_step_50.zip"
    assert set(zipfile.ZipFile(io.BytesIO(data)).namelist()) == {"a_step_50.amc", "a_step_50.asf"}


def test_a_page_plays_the_motion() -> None:
    data, name = export.to_file(STEP, ".html")
    assert name == export.file_name(STEP, ".html") == "a_step_50.html"
    assert b"<canvas" in data or b"<script" in data


def test_a_moving_picture_has_the_frames_of_the_motion(monkeypatch: pytest.MonkeyPatch) -> None:
    image = pytest.importorskip("PIL.Image")
    # Colours are chosen by looking at all pixels, of which a small picture has as many as it needs.
    monkeypatch.setattr(export, "_SIZE", (160, 90))
    data, name = export.to_file(STEP, ".gif")
    assert name == "a_step_50.gif"
    with image.open(io.BytesIO(data)) as picture:
        assert picture.n_frames == len(STEP)
        assert picture.size == (160, 90)
