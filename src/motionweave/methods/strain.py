"""The strain of a joined motion on the body, and which of several joins is the calmest."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import numpy as np

from motionweave.body.rig.roles import SIDES, find_rig, leg_length
from motionweave.body.size import body_height
from motionweave.core.arrays import Array
from motionweave.core.interrupt import checkpoint
from motionweave.core.motion import Motion
from motionweave.errors import BlendError, MotionweaveError
from motionweave.measure.support import support_slides
from motionweave.methods.footing import SolePoints
from motionweave.methods.splice import Spliced, laid_over

# A join is calm if it strains the body at most this many times as much as its clips do.
_CALM = 1.02
# The cost of strain, per multiple of the clips' own, in body heights of distance, and the cost of a
# leg length of sliding.
_STRAIN, _SLIDING = 0.2, 1.0
# Peaks of the slow-in, slow-out curve's second and first derivative, and the share of what the
# clips do that a cross-fade may add.
_PEAK_ACCELERATION = 5.77
_PEAK_SPEED = 1.875
_SHARE = 0.8
# How many places are tried, best first.
_MOST_TRIES = 8
# How many times as long a join may be made so that it is calm, in how many tries, and the share
# by which a try has to help.
_LONGER = 2.0
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
        skeleton = clips[0].skeleton
        self._joints = list(find_rig(skeleton).body)
        roles = find_rig(skeleton).roles
        self._feet = [roles[f"{side}_ankle"] for side in SIDES if f"{side}_ankle" in roles]
        # Joints that hardly move in the clips are compared with the body's size.
        least = 1e-4 * body_height(skeleton)
        own = [self._rates(clip) for clip in clips]
        self._acceleration = np.max([x.max(axis=0, initial=least) for x, _ in own], axis=0)
        self._speed = max(float(x.max(initial=least)) for _, x in own)
        # Whoever walks in place moves against the feet, not over the floor.
        self._speed = max(self._speed, *(self._usual_against_feet(clip) for clip in clips))
        self._soles = SolePoints.of(clips[0])
        self._leg = leg_length(skeleton) if len(self._soles) else 1.0
        self._usual = max(self._slide(clip) for clip in clips)

    def _usual_against_feet(self, motion: Motion) -> float:
        """The median speed of the root against the lower foot, per frame; 0 without feet."""
        if not self._feet or len(motion) < 2:
            return 0.0
        feet = motion.positions()[:, self._feet]
        moves = np.diff(feet - motion.root[:, None], axis=0)[..., [0, 2]]
        lower = feet[1:, :, 1].argmin(axis=1)
        return float(np.median(np.linalg.norm(moves[np.arange(len(moves)), lower], axis=-1)))

    def _rates(self, motion: Motion) -> tuple[Array, Array]:
        """Accelerations ``(T - 2, joints)`` and speeds of the root ``(T - 1,)``, per frame."""
        second = np.diff(motion.positions()[:, self._joints], n=2, axis=0)
        return np.linalg.norm(second, axis=-1), np.linalg.norm(np.diff(motion.root, axis=0), axis=1)

    def __call__(self, motion: Motion) -> float:
        """The larger of the peak acceleration of any joint and the top speed of the root, as a
        multiple of what the clips do: 1 is as much as they do themselves."""
        accelerations, speeds = self._rates(motion)
        return max(
            float((accelerations / self._acceleration).max(initial=0.0)),
            float(speeds.max(initial=0.0)) / self._speed,
        )

    def slide(self, motion: Motion) -> float:
        """Leg lengths that the supporting foot slides further than anywhere in the clips."""
        return max(self._slide(motion) - self._usual, 0.0)

    def _slide(self, motion: Motion) -> float:
        """Leg lengths that the supporting foot slides in half a second, at most."""
        if len(self._soles) == 0 or len(motion) < 2:
            return 0.0
        points = np.moveaxis(self._soles.points(motion), 1, 0) / self._leg
        steps = np.linalg.norm(np.diff(points[..., [0, 2]], axis=1), axis=-1)
        return float(support_slides(points[..., 1], steps, motion.fps).max())

    def needed(self, first: Motion, second: Motion, weight: Array) -> int:
        """The fewest frames in which one clip can turn into another without strain.

        As long as a slow-in, slow-out blend must last so that no joint accelerates, and the
        root moves, much harder than in the clips: over a distance D in n frames its peak
        acceleration is 5.77 D / n², its peak speed 1.875 D / n.

        Parameters
        ----------
        first, second
            The frames of both that would be cross-faded, n of each.
        weight
            ``(n,)`` of the second.
        """
        second = second.moved(laid_over(first, second, weight))
        middle = len(weight) // 2
        here, there = first.positions(), second.positions()
        ways = np.linalg.norm((here - there)[middle][self._joints], axis=-1)
        still = np.sqrt(_PEAK_ACCELERATION * ways / (_SHARE * self._acceleration)).max()
        moves = np.linalg.norm(np.diff(np.stack([first.root, second.root]), axis=1), axis=-1)
        spare = max(self._speed - float(moves[:, max(middle - 1, 0)].mean()), 0.3 * self._speed)
        # The root moves against the foot that carries the body.
        roots = (here[middle, :1] - there[middle, :1]) - (here - there)[middle][self._feet]
        way = float(np.linalg.norm(roots, axis=-1).min(initial=np.inf)) if self._feet else 0.0
        return int(np.ceil(max(still, _PEAK_SPEED * way / (_SHARE * spare))))


def relaxed(
    make: Callable[[float], Spliced], strain: Strain, longest: float = np.inf
) -> tuple[float, Spliced]:
    """A join that is made longer if it strains the body, and the factor.

    Parameters
    ----------
    make
        The join that lasts this many times as long as the poses alone say.
    strain
        What is kept small.
    longest
        The most times as long.
    """
    times, made = 1.0, make(1.0)
    hardest = strain(made.seam)
    for _ in range(_MOST_STRETCHES):
        longer = min(times * min(max(hardest, 1.1), 1.5), _LONGER, longest)
        if hardest <= _CALM or longer <= times:
            break
        other = make(longer)
        now = strain(other.seam)
        if now > hardest - _HELPS:
            break
        times, made, hardest = longer, other, now
    return times, made


def calmest(
    places: Iterable[tuple[float, Place]], make: Callable[[Place], Spliced], strain: Strain
) -> tuple[Place, Spliced]:
    """The cheapest place, including the strain of the join on the body.

    Parameters
    ----------
    places
        Candidate places and their costs, the cheapest first.
    make
        The join at a place; a `MotionweaveError` says that there is none.
    strain
        By which joins are compared.

    Raises
    ------
    MotionweaveError
        The error of ``make`` at the last place, if no place works.
    """
    best: tuple[float, Place, Spliced] | None = None
    refused: MotionweaveError = BlendError("there is no place at which the clips could be joined")
    for cost, place in itertools.islice(places, _MOST_TRIES):
        checkpoint()
        if best is not None and cost >= best[0]:
            break
        try:
            made = make(place)
        except MotionweaveError as error:
            refused = error
            continue
        # Similar poses do not guarantee that the motion between them is smooth.
        total = cost + _STRAIN * max(strain(made.seam) - _CALM, 0.0)
        total += _SLIDING * strain.slide(made.seam)
        if best is None or total < best[0]:
            best = total, place, made
    if best is None:
        raise refused
    return best[1], best[2]
