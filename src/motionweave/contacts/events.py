"""Motion events, found from the motion itself (Ashraf & Wong, Table 2).

Turning points of joint flexion, mid-swings, and what the feet do: passing the body,
coming down. `states` says what the labels mean and holds the tables they are kept in.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np

from motionweave.body.normalize.pelvis import at_pelvis
from motionweave.body.pose.flexion import flexions, forward_of_pelvis
from motionweave.body.rig.roles import SIDES, find_rig, leg_length
from motionweave.contacts.detect import detect_contacts
from motionweave.contacts.states import LOWER, UPPER, EventTable, State, body_half, grouped
from motionweave.core.arguments import check_arguments
from motionweave.core.arrays import Array
from motionweave.core.constraints import FOOT_KINDS, Constraint
from motionweave.core.cycles import repeat
from motionweave.core.intervals import merged
from motionweave.core.motion import Motion, checked
from motionweave.core.numerics.quantiles import quantile

# A turning point counts if the joint turns back by this much (radians), and by this
# share of all it moves: noise does neither.
_LEAST_SWING = np.radians(8.0)
_LEAST_SHARE = 0.06
# Seconds over which flexion is smoothed (standard deviation): markers shake.
_SMOOTHING = 0.012
# Seconds for which a foot is in the air at least; less is a flicker of the contacts.
_LEAST_AIR = 0.07
# Seconds within which events are one state.
_ONE_STATE = 1.0 / 30.0
# Heights over the ground, in leg lengths, below which a hand touches it, and above which
# it has left it.
_ON_GROUND = 0.08
_IN_AIR = 0.2

Event = tuple[float, str]


def find_events(motion: Motion, cyclic: bool = False) -> EventTable:
    """The states of a clip, at fractional frames.

    Parameters
    ----------
    motion
        The clip. Its own contacts are used; if it has none, they are detected
        (`motionweave.contacts.detect`). Joints of unknown role have no events.
    cyclic
        Whether the clip is a closed cycle: the last frame, which is the first one again, then has
        no events of its own, and the clip has no ends.

    Returns
    -------
    EventTable
        States of the upper and of the lower body, in order of time.

    Examples
    --------
    >>> import motionweave as mw
    >>> table = mw.find_events(mw.sample("walk"))
    >>> sorted(table.states[0].labels)
    [...]
    """
    check_arguments(find_events, locals())
    motion = at_pelvis(checked(motion))
    if not cyclic:
        found = events(motion)
        period = None
    else:
        # Three in a row: the middle one has its neighbours on both sides.
        length = len(motion) - 1
        found = [
            (frame - length, label)
            for frame, label in events(repeat(motion, 3))
            if length <= frame < 2 * length
        ]
        period = float(length)
    within = _ONE_STATE * motion.fps
    states: list[State] = []
    for half in (LOWER, UPPER):
        own = [event for event in found if body_half(event[1]) == half]
        states.extend(grouped(own, half, within, period))
    return EventTable(tuple(states), motion.name)


def events(motion: Motion) -> list[Event]:
    """Sorted ``(frame, label)`` of every event of a clip, before they are grouped into states."""
    found: list[Event] = []
    pose = motion.forward()
    for joint, angle in flexions(motion, pose).items():
        smooth = smoothed(angle, _SMOOTHING * motion.fps)
        least = max(_LEAST_SWING, _LEAST_SHARE * float(np.ptp(smooth)))
        turns = turning_points(smooth, least)
        found += [(frame, f"{joint}_{'flex' if top else 'ext'}") for frame, top in turns]
        if joint.endswith(".S"):
            found += [(frame, f"{joint}_msw") for frame in _midpoints(smooth, turns)]
    found += _ground_events(motion, *pose)
    return sorted(found)


def smoothed(values: Array, width: float) -> Array:
    """Values ``(T,)`` smoothed by a Gaussian of this many frames (standard deviation).

    Towards the ends the window gets narrower, so that it stays symmetric: the ends keep their
    values, and a slope is not biased.
    """
    reach = min(int(np.ceil(3.0 * width)), (len(values) - 1) // 2)
    if width < 0.1 or reach < 1:
        return values
    result = np.array(values)
    result[reach : len(values) - reach] = np.convolve(values, _gaussian(reach, width), mode="valid")
    for frame in range(1, reach):
        weights = _gaussian(frame, width)
        result[frame] = weights @ values[: 2 * frame + 1]
        result[-frame - 1] = weights @ values[len(values) - 2 * frame - 1 :]
    return result


@lru_cache(maxsize=256)
def _gaussian(size: int, width: float) -> Array:
    """Weights ``(2 size + 1,)`` of a Gaussian of this standard deviation; not to be changed."""
    weights = np.exp(-0.5 * (np.arange(-size, size + 1) / width) ** 2)
    return np.asarray(weights / weights.sum())


def turning_points(values: Array, least: float) -> list[tuple[float, bool]]:
    """Fractional frames at which a curve turns, and whether each is a maximum.

    Tops and bottoms alternate, and the curve changes by at least ``least`` between two
    of them, and after the last. The ends of the curve are not turning points.
    """
    found: list[tuple[int, bool]] = []
    low = high = 0
    climbing: bool | None = None
    # One number after the other: a list gives them faster than an array.
    curve: list[float] = values.tolist()
    for frame in range(1, len(curve)):
        value = curve[frame]
        if value > curve[high]:
            high = frame
        if value < curve[low]:
            low = frame
        if climbing is not False and curve[high] - value >= least:
            found.append((high, True))
            climbing, low = False, frame
        elif climbing is not True and value - curve[low] >= least:
            found.append((low, False))
            climbing, high = True, frame
    return [(_vertex(values, frame), top) for frame, top in found if 0 < frame < len(values) - 1]


def _vertex(values: Array, frame: int) -> float:
    """The top of the parabola through a frame and its neighbours."""
    before, here, after = values[frame - 1 : frame + 2]
    bend = before - 2.0 * here + after
    return frame + (float(0.5 * (before - after) / bend) if bend else 0.0)


def _midpoints(values: Array, turns: Sequence[tuple[float, bool]]) -> list[float]:
    """The frames at which the curve is halfway between turning points."""
    frames = np.arange(len(values), dtype=np.float64)
    found = []
    for (first, _), (last, _) in pairwise(turns):
        inner = np.concatenate([[first], frames[(frames > first) & (frames < last)], [last]])
        curve = np.interp(inner, frames, values)
        found.append(
            _first_crossing(
                inner, (curve - 0.5 * (curve[0] + curve[-1])) * np.sign(curve[-1] - curve[0])
            )
        )
    return [frame for frame in found if frame is not None]


def _first_crossing(frames: Array, values: Array) -> float | None:
    """Where values ``(n,)`` at ``frames`` first go from below zero to zero or above."""
    crossing = np.flatnonzero((values[:-1] < 0.0) & (values[1:] >= 0.0))
    if not len(crossing):
        return None
    k = int(crossing[0])
    share = values[k] / (values[k] - values[k + 1])
    return float(frames[k] + share * (frames[k + 1] - frames[k]))


# Feet and hands on the ground


def _ground_events(motion: Motion, positions: Array, orientations: Array) -> list[Event]:
    rig = find_rig(motion.skeleton)
    if not rig.has("left_ankle", "right_ankle"):
        return []
    held: Sequence[Constraint] = [c for c in motion.constraints if c.kind in FOOT_KINDS]
    held = held or detect_contacts(motion)
    hips = rig.roles.get("hips", 0)
    front = forward_of_pelvis(motion, rig, orientations)
    frames = np.arange(len(motion), dtype=np.float64)
    found: list[Event] = []
    for side in SIDES:
        letter = side[0].upper()
        ankle = positions[:, rig.roles[f"{side}_ankle"]]
        ahead = np.sum((ankle - positions[:, hips])[:, [0, 2]] * front, axis=1)
        planted = stances(held, side, _LEAST_AIR * motion.fps)
        for leaves, lands in _flights(planted, len(motion) - 1.0):
            if lands is not None:
                found.append((lands, f"{letter}_et"))
            end = frames[-1] if lands is None else lands
            inner = np.concatenate([[leaves], frames[(frames > leaves) & (frames < end)], [end]])
            passing = _first_crossing(inner, np.interp(inner, frames, ahead))
            if passing is not None:
                found.append((passing, f"{letter}_mt"))
    return found + _hand_touches(motion, positions)


def stances(
    constraints: Sequence[Constraint], side: str, least_air: float
) -> list[tuple[float, float]]:
    """First and last frames between which heel or toe of a foot is planted."""
    kinds = (f"{side}_heel", f"{side}_toe")
    # Strictly less than the least time in the air.
    gap = np.nextafter(least_air, 0.0)
    return merged(((c.start, c.end) for c in constraints if c.kind in kinds), gap)


def _flights(
    planted: Sequence[tuple[float, float]], last: float
) -> list[tuple[float, float | None]]:
    """When a foot leaves the ground and lands: 0 and None at the ends of a clip."""
    if not planted:
        return []
    flights: list[tuple[float, float | None]] = []
    if planted[0][0] > 1.0:
        flights.append((0.0, planted[0][0]))
    flights += [(leaves, lands) for (_, leaves), (lands, _) in pairwise(planted)]
    if planted[-1][1] < last - 1.0:
        flights.append((planted[-1][1], None))
    return flights


def _hand_touches(motion: Motion, positions: Array) -> list[Event]:
    """When hands are put on the ground that the feet stand on."""
    rig = find_rig(motion.skeleton)
    size = leg_length(motion.skeleton)
    ankles = positions[:, [rig.roles["left_ankle"], rig.roles["right_ankle"]], 1]
    # An ankle is about as high above the ground as a wrist above its palm.
    ground = float(quantile(ankles.min(axis=1), 0.1))
    found: list[Event] = []
    for side in SIDES:
        joint = rig.roles.get(f"{side}_hand")
        if joint is not None:
            height = (positions[:, joint, 1] - ground) / size
            found += [(frame, f"{side[0].upper()}.W_gnd") for frame in touches(height)]
    return found


def touches(height: Array) -> list[float]:
    """Fractional frames at which something comes down to the ground after being in the air.

    Parameters
    ----------
    height
        ``(T,)`` over the ground, in leg lengths.
    """
    found: list[float] = []
    in_air = False
    for frame, (before, here) in enumerate(pairwise(height.tolist()), start=1):
        in_air = in_air or before > _IN_AIR
        if in_air and here <= _ON_GROUND:
            found.append(frame - (_ON_GROUND - here) / (before - here))
            in_air = False
    return found
