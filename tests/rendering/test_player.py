"""The page of the player, as text; `tests/browser` opens it."""

from __future__ import annotations

import base64
import html
import json
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.cli.main import main


def data_in(page: str) -> dict:  # type: ignore[type-arg]
    found = re.search(r'getElementById\("player"\), (\{.*\})\);\n</script>', page)
    assert found is not None
    return json.loads(found.group(1))  # type: ignore[no-any-return]


def test_points_are_kept_to_a_fraction_of_a_millimetre() -> None:
    walk = mw.sample("walk")
    body = data_in(mw.player(walk).page)["bodies"][0]
    roots = np.frombuffer(base64.b64decode(body["roots"]), "<f4").reshape(-1, 3)
    points = np.frombuffer(base64.b64decode(body["points"]), "<i2")
    points = points.reshape(body["frames"], body["count"], 3) * body["scale"] + roots[:, None]
    np.testing.assert_allclose(roots, walk.root, atol=1e-6)
    # Every joint that carries a capsule is there.
    head = walk.positions()[:, walk.skeleton.index("LeftHand")]
    assert np.linalg.norm(points - head[:, None], axis=-1).min(axis=1).max() < 1e-4


def test_nothing_is_fetched(tmp_path: Path) -> None:
    mw.render(mw.sample("walk"), tmp_path / "walk.html", size=(320, 180))
    page = (tmp_path / "walk.html").read_text(encoding="utf-8")
    assert not re.search(r"https?:|src=|href=|import ", page)
    assert len(page) < 120_000


def test_joints_that_leave_trails_are_in_the_page() -> None:
    walk = mw.sample("walk")
    data = data_in(mw.player(walk, trails=["right_hand", "Head", "left_foot"]).page)["bodies"][0]
    roots = np.frombuffer(base64.b64decode(data["roots"]), "<f4").reshape(-1, 3)
    points = np.frombuffer(base64.b64decode(data["points"]), "<i2")
    points = points.reshape(data["frames"], data["count"], 3) * data["scale"] + roots[:, None]
    joints = [walk.skeleton.index(name) for name in ("RightHand", "Head", "LeftFoot")]
    np.testing.assert_allclose(points[:, data["trailed"]], walk.positions()[:, joints], atol=1e-4)
    assert data_in(mw.player(walk).page)["bodies"][0]["trailed"] == []


def test_options_that_do_not_apply_are_named(tmp_path: Path) -> None:
    jab = mw.sample("jab")[:4]
    with pytest.warns(mw.Notice, match="a page takes no rounds, ghosts, mesh: left out") as told:
        mw.render(jab, tmp_path / "a.html", rounds=2, ghosts=3, mesh="body.glb", trails=["hands"])
    assert len(told) == 1
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mw.render(jab, tmp_path / "a.html", mesh=False, loop=False, layout="overlay", fps=30)


def test_the_command_names_options_that_do_not_apply(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mw.save(mw.sample("jab")[:4], tmp_path / "jab.bvh")
    page = str(tmp_path / "a.html")
    words = ["render", str(tmp_path / "jab.bvh"), "-o", page, "--ghosts", "2", "--fps", "20"]
    assert main(words) == 0
    assert "a page takes no fps, ghosts: left out" in capsys.readouterr().err


def test_a_name_cannot_end_the_script() -> None:
    from dataclasses import replace

    motion = replace(mw.sample("jab"), name="</script><script>alert(1)</script>")
    assert "<script>alert" not in mw.player(motion).page


def test_motions_show_themselves() -> None:
    shown = mw.sample("jab")._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert "motionweavePlayer" in html.unescape(shown)


def test_curve_shows_its_grid() -> None:
    pytest.importorskip("matplotlib")
    curve = mw.register(mw.sample("walk"), mw.sample("jog"))
    picture = curve._repr_png_()
    assert picture is not None
    assert picture[:4] == b"\x89PNG"


def test_what_cannot_be() -> None:
    with pytest.raises(mw.MotionError, match="no motion"):
        mw.player([])
    with pytest.raises(mw.MotionError, match="2 labels for 1 motions"):
        mw.player(mw.sample("jab"), labels=["a", "b"])
