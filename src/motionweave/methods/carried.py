"""The trunk of one clip on the hips of another: turned with them, and not shaken by them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from motionweave.body.pose.tpose import tpose_frames
from motionweave.body.rig.parts import below
from motionweave.body.rig.roles import find_rig
from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.measure.body_faults import STILL
from motionweave.measure.figures import unit_length

# Seconds over which the swaying of hips evens out, and, of the way of a chest, jerks.
_SWAY, _JERK = 0.3, 0.1
# Tangent of the angle up to which the lower spine leans to keep the chest steady, shares of what
# that takes, and how many times as hard as in the clips a joint may accelerate that is not shaken.
_LEAN, _AMOUNTS, _CALM = 0.4, (0.0, 0.25, 0.5, 0.75, 1.0), 1.2


def carried_trunk(base: Motion, lent: Motion, spine: Sequence[int]) -> dict[int, Array]:
    """Orientations ``(T, 4)`` of the joints of a spine, on the hips of a base.

    From the trunk of the base to that of the other clip, further with each joint. The chest is
    as upright, and as far turned from the hips, as in its own clip, and moves over the floor as
    steadily as it does there: what the hips of either clip do in a moment, the spine below the
    chest makes up for.

    Parameters
    ----------
    base
        The clip with the hips, T frames.
    lent
        The clip with the trunk, T frames of the same skeleton.
    spine
        The joints, from the lowest to the chest.
    """
    ours, theirs = base.forward(), lent.forward()
    turn = _carrying(base, lent, ours[1][:, 0], theirs[1][:, 0])
    trunk = {}
    for number, joint in enumerate(spine, 1):
        level = rotations.multiply(turn, theirs[1][:, joint])
        share = np.full(len(base), number / len(spine))
        trunk[joint] = part_of_the_way(ours[1][:, joint], level, share)
    if len(spine) > 1:
        lever = _lever(base, ours, spine, trunk)
        place = ours[0][:, spine[0]] + lever
        carried = place[:, None] + rotations.rotate(
            turn[:, None], theirs[0] - theirs[0][:, spine[-1:]]
        )
        own = _jerks(theirs[0][:, spine[-1]], base.fps)
        missing = _within_reach(rotations.rotate(turn, own) - _jerks(place, base.fps), lever)
        missing *= _amount(base, ours[0], theirs[0], carried, missing, spine[-1])
        lean = rotations.between_vectors(lever, lever + missing)
        for joint in spine[:-1]:
            trunk[joint] = rotations.multiply(lean, trunk[joint])
    return trunk


def part_of_the_way(start: Array, end: Array, share: Array) -> Array:
    """Rotations ``(T, 4)`` at shares ``(T,)`` of the way from others to others.

    Where they pass each other half a turn apart, the shorter way changes sides, and a joint that
    took it would jump: it goes on the same way round instead. It starts with the shorter ways of
    most frames.
    """
    way = rotations.unroll(rotations.multiply(rotations.inverse(start), end))
    if np.sum(way[:, 3] < 0.0) > 0.5 * len(way):
        way = -way
    sine = np.linalg.norm(way[:, :3], axis=-1)
    half = np.arctan2(sine, way[:, 3])
    axis = way[:, :3] / np.where(sine > 0.0, sine, 1.0)[:, None]
    return rotations.multiply(start, rotations.exp(axis * (2.0 * half * share)[:, None]))


def _carrying(base: Motion, lent: Motion, below: Array, above: Array) -> Array:
    """How ``(T, 4)`` the trunk of a clip is turned to stand on the hips of another.

    About the vertical, so that it is as upright as in its own clip. Where the hips of the base lie
    down or go head over heels, no spine could make up for that, and the trunk goes along. ``below``
    and ``above`` ``(T, 4)`` are the orientations of both clips' hips.
    """
    ours, theirs = _without_sway(base, below), _without_sway(lent, above)
    turn = rotations.multiply(ours, rotations.inverse(theirs))
    up = np.array([0.0, 1.0, 0.0])
    # As long as the sine of the tilt: nearly the tilt while that is small, and nothing for a body
    # upside down, which has no shortest way to get upright.
    upright = rotations.exp(rotations.cross(rotations.rotate(turn, up), up))
    return rotations.multiply(upright, turn)


def _without_sway(motion: Motion, hips: Array) -> Array:
    """Orientations ``(T, 4)`` of a motion's hips without swaying and jerks."""
    hips = rotations.unroll(hips)
    first = tpose_frames(motion)
    hips[:first] = hips[first]
    return rotations.normalize(_smooth(hips, _SWAY * motion.fps))


def _within_reach(missing: Array, lever: Array) -> Array:
    """How far ``(T, 3)`` the ends of levers ``(T, 3)`` move over the floor, of what is missing."""
    # Up and down a chest goes with the hips.
    missing = missing * (1.0, 0.0, 1.0)
    most = _LEAN * np.linalg.norm(lever, axis=1, keepdims=True)
    size = np.linalg.norm(missing, axis=1, keepdims=True) / most
    return np.asarray(missing * np.tanh(size) / np.maximum(size, 1e-12))


def _amount(
    base: Motion, ours: Array, theirs: Array, carried: Array, missing: Array, chest: int
) -> float:
    """Which share of a lean it takes until no joint is shaken; if none is enough, the best.

    Parameters
    ----------
    base
        The clip with the hips.
    ours, theirs, carried
        Positions ``(T, J, 3)`` in the base, in the other clip, and on the hips of the base.
    missing
        How far ``(T, 3)`` the lean moves the chest.
    chest
        The joint that is moved, with everything above it.
    """
    moved = sorted(set(below(base.skeleton, chest)) & set(find_rig(base.skeleton).roles.values()))
    still = STILL * unit_length(base.skeleton) / base.fps**2
    first = tpose_frames(base)
    own = np.maximum(_hardest(ours[first:, moved]), np.maximum(_hardest(theirs[:, moved]), still))
    shaken = {}
    for amount in _AMOUNTS:
        places = carried[first:, moved] + amount * missing[first:, None]
        shaken[amount] = float((_hardest(places) / own).max(initial=0.0))
        if shaken[amount] <= _CALM:
            break
    return min(shaken, key=shaken.__getitem__)


def _hardest(places: Array) -> Array:
    """The largest changes ``(J,)`` of the velocities of points ``(T, J, 3)``."""
    return np.linalg.norm(np.diff(places, 2, axis=0), axis=-1).max(axis=0, initial=0.0)


def _lever(
    motion: Motion, pose: tuple[Array, Array], spine: Sequence[int], turned: dict[int, Array]
) -> Array:
    """The vectors ``(T, 3)`` from the bottom of a spine to its top, if its joints are ``turned``.

    ``pose`` is what `Motion.forward` gives.
    """
    positions, orientations = pose
    chain = [spine[-1]]
    while chain[-1] != spine[0]:
        chain.append(int(motion.skeleton.parents[chain[-1]]))
    here = turned[spine[0]]
    lever = np.zeros((len(motion), 3))
    for parent, joint in itertools.pairwise(reversed(chain)):
        back = rotations.inverse(orientations[:, parent])
        bone = rotations.rotate(back, positions[:, joint] - positions[:, parent])
        lever += rotations.rotate(here, bone)
        # Helpers between them, which never turn, go along.
        here = turned.get(joint, rotations.multiply(here, motion.rotations[:, joint]))
    return lever


def _jerks(places: Array, fps: float) -> Array:
    """What is left of ways ``(T, 3)`` without their slow part."""
    return places - _smooth(places, _JERK * fps)


def _smooth(values: Array, width: float) -> Array:
    from scipy.ndimage import gaussian_filter1d

    return np.asarray(gaussian_filter1d(values, width, axis=0, mode="nearest"))
