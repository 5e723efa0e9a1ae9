"""Whole registrations: known truth, invariance, contacts, many clips, odd clips."""

from __future__ import annotations

import functools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave import Motion, Planar, RegistrationCurve
from motionweave.body.pose.heading import facing
from motionweave.contacts.detect import detect_contacts
from motionweave.core import rotations
from motionweave.core.numerics.curves import smootherstep
from motionweave.registration.clouds import PointClip, as_points, point_clouds
from motionweave.registration.pairing import Rules
from motionweave.registration.points import register_points
from motionweave.registration.signals import strike_signals
from motionweave.registration.timewarp import satisfies_slopes


def increases(curve: RegistrationCurve) -> bool:
    """Eq. 5 and what follows from it."""
    warp = curve.timewarp
    u = np.linspace(warp.start, warp.end, 500)
    return satisfies_slopes(warp.spline.control / warp.fps, curve.base, warp.epsilon) and bool(
        np.all(np.diff(warp.frames(u), axis=0) > 0.0)
    )


# Truth


def known_warp(frames: int, seed: int) -> np.ndarray:
    """Source frames of a smooth warp over the whole clip whose rates run from 0.6 to 1.6."""
    rng = np.random.default_rng(seed)
    place = np.linspace(0.0, 1.0, 2001)
    rate = sum(
        rng.normal() * np.sin(2.0 * np.pi * (k * place + rng.uniform())) for k in (0.5, 1, 1.5, 2)
    )
    rate = 0.6 + (rate - rate.min()) / np.ptp(rate)
    source = np.concatenate([[0.0], np.cumsum(0.5 * (rate[1:] + rate[:-1]))]) / 2000.0
    count = int((frames - 1) / source[-1]) + 1
    played = np.interp(np.linspace(0.0, 1.0, count), place, source / source[-1])
    return np.asarray(played * (frames - 1))


def disturbed(motion: Motion, seed: int, share: float) -> Motion:
    """Noise on root and joints that moves points by ``share`` of the height (RMS)."""
    rng = np.random.default_rng(seed)
    shake = rng.normal(size=(len(motion), len(motion.skeleton), 3))
    shift = rng.normal(size=(len(motion), 3)) * 0.5 * share * motion.skeleton.height
    clean = point_clouds(motion)

    def shaken(size: float) -> Motion:
        turned = rotations.multiply(motion.rotations, rotations.exp(size * shake))
        return replace(motion, root=motion.root + shift, rotations=turned)

    size = 0.01
    for _ in range(3):
        moved = point_clouds(shaken(size)) - clean
        rms = np.sqrt(np.mean(np.sum(moved**2, axis=-1))) / motion.skeleton.height
        size *= share / rms
    return shaken(size)


TRUTH = {
    "walk": "cmu_16_15_walk_straight",
    "run": "cmu_16_55_run_straight",
    "sneak": "cmu_139_31_sneak_straight",
    "punch": "cmu_13_18_punch_right_medium",
    "dance": "cmu_05_10_dance_modern_glissade",
}


@functools.cache
def clip(folder: Path, name: str) -> Motion:
    return mw.load(folder / "bvh" / f"{name}.bvh", drop_tpose=True)


@pytest.mark.mocap
@pytest.mark.parametrize("kind", TRUTH)
@pytest.mark.parametrize("seed", [0, 1])
def test_a_known_warp_is_found(mocap: Path, kind: str, seed: int) -> None:
    original = clip(mocap, TRUTH[kind])
    source = known_warp(len(original), seed)
    rng = np.random.default_rng(seed)
    move = Planar(rng.uniform(-3.0, 3.0), *rng.normal(scale=100.0, size=2))
    warped = disturbed(original.sample(source), seed, 0.005).moved(move)
    warped = warped.with_constraints(detect_contacts(warped))
    curve = mw.register(original, warped)
    u = curve.timewarp.parameter(1, np.arange(len(warped)))
    found = curve.timewarp.frames(u)[:, 0]
    frames = np.abs(found - source) / original.fps * 30.0
    assert np.median(frames) < 0.5
    assert np.quantile(frames, 0.95) < 1.5
    back = curve.alignment.at(u)[:, 1]
    turn = np.mod(back.angle + move.angle + np.pi, 2.0 * np.pi) - np.pi
    place = warped.root[:, [0, 2]]
    apart = np.linalg.norm(back.apply_xz(place) - move.inverse().apply_xz(place), axis=1)
    assert np.degrees(np.median(np.abs(turn))) < 1.0
    assert np.degrees(np.quantile(np.abs(turn), 0.95)) < 1.0
    assert np.median(apart) < 0.01 * original.skeleton.height
    assert increases(curve)


# Invariance


@pytest.mark.parametrize(
    "options", [{}, {"ends": "free"}, {"ends": "cyclic"}, {"anchors": [(20, 10, 30)]}]
)
def test_turning_and_moving_changes_nothing_but_the_alignment(options: dict) -> None:
    clips = [mw.sample(name) for name in ("walk", "jog", "walk_left")]
    moves = [Planar(2.0, 30.0, -70.0), Planar(-1.0, 5.0, 8.0), Planar(0.4, -11.0, 2.0)]
    before = mw.register(*clips, **options)
    after = mw.register(*(c.moved(m) for c, m in zip(clips, moves, strict=True)), **options)
    u = np.linspace(before.timewarp.start, before.timewarp.end, 100)[:-1]
    np.testing.assert_allclose(after.timewarp.frames(u), before.timewarp.frames(u), atol=1e-9)
    np.testing.assert_allclose(after.distances, before.distances, atol=1e-9)
    np.testing.assert_array_equal(after.ranges, before.ranges)
    assert after.reference == before.reference
    assert [m.kind for m in after.matches] == [m.kind for m in before.matches]
    for old, new in zip(before.matches, after.matches, strict=True):
        np.testing.assert_allclose(new.intervals, old.intervals, atol=1e-9)
    # The alignment moves along: what was done to the reference, after what undoes the rest.
    for j, move in enumerate(moves):
        expected = moves[before.reference] @ before.alignment.at(u)[:, j] @ move.inverse()
        points = clips[j].moved(move).root
        for k in (0, 40, 90):
            np.testing.assert_allclose(
                after.alignment.at(u)[k, j].apply(points),
                expected[k].apply(points),
                atol=1e-6,
            )


def test_the_reference_stays_where_it_is_and_identical_clips_fall_together() -> None:
    walk = mw.sample("walk")
    move = Planar(1.2, 3.0, -4.0)
    curve = mw.register(walk, walk.moved(move))
    u = np.linspace(curve.timewarp.start, curve.timewarp.end, 50)
    frames = curve.timewarp.frames(u)
    np.testing.assert_allclose(frames[:, 0], frames[:, 1], atol=1e-9)
    moves = curve.alignment.at(u)
    np.testing.assert_array_equal(moves.angle[:, 0], 0.0)
    np.testing.assert_allclose(moves[:, 0].apply_xz([[7.0, 9.0]]), [[7.0, 9.0]] * 50, atol=1e-9)
    both = moves[:, 1] @ move
    np.testing.assert_allclose(both.apply_xz([[7.0, 9.0]]), [[7.0, 9.0]] * 50, atol=1e-8)
    assert curve.distances.max() < 1e-6


# Contacts


def heel_strikes_apart(curve: RegistrationCurve) -> tuple[np.ndarray, np.ndarray]:
    """Frames (30 a second) between matching heel strikes, before and after registration."""
    warp = curve.timewarp
    before, after = [], []
    for match in curve.matches:
        start = match.intervals[:, 0]
        if match.kind.endswith("heel") and start.min() > warp.start + 1e-6:
            seconds = np.diagonal(warp.frames(start)) / warp.fps
            before.append(np.ptp(seconds) * 30.0)
            after.append(np.ptp(start) * 30.0)
    return np.array(before), np.array(after)


@pytest.mark.mocap
@pytest.mark.parametrize(
    "names",
    [
        ("cmu_16_15_walk_straight", "cmu_16_35_jog_straight"),
        ("cmu_16_21_walk_fast_straight", "cmu_16_35_jog_straight"),
        ("cmu_16_15_walk_straight", "cmu_139_31_sneak_straight"),
        ("cmu_16_15_walk_straight", "cmu_16_11_walk_veer_left"),
        ("cmu_16_15_walk_straight", "cmu_16_13_walk_veer_right"),
    ],
)
def test_heel_strikes_of_real_clips_meet(mocap: Path, names: tuple[str, str]) -> None:
    curve = mw.register(*(clip(mocap, name) for name in names), ends="free")
    before, after = heel_strikes_apart(curve)
    assert len(after) >= 2
    assert np.median(after) <= 1.5
    assert np.median(after) < np.median(before)
    assert increases(curve)
    # Every step is in a match, unless the other clip has that foot in the air meanwhile.
    for kind in ("left_heel", "right_heel"):
        lanes = [steps_in_u(curve, j, kind) for j in range(2)]
        matched = [m.intervals for m in curve.matches if m.kind == kind]
        for j, (start, end) in [(i, step) for i in range(2) for step in lanes[i]]:
            overlaps = any(a < end and start < b for a, b in lanes[1 - j])
            middle = 0.5 * (start + end)
            assert overlaps == any(m[j, 0] <= middle <= m[j, 1] for m in matched)


def steps_in_u(curve: RegistrationCurve, clip: int, kind: str) -> list[tuple[float, float]]:
    warp = curve.timewarp
    first, last = warp.frames(np.array([warp.start, warp.end]))[:, clip]
    return [
        (float(warp.parameter(clip, c.start)), float(warp.parameter(clip, c.end)))
        for c in curve.motions[clip].constraints
        if c.kind == kind and c.end > first and c.start < last
    ]


# Many clips

NINE = [
    "cmu_16_15_walk_straight",
    "cmu_16_11_walk_veer_left",
    "cmu_16_13_walk_veer_right",
    "cmu_16_35_jog_straight",
    "cmu_16_37_jog_veer_left",
    "cmu_16_39_jog_veer_right",
    "cmu_139_31_sneak_straight",
    "cmu_139_31_sneak_curve_left",
    "cmu_139_31_sneak_curve_right",
]


@pytest.mark.mocap
@pytest.mark.parametrize("options", [{"ends": "free"}, {"ends": "cyclic"}])
def test_nine_real_clips_make_one_curve(mocap: Path, options: dict) -> None:
    curve = mw.register(*(clip(mocap, name) for name in NINE), **options)
    assert len(curve) == 9
    assert increases(curve)
    assert all(m.skeleton == curve.motions[0].skeleton for m in curve.motions)
    # At least most of a cycle of each, each foot with a match of its own.
    seconds = (curve.ranges[:, 1] - curve.ranges[:, 0]) / [m.fps for m in curve.motions]
    assert seconds.min() > 0.6
    assert {m.kind for m in curve.matches} >= {"left_heel", "right_heel", "left_toe"}
    assert curve.distances.max() < 0.2


def test_nine_built_in_clips_make_one_curve() -> None:
    names = [f"{gait}{way}" for gait in ("walk", "jog", "sneak") for way in ("", "_left", "_right")]
    clips = [mw.sample(name) for name in names]
    curve = mw.register(*clips, ends="cyclic")
    assert len(curve) == 9
    assert increases(curve)
    assert {m.kind for m in curve.matches} >= {"left_heel", "right_heel"}


def test_a_cyclic_curve_closes_on_itself() -> None:
    curve = mw.register(mw.sample("walk"), mw.sample("jog_left"), ends="cyclic")
    assert curve.cyclic
    assert curve.period == pytest.approx(curve.timewarp.end - curve.timewarp.start)
    warp, step = curve.timewarp, curve.displacement
    assert step is not None
    for j, cycle in enumerate(curve.motions):
        np.testing.assert_allclose(warp.frames(warp.start)[j], 0.0, atol=1e-9)
        np.testing.assert_allclose(cycle.root[-1], step[j].apply(cycle.root[0]), atol=1e-9)
        apart = rotations.angle_between(cycle.rotations[0, 1:], cycle.rotations[-1, 1:])
        assert apart.max() < 1e-6
    # What aligns the end aligns the beginning, carried on by one cycle of each clip.
    begin = curve.alignment.at(warp.start)
    end = curve.alignment.at(warp.end)
    j = 1 - curve.reference
    carried = step[curve.reference] @ begin[j] @ step[j].inverse()
    place = curve.motions[j].root[-1]
    height = curve.motions[j].skeleton.height
    assert np.linalg.norm(carried.apply(place) - end[j].apply(place)) < 1e-4 * height
    assert abs(carried.angle - end[j].angle) < 1e-3


# Free ends


def test_free_ends_find_the_stretch_that_two_clips_share() -> None:
    walk = mw.sample("walk")
    long = walk if len(walk) > 100 else mw.concatenate([walk, walk[1:]])
    part = long[int(0.2 * len(long)) : int(0.7 * len(long))]
    curve = mw.register(long, part, ends="free")
    first, last = curve.ranges[1]
    assert last - first > 0.9 * (len(part) - 1)
    u = np.linspace(curve.timewarp.start, curve.timewarp.end, 20)
    frames = curve.timewarp.frames(u)
    shift = frames[:, 0] - frames[:, 1]
    assert np.ptp(shift) < 0.5
    assert curve.distances.max() < 0.01


@pytest.mark.mocap
def test_free_ends_leave_out_a_t_pose(mocap: Path) -> None:
    path = mocap / "bvh" / "cmu_16_15_walk_straight.bvh"
    with_pose = mw.load(path)
    held = with_pose.sample(np.concatenate([np.zeros(60), np.arange(1, len(with_pose))]))
    curve = mw.register(held, clip(mocap, "cmu_16_11_walk_veer_left"), ends="free")
    assert curve.ranges[0, 0] >= 60
    assert curve.ranges[0, 1] - curve.ranges[0, 0] > 300


def test_an_anchor_is_on_the_curve() -> None:
    walk, jog = mw.sample("walk"), mw.sample("jog")
    shared = mw.register(walk, jog, ends="free")
    middle = 0.5 * (shared.timewarp.start + shared.timewarp.end)
    anchor = np.rint(shared.timewarp.frames(middle)).astype(int)
    curve = mw.register(walk, jog, anchors=[tuple(anchor)], reach=1.0)
    u = [float(curve.timewarp.parameter(j, anchor[j])) for j in range(2)]
    assert abs(u[0] - u[1]) < 2.0 / 30.0
    assert increases(curve)


# Odd clips


def test_frame_rates_may_differ() -> None:
    walk = mw.sample("walk")
    curve = mw.register(walk, walk.resample(2.4 * walk.fps))
    u = np.linspace(curve.timewarp.start, curve.timewarp.end, 30)
    seconds = curve.timewarp.frames(u) / curve.timewarp.fps
    assert np.abs(seconds[:, 0] - seconds[:, 1]).max() < 0.5 / 30.0


def test_clips_of_too_different_length_are_told_which_limit_would_do() -> None:
    walk = mw.sample("walk")
    short = walk[: len(walk) // 5]
    with pytest.raises(mw.RegistrationError, match=r"at most 2.*slope_limit=[345]") as error:
        mw.register(walk, short, ends="fixed")
    remedy = error.value.remedies[0]
    assert remedy.option == "slope_limit"
    assert remedy.as_flag() == f"--slope-limit {remedy.value}"
    assert increases(mw.register(walk, short, ends="fixed", slope_limit=remedy.value))
    with pytest.raises(mw.RegistrationError):
        mw.register(walk, short, ends="fixed", slope_limit=remedy.value - 1)


def test_standing_still_gives_a_straight_line() -> None:
    walk = mw.sample("walk")
    still = replace(
        walk,
        root=np.repeat(walk.root[:1], 90, axis=0),
        rotations=np.repeat(walk.rotations[:1], 90, axis=0),
        constraints=(),
    )
    curve = mw.register(still, still[:60])
    u = np.linspace(curve.timewarp.start, curve.timewarp.end, 40)
    share = curve.timewarp.frames(u) / [89.0, 59.0]
    assert np.abs(share[:, 0] - share[:, 1]).max() < 0.02
    # Whoever stands still is a loop, but not one that matches a walk.
    with pytest.warns(mw.QualityWarning, match="doubtful"):
        mw.register(still, walk, ends="cyclic")


def test_two_frames_and_mirrored_clips_register() -> None:
    walk = mw.sample("walk")
    curve = mw.register(walk[:2], walk[3:5])
    np.testing.assert_allclose(curve.timewarp.frames(curve.timewarp.end), [1.0, 1.0], atol=1e-9)
    assert increases(mw.register(walk, walk.mirrored(*_sides(walk))))


def _sides(motion: Motion) -> tuple[list[int], dict[str, str]]:
    names = motion.skeleton.names

    def other(name: str) -> str:
        for a, b in (("Left", "Right"), ("Right", "Left")):
            if name.startswith(a):
                return b + name[len(a) :]
        return name

    return [names.index(other(n)) if other(n) in names else i for i, n in enumerate(names)], {}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ends": "loose"}, "'auto', 'fixed', 'free', 'cyclic'"),
        ({"ends": ("fixed", "cyclic")}, "'fixed' or 'free' for start and end"),
        ({"slope_limit": 0}, "slope limit 0"),
        ({"slope_limit": 2.5}, "slope_limit=2.5: expected a whole number"),
        ({"reference": 2}, "reference 2"),
        ({"strikes": -1.0}, "strikes"),
        ({"window": 4}, "window 4: expected an odd number"),
        ({"anchors": [(1,)]}, "one frame per clip"),
        ({"anchors": [(1, 10**6)]}, "which has frames"),
        ({"anchors": [(20, 20), (30, 10)]}, "have to increase"),
        ({"anchors": [(1, 1)], "ends": "cyclic"}, "leave out the anchors"),
        ({"keep": [[(5, 3)], None]}, "not a range"),
        ({"keep": [[(5, 9)]]}, "expected a list of ranges"),
    ],
)
def test_what_cannot_be_done_is_said(options: dict, message: str) -> None:
    walk = mw.sample("walk")
    with pytest.raises(mw.RegistrationError, match=message):
        mw.register(walk, walk, **options)


def test_too_few_clips_or_frames() -> None:
    walk = mw.sample("walk")
    with pytest.raises(mw.RegistrationError, match="two or more"):
        mw.register(walk)
    with pytest.raises(mw.RegistrationError, match="single frame"):
        mw.register(walk, walk[:1])


# Points


def test_bare_points_register_like_the_motion_they_come_from() -> None:
    walk, jog = mw.sample("walk"), mw.sample("walk_left")
    curve = mw.register(walk, jog, strikes=0.0)
    points = register_points(as_points(walk), as_points(jog))
    u = np.linspace(curve.timewarp.start, curve.timewarp.end, 40)
    np.testing.assert_allclose(points.timewarp.frames(u), curve.timewarp.frames(u))


def test_long_clips_need_no_whole_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    """A banded registration finds what the whole grid finds."""
    from motionweave.registration import pairing

    rng = np.random.default_rng(0)
    time = np.arange(900) / 30.0
    base = rng.normal(size=(12, 3))
    phase, tempo = rng.uniform(0, 6, (12, 3)), rng.uniform(0.5, 3.0, (12, 3))

    def played(t: np.ndarray) -> PointClip:
        cloud = base + 0.3 * np.sin(tempo * t[:, None, None] + phase)
        return PointClip(cloud, 30.0, np.ones(12))

    a, b = played(time), played(time + 0.5 * np.sin(0.3 * time))
    whole = register_points(a, b, rules=Rules())
    monkeypatch.setattr(pairing, "MOST_CELLS", 90_000)
    banded = register_points(a, b, rules=Rules())
    u = np.linspace(whole.timewarp.start, whole.timewarp.end, 200)
    assert np.abs(whole.timewarp.frames(u) - banded.timewarp.frames(u)).max() < 0.1


@pytest.mark.parametrize("seed", range(30))
def test_short_clips_have_a_stretch_that_keeps_to_the_slope_limit(seed: int) -> None:
    """Moving the ends of the best stretch to more similar frames must not make it impossible."""
    rng = np.random.default_rng(seed)

    def waving(frames: int) -> PointClip:
        turns = np.arange(frames)[:, None, None] / 30.0
        cloud = rng.normal(size=(6, 3)) + 0.3 * sum(
            rng.normal(size=(6, 3)) * np.sin(2.0 * np.pi * (k * turns + rng.uniform())) / k
            for k in (1, 2, 3)
        )
        return PointClip(cloud, 30.0, np.ones(6))

    found = register_points(waving(12), waving(80), ends=("free", "free"))
    (first, last), (begin, end) = found.timewarp.frames(
        [found.timewarp.start, found.timewarp.end]
    ).T
    longer, shorter = sorted((last - first + 1, end - begin + 1), reverse=True)
    assert longer <= 3 * shorter + 1


def test_a_foot_that_is_down_when_a_clip_begins_does_not_strike() -> None:
    walk = mw.sample("walk")
    late = mw.Constraint(30, 45, "left_toe")
    begun = walk.with_constraints([mw.Constraint(0, 10, "left_heel"), late])
    signals = strike_signals(begun, ["left_foot"])[:, 0]
    assert signals[:10].max() == 0.0
    assert signals[30] == 1.0
    assert signals.argmax() == 30


def test_a_full_turn_and_none_make_half_a_turn() -> None:
    # A jump, and one that spins and tucks while it does: there the poses say nothing about the
    # angle, and after it the clips face the same way as before.
    jump = mw.sample("jump")
    time = np.linspace(0.0, 1.0, len(jump))
    spin = 2.0 * np.pi * smootherstep((time - 0.35) / 0.3)
    tuck = np.radians(80.0) * np.sin(np.pi * np.clip((time - 0.3) / 0.4, 0.0, 1.0)) ** 2
    turn = rotations.multiply(rotations.about_axis("Y", spin), rotations.about_axis("X", tuck))
    turned = np.array(jump.rotations)
    turned[:, 0] = rotations.multiply(turn, turned[:, 0])
    curve = mw.register(jump, replace(jump, rotations=turned), ends="fixed")
    heading = np.degrees(facing(mw.blend(curve, [0.5, 0.5], clean=False)))
    assert heading[-1] - heading[0] == pytest.approx(180.0, abs=5.0)
    assert np.abs(np.diff(heading)).max() < 30.0
