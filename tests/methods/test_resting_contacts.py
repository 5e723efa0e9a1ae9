"""Contacts of averaged motions hold only while the foot rests."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import motionweave as mw
from motionweave.body.rig.roles import leg_length
from motionweave.body.soles import contact_points
from motionweave.methods.resting_contacts import resting


def speeds(motion: mw.Motion, kind: str) -> np.ndarray:
    """Leg lengths per second over the floor, from each frame to the next."""
    points = contact_points(motion)[kind][:, [0, 2]]
    return (
        np.linalg.norm(np.diff(points, axis=0), axis=1) * motion.fps / leg_length(motion.skeleton)
    )


def test_contacts_of_a_clip_stay_as_they_are() -> None:
    for name in ("walk", "jog", "sneak", "jab"):
        clip = mw.sample(name)
        assert resting(clip, [clip]).constraints == clip.constraints


def test_what_still_flies_is_cut_off() -> None:
    walk = mw.sample("walk")
    early = [replace(c, start=max(c.start - 5.0, 0.0)) for c in walk.constraints]
    found = resting(walk.with_constraints(early), [walk]).constraints
    assert len(found) >= len(walk.constraints) - 1
    for contact in found:
        inside = speeds(walk, contact.kind)[int(np.ceil(contact.start)) : int(contact.end)]
        assert inside.max(initial=0.0) <= 1.0
    # What rests is not lost.
    for contact in walk.constraints:
        middle = 0.5 * (contact.start + contact.end)
        assert any(c.kind == contact.kind and c.holds_at(middle) for c in found)


def test_a_treadmill_may_move() -> None:
    walk = mw.sample("walk")
    back = np.outer(np.arange(len(walk)), [0.0, 0.0, -0.06])
    belt = replace(walk, root=walk.root + back)
    assert np.median(speeds(belt, "left_heel")) > 1.0
    assert resting(belt, [belt]).constraints == belt.constraints


def test_blended_feet_that_are_called_planted_rest() -> None:
    walk, jog = mw.sample("walk"), mw.sample("jog")
    half = mw.blend(mw.register(walk, jog[7:], ends="fixed"), [0.5, 0.5])
    for contact in half.constraints:
        inside = speeds(half, contact.kind)[int(np.ceil(contact.start)) : int(contact.end)]
        assert inside.sum() / half.fps < 0.1
