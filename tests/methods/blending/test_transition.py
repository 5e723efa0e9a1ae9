"""Transitions: the clips' own frames outside, smooth inside."""

from __future__ import annotations

import itertools
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave import BlendError, Motion, Planar, QualityWarning
from motionweave.core import rotations
from motionweave.core.numerics.curves import smoothstep
from motionweave.methods.blending.transition import make_transition
from tests.methods.blending.clips import acceleration, planar_between, real


def check_outside(joined: Motion, a: Motion, b: Motion) -> None:
    """The head is a's own bit for bit; the tail is b's own, rigidly moved."""
    shared = min(len(joined), len(a))
    same = [np.array_equal(joined.rotations[i], a.rotations[i]) for i in range(shared)]
    leave = same.index(False)
    assert leave > 0
    assert np.array_equal(joined.root[:leave], a.root[:leave])
    tail = 1
    while tail < len(b) and np.array_equal(joined.rotations[-tail, 1:], b.rotations[-tail, 1:]):
        tail += 1
    assert tail > 2
    part, own = joined[-(tail - 1) :], b[-(tail - 1) :]
    move = planar_between(own, part)
    np.testing.assert_allclose(own.moved(move).root, part.root, atol=1e-9 * a.skeleton.height)
    turned = own.moved(move)
    assert rotations.angle_between(turned.rotations[:, 0], part.rotations[:, 0]).max() < 1e-9


def check_smooth(joined: Motion, *inputs: Motion) -> None:
    """Joint accelerations at most 1.25 times the inputs' own maximum (so no jump either)."""
    assert acceleration(joined).max() <= 1.25 * max(acceleration(m).max() for m in inputs)


@pytest.mark.parametrize(
    "pair", [("walk", "jog"), ("jog", "sneak"), ("sneak_left", "walk_right"), ("jog_right", "walk")]
)
def test_built_in_transitions(pair: tuple[str, str]) -> None:
    a, b = (mw.sample(name) for name in pair)
    joined = mw.transition(a, b, clean=False)
    check_outside(joined, a, b)
    check_smooth(joined, a, b)


def test_a_given_place_is_the_middle_of_the_transition() -> None:
    walk, jog = mw.sample("walk"), mw.sample("jog")
    made = make_transition([walk, jog], at=(60, 25), half_width=8, clean=False)
    assert made.junctions[0].frames == (60.0, 25.0)
    start, end = made.seams[0]
    assert start < 60 < end
    found = make_transition([walk, jog], clean=False)
    assert found.junctions[0].frames in [j.frames for j in mw.junctions(walk, jog)]
    again = mw.transition([walk, jog], at=found.junctions[0].frames, clean=False)
    assert len(again) == len(found.motion)


def test_the_transition_does_not_depend_on_where_the_second_clip_stands() -> None:
    walk, jog = mw.sample("walk"), mw.sample("jog")
    moved = jog.moved(Planar(2.0, 7.0, -3.0))
    expected = mw.transition(walk, jog)
    np.testing.assert_allclose(mw.transition(walk, moved).root, expected.root, atol=1e-7)


def test_resampling_keeps_the_timing_and_is_as_smooth() -> None:
    walk, jog = mw.sample("walk"), mw.sample("jog")
    joined = mw.transition(walk, jog, resample=True)
    check_smooth(joined, walk, jog)
    place = mw.junctions(walk, jog)[0].frames
    resampled = mw.transition(walk, jog, at=place, resample=True)
    assert abs(len(resampled) - len(mw.transition(walk, jog, at=place))) <= 2


def test_chains_of_clips() -> None:
    clips = [mw.sample(n) for n in ("walk", "jog", "walk_left", "sneak")]
    chain = mw.transition(*clips, half_width=8)
    check_smooth(chain, *clips)
    assert np.array_equal(chain.root[0], clips[0].root[0])
    assert chain.name == "walk to jog to walk_left to sneak"


def test_each_pair_may_have_a_half_width_of_its_own() -> None:
    clips = [mw.sample(name) for name in ("walk", "jog", "walk")]
    places = [(60.0, 20.0), (50.0, 30.0)]
    made = make_transition(clips, at=places, half_width=[5, 12], clean=False)
    assert [end - start for start, end in made.seams] == [10, 24]
    same = make_transition(clips, at=places, half_width=[8, 8], clean=False)
    again = make_transition(clips, at=places, half_width=8, clean=False)
    np.testing.assert_array_equal(same.motion.rotations, again.motion.rotations)
    with pytest.raises(BlendError, match="3 clips have 2 transitions; got half widths for 1"):
        make_transition(clips, half_width=[5])


def test_contacts_run_through_without_holes() -> None:
    walk, jog = mw.sample("walk"), mw.sample("jog")
    joined = mw.transition(walk, jog)
    for kind in ("left_toe", "right_toe"):
        plants = [c for c in joined.constraints if c.kind == kind]
        gaps = [b.start - a.end for a, b in itertools.pairwise(plants)]
        assert min(gaps) > 3
        assert max(c.end - c.start for c in plants) < 30


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"at": (500, 3)}, "frame 500"),
        ({"at": (0, 3)}, "no room for a transition at frame 0 of walk"),
        ({"at": [(3, 3), (4, 4)]}, "1 transitions; got places for 2"),
        ({"at": (1, 2, 3)}, r"at=\(1, 2, 3\): expected"),
        ({"half_width": 0}, "at least one"),
        ({"keep": "everything"}, "expected 'most', 'all'"),
        ({"at": ("x", 1)}, r"at=\('x', 1\): expected"),
    ],
)
def test_impossible_transitions_say_why(options: dict, said: str) -> None:
    with pytest.raises(BlendError, match=said):
        mw.transition(mw.sample("walk"), mw.sample("jog"), **options)
    with pytest.raises(BlendError, match="two clips"):
        mw.transition(mw.sample("walk"))


REAL_PAIRS = {
    "walk to jog": ("16_15", "16_35"),
    "jog to sneak": ("16_35", "139_34"),
    "walk to turn": ("16_15", "16_17"),
    "landing to jump": ("16_01", "16_03"),
    "sit to walk": ("113_15", "16_15"),
    "walk to dance": ("16_15", "05_10"),
}


@pytest.mark.mocap
@pytest.mark.parametrize("pair", REAL_PAIRS.values(), ids=list(REAL_PAIRS))
def test_real_transitions(mocap: Path, pair: tuple[str, str]) -> None:
    a, b = (real(mocap, name) for name in pair)
    joined = mw.transition(a, b, clean=False)
    check_smooth(joined, a, b)
    cleaned = mw.transition(a, b)
    assert mw.quality(cleaned).skate_mean <= mw.quality(joined).skate_mean + 1e-4
    check_smooth(cleaned, a, b)


@pytest.mark.parametrize("second", ["jog", "sneak"])
def test_clips_out_of_step_do_not_spin(second: str) -> None:
    """Wherever two clips that go straight on are joined, the result goes straight on."""
    a, b = mw.sample("walk", duration=4.0), mw.sample(second, duration=4.0)
    for at in itertools.product((40, 48, 55, 63), (45, 52, 60)):
        joined = mw.transition(a, b, at=at)
        ways = joined.rotations[:, 0] @ np.diag([0.0, 1.0, 0.0, 1.0])
        turned = np.degrees(2.0 * np.arctan2(ways[:, 1], ways[:, 3]))
        assert np.abs((turned + 180.0) % 360.0 - 180.0).max() < 30.0
        assert acceleration(joined).max() <= 2.5 * max(acceleration(m).max() for m in (a, b))


def test_near_the_ends_of_a_clip_a_transition_is_shorter() -> None:
    walk, jog = mw.sample("walk"), mw.sample("jog")
    made = make_transition([walk, jog], at=(len(walk) - 6, 4), half_width=15, clean=False)
    start, end = made.seams[0]
    assert 2 <= end - start <= 8
    check_outside(made.motion, walk, jog)


def test_short_clips_are_joined_in_less_time() -> None:
    """A second of a jab has no room for a transition of a second."""
    jab, walk = mw.sample("jab")[5:32], mw.sample("walk")
    joined = mw.transition(jab, walk, clean=False)
    check_outside(joined, jab, walk)
    check_smooth(joined, jab, walk)
    assert mw.junctions(jab, walk)
    assert len(mw.transition(jab, walk, half_width=15, clean=False)) > len(jab)


@pytest.mark.parametrize("name", ["walk", "jab", "landing"])
def test_a_clip_joined_to_itself_is_the_clip(name: str) -> None:
    clip = mw.sample(name)
    middle = len(clip) // 2
    joined = mw.transition(clip, clip, at=(middle, middle))
    assert len(joined) == len(clip)
    assert acceleration(joined).max() <= 1.05 * acceleration(clip).max()
    np.testing.assert_allclose(joined.root, clip.root, atol=0.02 * clip.skeleton.height)


def test_clips_in_place_pass_over_as_soon_as_those_that_travel() -> None:
    # The pelvis of a clip in place hardly moves; its speed is that over the treadmill.
    loops = [mw.loop(mw.sample(name)) for name in ("walk", "jog")]
    lengths = []
    for clips in (loops, [mw.in_place(clip) for clip in loops]):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", QualityWarning)
            ((first, last),) = make_transition(clips).seams
        lengths.append(last - first)
    assert lengths[1] <= 1.5 * lengths[0]


def test_what_is_cut_is_named() -> None:
    walk, jog = mw.sample("walk", duration=6.0), mw.sample("jog")
    made = make_transition([walk, jog], at=(30, 20), clean=False)
    assert any("at the end of walk" in told for told in made.cut)
    assert make_transition([walk, jog], keep="all", clean=False).junctions[0].kept[0] > 0.9


def test_a_pose_that_no_other_leads_to_is_warned_of() -> None:
    walk = mw.sample("walk")
    tilted = replace(
        walk,
        rotations=np.concatenate(
            [
                rotations.multiply(rotations.about_axis("X", np.pi / 2), walk.rotations[:, :1]),
                walk.rotations[:, 1:],
            ],
            axis=1,
        ),
        constraints=(),
    )
    with pytest.warns(QualityWarning, match="of the body's height apart"):
        mw.transition(walk, tilted)


def test_a_seam_on_whole_frames_shows_as_many_frames_of_its_clips_as_it_lasts() -> None:
    off = []
    for names in (("walk", "jog"), ("jog", "sneak"), ("walk", "sneak")):
        a, b = (mw.sample(name, duration=4.0) for name in names)
        for at in itertools.product(range(40, len(a) - 40, 7), range(40, len(b) - 40, 11)):
            shown = make_transition((a, b), at=at, half_width=15, clean=False, warn=False).shown[0]
            weight = smoothstep(np.linspace(0.0, 1.0, len(shown)))
            weight = 0.5 * (weight[1:] + weight[:-1])
            first, second = np.diff(shown, axis=0).T
            off.append(np.sum((1.0 - weight) * first + weight * second) - (len(shown) - 1))
    # Both ends are rounded to frames, together: rounded apart they would add up to a whole frame.
    assert np.abs(off).max() < 0.6
