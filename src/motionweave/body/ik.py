"""Inverse kinematics in closed form: limbs of two bones, and feet on two points.

Everything works on arrays of T frames at once. A limb is solved by where its
middle joint has to be: in the plane it already bends in, carried along by the
smallest turn that points the limb at its goal. That leaves no freedom to choose
and no iteration to converge, so a goal where the limb already is changes nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motionweave.core import rotations as quat
from motionweave.core.arrays import Array
from motionweave.core.skeleton import Skeleton

# A limb bent by less than the first sine has no plane worth keeping and bends about
# its hinge; beyond the second it keeps its own plane exactly; in between both count.
_STRAIGHT, _BENT = 0.01, 0.06
# Sine of the angle between the plane of a hinged limb and its hinge's plane, at most.
_MOST_ASIDE = 0.7
# Bend, in radians, below which a hinge counts as nearly straight.
NEARLY_STRAIGHT = 0.14
# Radians, less than one degree, by which one that is at its limit yields.
_YIELDING = 0.015


class Limb(NamedTuple):
    """Joint indices of a two-bone limb: hip, knee, ankle, or shoulder, elbow, wrist.

    Joints in between (twist bones) are carried along rigidly.
    """

    upper: int
    middle: int
    end: int


class TwoBone(NamedTuple):
    """How two bones turn to reach a goal.

    Parameters
    ----------
    upper_turn, middle_turn
        ``(T, 4)`` global rotations of everything below the upper and below the
        middle joint (``new = turn * old``).
    middle, end
        ``(T, 3)`` where those joints come to lie.
    shortfall
        ``(T,)`` how far the end stays from its goal: 0 where it is reached.
    """

    upper_turn: Array
    middle_turn: Array
    middle: Array
    end: Array
    shortfall: Array


def solve_two_bones(
    upper: ArrayLike,
    middle: ArrayLike,
    end: ArrayLike,
    goal: ArrayLike,
    *,
    hinge: ArrayLike | None = None,
    soft: float = 0.0,
    hinged: bool = False,
) -> TwoBone:
    """Turn two bones so that the end joint comes to lie at ``goal``.

    Parameters
    ----------
    upper, middle, end, goal
        ``(T, 3)`` present places of the three joints, and where the end should be.
    hinge
        ``(T, 3)`` axis about which the middle joint bends (right-handed: turning the
        second bone about it bends the limb more), for frames in which the limb is
        straight or nearly so and shows no plane of its own worth keeping. Without it
        the limb's own plane is always kept, and any plane taken where there is none.
    soft
        Share of the limb's length, before full extension, within which the limb
        gives way: the nearer to straight, the less of a further pull it follows, so
        that the middle joint cannot snap. 0 reaches exactly up to full length. A limb
        that is already straighter than that is only kept from getting straighter
        at full speed.
    hinged
        Whether the limb bends about ``hinge`` in all frames, and its middle joint stays as far
        off that plane as it is. For goals that change how a limb is bent: a recorded limb that
        is nearly straight, or passes straight, shows a plane that turns quickly, and a limb
        bent more in that plane would swing sideways.
    """
    upper, middle, end, goal = np.broadcast_arrays(
        *(np.asarray(p, dtype=np.float64) for p in (upper, middle, end, goal))
    )
    first, second, span, pull = middle - upper, end - middle, end - upper, goal - upper
    a, b = _length(first), _length(second)
    now, wanted = _length(span), _length(pull)
    along = _direction(span, first)
    to_goal = _direction(pull, along)

    swing = quat.between_vectors(along, to_goal)
    reached = np.clip(_softened(wanted, now, a + b, soft), np.abs(a - b), a + b)
    # Law of cosines. A limb folded onto itself, its end on its upper joint, has its
    # middle joint straight along the pole.
    folded = a * reached <= 1e-12 * (a + b) ** 2
    squares = a * a + reached * reached - b * b
    cosine = np.where(folded, 0.0, squares / np.where(folded, 1.0, 2.0 * a * reached))
    cosine = np.clip(cosine, -1.0, 1.0)
    sine = np.sqrt(1.0 - cosine * cosine)
    if hinged and hinge is not None:
        pole = _hinged_pole(first, along, a, sine, hinge)
    else:
        pole = _pole(first, along, a, b, hinge)
    pole = quat.rotate(swing, pole)
    pole = _direction(pole - to_goal * _dot(pole, to_goal), pole)
    new_middle = upper + a * (cosine * to_goal + sine * pole)
    new_end = upper + reached * to_goal

    upper_turn = _turned_onto(swing, first, new_middle - upper)
    middle_turn = _turned_onto(upper_turn, second, new_end - new_middle)
    shortfall = np.asarray(_length(goal - new_end)[..., 0])
    return TwoBone(upper_turn, middle_turn, new_middle, new_end, shortfall)


class HingeReach(NamedTuple):
    """How far a limb that bends about a hinge reaches from one end to the other.

    Bones are fixed, and the second turns about the hinge's axis: the ends are
    ``sqrt(base + 2 swing cos(bend))`` apart (law of cosines, for an axis that need not be
    at right angles to the bones).

    Parameters
    ----------
    bend
        ``(T,)`` in radians, 0 where straight, positive the way the limb is built to bend.
    base, swing
        ``(T,)`` squares of lengths.
    """

    bend: Array
    base: Array
    swing: Array

    @staticmethod
    def of(first: Array, second: Array, axis: Array) -> HingeReach:
        """The hinge of bones ``(T, 3)`` about unit axes ``(T, 3)``."""
        on_axis = np.stack([_rowdot(first, axis), _rowdot(second, axis)])
        cosine = _rowdot(first, second) - on_axis[0] * on_axis[1]
        sine = _rowdot(quat.cross(first, second), axis)
        bend = np.arctan2(sine, cosine)
        # A knee folded past a half turn has not come out in front.
        bend = np.where(bend < -0.5 * np.pi, bend + 2.0 * np.pi, bend)
        base = _rowdot(first, first) + _rowdot(second, second) + 2.0 * on_axis[0] * on_axis[1]
        return HingeReach(bend, base, np.hypot(sine, cosine))

    def length(self, bend: Array) -> Array:
        """How far apart the ends are ``(T,)`` at other bends."""
        return np.asarray(np.sqrt(np.maximum(self.base + 2.0 * self.swing * np.cos(bend), 0.0)))

    def slope(self, bend: Array) -> Array:
        """By how much the limb gets shorter per radian of bend, ``(T,)``, at least a little."""
        bend = np.clip(bend, NEARLY_STRAIGHT, np.pi - NEARLY_STRAIGHT)
        length = np.maximum(self.length(bend), 1e-12)
        return np.asarray(np.maximum(self.swing * np.sin(bend) / length, 1e-12))

    def bent_for(self, change: Array) -> Array:
        """The bends ``(T,)`` at which the ends are by ``change`` ``(T,)`` farther apart.

        Exact while the limb is clearly bent. Nearer to straight, where a hair's breadth
        of length is worth degrees of bend, the length is taken to go on falling with the
        bend as it does at the edge of that zone: bends follow with a bounded speed, at the
        price of a small shortfall. A limb approaches straight without passing it, and one
        recorded past it never goes further.
        """
        edge = np.full_like(self.bend, NEARLY_STRAIGHT)
        at_edge, slope = self.length(edge), self.slope(edge)
        before = np.where(
            self.bend >= edge, self.length(self.bend), at_edge + slope * (edge - self.bend)
        )
        wanted = before + change
        cosine = (np.maximum(wanted, 0.0) ** 2 - self.base) / np.maximum(2.0 * self.swing, 1e-300)
        clear = np.arccos(np.clip(cosine, -1.0, 1.0))
        folded = self.bend > np.pi
        clear = np.where(folded, 2.0 * np.pi - clear, clear)
        bend = np.where(wanted <= at_edge, clear, edge - (wanted - at_edge) / slope)
        least = np.minimum(self.bend, edge)
        bend = _eased_above(bend, least, np.maximum(least, _YIELDING))
        # What does not change stays to the last bit.
        return np.asarray(np.where(change == 0.0, self.bend, bend))

    def kept_back(self, bend: Array) -> Array:
        """Bends ``(T,)`` kept from passing straight, or from going further than recorded."""
        least = np.minimum(self.bend, 0.0)
        return _eased_above(bend, least, np.full_like(least, _YIELDING))


def _eased_above(values: Array, least: Array, room: Array) -> Array:
    """Values of which those below ``least`` approach ``least - room``, without a kink."""
    eased = least + room * np.expm1(np.minimum(values - least, 0.0) / room)
    return np.asarray(np.where(values < least, eased, values))


def solve_hinged(
    upper: Array,
    middle: Array,
    end: Array,
    goal: Array,
    axis: Array,
    bend: Array | None = None,
) -> TwoBone:
    """Bend a limb about its hinge and swing it so that its end comes to lie at ``goal``.

    It starts from the pose as it is: the middle joint turns by what the limb's length has
    to change, and the whole takes the smallest swing onto the goal. Smooth goals give
    smooth bends, also through straight, and no limb turns to its wrong side.

    Parameters
    ----------
    upper, middle, end, goal
        ``(T, 3)`` present places of the three joints, and where the end should be.
    axis
        ``(T, 3)`` unit axes of the hinge (right-handed: turning the second bone about it
        bends the limb more).
    bend
        ``(T,)`` bends to take; by default those of `HingeReach.bent_for`.
    """
    first, second = middle - upper, end - middle
    hinge = HingeReach.of(first, second, axis)
    pull = goal - upper
    if bend is None:
        now = np.sqrt(_rowdot(end - upper, end - upper))
        bend = hinge.bent_for(np.sqrt(_rowdot(pull, pull)) - now)
    flex = quat.exp(axis * (bend - hinge.bend)[:, None])
    span = first + quat.rotate(flex, second)
    swing = quat.between_vectors(span, np.where(_length(pull) > 0.0, pull, span))
    new_end = upper + quat.rotate(swing, span)
    return TwoBone(
        swing,
        quat.multiply(swing, flex),
        upper + quat.rotate(swing, first),
        new_end,
        np.asarray(_length(goal - new_end)[..., 0]),
    )


def apply_to_limb(
    local: Array,
    orientations: Array,
    skeleton: Skeleton,
    limb: Limb,
    solved: TwoBone,
    end_orientation: Array | None = None,
) -> Array:
    """Local rotations of a limb's three joints after it has been solved, ``(T, 3, 4)``.

    Parameters
    ----------
    local, orientations
        ``(T, J, 4)`` local rotations and global orientations before.
    solved
        What `solve_two_bones` found.
    end_orientation
        ``(T, 4)`` global orientation the end joint shall have; by default the one it
        had, so that feet and hands do not turn with the limb.
    """
    upper, middle, end = limb
    above = skeleton.parents[upper]
    upper_new = quat.multiply(solved.upper_turn, orientations[:, upper])
    result = np.empty((len(local), 3, 4))
    result[:, 0] = (
        upper_new if above < 0 else quat.multiply(quat.inverse(orientations[:, above]), upper_new)
    )
    over_middle = quat.multiply(solved.upper_turn, orientations[:, skeleton.parents[middle]])
    middle_new = quat.multiply(solved.middle_turn, orientations[:, middle])
    result[:, 1] = quat.multiply(quat.inverse(over_middle), middle_new)
    over_end = quat.multiply(solved.middle_turn, orientations[:, skeleton.parents[end]])
    wanted = orientations[:, end] if end_orientation is None else end_orientation
    result[:, 2] = quat.multiply(quat.inverse(over_end), wanted)
    # Products of unit quaternions drift by rounding only, but drift they do.
    return quat.normalize(result)


def hinge_axis(positions: Array, orientations: Array, limb: Limb) -> Array:
    """The axis ``(T, 3)``, global, about which a limb's middle joint bends in a clip.

    It is the axis fixed in the upper bone that fits all frames best, those with a
    strong bend counting most: what a knee does when it starts to bend from straight.
    A limb that never bends has none, and zeros are returned.
    """
    first = positions[:, limb.middle] - positions[:, limb.upper]
    second = positions[:, limb.end] - positions[:, limb.middle]
    scale = np.maximum(_length(first) * _length(second), 1e-300)
    sines = np.cross(first, second) / scale
    local = quat.rotate(quat.inverse(orientations[:, limb.upper]), sines)
    mean = np.sum(local * _length(local), axis=0)
    size = np.linalg.norm(mean)
    if size < 1e-9:
        return np.zeros_like(local)
    return quat.rotate(orientations[:, limb.upper], mean / size)


class Foot(NamedTuple):
    """How a foot moves as one piece: ``new = centre + turn * (old - centre) + shift``,
    written for the ankle as its place and the turn of its orientation.

    Parameters
    ----------
    ankle
        ``(T, 3)`` where the ankle comes to lie.
    turn
        ``(T, 4)`` global rotation of the foot (``new = turn * old``).
    """

    ankle: Array
    turn: Array


def place_foot(
    ankle: ArrayLike,
    heel: ArrayLike,
    toe: ArrayLike,
    heel_goal: ArrayLike | None = None,
    toe_goal: ArrayLike | None = None,
    *,
    on_toe: ArrayLike = 0.5,
) -> Foot:
    """Move a rigid foot so that its heel, its toe, or both lie on their goals.

    With one goal the foot is shifted and does not turn. With two it also takes
    the smallest turn that gives it the direction between them. The two can be met
    exactly when they are as far apart as heel and toe are; what is left otherwise
    lies along the foot and is shared out by ``on_toe``.

    Parameters
    ----------
    ankle, heel, toe
        ``(T, 3)`` present places of the ankle joint and of the two points.
    heel_goal, toe_goal
        ``(T, 3)`` where they should be, or None where they are free.
    on_toe
        ``(T,)`` or a number: 0 puts the heel on its goal, 1 the toe.
    """
    ankle, heel, toe = (np.asarray(p, dtype=np.float64) for p in (ankle, heel, toe))
    if heel_goal is None or toe_goal is None:
        if heel_goal is not None:
            shift = np.asarray(heel_goal) - heel
        elif toe_goal is not None:
            shift = np.asarray(toe_goal) - toe
        else:
            shift = np.zeros_like(ankle)
        return Foot(ankle + shift, np.broadcast_to(quat.IDENTITY, (*ankle.shape[:-1], 4)))
    heel_goal = np.asarray(heel_goal, dtype=np.float64)
    toe_goal = np.asarray(toe_goal, dtype=np.float64)
    share = np.asarray(on_toe, dtype=np.float64)[..., None]
    turn = quat.between_vectors(toe - heel, toe_goal - heel_goal)
    pivot = (1.0 - share) * heel + share * toe
    goal = (1.0 - share) * heel_goal + share * toe_goal
    return Foot(goal + quat.rotate(turn, ankle - pivot), turn)


def _pole(first: Array, along: Array, a: Array, b: Array, hinge: ArrayLike | None) -> Array:
    """Unit direction from the line upper-end to the middle joint, ``(T, 3)``."""
    own = (first - along * _dot(first, along)) / np.maximum(a, 1e-300)
    helper = np.where(np.abs(along[..., :1]) < 0.9, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
    any_side = _direction(np.cross(along, helper), helper)
    if hinge is None:
        return _direction(own, any_side)
    spare = _direction(np.cross(along, np.asarray(hinge, dtype=np.float64)), any_side)
    # How far the joint is off the line, as the sine of the bend.
    bend = _length(own) * (a + b) / np.maximum(b, 1e-300)
    share = np.clip((bend - _STRAIGHT) / (_BENT - _STRAIGHT), 0.0, 1.0)
    share = share * share * (3.0 - 2.0 * share)
    return _direction(share * _direction(own, spare) + (1.0 - share) * spare, spare)


def _hinged_pole(first: Array, along: Array, a: Array, sine: Array, hinge: ArrayLike) -> Array:
    """Unit direction to a middle joint that will be ``a sine`` off the line, as far off the
    plane of the hinge as it is now, ``(T, 3)``."""
    hinge = np.asarray(hinge, dtype=np.float64)
    straight = _pole(first, along, a, a, hinge)
    bent = _direction(np.cross(along, hinge), straight)
    own = (first - along * _dot(first, along)) / np.maximum(a, 1e-300)
    aside = own - bent * _dot(own, bent)
    aside = aside / np.maximum(np.maximum(sine, _length(aside) / _MOST_ASIDE), 1e-300)
    return np.sqrt(1.0 - _dot(aside, aside)) * bent + aside


def _softened(wanted: Array, now: Array, length: Array, soft: float) -> Array:
    """Distances to reach, so that full ``length`` is approached but never passed."""
    if soft <= 0.0:
        return wanted
    start = np.maximum((1.0 - soft) * length, np.minimum(now, length))
    room = np.maximum(length - start, 1e-12 * length)
    beyond = np.maximum(wanted - start, 0.0)
    return np.where(wanted > start, start + room * -np.expm1(-beyond / room), wanted)


def _turned_onto(turn: Array, bone: Array, wanted: Array) -> Array:
    """``turn`` followed by the smallest rotation that brings the bone onto ``wanted``."""
    still = np.broadcast_to(bone, wanted.shape)
    empty = (_length(bone) == 0.0) | (_length(wanted) == 0.0)
    start = np.where(empty, 1.0, quat.rotate(turn, still))
    goal = np.where(empty, 1.0, wanted)
    return quat.multiply(quat.between_vectors(start, goal), turn)


def _direction(vectors: Array, spare: Array) -> Array:
    """Unit vectors ``(T, 3)``; where one has no length, that of ``spare``."""
    size = _length(vectors)
    other = _length(spare)
    tiny = size <= 1e-9 * np.maximum(other, 1e-300)
    return np.where(tiny, spare / np.maximum(other, 1e-300), vectors / np.where(tiny, 1.0, size))


def _length(vectors: Array) -> Array:
    return np.asarray(np.linalg.norm(vectors, axis=-1, keepdims=True))


def _dot(a: Array, b: Array) -> Array:
    return np.asarray(np.sum(a * b, axis=-1, keepdims=True))


def _rowdot(a: Array, b: Array) -> Array:
    return np.asarray(np.einsum("...i,...i->...", a, b))
