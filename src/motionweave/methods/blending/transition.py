"""Transitions: one clip runs over into the next (Section 6.1 of Kovar & Gleicher)."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from motionweave.body.rig.roles import find_rig
from motionweave.core.arrays import Array
from motionweave.core.constraints import Constraint, joined
from motionweave.core.curves import smootherstep
from motionweave.core.interrupt import checkpoint
from motionweave.core.motion import Motion, concatenate
from motionweave.core.planar import Planar
from motionweave.errors import BlendError, MotionweaveError
from motionweave.methods.blending.advance import advance
from motionweave.methods.blending.trace import Trace, assemble, placements
from motionweave.registration.curve import RegistrationCurve
from motionweave.registration.distance import distance_grid
from motionweave.registration.register import register
from motionweave.retargeting import on_common_skeleton

# Half the length of a transition in seconds, where none is asked for.
HALF_WIDTH = 0.5
# Shares of that which are tried next, where clips are short.
_NARROWER = (0.7, 0.5, 0.3)
# Frames a second at which places for a transition are looked for.
_SEARCH_RATE = 30.0
# A place is as good as the best if the poses are at most so many times as far apart.
_AS_GOOD = 1.1
# A transition is calm if it accelerates at most so many times as much as its clips.
_CALM = 1.1
# How many places are tried before giving up, best first.
_MOST_TRIES = 12
# How far around the middle the clips are registered, in half widths: a clip that moves
# faster than the other uses up to slope limit times as much of itself.
_REACH = 3.0


@dataclass(frozen=True)
class Junction:
    """A place where one clip can run over into the next.

    Parameters
    ----------
    distance
        How far apart the two poses are there (root mean square of all markers), in the
        clips' unit.
    frames
        The frame of each of the two clips at the middle of the transition.
    """

    distance: float
    frames: tuple[float, float]


def transition(
    *motions: Motion,
    at: tuple[float, float] | Sequence[tuple[float, float] | None] | None = None,
    half_width: float | None = None,
    resample: bool = False,
    clean: bool = False,
) -> Motion:
    """Join clips, each running over smoothly into the next.

    Parameters
    ----------
    motions
        Two clips or more. They are brought to the skeleton and frame rate of the first.
    at
        ``(f1, f2)``: the frame of each clip at the middle of the transition, in the clips'
        own frames. For more than two clips a list of such pairs. None finds the place: the
        best of `junctions` at which the transition is no rougher than the clips.
    half_width
        Frames of the first clip from the middle of a transition to its ends; by default
        as many as make half a second, or fewer where the clips are too short for that.
    resample
        By default a transition begins and ends on whole frames, so that the frames outside
        it are the clips' own. True leaves its timing as it falls and resamples the clips.
    clean
        Plant the feet that touch the ground during a transition.

    Returns
    -------
    Motion
        The first clip up to the first transition stays bit for bit as it is; the others
        are turned and shifted on the floor.
    """
    if len(motions) < 2:
        raise BlendError(f"a transition joins two clips or more; got {len(motions)}")
    rate = motions[0].fps
    clips = [motion.resample(rate) for motion in on_common_skeleton(motions)]
    places = [
        None if place is None else (place[0] * rate / a.fps, place[1] * rate / b.fps)
        for place, a, b in zip(_places(at, motions), motions[:-1], motions[1:], strict=True)
    ]
    widths = _half_widths(half_width, rate)
    pieces: list[Motion] = []
    held: list[Constraint] = []
    zones: list[tuple[int, int]] = []
    current, entered, length = clips[0], 0.0, 0
    for following, place in zip(clips[1:], places, strict=True):
        crossing = _widest_crossing(current, following, place, entered, widths, not resample)
        half = (len(crossing.motion) - 1) // 2
        part = _part(current, entered, crossing.leave, first=not pieces)
        held += [c.shifted(length) for c in part.constraints]
        length += len(part) - 1
        held += [c.shifted(length) for c in crossing.motion.constraints]
        zones.append((length, length + 2 * half))
        length += 2 * half
        pieces += [part, crossing.motion[1:-1]]
        current, entered = following.moved(crossing.arrival), crossing.enter
    last = _part(current, entered, None, first=False)
    held += [c.shifted(length) for c in last.constraints]
    result = replace(
        concatenate([*pieces, last]),
        constraints=tuple(joined(held)),
        name=" to ".join(m.name or "a clip" for m in motions),
    )
    return _cleaned(result, zones) if clean else result


def junctions(
    a: Motion, b: Motion, *, half_width: float | None = None, most: int = 20
) -> tuple[Junction, ...]:
    """Places where ``a`` can run over into ``b``, the best first.

    These are the local minima of the distance grid that leave room for a transition of
    ``half_width`` frames of the first clip on either side (default: half a second, or less
    where the clips are too short for that). Of those that are about as good as the best, the
    one that keeps most of both clips leads.
    """
    a, b = on_common_skeleton((a, b))
    for half in _half_widths(half_width, a.fps):
        room = (j for j in _junctions(a, b, half / a.fps, 0.0) if _fits(a, b, j, half))
        found = tuple(itertools.islice(room, most))
        if found:
            return found
    return ()


def best_junction(a: Motion, b: Motion, *, half_width: float | None = None) -> Junction:
    """The place that `transition` takes by itself: of `junctions` the best that is calm."""
    a, b = on_common_skeleton((a, b))
    following = b.resample(a.fps)
    widths = _half_widths(half_width, a.fps)
    taken = _widest_crossing(a, following, None, 0.0, widths, True).junction
    return Junction(taken.distance, (taken.frames[0], taken.frames[1] * b.fps / a.fps))


def _half_widths(half_width: float | None, rate: float) -> list[int]:
    """The half width asked for, or the usual one and narrower ones: frames to be tried in turn."""
    if half_width is None:
        usual = HALF_WIDTH * rate
        return [max(1, round(share * usual)) for share in (1.0, *_NARROWER)]
    if round(half_width) < 1:
        raise BlendError(f"half width {half_width}: a transition needs at least one frame each way")
    return [round(half_width)]


def _fits(a: Motion, b: Motion, junction: Junction, half: int) -> bool:
    """Whether the clips really have the room: one may play faster than the other there."""
    same_rate = b.resample(a.fps)
    try:
        _way(a, same_rate, (junction.frames[0], junction.frames[1] * a.fps / b.fps), 0.0, half)
    except MotionweaveError:
        return False
    return True


def _junctions(a: Motion, b: Motion, half: float, lowest: float) -> tuple[Junction, ...]:
    """Local minima for clips of one skeleton; ``half`` in seconds, leaving a after a frame."""
    coarse = [m.resample(min(m.fps, _SEARCH_RATE)) for m in (a, b)]
    room = [half * m.fps for m in coarse]
    first = lowest / a.fps * coarse[0].fps + room[0]
    rows = np.arange(np.ceil(first), len(coarse[0]) - room[0], dtype=int)
    columns = np.arange(np.ceil(room[1]), len(coarse[1]) - room[1], dtype=int)
    if len(rows) == 0 or len(columns) == 0:
        return ()
    grid = distance_grid(*coarse)[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    found = [
        Junction(
            float(np.sqrt(grid[r, c])),
            (
                float(rows[r] * a.fps / coarse[0].fps),
                float(columns[c] * b.fps / coarse[1].fps),
            ),
        )
        for r, c in _local_minima(grid)
    ]
    if not found:
        return ()
    as_good = _AS_GOOD * min(junction.distance for junction in found)

    def rank(junction: Junction) -> tuple[float, float]:
        left, right = junction.frames
        kept = left / a.fps + (len(b) - 1 - right) / b.fps
        # Repeated motions have many places that are equally good: keep most of the clips.
        return (0.0, -kept) if junction.distance <= as_good else (junction.distance, 0.0)

    return tuple(sorted(found, key=rank))


def _local_minima(grid: Array) -> list[tuple[int, int]]:
    """Cells not above any of their neighbours, of equal ones in a row the first."""
    padded = np.pad(grid, 1, constant_values=np.inf)
    inner = padded[1:-1, 1:-1]
    lowest = np.ones(grid.shape, dtype=bool)
    for r in (0, 1, 2):
        for c in (0, 1, 2):
            neighbour = padded[r : r + grid.shape[0], c : c + grid.shape[1]]
            # Strictly below those that come before: a plateau counts once, not everywhere.
            earlier = (r, c) < (1, 1)
            lowest &= (inner < neighbour) if earlier else (inner <= neighbour)
    return [(int(r), int(c)) for r, c in np.argwhere(lowest)]


@dataclass(frozen=True, eq=False)
class _Crossing:
    """One transition and how it meets the clips at both ends.

    Parameters
    ----------
    motion
        Its ``2 h + 1`` frames; the first and the last are frames of the clips.
    leave, enter
        Frame of the first clip it begins with, frame of the second it ends with.
    arrival
        The move that takes the second clip to where the transition ends.
    junction
        Where its middle is.
    """

    motion: Motion
    leave: float
    enter: float
    arrival: Planar
    junction: Junction


def _widest_crossing(
    a: Motion,
    b: Motion,
    place: tuple[float, float] | None,
    lowest: float,
    widths: Sequence[int],
    whole_frames: bool,
) -> _Crossing:
    """`_crossing` with the first of the half widths for which there is room."""
    for half in widths[:-1]:
        with contextlib.suppress(BlendError):
            return _crossing(a, b, place, lowest, half, whole_frames)
    return _crossing(a, b, place, lowest, widths[-1], whole_frames)


def _crossing(
    a: Motion,
    b: Motion,
    place: tuple[float, float] | None,
    lowest: float,
    half: int,
    whole_frames: bool,
) -> _Crossing:
    """The transition at a given or at the best place that leaves a after frame ``lowest``."""
    if place is not None:
        return _cross(a, b, Junction(np.nan, place), lowest, half, whole_frames)
    names = f"{a.name or 'the first clip'} to {b.name or 'the second'}"
    reason = "no two of their frames have that much of the clips before and after them"
    calm = _CALM * max(_roughness(a), _roughness(b))
    found: list[tuple[float, _Crossing]] = []
    for junction in _junctions(a, b, half / a.fps, lowest)[:_MOST_TRIES]:
        checkpoint()
        try:
            crossing = _cross(a, b, junction, lowest, half, whole_frames)
        except MotionweaveError as error:
            reason = str(error)
            continue
        found.append((_roughness(crossing.motion), crossing))
        # Poses that are alike do not promise that the way between them is smooth.
        if found[-1][0] <= calm:
            return crossing
    if found:
        return min(found, key=lambda pair: pair[0])[1]
    raise BlendError(
        f"found no place for a transition of {2 * half + 1} frames from {names}: {reason}; "
        "give a smaller half width or longer clips"
    )


def _roughness(motion: Motion) -> float:
    """The largest acceleration of any joint that has a role, in units a frame squared."""
    joints = sorted(set(find_rig(motion.skeleton).roles.values())) or slice(None)
    second = np.diff(motion.positions()[:, joints], n=2, axis=0)
    return float(np.linalg.norm(second, axis=-1).max(initial=0.0))


def _cross(
    a: Motion,
    b: Motion,
    junction: Junction,
    lowest: float,
    half: int,
    whole_frames: bool,
) -> _Crossing:
    """The transition at a place; an error says if it cannot be there."""
    curve, u, weights = _way(a, b, junction.frames, lowest, half)
    warp = curve.timewarp
    ends = warp.frames(u[[0, -1]])
    leave, enter = float(ends[0, 0]), float(ends[1, 1])
    if whole_frames:
        # A smooth displacement brings both ends onto frames of the clips.
        leave, enter = float(np.round(leave)), float(np.round(enter))
        first = float(warp.parameter(0, leave)) - u[0]
        last = float(warp.parameter(1, enter)) - u[-1]
        u = u + first * weights[:, 0] + last * weights[:, 1]
    moves = placements(curve, u, weights)
    motion = assemble(curve, Trace(u, weights, moves), a.fps)
    return _Crossing(motion, leave, enter, moves[-1, 1], junction)


def _way(
    a: Motion, b: Motion, at: tuple[float, float], lowest: float, half: int
) -> tuple[RegistrationCurve, Array, Array]:
    """The curve, the places ``(2 h + 1,)`` on it and the weights of a transition."""
    for frame, clip in zip(at, (a, b), strict=True):
        if not 0 <= frame <= len(clip) - 1:
            raise BlendError(
                f"transition at frame {frame:g} of {clip.name or 'a clip'}, "
                f"which has frames 0 to {len(clip) - 1}"
            )
    curve = register(a, b, anchors=[at], reach=_REACH * half / a.fps)
    warp = curve.timewarp
    middle = 0.5 * (float(warp.parameter(0, at[0])) + float(warp.parameter(1, at[1])))
    share = smootherstep(np.arange(2 * half + 1) / (2 * half))
    weights = np.stack([1.0 - share, share], axis=1)
    behind = _walk(curve, middle, weights[half::-1], -1)
    u = np.concatenate([behind[:0:-1], _walk(curve, middle, weights[half:], 1)])
    _check_room(curve, u, at, lowest, half)
    return curve, u, weights


def _walk(curve: RegistrationCurve, begin: float, weights: Array, sign: int) -> Array:
    """Places ``(T,)`` on the curve, a frame of the first clip apart, forwards or backwards."""
    spline = curve.timewarp.spline
    scale = (spline.end - spline.start) / spline.spans
    steps = np.full(2, float(sign))
    place = advance(spline.control, (begin - spline.start) / scale, steps, weights, False)
    return np.asarray(spline.start + scale * place)


def _check_room(
    curve: RegistrationCurve, u: Array, at: tuple[float, float], lowest: float, half: int
) -> None:
    """An error with the largest possible half width if the clips end too soon."""
    first = max(curve.timewarp.start, float(curve.timewarp.parameter(0, lowest)))
    # Half a frame is lost or won by rounding the ends to whole frames.
    slack = 0.5 * float(np.min(np.diff(u)))
    inside = (u >= first - slack) & (u <= curve.timewarp.end + slack)
    if inside.all():
        return
    fits = min(int(inside[:half].sum()), int(inside[half + 1 :].sum()))
    raise BlendError(
        f"a transition of {half} frames to each side does not fit at frames "
        f"({at[0]:g}, {at[1]:g}): the clips leave room for {fits}"
    )


def _part(motion: Motion, begin: float, end: float | None, *, first: bool) -> Motion:
    """The frames of a clip from where it was entered to where it is left, both included.

    Whole frames are taken as they are. Otherwise the first clip is sampled so that its
    last frame is met, the last so that its first is, and one between so that both are.
    """
    if end is None:
        end = begin + np.floor(len(motion) - 1 - begin)
    elif first:
        begin = end - np.floor(end - begin)
    if begin == np.round(begin) and end == np.round(end):
        return motion[int(begin) : int(end) + 1]
    return motion.sample(np.linspace(begin, end, round(end - begin) + 1))


def _places(
    at: tuple[float, float] | Sequence[tuple[float, float] | None] | None,
    motions: Sequence[Motion],
) -> list[tuple[float, float] | None]:
    """One place, or None, for each pair of neighbouring clips."""
    pairs = len(motions) - 1
    if at is None:
        return [None] * pairs
    rows = [at] if len(at) == 2 and all(np.isscalar(x) for x in at) else list(at)
    if len(rows) != pairs:
        raise BlendError(
            f"{len(motions)} clips have {pairs} transitions; got places for {len(rows)}"
        )
    places: list[tuple[float, float] | None] = []
    for row in rows:
        pair = None if row is None else np.array(row, dtype=np.float64).ravel()
        if pair is not None and (pair.shape != (2,) or not np.all(np.isfinite(pair))):
            raise BlendError(f"a place is two frames (f1, f2), one of each clip; got {row!r}")
        places.append(None if pair is None else (float(pair[0]), float(pair[1])))
    return places


def _cleaned(motion: Motion, zones: list[tuple[int, int]]) -> Motion:
    """Feet planted where they touch the ground during a transition; the rest stays."""
    from motionweave.contacts.clean.footskate import clean_feet

    touched = tuple(
        c for c in motion.constraints if any(c.end >= a and c.start <= b for a, b in zones)
    )
    return clean_feet(motion, touched).with_constraints(motion.constraints)
