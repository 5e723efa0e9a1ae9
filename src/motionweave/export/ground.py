"""A bone on the floor that carries the travel of a clip: what engines call root motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from motionweave.body.pose.heading import facing
from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.cycles import displacement
from motionweave.core.motion import Motion, local_translations
from motionweave.core.planar import Planar
from motionweave.core.skeleton import Skeleton
from motionweave.io.bvh.format import unique_names

# Below this turn (radians) a cycle is straight.
_STRAIGHT = 1e-6
# Seconds over which the path of a clip that is not a cycle is smoothed.
_SMOOTH = 0.3


def ground_path(motion: Motion, cyclic: bool) -> Planar:
    """Position on the floor and facing direction ``(T,)`` of the body, without its sway.

    A cycle moves at constant speed along a straight line or a circle, so that engines that mix the
    steps of several clips get an even mixture. The path of other clips is smoothed.
    """
    if not cyclic or len(motion) < 2:
        return _smoothed(motion)
    share = np.linspace(0.0, 1.0, len(motion))
    way = _screw(displacement(motion), share)
    # Seen from the moving spot, the pelvis is over it and the body faces ahead on average.
    heading = float((facing(motion) - way.angle)[:-1].mean())
    spots = way.inverse().apply_xz(motion.root[:, [0, 2]])[:-1].mean(axis=0)
    return way @ Planar(heading, float(spots[0]), float(spots[1]))


def _screw(step: Planar, share: Array) -> Planar:
    """Shares ``(T,)`` of a move on the floor, at one speed."""
    if abs(step.angle) < _STRAIGHT:
        return Planar(step.angle * share, step.x * share, step.z * share)
    # The point that the whole move leaves where it is: (1 - R) c = t.
    turn = Planar(step.angle).apply_xz(np.eye(2)).T
    centre = np.linalg.solve(np.eye(2) - turn, np.array([step.x, step.z]))
    return Planar.about(np.tile(centre, (len(share), 1)), step.angle * share)


def _smoothed(motion: Motion) -> Planar:
    from scipy.ndimage import gaussian_filter1d

    wide = _SMOOTH * motion.fps
    rows = np.column_stack([facing(motion), motion.root[:, [0, 2]]])
    rows = gaussian_filter1d(rows, wide, axis=0, mode="nearest") if len(rows) > 2 else rows
    return Planar(rows[:, 0], rows[:, 1], rows[:, 2])


def with_ground_bone(motion: Motion, cyclic: bool, *, in_place: bool = False) -> Motion:
    """The motion with one more joint, on the floor, above its pelvis.

    It starts at the origin and faces +z.

    Parameters
    ----------
    motion
        A clip whose root is its pelvis.
    cyclic
        Whether it is a closed cycle.
    in_place
        Leave the travel out.
    """
    path = ground_path(motion, cyclic)
    back = path.inverse()
    local = motion.moved(back)
    moves = np.array(local_translations(motion))
    moves[:, 0] = local.root
    skeleton = motion.skeleton
    name = unique_names([*skeleton.names, "root"])[-1]
    offsets = np.concatenate([np.zeros((1, 3)), skeleton.offsets])
    points = np.concatenate([skeleton.rest_positions, skeleton.rest_end_positions])
    offsets[1] = [0.0, float(skeleton.rest_positions[0, 1] - points[:, 1].min()), 0.0]
    tree = Skeleton(
        (name, *skeleton.names),
        np.concatenate([[-1], skeleton.parents + 1]),
        offsets,
        skeleton.end_parents + 1,
        skeleton.end_offsets,
    )
    steps = path[0].inverse() @ path
    if in_place:
        steps = Planar(np.zeros(len(motion)), np.zeros(len(motion)), np.zeros(len(motion)))
    root = np.stack([steps.x, np.zeros(len(motion)), steps.z], axis=-1)
    turned = np.concatenate(
        [rotations.about_vertical(steps.angle)[:, None], local.rotations], axis=1
    )
    return replace(
        motion,
        skeleton=tree,
        root=root,
        rotations=turned,
        translations=np.concatenate([root[:, None], moves], axis=1),
        source={},
        carrier=None,
    )
