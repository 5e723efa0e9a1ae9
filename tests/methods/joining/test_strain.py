"""How hard a join is on the body, and how far what carries it slides."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import motionweave as mw
from motionweave.body.rig.roles import leg_length
from motionweave.core.planar import Planar
from motionweave.methods.joining.splice import Spliced
from motionweave.methods.joining.strain import Strain


def shown(motion: mw.Motion) -> Spliced:
    """A motion from its first frame to its last as the seam between two clips."""
    return Spliced(motion, motion, 0, len(motion) - 1, motion, Planar(0.0, 0.0, 0.0))


def test_clips_neither_strain_nor_slide_by_their_own_measure() -> None:
    walk, jog = mw.sample("walk"), mw.sample("jog")
    strain = Strain((walk, jog))
    for clip in (walk, jog):
        assert strain(clip) <= 1.0
        assert strain.slide(shown(clip)) == 0.0


@pytest.mark.parametrize("speed", [0.5, 1.0])
def test_a_body_that_glides_slides_as_far_as_it_glides(speed: float) -> None:
    """Leg lengths per second, over the half second that is looked at."""
    idle = mw.sample("walk")
    still = replace(
        idle,
        root=np.repeat(idle.root[:1], 60, axis=0),
        rotations=np.repeat(idle.rotations[:1], 60, axis=0),
        constraints=(),
    )
    along = np.arange(60)[:, None] / idle.fps * speed * leg_length(idle.skeleton)
    gliding = replace(still, root=still.root + along * np.array([1.0, 0.0, 0.0]))
    assert Strain((still, still)).slide(shown(gliding)) == pytest.approx(0.5 * speed, rel=0.05)
