"""One step of a live blend, compiled: what `blend` does for whole motions, for one frame.

Use it through `Stepper`; the tests compare its frames with those of `blend`.
"""

from __future__ import annotations

import numpy as np

from motionweave.core.runtime.kernels import kernel
from motionweave.methods.blending.advance import next_places


@kernel()
def _composed(a, b, result):  # type: ignore[no-untyped-def]
    """The planar move (angle, x, z) that applies b first and then a."""
    cos, sin = np.cos(a[0]), np.sin(a[0])
    x, z = b[1], b[2]
    result[0] = a[0] + b[0]
    result[1] = cos * x + sin * z + a[1]
    result[2] = -sin * x + cos * z + a[2]


@kernel()
def _spline_at(control, place, values):  # type: ignore[no-untyped-def]
    """Values (d,) of a uniform quadratic B-spline at a place counted in spans."""
    spans = control.shape[0] - 2
    span = min(max(int(np.floor(place)), 0), spans - 1)
    t = place - span
    for d in range(control.shape[1]):
        p, q, r = control[span, d], control[span + 1, d], control[span + 2, d]
        values[d] = 0.5 * (p + q) + t * ((q - p) + 0.5 * t * (p - 2.0 * q + r))


@kernel()
def _aligned_at(control, place, reference, values, moves):  # type: ignore[no-untyped-def]
    """Moves (k, 3) of the alignment curve, whose spline holds an angle and a centre per clip."""
    _spline_at(control, place, values)
    for j in range(moves.shape[0]):
        angle, x, z = values[3 * j], values[3 * j + 1], values[3 * j + 2]
        cos, sin = np.cos(angle), np.sin(angle)
        moves[j, 0] = angle
        moves[j, 1] = values[3 * reference + 1] - (cos * x + sin * z)
        moves[j, 2] = values[3 * reference + 2] - (-sin * x + cos * z)


@kernel()
def move_on(  # type: ignore[no-untyped-def]
    timewarp,
    alignment,
    reference,
    alignment_start,
    alignment_scale,
    shares,
    weights,
    steps,
    by_rates,
    cycle,
    roots,
    first,
    last,
    place,
    group,
    aligned,
    frames,
    moves,
    root,
):
    """Advance by one frame; returns the new place, in spans of the timewarp.

    Parameters
    ----------
    timewarp, alignment
        ``(n, k)`` and ``(m, 3 k)`` control points.
    alignment_start, alignment_scale
        Place on the alignment's spline of place 0, and its spans for each of the timewarp's.
    shares, weights, steps
        ``(k,)`` share in the pace, weight in the pose, frames played (all zero to stay).
    by_rates
        How the clips agree on the pace; see `advance`.
    cycle
        ``(k, 3)`` the move of one cycle of each clip, or ``(0, 3)`` for an open curve.
    roots, first, last
        ``(F, 3)`` root positions of all clips, ``(k,)`` where each begins, its last frame.
    group, aligned
        ``(3,)`` and ``(k, 3)``, changed in place: T of the frame before, and its alignment.
    frames, moves, root
        ``(k,)``, ``(k, 3)``, ``(3,)``, filled: frames to average, their moves, the root.
    """
    clips = shares.shape[0]
    spans = timewarp.shape[0] - 2
    cyclic = cycle.shape[0] > 0
    if steps[0] > 0.0:
        after = np.empty(1)
        next_places(timewarp, place, steps, shares.reshape(1, clips), by_rates, cyclic, after)
        place = after[0]
    step = np.empty(3)
    while cyclic and place >= spans:
        place -= spans
        for j in range(clips):
            _composed(aligned[j], cycle[j], step)
            aligned[j] = step
    place = min(place, float(spans))
    _spline_at(timewarp, place, frames)
    now = np.empty((clips, 3))
    values = np.empty(3 * clips)
    _aligned_at(alignment, alignment_start + alignment_scale * place, reference, values, now)
    own = np.empty((clips, 3))
    origin_x, origin_z = 0.0, 0.0
    for j in range(clips):
        frame = min(max(frames[j], 0.0), last[j])
        lower = int(frame)
        upper = min(lower + 1, int(last[j]))
        share = frame - lower
        for c in range(3):
            a = roots[int(first[j]) + lower, c]
            own[j, c] = a + share * (roots[int(first[j]) + upper, c] - a)
        cos, sin = np.cos(now[j, 0]), np.sin(now[j, 0])
        origin_x += (cos * own[j, 0] + sin * own[j, 2] + now[j, 1]) / clips
        origin_z += (-sin * own[j, 0] + cos * own[j, 2] + now[j, 2]) / clips
    # Eq. 8 and 9: each clip votes for the move that leaves it where it was.
    turn, shift_x, shift_z = 0.0, 0.0, 0.0
    for j in range(clips):
        angle = aligned[j, 0] - now[j, 0]
        cos, sin = np.cos(angle), np.sin(angle)
        # The image of the origin under aligned @ now^-1.
        back_x, back_z = origin_x - now[j, 1], origin_z - now[j, 2]
        image_x = cos * back_x + sin * back_z + aligned[j, 1]
        image_z = -sin * back_x + cos * back_z + aligned[j, 2]
        turn += weights[j] * (np.mod(angle + np.pi, 2.0 * np.pi) - np.pi)
        shift_x += weights[j] * (image_x - origin_x)
        shift_z += weights[j] * (image_z - origin_z)
    cos, sin = np.cos(turn), np.sin(turn)
    mean = np.empty(3)
    mean[0] = turn
    mean[1] = origin_x + shift_x - (cos * origin_x + sin * origin_z)
    mean[2] = origin_z + shift_z - (-sin * origin_x + cos * origin_z)
    _composed(group, mean, step)
    group[:] = step
    root[:] = 0.0
    for j in range(clips):
        aligned[j] = now[j]
        _composed(group, now[j], moves[j])
        cos, sin = np.cos(moves[j, 0]), np.sin(moves[j, 0])
        root[0] += weights[j] * (cos * own[j, 0] + sin * own[j, 2] + moves[j, 1])
        root[1] += weights[j] * own[j, 1]
        root[2] += weights[j] * (-sin * own[j, 0] + cos * own[j, 2] + moves[j, 2])
    return place


@kernel()
def turn_roots(rotations, moves):  # type: ignore[no-untyped-def]
    """Turn the roots of k poses (k, J, 4) about the vertical by their moves (k, 3), in place."""
    for j in range(moves.shape[0]):
        s, c = np.sin(0.5 * moves[j, 0]), np.cos(0.5 * moves[j, 0])
        x, y, z, w = rotations[j, 0, 0], rotations[j, 0, 1], rotations[j, 0, 2], rotations[j, 0, 3]
        rotations[j, 0, 0] = c * x + s * z
        rotations[j, 0, 1] = c * y + s * w
        rotations[j, 0, 2] = c * z - s * x
        rotations[j, 0, 3] = c * w - s * y
