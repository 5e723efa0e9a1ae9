"""Legs solved for their feet."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import motionweave as mw
from motionweave.body import ik
from motionweave.body.hinges import find_hinges
from motionweave.contacts.clean.solve import FootWay, solve_limbs
from motionweave.core import rotations


def test_limbs_solved_together_are_as_each_alone() -> None:
    walk = mw.sample("walk")[:40]
    positions, orientations = walk.forward()
    rng = np.random.default_rng(6)
    ways = []
    for role in ("left_shin", "right_shin"):
        hinge = find_hinges(walk)[role]
        moved = 0.02 * rng.normal(size=3) * np.sin(np.linspace(0.0, np.pi, len(walk)))[:, None]
        way = FootWay(
            ik.Limb(hinge.upper, hinge.joint, hinge.end),
            rotations.rotate(orientations[:, hinge.upper], hinge.axis),
            positions[:, hinge.end] + moved,
            rotations.exp(moved),
            rng.uniform(size=len(walk)),
            stretch=0.01,
        )
        ways.append(way)
    shift = 0.01 * rng.normal(size=(len(walk), 3))
    together = np.array(walk.rotations)
    missing, stretched = solve_limbs(walk, positions, orientations, ways, shift, together)
    alone = np.array(walk.rotations)
    for index, way in enumerate(ways):
        left, longer = solve_limbs(walk, positions, orientations, [way], shift, alone)
        np.testing.assert_allclose(missing[index], left[0], atol=1e-12)
        np.testing.assert_allclose(stretched[index], longer[0], atol=1e-12)
    np.testing.assert_allclose(together, alone, atol=1e-12)
    assert np.abs(together - walk.rotations).max() > 0.01


def test_a_leg_that_bends_further_does_not_multiply_noise() -> None:
    """The plane of a nearly straight leg shakes: a knee that is bent much further must not."""
    walk = mw.sample("walk", fps=120.0)[:100]
    hinge = find_hinges(walk)["left_shin"]
    limb = ik.Limb(hinge.upper, hinge.joint, hinge.end)
    # The thigh turns to and fro about itself, which hardly moves the knee or the foot.
    positions, orientations = walk.forward()
    bone = positions[:, limb.end] - positions[:, limb.upper]
    bone /= np.linalg.norm(bone, axis=-1)[:, None]
    noise = 0.05 * np.random.default_rng(3).normal(size=len(walk))
    above = rotations.inverse(orientations[:, walk.skeleton.parents[limb.upper]])
    turned = rotations.multiply(rotations.exp(bone * noise[:, None]), orientations[:, limb.upper])
    shaken = np.array(walk.rotations)
    shaken[:, limb.upper] = rotations.multiply(above, turned)
    motion = replace(walk, rotations=shaken)
    positions, orientations = motion.forward()
    axis = rotations.rotate(orientations[:, limb.upper], hinge.axis)
    goal = walk.positions()[:, limb.end] + [0.0, 0.25, 0.0]
    still = np.tile(rotations.IDENTITY, (len(walk), 1))
    rough = []
    for settled in (False, True):
        local = np.array(shaken)
        way = FootWay(limb, axis, goal, still, np.ones(len(walk)), settled=settled)
        solve_limbs(motion, positions, orientations, [way], np.zeros((len(walk), 3)), local)
        places = replace(motion, rotations=local).positions()
        np.testing.assert_allclose(places[:, limb.end], goal, atol=2e-3)
        rough.append(np.linalg.norm(np.diff(places[:, limb.middle], 2, axis=0), axis=-1).max())
    assert rough[1] < 0.4 * rough[0]


def test_a_nearly_straight_knee_gives_way_where_it_would_snap() -> None:
    """A goal that jumps by a few millimetres in one frame does not throw the knee about."""
    walk = mw.sample("walk", fps=120.0)[:100]
    hinge = find_hinges(walk)["left_shin"]
    limb = ik.Limb(hinge.upper, hinge.joint, hinge.end)
    positions, orientations = walk.forward()
    goal = np.array(positions[:, limb.end])
    straightest = int(hinge.flexion(positions, orientations)[20:80].argmin()) + 20
    goal[straightest:] += [0.0, 0.004, 0.0]
    axis = rotations.rotate(orientations[:, limb.upper], hinge.axis)
    still = np.tile(rotations.IDENTITY, (len(walk), 1))
    own = np.abs(np.diff(hinge.flexion(positions, orientations), 2)).max()
    hard = []
    for brisk in (True, False):
        local = np.array(walk.rotations)
        way = FootWay(limb, axis, goal, still, np.ones(len(walk)), 0.0, 0.001, brisk=brisk)
        solve_limbs(walk, positions, orientations, [way], np.zeros((len(walk), 3)), local)
        moved = replace(walk, rotations=local)
        hard.append(np.abs(np.diff(hinge.flexion(*moved.forward()), 2)).max() / own)
        # Away from the jump the foot is where it should be.
        off = np.linalg.norm(moved.positions()[:, limb.end] - goal, axis=-1)
        assert off[straightest + 15 : straightest + 25].max() < 5e-4
    assert hard[0] > 2.0
    assert hard[1] < 1.6


def test_a_knee_is_not_thrown_as_hard_as_a_swinging_foot_bends_it() -> None:
    """A foot that kicks bends its knee hard without moving it; one that lands must not move it."""
    walk = mw.sample("walk", fps=120.0)[:100]
    hinge = find_hinges(walk)["left_shin"]
    limb = ik.Limb(hinge.upper, hinge.joint, hinge.end)
    bend = hinge.flexion(*walk.forward())
    straightest = int(bend[20:80].argmin()) + 20
    kick = 0.3 * np.exp(-(((np.arange(len(walk)) - int(bend.argmax())) / 4.0) ** 2))
    axis = rotations.rotate(walk.forward()[1][:, limb.upper], hinge.axis)
    above = walk.forward()[1][:, walk.skeleton.parents[limb.middle]]
    axis = rotations.rotate(rotations.inverse(above), axis)
    kicked = np.array(walk.rotations)
    kicked[:, limb.middle] = rotations.multiply(
        rotations.exp(axis * kick[:, None]), kicked[:, limb.middle]
    )
    motion = replace(walk, rotations=kicked)
    positions, orientations = motion.forward()
    np.testing.assert_allclose(positions[:, limb.middle], walk.positions()[:, limb.middle])
    goal = np.array(positions[:, limb.end])
    goal[straightest:] += [0.0, 0.004, 0.0]
    axis = rotations.rotate(orientations[:, limb.upper], hinge.axis)
    still = np.tile(rotations.IDENTITY, (len(walk), 1))
    local = np.array(kicked)
    way = FootWay(limb, axis, goal, still, np.ones(len(walk)), 0.0, 0.001)
    solve_limbs(motion, positions, orientations, [way], np.zeros((len(walk), 3)), local)
    places = replace(motion, rotations=local).positions()[:, limb.middle]
    own, now = (
        np.linalg.norm(np.diff(p, 2, axis=0), axis=-1) for p in (positions[:, limb.middle], places)
    )
    assert now[straightest - 15 : straightest + 15].max() < 1.6 * own.max()
