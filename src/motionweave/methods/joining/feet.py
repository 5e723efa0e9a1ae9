"""Feet across a seam: which support the body, which stay planted, and which take a step.

If the clips stand differently, both feet cannot stay: one of them supports the body and stays, the
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
from motionweave.core.kinematics import attached
from motionweave.core.motion import Motion
from motionweave.core.numerics.curves import smootherstep

# Seconds in which a foot takes over, or gives up, the weight of the body.
_LOADING = 0.1
# Seconds to either side over which a shift of the body is smoothed.
_EASING = 0.1
# The weight is shared by this power of the feet's firmness, and the favoured foot counts this many
# times: nearly all of it rests on one foot.
_SHARPNESS = 3
_FAVOUR = 8.0
# Leg lengths by which a foot may drift and still be held in its place. One that drifts further
# takes a step, which begins at this share of that distance.
_NEAR = 0.06
_SETS_OFF = 0.33
# Leg lengths per second up to which a foot counts as standing before and after a step.
_SLOW = 0.4
# The fewest seconds of a step; how high the foot is lifted, as a share of the step's length, and at
# most in leg lengths.
_STEP_TIME = 0.1
_LIFT = 0.2
_MOST_LIFT = 0.08
# Leg lengths up to which a lift is not visible.
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
        ``(P, 3)`` positions in the frames of these joints.
    """

    kinds: tuple[str, ...]
    joints: tuple[int, ...]
    offsets: Array

    @classmethod
    def of(cls, motion: Motion) -> SolePoints:
        """The heels and toes of the character that performs a motion."""
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
        """Positions ``(n, P, 3)`` of heels and toes in a motion of that skeleton.

        ``pose`` is the result of `Motion.forward`, if it is known.
        """
        positions, orientations = motion.forward() if pose is None else pose
        joints = np.array(self.joints, dtype=np.intp)
        return attached(positions, orientations, joints, self.offsets)


def weight_shares(firm: Array) -> Array:
    """Shares ``(n, 4)`` of the body's weight that heels and toes support.

    Wherever a foot stands, the shares sum to one; as the last foot leaves the ground, they fade.
    The firmest foot takes nearly all of the weight, and of two equally firm ones the one that
    stands longer: feet that stand elsewhere in the second clip than in the first would both slide
    if they shared the weight.

    Parameters
    ----------
    firm
        ``(n, 4)`` how firmly heel and toe of one foot, heel and toe of the other stand, 0 to 1; see
        `firmness`.
    """
    sides = np.stack([firm[:, :2].max(axis=1), firm[:, 2:].max(axis=1)], axis=1)
    favoured = int(np.argmax(sides.sum(axis=0)))
    favour = np.where(np.array([0, 0, 1, 1]) == favoured, _FAVOUR, 1.0)
    pull = favour * firm**_SHARPNESS
    grounded = np.minimum(sides.sum(axis=1, keepdims=True), 1.0)
    return np.asarray(grounded * pull / np.maximum(pull.sum(axis=1, keepdims=True), 1e-12))


def firmness(constraints: Iterable[Constraint], kind: str, frames: Array, fps: float) -> Array:
    """How firmly ``(n,)`` a heel or toe stands at ascending ``frames`` ``(n,)``, from 0 to 1.

    It is 1 within its contacts, and takes over and gives up weight smoothly at their ends.
    """
    firm, ramp = np.zeros(len(frames)), _LOADING * fps
    for c in of_kind(constraints, kind):
        # Only around the contact: a long take has thousands of them.
        near = slice(*np.searchsorted(frames, [c.start - ramp, c.end + ramp]))
        inside = np.minimum(frames[near] - c.start, c.end - frames[near]) / ramp
        firm[near] = np.maximum(firm[near], smootherstep(inside + 0.5))
    return firm


def smoothed_inside(values: Array, fps: float) -> Array:
    """Values ``(n, ...)`` of a seam, smoothed in time; those at its ends stay.

    As the weight moves from foot to foot, the shift of the body may change abruptly. A foot can be
    planted again; a lurch of the body cannot be repaired.
    """
    half = min(round(_EASING * fps), len(values) - 1)
    if half < 1:
        return values
    near, window, share = _smoothing_window(len(values), half)
    flat = values.reshape(len(values), -1)
    return np.asarray(flat + share * (window @ flat[near] - flat)).reshape(values.shape)


@lru_cache(maxsize=64)
def _smoothing_window(count: int, half: int) -> tuple[NDArray[np.intp], Array, Array]:
    """Indices ``(count, 2 half + 1)`` of the values around each one, the ends repeated; weights
    ``(2 half + 1,)`` of these; and the share ``(count, 1)`` of each value that is smoothed."""
    window = np.hanning(2 * half + 3)[1:-1]
    # The first and the last two values stay, so that a seam has the velocities of its clips.
    inside = np.minimum(np.arange(count), np.arange(count)[::-1]) - 1.0
    near = np.clip(np.arange(count)[:, None] + np.arange(-half, half + 1), 0, count - 1)
    return near, window / window.sum(), smootherstep(inside / half)[:, None]


def crossfaded_contacts(
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
                result += _mostly_within([c], 0.0, middle)
                continue
            late.remove(partner)
            start, end = (
                _weighted_end((getattr(c, at), getattr(partner, at)), weight)
                for at in ("start", "end")
            )
            result.append(Constraint(min(start, end), max(start, end), kind))
        result += _mostly_within(late, middle, last)
    return tuple(result)


def _mostly_within(
    constraints: Iterable[Constraint], first: float, last: float
) -> list[Constraint]:
    """Constraints of which more than half lies between two frames, cut to these."""
    return [
        part
        for c in constraints
        for part in clipped([c], first, last)
        if part.end - part.start > 0.5 * (c.end - c.start)
    ]


def _weighted_end(ends: tuple[float, float], weight: Array) -> float:
    """A frame between those of two clips, nearer to that of the clip with more weight there."""
    share = float(np.interp(np.mean(ends), np.arange(len(weight)), weight))
    return (1.0 - share) * ends[0] + share * ends[1]


def with_steps(motion: Motion, feet: SolePoints, drift: Array, low: ArrayLike = 0.0) -> Motion:
    """A seam in which each planted foot either stays or takes a step.

    During a step the foot has no contact and is lifted slightly above the floor.

    Parameters
    ----------
    motion
        The n frames of the seam, with contacts.
    feet
        Heels and toes of the character.
    drift
        ``(n, P, 2)`` how far each heel and toe that should have stayed has moved over the floor.
    low
        ``(n, 2)`` how much each side's foot has to be raised at least.
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
        kept = without_dragging(contact, places, _NEAR * size, gap, _SLOW * size / motion.fps)
        held += kept
        if len(kept) == 2:
            first, last = kept[0].end, kept[1].start
            distance = float(np.linalg.norm(places[int(last)] - places[int(first)]))
            share = (frames - first) / (last - first)
            bump = smootherstep(2.0 * share) * smootherstep(2.0 - 2.0 * share)
            lift = lifts[contact.kind.split("_")[0]]
            np.maximum(lift, min(_LIFT * distance, _MOST_LIFT * size) * bump, out=lift)
    if any(lift.max() > _SEEN * size for lift in lifts.values()):
        motion = lifted(motion, lifts)
    return motion.with_constraints(held)


def lifted(motion: Motion, lifts: Mapping[str, Array]) -> Motion:
    """The motion with legs bent to raise the feet by ``lifts`` ``(T,)``, without turning them."""
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


def without_dragging(
    contact: Constraint, places: Array, near: float, gap: int, slow: float = np.inf
) -> list[Constraint]:
    """The parts of a contact in which the foot stays in place.

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
    # How many frames the foot stays in its first place, and how many it is in its last one. Held
    # until its place is far away, it would have to catch up with a leg that already swings.
    steps = np.linalg.norm(np.diff(there, axis=0), axis=1)
    before, after = np.concatenate([[0.0], steps]), np.concatenate([steps, [0.0]])
    stays = _leading_trues((from_first <= _SETS_OFF * near) & (before <= slow))
    waits = _leading_trues(((from_last <= _SETS_OFF * near) & (after <= slow))[::-1])
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


def _leading_trues(mask: BoolArray) -> int:
    """How many values at the beginning are true."""
    return len(mask) if mask.all() else int(np.argmin(mask))
