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
from motionweave.contacts.clean.banded import BandedLeastSquares, product
from motionweave.contacts.clean.footing import near
from motionweave.core import rotations as quat
from motionweave.core.arrays import Array, BoolArray
from motionweave.core.motion import Motion
from motionweave.core.numerics.curves import smoothstep
from motionweave.core.numerics.quantiles import median

# Seconds over which the body gives way.
_GIVING = 0.1
# Leg lengths of shift that a radian of knee is worth, and the seconds in which bends
# that change count as sudden.
_CALM, _SUDDEN = 0.04, 0.05
# Cost of a foot out of reach, relative to a shift of the body.
_REACH = 100.0
# Cost of a shift where the body is to be firm, relative to one elsewhere.
_FIRM = 20.0
# Cost of a horizontal shift, relative to a vertical one.
_LEVEL = 1.5
# A knee's largest acceleration in the clip counts as at least this many radians per second squared:
# where the limb should bend no more suddenly than in the clip, elsewhere, and as many as in a brisk
# step where it is to take one that the clip has not. Other limbs are calmed where they exceed it by
# this factor.
_LEAST, _LIVELY, _BRISK, _HARDER = 2.0, 10.0, 100.0, 1.2
# Radians of bend beyond which, more and more, lengths alone decide.
_CLEARLY = (0.5, 1.2)
# Share of its length that a limb nears as it gets longer than it was, and what it always may.
_STRETCH, _LEAST_ROOM = 0.98, 0.003
# Seconds in which the plane of a limb cannot turn to and fro.
_PLANE = 0.03
_ROUNDS = 4
# Cost of a bend past straight, relative to a length missed, and rounds in which bends are calmed.
_BACK, _CALMING = 0.1, 8
_SETTLED = 3e-4


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
    loose
        Leg lengths by which it may miss its place for a knee (or an elbow) that accelerates less by
        as much as it does at most in the clip.
    exact
        Whether to be there exactly, however suddenly the limb has to bend for it.
    faithful
        Whether the limb bends no more suddenly than in the clip, even where it is clearly bent or
        kept from passing straight; otherwise what it should do may be livelier.
    brisk
        Whether the limb may bend as suddenly as in a step, whatever it does in the clip.
    settled
        Whether a limb that bends further than it did does so in a plane that does not shake.
    easy
        ``(T,)`` lengths beyond which the body gives way to the limb, more and more, before it gets
        straight; by default it does so only where the limb cannot reach.
    """

    limb: ik.Limb
    axis: Array
    goal: Array
    turn: Array
    grip: Array
    stretch: float = 0.0
    loose: float = 0.005
    exact: bool = False
    faithful: bool = False
    brisk: bool = False
    settled: bool = False
    easy: Array | None = None


class Legs(NamedTuple):
    """n limbs that reach for their goals.

    Parameters
    ----------
    span
        ``(n, T, 3)`` from goals to hips.
    own
        ``(n, T)`` lengths from hip to ankle.
    hinge
        How they bend.
    grip
        ``(n, T)``, as of a `FootWay`.
    room, give
        ``(n, T)`` how much longer they are when they are straight, and how far they may stretch
        beyond that; None if they may not.
    easy
        ``(n, T)`` how much longer they get before the body gives way; None until they cannot reach.
    hardest
        ``(n,)`` the largest acceleration of their knees, in lengths per frame squared.
    """

    span: Array
    own: Array
    hinge: ik.HingeReach
    grip: Array
    room: Array
    give: Array | None
    easy: Array | None
    hardest: Array


def body_shift(
    legs: Legs,
    free: BoolArray,
    fps: float,
    size: float,
    *,
    meant: bool = False,
    firm: Array | None = None,
    needed: bool = False,
) -> Array:
    """Shifts ``(T, 3)`` of the body for legs whose feet have targets.

    Parameters
    ----------
    legs
        Of the body as it is: see `legs_of`.
    free
        ``(T,)`` frames that may change.
    size
        Leg length.
    meant
        Whether the body is where it should be, as in a crouch: it then gives way only to knees that
        bend suddenly or cannot reach, not to bent ones.
    firm
        ``(T,)`` 0 to 1, where the body gives way less, and only to legs that cannot reach; by
        default nowhere.
    needed
        Whether it gives way only to legs that cannot reach, however suddenly knees bend.
    """
    count = len(free)
    shift = np.zeros((count, 3))
    if not free.any() or np.abs(_longer(legs, shift)[0]).max() < 1e-9 * size:
        return shift
    plain = BandedLeastSquares(count, 3, across=True)
    plain.add_smoothness(_GIVING * fps, (_LEVEL, 1.0, _LEVEL))
    if firm is not None:
        plain.add_change((1.0,), _FIRM * firm[:, None])
    # How bent a leg is, and how suddenly that changes.
    calm = BandedLeastSquares(count, 1)
    if not meant:
        calm.add_change((1.0,), 1.0)
    if not needed:
        calm.add_change((1.0, -2.0, 1.0), (_SUDDEN * fps) ** 4)
    ties = np.array(np.broadcast_to(calm.ties[:, 0], (*legs.own.shape, 3)))
    reaching = np.zeros(legs.own.shape)
    for _ in range(_ROUNDS):
        rows = plain.copy()
        reaching = _add_legs(rows, legs, shift, ties, size, meant, firm, reaching)
        new = rows.solve(free)
        moved = float(np.abs(new - shift).max())
        shift = new
        if moved < _SETTLED * size:
            break
    return shift


def legs_of(positions: Array, ways: Sequence[FootWay]) -> Legs:
    """Limbs of a body whose joints are at ``positions`` ``(T, J, 3)``, and their goals."""
    hip, knee, ankle = (
        positions[:, list(joints)].swapaxes(0, 1)
        for joints in zip(*(way.limb for way in ways), strict=True)
    )
    axis, goal, grip = (
        np.array([getattr(way, name) for way in ways]) for name in ("axis", "goal", "grip")
    )
    hinge = ik.HingeReach.of(knee - hip, ankle - knee, axis)
    own = _length(ankle - hip)
    full = hinge.length(np.zeros_like(own))
    stretch = np.array([way.stretch for way in ways])[:, None]
    give = stretch * full if stretch.any() else None
    lengths = [way.easy for way in ways if way.easy is not None]
    easy = np.maximum(np.stack(lengths) - own, 0.0) if len(lengths) == len(ways) else None
    hardest = _length(np.diff(knee, 2, axis=1)).max(axis=1, initial=0.0)
    return Legs(hip - goal, own, hinge, grip, full - own, give, easy, hardest)


def eased_length(longer: Array, own: Array, full: Array) -> Array:
    """How much longer a limb gets that should get ``longer``: ever less as it gets straight.

    A knee that stretches until it is straight snaps as it bends again. ``own`` is how long the limb
    was, ``full`` how long it is when straight; one that should get shorter does.
    """
    room = np.maximum(_STRETCH * full - own, _LEAST_ROOM * full)
    return np.where(longer > 0.0, -room * np.expm1(-np.maximum(longer, 0.0) / room), longer)


def _longer(legs: Legs, shift: Array) -> tuple[Array, Array]:
    """By how much legs get longer ``(n, T)``, and how that changes with the shift ``(n, T, 3)``."""
    span = legs.span + legs.grip[..., None] * shift
    length = _length(span)
    direction = span * (legs.grip / np.maximum(length, 1e-12))[..., None]
    longer = length - legs.own
    # A limb that cannot reach may stretch.
    if legs.give is not None:
        longer -= np.clip(longer - legs.room, 0.0, legs.give)
    return longer, direction


def _add_legs(
    rows: BandedLeastSquares,
    legs: Legs,
    shift: Array,
    calm: Array,
    size: float,
    meant: bool,
    firm: Array | None,
    reaching: Array,
) -> Array:
    """Add what the legs ask of the body, as it is shifted by ``shift`` ``(T, 3)`` so far.

    ``calm`` ``(n, T, 3)`` ties the bends of a leg to each other, ``meant`` and ``firm`` are those
    of `body_shift`.
    ``reaching`` ``(n, T)`` is how hard the legs have pulled so far because they could not reach.
    Returns how hard they do now, halfway from that: a leg that lets go as soon as it reaches would
    pull again in the next round.
    """
    longer, direction = _longer(legs, shift)
    # How much longer the legs would have to be without a shift, if the change were linear.
    start = longer - np.einsum("nti,ti->nt", direction, shift)
    bend = legs.hinge.bent_for(longer)
    at = bend if meant else np.minimum(bend, legs.hinge.bend)
    steep = _CALM * size / legs.hinge.slope(at)
    pull, rest = direction * steep[..., None], -start * steep
    rows.add_along(pull, calm, product(calm, rest))
    # The body comes near, or makes room, by what the bent leg misses.
    reached = legs.hinge.length(bend) - legs.own
    if legs.easy is not None:
        eased = eased_length(longer - legs.easy, legs.own + legs.easy, legs.own + legs.room)
        eased = np.minimum(reached, legs.easy + eased)
        reached = eased if firm is None else eased + firm * (reached - eased)
    missing = np.where(longer == 0.0, 0.0, longer - reached)
    weight = 0.5 * (reaching + _REACH * missing**2 / (missing**2 + (1e-3 * size) ** 2))
    rows.add_along(direction, weight[..., None], weight * (reached - start))
    return np.asarray(weight)


def _calm_bend(
    legs: Legs, shift: Array, off: BoolArray, fps: float, ways: Sequence[FootWay]
) -> Array:
    """Bends ``(n, T)`` that bring the ends of limbs to their targets without sudden changes.

    A length missed is weighed against a bend that changes suddenly. Where a limb is
    nearly straight a calm bend costs next to no length, and where it is clearly bent
    the length decides. ``off`` ``(n, T)`` are the frames in which something has to change.
    """
    limbs, count = off.shape
    hinge = legs.hinge
    longer, _ = _longer(legs, shift)
    bend = hinge.bent_for(longer)
    if count < 3:
        return bend
    wanted = bend - hinge.bend
    size = median((legs.own + legs.room).T)[:, None]
    before, behind = hinge.slope(np.array([hinge.bend, bend]))
    slope = np.where(wanted < 0.0, behind, before) / size
    rows = BandedLeastSquares(count, 1, tracks=limbs)
    rows.add_change((1.0,), slope[..., None] ** 2, wanted[..., None])
    jerks = np.diff(hinge.bend, 2)
    faithful = ways[0].faithful
    brisk = np.array([[way.brisk] for way in ways])
    loose = np.array([[way.loose] for way in ways])
    # While a foot swings, its knee may bend hard without being moved; between a hip and an ankle
    # that have their places it is moved by a quarter of the leg's length per radian.
    hardest = np.minimum(
        np.abs(jerks).max(axis=1, keepdims=True), 4.0 * legs.hardest[:, None] / size
    )
    sudden = np.maximum(hardest * fps**2, np.where(brisk, _BRISK, _LEAST if faithful else _LIVELY))
    least = np.minimum(hinge.bend, bend)[:, 1:-1]
    calm = 1.0 - smoothstep((least - _CLEARLY[0]) / (_CLEARLY[1] - _CLEARLY[0]))
    # A limb that is bent further does with less what a straighter one needs degrees for.
    share = np.minimum(before / behind, 1.0)
    sharp = (loose / sudden * fps**2) ** 2
    weight = calm * sharp
    rest = (share[:, 1:-1] - 1.0) * jerks
    found, live = np.array(hinge.bend), np.arange(limbs)
    kept, past = found, np.zeros(off.shape, dtype=bool)
    for _ in range(_CALMING if faithful else _ROUNDS):
        sums = rows.of_tracks(live)
        sums.add_change((1.0, -2.0, 1.0), weight[live, :, None], rest[live, :, None])
        if past.any():
            sums.add_change((1.0,), _BACK * past[live, :, None], (kept - hinge.bend)[live, :, None])
        found[live] = hinge.bend[live] + sums.solve(off[live])[..., 0]
        kept = hinge.kept_back(found)
        # A bend that is more sudden than any in the clip is calmed there, and only there.
        harder = np.abs(np.diff(kept if faithful else found, 2)) * fps**2 / sudden
        if faithful:
            weight = np.where(harder > 1.0, np.maximum(weight, sharp) * harder**2, weight)
            # What would pass straight near there leads to where it is kept.
            there = near(np.pad(harder > 1.0, ((0, 0), (1, 1))), max(round(_GIVING * fps), 2))
            past |= there & (kept > found)
        else:
            weight = weight * np.maximum(harder, 1.0)
        live = np.flatnonzero((harder.max(axis=1) > _HARDER) & ~brisk[:, 0])
        if len(live) == 0:
            break
    return kept


def solve_limbs(
    motion: Motion,
    positions: Array,
    orientations: Array,
    ways: Sequence[FootWay],
    shift: Array,
    local: Array,
    legs: Legs | None = None,
) -> tuple[Array, Array]:
    """Bring the ends of n limbs to their targets.

    Parameters
    ----------
    positions, orientations
        ``(T, J, 3)`` and ``(T, J, 4)`` of the motion as it is.
    ways
        Of limbs that have no joint in common, all of them exact, faithful or settled, or none.
    shift
        ``(T, 3)`` of the body.
    local
        ``(T, J, 4)`` local rotations, written to. Frames with nothing to do are left alone.
    legs
        What `legs_of` gives, if it is known.

    Returns
    -------
    Array, Array
        ``(n, T)`` what is missing, and how bones stretch.
    """
    limbs = np.array([way.limb for way in ways])
    turn = np.array([way.turn for way in ways])
    goal = np.array([way.goal + (1.0 - way.grip)[:, None] * shift for way in ways])
    end = positions[:, limbs[:, 2]].swapaxes(0, 1) + shift
    off = (goal != end).any(axis=-1) | (np.abs(turn[..., 3]) < 1.0)
    missing, stretched = np.zeros(off.shape), np.ones(off.shape)
    # All frames of all limbs that have something to do, one after the other.
    which, frame = np.nonzero(off)
    if len(which) == 0:
        return missing, stretched
    hip, knee, ankle = (positions[frame, joints[which]] + shift[frame] for joints in limbs.T)
    axes = np.array([way.axis for way in ways])
    further = None
    if not ways[0].exact:
        legs = legs_of(positions, ways) if legs is None else legs
        bend = _calm_bend(legs, shift, off, motion.fps, ways)
        further = (bend - legs.hinge.bend)[off]
    solved = ik.solve_hinged(hip, knee, ankle, goal[off], axes[off], further)
    if ways[0].settled:
        solved = _settled_planes(solved, positions, limbs, axes, off, hip, motion.fps)
    rows = frame[:, None], limbs[which]
    parents = motion.skeleton.parents[limbs[which]]
    above = orientations[frame[:, None], parents]
    above[parents < 0] = quat.IDENTITY
    turned = quat.multiply(turn[off], orientations[frame, limbs[which, 2]])
    new = ik.apply_to_limb(orientations[rows], above, solved, turned)
    # The sign of a quaternion means nothing, but stays as the clip has it.
    same = np.einsum("...c,...c->...", new, local[rows]) >= 0.0
    local[rows] = new * np.where(same, 1.0, -1.0)[..., None]
    missing[off] = solved.shortfall
    give = np.array([way.stretch for way in ways])[which]
    if np.any(give > 0.0):
        wanted, reached = _length(goal[off] - hip), _length(solved.end - hip)
        stretched[off] = np.clip(wanted / reached, 1.0, 1.0 + give)
        missing[off] = np.abs(wanted - stretched[off] * reached)
    return missing, stretched


def _settled_planes(
    solved: ik.TwoBone,
    positions: Array,
    limbs: Array,
    axes: Array,
    off: BoolArray,
    upper: Array,
    fps: float,
) -> ik.TwoBone:
    """Limbs that are bent further than they were, turned so that their planes do not shake.

    The plane of a nearly straight limb is little more than noise, which bending multiplies: a
    knee would be thrown about. The limb is turned about the line from its upper to its lower
    end, which stay where they are.

    Parameters
    ----------
    solved
        The limbs in m frames.
    positions, limbs
        ``(T, J, 3)`` of the motion as it was, and ``(n, 3)`` which joints the limbs are.
    axes
        ``(n, T, 3)`` of their hinges as they were.
    off
        ``(n, T)`` the m frames of the limbs.
    upper
        ``(m, 3)`` where their upper ends are.
    """
    from scipy.ndimage import gaussian_filter1d

    first, middle, last = (positions[:, joints].swapaxes(0, 1) for joints in limbs.T)
    line, axes = last - first, np.array(axes)
    was = _length(_beside(middle - first, line)[0])[off]
    line[off], axes[off] = solved.end - upper, quat.rotate(solved.upper_turn, axes[off])
    now = _length(_beside(solved.middle - upper, line[off])[0])
    # The plane is known by the hinge, also where the limb is straight.
    hinge, line = _beside(axes, line)
    hinge /= np.maximum(_length(hinge), 1e-12)[..., None]
    calm = gaussian_filter1d(hinge, max(_PLANE * fps, 1e-3), axis=1, mode="nearest")[off]
    hinge, line = hinge[off], line[off]
    angle = np.arctan2(
        np.einsum("ti,ti->t", calm, quat.cross(line, hinge)),
        np.einsum("ti,ti->t", calm, hinge),
    )
    # How much further the middle is off the line decides how much of the noise is taken away.
    more = 1.0 - was / np.maximum(now, 1e-12)
    turn = quat.exp(line * (smoothstep(more) * angle)[:, None])
    return solved._replace(
        upper_turn=quat.multiply(turn, solved.upper_turn),
        middle_turn=quat.multiply(turn, solved.middle_turn),
        middle=upper + quat.rotate(turn, solved.middle - upper),
    )


def _beside(vectors: Array, lines: Array) -> tuple[Array, Array]:
    """What vectors ``(..., 3)`` have beside lines ``(..., 3)``, and the directions of these."""
    direction = lines / np.maximum(_length(lines), 1e-12)[..., None]
    along = np.einsum("...i,...i->...", vectors, direction)
    return vectors - along[..., None] * direction, direction


def _length(vectors: Array) -> Array:
    return np.asarray(np.sqrt(np.einsum("...i,...i->...", vectors, vectors)))
