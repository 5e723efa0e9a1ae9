"""Steps that a warp inserts where a path leads the body away from planted feet.

A planted foot cannot slide, and a leg has limited reach. Where both feet stand for long
enough and the path continues, one of them takes a step to where the path will be, then the other,
as a person would do to move aside.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from motionweave.core.arrays import Array
from motionweave.core.constraints import Constraint, clipped
from motionweave.core.numerics.curves import smootherstep
from motionweave.methods.warping.moments import Span
from motionweave.methods.warping.paths import Path

# Leg lengths, and radians, by which the path may leave a planted foot before it steps.
_FAR, _TURNED = 0.2, np.radians(30.0)
# Where the path has come to rest, this share of that is enough to close up.
_CLOSE, _AT_REST = 0.4, 0.05
# Seconds that a step takes, and that both feet stand before the next.
_STEP, _BETWEEN = 0.4, 0.1
# How high a foot is lifted during the step, in leg lengths.
_LIFT = 0.07


@dataclass(frozen=True)
class Stepping:
    """When one foot stands, and where.

    Parameters
    ----------
    spans
        Stances, those that a step interrupts in parts.
    moments
        For each of them the frame whose place on the path determines where the foot stands.
    swings
        Steps that were inserted.
    """

    spans: tuple[Span, ...]
    moments: tuple[float, ...]
    swings: tuple[Span, ...] = ()

    def lift(self, count: int, size: float) -> Array:
        """How much higher ``(T,)`` the foot is in its inserted steps."""
        frames = np.arange(count, dtype=np.float64)
        result = np.zeros(count)
        for first, last in self.swings:
            share = (frames - first) / (last - first)
            bump = smootherstep(2.0 * share) * smootherstep(2.0 - 2.0 * share)
            result += _LIFT * size * bump
        return result


def insert_steps(
    spans: Mapping[str, Sequence[Span]],
    places: Mapping[str, Array],
    path: Path | None,
    fps: float,
    size: float,
) -> dict[str, Stepping]:
    """Stances of each foot, interrupted by steps where a path leads too far away from them.

    Parameters
    ----------
    spans
        By side, when the feet stand.
    places
        By side, where they are ``(T, 3)`` before the path carries them.
    path
        The path of the body, if any.
    size
        Leg length.
    """
    count = len(next(iter(places.values()))) if places else 0
    # First frame, last frame, and the frame whose place the foot stands at.
    pieces = {
        side: [[first, last, max(first, 0.0)] for first, last in held]
        for side, held in spans.items()
    }
    swings: dict[str, list[Span]] = {side: [] for side in spans}
    if path is not None and len(spans) == 2:
        step, between = round(_STEP * fps), round(_BETWEEN * fps)
        frame = between
        while frame + step + between < count:
            begun = any(swings.values())
            side = _next(pieces, places, path, frame, step + between, size, begun)
            if side is None:
                frame += 1
                continue
            piece = _at(pieces[side], frame)
            assert piece is not None
            until = piece[1]
            landed = float(frame + step)
            # Before the step the foot stands where the path was, after it where it will be.
            piece[1] = float(frame)
            ahead = _as_far_as(places[side], path, landed, until, size)
            pieces[side].append([landed, until, ahead])
            pieces[side].sort()
            swings[side].append((float(frame), landed))
            frame += step + between
    steps = [swing for taken in swings.values() for swing in taken]
    for held in pieces.values():
        for piece in held:
            first, last, _ = piece
            if not any(first <= end and start <= last for start, end in steps):
                # One move that is right in the middle is least wrong at both ends.
                piece[2] = min(max(0.5 * (first + last), 0.0), count - 1.0)
    return {
        side: Stepping(
            tuple((first, last) for first, last, _ in held),
            tuple(at for _, _, at in held),
            tuple(swings[side]),
        )
        for side, held in pieces.items()
    }


def without_steps(
    constraints: Iterable[Constraint], stepping: Mapping[str, Stepping]
) -> list[Constraint]:
    """Contacts that leave out the steps that were inserted."""
    result = []
    for c in constraints:
        side = c.kind.split("_")[0]
        swings = stepping[side].swings if side in stepping and not c.kind.endswith("hand") else ()
        parts = [c]
        for first, last in swings:
            parts = [
                piece
                for part in parts
                for piece in (*clipped([part], -np.inf, first), *clipped([part], last, np.inf))
            ]
        result += parts
    return result


def _at(pieces: Sequence[list[float]], frame: float) -> list[float] | None:
    return next((piece for piece in pieces if piece[0] <= frame < piece[1]), None)


def _next(
    pieces: Mapping[str, Sequence[list[float]]],
    places: Mapping[str, Array],
    path: Path,
    frame: int,
    needed: int,
    size: float,
    begun: bool,
) -> str | None:
    """The foot that has to step at a frame, the one that is further off its place; or None.

    Both feet have to stand, and stay planted for as many frames as ``needed``. Steps that
    have ``begun`` are ended with one that closes up.
    """
    standing = {side: _at(held, frame) for side, held in pieces.items()}
    away = {}
    rest = begun and all(
        _apart(place, path, frame, frame, frame + needed, size) < _AT_REST
        for place in places.values()
    )
    for side, piece in standing.items():
        if piece is None or piece[1] < frame + needed:
            return None
        away[side] = _apart(places[side], path, frame, piece[2], frame + 0.5 * needed, size)
    # Of two that are equally far off, the one ahead steps first: feet do not cross.
    side = max(
        away, key=lambda one: (round(away[one], 1), _ahead(places, one, path, frame, needed))
    )
    return side if away[side] > (_CLOSE if rest else 1.0) else None


def _ahead(places: Mapping[str, Array], side: str, path: Path, frame: int, needed: int) -> float:
    """How far a foot is ahead of the other in the direction of the path."""
    place = places[side][frame]
    before, after = path.move(np.stack([place, place]), np.array([frame, frame + needed], float))
    (other,) = (places[one][frame] for one in places if one != side)
    return float((place - other) @ (after - before))


def _as_far_as(place: Array, path: Path, landed: float, until: float, size: float) -> float:
    """The latest frame whose place is no further on than half of what needs a step."""
    frames = np.arange(np.ceil(landed), np.floor(until) + 1.0)
    for frame in frames:
        if _apart(place, path, int(landed), landed, float(frame), size) > 0.5:
            return float(frame)
    return float(frames[-1]) if len(frames) else landed


def _apart(place: Array, path: Path, frame: int, a: float, b: float, size: float) -> float:
    """How far the path's moves at two frames take a foot apart; 1 needs a step."""
    here = path.move(np.repeat(place[[frame]], 2, axis=0), np.array([a, b]))
    far = float(np.linalg.norm((here[1] - here[0])[[0, 2]])) / (_FAR * size)
    return max(far, abs(path.angle_at(b) - path.angle_at(a)) / _TURNED)
