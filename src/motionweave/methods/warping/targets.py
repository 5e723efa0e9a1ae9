"""What a key's words mean on a particular clip: joints, frames, lengths and axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motionweave.body.hinges import Hinge, find_hinges
from motionweave.body.ik import Limb
from motionweave.body.pose.heading import facing
from motionweave.body.rig.parts import joints_called
from motionweave.body.rig.roles import SIDES, Rig, find_rig, leg_length
from motionweave.body.size import body_height
from motionweave.core import kinematics, rotations
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.core.prop import Prop
from motionweave.core.runtime.cache import MotionCache
from motionweave.errors import WarpError
from motionweave.methods.warping.curves import calmed
from motionweave.methods.warping.keys import ROOT_CURVES, Key, Side
from motionweave.methods.warping.moments import frames_of

# Leg lengths by which a joint has to miss its place for an eye to see it: 8 mm on a body of 1.7 m.
SEEN = 0.01
# Seconds over which a tangent is measured: how far a key's change goes on in that time.
MOMENT = 0.05


@dataclass(frozen=True)
class Placed:
    """A key on a clip: its frame as a number and its joints as indices.

    Several joints (those of the spine) share a turn.

    Parameters
    ----------
    until
        The frame up to which it lasts; None for a key of one moment.
    still
        Whether this is one end of a key that lasts: its change does not change here.
    """

    key: Key
    frame: float
    joints: tuple[int, ...]
    until: float | None = None
    still: bool = False

    @property
    def ends(self) -> tuple[Placed, ...]:
        """The key of a moment itself, or both ends of one that lasts."""
        if self.until is None:
            return (self,)
        ends = (self.frame, self.until) if self.until > self.frame else (self.frame,)
        return tuple(Placed(self.key, frame, self.joints, None, True) for frame in ends)

    @property
    def knot(self) -> Knot:
        """Everything that the weights of a displacement depend on."""
        return Knot(self.frame, self.key.ease, self.still, self.key.tangents_given)

    def going_on(self, side: Side) -> Placed | None:
        """The key as it would be a `MOMENT` on, if its change went on as its tangent on that side
        says; None if that is the spline's own."""
        key = self.key.going_on(side, MOMENT)
        return None if key is None else replace(self, key=key)


class Knot(NamedTuple):
    """A key of a curve of displacements.

    Parameters
    ----------
    frame
        When.
    ease
        Seconds (before, after), or None as the warp says.
    still
        Whether the displacement is at rest there.
    given
        Whether its tangents in and out are given; otherwise they are the spline's own.
    along
        1 where a goal that lasts begins, -1 where it ends: with the speed that the displacement has
        in between it comes and goes on, so that a joint at rest sets off from rest. Otherwise 0.
    """

    frame: float
    ease: Any = None
    still: bool = False
    given: tuple[bool, bool] = (False, False)
    along: int = 0


# Of clips that were warped lately: while a key is dragged, the clip stays the same.
HINGES: MotionCache[dict[int, Hinge]] = MotionCache()


@dataclass(frozen=True, eq=False)
class WarpClip:
    """A motion with everything needed to place keys on it, each computed on first use.

    Parameters
    ----------
    motion
        As it is now.
    source
        The clip that it was made from, which defines the body: the axes about which knees bend.
    first
        The frame of the user's clip with which it begins: 1 behind a T-pose. Keys and messages
        count from that clip's start.
    """

    motion: Motion
    source: WarpClip | None = None
    first: int = 0

    def now(self, motion: Motion) -> WarpClip:
        """Another motion of the same body."""
        return WarpClip(motion, self.source or self, self.first)

    def at(self, frame: float) -> WarpClip:
        """The body at a frame, without its contacts."""
        return self.now(self.motion.with_constraints(()).sample([frame]))

    @cached_property
    def rig(self) -> Rig:
        """Roles of the joints."""
        return find_rig(self.motion.skeleton)

    @cached_property
    def hinges(self) -> dict[int, Hinge]:
        """Knees and elbows by the joint that bends."""
        if self.source is not None:
            return self.source.hinges
        return HINGES.get(self.motion, self._find_hinges)

    def _find_hinges(self) -> dict[int, Hinge]:
        return {hinge.joint: hinge for hinge in find_hinges(self.motion, self.forward).values()}

    @cached_property
    def legs(self) -> dict[str, Limb]:
        """Thigh, shin and ankle by side, of legs whose knee is known."""
        found = {}
        for side in SIDES:
            roles = [f"{side}_{part}" for part in ("thigh", "shin", "ankle")]
            if self.rig.has(*roles) and self.rig.roles[roles[1]] in self.hinges:
                found[side] = Limb(*(self.rig.roles[role] for role in roles))
        return found

    @cached_property
    def scale(self) -> float:
        """Length of the leg, or of the body where legs are not known."""
        legs = [f"{side}_{part}" for side in SIDES for part in ("thigh", "ankle")]
        skeleton = self.motion.skeleton
        return leg_length(skeleton, self.rig) if self.rig.has(*legs) else body_height(skeleton)

    @cached_property
    def facing(self) -> Array:
        """``(T,)`` radians."""
        return facing(self.motion)

    @cached_property
    def ahead(self) -> Array:
        """The same without shaking: what goes with the body must not shake with its hips."""
        return calmed(self.facing, self.motion.fps)

    @cached_property
    def forward(self) -> tuple[Array, Array]:
        """Global positions ``(T, J, 3)`` and orientations ``(T, J, 4)``."""
        return self.motion.forward()

    def place(self, key: Key) -> list[Placed]:
        """Frame and joints of a key, once for every moment that it means."""
        joints = () if key.joint in ROOT_CURVES else joints_called(key.joint, self.rig, ROOT_CURVES)
        try:
            frames = frames_of(key.frame, self.motion, self.first)
            if key.until is None:
                return [Placed(key, frame, joints) for frame in frames]
            ends = frames_of(key.until, self.motion, self.first)
            spans = _spans(frames, ends)
            if not spans:
                raise WarpError(
                    f"ends at frame {ends[0] + self.first:g}, before it begins at "
                    f"{frames[0] + self.first:g}"
                )
            return [Placed(key, first, joints, last) for first, last in spans]
        except WarpError as error:
            raise WarpError(f"{key}: {error}") from None

    def places(self, placed: Placed, now: WarpClip) -> Array:
        """Where a goal wants its joint, ``(T, 3)``; NaN leaves an axis free.

        Parameters
        ----------
        placed
            A key with a goal or an offset.
        now
            The current clip, from which goals relative to a joint are measured.
        """
        key, joint = placed.key, placed.joints[0]
        count = len(self.motion)
        frames = np.arange(count, dtype=np.float64)
        if key.goal is None:
            base, given = self.forward[0][:, joint], key.offset
        else:
            given = [np.nan if part is None else part for part in key.goal]
            if key.of is None:
                return np.tile(np.array(given) * self.length(key), (count, 1))
            if isinstance(key.of, Prop):
                return self.beside(key, key.of, frames)
            base = now.forward[0][:, joints_called(key.of, self.rig)[0]]
        vectors = np.tile(np.array(given, dtype=np.float64), (count, 1))
        world = now.in_world(vectors, [key.axes] * count, frames, np.full(count, joint), True)
        return base + world * self.length(key)

    def beside(self, key: Key, prop: Prop, frames: Array) -> Array:
        """Places ``(n, 3)`` of a goal that is measured from a prop, at frames ``(n,)``."""
        base, turned = prop.at((self.first + frames) / self.motion.fps)
        vector = np.asarray(key.goal, dtype=np.float64) * self.length(key)
        if key.axes == "world":
            return np.asarray(base + vector)
        return np.asarray(base + rotations.rotate(turned, vector))

    def orientations_wanted(self, key: Key, frames: Array, now: WarpClip | None = None) -> Array:
        """Global orientations ``(n, 4)`` that a key asks for at frames ``(n,)``."""
        wanted = np.tile(np.asarray(key.orientation, dtype=np.float64), (len(frames), 1))
        if key.of is None:
            return wanted
        if isinstance(key.of, Prop):
            base = key.of.at((self.first + frames) / self.motion.fps)[1]
        else:
            joint = joints_called(key.of, self.rig)[0]
            base = (now or self).orientations_at(np.full(len(frames), joint), frames)
        return rotations.multiply(base, wanted)

    def tip(self, key: Key) -> Array | None:
        """The point ``(3,)`` of a joint that should be at its goal, in the clip's unit."""
        if key.tip is None:
            return None
        return np.asarray(key.tip, dtype=np.float64) * self.length(key)

    def length(self, key: Key) -> float:
        """Length of the unit in which a key gives its lengths."""
        skeleton = self.motion.skeleton
        if key.unit == "leg":
            return leg_length(skeleton, self.rig)
        return body_height(skeleton) if key.unit == "height" else 1.0

    def facing_at(self, frame: float) -> float:
        """Radians, at a fractional frame."""
        return float(kinematics.sample_vectors(self.facing, np.array([frame]))[0])

    def orientations_at(self, joints: Array, frames: Array) -> Array:
        """Global orientations ``(n, 4)`` of joints ``(n,)`` at fractional frames ``(n,)``.

        Joint -1 is the world.
        """
        found = sample_pairs(self.forward[1], np.maximum(joints, 0), frames)
        return np.where((joints < 0)[:, None], rotations.IDENTITY, found)

    def in_world(
        self,
        vectors: ArrayLike,
        axes: Sequence[str],
        frames: Array,
        joints: Array,
        lasts: bool = False,
    ) -> Array:
        """Vectors ``(n, 3)`` along a key's axes each, in global axes.

        Parameters
        ----------
        axes
            For each vector ``"body"``, ``"parent"`` or ``"world"``.
        frames, joints
            ``(n,)`` where and of which joint; joint -1 has the world as its parent.
        lasts
            Whether the key does: what stays with the body must not shake with it.
        """
        vectors = np.asarray(vectors, dtype=np.float64)
        turn = np.tile(rotations.IDENTITY, (len(vectors), 1))
        words = np.asarray(axes)
        body, parent = words == "body", words == "parent"
        if np.any(body):
            heading = kinematics.sample_vectors(self.ahead if lasts else self.facing, frames[body])
            turn[body] = rotations.about_vertical(heading)
        if np.any(parent):
            mine = joints[parent]
            above = np.where(mine < 0, -1, self.motion.skeleton.parents[mine])
            turn[parent] = self.orientations_at(above, frames[parent])
        return rotations.rotate(turn, vectors)

    def offset_in_world(self, key: Key, frame: float, joint: int = -1) -> Array:
        """The offset ``(3,)`` of a position key, in global axes and the clip's unit."""
        at, of, lasts = np.array([frame]), np.array([joint]), key.until is not None
        return self.in_world([key.offset], [key.axes], at, of, lasts)[0] * self.length(key)


def sample_pairs(quaternions: Array, joints: Array, frames: Array) -> Array:
    """Rotations ``(n, 4)`` of joints ``(n,)`` at fractional frames ``(n,)`` of ``(T, J, 4)``."""
    moments, which = np.unique(frames, return_inverse=True)
    return np.asarray(kinematics.sample_rotations(quaternions, moments)[which, joints])


def _spans(starts: Sequence[float], ends: Sequence[float]) -> list[tuple[float, float]]:
    """Each start with the first end at or after it."""
    spans = []
    for start in starts:
        later = [end for end in ends if end >= start - 1e-9]
        if later:
            spans.append((start, max(later[0], start)))
    return spans
