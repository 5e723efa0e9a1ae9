"""Pictures are decoded and looked at: the body is where the joints are."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.cli.main import main
from motionweave.rendering import encode
from motionweave.rendering.camera import place_camera
from motionweave.rendering.figure import make_figure
from motionweave.rendering.frames import Film
from motionweave.rendering.look import scene

image = pytest.importorskip("PIL.Image")
ffmpeg = pytest.importorskip("imageio_ffmpeg")

SIZE = (160, 90)


def video(path: Path) -> np.ndarray:
    """Frames ``(T, h, w, 3)`` of a video."""
    frames = ffmpeg.read_frames(str(path))
    told = next(frames)
    wide, high = told["size"]
    return np.stack([np.frombuffer(one, np.uint8).reshape(high, wide, 3) for one in frames])


def film(motion: mw.Motion, camera: str = "follow", **options: object) -> Film:
    figure = make_figure(motion, 30.0, 1.0)
    seen = place_camera(
        [figure.motion], [figure.points], figure.floor, len(figure), 30.0,
        camera=camera, aspect=SIZE[0] / SIZE[1], **options,  # type: ignore[arg-type]
    )  # fmt: skip
    return Film([figure], seen, scene("transparent"), 30.0, *SIZE)


def spot(one: Film, frame: int, point: np.ndarray) -> tuple[float, float]:
    """Column and row of a point of the world."""
    right, up, ahead = one.camera.axes(frame)
    way = point - one.camera.eyes[frame]
    size = one.camera.focal * one.height / float(way @ ahead)
    return 0.5 * one.width + size * float(way @ right), 0.5 * one.height - size * float(way @ up)


def body(picture: np.ndarray) -> np.ndarray:
    """Where something coloured or dark is, ``(h, w)``."""
    tone = picture[..., :3].astype(int)
    return (np.ptp(tone, axis=-1) > 40) | (tone.max(axis=-1) < 150)


@pytest.mark.parametrize("camera", ["follow", "fixed", "orbit"])
def test_the_body_is_where_its_joints_are(camera: str) -> None:
    walk = replace(mw.sample("walk"), constraints=())
    one = film(walk, camera)
    for frame in (0, 40, len(one) - 1):
        alpha = one.draw(frame)[..., 3]
        for joint in one.figures[0].motion.positions()[frame]:
            column, row = spot(one, frame, joint)
            assert alpha[int(row), int(column)] > 120
        # ... and nowhere else but near them.
        spots = [spot(one, frame, p) for p in one.figures[0].points[frame]]
        columns, rows = np.array(spots).T
        found = np.argwhere(alpha > 215)  # a shadow is thinner
        assert found[:, 1].min() > columns.min() - 8
        assert found[:, 1].max() < columns.max() + 8
        assert found[:, 0].min() > rows.min() - 8


def test_video_moves_as_the_motion_does(tmp_path: Path) -> None:
    walk = mw.sample("walk")[:30]
    path = tmp_path / "walk.mp4"
    mw.render(walk, path, size=SIZE, camera="fixed", view="side", background="#ffffff")
    frames = video(path)
    assert frames.shape == (30, 90, 160, 3)
    columns = [np.argwhere(body(one))[:, 1].mean() for one in frames]
    one = film(walk, "fixed", view="side")
    wanted = [spot(one, i, walk.root[i])[0] for i in range(len(walk))]
    assert abs(wanted[-1] - wanted[0]) > 20
    assert np.corrcoef(columns, wanted)[0, 1] > 0.99


def test_formats(tmp_path: Path) -> None:
    jump = mw.sample("jump")[:8]
    for name, frames in (("a.gif", 8), ("a.webp", 8), ("a.png", 1), ("a.jpg", 1)):
        mw.render(jump, tmp_path / name, size=SIZE)
        with image.open(tmp_path / name) as opened:
            assert opened.size == SIZE
            assert getattr(opened, "n_frames", 1) == frames
    mw.render(jump, tmp_path / "a.webm", size=(64, 36), rounds=2)
    assert len(video(tmp_path / "a.webm")) == 16


@pytest.mark.parametrize("background", ["light", "dark"])
def test_colours_chosen_from_a_sample_serve_the_body_as_well_as_those_of_all_pixels(
    background: str, tmp_path: Path
) -> None:
    jog = mw.sample("jog")[:20]
    mw.render(jog, tmp_path / "a.png", size=(320, 180), background=background, trails=["hands"])
    with image.open(tmp_path / "a.png") as opened:
        still = np.asarray(opened)
    where = encode.target(tmp_path / "a.gif", codec=None, loop=True, transparent=False)
    encode.write_frames(where, [still], 30.0, examples=[still] * 9)
    with image.open(tmp_path / "a.gif") as opened:
        chosen = np.asarray(opened.convert("RGB"))
    palette = image.fromarray(still).quantize(128, kmeans=1)
    of_all = image.fromarray(still).quantize(palette=palette, dither=image.Dither.NONE)

    def off(reduced: np.ndarray) -> np.ndarray:
        return np.linalg.norm(np.subtract(reduced, still, dtype=float), axis=2)

    ours, theirs = off(chosen), off(np.asarray(of_all.convert("RGB")))
    assert ours.mean() < 1.1 * theirs.mean()
    # Most of what is far off is on the body and its edges.
    assert np.percentile(ours, 99.5) < np.percentile(theirs, 99.5)


def test_an_empty_transparent_image_can_be_written(tmp_path: Path) -> None:
    where = encode.target(tmp_path / "a.gif", codec=None, loop=True, transparent=True)
    empty = np.zeros((8, 8, 4), dtype=np.uint8)
    encode.write_frames(where, [empty, empty], 30.0)
    with image.open(tmp_path / "a.gif") as opened:
        assert np.asarray(opened.convert("RGBA"))[..., 3].max() == 0


def test_transparent_background(tmp_path: Path) -> None:
    mw.render(mw.sample("stand"), tmp_path / "a.png", size=SIZE, background="transparent")
    with image.open(tmp_path / "a.png") as opened:
        alpha = np.asarray(opened)[..., 3]
    assert alpha[0, 0] == 0
    assert alpha.max() == 255
    # The shadow is neither there nor not.
    assert ((alpha > 10) & (alpha < 200)).any()


def test_speed_and_frame_rate(tmp_path: Path) -> None:
    walk = mw.sample("walk")[:31]
    mw.render(walk, tmp_path / "a.mp4", size=(64, 36), speed=0.5, fps=20)
    assert len(video(tmp_path / "a.mp4")) == 41


def test_the_last_frame_can_be_drawn_at_any_rate(tmp_path: Path) -> None:
    # 22 frames at 60 fps make 11 pictures at 30, the last of them due between two frames.
    clip = replace(mw.sample("jab")[:22], fps=60.0)
    mw.render(clip, tmp_path / "a.png", size=(64, 36), frame=21)
    assert (tmp_path / "a.png").exists()
    with pytest.raises(mw.MotionError, match="frames 0 to 21"):
        mw.render(clip, tmp_path / "a.png", size=(64, 36), frame=22)


def test_what_a_still_or_a_moving_picture_leaves_out_is_named(tmp_path: Path) -> None:
    jab = mw.sample("jab")[:4]
    with pytest.warns(mw.Notice, match="a still image takes no rounds: left out"):
        mw.render(jab, tmp_path / "a.png", size=(64, 36), rounds=2)
    with pytest.warns(mw.Notice, match="a moving picture takes no frame: left out"):
        mw.render(jab, tmp_path / "a.gif", size=(64, 36), frame=0)


def test_side_by_side_overlay_ghosts_trails_and_labels(tmp_path: Path) -> None:
    clips = [mw.sample("walk"), mw.sample("jog")]
    pictures = []
    for number, options in enumerate(
        ({}, {"layout": "overlay"}, {"ghosts": 2, "trails": ["hands"]}, {"labels": ["a", "b"]})
    ):
        path = tmp_path / f"{number}.png"
        mw.render(clips, path, size=SIZE, **options)  # type: ignore[arg-type]
        with image.open(path) as opened:
            pictures.append(np.asarray(opened).astype(int))
    for other in pictures[1:]:
        assert (np.abs(pictures[0] - other).max(axis=-1) > 30).sum() > 20


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("a.avi", {}, "supported: .mp4"),
        ("a.mp4", {"codec": "prores"}, "expected h264, h265, vp9"),
        ("a.png", {"codec": "h264"}, "only video"),
        ("a.mp4", {"background": "transparent"}, "no transparency"),
        ("a.mp4", {"background": "blue-ish"}, "expected light, dark"),
        ("a.mp4", {"camera": "drone"}, "expected 'follow', 'fixed' or 'orbit'"),
        ("a.mp4", {"view": "under"}, "expected three-quarter"),
        ("a.mp4", {"size": (0, 10)}, "expected width and height"),
        ("a.mp4", {"speed": 0.0}, "expected a positive number"),
        ("a.mp4", {"trails": ["tail"]}, "no joint or role 'tail'"),
        ("a.mp4", {"labels": ["a", "b"]}, "2 labels for 1 motions"),
        ("a.png", {"frame": 900}, "has frames 0 to"),
        ("no/a.mp4", {}, "does not exist"),
    ],
)
def test_what_cannot_be(tmp_path: Path, name: str, options: dict[str, object], words: str) -> None:
    with pytest.raises(mw.MotionweaveError, match=words):
        mw.render(mw.sample("jab"), tmp_path / name, **options)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_no_motion_and_no_frames(tmp_path: Path) -> None:
    with pytest.raises(mw.MotionError, match="no motion"):
        mw.render([], tmp_path / "a.mp4")
    for wrong in ("walk.bvh", 3, [mw.sample("jab"), "walk"]):
        with pytest.raises(mw.MotionError, match="expected a Motion"):
            mw.render(wrong, tmp_path / "a.mp4")  # type: ignore[arg-type]
    where = encode.target(tmp_path / "a.png", codec=None, loop=True, transparent=False)
    with pytest.raises(mw.FormatError, match="no frames"):
        encode.write_frames(where, iter(()), 30.0)


def test_missing_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    for name in ("a.mp4", "a.gif"):
        with pytest.raises(mw.MissingDependencyError, match=r"motionweave\[render\]"):
            mw.render(mw.sample("jab"), tmp_path / name)


def test_ten_minutes_are_drawn_one_after_the_other(tmp_path: Path) -> None:
    """Frames come as they are asked for; an image that must be held whole says no."""
    walk = mw.sample("walk")
    at = np.abs(np.mod(np.arange(18000), 2 * (len(walk) - 1)) - (len(walk) - 1)).astype(float)
    long = replace(walk, constraints=()).sample(at)
    with pytest.raises(mw.FormatError, match=r"18000 frames \(600 s\) are too many"):
        mw.render(long, tmp_path / "a.gif", size=(32, 18))

    class EnoughError(Exception):
        pass

    seen = []

    def progress(done: int, total: int) -> None:
        seen.append((done, total))
        if done == 3:
            raise EnoughError

    with pytest.raises(EnoughError):
        mw.render(long, tmp_path / "a.mp4", size=(32, 18), progress=progress)
    assert seen == [(done, 18000) for done in (1, 2, 3)]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("unit", [1e-6, 100.0])
def test_the_unit_of_a_clip_is_not_seen(unit: float) -> None:
    walk = mw.sample("walk")
    body = walk.skeleton
    body = replace(body, offsets=unit * body.offsets, end_offsets=unit * body.end_offsets)
    scaled = replace(walk, skeleton=body, root=unit * walk.root)
    np.testing.assert_array_equal(film(scaled).draw(40), film(walk).draw(40))


def test_rendering_is_deterministic() -> None:
    one, other = film(mw.sample("kick_high")), film(mw.sample("kick_high"))
    np.testing.assert_array_equal(one.draw(12), other.draw(12))


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mw.save(mw.sample("jab"), tmp_path / "jab.bvh")
    words = ["render", str(tmp_path / "jab.bvh"), "-o", str(tmp_path / "a.png"), "--json"]
    assert main([*words, "--size", "160x90", "--view", "30", "--labels"]) == 0
    assert json.loads(capsys.readouterr().out)["bytes"] == (tmp_path / "a.png").stat().st_size
    assert main([*words[:3], str(tmp_path / "a.avi")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
