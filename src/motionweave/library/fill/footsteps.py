"""Feet that travel only while they swing, and clear the floor when they do.

Stretches that are warped to meet the ends of a gap, and blended, carry feet along where they
stand, and let them pass low over the floor where the stretches disagree about when to step. Here
the contacts decide: a foot keeps its place while it stands, makes up for it while it swings, and
is lifted by as much as so long a step needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from motionweave.body.floor import Floor
from motionweave.body.rig.roles import SIDES, leg_length
from motionweave.body.soles import contact_points
from motionweave.contacts.clean.cleaner import Lead
from motionweave.contacts.clean.footskate import lead_feet
from motionweave.core.arrays import Array, BoolArray
from motionweave.core.constraints import FOOT_KINDS, Constraint, active
from motionweave.core.intervals import runs
from motionweave.core.motion import Motion
from motionweave.core.numerics.curves import hermite, smoothstep

# How high a foot is lifted to step: as a share of the way that it goes, and at most, in leg
# lengths.
_RISE, _HIGHEST = 0.15, 0.045
# Seconds in which it rises, however long the step is, and comes down again.
_RISES = 0.15
# Leg lengths of height that a step lacks of which half is made up for: no corners.
_SOFT = 0.01
# Seconds within a gap over which a foot that is in the air at its end may begin to rise.
_EASE = 0.1
# Leg lengths that a foot may be apart from where it stood for this to count as the same place.
_SAME_PLACE = 0.08
# Seconds that the shortest step takes, and those that it takes more per leg length.
_STEP, _LONGER = 0.3, 0.3
# Leg lengths above the floor from which on a foot does not stand on it.
_IN_THE_AIR = 0.12


def contacts_in_gap(
    whole: Motion, detected: Sequence[Constraint], shares: Array, first: int, floor: Floor
) -> tuple[Constraint, ...]:
    """Contacts as detected outside a gap, and inside it where most of the stretches have them.

    A foot of a blend drifts even where it is planted in all stretches, so that nothing would be
    detected there. One that stands on either side of the gap, but not in the same place, has made a
    step when most of the stretches would have let it.

    Parameters
    ----------
    whole
        The motion with the gap filled.
    detected
        Its contacts as they are detected.
    shares
        ``(4, frames)`` of the stretches that stand, for each of `FOOT_KINDS`, from frame ``first``
        on.
    first
        The last frame before the gap.
    floor
        What the feet stand on.
    """
    last = first + shares.shape[1] - 1
    inside = slice(first + 1, last)
    frames = np.arange(len(whole))
    points = contact_points(whole)
    size = leg_length(whole.skeleton)
    contacts = [one for one in detected if one.kind not in FOOT_KINDS]
    for side, votes in zip(SIDES, shares.reshape(2, 2, -1), strict=True):
        kinds = [f"{side}_{point}" for point in ("heel", "toe")]
        foot = np.stack([points[kind] for kind in kinds])
        held = np.stack([active(detected, kind, frames) for kind in kinds])
        held[:, inside] = votes[:, 1:-1] > 0.5
        if last == len(whole) - 1:
            # Whether a single pose stands cannot be seen from it.
            held[:, last] = votes[:, -1] > 0.5
        held[:, inside] &= floor.above(foot).min(axis=0)[inside] < _IN_THE_AIR * size
        way = foot[:, last] - foot[:, first]
        far = float(np.hypot(*way.mean(axis=0)[[0, 2]])) / size
        if far > _SAME_PLACE and held[:, first : last + 1].any(axis=0).all():
            held[:, first:last] &= ~_stepping(votes.max(axis=0), far, whole.fps)[:-1]
        contacts += [
            Constraint(float(low), float(high), kind)
            for kind, one in zip(kinds, held, strict=True)
            for low, high in runs(one)
        ]
    return tuple(sorted(contacts))


def _stepping(votes: Array, far: float, fps: float) -> BoolArray:
    """When ``(frames,)`` a foot swings that all but few of the stretches leave standing."""
    count = len(votes)
    length = min(round((_STEP + _LONGER * far) * fps), count - 2)
    total = np.convolve(votes, np.ones(length), mode="valid")
    # In the middle, if one time is as good as another.
    centre = np.abs(np.arange(len(total)) - 0.5 * (len(total) - 1))
    begin = int(np.argmin(total[1:-1] + 1e-6 * centre[1:-1])) + 1 if len(total) > 2 else 0
    swings = np.zeros(count, dtype=bool)
    swings[begin : begin + length] = True
    return swings


def stepped(motion: Motion, first: int, last: int, floor: Floor) -> Motion:
    """The motion with feet that step between two frames as its contacts say.

    Parameters
    ----------
    motion
        A body with legs, and its contacts.
    first, last
        The last frame before, and the first behind what may change.
    floor
        What the feet stand on.
    """
    low, high = max(first - 1, 0), min(last + 2, len(motion))
    part = motion[low:high].with_constraints(())
    size = leg_length(motion.skeleton)
    points = contact_points(part)
    frames = np.arange(low, high)
    fixed = (frames <= first) | (frames >= last)
    leads = {}
    for side in SIDES:
        kinds = [f"{side}_{point}" for point in ("heel", "toe")]
        foot = np.stack([points[kind] for kind in kinds])
        held = np.stack([active(motion.constraints, kind, frames) for kind in kinds])
        shift = np.zeros((len(part), 3))
        shift[:, [0, 2]] = _kept(foot[..., [0, 2]], held, fixed)
        now = floor.above(foot).min(axis=0)
        way = foot[..., [0, 2]].mean(axis=0) + shift[:, [0, 2]]
        shift[:, 1] = (
            _lifts(way / size, now / size, np.asarray(held.any(axis=0)), fixed, part.fps) * size
        )
        leads[side] = Lead(shift, foot + shift[None])
    deep = replace(floor, height=floor.height - size)
    led = lead_feet(part, leads, deep)
    inside = slice(first + 1 - low, last - low)
    root, turns = np.array(motion.root), np.array(motion.rotations)
    root[first + 1 : last] = led.root[inside]
    turns[first + 1 : last] = led.rotations[inside]
    return replace(motion, root=root, rotations=turns)


def _kept(points: Array, held: BoolArray, fixed: BoolArray) -> Array:
    """Shifts ``(T, 2)`` over the floor with which a foot keeps its place while it stands.

    Parameters
    ----------
    points
        ``(2, T, 2)`` heel and toe.
    held
        ``(2, T)`` which of them stand.
    fixed
        ``(T,)`` frames that do not change.
    """
    stands = np.asarray(held.any(axis=0))
    both = held[:, 1:] & held[:, :-1]
    # From heel to toe, the foot as a whole counts.
    both[:, ~both.any(axis=0)] = True
    steps = np.einsum("pt,ptc->tc", both / both.sum(axis=0), np.diff(points, axis=1))
    drift = np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
    shift = np.zeros_like(drift)
    known = np.array(fixed)
    slopes = np.zeros_like(drift)
    for first, last in runs(stands):
        own = slice(first, last + 1)
        frames = np.arange(first, last + 1)
        at = frames[fixed[first : last + 1]]
        if len(at) == len(frames):
            continue
        if len(at) == 0:
            wanted = np.broadcast_to(drift[own].mean(axis=0), drift[own].shape)
        else:
            # Where it stands across both ends, what it drifts in between is spread evenly.
            wanted = np.stack([np.interp(frames, at, drift[at, c]) for c in (0, 1)], axis=1)
        shift[own] = wanted - drift[own]
        known[own] = True
        if last > first:
            slopes[own] = np.gradient(shift[own], axis=0)
    shift[fixed] = 0.0
    times = np.flatnonzero(known)
    return hermite(times, shift[times], slopes[times], np.arange(len(shift)))


def _lifts(way: Array, now: Array, stands: BoolArray, fixed: BoolArray, fps: float) -> Array:
    """How far ``(T,)`` a foot is lifted where it goes ``way`` ``(T, 2)`` at heights ``now``."""
    lifts = np.zeros(len(way))
    inside = np.flatnonzero(~fixed)
    for first, last in runs(~stands & ~fixed):
        before, after = first - 1, last + 1
        far = float(np.linalg.norm(way[after] - way[before]))
        # A foot that is in the air where the gap ends is in the middle of its step there.
        risen = np.arange(1.0, last - first + 2.0) if stands[before] else np.inf
        falling = np.arange(last - first + 1.0, 0.0, -1.0) if stands[after] else np.inf
        share = np.clip(np.minimum(risen, falling) / (_RISES * fps), 0.0, 1.0)
        wanted = min(_RISE * far, _HIGHEST) * np.sin(0.5 * np.pi * share)
        lacks = np.maximum(wanted - now[first : last + 1], 0.0)
        lifts[first : last + 1] = lacks**2 / (lacks + _SOFT)
    frames = np.arange(len(way))
    into = np.minimum(frames - inside[0] + 1, inside[-1] + 1 - frames)
    return lifts * smoothstep(into / (_EASE * fps))
