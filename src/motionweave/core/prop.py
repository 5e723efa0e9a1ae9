"""Props: objects with their own trajectory, such as a box that is carried or a ball that flies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motionweave.core import checks, rotations
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.core.numerics.curves import cardinal_tangents, hermite
from motionweave.errors import MotionError


@dataclass(frozen=True, eq=False)
class Prop:
    """An object and its position over time.

    Parameters
    ----------
    positions
        ``(n, 3)`` positions, or one position ``(3,)`` for an object that does not move.
    orientations
        ``(n, 4)`` unit quaternions xyzw, or one; None for an object that does not turn.
    times
        ``(n,)`` increasing times in seconds; the object moves smoothly between them, and stays
        still before the first and after the last.
    fps
        Frames per second, instead of ``times``.
    name
        What it is called.

    Examples
    --------
    >>> import motionweave as mw
    >>> box = mw.Prop([(0.0, 1.0, 0.6), (0.5, 1.2, 2.0)], times=[0.5, 1.5])
    >>> walk = mw.sample("walk")
    >>> hands = [
    ...     mw.Key("0.8 s", f"{side}_hand", goal=(x, 0.0, 0.0), of=box, until="1.2 s")
    ...     for side, x in (("left", 0.15), ("right", -0.15))
    ... ]
    """

    positions: Any
    orientations: Any = None
    times: Any = None
    fps: float | None = None
    name: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        places = _rows(self.positions, 3, "positions")
        turns = np.tile(rotations.IDENTITY, (len(places), 1))
        if self.orientations is not None:
            given = _rows(self.orientations, 4, "orientations")
            if len(given) not in (1, len(places)):
                raise MotionError(
                    f"prop: {len(given)} orientations for {len(places)} positions; expected the "
                    "same number"
                )
            if np.any(np.linalg.norm(given, axis=1) < 1e-6):
                raise MotionError("prop: an orientation of length 0; expected unit quaternions")
            turns = np.broadcast_to(rotations.normalize(given), turns.shape)
        if (self.times is None) == (self.fps is None) and len(places) > 1:
            raise MotionError(f"prop: {len(places)} positions need either times or fps")
        if self.fps is not None:
            times = np.arange(len(places)) / checks.rate(self.fps, "prop: fps")
        else:
            times = _rows(
                [[0.0]] if self.times is None else np.reshape(self.times, (-1, 1)), 1, "times"
            )[:, 0]
        if len(times) != len(places) or np.any(np.diff(times) <= 0.0):
            raise MotionError("prop: expected one time per position, in increasing order")
        object.__setattr__(self, "positions", places)
        object.__setattr__(self, "orientations", rotations.unroll(turns))
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "fps", None)

    @classmethod
    def of(cls, motion: Motion, joint: str | int = 0) -> Prop:
        """The trajectory of a joint of another clip: a recorded box, or another person's hand.

        Parameters
        ----------
        motion
            The clip.
        joint
            Name or index.

        Returns
        -------
        Prop
        """
        index = motion.skeleton.index(joint) if isinstance(joint, str) else int(joint)
        positions, orientations = motion.forward()
        name = motion.name or motion.skeleton.names[index]
        return cls(positions[:, index], orientations[:, index], fps=motion.fps, name=name)

    @classmethod
    def from_data(cls, data: Any, name: str = "") -> Prop:
        """A prop from the data of a warp file; a `MotionError` says what is wrong.

        Parameters
        ----------
        data
            A mapping with ``positions`` and optionally ``orientations``, ``times`` or ``fps``.
        name
            What it is called.

        Returns
        -------
        Prop
        """
        known = ("positions", "orientations", "times", "fps")
        if not isinstance(data, Mapping) or "positions" not in data or set(data) - set(known):
            raise MotionError(f"prop {name!r}: expected {', '.join(known)}")
        return cls(**data, name=name)

    def to_data(self) -> dict[str, Any]:
        """The data that a warp file stores."""
        data = {"positions": self.positions.tolist(), "times": self.times.tolist()}
        if np.any(self.orientations[:, 3] != 1.0):
            data["orientations"] = self.orientations.tolist()
        return data

    def at(self, seconds: ArrayLike) -> tuple[Array, Array]:
        """Positions ``(n, 3)`` and orientations ``(n, 4)`` at times ``seconds`` ``(n,)``."""
        at = np.clip(np.asarray(seconds, dtype=np.float64), self.times[0], self.times[-1])
        if len(self.times) == 1:
            return (
                np.tile(self.positions, (len(at), 1)),
                np.tile(self.orientations, (len(at), 1)),
            )
        slopes = cardinal_tangents(self.times, self.positions)
        places = hermite(self.times, self.positions, slopes, at)
        index = np.clip(np.searchsorted(self.times, at, side="right") - 1, 0, len(self.times) - 2)
        share = (at - self.times[index]) / (self.times[index + 1] - self.times[index])
        turns = rotations.slerp(self.orientations[index], self.orientations[index + 1], share)
        return places, turns


def _rows(value: Any, width: int, what: str) -> Array:
    try:
        rows = np.atleast_2d(np.array(value, dtype=np.float64))
    except (TypeError, ValueError, OverflowError):
        rows = np.zeros((0, 0))
    if rows.ndim != 2 or rows.shape[1] != width or len(rows) == 0 or not np.all(np.isfinite(rows)):
        raise MotionError(f"prop: {what} {checks.shown(value)}; expected rows of {width} numbers")
    return rows
