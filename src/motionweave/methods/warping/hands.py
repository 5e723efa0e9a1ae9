"""Hands that stay at a goal from one frame to another.

Poses are found at a few frames of the interval (`goals`); in between each arm is solved for
every frame, as legs are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from motionweave.body.ik import Limb
from motionweave.body.rig.roles import SIDES
from motionweave.contacts.clean.solve import FootWay, solve_limbs
from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.core.numerics.curves import smootherstep
from motionweave.methods.warping.targets import Placed, WarpClip

# Seconds before and after the interval in which an arm approaches the goal.
_EASE = 0.25
_HELD = ("goal", "offset", "orientation")
# Share of its length up to which an arm bends clearly.
_STRETCHED = 0.985


def hold_hands(before: WarpClip, now: WarpClip, goals: Sequence[Placed]) -> Motion:
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
        mine = [
            p
            for p in goals
            if p.joints == (limb.end,) and p.until is not None and p.key.kind in _HELD
        ]
        if mine and limb.middle in now.hinges:
            motion = _held(before, now.now(motion), limb, mine)
    return motion


def _held(before: WarpClip, now: WarpClip, limb: Limb, goals: Sequence[Placed]) -> Motion:
    motion = now.motion
    positions, orientations = now.forward
    frames = np.arange(len(motion), dtype=np.float64)
    end, own = positions[:, limb.end], orientations[:, limb.end]
    # Turned hands come first: where a tip is depends on them.
    turn = np.tile(rotations.IDENTITY, (len(frames), 1))
    for placed in (p for p in goals if p.key.kind == "orientation"):
        share = _share(placed, frames, motion.fps)
        wanted = before.orientations_wanted(placed.key, frames, now)
        missed = rotations.log(rotations.multiply(wanted, rotations.inverse(own)))
        turn = rotations.multiply(rotations.exp(share * missed), turn)
    turned = rotations.multiply(turn, own)
    goal = np.array(end)
    for placed in (p for p in goals if p.key.kind != "orientation"):
        share = _share(placed, frames, motion.fps)
        wanted = before.places(placed, now)
        tip = before.tip(placed.key)
        if tip is not None:
            wanted = wanted - rotations.rotate(turned, tip)
        # Before and after, the arm approaches the moving goal at its velocity.
        goal += share * np.where(np.isnan(wanted), 0.0, wanted - end)
    axis = now.hinges[limb.middle].axis
    shoulder, elbow = positions[:, limb.upper], positions[:, limb.middle]
    full = np.linalg.norm(elbow - shoulder, axis=-1) + np.linalg.norm(end - elbow, axis=-1)
    within = np.linalg.norm(goal - shoulder, axis=-1) < _STRETCHED * full
    way = FootWay(
        limb,
        rotations.rotate(orientations[:, limb.upper], axis),
        goal,
        turn,
        np.ones(len(frames)),
        # An arm that is stretched out would snap to be exact.
        exact=bool(np.all(within | np.all(goal == end, axis=-1))),
        brisk=True,
    )
    local: Array = np.array(motion.rotations)
    solve_limbs(motion, positions, orientations, [way], np.zeros((len(frames), 3)), local)
    return replace(motion, rotations=local)


def _share(placed: Placed, frames: Array, fps: float) -> Array:
    """The weight ``(T, 1)`` of a lasting key at frames ``(T,)``."""
    assert placed.until is not None
    away = np.maximum(placed.frame - frames, frames - placed.until) / fps
    return np.asarray(smootherstep(1.0 - away / _EASE)[:, None])
