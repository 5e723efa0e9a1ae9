"""What framespace interpolation must do, on built-in clips."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

import motionweave as mw
from motionweave.body.pose.heading import facing
from motionweave.core import rotations
from motionweave.core.constraints import active
from motionweave.core.cycles import repeat
from motionweave.methods.framespace.basis import make_basis
from motionweave.methods.framespace.trunk import Trunk
from motionweave.registration.cycles import extract_cycle

NAMES = ("jog", "walk", "dance_a", "dance_b")
CORNERS = ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0))


@pytest.fixture(scope="module")
def clips() -> dict[str, mw.Motion]:
    return {name: mw.sample(name) for name in (*NAMES, "jog_left", "walk_right", "kick_high")}


@pytest.fixture(scope="module")
def spaces(clips: dict[str, mw.Motion]) -> dict[tuple, mw.Framespace]:
    made: dict[tuple, mw.Framespace] = {}
    for decoupled in (False, True):
        for names in (("jog", "walk"), ("jog_left", "walk_right"), NAMES):
            made[names, decoupled] = mw.Framespace(
                [clips[name] for name in names], decoupled=decoupled
            )
    return made


def assert_same(result: mw.Motion, expected: mw.Motion, tolerance: float = 1e-6) -> None:
    assert len(result) == len(expected)
    assert result.fps == expected.fps
    turned = rotations.angle_between(result.rotations, expected.rotations)
    assert turned.max() < tolerance
    assert result.root == pytest.approx(expected.root, abs=tolerance)


def on_the_edge(*place: float) -> list[list[float]]:
    return [[0.0, *place], [1.0, *place]]


@pytest.mark.parametrize("decoupled", [False, True])
@pytest.mark.parametrize("names", [("jog", "walk"), ("jog_left", "walk_right")])
def test_on_an_edge_it_is_that_clips_cycle_repeated(
    spaces: dict, clips: dict, names: Sequence[str], decoupled: bool
) -> None:
    for y, name in enumerate(names):
        result = spaces[names, decoupled].interpolate(on_the_edge(float(y)), cycles=4, clean=False)
        expected = repeat(extract_cycle(clips[name]), 4)
        assert_same(result, expected)
        assert len(result.constraints) == len(expected.constraints)
        for a, b in zip(result.constraints, expected.constraints, strict=True):
            assert a.kind == b.kind
            assert (a.start, a.end) == pytest.approx((b.start, b.end), abs=1e-6)


@pytest.mark.parametrize("decoupled", [False, True])
@pytest.mark.parametrize("corner", range(4))
def test_at_a_corner_it_is_that_clips_cycle_repeated(
    spaces: dict, clips: dict, corner: int, decoupled: bool
) -> None:
    space = spaces[NAMES, decoupled]
    result = space.interpolate(on_the_edge(*CORNERS[corner]), cycles=3, clean=False)
    assert_same(result, repeat(extract_cycle(clips[NAMES[corner]]), 3))


def test_edges_hold_at_the_ends_of_a_concatenation(spaces: dict, clips: dict) -> None:
    space = spaces[("jog", "walk"), False]
    result = space.interpolate(mw.Interpolant.concatenate(hold=0.3), cycles=8, clean=False)
    jog, walk = (extract_cycle(clips[name]) for name in ("jog", "walk"))
    count = 2 * (len(jog) - 1)
    assert_same(result[: count + 1], repeat(jog, 2))
    # The end shows the walk, one period after the other.
    period = len(walk) - 1
    last = result[len(result) - 2 * period :]
    a, b = last.rotations[:period, 1:], last.rotations[period:, 1:]
    assert rotations.angle_between(a, b).max() < np.radians(1.0)
    assert walk.duration == pytest.approx(period / walk.fps)


def test_midway_the_period_is_between(spaces: dict, clips: dict) -> None:
    periods = [extract_cycle(clips[name]).duration for name in ("jog", "walk")]
    for level in (0.25, 0.5, 0.9):
        result = spaces[("jog", "walk"), False].interpolate(
            mw.Interpolant.blend(level), 10, clean=False
        )
        period = result.duration / 10
        assert min(periods) < period < max(periods)
        # Eq. 13: periods blend like everything else.
        expected = (1 - level) * periods[0] + level * periods[1]
        assert period == pytest.approx(expected, abs=0.1 / result.fps)


def test_a_concatenation_slows_down_evenly(spaces: dict) -> None:
    track = spaces[("jog", "walk"), False].matched().track(mw.Interpolant.concatenate(), 8, 60.0)
    rate = np.diff(track.x)
    assert np.all(rate > 0.0)
    assert np.all(np.diff(rate) < 1e-9)


def test_the_speed_of_a_blend_is_between(spaces: dict, clips: dict) -> None:
    def speed(motion: mw.Motion) -> float:
        way = motion.root[-1] - motion.root[0]
        return float(np.hypot(way[0], way[2]) / motion.duration)

    jog, walk = (speed(extract_cycle(clips[name])) for name in ("jog", "walk"))
    mixed = speed(spaces[("jog", "walk"), False].interpolate("blend", 6, clean=False))
    assert walk < mixed < jog


def test_opposite_curves_blend_to_a_straight_way(clips: dict) -> None:
    space = mw.Framespace([mw.sample("walk_left"), mw.sample("walk_right")])
    result = space.interpolate("blend", 8, clean=False)
    turned = np.degrees(np.ptp(facing(result)))
    one = np.degrees(np.ptp(facing(repeat(space.bases[0].motion, 8))))
    assert one > 60.0
    assert turned < 0.25 * one
    # And each by itself goes on turning.
    left = space.interpolate(on_the_edge(0.0), 8, clean=False)
    assert np.degrees(np.ptp(facing(left))) == pytest.approx(one, abs=1e-6)


def test_a_spin_is_kept_in_full() -> None:
    """A cycle that turns by more than half a turn is not taken for one that turns back."""
    walk = mw.sample("walk")
    turn = np.linspace(0.0, np.radians(250.0) * 3, len(walk))
    spun = walk.moved(mw.Planar(turn))
    basis = make_basis(spun, extract_ends(walk))
    guide, _ = basis.guide(np.array([0.0, 1.0, 2.0]))
    assert np.degrees(np.diff(guide.angle)) == pytest.approx(250.0, abs=12.0)


def extract_ends(motion: mw.Motion) -> tuple[int, int]:
    from motionweave.registration.cycles import find_cycle

    return find_cycle(motion)


@pytest.mark.parametrize("fps", [24.0, 60.0, 120.0])
def test_frame_rate_asked_for(spaces: dict, fps: float) -> None:
    space = spaces[("jog", "walk"), False]
    plain = space.interpolate("concatenate", 4, clean=False)
    other = space.interpolate("concatenate", 4, fps=fps, clean=False)
    assert other.fps == fps
    assert other.duration == pytest.approx(plain.duration, abs=1.0 / min(fps, 30.0))


def test_contacts_come_along(spaces: dict) -> None:
    result = spaces[("jog", "walk"), False].interpolate("blend", 6, clean=False)
    frames = np.arange(len(result))
    for kind in ("left_heel", "left_toe", "right_heel", "right_toe"):
        share = active(result.constraints, kind, frames).mean()
        shares = [
            active(b.motion.constraints, kind, np.arange(len(b.motion))).mean()
            for b in spaces[("jog", "walk"), False].bases
        ]
        assert min(shares) - 0.05 < share < max(shares) + 0.05
    assert all(0.0 <= c.start <= c.end <= len(result) - 1 for c in result.constraints)


def test_clean_holds_the_feet(spaces: dict) -> None:
    from motionweave.body.soles import contact_points

    space = spaces[("jog", "walk"), False]

    def slide(motion: mw.Motion) -> float:
        frames = np.arange(len(motion))
        worst = 0.0
        for kind, points in contact_points(motion, hands=False).items():
            held = active(motion.constraints, kind, frames)
            steps = np.linalg.norm(np.diff(points[:, [0, 2]], axis=0), axis=1)
            worst = max(worst, float(steps[held[:-1] & held[1:]].max()))
        return worst / motion.skeleton.height

    raw, clean = (
        space.interpolate("blend", 4, clean=False),
        space.interpolate("blend", 4, clean=True),
    )
    assert slide(clean) < 0.002
    assert slide(clean) < 0.2 * slide(raw)


def test_clips_that_do_not_repeat_are_played_once(clips: dict) -> None:
    kick = clips["kick_high"]
    low = mw.sample("kick_low")
    space = mw.Framespace([kick, low])
    assert not space.cyclic
    first = space.interpolate(on_the_edge(0.0), cycles=5, clean=False)
    assert_same(first, kick)
    assert_same(space.interpolate(on_the_edge(1.0), cycles=5, clean=False), low)
    mixed = space.interpolate("blend", clean=False)
    assert len(mixed) == pytest.approx(0.5 * (len(kick) + len(low)), abs=1)


def test_a_cycle_beside_a_clip_that_is_played_once(clips: dict) -> None:
    walk, jog = clips["walk"], clips["jog"]
    space = mw.Framespace([walk, jog], cyclic=[None, False])
    walked = space.interpolate(on_the_edge(0.0), cycles=3, clean=False)
    assert_same(walked, repeat(extract_cycle(walk), 3))
    assert_same(space.interpolate(on_the_edge(1.0), cycles=3, clean=False), jog)


def test_a_whole_clip_may_be_one_cycle(clips: dict) -> None:
    cycle = extract_cycle(clips["walk"])
    space = mw.Framespace([cycle, clips["jog"]], cyclic=[True, None])
    assert_same(space.interpolate(on_the_edge(0.0), cycles=2, clean=False), repeat(cycle, 2))


def test_own_labels_make_correspondences(clips: dict) -> None:
    """Clips that share nothing but what the user says they share."""
    tables = [
        mw.EventTable(
            tuple(
                mw.State(first + share * (last - first), frozenset([label])) for share, label in own
            )
        )
        for (first, last), own in zip(
            [extract_ends(clips[name]) for name in ("jog", "walk")],
            [((0.1, "hop"), (0.6, "hip")), ((0.2, "hop"), (0.8, "hip"))],
            strict=True,
        )
    ]
    space = mw.Framespace([clips["jog"], clips["walk"]], events=tables)
    assert space.matched().lower.times == pytest.approx(np.array([[0.1, 0.2], [0.6, 0.8]]))


def opposite_arms(motion: mw.Motion) -> mw.Motion:
    """The motion with its upper body half a cycle late."""
    cycle = extract_cycle(motion)
    half = (len(cycle) - 1) // 2
    late = repeat(cycle, 2)[half : half + len(cycle)]
    upper = Trunk.of(motion.skeleton).upper
    mixed = np.array(cycle.rotations)
    mixed[:, upper] = late.rotations[:, upper]
    return mw.Motion(
        motion.skeleton, motion.fps, cycle.root, mixed, constraints=cycle.constraints, name="odd"
    )


def test_opposite_arm_phase_needs_decoupling(clips: dict) -> None:
    from motionweave.body.pose.flexion import flexions

    walk = clips["walk"]
    odd = opposite_arms(walk)
    swing = np.ptp(flexions(walk)["L.S"])
    swings = []
    for decoupled in (False, True):
        space = mw.Framespace([walk, odd], cyclic=[None, True], decoupled=decoupled)
        result = space.interpolate("blend", 6, clean=False)
        swings.append(np.ptp(flexions(result)["L.S"]) / swing)
        # The legs walk on in either case.
        legs = np.ptp(flexions(result)["L.HI"]) / np.ptp(flexions(walk)["L.HI"])
        assert legs == pytest.approx(1.0, abs=0.08)
    # Coupled, arms that swing against each other cancel; decoupled, they swing in full.
    assert swings[0] < 0.4
    assert swings[1] > 0.9


def test_decoupled_halves_are_together_where_one_clip_is_alone(clips: dict) -> None:
    odd = opposite_arms(clips["walk"])
    space = mw.Framespace([clips["jog"], odd], cyclic=[None, True], decoupled=True)
    assert_same(space.interpolate(on_the_edge(1.0), 3, clean=False), repeat(odd, 3))
    track = space.matched().track(mw.Interpolant.concatenate(hold=0.3), 10, 30.0)
    ahead = track.upper - track.lower
    assert (ahead[0, 0], ahead[-1, 1]) == pytest.approx((0.0, 0.0), abs=1e-9)
    # In between each clip's arms give way by up to half of the difference.
    middle = ahead[np.argmin(np.abs(track.weights[:, 0] - 0.5))]
    assert np.abs(middle) == pytest.approx(0.25, abs=0.1)


def test_trunk_goes_there_and_back(clips: dict) -> None:
    walk = clips["walk"]
    trunk = Trunk.of(walk.skeleton)
    names = {walk.skeleton.names[j] for j in trunk.upper}
    assert not any("Leg" in name or "Foot" in name or "Hips" in name for name in names)
    assert {"Head", "LeftHand"} <= names
    back = trunk.seated(trunk.upright(walk.rotations))
    assert rotations.angle_between(back, walk.rotations).max() < 1e-9


@pytest.mark.parametrize("way", [(0.0, 1.0), (1.0, 0.0)])
def test_a_way_too_steep_is_told(clips: dict, way: tuple[float, float]) -> None:
    space = mw.Framespace(
        [clips["jog"], opposite_arms(clips["walk"])], cyclic=[None, True], decoupled=True
    )
    jump = [[x, way[x > 0.5]] for x in (0.0, 0.5, 0.5, 0.5)] + [[0.5, way[1]]] * 3 + [[1, way[1]]]
    with pytest.warns(mw.QualityWarning, match="so steep"):
        space.interpolate(jump, 2, clean=False)


def test_the_same_call_gives_the_same_motion(clips: dict) -> None:
    one, other = (
        mw.framespace([clips["jog"], clips["walk"]], "concatenate", cycles=3) for _ in range(2)
    )
    assert np.array_equal(one.rotations, other.rotations)
    assert np.array_equal(one.root, other.root)
    assert one.constraints == other.constraints


def test_rigs_whose_bones_slide(clips: dict) -> None:
    from dataclasses import replace

    from motionweave.core.motion import local_translations

    jog = clips["jog"]
    longer = np.array(local_translations(jog)) * 1.02
    slid = replace(jog, translations=longer)
    space = mw.Framespace([slid, clips["walk"]])
    half = space.interpolate("blend", 2, clean=False)
    assert half.translations is not None
    expected = 1.01 * local_translations(jog)[0, 1:]
    assert half.translations[:, 1:] == pytest.approx(np.tile(expected, (len(half), 1, 1)))
    assert_same(space.interpolate(on_the_edge(0.0), 2, clean=False), repeat(extract_cycle(slid), 2))


def test_what_cannot_be_interpolated(clips: dict) -> None:
    jog, walk = clips["jog"], clips["walk"]
    with pytest.raises(mw.BlendError, match="2 or 4 clips, got 3"):
        mw.framespace([jog, walk, jog])
    with pytest.raises(mw.BlendError, match="whole number, at least 1"):
        mw.framespace([jog, walk], cycles=0)
    with pytest.raises(mw.BlendError, match="made for 4 clips, but there are 2"):
        mw.framespace([jog, walk], [[0, 0, 0], [1, 1, 1]])
    with pytest.raises(mw.BlendError, match="frame rate"):
        mw.framespace([jog, walk], fps=-3.0)
    with pytest.raises(mw.BlendError, match="event tables: expected one per clip, 2 in all"):
        mw.framespace([jog, walk], events=[None])
    with pytest.raises(mw.BlendError, match="expected one per clip, 2 in all, got 3"):
        mw.framespace([jog, walk], cyclic=[True, True, True])
    with pytest.raises(mw.BlendError, match=r"cyclic=\(36, 176\): expected"):
        mw.framespace([jog, walk], cyclic=(36, 176))  # type: ignore[arg-type]
    only_feet = mw.EventTable(mw.find_events(jog).lower)
    with pytest.raises(mw.RegistrationError, match="state of the upper body matches"):
        mw.framespace([jog, walk], events=[only_feet, None], decoupled=True)
    with pytest.raises(mw.RegistrationError, match="walk has"):
        mw.framespace([jog, walk], events=[mw.EventTable(()), None])
    with pytest.raises(mw.MotionError, match="too few"):
        mw.framespace([jog[:2], walk])
    other = mw.Skeleton(("root",), np.array([-1]), np.zeros((1, 3)))
    ball = mw.Motion(other, 30.0, np.zeros((9, 3)), np.tile([0.0, 0.0, 0.0, 1.0], (9, 1, 1)))
    with pytest.raises(mw.RigError, match="joints"):
        mw.framespace([jog, ball])


def test_every_pair_of_gaits_can_be_blended() -> None:
    gaits = [mw.sample(name) for name in ("walk", "jog", "sneak", "walk_left")]
    for a, b in itertools.combinations(gaits, 2):
        result = mw.framespace([a, b], "concatenate", cycles=4)
        assert np.all(np.isfinite(result.positions()))


def test_a_clip_played_once_sets_how_often_the_others_go_round() -> None:
    walk = mw.sample("walk", duration=6.0)
    space = mw.Framespace([walk, walk], cyclic=[None, False])
    assert space.rounds() == round(space.bases[1].period / space.bases[0].period)
    assert space.rounds(2) == 2
    assert mw.Framespace([walk, walk]).rounds() == 6


def test_a_t_pose_in_front_is_not_played() -> None:
    kicks = mw.sample("kick_low"), mw.sample("kick_high")
    posed = []
    for kick in kicks:
        rest = replace(kick[:1], rotations=np.tile(rotations.IDENTITY, (1, len(kick.skeleton), 1)))
        posed.append(mw.concatenate([rest, kick]))
    assert_same(mw.framespace(*posed, "blend"), mw.framespace(*kicks, "blend"))
    table = mw.find_events(posed[0])
    given = mw.Framespace(posed, events=[table, None]).bases[0]
    assert given.ends == (1, len(kicks[0]))
    assert [s.time for s in given.events.states] == pytest.approx(
        [(s.time - 1.0) / (len(kicks[0]) - 1.0) for s in table.states]
    )


def test_four_clips_of_which_one_is_played_once_are_mixed() -> None:
    kicks = [mw.sample(f"kick_{how}") for how in ("low", "middle", "high")]
    once = mw.Framespace([*kicks, mw.sample("jab")], cyclic=False)
    assert once.shape == "blend"
    assert once.interpolate() == once.interpolate("blend")
    assert mw.Framespace(kicks[:2], cyclic=False).shape == "concatenate"
    gaits = [mw.sample(name) for name in ("walk", "jog", "sneak", "walk_left")]
    assert mw.Framespace(gaits).shape == "concatenate"
