"""Goals: "right hand here at frame 41" turned into joint keys by inverse kinematics.

All goals of a frame make one posed frame. Feet stay where they are unless a goal moves them, and
joints with their own keys at that frame stay as keyed.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from motionweave.body.ik import NEARLY_STRAIGHT
from motionweave.body.pose.axes import joint_forward
from motionweave.body.pose.posture import bending_spine
from motionweave.body.rig.parts import joints_called
from motionweave.body.rig.roles import SIDES, Rig
from motionweave.body.soles import has_feet
from motionweave.contacts.detect import estimate_floor
from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.constraints import active
from motionweave.core.motion import local_translations
from motionweave.core.prop import Prop
from motionweave.core.runtime.interrupt import checkpoint
from motionweave.errors import QualityWarning, WarpError
from motionweave.methods.warping import posing
from motionweave.methods.warping.aims import Aim, Aims, Limit, Limits
from motionweave.methods.warping.keys import Side
from motionweave.methods.warping.moments import comes_back
from motionweave.methods.warping.posing import PosableBody, SolvedPose
from motionweave.methods.warping.targets import SEEN, Knot, Placed, WarpClip
from motionweave.methods.warping.turns import Turn

# The stiffness of a joint, relative to 1 for the thigh and the upper arm.
_STIFFNESS = {
    "hips": 25.0,
    "neck": 6.0,
    "head": 3.0,
    "thigh": 1.0,
    "shin": 0.7,
    "ankle": 1.5,
    "shoulder": 8.0,
    "upper_arm": 1.0,
    "forearm": 0.7,
    "hand": 4.0,
}
_SPINE = 5.0
_ROOT = 5.0
# Knees and elbows bend from nearly straight to nearly folded, radians.
_LEAST_BEND, _MOST_BEND = NEARLY_STRAIGHT, np.radians(155.0)
# Planted feet are held more firmly than goals pull; feet in the air are held loosely.
_STANDING, _SWINGING = 6.0, 0.5
# A goal this far (leg lengths) below the floor gets a warning.
_UNDER = 0.02
# Seconds between two poses of goals that last.
_EVERY = 0.1
_ASKEW = np.radians(1.0)


@dataclass(frozen=True)
class GoalFrame:
    """All goals of one frame, as aims, and the aims that hold the feet meanwhile.

    Parameters
    ----------
    keys, goals
        The keys, and what each of them asks for.
    pins
        The aims of feet without a goal.
    ankles
        Sides whose foot has a goal, and where its ankle was, ``(3,)``.
    here
        The body in that frame, before.
    """

    frame: float
    keys: tuple[Placed, ...]
    goals: tuple[Aim, ...]
    pins: tuple[Aim, ...]
    ankles: Mapping[str, Array]
    here: WarpClip

    @property
    def joints(self) -> frozenset[int]:
        """The joints that have a goal."""
        return frozenset(aim.joint for aim in self.goals)

    def with_feet(self, places: Mapping[int, Array]) -> GoalFrame:
        """The same with ankles that have no goal held at other ``places`` ``(3,)``."""
        pins = tuple(
            replace(pin, position=places[pin.joint])
            if pin.position is not None and pin.joint in places
            else pin
            for pin in self.pins
        )
        return replace(self, pins=pins)


@dataclass(frozen=True)
class Posed:
    """A frame posed by goals.

    Parameters
    ----------
    before, after
        The pose before, and with the goals met.
    feet
        Sides whose foot a goal has moved, and how far its ankle moved, ``(3,)``.
    concerned
        Joints on which its goals and the feet meanwhile depend: all others may be anywhere.
    ease
        From the goals' keys, or None.
    along
        1 where lasting goals begin, -1 where they end: see `Knot`.
    held
        Sides whose foot a goal holds from there to the next posed frame.
    onward
        How it would go on by the tangents in and out of its goals, where these are given.
    """

    frame: float
    before: SolvedPose
    after: SolvedPose
    feet: Mapping[str, Array]
    concerned: AbstractSet[int]
    ease: Any
    along: int
    held: AbstractSet[str]
    onward: tuple[Onward | None, Onward | None] = (None, None)

    @property
    def knot(self) -> Knot:
        """Everything that the weights of a displacement depend on."""
        into, out = self.onward
        given = into is not None, out is not None
        return Knot(self.frame, self.ease, given=given, along=self.along)

    def going_on(self, side: int) -> Posed:
        """The same posed as it would be a `MOMENT` on, by its tangents in (0) or out (1)."""
        on = self.onward[side]
        return self if on is None else on.posed


@dataclass(frozen=True)
class Onward:
    """How a posed frame would go on by the tangents of its goals.

    Parameters
    ----------
    posed
        The frame posed for goals a `MOMENT` on.
    joints
        Those that carry the goals' joints, whose tangents are given by that.
    """

    posed: Posed
    joints: frozenset[int]


def goal_frames(
    clip: WarpClip, placed: Sequence[Placed], more: Iterable[float] = ()
) -> list[GoalFrame]:
    """Goals frame by frame, in order of time, measured on a clip; lasting ones in ``more``, too."""
    by_frame: dict[float, list[Placed]] = defaultdict(list, {frame: [] for frame in more})
    for p in placed:
        by_frame[p.frame].append(p)
    # Goals that last are posed every now and then; moments of others in between count for all.
    for p in placed:
        if p.until is not None:
            steps = max(round((p.until - p.frame) / (_EVERY * clip.motion.fps)), 1)
            for frame in np.unique(np.round(np.linspace(p.frame, p.until, steps + 1))):
                by_frame.setdefault(float(frame), [])
    for frame, here in by_frame.items():
        lasting = [p for p in placed if p.until is not None and p.frame <= frame <= p.until]
        here += [p for p in lasting if p not in here]
    return [_goal_frame(clip, frame, by_frame[frame]) for frame in sorted(by_frame)]


def pose(
    clip: WarpClip,
    goals: GoalFrame,
    fixed: AbstractSet[int],
    near: SolvedPose | None = None,
    rooted: bool = False,
) -> Posed:
    """Pose a frame so that its goals are met.

    Parameters
    ----------
    clip
        The clip, warped already by all keys that need no inverse kinematics.
    goals
        The goals to meet.
    fixed
        Joints that must not turn, such as those with their own keys there.
    near
        The pose that it shall differ from as little as possible; by default that of the clip.
    rooted
        Whether the root has to stay where it is in that pose.
    """
    checkpoint()
    here = goals.here
    start = SolvedPose(np.array(here.motion.root[0]), np.array(here.motion.rotations[0]))
    aims = [*goals.goals, *goals.pins]
    needed = _above(clip, [aim.joint for aim in aims])
    body = _body(clip, here, needed, fixed)
    if rooted:
        body = replace(body, root_stiffness=np.inf)
    after = posing.solve(body, start if near is None else near, aims)
    feet = {
        side: posing.joint_position(body, after, clip.rig.roles[f"{side}_ankle"]) - ankle
        for side, ankle in goals.ankles.items()
    }
    ease = next((p.key.ease for p in goals.keys if p.key.ease is not None), None)
    lasting = [p for p in goals.keys if p.until is not None and p.until > p.frame]
    spans = [(p.frame, p.until) for p in lasting]
    begins, ends = (goals.frame in [end[i] for end in spans] for i in (0, 1))
    going_on = {joint for p in lasting if p.until != goals.frame for joint in p.joints}
    held = {side for side in goals.ankles if going_on & _foot(clip, side)}
    bases = [p.key.of for p in goals.keys if isinstance(p.key.of, str)]
    concerned = needed | _above(clip, [joints_called(base, clip.rig)[0] for base in bases])
    along = int(begins) - int(ends)
    return Posed(goals.frame, start, after, feet, concerned, ease, along, held)


def pose_onward(
    clip: WarpClip, goals: GoalFrame, fixed: AbstractSet[int], now: Posed
) -> tuple[Onward | None, Onward | None]:
    """How a posed frame would go on by the tangents in and out of its goals.

    Parameters are those of `pose`, and what came of it: from there the body goes on, turning as
    little as the tangents need.
    """

    def going_on(side: Side) -> Onward | None:
        moved = [p.going_on(side) for p in goals.keys]
        if not any(moved):
            return None
        rows = [on or p for on, p in zip(moved, goals.keys, strict=True)]
        chains = [clip.motion.skeleton.chain(0, p.joints[0]) for p in moved if p is not None]
        posed = pose(clip, _goal_frame(clip, goals.frame, rows), fixed, now.after)
        return Onward(posed, frozenset(joint for chain in chains for joint in chain))

    return going_on("in"), going_on("out")


def tell_of_goals(clip: WarpClip, frames: Sequence[GoalFrame], before: WarpClip) -> None:
    """Warn about goals that a finished clip misses, why, and by how much.

    Parameters
    ----------
    clip
        The finished clip.
    frames
        Its goals.
    before
        The clip that they were posed on.
    """
    floor: float | None = None
    # Of each key the largest miss: one that comes back with every step is told of once.
    worst: dict[int, _Miss] = {}
    for goals in frames:
        here = clip.at(goals.frame)
        places = here.forward[0][0], here.forward[1][0]
        # What lasts relative to a joint goes with the body as it faces now.
        aims = [
            _aim(here, clip, p, goals.frame)
            if isinstance(p.key.of, str) and p.until is not None
            else aim
            for aim, p in zip(goals.goals, goals.keys, strict=True)
        ]
        missed = np.linalg.norm(Aims(aims).misses(places), axis=1).tolist()
        for aim, p, off in zip(aims, goals.keys, missed, strict=True):
            under = 0.0
            if aim.position is not None and np.isfinite(aim.position[1]):
                if floor is None:
                    floor = _lowest(before)
                base = 0.0 if aim.base is None else float(places[0][aim.base, 1])
                under = max(floor - base - float(aim.position[1]), 0.0) / clip.scale
            miss = _Miss(off, under, p, aim, goals)
            worst[id(p.key)] = max(miss, worst.get(id(p.key), miss), key=lambda one: one[:2])
    for off, under, p, aim, goals in worst.values():
        when = f" at frame {clip.first + goals.frame:g}" if comes_back(p.key.frame) else ""
        if under > _UNDER:
            _warn(f"{p.key}: its goal is {under:.0%} of a leg length below the floor{when}")
        elif aim.position is None and off > _ASKEW:
            _warn(
                f"{p.key}: the joint cannot turn that far{when}; the nearest pose is "
                f"{np.degrees(off):.0f} degrees off"
            )
        elif aim.position is not None and off > SEEN * clip.scale:
            alone = len(goals.goals) == 1 or _alone(before, goals, aim) > 0.5 * off
            why = "out of reach" if alone else "it contradicts the other goals at that frame"
            _warn(
                f"{p.key}: {why}{when}; the nearest pose misses it by {off:.3g} "
                f"({100.0 * off / clip.scale:.1f} % of leg length)"
            )


class _Miss(NamedTuple):
    """By how much a goal is missed, and how far (leg lengths) it is below the floor."""

    off: float
    under: float
    placed: Placed
    aim: Aim
    goals: GoalFrame


def _alone(clip: WarpClip, goals: GoalFrame, aim: Aim) -> float:
    """How far a goal would be missed without the others."""
    only = replace(goals, goals=(aim,))
    after = pose(clip, only, frozenset()).after
    here = clip.motion.sample([goals.frame])
    here = replace(here, root=after.root[None], rotations=after.rotations[None])
    positions, orientations = here.forward()
    return float(np.linalg.norm(Aims([aim]).misses((positions[0], orientations[0]))))


def _lowest(clip: WarpClip) -> float:
    """Height of what a clip stands on."""
    if not has_feet(clip.motion.skeleton):
        return float("-inf")
    return float(estimate_floor((clip.source or clip).motion).height)


def _warn(message: str) -> None:
    warnings.warn(message, QualityWarning, stacklevel=6)


def pose_turns(
    posed: Sequence[Posed],
    neutral: Mapping[int, Iterable[float]],
    left_out: AbstractSet[int] = frozenset(),
) -> list[Turn]:
    """Joint keys of posed frames: each joint that any goal turns is keyed where goals depend on it.

    A goal of one hand says nothing about the other, which may have its own a moment later.

    ``neutral`` contains, for each joint, the frames of its own keys, which the displacement between
    posed frames must not change. Joints ``left_out`` get no keys.
    """
    turned: set[int] = set()
    for p in posed:
        for one in {id(q): q for q in (p, p.going_on(0), p.going_on(1))}.values():
            apart = rotations.angle_between(one.before.rotations, one.after.rotations)
            turned.update(np.flatnonzero(apart > 1e-9).tolist())
    turns = []
    for joint in sorted(turned - left_out):
        mine = [p for p in posed if joint in p.concerned]
        for p in mine:
            rotation = p.after.rotations[joint]
            turn = Turn(p.frame, joint, rotation, ease=p.ease, along=p.along)
            into, out = (
                replace(turn, rotation=on.posed.after.rotations[joint])
                if on is not None and joint in on.joints
                else None
                for on in p.onward
            )
            turns.append(replace(turn, onward=(into, out)))
        for frame in set(neutral.get(joint, ())) - {p.frame for p in mine}:
            turns.append(Turn(frame, joint, vector=np.zeros(3)))
    return turns


def _goal_frame(clip: WarpClip, frame: float, placed: Sequence[Placed]) -> GoalFrame:
    here = clip.at(frame)
    aimed = {joint for p in placed for joint in p.joints if p.key.kind in ("goal", "offset")}
    turned = {joint for p in placed for joint in p.joints if p.key.kind == "orientation"}
    ankles = {}
    for side in SIDES:
        ankle = clip.rig.roles.get(f"{side}_ankle")
        if ankle is not None and aimed & _foot(clip, side):
            ankles[side] = here.forward[0][0, ankle]
    goals = tuple(_aim(here, clip, p, frame, placed[:i]) for i, p in enumerate(placed))
    pins = _pins(here, clip, frame, set(ankles), turned)
    return GoalFrame(frame, tuple(placed), goals, pins, ankles, here)


def _aim(
    here: WarpClip, clip: WarpClip, placed: Placed, frame: float, before: Sequence[Placed] = ()
) -> Aim:
    key = placed.key
    if len(placed.joints) != 1:
        raise WarpError(f"{key}: a goal needs a single joint; name one, such as 'chest'")
    joint = placed.joints[0]
    if key.look_at is not None:
        forward = joint_forward(clip.motion, joint)
        point = np.asarray(key.look_at, dtype=np.float64) * clip.length(key)
        return Aim(joint, direction=np.stack([forward, point]))
    for other in before:
        same = other.key.kind == key.kind or {other.key.kind, key.kind} == {"goal", "offset"}
        if other.joints == placed.joints and same:
            raise WarpError(
                f"{key}: there is another goal for it at frame {clip.first + frame:g}; keep one"
            )
    base = joints_called(key.of, clip.rig)[0] if isinstance(key.of, str) else None
    if key.orientation is not None:
        turned = np.asarray(key.orientation, dtype=np.float64)
        if base is None:
            turned = clip.orientations_wanted(key, np.array([frame]))[0]
        return Aim(joint, orientation=turned, base=base)
    if key.goal is None:
        world = clip.offset_in_world(key, frame, joint)
        return Aim(joint, position=here.forward[0][0, joint] + world)
    wanted = np.array([np.nan if part is None else part for part in key.goal], dtype=np.float64)
    tip = clip.tip(key)
    if key.of is None:
        return Aim(joint, position=wanted * clip.length(key), tip=tip)
    if isinstance(key.of, Prop):
        return Aim(joint, position=clip.beside(key, key.of, np.array([frame]))[0], tip=tip)
    at, of, lasts = np.array([frame]), np.array([joint]), key.until is not None
    world = clip.in_world([wanted], [key.axes], at, of, lasts)[0]
    return Aim(joint, position=world * clip.length(key), tip=tip, base=base)


def _pins(
    here: WarpClip, clip: WarpClip, frame: float, moved: set[str], turned: set[int]
) -> tuple[Aim, ...]:
    """Feet without a goal keep their position, and their orientation unless keys turn them."""
    positions, orientations = here.forward
    pins = []
    for side in SIDES:
        ankle = clip.rig.roles.get(f"{side}_ankle")
        if ankle is None:
            continue
        kinds = (f"{side}_heel", f"{side}_toe")
        stands = any(active(clip.motion.constraints, kind, [frame])[0] for kind in kinds)
        weight = _STANDING if stands else _SWINGING
        if ankle not in turned:
            pins.append(Aim(ankle, weight, orientation=orientations[0, ankle]))
        if side not in moved:
            pins.append(Aim(ankle, weight, position=positions[0, ankle]))
    return tuple(pins)


def _foot(clip: WarpClip, side: str) -> set[int | None]:
    """Joints whose goals lead the foot of a side."""
    return {clip.rig.roles.get(f"{side}_{part}") for part in ("ankle", "toe")}


def _above(clip: WarpClip, ends: Iterable[int]) -> set[int]:
    """Joints from the root to any of the ends."""
    return {joint for end in ends for joint in clip.motion.skeleton.chain(0, end)}


def _body(
    clip: WarpClip,
    here: WarpClip,
    needed: AbstractSet[int],
    fixed: AbstractSet[int],
) -> PosableBody:
    skeleton, rig = clip.motion.skeleton, clip.rig
    stiffness = np.full(len(skeleton), np.inf)
    known = _known_stiffness(rig, bending_spine(rig, clip.motion))
    for joint in needed:
        if joint in known:
            stiffness[joint] = known[joint]
        elif not rig.roles:
            stiffness[joint] = 1.0
    stiffness[list(fixed)] = np.inf
    return PosableBody(
        skeleton,
        np.array(local_translations(here.motion)[0]),
        stiffness,
        _ROOT,
        clip.scale,
        _limits(clip, here),
    )


def _known_stiffness(rig: Rig, spine: Sequence[int]) -> dict[int, float]:
    known = {joint: _SPINE * len(spine) for joint in spine}
    for role, joint in rig.roles.items():
        part = role.removeprefix("left_").removeprefix("right_")
        if part in _STIFFNESS and joint not in known and joint not in rig.spine:
            known[joint] = _STIFFNESS[part]
    return known


def _limits(clip: WarpClip, here: WarpClip) -> tuple[Limit, ...]:
    pose = here.forward[0][0], here.forward[1][0]
    found = []
    for hinge in clip.hinges.values():
        parent = int(clip.motion.skeleton.parents[hinge.joint])
        world = rotations.rotate(pose[1][hinge.upper], hinge.axis)
        axis = rotations.rotate(rotations.inverse(pose[1][parent]), world)
        limit = Limit(hinge, axis, _LEAST_BEND, _MOST_BEND)
        own = float(Limits([limit]).bends(*pose)[0])
        # What the clip itself does is allowed.
        found.append(Limit(hinge, axis, min(limit.least, own), max(limit.most, own)))
    return tuple(found)
