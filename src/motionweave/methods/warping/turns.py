"""Keys of joint rotations as numbers: which joint, when, turned how."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.errors import WarpError
from motionweave.methods.warping.curves import Ends, displacement_basis, tangent_basis
from motionweave.methods.warping.keys import SIDES_OF_KEY, ease_pair
from motionweave.methods.warping.targets import MOMENT, Knot, Placed, WarpClip, sample_pairs


@dataclass(frozen=True)
class WarpShape:
    """How the displacements of a warp run between and around its keys.

    Parameters
    ----------
    ease
        Seconds (before, after) to come from and go back to neutral.
    hold
        Whether the first and the last key's value holds instead: (before, after).
    tension
        Of the Cardinal splines.
    order
        None warps quaternions; a rotation order such as ``"ZYX"`` warps the curves
        of these Euler angles, as the paper does.
    """

    ease: tuple[float, float] = (0.8, 0.8)
    hold: tuple[bool, bool] = (False, False)
    tension: float = 0.0
    order: str | None = None

    def ends(self, first: Any, last: Any, fps: float) -> Ends:
        """For a curve whose first and last key ask for these eases (None: the warp's own)."""
        before = self.ease[0] if first is None else ease_pair(first)[0]
        after = self.ease[1] if last is None else ease_pair(last)[1]
        return Ends(None if self.hold[0] else before * fps, None if self.hold[1] else after * fps)

    def weights(self, knots: Sequence[Knot], frames: int, fps: float) -> Array:
        """Weights ``(frames, n)`` of n keys in the displacement of every frame."""
        ends = self.ends(knots[0].ease, knots[-1].ease, fps)
        at = np.arange(frames, dtype=np.float64)
        still, given = [knot.still for knot in knots], [knot.given for knot in knots]
        times, along = [knot.frame for knot in knots], [knot.along for knot in knots]
        return displacement_basis(times, ends, at, self.tension, still, given, along)

    def course(
        self, knots: Sequence[Knot], values: Array, onward: Array, frames: int, fps: float
    ) -> Array:
        """The displacement ``(frames, ...)`` through keys.

        Parameters
        ----------
        values
            ``(n, ...)`` of the keys.
        onward
            ``(2, n, ...)`` what they would be a `MOMENT` on, as their tangents in and out say;
            used where these are given.
        """
        course = self.weights(knots, frames, fps) @ values
        given = [knot.given for knot in knots]
        if not np.any(given):
            return course
        ends = self.ends(knots[0].ease, knots[-1].ease, fps)
        times, at = [knot.frame for knot in knots], np.arange(frames, dtype=np.float64)
        tangents = (onward - values) / (MOMENT * fps)
        weights = tangent_basis(times, ends, at, given)
        return np.asarray(course + np.tensordot(weights, tangents, axes=2))


@dataclass(frozen=True)
class Turn:
    """The change of one joint's rotation by one key; exactly one of the first three is given.

    Parameters
    ----------
    rotation
        ``(4,)`` new local rotation.
    vector
        ``(3,)`` change as a rotation vector in the parent's axes, full turns allowed.
    factor
        Stretch from the zero-point.
    scaled
        Whether a new rotation is reached by scaling as far as possible.
    about
        Zero-point of a scale.
    ease
        Seconds (before, after), or None as the warp says.
    still, along
        Whether it is one end of a key that lasts, and which one of a goal that does: see `Knot`.
    name
        What the key is called in messages.
    onward
        The turn as it would be a `MOMENT` on, as its tangents in and out say; None for the
        spline's own tangents.
    """

    frame: float
    joint: int
    rotation: Array | None = None
    vector: Array | None = None
    factor: float | None = None
    scaled: bool = False
    about: Any = "mean"
    ease: Any = None
    still: bool = False
    name: str = ""
    along: int = 0
    onward: tuple[Turn | None, Turn | None] = (None, None)

    @property
    def knot(self) -> Knot:
        """Everything that the weights of a displacement depend on."""
        into, out = self.onward
        given = into is not None, out is not None
        return Knot(self.frame, self.ease, self.still, given, self.along)


def turns_of(placed: Sequence[Placed], clip: WarpClip) -> list[Turn]:
    """The turns of keys of kind rotation, turn or factor."""
    turns = _turns_now(placed, clip)
    into, out = ([on for p in placed if (on := p.going_on(side))] for side in SIDES_OF_KEY)
    if not into and not out:
        return turns
    onward = [{_place(turn): turn for turn in _turns_now(rows, clip)} for rows in (into, out)]
    return [
        replace(turn, onward=(onward[0].get(_place(turn)), onward[1].get(_place(turn))))
        for turn in turns
    ]


def onward_values(
    turns: Sequence[Turn], values: Array, value: Callable[[int, Turn], Array | float]
) -> Array:
    """Values ``(2, n, ...)`` of turns a `MOMENT` on, as their tangents in and out say.

    Parameters
    ----------
    values
        ``(n, ...)`` those that they have; they stay where a tangent is not given.
    value
        Gives that of a turn that goes on, from its place among the turns.
    """
    onward = np.stack([values, values])
    for side in (0, 1):
        for i, turn in enumerate(turns):
            on = turn.onward[side]
            if on is not None:
                onward[side, i] = value(i, on)
    return onward


def _place(turn: Turn) -> tuple[float, int, bool]:
    return turn.frame, turn.joint, turn.factor is None


def _turns_now(placed: Sequence[Placed], clip: WarpClip) -> list[Turn]:
    turns: list[Turn] = []
    changes: list[Placed] = []
    for p in placed:
        key = p.key
        if key.turn is not None:
            changes.append(p)
            continue
        if key.rotation is not None and len(p.joints) > 1:
            raise WarpError(f"{key}: a rotation needs a single joint; name one, or use turn")
        base = (key.factor, key.mode == "scale", key.about, key.ease, p.still, str(key))
        rotation = None if key.rotation is None else np.array(key.rotation)
        turns += [Turn(p.frame, joint, rotation, None, *base) for joint in p.joints]
    return turns + _changes(changes, clip)


def _changes(placed: Sequence[Placed], clip: WarpClip) -> list[Turn]:
    """The turns of keys that change rotations, all at once."""
    rows = [(p, joint) for p in placed for joint in p.joints]
    if not rows:
        return []
    frames = np.array([p.frame for p, _ in rows])
    joints = np.array([joint for _, joint in rows])
    shares = np.array([p.key.turn for p, _ in rows], dtype=np.float64)
    shares = np.radians(shares) / np.array([[len(p.joints)] for p, _ in rows])
    world = clip.in_world(shares, [p.key.axes for p, _ in rows], frames, joints)
    parents = clip.motion.skeleton.parents[joints]
    vectors = rotations.rotate(rotations.inverse(clip.orientations_at(parents, frames)), world)
    scaled = np.array([p.key.mode == "scale" for p, _ in rows])
    wanted: Array = np.empty((0, 4))
    if np.any(scaled):
        own = sample_pairs(clip.motion.rotations, joints, frames)
        wanted = rotations.multiply(rotations.exp(vectors), own)
    return [
        Turn(
            p.frame,
            joint,
            wanted[i] if scaled[i] else None,
            None if scaled[i] else vectors[i],
            None,
            bool(scaled[i]),
            p.key.about,
            p.key.ease,
            p.still,
            str(p.key),
        )
        for i, (p, joint) in enumerate(rows)
    ]


def shared_zero(scales: Sequence[Turn]) -> str | Array:
    """The zero-point that all scale keys of a joint share: a word or a quaternion ``(4,)``."""
    about = scales[0].about
    if any(not np.array_equal(np.asarray(t.about), np.asarray(about)) for t in scales):
        raise WarpError("the scale keys of one joint must have one zero-point (about)")
    if isinstance(about, str):
        return about
    value = np.asarray(about, dtype=np.float64)
    if value.shape != (4,):
        raise WarpError(f"about {about!r}: a joint's zero-point is 'mean', 'rest' or a quaternion")
    return rotations.normalize(value)
