"""A recipe of the gallery on a walk, and what can be measured of it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

import motionweave as mw
from motionweave import Motion
from motionweave.body.pose.heading import facing
from motionweave.body.rig.roles import leg_length
from motionweave.contacts.floors import ground_under
from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.methods.warping.moments import frame_of, stances

WARPS = Path(__file__).resolve().parents[3] / "examples" / "warps"
REAL = ("cmu_16_15_walk_straight", "cmu_02_01_walk_straight")
# One walk of each of several rigs that were not there when the recipes were written.
WILD = ("Male2_B3_Walk", "walk_exhausted_001", "walk1_subject1_walk2_filtered", "neutral_01_000")
SIDES = ("left", "right")


class Scene:
    """A clip before and after a warp, measured in leg lengths and degrees."""

    def __init__(self, name: str, motion: Motion) -> None:
        self.recipe = mw.load_warp(WARPS / f"{name}.yaml")
        self.before, self.after = motion, self.recipe.apply(motion)
        self.leg = leg_length(motion.skeleton)
        self.roles = mw.find_rig(motion.skeleton).roles

    def at(self, moment: float | str) -> int:
        return round(frame_of(moment, self.before))

    def moved(self, joint: str, moment: float | str) -> Array:
        """How far a joint is from where it was, in the world's axes."""
        frame, index = self.at(moment), self.roles[joint]
        return (self.after.positions() - self.before.positions())[frame, index] / self.leg

    def aside(self, joint: str, moment: float | str) -> float:
        """How far a joint has moved to the left of the body."""
        turn = mw.Planar(-facing(self.before)[self.at(moment)])
        return float(turn.apply(self.moved(joint, moment))[0])

    def seen(self, motion: Motion, joint: str, origin: str = "hips") -> Array:
        """Places ``(T, 3)`` of a joint as seen from another one: left, up, ahead."""
        places = motion.positions()
        beside = places[:, self.roles[joint]] - places[:, self.roles[origin]]
        return mw.Planar(-facing(motion)).apply(beside) / self.leg

    def range(self, motion: Motion, joint: str, axis: int) -> float:
        """How far a joint goes to and fro beside the hips."""
        return float(np.ptp(self.seen(motion, joint)[:, axis]))

    def wider(self, joint: str, axis: int = 2) -> float:
        """How many times as far it does so after the warp."""
        return self.range(self.after, joint, axis) / self.range(self.before, joint, axis)

    def leans(self, motion: Motion) -> Array:
        """Pitch of the trunk ``(T,)``, forwards."""
        trunk = self.seen(motion, "neck")
        return np.degrees(np.arctan2(trunk[:, 2], trunk[:, 1]))

    def lean(self, motion: Motion) -> float:
        """The mean of it over the clip."""
        return float(self.leans(motion).mean())

    def turned(self, joint: str, moment: float | str) -> float:
        """How far a joint's bone is turned from where it was."""
        ways = [motion.forward()[1][self.at(moment), self.roles[joint]] for motion in self.both]
        return float(np.degrees(rotations.angle_between(*ways)))

    @property
    def both(self) -> tuple[Motion, Motion]:
        return self.before, self.after

    def steps(self) -> list[tuple[str, int]]:
        """Side and middle frame of all stances that are whole."""
        last = len(self.before) - 1
        return [
            (side, round(0.5 * (first + end)))
            for side in SIDES
            for first, end in stances(self.before, side)
            if first > 0 and end < last
        ]

    def above_ground(self) -> list[tuple[float, float]]:
        """Heights of the standing ankle over the floor before, and over the ground after."""
        ground = ground_under(self.recipe.options["ground"], self.before)
        places = [motion.positions() for motion in self.both]
        floor = mw.estimate_floor(self.before)
        found = []
        for side, frame in self.steps():
            before, after = (each[frame, self.roles[f"{side}_ankle"]] for each in places)
            heights = floor.above(before), ground.above(after)
            found.append((float(heights[0]) / self.leg, float(heights[1]) / self.leg))
        return found


@cache
def scene_of(name: str, motion: Motion) -> Scene | None:
    """A recipe on a walk; None if the walk has too few steps for it."""
    try:
        return Scene(name, motion)
    except mw.WarpError as error:
        if "the clip has" in str(error):
            return None
        raise
