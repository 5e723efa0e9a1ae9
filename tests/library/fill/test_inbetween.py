"""Gaps, filled from a library."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.body.rig.roles import leg_length
from motionweave.body.soles import contact_points
from motionweave.core import rotations
from motionweave.library.engine import Here
from motionweave.library.fill.inbetween import _met


def test_a_fill_meets_both_ends_exactly(library: mw.Library) -> None:
    walk = library.load("walks/walk.npz")
    for after in (walk[50:], walk[50]):
        filled = mw.inbetween(walk[:36], after, 15 / 30.0, library)
        assert len(filled) == 36 + 14 + len(after)
        np.testing.assert_allclose(filled.root[:36], walk.root[:36], atol=1e-12)
        np.testing.assert_allclose(filled.root[50:], after.root, atol=1e-12)
        np.testing.assert_allclose(
            np.abs(np.sum(filled.rotations[50:] * after.rotations, axis=-1)), 1.0, atol=1e-9
        )


def test_what_was_cut_out_of_a_clip_of_the_library_comes_back(library: mw.Library) -> None:
    """The stretch itself is the best fill, and nothing is done to it on the way."""
    for path in ("walks/walk.npz", "fights/kick_high.npz"):
        motion = library.load(path)
        filled = mw.inbetween(motion[:30], motion[45:], 16 / 30.0, library)
        apart = np.linalg.norm(filled.positions() - motion.positions(), axis=-1)
        assert apart.max() < 0.02


def test_a_fill_is_nearer_to_the_truth_than_a_straight_line(library: mw.Library) -> None:
    walk = mw.sample("walk", speed=1.35)
    truth = walk.positions()[30:60]
    filled = mw.inbetween(walk[:30], walk[60:], 31 / 30.0, library).positions()[30:60]
    share = (np.arange(1, 31) / 31)[:, None, None]
    ends = walk.positions()[[29, 60]]
    line = ends[0] + share * (ends[1] - ends[0])
    assert (
        np.linalg.norm(filled - truth, axis=-1).mean()
        < 0.6 * np.linalg.norm(line - truth, axis=-1).mean()
    )


@pytest.mark.parametrize("degrees", [30.0, 120.0, 180.0])
def test_a_bone_that_is_twisted_on_other_rigs_is_twisted_back(degrees: float) -> None:
    jog = mw.sample("jog")
    forearm = mw.find_rig(jog.skeleton).roles["left_forearm"]
    bone = jog.skeleton.offsets[list(jog.skeleton.parents).index(forearm)]
    twist = rotations.exp(np.radians(degrees) * bone / np.linalg.norm(bone))
    turned = np.array(jog.rotations)
    turned[:, forearm] = rotations.multiply(jog.rotations[:, forearm], twist)
    # From frame 10 to 30, with one more on either side.
    stretch = replace(jog, rotations=turned)[9:32].moved(mw.Planar(0.7, 1.0, 2.0))
    met = _met(stretch, jog[:11], jog[30:])
    angles = rotations.angle_between(met.rotations, jog[9:32].rotations)
    assert angles.max() < 1e-6


def test_a_foot_that_stands_before_a_gap_stays_where_it_is(library: mw.Library) -> None:
    walk = mw.sample("walk", speed=1.35)
    filled = mw.inbetween(walk[:30], walk[60], 31 / 30.0, library)
    points = contact_points(filled)
    across = [c for c in filled.constraints if c.kind in points and c.start < 28 and c.end > 33]
    assert across
    for contact in across:
        # The last frames of a contact are those in which the foot begins to leave.
        held = points[contact.kind][28 : int(contact.end) - 2]
        assert np.ptp(held[:, [0, 2]], axis=0).max() < 0.002 * leg_length(filled.skeleton)


def test_a_library_without_anything_similar_leaves_the_interpolation(library: mw.Library) -> None:
    """A body that stands still and turns its trunk a little, between walks and kicks."""
    walk = mw.sample("walk")
    turned = np.array(walk.rotations[[20] * 50])
    spine = walk.skeleton.names.index("Spine")
    nod = rotations.about_vertical(np.linspace(0.0, 0.4, 50))
    turned[:, spine] = rotations.multiply(nod, turned[:, spine])
    still = replace(
        walk[:50], root=np.repeat(walk.root[20:21], 50, axis=0), rotations=turned, constraints=()
    )
    filled = mw.inbetween(still[:15], still[40:], 26 / 30.0, library, clean=False)
    apart = np.linalg.norm(filled.positions() - still.positions(), axis=-1)
    assert apart.max() < 0.02


def test_a_fill_says_what_is_wrong(library: mw.Library, tmp_path: Path) -> None:
    walk = library.load("walks/walk.npz")
    with pytest.raises(mw.LibraryError, match="no frame in it"):
        mw.inbetween(walk[:30], walk[40:], 0.01, library)
    with pytest.raises(mw.LibraryError, match="no stretch of"):
        mw.inbetween(walk[:30], walk[40:], 60.0, library)
    empty = mw.Library(tmp_path, executor=Here())
    with pytest.raises(mw.LibraryError, match="the library is empty"):
        mw.inbetween(walk[:30], walk[40:], 1.0, empty)
