"""Clips of a library on another body, whatever the rigs are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.body.rig.roles import leg_length
from motionweave.library.bodies import on_body
from motionweave.library.index.features import places_of
from tests.rests import with_other_rest


@pytest.mark.parametrize("feet", [True, False])
def test_a_clip_looks_the_same_on_a_body_with_another_zero_pose(feet: bool) -> None:
    jog = mw.sample("jog")
    body = with_other_rest(mw.sample("walk"), 3)
    result = on_body(jog, body, feet=feet)
    assert result.skeleton == body.skeleton
    ours, theirs = (places_of(m.skeleton, m.positions()) for m in (result, jog))
    np.testing.assert_allclose(ours, theirs, atol=0.01 * leg_length(jog.skeleton))


def test_a_gap_is_filled_alike_from_a_library_of_another_rig(tmp_path: Path) -> None:
    names = ("walk", "jog", "sneak", "walk_left")
    walk = mw.sample("walk")
    before, after = walk[:35], walk[60:]
    fills = []
    for number, rig in enumerate((lambda clip: clip, lambda clip: with_other_rest(clip, 7))):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name in names:
            mw.save(rig(mw.sample(name)), folder / f"{name}.bvh")
        library = mw.Library(folder)
        library.add()
        fills.append(mw.inbetween(before, after, seconds=25 / walk.fps, library=library))
    apart = np.linalg.norm(fills[0].positions() - fills[1].positions(), axis=-1)
    assert apart.max() < 0.05 * leg_length(walk.skeleton)
