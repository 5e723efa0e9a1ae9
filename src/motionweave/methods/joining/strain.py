"""The strain of a joined motion on the body, and which of several joins is the calmest."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from motionweave.body.rig.roles import SIDES, find_rig, leg_length
from motionweave.body.size import body_height
from motionweave.core.arrays import Array
from motionweave.core.kinematics import in_parts
from motionweave.core.motion import Motion
from motionweave.core.numerics.vectors import lengths
from motionweave.core.runtime.interrupt import checkpoint
from motionweave.errors import BlendError, MotionweaveError
from motionweave.measure.support import WINDOW, floor_along, floor_level, support_slides
from motionweave.methods.joining.feet import SolePoints
from motionweave.methods.joining.splice import Spliced, seam_alignment

# A join is calm if it strains the body at most this many times as much as its clips do.
CALM = 1.02
# In body heights of distance: the cost of strain, per multiple of the clips' own, and those of a
# leg length of sliding and of depth in the floor.
_STRAIN, _SLIDING, _SINKING = 0.2, 1.0, 1.0
# The least acceleration of a joint and speed of the root that clips count as having, in leg lengths
# per second squared and per second.
_STILL, _STANDING = 0.5, 0.25
# Peaks of the slow-in, slow-out curve's second and first derivative, and the share of what the
# clips do that a cross-fade may add.
_PEAK_ACCELERATION = 5.77
_PEAK_SPEED = 1.875
_SHARE = 0.8
# How many places are tried, best first, and how many of them are looked at for faults.
MOST_TRIES = 12
_MOST_LOOKS = 4
# What a good join usually costs beyond its place: another place is tried only if it may be cheaper
# even then.
_USUAL = 0.025
# How many times as long a join may be made so that it is calm, in how many tries, and the share
# by which a try has to help.
_LONGER = 3.0
_MOST_STRETCHES = 3
_HELPS = 0.02

Place = TypeVar("Place")


class Strain:
    """The strain of a joined motion on the body, relative to its clips.

    Parameters
    ----------
    clips
        The clips that are joined, of one skeleton and frame rate.
    """

    def __init__(self, clips: Sequence[Motion]) -> None:
        skeleton, fps = clips[0].skeleton, clips[0].fps
        rig = find_rig(skeleton)
        self._joints = list(rig.body)
        ankles = (f"{side}_ankle" for side in SIDES)
        self._feet = [rig.roles[ankle] for ankle in ankles if ankle in rig.roles]
        self._soles = SolePoints.of(clips[0])
        self._leg = leg_length(skeleton) if len(self._soles) else body_height(skeleton) or 1.0
        # By identity: many joins of the same clips are compared.
        self._tracks: dict[int, tuple[Motion, Array]] = {}
        self._levels: dict[int, float] = {}
        self._seams: WeakKeyDictionary[Spliced, Array] = WeakKeyDictionary()
        self._costs: WeakKeyDictionary[Spliced, float] = WeakKeyDictionary()
        rates = [self._rates(self._clip_track(clip)) for clip in clips]
        # A body that stands differently in the clips has to take a small step.
        still, standing = _STILL * self._leg / fps**2, _STANDING * self._leg / fps
        self._acceleration = np.max([x.max(axis=0, initial=still) for x, _ in rates], axis=0)
        # A body that walks in place moves against its feet, not over the floor.
        self._speed = max(
            *(float(speeds.max(initial=standing)) for _, speeds in rates),
            *(self._usual_against_feet(clip) for clip in clips),
        )
        tracks = [(self._clip_track(clip), self._level(clip)) for clip in clips]
        self._usual_slide = max(self._slide(track, fps, level) for track, level in tracks)
        self._lowest = min(self._deepest(track) for track, _ in tracks)

    def _track(self, motion: Motion) -> Array:
        """The root, the joints that count, and heels and toes ``(T, 1 + joints + feet, 3)``."""
        parts = []
        for frames in in_parts(len(motion)):
            pose = motion.forward(frames)
            points = pose[0][:, self._joints], self._soles.points(motion, pose)
            parts.append(np.concatenate([motion.root[frames, None], *points], axis=1))
        return np.concatenate(parts)

    def _clip_track(self, clip: Motion) -> Array:
        """The track of a clip, cached."""
        if id(clip) not in self._tracks:
            self._tracks[id(clip)] = clip, self._track(clip)
        return self._tracks[id(clip)][1]

    def _along(self, joined: Spliced, frames: int) -> tuple[Array, int]:
        """The track of a seam with some frames on either side, and its first index there."""
        if joined not in self._seams:
            self._seams[joined] = self._track(joined.middle)
        middle = self._seams[joined]
        return joined.along(lambda m: middle if m is joined.middle else self._clip_track(m), frames)

    def _usual_against_feet(self, motion: Motion) -> float:
        """The median speed of the root against the lower foot, per frame; 0 without feet."""
        if not self._feet or len(motion) < 2:
            return 0.0
        feet = self._clip_track(motion)[:, [1 + self._joints.index(joint) for joint in self._feet]]
        moves = np.diff(feet - motion.root[:, None], axis=0)[..., [0, 2]]
        lower = feet[1:, :, 1].argmin(axis=1)
        return float(np.median(np.linalg.norm(moves[np.arange(len(moves)), lower], axis=-1)))

    def _rates(self, track: Array) -> tuple[Array, Array]:
        """Accelerations ``(T - 2, joints)`` and speeds of the root ``(T - 1,)``, per frame."""
        second = np.diff(track[:, 1 : 1 + len(self._joints)], n=2, axis=0)
        return lengths(second), lengths(np.diff(track[:, 0], axis=0))

    def __call__(self, shown: Motion | Spliced) -> float:
        """Peak acceleration of any joint or top speed of the root, whichever is the larger multiple
        of the clips' own: 1 is as much as they have themselves.

        Of joined clips, only the seam counts.
        """
        if isinstance(shown, Spliced):
            track, _ = self._along(shown, 2)
        else:
            track = self._track(shown)
        accelerations, speeds = self._rates(track)
        return max(
            float((accelerations / self._acceleration).max(initial=0.0)),
            float(speeds.max(initial=0.0)) / self._speed,
        )

    def slide(self, joined: Spliced) -> float:
        """Leg lengths that the supporting foot slides near the seam, beyond the clips' most."""
        if len(self._soles) == 0:
            return 0.0
        fps = joined.a.fps
        track, start = self._along(joined, round(0.5 * WINDOW * fps))
        seam = start, start + len(joined.middle) - 1
        levels = [self._level(clip) for clip in (joined.a, joined.b)]
        floor = floor_along(levels, [seam], len(track))
        return max(self._slide(track, fps, floor) - self._usual_slide, 0.0)

    def depth(self, joined: Spliced) -> float:
        """Leg lengths that a foot is deeper in the seam than anywhere in the clips."""
        if len(self._soles) == 0:
            return 0.0
        return max(self._lowest - self._deepest(self._along(joined, 2)[0]), 0.0)

    def _deepest(self, track: Array) -> float:
        """The lowest height of a heel or toe in leg lengths."""
        return float(self._places(track)[..., 1].min(initial=np.inf))

    def _slide(self, track: Array, fps: float, floor: ArrayLike) -> float:
        """Leg lengths that the supporting foot slides in half a second, at most."""
        if len(self._soles) == 0 or len(track) < 2:
            return 0.0
        points = self._places(track)
        steps = lengths(np.diff(points[..., [0, 2]], axis=1))
        return float(support_slides(points[..., 1], steps, fps, floor).max())

    def _level(self, clip: Motion) -> float:
        """Height of a clip's floor in leg lengths, cached."""
        if len(self._soles) and id(clip) not in self._levels:
            self._levels[id(clip)] = floor_level(self._places(self._clip_track(clip))[..., 1])
        return self._levels.get(id(clip), 0.0)

    def _places(self, track: Array) -> Array:
        """Heels and toes ``(P, T, 3)`` in leg lengths."""
        return np.moveaxis(track[:, 1 + len(self._joints) :], 1, 0) / self._leg

    def cost(self, joined: Spliced) -> float:
        """What strain, sliding and sunken feet cost, in body heights of distance."""
        if joined not in self._costs:
            # Similar poses do not guarantee that the motion between them is smooth.
            strain = _STRAIN * max(self(joined) - CALM, 0.0)
            sliding = _SLIDING * self.slide(joined)
            self._costs[joined] = strain + sliding + _SINKING * self.depth(joined)
        return self._costs[joined]

    def needed(self, first: Motion, second: Motion, weight: Array) -> int:
        """The fewest frames in which one clip can turn into another without strain.

        In this time a slow-in, slow-out blend accelerates no joint much harder, and moves the root
        not much faster, than the clips do. Over a distance D in n frames its peak acceleration is
        5.77 D / n², its peak speed 1.875 D / n.

        Parameters
        ----------
        first, second
            The frames of both that would be cross-faded, n of each.
        weight
            ``(n,)`` of the second.
        """
        second = second.moved(seam_alignment(first, second, weight))
        middle = len(weight) // 2
        here, there = first.positions(), second.positions()
        apart = np.linalg.norm((here - there)[middle][self._joints], axis=-1)
        for_joints = np.sqrt(_PEAK_ACCELERATION * apart / (_SHARE * self._acceleration)).max()
        moves = np.linalg.norm(np.diff(np.stack([first.root, second.root]), axis=1), axis=-1)
        spare = max(self._speed - float(moves[:, max(middle - 1, 0)].mean()), 0.3 * self._speed)
        # The root moves against the supporting foot.
        roots = (here[middle, :1] - there[middle, :1]) - (here - there)[middle][self._feet]
        shift = float(np.linalg.norm(roots, axis=-1).min(initial=np.inf)) if self._feet else 0.0
        return int(np.ceil(max(for_joints, _PEAK_SPEED * shift / (_SHARE * spare))))


def relaxed(
    make: Callable[[float], Spliced], strain: Strain, longest: float = np.inf
) -> tuple[float, Spliced]:
    """A join that is made longer if it strains the body, and the factor.

    Parameters
    ----------
    make
        Makes the join that lasts this many times as long as the poses alone require.
    strain
        Measures the strain of a join.
    longest
        The largest factor.
    """
    times, made = 1.0, make(1.0)
    hardest = strain(made)
    for _ in range(_MOST_STRETCHES):
        longer = min(times * min(max(hardest, 1.1), 1.5), _LONGER, longest)
        if hardest <= CALM or longer <= times:
            break
        other = make(longer)
        now = strain(other)
        if now > hardest - _HELPS:
            break
        times, made, hardest = longer, other, now
    return times, made


def calmest(
    places: Iterable[tuple[float, Place]],
    make: Callable[[Place], Spliced],
    strain: Strain,
    faults: Callable[[Place, Spliced], float] | None = None,
) -> tuple[Place, Spliced]:
    """The cheapest place, including the strain of the join on the body, and its faults.

    The places are tried in the order of what they can be expected to cost, so that few joins are
    made, and fewer still are looked at for faults.

    Parameters
    ----------
    places
        Candidate places and their costs, the cheapest first.
    make
        Makes the join at a place; raises a `MotionweaveError` if there is none.
    strain
        Measures the strain of a join.
    faults
        The cost of the faults that a join has when it is finished, if that counts.

    Raises
    ------
    MotionweaveError
        The error of ``make`` at the last place, if no place works.
    """
    refused: MotionweaveError = BlendError("there is no place at which the clips could be joined")
    tried = enumerate(itertools.islice(places, MOST_TRIES))
    waiting = _waiting(next(tried, None))
    looked: list[tuple[float, int, Place, Spliced]] = []
    while waiting:
        total, number, place, made, known = heapq.heappop(waiting)
        checkpoint()
        if made is not None and (faults is None or known):
            return place, made
        if made is None:
            for following in _waiting(next(tried, None)):
                heapq.heappush(waiting, following)
            try:
                made = make(place)
            except MotionweaveError as error:
                refused = error
                continue
            total += strain.cost(made) - _USUAL
        elif faults is not None:
            total += faults(place, made)
            known = True
            looked.append((total, number, place, made))
            if len(looked) == _MOST_LOOKS:
                return min(looked, key=lambda one: one[:2])[2:]
        heapq.heappush(waiting, (total, number, place, made, known))
    raise refused


def _waiting(
    candidate: tuple[int, tuple[float, Place]] | None,
) -> list[tuple[float, int, Place, Spliced | None, bool]]:
    """A place that is not tried yet, or none: what it may cost, its number, its join, and whether
    its faults are known."""
    if candidate is None:
        return []
    number, (cost, place) = candidate
    return [(cost + _USUAL, number, place, None, False)]
