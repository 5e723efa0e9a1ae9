"""Feet on given ground, and how the body follows.

Every stance is placed on the ground (`motionweave.methods.warping.landings`), and everything after
it follows: on stairs strides become as long as treads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from motionweave.body.floor import Floor
from motionweave.body.ground import Ground
from motionweave.contacts.floors import ground_under
from motionweave.core import kinematics
from motionweave.core.arrays import Array, BoolArray
from motionweave.core.planar import Planar
from motionweave.methods.warping.detours import detour
from motionweave.methods.warping.landings import BEHIND, BEYOND, Climb, Landing, Stance, land
from motionweave.methods.warping.moments import Span
from motionweave.methods.warping.paths import Path
from motionweave.methods.warping.targets import WarpClip

# Leg lengths that one step may climb, and leg lengths per square second of a foot that is
# swung from one stance to the next.
_CLIMB, _SWIFTEST = 0.3, 10.0
# Seconds between moments at which a stance is looked at.
_OFTEN = 0.1
# Seconds in which a foot takes over the weight, and by which the body is above the lower of two
# feet before it lands and after it has left; the body is led over this share of the time from one
# stance to the next, which counts as some seconds from and to.
_LOADING, _LOWER, _SMOOTH, _BETWEEN = 0.3, 0.1, 0.4, (0.25, 0.9)


@dataclass(frozen=True)
class Terrain:
    """Ground, what every stance does on it, and the path of the body over it.

    Parameters
    ----------
    ground
        In the world's axes and the clip's unit.
    spans, landings
        By side, stances and how each of them is moved. A foot that is in the air as the clip
        begins or ends has one of that moment, too.
    path
        The path of the body, the ground included.
    shift
        ``(T, 3)`` what the ground adds to it.
    """

    ground: Ground
    spans: Mapping[str, Sequence[Span]]
    landings: Mapping[str, Sequence[Landing]]
    path: Path
    shift: Array

    def under(self, heel: Array, toe: Array) -> Array:
        """Height ``(2, ...)`` of the ground below heels and toes ``(..., 3)``, all of the sole."""
        foot = toe - heel
        rise = foot[..., 1]
        back, front = (self.ground.at(p) for p in (heel - BEHIND * foot, toe + BEYOND * foot))
        # The end that is up is higher than the heel or the toe itself.
        back, front = back + BEHIND * np.minimum(rise, 0.0), front - BEYOND * np.maximum(rise, 0.0)
        return np.stack(
            [np.maximum(self.ground.at(heel), back), np.maximum(self.ground.at(toe), front)]
        )

    def detour(
        self, ankle: Array, lever: Array, least: Array, standing: BoolArray, clip: WarpClip
    ) -> Array:
        """How far ``(T, 3)`` a foot in the air is led around edges; see `detours`.

        Parameters
        ----------
        ankle, lever
            ``(T, 3)`` where it goes, and ``(2, T, 3)`` its heel and toe from there.
        least
            ``(2, T)`` how high they are to be above the ground.
        standing
            ``(T,)`` whether it stands.
        clip
            The clip as it was.
        """
        sole = np.moveaxis(ankle + lever, 0, 1)
        above = sole[..., 1] - least.T

        def low(moments: Array, aside: Array) -> Array:
            heel, toe = np.moveaxis(kinematics.sample_vectors(sole, moments), 1, 0)
            room = kinematics.sample_vectors(above, moments).T
            return np.asarray((self.under(heel + aside, toe + aside) - room[:, None]).max(axis=0))

        return detour(low, standing, clip.scale, clip.motion.fps)


def lay_out(
    clip: WarpClip,
    soles: Mapping[str, Array],
    spans: Mapping[str, Sequence[Span]],
    path: Path | None,
    ground: Ground,
    floor: Floor,
) -> Terrain:
    """Find where stances are placed.

    Parameters
    ----------
    clip
        The clip as it was.
    soles
        By side heel and toe ``(2, T, 3)``, as keys of the legs have them.
    spans
        By side, when they stand.
    path
        The path of the body, if any.
    ground
        As the user gave it.
    floor
        What the clip stands on.
    """
    count, fps = len(clip.motion), clip.motion.fps
    world = ground_under(ground, clip.motion)
    if path is None:
        path = Path(Planar(np.zeros(count), np.zeros(count), np.zeros(count)), np.zeros(count))
    firm, spans = spans, {side: _with_ends(held, count) for side, held in spans.items()}
    order = sorted(
        (min(max(0.5 * (first + last), 0.0), count - 1.0), side, index)
        for side, held in spans.items()
        for index, (first, last) in enumerate(held)
    )
    landings: dict[str, list[Landing]] = {side: [] for side in spans}
    before: Landing | None = None
    for moment, side, index in order:
        stance = _stance(moment, spans[side][index], soles[side], path, floor, fps)
        start = np.zeros(2) if before is None else before.shift[[0, 2]]
        climbs = [] if before is None else [Climb(before.height, _CLIMB * clip.scale)]
        if landings[side]:
            # A foot gets only so far in its swing, from rest to rest.
            own = landings[side][-1]
            swing = max(spans[side][index][0] - spans[side][index - 1][1], 0.0) / fps
            most = 0.25 * _SWIFTEST * clip.scale * swing**2
            way = start - own.shift[[0, 2]]
            start = own.shift[[0, 2]] + way * min(1.0, most / max(np.hypot(*way), 1e-12))
            climbs.append(Climb(own.height, most))
        before = land(stance, start, climbs, world, clip.scale)
        landings[side].append(before)
    standing = {
        side: [
            (span, landing)
            for span, landing in zip(spans[side], landings[side], strict=True)
            if span in firm[side]
        ]
        for side in spans
    }
    shift = _body([pair for pairs in standing.values() for pair in pairs], count, fps)
    over = Path(
        Planar(path.planar.angle, path.planar.x + shift[:, 0], path.planar.z + shift[:, 2]),
        path.rise + shift[:, 1],
    )
    return Terrain(world, spans, landings, over, shift)


def _with_ends(held: Sequence[Span], count: int) -> list[Span]:
    """Stances, and the moments of a clip's ends at which the foot is in the air."""
    last = count - 1.0
    before = [] if held and held[0][0] <= 0.0 else [(0.0, 0.0)]
    after = [] if held and held[-1][1] >= last else [(last, last)]
    return [*before, *held, *after]


def _stance(moment: float, span: Span, sole: Array, path: Path, floor: Floor, fps: float) -> Stance:
    """One stance of a foot with heel and toe ``(2, T, 3)``, as it is on the floor of the clip."""
    at, feet = np.array([moment]), np.moveaxis(sole, 0, 1)
    ends = kinematics.sample_vectors(feet, at)[0]
    x, z, angle, rise = (
        float(kinematics.sample_vectors(np.asarray(part), at)[0])
        for part in (path.planar.x, path.planar.z, path.planar.angle, path.rise)
    )
    first, last = np.clip(span, 0.0, len(feet) - 1.0)
    moments = np.linspace(first, last, 1 + int((last - first) / (_OFTEN * fps)))
    through = kinematics.sample_vectors(feet, moments).reshape(-1, 3)
    # Where the sole is on the clip's floor, whatever it does above that.
    base = float(floor.at(ends.mean(axis=0)))
    return Stance(moment, ends, through, base, (Planar(angle, x, z), rise))


def _body(stances: Sequence[tuple[Span, Landing]], count: int, fps: float) -> Array:
    """How the body moves ``(T, 3)``: with its supporting feet, smoothly from one to the next.

    It is as high as the lower one allows: a leg that comes down, or that is about to leave, would
    be stretched otherwise.
    """
    from scipy.ndimage import gaussian_filter1d

    frames = np.arange(count, dtype=np.float64)
    total, weights = np.zeros((count, 3)), np.zeros(count)
    lower = np.full(count, np.inf)
    for (first, last), landing in stances:
        # A stance at an end of the clip extends beyond it.
        since = frames - (-np.inf if first <= 0.0 else first)
        until = (np.inf if last >= count - 1.0 else last) - frames
        inside = np.minimum(since, until)
        load = np.clip(inside / (_LOADING * fps), 0.0, 1.0)
        total += load[:, None] * landing.shift
        weights += load
        lower[inside > -_LOWER * fps] = np.minimum(lower[inside > -_LOWER * fps], landing.shift[1])
    known = weights > 0.0
    if not known.any():
        return total
    wanted = total[known] / weights[known, None]
    wanted[:, 1] = lower[known]
    filled = np.stack([np.interp(frames, frames[known], w) for w in wanted.T], axis=1)
    middles = np.sort([0.5 * (first + last) for (first, last), _ in stances])
    apart = np.diff(middles) if len(middles) > 1 else np.zeros(1)
    between = float(np.clip(np.median(apart), *(np.array(_BETWEEN) * fps)))
    return np.asarray(gaussian_filter1d(filled, _SMOOTH * between, axis=0, mode="nearest"))
