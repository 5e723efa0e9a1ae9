"""Up, size, facing, hinges and cycles of bodies from many sources, as files have them."""

from __future__ import annotations

import csv
import itertools
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.body.hinges import wrong_bends
from motionweave.body.normalize.pelvis import as_filed, at_pelvis
from motionweave.body.normalize.up_axis import Up, find_up
from motionweave.body.pose.flexion import flexions
from motionweave.body.pose.heading import direction, facing, sides_exchanged
from motionweave.body.rig.roles import leg_length
from motionweave.body.size import body_height
from motionweave.core import rotations
from motionweave.io import registry
from motionweave.io.axes import PoseArrays, to_z_up, turned
from tests.repeats import surely_repeats

pytestmark = pytest.mark.wild

# Sources whose files have z up; the catalogue's own guess is wrong where bodies lie or crawl.
_Z_UP = ("animated_drawings", "makehuman_blender")
# Kinds of motion in which the body is not upright all the time.
_HARD = ("Lie", "Crawl", "140_01", "49_06", "90_05", "75_17", "82_12")
# Styles whose knees pass the straight line in the recording itself, and by how much at most.
_HYPEREXTENDED = {"xia_style": 10.0, "animated_drawings": 8.0, "cmu_other_subjects": 17.0}

Clips = dict[str, tuple[str, mw.Motion]]


@pytest.fixture(scope="module")
def clips(wild: Path) -> Clips:
    """Files of all sources by name, each with its vertical and as its format's reader gives it."""
    found: Clips = {}
    with (wild / "catalog.csv").open() as file:
        rows = list(csv.DictReader(file))
    for group, members in itertools.groupby(rows, key=lambda row: row["group"]):
        files = [row["file"] for row in members]
        step = 4 if len(files) > 40 else 2 if len(files) > 10 else 1
        chosen = {*files[::step], *(f for f in files if any(hard in f for hard in _HARD))}
        for name in sorted(chosen):
            up = "z" if group in _Z_UP else "y"
            found[name] = (up, registry.read(wild / name, up=up))
    assert len(found) > 60
    return found


def _up(motion: mw.Motion, *, z: bool = False, heading: float = 0.0) -> Up:
    motion = motion.moved(mw.Planar(heading))
    skeleton, pose = (
        motion.skeleton,
        PoseArrays(motion.root, motion.rotations, motion.translations),
    )
    if z:
        skeleton, pose = turned(skeleton, pose, to_z_up)
    return find_up(skeleton, pose.root, pose.rotations, pose.translations)


def test_up_axis(clips: Clips) -> None:
    doubts = 0
    for name, (_, motion) in clips.items():
        middle = motion[len(motion) // 2 :][:10]
        for form in (motion, middle):
            for z, heading in itertools.product((False, True), (0.0, np.pi)):
                up = _up(form, z=z, heading=heading)
                assert up.axis == ("z" if z else "y"), (name, len(form), heading)
                doubts += up.doubt is not None
    # Only of those who lie still is it worth asking.
    assert doubts <= 0.03 * 8 * len(clips)


def test_rest_pose_of_one_axis_and_motion_of_the_other(clips: Clips) -> None:
    """The world turned to z up by the root joint alone: the rest pose still has y up."""
    quarter = rotations.about_axis("X", np.pi / 2.0)
    for name, (_, motion) in clips.items():
        turns = np.array(motion.rotations)
        turns[:, 0] = rotations.multiply(quarter, turns[:, 0])
        up = find_up(motion.skeleton, to_z_up(motion.root), turns, motion.translations)
        assert up.axis == "z", name


def _standing_extent(motion: mw.Motion) -> float | None:
    """How high the body is in the frames in which it stands straight; None if there are none."""
    rig = mw.find_rig(motion.skeleton)
    positions, ends = motion.positions(), motion.end_positions()

    def bone(upper: str, lower: str) -> np.ndarray:
        return positions[:, rig.roles[lower]] - positions[:, rig.roles[upper]]

    upright = np.ones(len(motion), dtype=bool)
    for side in ("left", "right"):
        leg = bone(f"{side}_ankle", f"{side}_thigh")
        length = np.linalg.norm(leg, axis=1)
        upright &= (length > 0.985 * length.max()) & (leg[:, 1] > 0.98 * length)
    trunk = bone("hips", "head")
    upright &= trunk[:, 1] > 0.97 * np.linalg.norm(trunk, axis=1)
    if upright.sum() < 10:
        return None
    arms = [rig.roles[f"{side}_upper_arm"] for side in ("left", "right")]
    in_arm = [
        bool(set(arms) & set(motion.skeleton.chain(0, joint)))
        for joint in range(len(motion.skeleton))
    ]
    own = ~np.array(in_arm)
    points = np.concatenate([positions[:, own], ends[:, own[motion.skeleton.end_parents]]], axis=1)
    return float(np.median(np.ptp(points[upright][..., 1], axis=1)))


def test_height(clips: Clips) -> None:
    measured = 0
    for name, (_, motion) in clips.items():
        body = at_pelvis(motion)
        extent = _standing_extent(body)
        if extent is not None:
            measured += 1
            assert body_height(body.skeleton) == pytest.approx(extent, rel=0.08), name
    assert measured >= 15


def test_height_does_not_depend_on_the_zero_pose() -> None:
    walk = mw.sample("walk")
    rng = np.random.default_rng(4)
    frames = rotations.normalize(rng.normal(size=(len(walk.skeleton), 4)))
    above = frames[np.maximum(walk.skeleton.parents, 0)]
    offsets = rotations.rotate(rotations.inverse(above), walk.skeleton.offsets)
    ends = rotations.rotate(
        rotations.inverse(frames[walk.skeleton.end_parents]), walk.skeleton.end_offsets
    )
    bundle = mw.Skeleton(
        walk.skeleton.names, walk.skeleton.parents, offsets, walk.skeleton.end_parents, ends
    )
    assert body_height(bundle) == pytest.approx(body_height(walk.skeleton), rel=1e-9)


def test_facing_agrees_with_travel(clips: Clips) -> None:
    forward = ("walk", "run", "jog", "neutral", "strut", "trot", "locomotion")
    other = ("back", "left", "right", "turn", "around", "hop", "crouch", "stand", "2", "_to", "box")
    agreed = 0
    for name, (_, motion) in clips.items():
        title = name.split("/")[1].lower().removesuffix("_001.bvh").replace("walk2", "walk")
        title = title.replace("male2", "male").replace("dataset-2", "dataset")
        if not any(w in title for w in forward) or any(w in title for w in other):
            continue
        body = at_pelvis(motion)[1:]
        step = np.gradient(body.root[:, [0, 2]], axis=0) * body.fps
        speed = np.linalg.norm(step, axis=1)
        going = speed > 0.8 * leg_length(body.skeleton)
        if going.sum() < 10:
            continue
        ahead = np.sum(direction(facing(body)) * step, axis=1)[going] / speed[going]
        assert np.median(ahead) >= 0.9, name
        agreed += 1
    assert agreed >= 10


def test_knees_and_hips_flex_as_they_do_in_people(clips: Clips) -> None:
    for name, (_, motion) in clips.items():
        body = at_pelvis(motion)[1:]
        angles = {joint: np.degrees(angle) for joint, angle in flexions(body).items()}
        for side in "LR":
            knee, hip = angles[f"{side}.K"], angles[f"{side}.HI"]
            assert np.quantile(knee, 0.5) > -8.0, name
            assert np.quantile(knee, 0.95) < 170.0, name
            assert -50.0 < np.quantile(hip, 0.05) <= np.quantile(hip, 0.95) < 135.0, name


def test_sides_are_those_of_the_names(clips: Clips) -> None:
    for name, (_, motion) in clips.items():
        assert not sides_exchanged(at_pelvis(motion)[1:]), name


def test_no_wrong_bends_but_real_ones(clips: Clips) -> None:
    for name, (_, motion) in clips.items():
        body = at_pelvis(motion)[1:]
        group = name.split("/")[0]
        for joint, (_, worst, _) in wrong_bends(body):
            assert worst < _HYPEREXTENDED.get(group, 5.0), (name, body.skeleton.names[joint])


def test_files_come_back_as_they_were(clips: Clips, wild: Path, tmp_path: Path) -> None:
    carried = [name for name in clips if name.startswith(("bandai", "lafan"))]
    for name in carried[::4]:
        body = mw.load(wild / name, contacts=False)
        assert body.carrier is not None
        assert body.skeleton.names[0] == "Hips"
        filed = as_filed(body)
        np.testing.assert_array_equal(filed.rotations, clips[name][1].rotations)
        mw.save(body, tmp_path / "again.bvh")
        one, two = registry.read(wild / name), registry.read(tmp_path / "again.bvh")
        assert one.skeleton.names == two.skeleton.names
        assert one.source["channels"] == two.source["channels"]
        apart = (one.source["values"] - two.source["values"]) % 360.0
        assert np.minimum(apart, 360.0 - apart).max() < 2e-5
    assert {mw.load(wild / n, contacts=False).carrier.kind for n in (carried[0], carried[-1])} == {
        "still",
        "floor",
    }


def _roughness(motion: mw.Motion) -> float:
    """95th percentile over frames of the largest acceleration of a joint."""
    change = np.diff(motion.positions(), 2, axis=0) * motion.fps**2
    return float(np.quantile(np.linalg.norm(change, axis=2).max(axis=1), 0.95))


def test_bandai_gaits_repeat_and_blend(wild: Path) -> None:
    gaits = [
        mw.load(path)
        for path in sorted(wild.glob("bandai_namco_*/*.bvh"))
        if any(f"_{gait}" in path.name for gait in ("walk", "run"))
    ]
    repeating = sum(surely_repeats(clip) for clip in gaits)
    # One run of 0.8 seconds has no second cycle to find.
    assert len(gaits) >= 20
    assert repeating >= 0.95 * len(gaits)
    pairs = [
        (a, b)
        for a, b in itertools.combinations(gaits, 2)
        if a.name.split("_")[:2] == b.name.split("_")[:2] and min(a.duration, b.duration) > 1.0
    ][::2]
    smooth = 0
    for a, b in pairs:
        blended = mw.blend(mw.register(a, b), [0.5, 0.5])
        smooth += _roughness(blended) <= 1.5 * max(_roughness(a), _roughness(b))
    assert len(pairs) >= 8
    assert smooth >= 0.95 * len(pairs)
