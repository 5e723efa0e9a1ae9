"""The verdict on a clean-up: feet that it does not hold, and what holding the others costs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from motionweave.body.floor import Floor
from motionweave.body.ground import Ground
from motionweave.body.rig.roles import SIDES
from motionweave.contacts.clean.cleaner import Cleaned
from motionweave.core.arrays import Array, BoolArray
from motionweave.core.intervals import runs
from motionweave.core.motion import Motion
from motionweave.core.numerics.vectors import lengths

# Leg lengths by which a foot may miss its plant.
_NOTICED = 0.02
# Leg lengths per second at which planted heels and toes may slide, and by which hips may be
# lowered, on average: a centimetre of a body 1.7 m tall.
_SLIDING = _LOWERED = 0.012
# Leg lengths by which heels and toes may be deeper in the floor than they were, at the deepest and
# on average: two millimetres of such a body, which is about what can be seen.
_VISIBLE = 0.0024
# How many stretches of frames a remark names.
_NAMED = 3
_FOOT_ENDS = ("heel", "toe")


class Remarks(NamedTuple):
    """Remarks about a clip.

    Parameters
    ----------
    motion
        The clip as it was, with the contacts that were to be held.
    size
        Leg length.
    first
        The frame of the user's clip with which it begins.
    """

    motion: Motion
    size: float
    first: int

    def about(
        self, cleaned: Cleaned, points: Array, floor: Floor | Ground, *, floor_is_given: bool
    ) -> Iterator[str]:
        """All that a user should know about a result.

        Parameters
        ----------
        cleaned
            The result.
        points
            ``(2, 2, T, 3)`` heels and toes of its left and right foot.
        floor
            What they stand on.
        floor_is_given
            Whether the user gave it: then hips that are lowered to it are meant.
        """
        for name, joint, frame in cleaned.jerking:
            yield self.jerking(name, joint, frame)
        for kept in cleaned.kept:
            held = np.asarray(kept.held.any(axis=0))
            yield from self.held_back(kept.name, held, kept.held_back)
            yield from self.out_of_reach(kept.name, held, kept.missing)
        feet = cleaned.kept[: len(SIDES)]
        yield from self.sliding(points, np.stack([foot.held for foot in feet]))
        before = np.stack([foot.points for foot in feet])
        yield from self.deeper(floor.above(before), floor.above(points))
        if not floor_is_given:
            yield from self.lowered(cleaned.motion)

    def jerking(self, name: str, joint: int, frame: int) -> str:
        """A joint jerks at a frame for a foot to be held."""
        return (
            f"holding the {name}{self._what} jerks {self.motion.skeleton.names[joint]} around "
            f"frame {self.first + frame}; check the contacts there"
        )

    def held_back(self, name: str, held: BoolArray, left: Array) -> Iterator[str]:
        """A foot that is ``held`` ``(T,)`` stays away from its plants by ``left`` ``(T,)``."""
        far = held & (left > _NOTICED * self.size)
        if not far.any():
            return
        spans = [f"{self.first + first} to {self.first + last}" for first, last in runs(far)]
        frames = ", ".join(spans[:_NAMED])
        if len(spans) > _NAMED:
            frames += f" and {len(spans) - _NAMED} more times"
        yield (
            f"the {name}{self._what} is not held in its place in frames {frames}: "
            f"it would have to move by {left[far].max() / self.size:.0%} of a leg length more than "
            "clean-up allows; check the contacts there"
        )

    def out_of_reach(self, name: str, held: BoolArray, missing: Array) -> Iterator[str]:
        """A foot or hand that is ``held`` ``(T,)`` ends ``missing`` ``(T,)`` from its plant."""
        missing = np.where(held, missing, 0.0)
        frame = int(missing.argmax())
        if missing[frame] > _NOTICED * self.size:
            yield (
                f"the {name}{self._what} cannot reach its plant at frame {self.first + frame}: "
                f"it is {missing[frame] / self.size:.1%} of a leg length away; "
                "check the contacts there, or allow a little stretch (stretch=0.01)"
            )

    def sliding(self, points: Array, held: BoolArray) -> Iterator[str]:
        """Heels and toes of the cleaned clip still slide where they are planted.

        Parameters
        ----------
        points
            ``(2, 2, T, 3)`` of the left and the right foot.
        held
            ``(2, 2, T)`` where they are planted.
        """
        staying = held[..., 1:] & held[..., :-1]
        ways = lengths(np.diff(points[..., ::2], axis=2)) * staying
        speed = ways.sum() / max(int(staying.sum()), 1) * self.motion.fps / self.size
        if speed > _SLIDING:
            yield (
                f"planted feet{self._what} still slide, at {speed:.1%} of a leg length per second "
                f"on average, most of all {self._most(ways, 1)}; check the contacts there"
            )

    def deeper(self, before: Array, after: Array) -> Iterator[str]:
        """Heels and toes of the cleaned clip are deeper in the floor than they were.

        Parameters
        ----------
        before, after
            ``(2, 2, T)`` heights above the floor of those of the left and the right foot.
        """
        was, now = np.maximum(-before, 0.0), np.maximum(-after, 0.0)
        for how, by in (
            ("at the deepest", now.max() - was.max()),
            ("on average", now.mean() - was.mean()),
        ):
            if by > _VISIBLE * self.size:
                yield (
                    f"feet{self._what} are {by / self.size:.2%} of a leg length deeper in the "
                    f"floor than they were, {how}, most of all {self._most(now - was)}; "
                    "check the contacts there"
                )
                return

    def lowered(self, cleaned: Motion) -> Iterator[str]:
        """The hips of the cleaned clip are lower than they were, for feet to reach the floor."""
        down = float((self.motion.root - cleaned.root)[:, 1].mean()) / self.size
        if down > _LOWERED:
            yield (
                f"the hips{self._what} are lowered by {down:.1%} of a leg length on average, for "
                "planted feet to reach the floor; check the contacts, or give the floor (floor=)"
            )

    def _most(self, figures: Array, later: int = 0) -> str:
        """Which end of a foot has the largest of the ``figures`` ``(2, 2, T)``, and when: in the
        frame that is so much ``later`` than the figure's."""
        side, end, frame = np.unravel_index(int(figures.argmax()), figures.shape)
        return f"the {SIDES[side]} {_FOOT_ENDS[end]} at frame {self.first + int(frame) + later}"

    @property
    def _what(self) -> str:
        return f" of {self.motion.name!r}" if self.motion.name else ""
