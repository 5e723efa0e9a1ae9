"""Goals: "right hand here at frame 41" turned into joint keys by inverse kinematics.

All goals of a frame make one posed frame. Feet stay where they are unless a goal
moves them, and joints that have keys of their own at that frame stay as keyed.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import numpy as np

from motionweave.body.axes import joint_forward
from motionweave.body.ik import Limb, hinge_axis
from motionweave.body.rig.roles import SIDES, Rig, leg_length
from motionweave.body.size import body_height
from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.constraints import active
from motionweave.core.interrupt import checkpoint
from motionweave.core.motion import local_translations
from motionweave.errors import QualityWarning, WarpError
from motionweave.methods.warping import posing
from motionweave.methods.warping.posing import Aim, Body, Hinge, Hinges, Pose
from motionweave.methods.warping.targets import Clip, Placed
from motionweave.methods.warping.turns import Turn

# How unwillingly a joint turns, against the thigh's and the upper arm's 1.
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
_LEAST_BEND, _MOST_BEND = np.radians(2.0), np.radians(155.0)
# Standing feet are held harder than goals pull; feet in the air are asked to stay.
_STANDING, _SWINGING = 6.0, 0.5
# A goal missed by more than this share of the leg is worth a warning.
_NOTICEABLE = 2e-3
_ASKEW = np.radians(1.0)


@dataclass(frozen=True)
class GoalFrame:
    """All goals of one frame, as aims, and the aims that hold the feet meanwhile.

    Parameters
    ----------
    keys, goals
        The keys, and what each of them asks for.
    pins
        What feet without a goal keep to.
    ankles
        Sides whose foot has a goal, and where its ankle was, ``(3,)``.
    """

    frame: float
    keys: tuple[Placed, ...]
    goals: tuple[Aim, ...]
    pins: tuple[Aim, ...]
    ankles: Mapping[str, Array]


@dataclass(frozen=True)
class Posed:
    """A frame posed by goals.

    Parameters
    ----------
    before, after
        The pose as it was, and as the goals have it.
    feet
        Sides whose foot a goal has moved, and how far its ankle moved, ``(3,)``.
    ease
        As the goals' keys ask, or None.
    """

    frame: float
    before: Pose
    after: Pose
    feet: Mapping[str, Array]
    ease: Any

    @property
    def knot(self) -> tuple[float, Any]:
        """Frame and ease."""
        return self.frame, self.ease


def goal_frames(clip: Clip, placed: Sequence[Placed]) -> list[GoalFrame]:
    """Goals frame by frame, in order of time, measured on a clip."""
    by_frame: dict[float, list[Placed]] = defaultdict(list)
    for p in placed:
        by_frame[p.frame].append(p)
    return [_goal_frame(clip, frame, by_frame[frame]) for frame in sorted(by_frame)]


def pose(clip: Clip, goals: GoalFrame, fixed: AbstractSet[int], hips: bool = True) -> Posed:
    """Pose a frame so that its goals are met.

    Parameters
    ----------
    clip
        The clip, warped already by all keys that need no inverse kinematics.
    goals
        What is to be met.
    fixed
        Joints that must not turn, such as those that have keys of their own there.
    hips
        Whether the root may be shifted.
    """
    checkpoint()
    here = Clip(clip.motion.sample([goals.frame]))
    start = Pose(np.array(here.motion.root[0]), np.array(here.motion.rotations[0]))
    aims = [*goals.goals, *goals.pins]
    body = _body(clip, here, goals.frame, [aim.joint for aim in aims], fixed, hips)
    after = posing.solve(body, start, aims)
    feet = {
        side: posing.joint_position(body, after, clip.rig.roles[f"{side}_ankle"]) - ankle
        for side, ankle in goals.ankles.items()
    }
    ease = next((p.key.ease for p in goals.keys if p.key.ease is not None), None)
    return Posed(goals.frame, start, after, feet, ease)


def warn_of_misses(clip: Clip, frames: Sequence[GoalFrame]) -> None:
    """Say which goals a finished clip misses, and by how much."""
    scale = _scale(clip)
    for goals in frames:
        here = Clip(clip.motion.sample([goals.frame]))
        places = here.forward[0][0], here.forward[1][0]
        missed = np.linalg.norm(posing.misses(goals.goals, places), axis=1).tolist()
        for aim, p, miss in zip(goals.goals, goals.keys, missed, strict=True):
            if aim.direction is not None and miss > _ASKEW:
                warnings.warn(
                    f"{p.key}: cannot turn that far; the nearest pose is "
                    f"{np.degrees(miss):.0f} degrees off",
                    QualityWarning,
                    stacklevel=5,
                )
            elif aim.direction is None and miss > _NOTICEABLE * scale:
                warnings.warn(
                    f"{p.key}: out of reach; the nearest pose is {miss:.3g} away "
                    f"({100.0 * miss / scale:.1f} % of the leg length)",
                    QualityWarning,
                    stacklevel=5,
                )


def pose_turns(posed: Sequence[Posed], neutral: Mapping[int, Iterable[float]]) -> list[Turn]:
    """Joint keys of posed frames: each joint that any goal turns is keyed in all of them.

    ``neutral`` holds, for each joint, the frames of keys of its own, which the
    displacement between posed frames must leave alone.
    """
    turned: set[int] = set()
    for p in posed:
        apart = rotations.angle_between(p.before.rotations, p.after.rotations)
        turned.update(np.flatnonzero(apart > 1e-9).tolist())
    frames = {p.frame for p in posed}
    turns = []
    for joint in sorted(turned):
        for p in posed:
            turns.append(Turn(p.frame, joint, rotation=p.after.rotations[joint], ease=p.ease))
        for frame in set(neutral.get(joint, ())) - frames:
            turns.append(Turn(frame, joint, vector=np.zeros(3)))
    return turns


def _goal_frame(clip: Clip, frame: float, placed: Sequence[Placed]) -> GoalFrame:
    here = Clip(clip.motion.sample([frame]))
    aimed = {joint for p in placed for joint in p.joints if p.key.look_at is None}
    ankles = {}
    for side in SIDES:
        ankle, toe = (clip.rig.roles.get(f"{side}_{part}") for part in ("ankle", "toe"))
        if ankle is not None and aimed & {ankle, toe}:
            ankles[side] = here.forward[0][0, ankle]
    goals = tuple(_aim(here, clip, p) for p in placed)
    return GoalFrame(frame, tuple(placed), goals, _pins(here, clip, frame, set(ankles)), ankles)


def _aim(here: Clip, clip: Clip, placed: Placed) -> Aim:
    key = placed.key
    if len(placed.joints) != 1:
        raise WarpError(f"{key}: a goal is for one joint; name one, such as 'chest'")
    joint = placed.joints[0]
    if key.look_at is not None:
        forward = joint_forward(clip.motion, joint)
        point = np.asarray(key.look_at, dtype=np.float64) * clip.length(key)
        return Aim(joint, direction=np.stack([forward, point]))
    if key.goal is not None:
        wanted = np.array([np.nan if part is None else part for part in key.goal])
        return Aim(joint, position=wanted * clip.length(key))
    world = clip.offset_in_world(key, placed.frame, joint)
    return Aim(joint, position=here.forward[0][0, joint] + world)


def _pins(here: Clip, clip: Clip, frame: float, moved: set[str]) -> tuple[Aim, ...]:
    """Feet without a goal stay where they are; all feet stay turned as they are."""
    positions, orientations = here.forward
    pins = []
    for side in SIDES:
        ankle = clip.rig.roles.get(f"{side}_ankle")
        if ankle is None:
            continue
        kinds = (f"{side}_heel", f"{side}_toe")
        stands = any(active(clip.motion.constraints, kind, [frame])[0] for kind in kinds)
        weight = _STANDING if stands else _SWINGING
        pins.append(Aim(ankle, weight, orientation=orientations[0, ankle]))
        if side not in moved:
            pins.append(Aim(ankle, weight, position=positions[0, ankle]))
    return tuple(pins)


def _body(
    clip: Clip,
    here: Clip,
    frame: float,
    ends: Iterable[int],
    fixed: AbstractSet[int],
    hips: bool,
) -> Body:
    skeleton, rig = clip.motion.skeleton, clip.rig
    stiffness = np.full(len(skeleton), np.inf)
    needed = {joint for end in ends for joint in skeleton.chain(0, end)}
    known = _known_stiffness(rig)
    for joint in needed:
        if joint in known:
            stiffness[joint] = known[joint]
        elif not rig.roles:
            stiffness[joint] = 1.0
    stiffness[list(fixed)] = np.inf
    return Body(
        skeleton,
        np.array(local_translations(here.motion)[0]),
        stiffness,
        _ROOT if hips else np.inf,
        _scale(clip),
        _hinges(clip, here, frame),
    )


def _scale(clip: Clip) -> float:
    """Length of the leg, or of the body where legs are not known."""
    legs = [f"{side}_{part}" for side in SIDES for part in ("thigh", "ankle")]
    skeleton = clip.motion.skeleton
    return leg_length(skeleton, clip.rig) if clip.rig.has(*legs) else body_height(skeleton)


def _known_stiffness(rig: Rig) -> dict[int, float]:
    known = {joint: _SPINE * len(rig.spine) for joint in rig.spine}
    for role, joint in rig.roles.items():
        part = role.removeprefix("left_").removeprefix("right_")
        if part in _STIFFNESS and joint not in known:
            known[joint] = _STIFFNESS[part]
    return known


def limbs(rig: Rig) -> dict[str, Limb]:
    """Legs and arms that are known whole, by side and name of their middle joint."""
    found = {}
    for side in SIDES:
        for upper, middle, end in (("thigh", "shin", "ankle"), ("upper_arm", "forearm", "hand")):
            roles = [f"{side}_{part}" for part in (upper, middle, end)]
            if rig.has(*roles):
                found[roles[1]] = Limb(*(rig.roles[role] for role in roles))
    return found


def _hinges(clip: Clip, here: Clip, frame: float) -> tuple[Hinge, ...]:
    positions, orientations = clip.forward
    nearest = round(frame)
    pose = here.forward[0][0], here.forward[1][0]
    hinges = []
    for limb in limbs(clip.rig).values():
        axis = hinge_axis(positions, orientations, limb)[nearest]
        if not np.any(axis):
            continue
        parent = int(clip.motion.skeleton.parents[limb.middle])
        local = rotations.rotate(rotations.inverse(orientations[nearest, parent]), axis)
        hinge = Hinge(limb.middle, limb.upper, limb.end, local, _LEAST_BEND, _MOST_BEND)
        own = float(Hinges(clip.motion.skeleton, [hinge]).bends(*pose)[0])
        # What the clip itself does is allowed.
        least, most = min(hinge.least, own), max(hinge.most, own)
        hinges.append(Hinge(limb.middle, limb.upper, limb.end, local, least, most))
    return tuple(hinges)
