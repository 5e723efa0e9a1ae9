"""Live blending is the same blending, one frame at a time."""

from __future__ import annotations

import numpy as np
import pytest

import motionweave as mw
from motionweave import BlendError
from motionweave.core import rotations
from tests.methods.blending.clips import NINE, built_in
from tests.methods.blending.test_blend import wandering


@pytest.mark.parametrize(("cyclic", "pace"), [(False, "durations"), (True, "rates")])
def test_steps_give_the_frames_of_the_blend(cyclic: bool, pace: str) -> None:
    curve = built_in(*NINE, ends="cyclic" if cyclic else "fixed")
    whole = mw.blend(curve, wandering, duration=6.0, pace=pace, clean=False)
    blender = curve.stepper(pace=pace)
    for i in range(len(whole)):
        # The pace of a step is decided by the weights at its beginning, the pose by those at
        # its end; a blend of given weights does the same.
        pose = blender.step(wandering((i - 1) / 30.0 if i else 0.0), 1.0 / 30.0 if i else 0.0)
        pose = blender.step(wandering(i / 30.0), 0.0)
        apart = rotations.angle_between(pose.rotations[1:], whole.rotations[i, 1:])
        assert apart.max() < 1e-9
        held = {c.kind for c in whole.constraints if c.start + 1e-6 < i < c.end - 1e-6}
        touching = {c.kind for c in whole.constraints if c.start - 1e-6 <= i <= c.end + 1e-6}
        assert held <= pose.held <= touching
    assert pose.positions().shape == (len(whole.skeleton), 3)


def test_steps_with_constant_weights_go_the_same_way() -> None:
    curve = built_in("walk_left", "jog")
    whole = mw.blend(curve, [0.3, 0.7], clean=False)
    blender = curve.stepper()
    poses = [blender.step([0.3, 0.7], 1.0 / 30.0 if i else 0.0) for i in range(len(whole))]
    np.testing.assert_allclose([p.root for p in poses], whole.root, atol=1e-9)
    assert not blender.finished
    for _ in range(3):
        last = blender.step([0.3, 0.7], 1.0)
    assert blender.finished
    assert last.u == curve.timewarp.end


def test_bad_steps_are_refused() -> None:
    blender = built_in("walk", "jog").stepper()
    with pytest.raises(BlendError, match="time step"):
        blender.step([1, 0], -0.1)
    with pytest.raises(BlendError, match="2 weights"):
        blender.step([1, 0, 0], 0.1)
    with pytest.raises(BlendError, match="not on the curve"):
        mw.Stepper(built_in("walk", "jog"), start=-3.0)
