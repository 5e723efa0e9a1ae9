"""Keys: the value that a curve of a motion should have at a frame, or its change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from motionweave.core import checks, rotations
from motionweave.core.checks import check_choice
from motionweave.core.prop import Prop
from motionweave.errors import WarpError

# The root's own curves, as names that stand where a joint's would.
ROOT_CURVES = ("position", "height", "heading")
_CHANGES = ("rotation", "turn", "goal", "offset", "look_at", "orientation", "factor")

Mode = Literal["shift", "scale"]
Axes = Literal["body", "parent", "world"]
Unit = Literal["leg", "height"]
Side = Literal["in", "out"]
SIDES_OF_KEY: tuple[Side, Side] = ("in", "out")
# Kinds of change that have a speed: so much of the same per second.
_MOVING = ("turn", "goal", "offset", "look_at", "factor")


@dataclass(frozen=True)
class Key:
    """One key: at a frame, for a joint or one of the root's curves, one new value or change.

    Exactly one of `rotation`, `turn`, `goal`, `offset`, `look_at`, `orientation` and `factor`
    is given.

    Parameters
    ----------
    frame
        Frame of the clip, fractions allowed, or a moment in words such as ``"middle of 2nd left
        swing"`` (see `motionweave.methods.warping.moments`); ``"every left stance"`` means one key
        for each.
    joint
        A joint's name or role (``"left_knee"``, ``"spine"``, ``"head"`` ...), or
        one of the root's curves: ``"position"``, ``"height"``, ``"heading"``.
        Keys of these carry the body along with its feet.
    rotation
        New local rotation of the joint: a quaternion xyzw.
    turn
        Change of the joint's rotation: degrees about three axes, as one rotation vector. About the
        body's left axis, a positive turn bends parts that point up forwards, and parts that point
        down backwards.
    goal
        New value. For a joint its global position ``(x, y, z)``, found by inverse
        kinematics that stays close to the pose; for the root's curves the position,
        height or heading (degrees). A ``None`` in a position leaves that axis free.
    offset
        Change of the same quantities.
    look_at
        A global point that the joint (the head, say) should face.
    orientation
        New global orientation of the joint, a quaternion xyzw: for a hand that holds something, in
        addition to its goal in another key.
    factor
        The factor by which the curve is scaled about its zero-point (scale mode).
    mode
        ``"shift"`` adds to the curve what the key needs; ``"scale"`` scales it.
    axes
        The axes of `turn` and of the `offset` of a position: those of the ``"body"`` at that frame
        (left, up, forwards), of the ``"parent"`` joint, or of the ``"world"``.
    about
        Zero-point of a scale: ``"mean"`` of the curve, its ``"rest"`` (zero), or a
        value.
    ease
        Seconds over which the change fades in and out if this key is the first or last of its
        curve, one number or (before, after); None for the warp's own setting.
    unit
        Unit of lengths: leg lengths or body heights; None for the clip's own unit.
    until
        The frame, or moment, up to which the key lasts: a turn, offset or factor stays the
        same, and a hand stays at its goal in every frame.
    of
        What `goal` is measured from, along `axes`: a joint by name or role (hands that hold a box
        in front of the chest have goals relative to the ``"chest"``), or a `Prop`, from its
        position and along its own axes, so that hands follow an object that moves and turns. An
        `orientation` is then relative to that of the joint or the prop.
    tip
        The point that should be at the goal, in the joint's own axes: the tip of a racket in a
        hand, for example.
    tangent_in, tangent_out
        How fast the change itself changes when the curve comes to the key and when it goes on: per
        second, in the unit and along the axes of the change (of a turn degrees per second). None
        for the tangent of the Cardinal spline. The key is met in any case.

    Examples
    --------
    >>> import motionweave as mw
    >>> walk = mw.sample("walk")
    >>> stiff = mw.Key("every left stance", "left_knee", factor=0.5)
    >>> box = [
    ...     mw.Key(30, f"{side}_hand", goal=(x, -0.2, 0.4), of="chest", unit="leg", until=60)
    ...     for side, x in (("left", 0.15), ("right", -0.15))
    ... ]
    >>> carried = mw.warp(walk, box)
    >>> flick = mw.Key(40, "left_hand", offset=(0, 0.2, 0), tangent_out=(0, -2.0, 0))
    >>> flicked = mw.warp(walk, flick)
    """

    frame: float | str
    joint: str
    rotation: ArrayLike | None = None
    turn: ArrayLike | None = None
    goal: Any = None
    offset: Any = None
    look_at: ArrayLike | None = None
    orientation: ArrayLike | None = None
    factor: float | None = None
    mode: Mode = "shift"
    axes: Axes = "body"
    about: Any = "mean"
    ease: float | tuple[float, float] | None = None
    unit: Unit | None = None
    until: float | str | None = None
    of: str | Prop | None = None
    tip: ArrayLike | None = None
    tangent_in: Any = None
    tangent_out: Any = None

    def __post_init__(self) -> None:
        if not isinstance(self.joint, str):
            raise WarpError(f"{self}: expected the name of a joint")
        for name in ("frame", "until"):
            self._check_moment(name)
        given = [name for name in _CHANGES if getattr(self, name) is not None]
        if len(given) != 1:
            what = " and ".join(given) if given else "none"
            raise WarpError(f"{self}: expected one of {', '.join(_CHANGES)}; got {what}")
        self._check_words()
        if self.factor is not None:
            object.__setattr__(self, "mode", "scale")
            object.__setattr__(self, "factor", float(self._numbers("factor", ())[()]))
        for name in ("rotation", "orientation"):
            if getattr(self, name) is not None:
                value = self._numbers(name, (4,))
                object.__setattr__(self, name, tuple(map(float, rotations.normalize(value))))
        for name in ("turn", "look_at", "tip"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, tuple(map(float, self._numbers(name, (3,)))))
        for name in ("goal", "offset"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, self._quantity(name))
        if self.ease is not None:
            object.__setattr__(self, "ease", ease_pair(self.ease))
        for name in ("tangent_in", "tangent_out"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, self._tangent(name))

    def __str__(self) -> str:
        return f"key at {self.frame} for {self.joint!r}"

    @property
    def kind(self) -> str:
        """Which of the seven changes it gives: ``"rotation"``, ``"turn"``, ``"goal"`` ..."""
        return next(name for name in _CHANGES if getattr(self, name) is not None)

    @property
    def tangents_given(self) -> tuple[bool, bool]:
        """Whether its tangents in and out are given, and are not the spline's own."""
        return self.tangent_in is not None, self.tangent_out is not None

    def going_on(self, side: Side, seconds: float) -> Key | None:
        """The key with its change after some ``seconds`` along its tangent on a ``side``."""
        tangent = self.tangent_in if side == "in" else self.tangent_out
        if tangent is None:
            return None
        have = getattr(self, self.kind)
        if isinstance(have, tuple):
            changed: Any = tuple(
                None if part is None else part + seconds * speed
                for part, speed in zip(have, tangent, strict=True)
            )
        else:
            changed = have + seconds * tangent
        given: dict[str, Any] = {self.kind: changed, "tangent_in": None, "tangent_out": None}
        return replace(self, **given)

    @property
    def posed_by_goal(self) -> bool:
        """Whether inverse kinematics has to find the joints' rotations."""
        goals = ("goal", "offset", "look_at", "orientation")
        return self.joint not in ROOT_CURVES and self.kind in goals

    def _check_words(self) -> None:
        for name, words in (("mode", Mode), ("axes", Axes), ("unit", Unit)):
            if name != "unit" or self.unit is not None:
                check_choice(getattr(self, name), words, f"{self}: {name}", WarpError)
        self._check_relative()
        if self.joint in ROOT_CURVES and self.kind in (
            "rotation",
            "turn",
            "look_at",
            "orientation",
        ):
            raise WarpError(f"{self}: {self.kind} is for joints; give goal, offset or factor")
        if self.posed_by_goal and self.mode == "scale":
            raise WarpError(f"{self}: a {self.kind} is always a shift")
        if isinstance(self.about, str) and self.about not in ("mean", "rest"):
            raise WarpError(f"{self}: about {self.about!r}; expected 'mean', 'rest' or a value")

    def _check_relative(self) -> None:
        if self.of is not None:
            if not isinstance(self.of, str | Prop):
                raise WarpError(f"{self}: of {self.of!r}; expected a joint's name or a Prop")
            if self.kind not in ("goal", "orientation") or self.joint in ROOT_CURVES:
                raise WarpError(f"{self}: only goals and orientations of joints can have of=")
        if self.tip is not None and (self.kind != "goal" or self.joint in ROOT_CURVES):
            raise WarpError(f"{self}: only goals of joints can have a tip")
        partly = self.kind == "goal" and isinstance(self.goal, Sequence) and None in self.goal
        if partly and (isinstance(self.of, Prop) or self.tip is not None):
            raise WarpError(f"{self}: of a prop, and with a tip, a goal needs all three numbers")

    def _check_moment(self, name: str) -> None:
        value = getattr(self, name)
        if isinstance(value, str) or (name == "until" and value is None):
            return
        if isinstance(value, bool) or not isinstance(value, int | float | np.number):
            raise WarpError(f"{self}: {name} {value!r}; expected a frame or a moment in words")
        if not -checks.LARGEST <= value <= checks.LARGEST:
            shown = checks.shown(value)
            raise WarpError(f"{self}: {name} {shown}; expected a frame of the clip")

    def _quantity(self, name: str) -> Any:
        if self.joint in ("height", "heading"):
            return float(self._numbers(name, ())[()])
        given = getattr(self, name)
        if not isinstance(given, Sequence | np.ndarray) or len(given) != 3:
            raise WarpError(f"{self}: {name} {given!r}; expected three numbers x, y, z")
        if all(part is None for part in given):
            raise WarpError(f"{self}: {name} leaves every axis free")
        if name == "offset" and any(part is None for part in given):
            raise WarpError(f"{self}: an offset needs all three numbers; use 0 for no change")
        filled = [0.0 if part is None else part for part in given]
        numbers = self._numbers(name, (3,), filled)
        return tuple(
            None if part is None else float(number)
            for part, number in zip(given, numbers, strict=True)
        )

    def _tangent(self, name: str) -> Any:
        """A tangent as one number or three, like the change."""
        if self.kind not in _MOVING:
            raise WarpError(f"{self}: a {self.kind} has no {name}; give a turn instead")
        if self.until is not None:
            raise WarpError(f"{self}: it lasts, so it has no {name}; leave out until")
        if self.mode == "scale" and self.factor is None:
            raise WarpError(f"{self}: to scale with a {name}, give a factor")
        several = isinstance(getattr(self, self.kind), tuple)
        numbers = self._numbers(name, (3,) if several else ())
        return tuple(map(float, numbers)) if several else float(numbers)

    def _numbers(self, name: str, shape: tuple[int, ...], given: Any = None) -> Any:
        given = getattr(self, name) if given is None else given
        try:
            value = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            value = np.full(1, np.nan)
        if value.shape != shape or not np.all(np.isfinite(value)):
            count = {(): "one number", (3,): "three numbers", (4,): "four numbers"}[shape]
            raise WarpError(f"{self}: {name} {given!r}; expected {count}")
        return value


def ease_pair(ease: float | Sequence[float]) -> tuple[float, float]:
    """Seconds (before, after) of an ease given as one number or two."""
    try:
        pair = np.broadcast_to(np.asarray(ease, dtype=np.float64), (2,))
    except (TypeError, ValueError, OverflowError):
        pair = np.full(2, np.nan)
    if not (np.all(np.isfinite(pair)) and np.all(pair > 0.0)):
        raise WarpError(f"ease {ease!r}: expected a time in seconds above 0, or two of them")
    return float(pair[0]), float(pair[1])
