"""Steps in gaps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import motionweave as mw
from motionweave.body.floor import Floor
from motionweave.body.soles import contact_points
from motionweave.core.concatenation import concatenate
from motionweave.library.fill.confidence import interpolated
from motionweave.library.fill.footsteps import _kept, _lifts, contacts_in_gap, stepped


def dragged() -> tuple[mw.Motion, int, int]:
    """A walk whose gap is interpolated, so that its feet are dragged over the floor."""
    walk = mw.sample("walk")
    first, last = 24, 42
    line = interpolated(walk[: first + 1], walk[last:], last - first + 3)[2:-2]
    return concatenate([walk[: first + 1], line, walk[last:]]), first, last


def test_feet_step_as_their_contacts_say() -> None:
    motion, first, last = dragged()
    floor = Floor(float(motion.positions()[..., 1].min()))
    # Whole feet cannot be held by toe and heel where the interpolation turns them.
    contacts = tuple(c for c in mw.sample("walk").constraints if c.kind.endswith("toe"))
    motion = motion.with_constraints(contacts)
    done = stepped(motion, first, last, floor)
    outside = np.r_[: first + 1, last : len(motion)]
    np.testing.assert_array_equal(done.root[outside], motion.root[outside])
    np.testing.assert_array_equal(done.rotations[outside], motion.rotations[outside])
    points, before = contact_points(done), contact_points(motion)
    crossing = [c for c in contacts if c.start < last - 2 and c.end > first + 2]
    assert len(crossing) == 2
    for contact in crossing:
        low, high = max(contact.start, first), min(contact.end, last)
        held = slice(int(np.ceil(low)), int(high) + 1)
        went, dragged_along = (
            np.ptp(one[contact.kind][held][:, [0, 2]], axis=0).max() for one in (points, before)
        )
        # Stiff legs of an interpolation do not reach all the way.
        assert went < 0.35 * dragged_along


def test_a_foot_is_lifted_to_step_by_as_much_as_the_step_is_long() -> None:
    stands, fixed = np.ones(40, dtype=bool), np.zeros(40, dtype=bool)
    stands[12:27] = False
    fixed[:6], fixed[36:] = True, True
    share = np.clip((np.arange(40) - 11) / 16.0, 0.0, 1.0)
    heights = []
    for length in (0.0, 0.1, 0.5):
        way = np.column_stack([0.0 * share, length * share])
        lifts = _lifts(way, np.zeros(40), stands, fixed, 30.0)
        np.testing.assert_array_equal(lifts[stands], 0.0)
        heights.append(lifts[19])
        # One that is high enough as it is stays there.
        np.testing.assert_array_equal(_lifts(way, np.full(40, 0.1), stands, fixed, 30.0), 0.0)
    assert heights[0] == 0.0
    assert 0.0 < heights[1] < 0.02
    assert 0.03 < heights[2] < 0.06


def test_a_foot_clears_the_floor_as_soon_in_a_long_step_as_in_a_short_one() -> None:
    heights = []
    for last in (18, 29, 40):
        stands, fixed = np.ones(40, dtype=bool), np.zeros(40, dtype=bool)
        stands[8:last] = False
        # In the longest, it is still in the air where the gap ends.
        fixed[:6], fixed[32:] = True, True
        way = np.column_stack([np.zeros(40), np.linspace(0.0, 2.0, 40)])
        lifts = _lifts(way, np.zeros(40), stands, fixed, 30.0)
        heights.append(lifts[8:12])
    np.testing.assert_allclose(heights[1], heights[0], rtol=1e-6)
    np.testing.assert_allclose(heights[2], heights[0], rtol=1e-6)
    assert heights[0][-1] > 0.03


def test_a_foot_keeps_its_place_exactly_while_it_stands() -> None:
    rng = np.random.default_rng(5)
    points = np.cumsum(rng.normal(0.02, 0.01, (2, 40, 2)), axis=1)
    points[1] = points[0] + [0.0, 0.2]
    held = np.zeros((2, 40), dtype=bool)
    held[0, 3:12], held[1, 8:15] = True, True
    held[1, 22:30] = True
    fixed = np.zeros(40, dtype=bool)
    fixed[:6], fixed[36:] = True, True
    shift = _kept(points, held, fixed)
    np.testing.assert_array_equal(shift[fixed], 0.0)
    placed = points + shift
    np.testing.assert_allclose(placed[:, 5:15], placed[:, 5:6] + np.zeros((10, 1)), atol=1e-12)
    np.testing.assert_allclose(placed[1, 22:30], placed[1, 22] + np.zeros((8, 1)), atol=1e-12)
    # Where nothing tells where it should stand, it stands where it was in the mean.
    np.testing.assert_allclose(shift[22:30].mean(axis=0), 0.0, atol=1e-12)
    # It stands across the whole gap: what it drifts is spread evenly.
    held[:] = True
    steps = np.diff((points + _kept(points, held, fixed))[0, 5:37], axis=0)
    np.testing.assert_allclose(steps, np.broadcast_to(steps[0], steps.shape), atol=1e-12)


def test_a_foot_that_stands_elsewhere_after_a_gap_has_made_a_step() -> None:
    motion, first, last = dragged()
    floor = Floor(float(motion.positions()[..., 1].min()))
    shares = np.ones((4, last - first + 1))
    shares[:, 10:13] = 0.8
    detected = (
        mw.Constraint(0.0, float(first), "left_toe"),
        mw.Constraint(float(last), len(motion) - 1.0, "left_toe"),
        mw.Constraint(0.0, float(first), "right_toe"),
        mw.Constraint(float(last), len(motion) - 1.0, "right_toe"),
    )
    found = contacts_in_gap(motion, detected, shares, first, floor)
    for side in ("left", "right"):
        stands = [c for c in found if c.kind == f"{side}_toe"]
        assert len(stands) == 2
        # It steps when the fewest of the stretches stand.
        assert stands[0].end < first + 10
        assert stands[1].start > first + 12
    still = replace(
        motion,
        root=np.repeat(motion.root[:1], len(motion), axis=0),
        rotations=np.repeat(motion.rotations[:1], len(motion), axis=0),
    )
    found = contacts_in_gap(still, detected, shares, first, floor)
    assert {(c.start, c.end) for c in found if "toe" in c.kind} == {(0.0, len(motion) - 1.0)}
