"""Courses: where bodies move and turn."""

from __future__ import annotations

import numpy as np

import motionweave as mw
from motionweave.library.index.course import courses, known, off_course
from motionweave.library.index.features import ClipTrack, track


def test_a_course_sees_turns_and_not_where_it_is() -> None:
    left, straight = (track(mw.sample(name, duration=4.0)) for name in ("walk_left", "walk"))
    at = np.arange(40, 80)
    moved = track(mw.sample("walk_left", duration=4.0).moved(mw.Planar(1.3, 4.0, -2.0)))
    np.testing.assert_allclose(courses(left, at), courses(moved, at), atol=1e-4)
    assert np.abs(courses(left, at)[:, 11]).min() > 5 * np.abs(courses(straight, at)[:, 11]).max()


def test_headings_are_averaged_over_what_there_is() -> None:
    seen = ClipTrack(np.zeros((20, 18, 3), dtype=np.float32), np.full(20, 1.5, dtype=np.float32))
    np.testing.assert_allclose(courses(seen, np.arange(20)), 0.0, atol=1e-6)


def test_what_an_example_does_not_show_is_not_compared() -> None:
    random = np.random.default_rng(1)
    at = np.array([0, 20, 59])
    seen = known(60, at)
    np.testing.assert_array_equal(seen[0], np.repeat([0, 0, 1, 1], 3))
    np.testing.assert_array_equal(seen[2], np.repeat([1, 1, 0, 0], 3))
    wanted, others = random.standard_normal((3, 12)), random.standard_normal((5, 12))
    plain = np.array(
        [[np.sum(m * (w - o) ** 2) for o in others] for w, m in zip(wanted, seen, strict=True)]
    )
    np.testing.assert_allclose(off_course(wanted, seen, others), plain, atol=1e-6)
