"""How well feet stand: whether they slide, sink or float."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from motionweave.body.floor import Floor
from motionweave.body.rig.roles import SIDES
from motionweave.body.soles import contact_points
from motionweave.contacts.detect import detect_contacts, estimate_floor
from motionweave.core.arrays import Array
from motionweave.core.constraints import HAND_KINDS, Constraint, active
from motionweave.core.motion import Motion

# Leg lengths below which a foot is low and above which it is in the floor; legs per second
# below which it is slow over the floor, and neither rises nor falls.
_LOW, _SUNK = 0.03, 0.01
_SLOW, _RISING = 0.6, 0.15


@dataclass(frozen=True)
class PlantQuality:
    """How well one plant holds.

    Parameters
    ----------
    kind, start, end
        As in the constraint.
    skate_mean, skate_max
        Distance moved over the floor per frame, in leg lengths.
    height
        Median height above the floor, or the level it stands on, in leg lengths.
    """

    kind: str
    start: float
    end: float
    skate_mean: float
    skate_max: float
    height: float


@dataclass(frozen=True, eq=False)
class FootQuality:
    """How well the feet of a motion stand; those of a body without legs have no figures.

    Parameters
    ----------
    plants
        How well each plant holds, those of hands as well.
    depths
        ``(P, T)`` leg lengths that heels and toes are below the floor, after a T-pose in front.
    undeclared
        ``(n,)`` leg lengths moved over the floor between frames in which a foot stands without a
        contact.
    detected
        Whether contacts had to be detected because the motion has none.
    """

    plants: tuple[PlantQuality, ...] = ()
    depths: Array = field(default_factory=lambda: np.zeros((1, 1)))
    undeclared: Array = field(default_factory=lambda: np.zeros(0))
    detected: bool = False

    @property
    def skate_mean(self) -> float:
        """Mean distance per frame that planted points slide, over frames, not over plants: longer
        ones count for more."""
        frames = np.array([np.floor(p.end) - np.ceil(p.start) for p in self.plants])
        total = float(frames.sum())
        slid = np.array([p.skate_mean for p in self.plants])
        return float((slid * frames).sum() / total) if total > 0.0 else 0.0

    @property
    def skate_max(self) -> float:
        """The largest distance per frame that a planted point slides."""
        return max((p.skate_max for p in self.plants), default=0.0)

    @property
    def heights(self) -> Array:
        """Heights ``(n,)`` of the plants of feet above what they stand on."""
        return np.array([max(p.height, 0.0) for p in self.plants if p.kind not in HAND_KINDS])

    @property
    def sunk_frames(self) -> int:
        """In how many frames a heel or a toe is clearly in the floor."""
        return int((self.depths > _SUNK).any(axis=0).sum())


def foot_quality(motion: Motion, floor: Floor | None, size: float, first: int) -> FootQuality:
    """How well the feet of a body with legs stand.

    Parameters
    ----------
    motion
        Its own contacts are used, or detected if it has none.
    floor
        What it stands on; None to estimate it.
    size
        Leg length.
    first
        The frame behind a T-pose in front.
    """
    hands = any(c.kind in HAND_KINDS for c in motion.constraints)
    points = contact_points(motion, hands)
    constraints = tuple(c for c in motion.constraints if c.kind in points)
    detected = not constraints
    if detected:
        constraints = detect_contacts(motion)
    if floor is None:
        floor = estimate_floor(motion[first:])
    plants = tuple(
        _plant(c, points[c.kind], floor, size)
        for c in constraints
        if np.floor(c.end) >= np.ceil(c.start)
    )
    feet = [points[kind][first:] for kind in points if kind not in HAND_KINDS]
    depths = np.maximum(-floor.above(np.stack(feet)), 0.0) / size
    undeclared = _undeclared(motion, points, constraints, floor, size, first)
    return FootQuality(plants, depths, undeclared, detected)


def _plant(c: Constraint, point: Array, floor: Floor, size: float) -> PlantQuality:
    frames = slice(max(int(np.ceil(c.start)), 0), int(np.floor(c.end)) + 1)
    track = point[frames]
    steps = np.linalg.norm(np.diff(track[:, [0, 2]], axis=0), axis=-1) / size
    above = float(np.median(floor.above(track)))
    levels = np.array(floor.levels)
    height = (above - float(levels[np.abs(levels - above).argmin()])) / size
    mean = float(steps.mean()) if len(steps) else 0.0
    return PlantQuality(c.kind, c.start, c.end, mean, float(steps.max(initial=0.0)), height)


def _undeclared(
    motion: Motion,
    points: dict[str, Array],
    constraints: Sequence[Constraint],
    floor: Floor,
    size: float,
    first: int,
) -> Array:
    """Distances ``(n,)`` moved over the floor between frames in which a foot stands without a
    contact.

    Both its heel and its toe are low and do not rise or fall, it is slower over the floor
    than a swing, and neither is in a contact.
    """
    frames = np.arange(len(motion))
    slides = []
    for side in SIDES:
        kinds = (f"{side}_heel", f"{side}_toe")
        foot = np.stack([points[kind] for kind in kinds])
        steps = np.diff(foot, axis=1) / size
        level = np.linalg.norm(steps[..., [0, 2]], axis=-1)
        low = (floor.above(foot) < _LOW * size).all(axis=0)
        free = ~np.any([active(constraints, kind, frames) for kind in kinds], axis=0)
        still = (np.abs(steps[..., 1]) * motion.fps < _RISING).all(axis=0)
        slow = level.max(axis=0) * motion.fps < _SLOW
        stands = still & slow & (low & free)[1:] & (low & free)[:-1]
        stands[:first] = False
        slides.append(level.mean(axis=0)[stands])
    return np.concatenate(slides)
