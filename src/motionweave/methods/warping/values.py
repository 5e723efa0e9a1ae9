"""A clip reshaped by keys, in its own time.

In this order: keys that turn joints, the path, the feet, goals. Keys of the legs take precedence
over planted feet, keys of the root and goals over the body giving way; whatever gives way to
something else is said.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

import numpy as np

from motionweave.body.ground import Ground
from motionweave.body.rig.parts import below
from motionweave.body.rig.roles import SIDES
from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.kinematics import sample_vectors
from motionweave.core.motion import Motion
from motionweave.errors import Notice, QualityWarning, WarpError
from motionweave.methods.warping.feet import Feet, FootPlan, Keyed
from motionweave.methods.warping.goals import (
    GoalFrame,
    Posed,
    goal_frames,
    pose,
    pose_onward,
    pose_turns,
    tell_of_goals,
)
from motionweave.methods.warping.hands import hold_hands
from motionweave.methods.warping.holds import missed_between
from motionweave.methods.warping.keys import ROOT_CURVES, Key
from motionweave.methods.warping.legs import follow, within_range
from motionweave.methods.warping.moments import comes_back, place_in_step
from motionweave.methods.warping.paths import Path, path_of
from motionweave.methods.warping.posing import SolvedPose
from motionweave.methods.warping.steps import without_steps
from motionweave.methods.warping.targets import SEEN, Placed, WarpClip
from motionweave.methods.warping.turning import warp_rotations
from motionweave.methods.warping.turns import Turn, WarpShape, turns_of

# Degrees by which a key of a leg may be missed, and leg lengths that a standing foot or the body
# may be off its place, which nothing marks, before there is a warning.
_NOTICED, _OFF = 1.0, 2.0 * SEEN
# Leg lengths by which legs that stand may be too short for a goal before the body misses it.
_STRAIN = SEEN
# Seconds within which keys that come back with every step are in each other's way.
_NEAR = 0.15


@dataclass(frozen=True)
class _Keys:
    """The keys of a warp, grouped by kind."""

    path: tuple[Placed, ...]
    goals: tuple[Placed, ...]
    turns: tuple[Turn, ...]

    @staticmethod
    def of(clip: WarpClip, keys: Iterable[Key]) -> _Keys:
        placed = sorted(_placed(clip, keys), key=lambda p: p.frame)
        path = tuple(p for p in placed if p.key.joint in ROOT_CURVES)
        goals = tuple(p for p in placed if p.key.posed_by_goal)
        turning = [p for p in placed if p.key.joint not in ROOT_CURVES and not p.key.posed_by_goal]
        return _Keys(
            tuple(end for p in path for end in p.ends),
            goals,
            tuple(turns_of([end for p in turning for end in p.ends], clip)),
        )


def _placed(clip: WarpClip, keys: Iterable[Key]) -> list[Placed]:
    """The keys on the clip.

    Where both feet stand at once, keys of every left and of every right stance would meet and
    contradict each other within a moment: there the one that is listed first wins.
    """
    near = _NEAR * clip.motion.fps
    found: list[Placed] = []
    for key in keys:
        alike = [p for p in found if (p.key.joint, p.key.kind) == (key.joint, key.kind)]
        again = comes_back(key.frame) and key.until is None
        for one in clip.place(key):
            _check_steps(one, alike, near, clip.first)
            if not (again and any(abs(one.frame - p.frame) < near for p in alike)):
                found.append(one)
    return found


def _check_steps(placed: Placed, others: Iterable[Placed], near: float, begin: int) -> None:
    """Two steps in words are one and the same, or nearly, if a clip has too few of them.

    ``begin`` is the frame of the user's clip from which frames count.
    """
    key, place = placed.key, place_in_step(placed.key.frame)
    for other in others:
        there = place_in_step(other.key.frame)
        if place is None or there is None or key.frame == other.key.frame:
            continue
        # The middles of two stances are nearly the same moment if the body stands on both feet.
        apart = abs(placed.frame - other.frame)
        if apart == 0.0 or (place == there and apart < near):
            first, last = sorted((other.frame + begin, placed.frame + begin))
            where = (
                f"both at frame {first:g}" if apart == 0.0 else f"at frames {first:g} and {last:g}"
            )
            raise WarpError(
                f"{other.key} and {key} are {where}: the clip has too few steps to tell them "
                "apart; use a longer walk, or leave one of the keys out"
            )


def warp_values(
    clip: WarpClip,
    keys: Iterable[Key],
    shape: WarpShape,
    *,
    follow_path: bool = False,
    release: Sequence[str] = (),
    clean: bool = True,
    ground: Ground | None = None,
) -> Motion:
    """A clip reshaped by keys, in its own time; parameters as for `warp`."""
    given = _Keys.of(clip, keys)
    path = path_of(clip, given.path, shape, follow_path) if given.path else None
    trunk = _trunk(clip)
    lifted = bool(given.path or given.goals) or any(turn.joint in trunk for turn in given.turns)
    feet = None
    if clean and (lifted or ground is not None):
        feet = _Kept(clip, given, path, shape, release, ground)
        path = feet.path
    warped = clip.motion
    if given.turns:
        seen = [_before_path(turn, path) for turn in given.turns]
        warped = _turned(clip, seen, shape, trunk, natural=clean)
    if path is not None:
        warped = path.apply(warped)
    if given.goals:
        warped = _to_goals(clip, warped, given, shape, trunk, feet)
    elif feet is not None:
        warped = feet.kept(warped)
    if feet is not None:
        feet.tell(warped)
        steps = sorted(
            (first, side) for side, one in feet.stepping.items() for first, _ in one.swings
        )
        if steps:
            taken = ", ".join(f"{side} at frame {clip.first + at:g}" for at, side in steps)
            warnings.warn(
                Notice(f"the feet cannot reach their places, so the body takes steps: {taken}"),
                stacklevel=4,
            )
            warped = warped.with_constraints(without_steps(warped.constraints, feet.stepping))
    return warped


class _Kept:
    """Feet that are kept at their targets."""

    def __init__(
        self,
        clip: WarpClip,
        given: _Keys,
        path: Path | None,
        shape: WarpShape,
        release: Sequence[str],
        ground: Ground | None,
    ) -> None:
        self.clip, self.given, self.path = clip, given, path
        self.shape, self.release = shape, release
        legs, ankles = _below(clip, "thigh"), _below(clip, "ankle")
        self.turns = [turn for turn in given.turns if turn.joint in legs]
        # A stiff ankle does not tilt a foot that stands: the leg turns above it.
        footed = [turn for turn in self.turns if turn.joint in ankles and turn.factor is None]
        whole = _turned(clip, self.turns, shape)
        alone = whole if len(footed) == len(self.turns) else _turned(clip, footed, shape)
        self.keyed = Keyed(whole, alone, _own_legs(clip, self.turns, shape))
        self.feet = Feet(clip)
        self.terrain = None
        if ground is not None:
            self.terrain = self.feet.terrain(self.keyed, path, ground, release)
            self.path = self.terrain.path
        self.stepping = self.feet.stepping(None if ground is not None else path, release)
        self.plans: list[FootPlan] = []
        self.missing: Mapping[str, Array] = {}
        self.given_way = self.before_goals = self.strain = np.zeros((len(clip.motion), 3))
        # How far feet are from their plans, without lifts, in the motion that goals start from.
        self.carried: dict[str, Array] = {}

    def kept(self, motion: Motion, posed: Sequence[Posed] = ()) -> Motion:
        """The motion with its feet at their targets."""
        self.plans = self.feet.plans(
            self.keyed,
            self.path,
            posed,
            self.shape,
            self.release,
            self.stepping,
            self.terrain,
            self.carried,
        )
        goals = [p.frame for p in posed]
        for p in self.given.goals if posed else ():
            if p.until is not None:
                goals += np.arange(p.frame, p.until).tolist()
        keyed = [p.frame for p in self.given.path if p.key.joint != "heading"]
        result, self.missing, shift, self.strain = follow(
            motion, self.plans, self.clip, goals, keyed
        )
        # Goals start from a body that has given way already.
        self.given_way = self.before_goals + shift
        if not posed and self.given.goals:
            self.before_goals = self.given_way
            places = result.positions()
            for plan in self.plans:
                self.carried[plan.side] = places[:, plan.limb.end] - plan.ankle
                self.carried[plan.side][:, 1] += plan.lifted
        return result

    def tell(self, result: Motion) -> None:
        """Warn which keys of the legs gave way, and to what."""
        for plan in self.plans:
            off = np.where(plan.standing * (1.0 - plan.own) == 1.0, self.missing[plan.side], 0.0)
            if off.max() > _OFF * self.clip.scale:
                frame = self.clip.first + int(off.argmax())
                _warn(
                    f"the {plan.side} foot slips by {off.max() / self.clip.scale:.0%} of a "
                    f"leg length at frame {frame}: the body is out of its reach there"
                )
        for p in self.given.path:
            way = float(np.linalg.norm(self.given_way[round(p.frame)])) / self.clip.scale
            if p.key.joint != "heading" and way > _OFF:
                _warn(f"{p.key}: gives way to the planted feet by {way:.0%} of a leg length")
        knees = [leg.middle for leg in self.clip.legs.values()]
        thighs = [leg.upper for leg in self.clip.legs.values()]
        for turn in self.turns:
            at = round(turn.frame)
            if turn.factor is None and turn.joint in (*knees, *thighs):
                before, after = (m.rotations[at, turn.joint] for m in (self.keyed.whole, result))
                off_by = float(np.degrees(rotations.angle_between(before, after)))
                if off_by > _NOTICED:
                    _warn(f"{turn.name}: gives way to the planted foot by {off_by:.0f} degrees")
        self._tell_stiff(result, knees)

    def _tell_stiff(self, result: Motion, knees: Sequence[int]) -> None:
        for joint in knees:
            damped = [t for t in self.turns if t.joint == joint and (t.factor or 1.0) < 1.0]
            if not damped:
                continue
            bend = self.clip.hinges[joint].flexion
            peaks = [np.degrees(bend(*m.forward()).max()) for m in (self.clip.motion, result)]
            if peaks[1] > peaks[0]:
                _warn(
                    f"{damped[0].name}: gives way to the foot; the knee bends by {peaks[1]:.0f} "
                    f"degrees at most, as far as in the clip ({peaks[0]:.0f})"
                )


def _to_goals(
    clip: WarpClip,
    motion: Motion,
    given: _Keys,
    shape: WarpShape,
    trunk: Sequence[int],
    feet: _Kept | None,
) -> Motion:
    """The motion with its goals met by joint keys, and its feet kept if requested."""
    here = clip.now(motion if feet is None or motion is clip.motion else feet.kept(motion))
    frames = goal_frames(here, given.goals)
    result = _met(here, frames, given, shape, trunk, feet)
    more = missed_between(here, result, given.goals, [goal.frame for goal in frames])
    if more:
        frames = goal_frames(here, given.goals, more)
        result = _met(here, frames, given, shape, trunk, feet)
    tell_of_goals(result, frames, here)
    return result.motion


def _met(
    here: WarpClip,
    frames: Sequence[GoalFrame],
    given: _Keys,
    shape: WarpShape,
    trunk: Sequence[int],
    feet: _Kept | None,
) -> WarpClip:
    """A clip posed in some ``frames``; other parameters as for `_to_goals`."""
    # Legs are solved for their feet afterwards: their keys do not bind the goals.
    legs: set[int] = set() if feet is None else _below(here, "thigh")
    turns = [turn for turn in given.turns if turn.joint not in legs]
    goals, posed = _agreed(here, frames, _posed(here, frames, turns), turns, shape, trunk)
    result = _displaced(here, posed, turns, shape, trunk, legs)
    if feet is not None:
        kept = feet.kept(result, posed)
        strain = [_beyond(feet.strain[round(p.frame)], _STRAIN * here.scale) for p in posed]
        if np.any(strain):
            # The body stops where its legs would be straight, and the rest of it does what it can.
            near = [
                replace(p.after, root=p.after.root + move)
                for p, move in zip(posed, strain, strict=True)
            ]
            posed = _posed(here, goals, turns, near, rooted=True)
            result = _displaced(here, posed, turns, shape, trunk, legs)
            kept = feet.kept(result, posed)
        result = kept
    return here.now(hold_hands(here, here.now(result), given.goals))


def _beyond(vector: Array, most: float) -> Array:
    """What a vector ``(3,)`` has beyond a length."""
    length = float(np.linalg.norm(vector))
    return vector * (1.0 - most / length) if length > most else np.zeros(3)


def _posed(
    clip: WarpClip,
    frames: Sequence[GoalFrame],
    turns: Sequence[Turn],
    near: Sequence[SolvedPose] | None = None,
    rooted: bool = False,
) -> list[Posed]:
    """Poses that meet the goals, each as near as possible to one of ``near``; by default to that of
    the clip. See `pose`."""
    starts = [None] * len(frames) if near is None else near
    posed = []
    for goal, start in zip(frames, starts, strict=True):
        fixed = {t.joint for t in _values(turns) if abs(t.frame - goal.frame) < 1e-9}
        now = pose(clip, goal, fixed, start, rooted)
        posed.append(replace(now, onward=pose_onward(clip, goal, fixed, now)))
    return posed


def _agreed(
    clip: WarpClip,
    frames: Sequence[GoalFrame],
    posed: Sequence[Posed],
    turns: Sequence[Turn],
    shape: WarpShape,
    trunk: Sequence[int],
) -> tuple[list[GoalFrame], list[Posed]]:
    """Goals whose poses agree with each other, and these poses.

    A body that leans for one hand, and a moment later otherwise for the other, would jerk. So where
    other joints have goals in other frames, each pose is found once more, from where those leave
    the body.
    """
    goals, agreed = list(frames), list(posed)
    for joints in dict.fromkeys(goal.joints for goal in frames):
        others = [p for p, goal in zip(agreed, frames, strict=True) if not goal.joints <= joints]
        if not others:
            continue
        mine = [index for index, goal in enumerate(frames) if goal.joints == joints]
        left = _displaced(clip, others, turns, shape, trunk, set())
        here = left.sample([frames[index].frame for index in mine])
        places = here.positions()
        # Feet that the others move are no longer where they are in the clip.
        feet = {clip.rig.roles[f"{side}_ankle"] for other in others for side in other.feet}
        for row, index in enumerate(mine):
            goals[index] = frames[index].with_feet({foot: places[row, foot] for foot in feet})
            near = SolvedPose(np.array(here.root[row]), np.array(here.rotations[row]))
            (agreed[index],) = _posed(clip, [goals[index]], turns, [near])
    return goals, agreed


def _values(turns: Sequence[Turn]) -> list[Turn]:
    """Keys that say what a joint's rotation is, not by how much it is scaled."""
    return [turn for turn in turns if turn.factor is None]


def _displaced(
    clip: WarpClip,
    posed: Sequence[Posed],
    turns: Sequence[Turn],
    shape: WarpShape,
    trunk: Sequence[int],
    legs: AbstractSet[int],
) -> Motion:
    """The motion displaced so that it passes through poses.

    ``legs`` are left as they are: they are solved for their feet afterwards.
    """
    neutral: dict[int, set[float]] = {}
    for turn in _values(turns):
        neutral.setdefault(turn.joint, set()).add(turn.frame)
    quaternions = warp_rotations(clip, pose_turns(posed, neutral, legs), shape, trunk)
    # The root's shift goes with the body where it is held through a turn.
    level = rotations.about_vertical(clip.ahead)

    def shift(p: Posed) -> Array:
        back = rotations.about_vertical(-sample_vectors(clip.ahead, np.array([p.frame])))
        return rotations.rotate(back, p.after.root - p.before.root)[0]

    course = shape.course(
        [p.knot for p in posed],
        np.array([shift(p) for p in posed]),
        np.array([[shift(p.going_on(side)) for p in posed] for side in (0, 1)]),
        len(clip.motion),
        clip.motion.fps,
    )
    root = clip.motion.root + rotations.rotate(level, course)
    return replace(clip.motion, root=root, rotations=quaternions)


def _before_path(turn: Turn, path: Path | None) -> Turn:
    """A new rotation of the root, as it has to be before a path turns it."""
    if path is None or turn.rotation is None or turn.joint != 0:
        return turn
    back = rotations.about_vertical(-path.angle_at(turn.frame))
    return replace(turn, rotation=rotations.multiply(back, turn.rotation))


def _trunk(clip: WarpClip) -> tuple[int, ...]:
    """Joints from the root to the hips: what carries the legs."""
    return clip.motion.skeleton.chain(0, clip.rig.roles.get("hips", 0))


def _below(clip: WarpClip, part: str) -> set[int]:
    """Joints from that part of either leg on."""
    tops = [clip.rig.roles.get(f"{side}_{part}") for side in SIDES]
    return {j for top in tops if top is not None for j in below(clip.motion.skeleton, top)}


def _turned(
    clip: WarpClip,
    turns: Sequence[Turn],
    shape: WarpShape,
    trunk: Sequence[int] = (),
    natural: bool = True,
) -> Motion:
    """The clip with keys of joints; ``natural`` if scaled knees and elbows keep bending the right
    way."""
    if not turns:
        return clip.motion
    turned = replace(clip.motion, rotations=warp_rotations(clip, turns, shape, trunk))
    scaled = {turn.joint for turn in turns if turn.factor is not None} & set(clip.hinges)
    return within_range(clip, turned, sorted(scaled)) if natural and scaled else turned


def _own_legs(clip: WarpClip, turns: Sequence[Turn], shape: WarpShape) -> dict[str, Array]:
    """How far ``(2, T)`` legs follow their keys rather than their feet, by side.

    In the air they are; in a stance only for the moment of a key that is not held.
    """
    found = {}
    count, fps = len(clip.motion), clip.motion.fps
    for side, leg in clip.legs.items():
        mine = [t for t in turns if t.joint in leg[:2] and t.factor is None]
        knots = sorted({t.knot for t in mine})
        if knots:
            share = shape.weights(knots, count, fps).sum(axis=1).clip(0.0, 1.0)
            held = any(shape.hold)
            found[side] = np.stack([share, np.zeros(count) if held else share])
    return found


def _warn(message: str) -> None:
    warnings.warn(message, QualityWarning, stacklevel=6)
