"""What the warp screen makes: keys and markers of time as settings, and the clip that they give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from motionweave.body.pose.heading import facing
from motionweave.body.rig.parts import joints_called
from motionweave.body.rig.roles import find_rig
from motionweave.body.size import body_height
from motionweave.core import kinematics, rotations
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.core.skeleton import Skeleton
from motionweave.methods.warping.keys import Key
from motionweave.methods.warping.time import output_frames, time_curve
from motionweave.methods.warping.warp import warp
from motionweave.studio.work.memo import Memo

Grip = tuple[str, int, bool]

# What is pulled most: names of keys, and the roles of their joints.
_MAIN = {
    "left_hand": "left_hand",
    "right_hand": "right_hand",
    "left_foot": "left_ankle",
    "right_foot": "right_ankle",
    "hips": "hips",
    "head": "head",
}
# A joint whose bone is shorter than this share of the longest one is where its parent is.
_SAME_PLACE = 1e-3
# Curves of the whole body: which way it faces and goes, and where it is.
WAY = ("heading", "position")
# A neutral value of each group of keys; what is looked at depends on the clip.
NEUTRAL: dict[str, tuple[float, ...]] = {
    "offset": (0.0, 0.0, 0.0),
    "turn": (0.0, 0.0, 0.0),
    "factor": (1.0,),
    "look_at": (0.0, 0.0, 0.0),
    "heading": (0.0,),
    "position": (0.0, 0.0, 0.0),
}


@dataclass(frozen=True)
class PoseKey:
    """A key as it is set on screen.

    Parameters
    ----------
    frame
        Of the clip, before its time is warped.
    joint
        Name or role; ``"heading"`` or ``"position"`` for the way of the whole body.
    kind
        ``"offset"``: moved, a joint by inverse kinematics; ``"turn"``: turned (a shift of its
        curves); ``"factor"``: its curves scaled; ``"look_at"``: turned to face a point.
    value
        Left, up and forwards in the clip's unit; degrees about these axes; the factor; the
        point; for a heading degrees to the left.
    tangent_in, tangent_out
        How fast the value changes when the curve comes to the key and goes on, per second; None
        for the curve's own tangent.
    broken
        Whether both are set each for itself.
    """

    frame: float
    joint: str
    kind: str = "offset"
    value: tuple[float, ...] = NEUTRAL["offset"]
    tangent_in: tuple[float, ...] | None = None
    tangent_out: tuple[float, ...] | None = None
    broken: bool = False

    @property
    def group(self) -> str:
        """What its numbers mean: one of `NEUTRAL`."""
        return self.joint if self.joint in WAY else self.kind

    @property
    def given(self) -> dict[str, float | tuple[float, ...]]:
        """Its change and its tangents as the library's key has them."""
        numbers = {
            self.kind: self.value,
            "tangent_in": self.tangent_in,
            "tangent_out": self.tangent_out,
        }
        one = len(NEUTRAL[self.group]) == 1
        return {
            name: value[0] if one else value for name, value in numbers.items() if value is not None
        }

    def key(self) -> Key:
        """The library's key."""
        given: dict[str, Any] = self.given
        return Key(self.frame, self.joint, **given)


@dataclass(frozen=True)
class WarpSettings:
    """What the warp screen makes.

    Parameters
    ----------
    clips
        Id of the clip.
    keys
        Poses.
    times
        Markers of time: output frame, and the frame of the clip that is shown there.
    ease
        Seconds that a change takes to come and to go.
    hold
        Whether the first and last change hold to the ends of the clip.
    follow
        Whether the body faces along its way where that was moved.
    active
        The key that is being dragged; None when nothing is.
    """

    clips: tuple[str, ...] = ()
    keys: tuple[PoseKey, ...] = ()
    times: tuple[tuple[float, float], ...] = ()
    ease: float = 0.8
    hold: bool = False
    follow: bool = False
    active: int | None = None


@dataclass(frozen=True, eq=False)
class Warped:
    """A warped clip and what it was made from.

    Parameters
    ----------
    source
        The clip as it is.
    before
        The clip warped by all keys but offsets, which are measured from there.
    motion
        The result.
    sources
        ``(T,)`` the clip's frame that each frame of the result shows.
    """

    source: Motion
    before: Motion
    motion: Motion
    sources: Array

    @cached_property
    def original_places(self) -> Array:
        """Joints ``(T, J, 3)`` of the clip left of, above the floor and before its body."""
        return self._seen(self.source.positions(), self.source, self._all)

    @cached_property
    def before_places(self) -> Array:
        """The same of `before`."""
        if self.before is self.source:
            return self.original_places
        return self._seen(self.before.positions(), self._body, self._all)

    @cached_property
    def places(self) -> Array:
        """The same of the result."""
        return self._seen(self.motion.positions(), self._body, self.sources)

    def way(self, curve: str, *, original: bool) -> Array:
        """How the clip, or the result, goes: ``(T, 1)`` heading in degrees, or its position
        ``(T, 3)`` as seen from the clip's body."""
        motion = self.source if original else self.motion
        if curve == "heading":
            return np.degrees(np.unwrap(facing(motion)))[:, None]
        frames = self._all if original else self.sources
        return self._seen(motion.root[:, None], self.source, frames)[:, 0]

    @property
    def _all(self) -> Array:
        return np.arange(len(self.source), dtype=np.float64)

    @cached_property
    def _body(self) -> Motion:
        """What the result is seen from: the clip, taken along where keys change its way."""
        return self.source if np.array_equal(self.before.root, self.source.root) else self.before

    def _seen(self, points: Array, body: Motion, frames: Array) -> Array:
        """Points ``(T, n, 3)`` as seen from a body at its frames ``(T,)``."""
        root = kinematics.sample_vectors(body.root, frames) * (1.0, 0.0, 1.0)
        angle = kinematics.sample_vectors(np.unwrap(self._facing(body)), frames)
        turn = rotations.about_vertical(-angle)[:, None]
        return rotations.rotate(turn, points - root[:, None])

    def _facing(self, body: Motion) -> Array:
        return self._source_facing if body is self.source else self._before_facing

    @cached_property
    def _source_facing(self) -> Array:
        return facing(self.source)

    @cached_property
    def _before_facing(self) -> Array:
        return facing(self.before)

    @property
    def duration(self) -> float:
        """Seconds of the result."""
        return self.motion.duration

    def source_frame(self, seconds: float) -> int:
        """The clip's frame, a whole one, that is shown at a time of the result."""
        index = int(np.clip(round(seconds * self.motion.fps), 0, len(self.sources) - 1))
        return round(float(self.sources[index]))

    def seconds(self, frame: float) -> float:
        """When the result shows a frame of the clip; where it does so twice, the first time."""
        apart = np.abs(self.sources - frame)
        return int(np.argmin(apart)) / self.motion.fps

    def offset(self, joint: str, frame: int, place: tuple[float, float, float]) -> Array:
        """The offset ``(3,)`` that takes a joint to a global place at a frame of the clip."""
        index = joint_index(joint, self.before.skeleton)
        world = np.asarray(place) - self.before.positions()[frame, index]
        turn = rotations.about_vertical(-facing(self.before)[frame])
        return rotations.rotate(turn, world)

    def from_body(self, frame: float, point: Sequence[float]) -> tuple[float, ...]:
        """A global point as seen from the body at a frame: left, above the floor, forwards."""
        seen = self._seen(np.array([[point]]), self.before, np.array([frame]))[0, 0]
        return tuple(round(float(v), 4) for v in seen)

    def from_there(self, frame: float, seen: Sequence[float]) -> tuple[float, ...]:
        """The way back: a point seen from the body as a global one."""
        at = np.array([frame])
        root = kinematics.sample_vectors(self.before.root, at)[0] * (1.0, 0.0, 1.0)
        angle = kinematics.sample_vectors(np.unwrap(self._before_facing), at)[0]
        point = root + rotations.rotate(rotations.about_vertical(angle), np.array(seen))
        return tuple(round(float(v), 4) for v in point)

    def ahead(self, joint: str, frame: float) -> tuple[float, ...]:
        """A global point that a joint faces if it looks straight ahead."""
        index = joint_index(joint, self.before.skeleton)
        height = float(self.before.positions()[round(frame), index, 1])
        return self.from_there(frame, (0.0, height, body_height(self.before.skeleton)))


_bases: Memo[Motion] = Memo(size=12, quiet=True)


def inside(settings: WarpSettings, frames: int) -> WarpSettings:
    """The settings for a clip of this many frames: what lies beyond its end is put there."""
    last = frames - 1.0
    return replace(
        settings,
        keys=tuple(replace(key, frame=min(key.frame, last)) for key in settings.keys),
        times=tuple(pair for pair in settings.times if pair[1] <= last),
    )


def warped(motion: Motion, settings: WarpSettings, *, clean: bool, live: bool) -> Warped:
    """The clip with its keys."""
    settings = inside(settings, len(motion))
    keys = [key.key() for key in settings.keys]
    plain = [key for key in keys if not key.posed_by_goal]
    before = _based(motion, plain, settings)
    sources = np.arange(len(motion), dtype=np.float64)
    if settings.times:
        curve = time_curve(settings.times, len(motion), monotone=True)
        sources = output_frames(curve, len(motion))
    active = settings.active
    if live and active is not None and active < len(keys) and keys[active].posed_by_goal:
        result = _quickly(motion, before, keys, keys[active].frame, settings)
    elif keys or settings.times:
        options = _options(settings)
        result = warp(motion, keys, settings.times or None, clean=clean, **options)
    else:
        result = motion
    return Warped(motion, before, result, sources)


def _options(settings: WarpSettings) -> dict[str, Any]:
    """Parameters of `warp` that are not keys."""
    return {
        "ease": settings.ease,
        "hold": settings.hold,
        "follow": settings.follow,
        "monotone": True,
    }


def _based(motion: Motion, keys: list[Key], settings: WarpSettings) -> Motion:
    """The clip with some of its keys, remembered."""
    if not keys:
        return motion
    options = _options(settings)
    return _bases.get(
        (motion,), (repr(keys), *options.values()), lambda: warp(motion, keys, **options)
    )


def _quickly(
    motion: Motion, before: Motion, keys: list[Key], frame: float | str, settings: WarpSettings
) -> Motion:
    """A picture while dragging: only the pose of one frame is solved, on top of the rest."""
    moving = [key for key in keys if key.posed_by_goal and key.frame == frame]
    rest = [key for key in keys if key not in moving]
    base = _based(motion, rest, settings)
    # What an offset means must not depend on what other keys do at this frame.
    here = Warped(motion, before, before, np.arange(len(before), dtype=np.float64))
    goals = [_as_goal(here, key) if key.kind == "offset" else key for key in moving]
    options = _options(settings)
    return warp(base, goals, settings.times or None, clean=False, **options)


def _as_goal(here: Warped, key: Key) -> Key:
    """An offset as a goal: in global axes, and its tangents with it."""
    frame = round(float(key.frame))
    index = joint_index(key.joint, here.before.skeleton)
    turn = rotations.about_vertical(facing(here.before)[frame])
    place = here.before.positions()[frame, index] + rotations.rotate(turn, np.array(key.offset))
    into, out = (
        None if tangent is None else rotations.rotate(turn, np.array(tangent))
        for tangent in (key.tangent_in, key.tangent_out)
    )
    goal = tuple(float(v) for v in place)
    return Key(key.frame, key.joint, goal=goal, tangent_in=into, tangent_out=out)


def joint_index(name: str, skeleton: Skeleton) -> int:
    """The joint that a key's name stands for."""
    return joints_called(name, find_rig(skeleton))[0]


def grips(skeleton: Skeleton) -> tuple[Grip, ...]:
    """Joints to pick and drag; hands, feet, hips and head are the main ones.

    The last of those in one place is picked: a hand, not a thumb that many rigs have there, too.
    """
    roles = find_rig(skeleton).roles
    main = {roles[role]: name for name, role in _MAIN.items() if role in roles}
    lengths = np.linalg.norm(skeleton.offsets, axis=1)
    under: set[int] = set()
    for joint, parent in enumerate(skeleton.parents):
        if (int(parent) in main or int(parent) in under) and lengths[joint] <= _SAME_PLACE * max(
            lengths
        ):
            under.add(joint)
    order = sorted(range(len(skeleton)), key=lambda joint: joint not in under)
    return tuple((main.get(i, skeleton.names[i]), i, i in main) for i in order)


def grip_like(name: str, skeleton: Skeleton) -> str:
    """The same grip on another body; its first main one, or its root, if it has none like it."""
    if name in WAY:
        return name
    there = grips(skeleton)
    if any(name == grip for grip, _, _ in there):
        return name
    return next((grip for grip, _, main in there if main), there[0][0])


def turn_curve(motion: Motion, joint: int) -> Array:
    """The joint's rotation ``(T, 3)`` from its rest pose, in degrees about its parent's axes."""
    return np.degrees(rotations.log(motion.rotations[:, joint]))
