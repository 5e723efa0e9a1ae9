"""What is done in a stretch, against motions for which it is known."""

from __future__ import annotations

import numpy as np
import pytest

import motionweave as mw
from motionweave.library.collect.activity import Activity, _strokes, joined
from motionweave.library.index.features import TRACKED, ClipTrack, mirrored, track

SECONDS = 30


def standing(samples: int) -> np.ndarray:
    """Places ``(samples, 18, 3)`` of a body that stands still."""
    body = np.zeros((len(TRACKED), 3))
    for number, role in enumerate(TRACKED):
        side = {"left": 0.2, "right": -0.2}.get(role.partition("_")[0], 0.0)
        height = {"toe": 0.0, "ankle": 0.1, "shin": 0.5, "thigh": 0.9, "hips": 1.0}
        body[number] = [side, height.get(role.rpartition("_")[2], 1.3), 0.0]
    return np.repeat(body[None], samples, axis=0)


def raised(waves: int, seconds: float, height: float = 1.0) -> ClipTrack:
    """A left hand that is raised, waved and lowered."""
    count = round(seconds * SECONDS)
    points = standing(count)
    share = np.linspace(0.0, 1.0, count)
    up = np.clip(np.minimum(share, 1.0 - share) / 0.25, 0.0, 1.0)
    hand = TRACKED.index("left_hand")
    points[:, hand, 1] += height * up * up * (3.0 - 2.0 * up)
    waving = np.clip((share - 0.25) / 0.5, 0.0, 1.0)
    points[:, hand, 0] += 0.15 * height * np.sin(2.0 * np.pi * waves * waving)
    return ClipTrack(points.astype(np.float32), np.zeros(count, dtype=np.float32))


def going(forwards: float, aside: float, air: float = -0.2) -> ClipTrack:
    """Hips that go over the floor; feet follow, and both or neither stand for some of the time."""
    count = 3 * SECONDS
    points = standing(count)
    phase = np.arange(count) / 10.0
    for side, shift in (("left", 0.0), ("right", 1.0)):
        # Each foot swings for half of its cycle; for less in a walk, and for more in a run.
        swing = np.clip(((phase + shift) % 2.0) / (1.0 + air), 0.0, 1.0)
        steps = 2.0 * ((phase + shift) // 2.0 + swing) - shift
        for part in ("ankle", "toe"):
            points[:, TRACKED.index(f"{side}_{part}"), 2] += forwards * steps / 9.0
            points[:, TRACKED.index(f"{side}_{part}"), 0] += aside * steps / 9.0
    others = [
        n for n, role in enumerate(TRACKED) if role.rpartition("_")[2] not in ("ankle", "toe")
    ]
    points[:, others, 2] += (forwards * phase / 9.0)[:, None]
    points[:, others, 0] += (aside * phase / 9.0)[:, None]
    return ClipTrack(points.astype(np.float32), np.zeros(count, dtype=np.float32))


def apart(one: ClipTrack, other: ClipTrack, example: ClipTrack | None = None) -> float:
    """How far two are apart by what acts in an example; by default the first of them."""
    activity, others = Activity.of([one]), Activity.of([other])
    return float(
        activity.apart(others, activity if example is None else Activity.of([example]))[0, 0]
    )


def stirring(clip: ClipTrack, role: str, far: float, times: int) -> ClipTrack:
    """The same, while another part of the body goes to and fro."""
    points = np.array(clip.points)
    share = np.linspace(0.0, 1.0, len(clip))
    points[:, TRACKED.index(role), 2] += 0.5 * far * np.sin(2.0 * np.pi * times * share)
    return ClipTrack(points, clip.heading)


def kicked(seconds: float, aside: bool = False) -> ClipTrack:
    """A right foot that is lifted forwards or aside, and put down again."""
    points = standing(round(seconds * SECONDS))
    lifted = np.sin(np.pi * np.linspace(0.0, 1.0, len(points))) ** 2
    for role in ("right_ankle", "right_toe"):
        points[:, TRACKED.index(role), 1] += 0.9 * lifted
        points[:, TRACKED.index(role), 0 if aside else 2] -= 0.8 * lifted
    return ClipTrack(points.astype(np.float32), np.zeros(len(points), dtype=np.float32))


def test_strokes_are_counted_on_any_line() -> None:
    share = np.linspace(0.0, 1.0, 200)
    random = np.random.default_rng(3)
    for turns in (1, 2, 3, 8):
        along = np.abs((turns * share + 1.0) % 2.0 - 1.0)
        way = random.standard_normal(3)
        places = along[:, None] * way / np.linalg.norm(way)
        assert _strokes(places, 0.1) == turns
        # What trembles by less than half of what counts is no stroke.
        assert _strokes(places + random.uniform(-0.02, 0.02, places.shape), 0.1) == turns
    assert _strokes(np.zeros((50, 3)), 0.1) == 0
    assert _strokes(np.zeros((1, 3)), 0.1) == 0


def test_a_wave_is_no_raised_hand_in_any_style() -> None:
    small, large = raised(0, 4.0, 0.5), raised(0, 1.2, 1.1)
    assert apart(small, large) == 0.0
    assert apart(raised(4, 5.0), raised(9, 7.0)) == 0.0
    assert min(apart(raised(4, 5.0), one) for one in (small, large)) > 0.2
    # Neither is half of one: the hand stays up.
    half = large[: len(large) // 2]
    assert apart(half, large) > 0.2


def test_limbs_are_told_apart() -> None:
    left, right = raised(0, 2.0), mirrored(raised(0, 2.0))
    assert apart(left, right) > 0.15
    activity = Activity.of([left])
    np.testing.assert_array_equal(activity.strokes, [[2.0, 0.0, 0.0, 0.0]])
    assert activity.extents[0, 0] == pytest.approx(1.0, abs=1e-3)
    # Of other parts of the body nothing is said.
    legs = [role for role in TRACKED if "ankle" in role]
    one, other = Activity.of([left], legs), Activity.of([right], legs)
    assert one.apart(other, one)[0, 0] == 0.0


def test_runs_leave_the_floor_and_walks_do_not() -> None:
    walk, run = going(3.0, 0.0), going(3.0, 0.0, 0.6)
    assert Activity.of([walk]).airborne[0] == 0.0
    assert Activity.of([run]).airborne[0] > 0.3
    assert apart(walk, run) > 0.2
    real = Activity.of([track(mw.sample(name, duration=3.0)) for name in ("walk", "sneak", "jog")])
    assert real.airborne[:2].max() < 0.05
    assert real.airborne[2] > 0.1


def test_bodies_go_where_they_look_or_elsewhere() -> None:
    walk = going(3.0, 0.0)
    assert apart(walk, going(4.0, 0.2)) == 0.0
    assert apart(walk, going(-3.0, 0.0)) > 0.2
    assert apart(walk, going(2.0, 2.0)) > 0.2
    assert apart(walk, going(0.1, 0.0)) > 0.2
    # A walk around a corner goes where it looks all the time.
    turning = Activity.of([track(mw.sample("walk_left", duration=4.0))])
    np.testing.assert_allclose(turning.directions, [[0.0, 1.0]], atol=0.15)


def test_nothing_depends_on_where_a_body_is() -> None:
    clip = mw.sample("punch")
    moved = track(clip.moved(mw.Planar(2.1, 3.0, -1.0)))
    one, other = Activity.of([track(clip)]), Activity.of([moved])
    np.testing.assert_array_equal(one.strokes, other.strokes)
    np.testing.assert_allclose(one.extents, other.extents, atol=1e-4)
    np.testing.assert_allclose(one.courses, other.courses, atol=1e-3)
    np.testing.assert_allclose(one.places, other.places, atol=1e-3)
    assert one.apart(other, one)[0, 0] == 0.0


def test_a_table_is_what_its_cells_are() -> None:
    tracks = [raised(0, 2.0), raised(5, 6.0), going(3.0, 0.0), going(-2.0, 1.0, 0.5)]
    every = joined([Activity.of(tracks[:1]), Activity.of(tracks[1:])])
    table = every.apart(every, every)
    cells = [[apart(one, other, tracks[0]) for other in tracks] for one in tracks]
    np.testing.assert_allclose(table, cells)
    np.testing.assert_array_equal(np.diag(table), 0.0)
    np.testing.assert_allclose(table, table.T)
    np.testing.assert_allclose(every[1:3].apart(every, every), table[1:3])
    # There may be nothing to compare with.
    assert every.apart(every[:0], every).shape == (4, 0)
    assert len(joined([every, Activity.of([])])) == 4


def test_what_counts_is_what_acts_in_the_example() -> None:
    plain = raised(0, 2.0)
    for role in ("right_hand", "left_ankle"):
        other = stirring(plain, role, 0.35, 4)
        assert apart(plain, other) == 0.0
        # In an example in which that part acts as well, it is something else.
        assert apart(other, plain, stirring(plain, role, 1.0, 4)) > 0.2
    np.testing.assert_array_equal(Activity.of([plain]).acting, [[1.0, 0.0, 0.0, 0.0]])


def test_a_foot_that_is_slow_does_not_kick_and_a_slow_hand_is_raised() -> None:
    assert apart(kicked(0.6), kicked(1.0)) == 0.0
    assert apart(kicked(0.6), kicked(3.0)) > 0.2
    assert "leg lengths per second" in Activity.of([kicked(3.0)]).difference(
        Activity.of([kicked(0.6)])
    )
    assert apart(raised(0, 1.2), raised(0, 6.0)) == 0.0


def test_courses_are_compared_at_moments_that_correspond() -> None:
    one, other = kicked(1.0), kicked(1.0, aside=True)
    assert apart(one, other) > 0.2
    activity = Activity.of([one, other])
    limb = activity.limbs.index("right_ankle")
    # The correlation of three coordinates, by hand.
    places = []
    for clip in (one, other):
        at = np.round(np.linspace(0.0, len(clip) - 1.0, 30)).astype(int)
        line = np.asarray(clip.points[at, TRACKED.index("right_ankle")], dtype=np.float64)
        places.append((line - line.mean(axis=0)).ravel())
    expected = np.dot(*places) / np.prod([np.linalg.norm(line) for line in places])
    assert activity.courses[0, limb] @ activity.courses[1, limb] == pytest.approx(
        expected, abs=1e-5
    )
    # A hesitation is no other course if moments are known to correspond.
    late = np.minimum(np.arange(45), np.maximum(np.arange(45) - 15, 5))
    slow = ClipTrack(one.points[late], one.heading[late])
    rows = np.arange(0, 30, 3)
    known = Activity.of([one, slow], moments=np.stack([rows, np.searchsorted(late, rows)]))
    np.testing.assert_allclose(known.courses[0, limb], known.courses[1, limb], atol=1e-6)


def test_a_difference_is_named() -> None:
    raise_, wave = Activity.of([raised(0, 2.0)]), Activity.of([raised(5, 6.0)])
    assert wave.difference(raise_) == "the left hand makes 11 strokes, not 2"
    both = Activity.of([stirring(raised(0, 2.0), "right_hand", 1.0, 1)])
    farthest = "the right hand goes 100% as far as the limb that goes farthest, not 0%"
    assert both.difference(raise_) == farthest
    walk, run = Activity.of([going(3.0, 0.0)]), Activity.of([going(3.0, 0.0, 0.6)])
    assert "no foot is on the floor" in run.difference(walk)
    assert "another direction" in Activity.of([going(-3.0, 0.0)]).difference(walk)
