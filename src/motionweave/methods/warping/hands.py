"""Hands that stay where a goal has them from one frame to another.

Poses are found at a few frames of the interval (`goals`); in between each arm is solved for
every frame, as legs are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from motionweave.body.ik import Limb
from motionweave.body.rig.roles import SIDES
from motionweave.contacts.clean.solve import FootWay, solve_limb
from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.curves import smoothstep
from motionweave.core.motion import Motion
from motionweave.methods.warping.targets import Clip, Placed

# Seconds before and after the interval in which an arm comes to where the goal has it.
_EASE = 0.15


def hold_hands(before: Clip, now: Clip, goals: Sequence[Placed]) -> Motion:
    """The motion ``now`` with hands at the goals that last.

    Parameters
    ----------
    before
        The clip before its goals: offsets are from there.
    now
        The clip posed by its goals.
    goals
        All of them; those of a moment are met already.
    """
    motion = now.motion
    for side in SIDES:
        names = [f"{side}_{part}" for part in ("upper_arm", "forearm", "hand")]
        if not now.rig.has(*names):
            continue
        limb = Limb(*(now.rig.roles[name] for name in names))
        mine = [p for p in goals if p.joints == (limb.end,) and p.until is not None]
        if mine and limb.middle in now.hinges:
            motion = _held(before, now.now(motion), limb, mine)
    return motion


def _held(before: Clip, now: Clip, limb: Limb, goals: Sequence[Placed]) -> Motion:
    motion = now.motion
    positions, orientations = now.forward
    frames = np.arange(len(motion))
    end = positions[:, limb.end]
    goal = np.array(end)
    for placed in goals:
        assert placed.until is not None
        inside = (frames >= placed.frame) & (frames <= placed.until)
        wanted = before.places(placed, now)
        away = np.maximum(placed.frame - frames, frames - placed.until) / motion.fps
        share = smoothstep(1.0 - away / _EASE)[:, None]
        # Before and after, the arm comes from and goes back to what it does.
        edge = np.clip(frames, np.flatnonzero(inside)[0], np.flatnonzero(inside)[-1])
        missed = np.where(np.isnan(wanted), 0.0, wanted - end)[edge]
        goal += share * missed
    axis = now.hinges[limb.middle].axis
    way = FootWay(
        limb,
        rotations.rotate(orientations[:, limb.upper], axis),
        goal,
        np.broadcast_to(rotations.IDENTITY, (len(frames), 4)),
        np.ones(len(frames)),
        exact=True,
    )
    local: Array = np.array(motion.rotations)
    solve_limb(motion, positions, orientations, way, np.zeros((len(frames), 3)), local)
    return replace(motion, rotations=local)
