"""What must be true of every built-in clip."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import motionweave as mw
from motionweave import samples
from motionweave.body.mirror import partners
from motionweave.body.soles import contact_points
from motionweave.core import rotations
from motionweave.core.constraints import active
from motionweave.samples import character

NAMES = samples.names()


@cache
def clip(name: str, fps: float) -> mw.Motion:
    return mw.sample(name, fps)


@cache
def made(name: str, fps: float) -> samples.Sample:
    return samples.make(name, fps)


def held_positions(motion: mw.Motion, constraint: mw.Constraint) -> np.ndarray:
    """Positions of the held point at the whole frames of a constraint."""
    first, last = int(np.ceil(constraint.start)), int(np.floor(constraint.end))
    return contact_points(motion, hands=True)[constraint.kind][first : last + 1]


@pytest.mark.parametrize("fps", [30.0, 97.0])
@pytest.mark.parametrize("name", NAMES)
def test_held_points_do_not_move(name: str, fps: float) -> None:
    motion = clip(name, fps)
    assert motion.constraints
    for constraint in motion.constraints:
        at = held_positions(motion, constraint)
        if len(at):
            assert np.ptp(at, axis=0).max() < 1e-9, constraint


@pytest.mark.parametrize("name", NAMES)
def test_held_feet_are_on_the_floor_and_nothing_is_below(name: str) -> None:
    motion = clip(name, 60.0)
    for constraint in motion.constraints:
        if not constraint.kind.endswith("_hand"):
            at = held_positions(motion, constraint)
            np.testing.assert_allclose(at[:, 1], character.BALL_HEIGHT, atol=1e-9)
    assert motion.positions()[..., 1].min() > -1e-6
    assert motion.end_positions()[..., 1].min() > -1e-6


@pytest.mark.parametrize("name", NAMES)
def test_a_foot_that_is_free_moves(name: str) -> None:
    """Contacts are complete: a foot that is as still as a held one is held."""
    motion = clip(name, 30.0)
    frames = np.arange(len(motion))
    for kind, points in contact_points(motion).items():
        step = np.linalg.norm(np.diff(points, axis=0), axis=1)
        held = active(motion.constraints, kind, frames)
        free = ~held[1:] & ~held[:-1]
        assert np.all(step[free] > 1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_knees_and_elbows_bend_one_way(name: str) -> None:
    motion = clip(name, 60.0)
    for side, sign in (("Left", -1.0), ("Right", 1.0)):
        knee = motion.rotations[:, motion.skeleton.index(f"{side}Leg")]
        bend = 2.0 * np.arctan2(knee[:, 0], knee[:, 3])
        np.testing.assert_allclose(knee[:, [1, 2]], 0.0, atol=1e-9)
        assert np.degrees(bend.min()) > 3.0
        assert np.degrees(bend.max()) < 150.0
        elbow = motion.rotations[:, motion.skeleton.index(f"{side}ForeArm")]
        flexion = sign * 2.0 * np.arctan2(elbow[:, 1], elbow[:, 3])
        assert np.degrees(flexion.min()) > 0.0
        assert np.degrees(flexion.max()) < 155.0


@pytest.mark.parametrize("name", NAMES)
def test_bones_keep_their_length(name: str) -> None:
    motion = clip(name, 30.0)
    positions, parents = motion.positions(), motion.skeleton.parents
    lengths = np.linalg.norm(positions[:, 1:] - positions[:, parents[1:]], axis=-1)
    rest = np.linalg.norm(motion.skeleton.offsets[1:], axis=-1)
    np.testing.assert_allclose(lengths, np.broadcast_to(rest, lengths.shape), atol=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_pops(name: str) -> None:
    """A jump in velocity would make accelerations grow with the frame rate."""

    def hardest(fps: float) -> float:
        positions = clip(name, fps).positions()
        return float(np.linalg.norm(np.diff(positions, 2, axis=0), axis=-1).max() * fps**2)

    coarse, fine = hardest(60.0), hardest(240.0)
    assert fine < 2.0 * coarse + 5.0
    assert fine < 220.0


@pytest.mark.parametrize("name", NAMES)
def test_the_same_call_gives_the_same_motion(name: str) -> None:
    a, b = made(name, 30.0), samples.make(name)
    assert a.motion.root.tobytes() == b.motion.root.tobytes()
    assert a.motion.rotations.tobytes() == b.motion.rotations.tobytes()
    assert a.motion.constraints == b.motion.constraints
    assert a.events == b.events


@pytest.mark.parametrize("name", NAMES)
def test_the_frame_rate_does_not_change_the_motion(name: str) -> None:
    slow, fast = made(name, 30.0), made(name, 60.0)
    np.testing.assert_allclose(fast.motion.root[::2][: len(slow.motion)], slow.motion.root)
    apart = rotations.angle_between(
        fast.motion.rotations[::2][: len(slow.motion)], slow.motion.rotations
    )
    assert apart.max() < 1e-6
    assert slow.events == fast.events


@pytest.mark.parametrize("name", NAMES)
def test_it_has_a_description_and_events_inside_the_clip(name: str) -> None:
    sample = made(name, 30.0)
    assert sample.description
    assert sample.motion.name == name
    times = [time for time, _ in sample.events]
    assert times == sorted(times)
    assert all(0.0 <= time <= sample.motion.duration + 1.0 / 30.0 for time in times)


def test_the_character_has_human_proportions() -> None:
    skeleton = character.skeleton()
    assert skeleton.height == pytest.approx(1.75, abs=0.02)
    assert skeleton.rest_positions[:, 1].min() >= 0.0
    swap = partners(skeleton)
    np.testing.assert_allclose(
        skeleton.rest_positions[swap] * [-1.0, 1.0, 1.0], skeleton.rest_positions
    )
    assert set(mw.find_rig(skeleton).roles) >= {
        f"{side}_{part}"
        for side in ("left", "right")
        for part in ("thigh", "shin", "ankle", "toe", "upper_arm", "forearm", "hand")
    }


def test_wrong_names_and_parameters_are_told() -> None:
    with pytest.raises(mw.MotionError, match=r"no built-in clip 'wolk'.*walk"):
        mw.sample("wolk")
    with pytest.raises(mw.MotionError, match=r"no parameter speeed: it takes fps, style, speed"):
        mw.sample("walk", speeed=2.0)
    with pytest.raises(mw.MotionError, match="frame rate"):
        mw.sample("walk", fps=0.0)
    with pytest.raises(mw.MotionError, match="style 'moon'"):
        mw.sample("walk", style="moon")
    with pytest.raises(mw.MotionError, match="too long for the character's legs"):
        mw.sample("walk", speed=3.0, stride=4.0)
    with pytest.raises(mw.MotionError, match="duration"):
        mw.sample("walk", duration=-1.0)
    with pytest.raises(mw.MotionError, match="lead"):
        mw.sample("walk", lead="both")
