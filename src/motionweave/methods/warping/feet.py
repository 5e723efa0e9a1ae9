"""Feet that stay planted while a warp moves the body above them.

Every foot has a way it is meant to go: its own, carried along with the path, changed
by keys and goals of the leg itself, and by nothing else. While it stands it is carried
by one single move, that of the middle of its stance, so that it cannot slide; in the
air it is led from one stance to the next. Then each leg is solved for its foot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from motionweave.body.ik import Limb, apply_to_limb, hinge_axis, solve_two_bones
from motionweave.body.rig.roles import SIDES
from motionweave.body.size import body_height
from motionweave.contacts.clean.easing import eased
from motionweave.contacts.clean.reach import Pull, smooth_shift
from motionweave.core import kinematics, rotations
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.methods.warping.goals import Posed, limbs
from motionweave.methods.warping.moments import stances
from motionweave.methods.warping.paths import Path
from motionweave.methods.warping.targets import Clip
from motionweave.methods.warping.turns import Shape

# Share of its length to which a leg may be stretched, unless the clip itself goes
# further, and seconds over which the body gives way to a leg that cannot reach.
_STRETCH = 0.985
_GIVING = 0.12
# Seconds over which a foot goes over from its own way to that of a stance; in the air
# between two stances less than twice as far apart it is led from one to the other.
_LEADING = 0.4
# Share of the body's height within which a foot kept from sinking is eased off the floor.
_CLEARANCE = 0.01
# Moves below this share of the leg's length, and turns below it in radians, are rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class FootWay:
    """Where one foot is meant to be.

    Parameters
    ----------
    limb
        Thigh, shin and ankle.
    ankle
        ``(T, 3)`` global positions.
    orientation
        ``(T, 4)`` global orientations of the ankle.
    own
        ``(T,)`` how far hip and ankle are apart in the clip as it was.
    """

    limb: Limb
    ankle: Array
    orientation: Array
    own: Array


def foot_ways(
    clip: Clip,
    keyed: Motion,
    footed: Motion,
    path: Path | None,
    posed: Sequence[Posed],
    shape: Shape,
    release: Sequence[str],
) -> list[FootWay]:
    """The ways of the feet of every leg that is known.

    Parameters
    ----------
    clip
        The clip as it was.
    keyed
        The clip with the keys of its leg joints, and no others: where feet go.
    footed
        The clip with the keys of ankles and toes alone: how feet are turned. A leg that
        is swung further does not tilt the foot that stands.
    path
        The path that carries the body, if any.
    posed
        Frames posed by goals; those of the feet count.
    release
        Kinds of contact that no longer hold. A foot whose heel is released stands
        on its toe.
    """
    known = limbs(clip.rig)
    firm = clip.motion.with_constraints(c for c in clip.motion.constraints if c.kind not in release)
    before, after = clip.forward, keyed.forward()
    foot = after if footed is keyed else footed.forward()
    ways = []
    for side in SIDES:
        limb = known.get(f"{side}_shin")
        if limb is None:
            continue
        toe = clip.rig.roles.get(f"{side}_toe")
        held = toe if toe is not None and f"{side}_heel" in release else limb.end
        own, moved = before[0][:, held], after[0][:, held]
        if keyed is not clip.motion:
            moved = _not_lower(moved, own, _CLEARANCE * body_height(clip.motion.skeleton))
        spans = stances(firm, side)
        reach = max(round(_LEADING * clip.motion.fps), 1)
        way = _held(own, moved, path, spans, reach)
        shift = _goal_shift(side, posed, shape, clip, spans, reach)
        turn = rotations.about_vertical(way[:, 3])
        to_ankle = rotations.rotate(turn, foot[0][:, limb.end] - foot[0][:, held])
        ways.append(
            FootWay(
                limb,
                way[:, :3] + shift + to_ankle,
                rotations.multiply(turn, foot[1][:, limb.end]),
                np.linalg.norm(before[0][:, limb.end] - before[0][:, limb.upper], axis=-1),
            )
        )
    return ways


def follow_ways(motion: Motion, ways: Sequence[FootWay]) -> tuple[Motion, Array]:
    """The motion with its legs solved for their feet, the body giving way where it must.

    Frames in which a foot is where it should be already stay as they are, bit for bit.
    Also returned is by how much the body gives way, ``(T, 3)``.
    """
    nothing = np.zeros((len(motion), 3))
    if not ways:
        return motion, nothing
    positions, orientations = motion.forward()
    # Only frames that the warp has touched may give way: all others are to stay.
    free = np.any([_off(way, positions, orientations) for way in ways], axis=0)
    if not np.any(free):
        return motion, nothing
    pulls = [_pull(way, positions) for way in ways]
    shift = smooth_shift(pulls, free, max(_GIVING * motion.fps, 1.0))
    positions = positions + shift[:, None]
    local = np.array(motion.rotations)
    for way in ways:
        off = _off(way, positions, orientations)
        if not np.any(off):
            continue
        upper, middle, end = way.limb
        hinge = hinge_axis(positions, orientations, way.limb)
        solved = solve_two_bones(
            positions[off, upper],
            positions[off, middle],
            positions[off, end],
            way.ankle[off],
            hinge=hinge[off],
        )
        solved_frames = np.flatnonzero(off)[:, None]
        local[solved_frames, [upper, middle, end]] = apply_to_limb(
            local[off], orientations[off], motion.skeleton, way.limb, solved, way.orientation[off]
        )
    return replace(motion, root=motion.root + shift, rotations=local), shift


def _off(way: FootWay, positions: Array, orientations: Array) -> NDArray[np.bool_]:
    upper, middle, end = way.limb
    length = np.linalg.norm(positions[:, middle] - positions[:, upper], axis=-1)
    away = np.linalg.norm(positions[:, end] - way.ankle, axis=-1) > _ROUNDING * length
    turned = rotations.angle_between(orientations[:, end], way.orientation) > _ROUNDING
    return np.asarray(away | turned)


def _pull(way: FootWay, positions: Array) -> Pull:
    upper, middle, end = (positions[:, joint] for joint in way.limb)
    length = np.linalg.norm(middle - upper, axis=-1) + np.linalg.norm(end - middle, axis=-1)
    most = np.maximum(_STRETCH * length, way.own)
    still = np.zeros(len(most))
    return Pull(upper - way.ankle, way.own, most, still, still, still + 1.0)


def _not_lower(moved: Array, own: Array, softness: float) -> Array:
    """A way ``(T, 3)`` lifted smoothly to where it is no lower than the foot's own way.

    Keys that swing a leg differently must not drag its foot through the floor.
    """
    if np.array_equal(moved, own):
        return moved
    lift = moved[:, 1] - own[:, 1]
    result = moved.copy()
    result[:, 1] = own[:, 1] + 0.5 * (lift + np.hypot(lift, softness))
    return result


def _held(
    own: Array, moved: Array, path: Path | None, spans: Sequence[tuple[float, float]], reach: int
) -> Array:
    """A way and its heading, ``(T, 4)``, carried along a path by one move a stance.

    ``own`` ``(T, 3)`` is the foot's way as it was, ``moved`` as keys of the leg have it.
    """
    count = len(own)
    frames = np.arange(count, dtype=np.float64)
    heading = np.zeros(count) if path is None else np.asarray(path.planar.angle)
    way = np.column_stack([moved if path is None else path.move(moved, frames), heading])
    correction = np.zeros((count, 4))
    known = np.zeros(count, dtype=bool)
    for first, last in spans:
        inside = _whole_frames(first, last)
        at = min(max(0.5 * (first + last), 0.0), count - 1.0)
        # Keys of the leg may plant a foot elsewhere, but not in the floor or above it.
        change = (_at(moved, at) - _at(own, at)) * [1.0, 0.0, 1.0]
        place = own[inside] + change
        if path is not None:
            place = path.move(place, np.full(len(place), at))
            correction[inside, 3] = path.angle_at(at) - heading[inside]
        correction[inside, :3] = place - way[inside, :3]
        known[inside] = True
    return way + eased(correction, known, reach)


def _goal_shift(
    side: str,
    posed: Sequence[Posed],
    shape: Shape,
    clip: Clip,
    spans: Sequence[tuple[float, float]],
    reach: int,
) -> Array:
    """What goals move a foot by, ``(T, 3)``: the same through all of a stance.

    Posed frames without a goal for this foot leave it alone.
    """
    count = len(clip.motion)
    goals = [p.frame for p in posed if side in p.feet]
    if not goals:
        return np.zeros((count, 3))
    values = np.array([p.feet.get(side, np.zeros(3)) for p in posed])
    shift = shape.weights([p.knot for p in posed], count, clip.motion.fps) @ values
    correction = np.zeros_like(shift)
    known = np.zeros(count, dtype=bool)
    # A goal in the air is met exactly, whatever the stances around it need.
    known[[round(frame) for frame in goals]] = True
    for first, last in spans:
        inside = _whole_frames(first, last)
        keyed = [frame for frame in goals if first <= frame <= last]
        at = keyed[0] if keyed else min(max(0.5 * (first + last), 0.0), count - 1.0)
        correction[inside] = _at(shift, at) - shift[inside]
        known[inside] = True
    return shift + eased(correction, known, reach)


def _whole_frames(first: float, last: float) -> slice:
    return slice(int(np.ceil(first)), int(np.floor(last)) + 1)


def _at(values: Array, frame: float) -> Array:
    return np.asarray(kinematics.sample_vectors(values, np.array([frame]))[0])
