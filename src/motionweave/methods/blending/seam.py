"""The seam of a transition: frames of both clips side by side, in their common timing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.core.numerics.curves import smoothstep
from motionweave.errors import BlendError, Kind
from motionweave.methods.blending.advance import advance
from motionweave.methods.joining.splice import Seam
from motionweave.registration.clouds import PointClip
from motionweave.registration.register import timing
from motionweave.registration.timewarp import TimewarpCurve

# Default half-width of a transition in seconds: a share of the shorter clip, so that a seam does
# not take up a short clip, within these bounds.
HALF_WIDTH = 0.5
_LEAST_HALF_WIDTH = 0.15
_SHARE = 0.12
# How far around the middle the clips are registered, in half-widths: a clip that moves
# faster than the other uses up to slope limit times as much of itself.
_REACH = 3.0

At = tuple[float, float]


def half_frames(a: Motion, b: Motion, half_width: float | None) -> int:
    """Frames of ``a`` on either side of a transition's middle."""
    if half_width is None:
        seconds = float(
            np.clip(_SHARE * min(a.duration, b.duration), _LEAST_HALF_WIDTH, HALF_WIDTH)
        )
        return max(1, round(seconds * a.fps))
    if not (np.isfinite(half_width) and round(half_width) >= 1):
        raise BlendError(
            f"half width {half_width}: a transition needs at least one frame on either side"
        )
    return round(half_width)


def registered_seam(clips: Sequence[PointClip], at: At, half: int, whole_frames: bool) -> Seam:
    """The seam around a pair of frames, in the clips' common timing."""
    room = int(min(min(f, len(clip) - 1 - f) for clip, f in zip(clips, at, strict=True)))
    half = min(half, room)
    if half < 1:
        short, frame = min(
            ((clip, f) for clip, f in zip(clips, at, strict=True)),
            key=lambda pair: min(pair[1], len(pair[0]) - 1 - pair[1]),
        )
        raise BlendError(
            f"no room for a transition at frame {frame:g} of {short.name or 'a clip'}: it needs at "
            f"least one frame on either side, and it has {len(short)} in all",
            kind=Kind.NO_ROOM,
        )
    warp = timing(*clips, anchors=[at], reach=_REACH * half / clips[0].fps)
    middle = 0.5 * (float(warp.parameter(0, at[0])) + float(warp.parameter(1, at[1])))
    while True:
        weight = smoothstep(np.arange(2 * half + 1) / (2 * half))
        u = _walk(warp, middle, weight)
        # Rounding the ends to whole frames changes the length by up to half a frame.
        slack = 0.5 * float(np.min(np.diff(u)))
        inside = (u >= warp.start - slack) & (u <= warp.end + slack)
        if inside.all() or half == 1:
            break
        # One clip may play faster than the other, and end sooner.
        half = max(min(int(inside[:half].sum()), int(inside[half + 1 :].sum()), half - 1), 1)
    ends = warp.frames(u[[0, -1]])
    leave, enter = float(ends[0, 0]), float(ends[1, 1])
    if whole_frames:
        u, leave, enter = _on_whole_frames(warp, u, weight)
    frames = warp.frames(np.clip(u, warp.start, warp.end))
    frames[0, 0], frames[-1, 1] = leave, enter
    return Seam(frames[:, 0], frames[:, 1], weight)


def _on_whole_frames(warp: TimewarpCurve, u: Array, weight: Array) -> tuple[Array, float, float]:
    """Places ``(n,)`` on the curve moved so that the first is a whole frame of the first clip and
    the last one of the second, and these two frames.

    All of them are moved together, since a seam that begins later and ends sooner would show both
    clips more slowly than they are; what is left over is spread smoothly.
    """
    lowest, highest = np.ceil(warp.frames(warp.start)), np.floor(warp.frames(warp.end))
    (first, _), (_, last) = warp.frames(u[[0, -1]])
    found = []
    for leave in (np.floor(first), np.ceil(first)):
        leave = float(np.clip(leave, lowest[0], highest[0]))
        moved = u + (float(warp.parameter(0, leave)) - u[0])
        for enter in (np.floor(last), np.ceil(last)):
            enter = float(np.clip(enter, lowest[1], highest[1]))
            rest = float(warp.parameter(1, enter)) - moved[-1]
            places = moved + rest * weight
            # Both count: a pace that is not the clips' own, and a middle elsewhere.
            cost = abs(rest) + abs(float(places[len(u) // 2] - u[len(u) // 2]))
            found.append((cost, places, leave, enter))
    return min(found, key=lambda one: one[0])[1:]


def _walk(warp: TimewarpCurve, middle: float, weight: Array) -> Array:
    """Places ``(2 h + 1,)`` on the curve, a frame of the mixture apart, both ways from a middle."""
    spline = warp.spline
    scale = (spline.end - spline.start) / spline.spans
    half = len(weight) // 2
    weights = np.stack([1.0 - weight, weight], axis=1)

    def one_way(rows: Array, sign: int) -> Array:
        begin = (middle - spline.start) / scale
        place = advance(spline.control, begin, np.full(2, float(sign)), rows, False)
        return np.asarray(spline.start + scale * place)

    behind = one_way(weights[half::-1], -1)
    return np.concatenate([behind[:0:-1], one_way(weights[half:], 1)])
