"""How results are finished: feet planted, and kept above the floor of the clips."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import motionweave as mw
from motionweave.body.rig.roles import find_rig, leg_length
from motionweave.body.soles import contact_points
from motionweave.contacts.detect import detect_contacts
from motionweave.core import rotations
from motionweave.core.constraints import FOOT_KINDS, Constraint
from motionweave.core.motion import Motion
from motionweave.methods.finish import finish


def in_place(clip: Motion) -> Motion:
    """The clip as on a treadmill, so that none of its feet ever stands still."""
    root = np.array(clip.root)
    root[:, [0, 2]] = root[0, [0, 2]]
    return replace(clip, root=root, constraints=())


def lowest(motion: Motion) -> float:
    """The lowest point of the soles, in leg lengths."""
    heights = [points[:, 1].min() for points in contact_points(motion).values()]
    return float(min(heights)) / leg_length(motion.skeleton)


@pytest.fixture(scope="module")
def jog() -> Motion:
    return in_place(mw.sample("jog"))


def sunk(clip: Motion, by: float) -> Motion:
    """The clip lowered in its middle, by so many leg lengths."""
    down = by * leg_length(clip.skeleton) * np.sin(np.linspace(0.0, np.pi, len(clip))) ** 2
    return replace(clip, root=clip.root - down[:, None] * [0.0, 1.0, 0.0])


def test_feet_that_never_stand_are_kept_above_the_floor_of_the_clips(jog: Motion) -> None:
    assert detect_contacts(jog) == ()
    low = sunk(jog, 0.1)
    assert lowest(low) < lowest(jog) - 0.05
    done = finish(low, [jog], clean=True)
    assert done.found == ()
    assert lowest(done.motion) > lowest(jog) - 0.01


def test_a_given_floor_lifts_feet_without_contacts(jog: Motion) -> None:
    floor = mw.estimate_floor(jog)
    low = sunk(jog, 0.1)
    lifted = mw.clean_feet(low, floor=floor)
    assert lowest(lifted) > lowest(jog) - 0.01
    assert mw.clean_feet(jog, floor=floor).root.tolist() == jog.root.tolist()
    assert np.array_equal(mw.clean_feet(low).rotations, low.rotations)


def test_feet_are_left_alone_only_where_planting_does_harm() -> None:
    """However many such places a long result has, and however long a foot stands there."""
    clip = mw.sample("stand")
    frames = np.zeros(round(30 * clip.fps), dtype=int)
    long = replace(
        clip,
        root=clip.root[frames],
        rotations=clip.rotations[frames],
        constraints=tuple(Constraint(0.0, len(frames) - 1.0, kind) for kind in FOOT_KINDS),
    )
    harmful = [round(at * clip.fps) for at in (3.0, 8.0, 13.0, 18.0, 23.0)]
    shin = find_rig(clip.skeleton).roles["left_shin"]

    def plant(motion: Motion) -> Motion:
        turns = np.array(motion.rotations)
        for frame in harmful:
            if any(c.holds_at(frame) for c in motion.constraints):
                turns[frame, shin] = rotations.multiply(
                    turns[frame, shin], rotations.exp(np.array([1.0, 0.0, 0.0]))
                )
        planted.append(motion.constraints)
        return replace(motion, rotations=turns)

    planted: list[tuple[Constraint, ...]] = []
    done = finish(long, [clip], clean=True, plant=plant)
    assert done.found == ()
    assert [str(one).split(",")[0] for one in done.told] == [
        f"the feet were not planted around frame {frame}" for frame in harmful
    ]
    # All places in one round: of a long take each further round would take long.
    assert len(planted) == 2
    held = np.mean([any(c.holds_at(frame) for c in planted[-1]) for frame in range(len(frames))])
    assert held > 0.85
    assert done.motion.constraints == long.constraints
