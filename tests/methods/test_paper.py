"""``paper=True``: what the papers say, and nothing that was added to it."""

from __future__ import annotations

import numpy as np

import motionweave as mw
from motionweave.methods.subspace import bezier
from motionweave.methods.subspace.kriging import Kriging
from motionweave.methods.subspace.tracing import _seconds


def test_a_spline_is_kriging_along_it_and_the_roots_own_way() -> None:
    """Mukai, section 2.3: poses, travel and speed are weighted sums of those of the samples."""
    space = mw.subspace(mw.sample("landing"), mw.sample("jump"), paper=True)
    made = space.transition(11, 24, degree=3, length=1.2, clean=False)
    field = space.field
    assert not field.kriging.drift
    weights = Kriging(field.points).weights(made.path)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, atol=1e-9)
    samples = np.concatenate(space.rows)[space.samples]
    rows = weights @ samples
    # The frames at both ends are the clips' own; between them nothing but the weighted sum.
    inside = slice(1, -1)
    shown = made.raw[made.start : made.end + 1]
    heights = rows[:, field.code.columns["height"]][:, 0]
    np.testing.assert_allclose(shown.root[inside, 1], heights[inside], atol=1e-9)
    # It lasts as long as the speeds along it say.
    arcs = np.linspace(0.0, bezier.arc_length(made.control), 129)
    seconds = float(_seconds(field, bezier.at_arc(made.control, arcs)).sum())
    assert abs(made.duration - seconds) <= 0.51 / space.a.fps
    np.testing.assert_allclose(shown.root[0], space.a.root[11], atol=1e-9)
    # The root goes its own way, whatever the feet do.
    travel = np.linalg.norm(rows[:, field.code.columns["travel"]], axis=1)
    steps = np.linalg.norm(np.diff(shown.root[:, [0, 2]], axis=0), axis=1)
    np.testing.assert_allclose(steps[1:], travel[1:-1], atol=1e-9)


def test_a_spline_transition_passes_the_settings_on() -> None:
    landing, jump = mw.sample("landing"), mw.sample("jump")
    made = mw.spline_transition(landing, jump, 11, 24, clean=False, paper=True)
    space = mw.subspace(landing, jump, paper=True)
    expected = space.transition(11, 24, clean=False).motion
    np.testing.assert_array_equal(made.rotations, expected.rotations)
    np.testing.assert_array_equal(made.root, expected.root)


def test_a_framespace_decouples_does_not_smooth_and_leaves_feet_alone() -> None:
    jog, walk = mw.sample("jog"), mw.sample("walk")
    made = mw.framespace([jog, walk], "blend", cycles=3, paper=True)
    space = mw.Framespace([jog, walk], decoupled=True, smoothing=0.0)
    expected = space.interpolate("blend", 3, clean=False)
    np.testing.assert_array_equal(made.rotations, expected.rotations)
    np.testing.assert_array_equal(made.root, expected.root)
