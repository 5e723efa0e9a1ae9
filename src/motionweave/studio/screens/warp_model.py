"""What the warp screen makes: keys and markers of time as settings, and the clip that they give."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from motionweave.analysis.heading import facing
from motionweave.analysis.rig import find_rig
from motionweave.core import kinematics, rotations
from motionweave.core.motion import Motion
from motionweave.core.skeleton import Skeleton
from motionweave.studio.memo import Memo
from motionweave.warping.joints import joints_called
from motionweave.warping.keys import Key
from motionweave.warping.time import output_frames, time_curve
from motionweave.warping.warp import warp

Array = NDArray[np.float64]
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
# A neutral value of each kind of key.
NEUTRAL: dict[str, tuple[float, ...]] = {
    "offset": (0.0, 0.0, 0.0),
    "turn": (0.0, 0.0, 0.0),
    "factor": (1.0,),
}


@dataclass(frozen=True)
class PoseKey:
    """A key as it is set on screen.

    Parameters
    ----------
    frame
        Of the clip, before its time is warped.
    joint
        Name or role.
    kind
        ``"offset"``: moved, by inverse kinematics; ``"turn"``: turned (a shift of its
        curves); ``"factor"``: its curves scaled.
    value
        Left, up and forwards in the clip's unit; degrees about these axes; or the factor.
    """

    frame: float
    joint: str
    kind: str = "offset"
    value: tuple[float, ...] = NEUTRAL["offset"]

    def key(self) -> Key:
        """The library's key."""
        change: dict[str, Any] = {self.kind: self.value[0] if self.kind == "factor" else self.value}
        return Key(self.frame, self.joint, **change)


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
    active
        The key that is being dragged; None when nothing is.
    """

    clips: tuple[str, ...] = ()
    keys: tuple[PoseKey, ...] = ()
    times: tuple[tuple[float, float], ...] = ()
    ease: float = 0.8
    hold: bool = False
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
        """Joints ``(T, J, 3)`` of the clip, see `_seen_from_body`."""
        return self._seen_from_body(self.source, np.arange(len(self.source), dtype=np.float64))

    @cached_property
    def before_places(self) -> Array:
        """The same of `before`."""
        if self.before is self.source:
            return self.original_places
        return self._seen_from_body(self.before, np.arange(len(self.before), dtype=np.float64))

    @cached_property
    def places(self) -> Array:
        """The same of the result."""
        return self._seen_from_body(self.motion, self.sources)

    def _seen_from_body(self, motion: Motion, frames: Array) -> Array:
        """Joints ``(T, J, 3)`` left of, above the floor and before where the clip's body is."""
        root = kinematics.sample_vectors(self.source.root, frames) * (1.0, 0.0, 1.0)
        angle = kinematics.sample_vectors(self._facing, frames)
        turn = rotations.about_vertical(-angle)[:, None]
        return rotations.rotate(turn, motion.positions() - root[:, None])

    @cached_property
    def _facing(self) -> Array:
        return facing(self.source)

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


_bases: Memo[Motion] = Memo(size=12)


def inside(settings: WarpSettings, frames: int) -> WarpSettings:
    """The settings for a clip of so many frames: what lies beyond its end is put there."""
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
        result = warp(motion, keys, settings.times or None, clean=clean or None, **options)
    else:
        result = motion
    return Warped(motion, before, result, sources)


def _options(settings: WarpSettings) -> dict[str, Any]:
    """Parameters of `warp` that are not keys."""
    return {"ease": settings.ease, "hold": settings.hold, "monotone": True}


def _based(motion: Motion, keys: list[Key], settings: WarpSettings) -> Motion:
    """The clip with some of its keys, remembered."""
    if not keys:
        return motion
    options = (repr(keys), settings.ease, settings.hold)
    return _bases.get(
        (motion,), options, lambda: warp(motion, keys, ease=settings.ease, hold=settings.hold)
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
    goals = [Key(frame, key.joint, goal=_goal(here, key), ease=key.ease) for key in moving]
    options = _options(settings)
    return warp(base, goals, settings.times or None, clean=False, **options)


def _goal(here: Warped, key: Key) -> tuple[float, ...]:
    frame = round(float(key.frame))
    index = joint_index(key.joint, here.before.skeleton)
    turn = rotations.about_vertical(facing(here.before)[frame])
    place = here.before.positions()[frame, index] + rotations.rotate(turn, np.array(key.offset))
    return tuple(float(v) for v in place)


def joint_index(name: str, skeleton: Skeleton) -> int:
    """The joint that a key's name stands for."""
    return joints_called(name, find_rig(skeleton))[0]


def grips(skeleton: Skeleton) -> tuple[Grip, ...]:
    """Joints to pick and drag; hands, feet, hips and head are the main ones."""
    roles = find_rig(skeleton).roles
    main = {roles[role]: name for name, role in _MAIN.items() if role in roles}
    return tuple(
        (main.get(joint, name), joint, joint in main) for joint, name in enumerate(skeleton.names)
    )


def turn_curve(motion: Motion, joint: int) -> Array:
    """The joint's rotation ``(T, 3)`` from its rest pose, in degrees about its parent's axes."""
    return np.degrees(rotations.log(motion.rotations[:, joint]))
