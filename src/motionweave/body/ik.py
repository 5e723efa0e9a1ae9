"""Inverse kinematics in closed form: limbs of two bones, and feet on two points.

Everything works on arrays of T frames at once. A limb is solved from the pose it has: it
bends about its hinge until it is as long as it has to be, and takes the smallest swing that
points it at its goal. That leaves no free choice and needs no iteration, so a goal where the limb
already is changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motionweave.core import rotations as quat
from motionweave.core.arrays import Array
from motionweave.core.numerics.curves import smoothstep

# Bend, in radians, below which a hinge counts as nearly straight.
NEARLY_STRAIGHT = 0.14
# Radians, less than one degree, by which one that is at its limit yields, and over which the
# limit turns from straight to what was recorded beyond.
_YIELDING, _TURNING = 0.015, 0.03


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
        ``(T, 3)`` where those joints end up.
    shortfall
        ``(T,)`` distance of the end from its goal: 0 where it is reached.
    """

    upper_turn: Array
    middle_turn: Array
    middle: Array
    end: Array
    shortfall: Array


@dataclass(frozen=True, eq=False)
class HingeReach:
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
        # A knee folded past half a turn has not bent forwards.
        bend = np.where(bend < -0.5 * np.pi, bend + 2.0 * np.pi, bend)
        base = _rowdot(first, first) + _rowdot(second, second) + 2.0 * on_axis[0] * on_axis[1]
        return HingeReach(bend, base, np.hypot(sine, cosine))

    def length(self, bend: Array) -> Array:
        """How far apart the ends are ``(T,)`` at other bends."""
        return np.asarray(np.sqrt(np.maximum(self.base + 2.0 * self.swing * np.cos(bend), 0.0)))

    def slope(self, bend: Array) -> Array:
        """How much the limb shortens per radian of bend, ``(T,)``, at least slightly."""
        bend = np.minimum(np.maximum(bend, NEARLY_STRAIGHT), np.pi - NEARLY_STRAIGHT)
        length = np.maximum(self.length(bend), 1e-12)
        return np.asarray(np.maximum(self.swing * np.sin(bend) / length, 1e-12))

    def bent_for(self, change: Array) -> Array:
        """The bends ``(T,)`` at which the ends are ``change`` ``(T,)`` further apart.

        Exact while the limb is clearly bent. Nearer to straight, where a hair's breadth
        of length is worth degrees of bend, the length is taken to go on falling with the
        bend as it does at the edge of that zone: bends follow with a bounded speed, at the
        price of a small shortfall. A limb approaches straight without passing it, and one
        recorded there or past it goes further by no more than two degrees.
        """
        edge, at_edge, slope, before, least, room, double_swing, folded = self._edge
        wanted = before + change
        cosine = (np.maximum(wanted, 0.0) ** 2 - self.base) / double_swing
        clear = np.arccos(np.minimum(np.maximum(cosine, -1.0), 1.0))
        if folded is not None:
            clear = np.where(folded, 2.0 * np.pi - clear, clear)
        bend = np.where(wanted <= at_edge, clear, edge - (wanted - at_edge) / slope)
        bend = _eased_above(bend, least, room)
        # What does not change stays to the last bit.
        return np.asarray(np.where(change == 0.0, self.bend, bend))

    @cached_property
    def _edge(self) -> tuple[Any, ...]:
        """What `bent_for` needs of the limb alone, each ``(T,)``: the bend at which it is nearly
        straight, its length and slope there, the length that it counts as having, the least bend
        with the room beyond, twice the swing, and where it is folded past half a turn, if it is
        anywhere."""
        edge = np.full_like(self.bend, NEARLY_STRAIGHT)
        at_edge, slope = self.length(edge), self.slope(edge)
        before = np.where(
            self.bend >= edge, self.length(self.bend), at_edge + slope * (edge - self.bend)
        )
        least = np.minimum(self.bend, edge)
        # Only what comes near to straight by itself yields there.
        yielding = 1.0 - smoothstep(self.bend / NEARLY_STRAIGHT)
        limit = yielding * (self._straightest() - _YIELDING)
        folded = self.bend > np.pi
        return (
            edge,
            at_edge,
            slope,
            before,
            least,
            least - limit,
            np.maximum(2.0 * self.swing, 1e-300),
            folded if folded.any() else None,
        )

    def kept_back(self, bend: Array) -> Array:
        """Bends ``(T,)`` kept from passing straight, or from going further than recorded."""
        _, _, _, _, least, room, _, _ = self._edge
        return _eased_above(bend, least, room)

    def _straightest(self) -> Array:
        """The lesser of straight and the bend that was recorded, ``(T,)``, rounded off.

        A knee that is held at this limit while the recorded one passes straight must not jerk.
        """
        return np.asarray(0.5 * (self.bend - np.hypot(self.bend, _TURNING)))


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
    further: Array | None = None,
) -> TwoBone:
    """Bend a limb about its hinge and swing it so that its end is at ``goal``.

    It starts from the pose as it is: the middle joint turns by what the limb's length has
    to change, and the whole takes the smallest swing onto the goal. Smooth goals give smooth bends,
    even through straight, and no limb bends the wrong way.

    Parameters
    ----------
    upper, middle, end, goal
        ``(T, 3)`` present places of the three joints, and where the end should be.
    axis
        ``(T, 3)`` unit axes of the hinge (right-handed: turning the second bone about it
        bends the limb more).
    further
        ``(T,)`` radians to bend by; by default those that lead to `HingeReach.bent_for`.
    """
    first, second = middle - upper, end - middle
    pull = goal - upper
    if further is None:
        hinge = HingeReach.of(first, second, axis)
        now = np.sqrt(_rowdot(end - upper, end - upper))
        further = hinge.bent_for(np.sqrt(_rowdot(pull, pull)) - now) - hinge.bend
    flex = quat.exp(axis * further[:, None])
    span = first + quat.rotate(flex, second)
    # A limb folded onto itself, or a goal at its upper joint, points nowhere.
    points = (_length(span) > 0.0) & (_length(pull) > 0.0)
    swing = quat.between_vectors(np.where(points, span, 1.0), np.where(points, pull, 1.0))
    new_end = upper + quat.rotate(swing, span)
    return TwoBone(
        swing,
        quat.multiply(swing, flex),
        upper + quat.rotate(swing, first),
        new_end,
        np.asarray(_length(goal - new_end)[..., 0]),
    )


def apply_to_limb(
    own: Array, above: Array, solved: TwoBone, end_orientation: Array | None = None
) -> Array:
    """Local rotations of a limb's three joints after it has been solved, ``(T, 3, 4)``.

    Parameters
    ----------
    own, above
        ``(T, 3, 4)`` global orientations of the three joints and of their parents, before.
    solved
        What `solve_hinged` found.
    end_orientation
        ``(T, 4)`` global orientation of the end joint; by default the one it had, so that feet and
        hands do not turn with the limb.
    """
    turns = np.stack([solved.upper_turn, solved.middle_turn], axis=1)
    new, over = np.array(own), np.array(above)
    new[:, :2] = quat.multiply(turns, own[:, :2])
    # What is between two joints of the limb is turned with the upper one of them.
    over[:, 1:] = quat.multiply(turns, above[:, 1:])
    if end_orientation is not None:
        new[:, 2] = end_orientation
    # Products of unit quaternions drift by rounding, so normalise them.
    return quat.normalize(quat.multiply(quat.inverse(over), new))


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


def _length(vectors: Array) -> Array:
    return np.sqrt(_rowdot(vectors, vectors))[..., None]


def _rowdot(a: Array, b: Array) -> Array:
    return np.asarray(np.einsum("...i,...i->...", a, b))
