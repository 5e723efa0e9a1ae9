"""A motion made ready to be drawn: its body at the frames of a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from motionweave.body.figure.capsules import Capsules, capsule_points, capsules_of
from motionweave.body.figure.stance import standing_at_rest
from motionweave.body.figure.torso import Torso, torso_of
from motionweave.body.rig.parts import joints_called
from motionweave.body.rig.roles import find_rig
from motionweave.body.size import body_height
from motionweave.body.soles import contact_points, has_feet
from motionweave.contacts.detect import estimate_floor
from motionweave.core import kinematics
from motionweave.core.arrays import Array
from motionweave.core.constraints import HAND_KINDS, Constraint
from motionweave.core.motion import Motion, checked
from motionweave.errors import MotionError
from motionweave.rendering.look import body_colours
from motionweave.rendering.skin import Skin

# The floor is as low as the body is in all but this share of the frames.
_LOW = 0.03
# How far a body that lies may sink into the floor on which its feet stand, in body heights.
_PRESSED = 0.08
# Trails by common names.
_TRAILED = {"hands": ("left_hand", "right_hand"), "feet": ("left_ankle", "right_ankle")}


@dataclass(frozen=True, eq=False)
class Mark:
    """A contact on the floor: its position ``(3,)`` and its interval, in frames of the picture."""

    place: Array
    start: float
    end: float


@dataclass(frozen=True, eq=False)
class Figure:
    """A body in motion.

    Parameters
    ----------
    motion
        The motion in frames of the picture.
    points
        ``(T, P, 3)`` of its capsules.
    ends, radii, colours
        ``(S, 2)``, ``(S, 2)`` and ``(S, 3)`` of the capsules.
    limbs
        ``(S,)`` which of them are drawn where there is a torso.
    floor
        Height of what it stands on.
    marks
        Contacts.
    trailed
        Points whose trails are drawn.
    torso
        What is drawn instead of the trunk's capsules, or None.
    middle
        ``(3,)`` the colour of the trunk.
    skin
        A mesh that is drawn instead of all that, or None.
    """

    motion: Motion
    points: Array
    ends: NDArray[np.intp]
    radii: Array
    colours: Array
    limbs: NDArray[np.bool_]
    floor: float
    marks: tuple[Mark, ...]
    trailed: tuple[int, ...]
    torso: Torso | None
    middle: Array
    skin: Skin | None = None

    def __len__(self) -> int:
        return len(self.points)

    @cached_property
    def outline(self) -> Array:
        """Points ``(T, Q, 3)`` at which something is drawn."""
        body = self.points[:, np.unique(self.ends)]
        if self.skin is None:
            return body
        # Heads, hats and swords of meshes reach far beyond the joints.
        mesh = kinematics.attached(*self.motion.forward(), *self.skin.extremes)
        return np.concatenate([body, mesh], axis=1)

    def capsules(self, frame: int) -> tuple[Array, Array]:
        """Centres ``(S, 3)`` of both ends of the capsules in a frame; the last one holds."""
        row = self.points[min(frame, len(self) - 1)]
        return row[self.ends[:, 0]], row[self.ends[:, 1]]


def motions_in(given: Motion | Sequence[Motion]) -> list[Motion]:
    """One motion or several as a list; `MotionError` if there is none, or one is none."""
    several = isinstance(given, Sequence) and not isinstance(given, str)
    motions = [checked(one) for one in given] if several else [checked(given)]  # type: ignore[union-attr]
    if not motions:
        raise MotionError("there is no motion to show")
    return motions


def make_figure(
    motion: Motion,
    fps: float,
    speed: float,
    *,
    number: int = 0,
    count: int = 1,
    colour: str | None = None,
    contacts: bool = True,
    trails: Sequence[str] = (),
    skin: Skin | None = None,
) -> Figure:
    """A motion as it is drawn at some frames per second and speed.

    Parameters
    ----------
    motion
        What to draw.
    fps, speed
        Frames per second of the picture, and the speed of playback.
    number, count
        Which of how many bodies it is.
    colour
        Of the body, or None.
    contacts
        Whether contacts are marked.
    trails
        Roles or names of joints that leave trails; ``"hands"`` and ``"feet"`` mean both.
    skin
        A mesh to draw instead of the capsules.
    """
    shown = replace(motion, fps=motion.fps * speed).resample(fps)
    standing = standing_at_rest(shown)
    plan = capsules_of(standing.skeleton)
    points = capsule_points(standing)
    floor = _floor(shown, plan, points)
    middle, left, right = body_colours(count, colour, number)
    tints = np.where(
        plan.sides[:, None] > 0, left, np.where(plan.sides[:, None] < 0, right, middle)
    )
    return Figure(
        shown,
        points,
        plan.ends,
        plan.radii,
        tints,
        ~plan.trunk,
        floor,
        _marks(shown, floor) if contacts else (),
        trailed_joints(motion, trails),
        torso_of(standing.skeleton),
        middle,
        skin,
    )


def _floor(motion: Motion, plan: Capsules, points: Array) -> float:
    """Height of what a body stands on, or lies on if its feet are never down."""
    lowest = (points[:, plan.ends, 1] - plan.radii).min(axis=2)
    lies = float(np.quantile(lowest.min(axis=1), _LOW))
    if not has_feet(motion.skeleton) or not plan.feet.any():
        return lies
    # Feet are drawn thicker than their joints say, and stand on what is drawn.
    soles = np.min([path[:, 1] for path in contact_points(motion).values()], axis=0)
    flesh = float(np.median(soles - lowest[:, plan.feet].min(axis=1)))
    stands = float(estimate_floor(motion).at(motion.root).mean()) - flesh
    # A trunk that lies on the floor is pressed flat; one that is drawn round is not.
    return min(stands, lies + _PRESSED * body_height(motion.skeleton))


def trailed_joints(motion: Motion, trails: Sequence[str]) -> tuple[int, ...]:
    """Joints meant by roles, names, ``"hands"`` or ``"feet"``."""
    rig = find_rig(motion.skeleton)
    names = [name for word in trails for name in _TRAILED.get(word, (word,))]
    return tuple(j for name in names for j in joints_called(name, rig, tuple(_TRAILED)))


def _marks(motion: Motion, floor: float) -> tuple[Mark, ...]:
    """Where contacts are, each in the middle of its time."""
    if not motion.constraints or not has_feet(motion.skeleton):
        return ()
    hands = any(c.kind in HAND_KINDS for c in motion.constraints)
    points = contact_points(motion, hands)
    return tuple(_mark(c, points[c.kind], floor) for c in motion.constraints if c.kind in points)


def _mark(contact: Constraint, track: Array, floor: float) -> Mark:
    middle = round(0.5 * (contact.start + contact.end))
    place = np.array(track[min(max(middle, 0), len(track) - 1)])
    place[1] = floor
    return Mark(place, contact.start, contact.end)
