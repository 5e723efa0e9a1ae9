"""Whole bodies that reach for places."""

from __future__ import annotations

import numpy as np

import motionweave as mw
from motionweave.library.fill.full_body_ik import reached
from motionweave.library.index.features import places_of


def test_roles_come_to_where_they_are_wanted() -> None:
    walk = mw.sample("walk")[:20]
    places = places_of(walk.skeleton, walk.positions())
    same = reached(walk, places)
    np.testing.assert_allclose(same.positions(), walk.positions(), atol=1e-12)
    # Poses of the same walk a little later can be reached, the root's place included.
    later = mw.sample("walk")[3:23]
    wanted = places_of(walk.skeleton, later.positions())
    found = places_of(walk.skeleton, reached(walk, wanted).positions())
    before, after = (np.linalg.norm(one - wanted, axis=-1).mean() for one in (places, found))
    assert after < 0.3 * before
