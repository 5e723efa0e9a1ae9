"""One solve for legs whose feet have targets: the body gives way, the legs follow.

The unknown is the shift ``c`` of the body in every frame, in all directions. It is
small and smooth, and chosen so that knees stay calm: per frame each leg asks for

    calm^2 ( |b|^2 + tau^4 |b''|^2 ),     b = change of the knee's bend,

linear in ``c``, one banded solve per Gauss-Newton step. A bent knee hardly notices a foot's
correction, so the body stays; a nearly straight leg turns millimetres into degrees, so the body
moves with the foot. Then each leg is solved from the pose it has by its hinge
(`motionweave.body.ik.solve_hinged`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from motionweave.body import ik
from motionweave.contacts.clean.banded import BandedLeastSquares
from motionweave.core import rotations as quat
from motionweave.core.arrays import Array, BoolArray
from motionweave.core.curves import smoothstep
from motionweave.core.motion import Motion

# Seconds over which the body gives way.
_GIVING = 0.1
# Leg lengths of shift that a radian of knee is worth, and the seconds in which bends
# that change count as sudden.
_CALM, _SUDDEN = 0.04, 0.05
# Cost of a foot out of reach, relative to a shift of the body.
_REACH = 100.0
# Cost of a horizontal shift, relative to a vertical one.
_LEVEL = 1.5
# Leg lengths missed that are worth as much as a knee's largest acceleration in the clip
# once more, which counts as at least this many radians per second squared; as many as in a
# brisk step where the limb is to take one that the clip has not.
_MISSED, _LEAST, _BRISK = 0.005, 10.0, 100.0
# Radians of bend beyond which, more and more, lengths alone decide.
_CLEARLY = (0.5, 1.2)
_ROUNDS = 4
_SETTLED = 1e-4


@dataclass(frozen=True)
class FootWay:
    """Where a foot (or a hand) should be.

    Parameters
    ----------
    limb
        Hip, knee and ankle; or shoulder, elbow and wrist.
    axis
        ``(T, 3)`` unit axes about which the limb bends, in the pose as it is.
    goal
        ``(T, 3)`` places of the ankle.
    turn
        ``(T, 4)`` global turns of the foot (``new = turn * old``).
    grip
        ``(T,)`` 1 where the foot stays when the body is shifted, 0 where it moves with it.
    stretch
        By which share the limb may get longer than its bones.
    exact
        Whether to be there exactly, however suddenly the limb has to bend for it.
    brisk
        Whether the limb may bend as suddenly as in a step, whatever it does in the clip.
    """

    limb: ik.Limb
    axis: Array
    goal: Array
    turn: Array
    grip: Array
    stretch: float = 0.0
    exact: bool = False
    brisk: bool = False


class _Leg(NamedTuple):
    """A limb: from goal to hip ``(T, 3)``, its own length and how much more it has."""

    span: Array
    own: Array
    hinge: ik.HingeReach
    grip: Array
    room: Array
    give: Array


def body_shift(
    positions: Array,
    ways: Sequence[FootWay],
    free: BoolArray,
    fps: float,
    size: float,
    *,
    meant: bool = False,
) -> Array:
    """Shifts ``(T, 3)`` of the body for legs whose feet have targets.

    Parameters
    ----------
    positions
        ``(T, J, 3)`` joints as they are.
    ways
        Of the legs.
    free
        ``(T,)`` frames that may change.
    size
        Leg length.
    meant
        Whether the body is where it should be, as in a crouch: it then gives way only to knees that
        bend suddenly or cannot reach, not to bent ones.
    """
    count = len(positions)
    shift = np.zeros((count, 3))
    legs = [_leg(positions, way) for way in ways]
    moved = max(float(np.abs(_longer(leg, shift)[0]).max()) for leg in legs)
    if not free.any() or moved < 1e-9 * size:
        return shift
    plain = BandedLeastSquares(count, 3)
    plain.add_smoothness(_GIVING * fps, (_LEVEL, 1.0, _LEVEL))
    for _ in range(_ROUNDS):
        rows = plain.copy()
        for leg in legs:
            _add_leg(rows, leg, shift, fps, size, meant)
        new = rows.solve(free)
        moved = float(np.abs(new - shift).max())
        shift = new
        if moved < _SETTLED * size:
            break
    return shift


def _leg(positions: Array, way: FootWay) -> _Leg:
    hip, knee, ankle = (positions[:, joint] for joint in way.limb)
    hinge = ik.HingeReach.of(knee - hip, ankle - knee, way.axis)
    own = np.linalg.norm(ankle - hip, axis=-1)
    full = hinge.length(np.zeros_like(own))
    return _Leg(hip - way.goal, own, hinge, way.grip, full - own, way.stretch * full)


def _longer(leg: _Leg, shift: Array) -> tuple[Array, Array]:
    """By how much a leg gets longer ``(T,)``, and how that changes with the shift ``(T, 3)``."""
    span = leg.span + leg.grip[:, None] * shift
    length = np.sqrt(np.einsum("ti,ti->t", span, span))
    direction = span * (leg.grip / np.maximum(length, 1e-12))[:, None]
    longer = length - leg.own
    # A limb that cannot reach may stretch.
    return longer - np.clip(longer - leg.room, 0.0, leg.give), direction


def _add_leg(
    rows: BandedLeastSquares, leg: _Leg, shift: Array, fps: float, size: float, meant: bool
) -> None:
    count = len(shift)
    frames = np.arange(count)
    longer, direction = _longer(leg, shift)
    # How much longer the leg would have to be without a shift, if the change were linear.
    start = longer - np.einsum("ti,ti->t", direction, shift)
    bend = leg.hinge.bent_for(longer)
    at = bend if meant else np.minimum(bend, leg.hinge.bend)
    steep = _CALM * size / leg.hinge.slope(at)
    pull, rest = direction * steep[:, None], -start * steep
    if not meant:
        rows.add(frames, pull, 1.0, rest)
    if count > 2:
        three = np.concatenate([pull[:-2], -2.0 * pull[1:-1], pull[2:]], axis=1)
        rows.add(frames[:-2], three, (_SUDDEN * fps) ** 4, rest[:-2] - 2.0 * rest[1:-1] + rest[2:])
    # The body comes near, or makes room, by what the bent leg misses.
    reached = leg.hinge.length(bend) - leg.own
    missing = np.where(longer == 0.0, 0.0, longer - reached)
    weight = _REACH * missing**2 / (missing**2 + (1e-3 * size) ** 2)
    rows.add(frames, direction, weight, reached - start)


def _calm_bend(leg: _Leg, shift: Array, off: BoolArray, fps: float, least: float) -> Array:
    """Bends ``(T,)`` that bring a limb's end to its target without sudden changes.

    A length missed is weighed against a bend that changes suddenly. Where the limb is
    nearly straight a calm bend costs next to no length, and where it is clearly bent
    the length decides. ``least`` is the acceleration that a bend may always have.
    """
    count = len(off)
    longer, _ = _longer(leg, shift)
    wanted = leg.hinge.bent_for(longer) - leg.hinge.bend
    if count < 3:
        return leg.hinge.bend + wanted
    size = float(np.median(leg.hinge.length(np.zeros(count))))
    slope = leg.hinge.slope(np.minimum(leg.hinge.bend + wanted, leg.hinge.bend)) / size
    rows = BandedLeastSquares(count, 1)
    rows.add(np.arange(count), slope[:, None], 1.0, slope * wanted)
    jerks = np.diff(leg.hinge.bend, 2)
    sudden = float(np.abs(jerks).max()) * fps**2
    calm = 1.0 - smoothstep((leg.hinge.bend[1:-1] - _CLEARLY[0]) / (_CLEARLY[1] - _CLEARLY[0]))
    # A limb that is bent further does with less what a straighter one needs degrees for.
    share = np.minimum(
        leg.hinge.slope(leg.hinge.bend) / leg.hinge.slope(leg.hinge.bend + wanted), 1.0
    )
    rows.add_change(
        (1.0, -2.0, 1.0),
        calm * (_MISSED / max(sudden, least) * fps**2) ** 2,
        ((share[1:-1] - 1.0) * jerks)[:, None],
    )
    return leg.hinge.kept_back(leg.hinge.bend + rows.solve(off)[:, 0])


def solve_limb(
    motion: Motion,
    positions: Array,
    orientations: Array,
    way: FootWay,
    shift: Array,
    local: Array,
) -> tuple[Array, Array]:
    """Bring a limb's end to its target; returns what is missing, and how bones stretch ``(T,)``.

    Parameters
    ----------
    positions, orientations
        ``(T, J, 3)`` and ``(T, J, 4)`` of the motion as it is.
    shift
        ``(T, 3)`` of the body.
    local
        ``(T, J, 4)`` local rotations, written to. Frames with nothing to do are left alone.
    """
    limb = way.limb
    along = (1.0 - way.grip)[:, None] * shift
    goal = way.goal + along
    off = np.any(goal != positions[:, limb.end] + shift, axis=-1) | (np.abs(way.turn[:, 3]) < 1.0)
    missing, stretched = np.zeros(len(off)), np.ones(len(off))
    if not off.any():
        return missing, stretched
    hip, knee, ankle = (positions[off, joint] + shift[off] for joint in limb)
    bend = None
    if not way.exact:
        least = _BRISK if way.brisk else _LEAST
        bend = _calm_bend(_leg(positions, way), shift, off, motion.fps, least)[off]
    solved = ik.solve_hinged(hip, knee, ankle, goal[off], way.axis[off], bend)
    before = orientations[off]
    turned = quat.multiply(way.turn[off], before[:, limb.end])
    new = ik.apply_to_limb(before, motion.skeleton, limb, solved, turned)
    rows = np.ix_(off, limb)
    # The sign of a quaternion means nothing, but stays as the clip has it.
    flipped = np.sum(new * local[rows], axis=-1, keepdims=True) < 0.0
    local[rows] = np.where(flipped, -new, new)
    missing[off] = solved.shortfall
    if way.stretch > 0.0:
        wanted = np.linalg.norm(goal[off] - hip, axis=-1)
        reached = np.linalg.norm(solved.end - hip, axis=-1)
        stretched[off] = np.clip(wanted / reached, 1.0, 1.0 + way.stretch)
        missing[off] = np.abs(wanted - stretched[off] * reached)
    return missing, stretched
