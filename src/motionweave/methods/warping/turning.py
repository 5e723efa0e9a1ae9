"""Warped rotation curves: the turns of keys applied to a clip."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from motionweave.core import kinematics, rotations
from motionweave.core.arrays import Array, IntArray
from motionweave.core.averaging import mean_rotations
from motionweave.errors import WarpError
from motionweave.methods.warping.curves import (
    calmed,
    nearest_branches,
    scale_factor,
    scale_rotations,
    shift_rotations,
)
from motionweave.methods.warping.eulers import warp_angles
from motionweave.methods.warping.targets import Knot, WarpClip, sample_pairs
from motionweave.methods.warping.turns import Turn, WarpShape, onward_values, shared_zero


def warp_rotations(
    clip: WarpClip, turns: Iterable[Turn], shape: WarpShape, steady: Sequence[int] = ()
) -> Array:
    """Local rotations ``(T, J, 4)`` of a clip after the turns of its keys.

    Joints in ``steady`` have no parent that turns with the body (the root): their
    shifts are taken relative to where the body faces, so that a held one goes with it.
    """
    by_joint: dict[int, list[Turn]] = defaultdict(list)
    for turn in sorted(turns, key=lambda turn: turn.frame):
        by_joint[turn.joint].append(turn)
    for mine in by_joint.values():
        _check_one_a_frame(mine, clip)
    quaternions = np.array(clip.motion.rotations)
    fps = clip.motion.fps
    if shape.order is not None:
        for joint, mine in by_joint.items():
            quaternions[:, joint] = warp_angles(quaternions[:, joint], mine, shape, fps)
        return quaternions
    for joint, mine in by_joint.items():
        scales = [turn for turn in mine if turn.scaled]
        if scales:
            scaled = _scaled(quaternions[:, joint], scales, shape, fps)
            if all(turn.rotation is None for turn in scales) and joint not in clip.hinges:
                scaled = _with_detail(clip, joint, quaternions[:, joint], scaled)
            quaternions[:, joint] = scaled
    shifts = {j: [turn for turn in mine if turn.factor is None] for j, mine in by_joint.items()}
    shifts = {j: mine for j, mine in shifts.items() if mine}
    return _shifted(clip, quaternions, shifts, shape, steady)


def _shifted(
    clip: WarpClip,
    quaternions: Array,
    shifts: dict[int, list[Turn]],
    shape: WarpShape,
    steady: Sequence[int],
) -> Array:
    """Rotations ``(T, J, 4)``, those of some joints shifted through their keys."""
    if not shifts:
        return quaternions
    knots = _knots(quaternions, shifts)
    onward = {joint: _onward(quaternions, mine, knots[joint]) for joint, mine in shifts.items()}
    # Joints keyed in the same frames share their weights: one product for all of them.
    alike: dict[tuple[Knot, ...], list[int]] = defaultdict(list)
    for joint, mine in shifts.items():
        alike[tuple(turn.knot for turn in mine)].append(joint)
    count = len(quaternions)
    joints: list[int] = []
    courses: list[Array] = []
    for times, group in alike.items():
        axes = _axes(clip, group, steady)
        moments = np.array([knot.frame for knot in times], dtype=np.float64)
        back = rotations.inverse(kinematics.sample_rotations(axes, moments))
        values = rotations.rotate(back, np.stack([knots[joint] for joint in group], axis=1))
        later = rotations.rotate(back, np.stack([onward[joint] for joint in group], axis=2))
        course = shape.course(
            times,
            values.reshape(len(times), -1),
            later.reshape(2, len(times), -1),
            count,
            clip.motion.fps,
        )
        courses.append(rotations.rotate(axes, course.reshape(count, len(group), 3)))
        joints += group
    return shift_rotations(quaternions, joints, np.concatenate(courses, axis=1))


def _axes(clip: WarpClip, joints: Sequence[int], steady: Sequence[int]) -> Array:
    """Rotations ``(T, n, 4)`` from the axes in which joints are shifted to those of their parents.

    Hinges are shifted in those of the parent themselves, others in what these are without shaking,
    and ``steady`` ones in the level axes of the body.
    """
    axes = np.empty((len(clip.motion), len(joints), 4))
    axes[:] = rotations.IDENTITY
    carried = [(i, joint) for i, joint in enumerate(joints) if joint not in clip.hinges]
    for i, joint in carried:
        if joint in steady:
            axes[:, i] = _body_axes(clip, joint)
    above = clip.motion.skeleton.parents
    calm = [i for i, joint in carried if joint not in steady and above[joint] >= 0]
    if calm:
        axes[:, calm] = _calm_axes(clip, above[[joints[i] for i in calm]])
    return axes


def _knots(quaternions: Array, shifts: dict[int, list[Turn]]) -> dict[int, Array]:
    """For each joint the values ``(n, 3)`` of b at its keys, in the parent's axes."""
    rows = [turn for mine in shifts.values() for turn in mine]
    values = np.array([np.zeros(3) if t.vector is None else t.vector for t in rows])
    wanted = np.array([turn.vector is None for turn in rows])
    if np.any(wanted):
        asked = [turn for turn in rows if turn.vector is None]
        joints = np.array([turn.joint for turn in asked])
        own = sample_pairs(quaternions, joints, np.array([turn.frame for turn in asked]))
        # Shift: a is held, so b leads from a·θ to the key.
        goal = np.array([turn.rotation for turn in asked])
        values[wanted] = rotations.log(rotations.multiply(goal, rotations.inverse(own)))
    knots = {}
    start = 0
    for joint, mine in shifts.items():
        part = slice(start, start + len(mine))
        start += len(mine)
        # A change may be meant as more than half a turn; a new rotation may not.
        knots[joint] = nearest_branches(values[part]) if np.all(wanted[part]) else values[part]
    return knots


def _onward(quaternions: Array, turns: Sequence[Turn], knots: Array) -> Array:
    """Values ``(2, n, 3)`` of b that those at keys ``(n, 3)`` go on to by tangents in and out."""

    def value(i: int, on: Turn) -> Array:
        (there,) = _knots(quaternions, {on.joint: [on]}).values()
        return nearest_branches(np.stack([knots[i], there[0]]))[1]

    return onward_values(turns, knots, value)


def _scaled(row: Array, scales: Sequence[Turn], shape: WarpShape, fps: float) -> Array:
    """Rotations ``(T, 4)`` of one joint after the scales among its keys."""
    zero = _zero_rotation(row, scales)

    def wanted(turn: Turn) -> float:
        factor = turn.factor
        if turn.rotation is not None:
            moment = np.array([turn.frame], dtype=np.float64)
            own = kinematics.sample_rotations(row[:, None], moment)[0, 0]
            both = np.stack([turn.rotation, own])
            away = rotations.log(rotations.multiply(rotations.inverse(zero), both))
            factor = scale_factor(away[0], away[1])
        if factor is None:
            raise WarpError(
                f"{turn.name}: the joint is at its zero-point there and "
                "no factor can move it; use mode='shift' or another zero-point (about=)"
            )
        return factor - 1.0

    values = np.array([wanted(turn) for turn in scales])
    knots = [turn.knot for turn in scales]
    onward = onward_values(scales, values, lambda i, on: wanted(on))
    course = shape.course(knots, values, onward, len(row), fps)
    return scale_rotations(row, zero, 1.0 + course)


def _with_detail(clip: WarpClip, joint: int, own: Array, scaled: Array) -> Array:
    """Scaled rotations ``(T, 4)`` whose quickest detail is the joint's own, unscaled.

    Arms make up for what shakes above them; scaled, they would do so too much or too little.
    """
    parent = int(clip.motion.skeleton.parents[joint])
    change = rotations.log(rotations.multiply(scaled, rotations.inverse(own)))
    if parent >= 0:
        above = clip.forward[1][:, parent]
        smooth = calmed(rotations.rotate(above, change), clip.motion.fps, quick=True)
        change = rotations.rotate(rotations.inverse(above), smooth)
    return rotations.multiply(rotations.exp(change), own)


def _zero_rotation(row: Array, scales: Sequence[Turn]) -> Array:
    """The zero-point ``(4,)`` that the scale keys of a joint give or imply."""
    about = shared_zero(scales)
    if not isinstance(about, str):
        return about
    if about == "rest":
        return np.array(rotations.IDENTITY)
    weights = np.full((1, len(row)), 1.0 / len(row))
    return np.asarray(mean_rotations(row[:, None, None], weights)[0, 0])


def _body_axes(clip: WarpClip, joint: int) -> Array:
    """Rotations ``(T, 4)`` from the body's level axes to those of the joint's parent."""
    level = rotations.about_vertical(clip.ahead)
    parent = int(clip.motion.skeleton.parents[joint])
    if parent < 0:
        return level
    return rotations.multiply(rotations.inverse(clip.forward[1][:, parent]), level)


def _calm_axes(clip: WarpClip, parents: IntArray) -> Array:
    """Rotations ``(T, n, 4)`` from the axes of joints without their shaking to their own."""
    own = clip.forward[1][:, parents]
    calm = rotations.normalize(calmed(rotations.unroll(own), clip.motion.fps))
    return rotations.multiply(rotations.inverse(own), calm)


def _check_one_a_frame(turns: Sequence[Turn], clip: WarpClip) -> None:
    """Two values for one curve at one frame cannot both be met."""
    for by_factor in (True, False):
        mine = [turn for turn in turns if (turn.factor is not None) == by_factor]
        for a, b in pairwise(mine):
            if b.frame - a.frame < 1e-9:
                name = clip.motion.skeleton.names[a.joint]
                keys = " and ".join(dict.fromkeys(t.name or "a goal" for t in (a, b)))
                raise WarpError(
                    f"{keys}: two keys at frame {clip.first + a.frame:g} for {name!r}; keep one"
                )
