"""Feet across a seam: which carry the body, which really stay, and which take a step.

If the clips stand differently, both feet cannot stay: one of them carries the body and stays, the
other takes a step to its new place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionweave.body import ik
from motionweave.body.hinges import find_hinges
from motionweave.body.rig.roles import SIDES, leg_length
from motionweave.body.soles import has_feet, soles
from motionweave.contacts.clean.solve import FootWay, solve_limbs
from motionweave.core import rotations
from motionweave.core.arrays import Array, BoolArray
from motionweave.core.constraints import Constraint, clipped, kinds, of_kind
from motionweave.core.curves import smootherstep
from motionweave.core.kinematics import attached
from motionweave.core.motion import Motion

# Seconds in which a foot takes over, or gives up, the weight of the body.
_LOADING = 0.1
# Seconds over which a shift of the body is spread, to either side.
_EASING = 0.1
# How much more sharply than by load feet share the weight, and the bonus of the favoured one.
_FIRMNESS = 3
_FAVOUR = 8.0
# Leg lengths by which a foot may drift and still be held in its place, the share of it after
# which one that does not stay sets off, the seconds that it takes at least to another place, and
# how high it is lifted on the way, as a share of that way.
_NEAR = 0.06
_SETS_OFF = 0.33
# Leg lengths per second up to which a foot counts as standing where it sets off or arrives.
_SLOW = 0.4
_STEP_TIME = 0.1
_LIFT = 0.2
_MOST_LIFT = 0.08
# Leg lengths up to which nobody sees whether a foot is lifted.
_SEEN = 0.002


@dataclass(frozen=True, eq=False)
class SolePoints:
    """Heels and toes of a character, fixed to their joints.

    Parameters
    ----------
    kinds
        Their contact kinds, such as ``left_heel``; none for a skeleton without legs.
    joints
        The joints that carry them.
    offsets
        ``(feet, 3)`` places in the frames of these joints.
    """

    kinds: tuple[str, ...]
    joints: tuple[int, ...]
    offsets: Array

    @classmethod
    def of(cls, motion: Motion) -> SolePoints:
        """The feet of the character that performs a motion."""
        if not has_feet(motion.skeleton):
            return cls((), (), np.zeros((0, 3)))
        rows = [
            row
            for side, sole in soles(motion).items()
            for row in (
                (f"{side}_heel", sole.ankle, sole.heel),
                (f"{side}_toe", sole.toe_joint, sole.toe),
            )
        ]
        names, joints, offsets = zip(*rows, strict=True)
        return cls(names, joints, np.array(offsets))

    def __len__(self) -> int:
        return len(self.kinds)

    def points(self, motion: Motion, pose: tuple[Array, Array] | None = None) -> Array:
        """Places ``(n, feet, 3)`` of heels and toes in a motion of that skeleton.

        ``pose`` is what `Motion.forward` gives, if it is known.
        """
        positions, orientations = motion.forward() if pose is None else pose
        joints = np.array(self.joints, dtype=np.intp)
        return attached(positions, orientations, joints, self.offsets)


def carrying(stands: Array) -> Array:
    """Shares ``(n, feet)`` of the body's weight, from how firmly ``(n, feet)`` each foot stands.

    Something carries the whole weight wherever a foot stands; as the last one leaves the ground,
    the weight fades. The firmest foot takes nearly all of it, and of two equally firm ones the
    one that stands more over all: two feet that stand in other places in the second clip than
    in the first would both slide if they shared the weight.

    Parameters
    ----------
    stands
        Heel and toe of one foot, heel and toe of the other, 0 to 1.
    """
    sides = np.stack([stands[:, :2].max(axis=1), stands[:, 2:].max(axis=1)], axis=1)
    favoured = int(np.argmax(sides.sum(axis=0)))
    favour = np.where(np.array([0, 0, 1, 1]) == favoured, _FAVOUR, 1.0)
    pull = favour * stands**_FIRMNESS
    grounded = np.minimum(sides.sum(axis=1, keepdims=True), 1.0)
    return np.asarray(grounded * pull / np.maximum(pull.sum(axis=1, keepdims=True), 1e-12))


def loading(constraints: Iterable[Constraint], kind: str, frames: Array, fps: float) -> Array:
    """How firmly ``(n,)`` a part stands at rising ``frames`` ``(n,)``: 0 to 1, eased at both
    ends."""
    eased, ramp = np.zeros(len(frames)), _LOADING * fps
    for c in of_kind(constraints, kind):
        # Only around the contact: a long take has thousands of them.
        near = slice(*np.searchsorted(frames, [c.start - ramp, c.end + ramp]))
        inside = np.minimum(frames[near] - c.start, c.end - frames[near]) / ramp
        eased[near] = np.maximum(eased[near], smootherstep(inside + 0.5))
    return eased


def eased(values: Array, fps: float) -> Array:
    """Values ``(n, ...)`` of a seam without sudden changes; those at its ends stay.

    As the weight moves from foot to foot, the shift of the body may change abruptly. A foot can be
    planted again; a lurch of the body cannot be repaired.
    """
    half = min(round(_EASING * fps), len(values) - 1)
    if half < 1:
        return values
    near, window, share = _easing(len(values), half)
    flat = values.reshape(len(values), -1)
    return np.asarray(flat + share * (window @ flat[near] - flat)).reshape(values.shape)


@lru_cache(maxsize=64)
def _easing(count: int, half: int) -> tuple[NDArray[np.intp], Array, Array]:
    """What is around each value ``(count, 2 half + 1)``, as indices with the end ones repeated, a
    window ``(2 half + 1,)``, and how much of what it gives counts ``(count, 1)``."""
    window = np.hanning(2 * half + 3)[1:-1]
    # The first and the last two are met, so that a seam has the velocities of its clips.
    inside = np.minimum(np.arange(count), np.arange(count)[::-1]) - 1.0
    near = np.clip(np.arange(count)[:, None] + np.arange(-half, half + 1), 0, count - 1)
    return near, window / window.sum(), smootherstep(inside / half)[:, None]


def handed_over(
    first: Iterable[Constraint], second: Iterable[Constraint], weight: Array
) -> tuple[Constraint, ...]:
    """Contacts of a cross-fade, in its frames, from those of both clips.

    Two overlapping contacts become one, with ends weighted by the clips; a contact of only one clip
    counts while that clip weighs more, if that is most of the contact.
    """
    first, second = tuple(first), tuple(second)
    last = len(weight) - 1.0
    middle = float(np.interp(0.5, weight, np.arange(len(weight))))
    result: list[Constraint] = []
    for kind in kinds((*first, *second)):
        early, late = list(of_kind(first, kind)), list(of_kind(second, kind))
        for c in early:
            partner = next((d for d in late if c.start <= d.end and d.start <= c.end), None)
            if partner is None:
                result += _mostly([c], 0.0, middle)
                continue
            late.remove(partner)
            start, end = (
                _led((getattr(c, at), getattr(partner, at)), weight) for at in ("start", "end")
            )
            result.append(Constraint(min(start, end), max(start, end), kind))
        result += _mostly(late, middle, last)
    return tuple(result)


def _mostly(constraints: Iterable[Constraint], first: float, last: float) -> list[Constraint]:
    """The parts within some frames of constraints that are mostly within them."""
    return [
        part
        for c in constraints
        for part in clipped([c], first, last)
        if part.end - part.start > 0.5 * (c.end - c.start)
    ]


def _led(ends: tuple[float, float], weight: Array) -> float:
    """A frame between those of two clips, nearer to the clip that weighs more there."""
    share = float(np.interp(np.mean(ends), np.arange(len(weight)), weight))
    return (1.0 - share) * ends[0] + share * ends[1]


def stepping(motion: Motion, feet: SolePoints, drift: Array, low: ArrayLike = 0.0) -> Motion:
    """The frames of a seam in which each foot that stands either stays or takes a step.

    Contacts of feet that move to another place are dropped meanwhile, and the feet are lifted
    slightly above the floor.

    Parameters
    ----------
    motion
        n frames, with contacts.
    feet
        Of the character.
    drift
        ``(n, feet, 2)`` how far each foot that should have stayed has moved over the floor.
    low
        ``(n, 2)`` how much higher each side's foot should be than it is, at least.
    """
    size = leg_length(motion.skeleton)
    gap = round(_STEP_TIME * motion.fps)
    frames = np.arange(len(motion))
    held: list[Constraint] = []
    raised = np.array(np.broadcast_to(low, (len(motion), len(SIDES))))
    lifts = dict(zip(SIDES, raised.T, strict=True))
    for contact in motion.constraints:
        if contact.kind not in feet.kinds:
            held.append(contact)
            continue
        places = drift[:, feet.kinds.index(contact.kind)]
        kept = steady(contact, places, _NEAR * size, gap, _SLOW * size / motion.fps)
        held += kept
        if len(kept) == 2:
            first, last = kept[0].end, kept[1].start
            way = float(np.linalg.norm(places[int(last)] - places[int(first)]))
            share = (frames - first) / (last - first)
            bump = smootherstep(2.0 * share) * smootherstep(2.0 - 2.0 * share)
            lift = lifts[contact.kind.split("_")[0]]
            np.maximum(lift, min(_LIFT * way, _MOST_LIFT * size) * bump, out=lift)
    return _lifted(motion, lifts, _SEEN * size).with_constraints(held)


def _lifted(motion: Motion, lifts: Mapping[str, Array], seen: float) -> Motion:
    """Legs bent so that the feet of their sides are higher by ``lifts`` ``(T,)``; the feet do not
    turn. Where nobody would see it, nothing is done."""
    if all(lift.max() <= seen for lift in lifts.values()):
        return motion
    pose = positions, orientations = motion.forward()
    hinges = find_hinges(motion, pose, arms=False)
    ways = [
        FootWay(
            ik.Limb(hinge.upper, hinge.joint, hinge.end),
            rotations.rotate(orientations[:, hinge.upper], hinge.axis),
            positions[:, hinge.end] + lifts[side][:, None] * np.array([0.0, 1.0, 0.0]),
            np.tile(rotations.IDENTITY, (len(motion), 1)),
            np.ones(len(motion)),
            exact=True,
        )
        for side in SIDES
        if (hinge := hinges.get(f"{side}_shin")) is not None
    ]
    if not ways:
        return motion
    quats = np.array(motion.rotations)
    solve_limbs(motion, positions, orientations, ways, np.zeros((len(motion), 3)), quats)
    return replace(motion, rotations=quats)


def steady(
    contact: Constraint, places: Array, near: float, gap: int, slow: float = np.inf
) -> list[Constraint]:
    """The part of a contact in which the foot is not dragged.

    Parameters
    ----------
    contact
        In frames of the seam.
    places
        ``(n, 2)`` where on the floor the heel or toe is in the seam.
    near
        How far a foot may be from its place and still count as standing there.
    gap
        The fewest frames in which a foot can move.
    slow
        The largest distance per frame of a foot that stands.
    """
    last = len(places) - 1
    frames = np.arange(max(int(np.ceil(contact.start)), 0), min(int(contact.end), last) + 1)
    if len(frames) == 0:
        return [contact]
    there = places[frames]
    from_first = np.linalg.norm(there - there[0], axis=1)
    from_last = np.linalg.norm(there - there[-1], axis=1)
    if max(from_first.max(), from_last.max()) <= near:
        return [contact]
    # How many frames the foot stays where it was, and how many it is where it will be. Held
    # until it is far away, it would have to catch up with a leg that is already swinging.
    steps = np.linalg.norm(np.diff(there, axis=0), axis=1)
    moving = np.concatenate([[0.0], steps]), np.concatenate([steps, [0.0]])
    stays = _leading((from_first <= _SETS_OFF * near) & (moving[0] <= slow))
    waits = _leading(((from_last <= _SETS_OFF * near) & (moving[1] <= slow))[::-1])
    spare = len(frames) - stays - waits
    if spare < gap:
        less = -(-(gap - spare) // 2)
        stays, waits = max(stays - less, 1), max(waits - less, 1)
    parts = []
    # A contact that begins or ends within the seam has no fixed place there.
    if contact.start <= 0.0:
        parts.append(replace(contact, end=float(frames[stays - 1])))
    if contact.end >= last:
        parts.append(replace(contact, start=float(frames[-waits])))
    return [part for part in parts if part.start <= part.end]


def _leading(mask: BoolArray) -> int:
    """How many of the first values are true without a break."""
    return len(mask) if mask.all() else int(np.argmin(mask))
