"""The strain of a joined motion on the body, relative to the clips it is made of."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from motionweave.body.rig.roles import SIDES, find_rig, leg_length
from motionweave.body.size import body_height
from motionweave.core.arrays import Array
from motionweave.core.kinematics import in_parts
from motionweave.core.motion import Motion
from motionweave.core.numerics.vectors import lengths
from motionweave.measure.support import WINDOW, floor_along, floor_level, support_slides
from motionweave.methods.joining.feet import SolePoints
from motionweave.methods.joining.splice import Spliced, seam_alignment

# A join is calm if it strains the body at most this many times as much as its clips do.
CALM = 1.02
# In body heights of distance: the cost of strain, per multiple of the clips' own, and those of a
# leg length of sliding and of depth in the floor.
_STRAIN, _SLIDING, _SINKING = 0.2, 1.0, 1.0
# The cost of strain that is visible at all, and how far beyond calm it is just visible.
_VISIBLE, _JUST_VISIBLE = 0.03, 0.03
# The least acceleration of a joint and speed of the root that clips count as having, in leg lengths
# per second squared and per second.
_STILL, _STANDING = 0.5, 0.25
# Peaks of the slow-in, slow-out curve's second and first derivative, and the share of what the
# clips do that a cross-fade may add.
_PEAK_ACCELERATION = 5.77
_PEAK_SPEED = 1.875
_SHARE = 0.8
# What a good join usually costs beyond its place: another place is tried only if it may be cheaper
# even then.
USUAL = 0.02
# The share of slides and depth that is likely to be left if a join is made longer.
_LEFT = 0.5


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
        self._strains: WeakKeyDictionary[Spliced, float] = WeakKeyDictionary()
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
        if not isinstance(shown, Spliced):
            return self._hardest(self._track(shown))
        if shown not in self._strains:
            self._strains[shown] = self._hardest(self._along(shown, 2)[0])
        return self._strains[shown]

    def _hardest(self, track: Array) -> float:
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
        # Similar poses do not guarantee that the motion between them is smooth.
        return self._roughness(joined) + self._unsteadiness(joined)

    def likely_cost(self, joined: Spliced) -> float:
        """What a join is likely to cost once it lasts as long as it has to: it no longer strains
        the body, and feet slide less."""
        return _LEFT * self._unsteadiness(joined)

    def _roughness(self, joined: Spliced) -> float:
        beyond = max(self(joined) - CALM, 0.0)
        return _STRAIN * beyond + _VISIBLE * min(beyond / _JUST_VISIBLE, 1.0)

    def _unsteadiness(self, joined: Spliced) -> float:
        return _SLIDING * self.slide(joined) + _SINKING * self.depth(joined)

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
