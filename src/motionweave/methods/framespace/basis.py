"""A basis motion: one clip made ready for the framespace.

That is one closed cycle of it (or, if it does not repeat itself, the whole clip), its
states as shares of the cycle, and its pose split into what can be averaged and what has
to be integrated: where the character is and where it is heading (the guide), and how it is
posed relative to that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from motionweave.body.pose.heading import facing
from motionweave.body.pose.tpose import tpose_frames
from motionweave.contacts.events import find_events
from motionweave.contacts.states import EventTable
from motionweave.core import constraints as constraint_tools
from motionweave.core import kinematics
from motionweave.core.arrays import Array
from motionweave.core.cycles import displacement, repeat
from motionweave.core.motion import Motion, local_translations
from motionweave.core.planar import Planar
from motionweave.errors import MotionError
from motionweave.registration.cycles import extract_cycle, repetition

# How far the body may face away from the guide. Within it, turning to and fro is part of the pose
# and is averaged; beyond it, averages of rotations are meaningless.
_MOST_TURNED = np.radians(50.0)
# Windows over which the facing is averaged to get the guide, in cycles, the widest first.
_WINDOWS = (1.0, 0.5, 0.25, 0.125, 0.0625)
# A signed distance to the next change of a contact counts up to this much (in cycles).
FAR = 0.25


@dataclass(frozen=True, eq=False)
class Basis:
    """A clip in the framespace.

    Parameters
    ----------
    motion
        A closed cycle, or a clip that is played once.
    cyclic
        Which of them.
    events
        Its states; times are shares of ``motion``.
    ends
        First and last frame of ``motion`` in the clip it was cut from.
    """

    motion: Motion
    cyclic: bool
    events: EventTable
    ends: tuple[int, int]

    @property
    def period(self) -> float:
        """Seconds that it lasts (Π of Eq. 14)."""
        return self.motion.duration

    def repeated(self, times: int) -> Basis:
        """A cycle several times over, to be played once as a whole."""
        if not self.cyclic:
            return self
        states = tuple(
            replace(s, time=(s.time + n) / times) for n in range(times) for s in self.events.states
        )
        return Basis(
            repeat(self.motion, times), False, replace(self.events, states=states), self.ends
        )

    def frames(self, phases: Array) -> Array:
        """Fractional frames ``(n,)`` of the motion at phases ``(n,)``, in cycles."""
        last = len(self.motion) - 1
        if self.cyclic:
            return np.asarray((phases - np.floor(phases)) * last)
        return np.asarray(np.clip(phases, 0.0, 1.0) * last)

    def poses(self, phases: Array, out: Array | None = None) -> Array:
        """Rotations ``(n, J, 4)``; the root's is relative to the guide's heading."""
        return kinematics.sample_rotations(self._relative, self.frames(phases), out)

    def translations(self, phases: Array) -> Array:
        """Local translations ``(n, J, 3)``."""
        return kinematics.sample_vectors(local_translations(self.motion), self.frames(phases))

    def guide(self, phases: Array) -> tuple[Planar, Array]:
        """Place and heading ``(n,)``, and the height of the root there ``(n,)``; each cycle
        continues where the last one ended."""
        table = np.column_stack([self.motion.root, self._heading])
        x, height, z, heading = kinematics.sample_vectors(table, self.frames(phases)).T
        here = Planar(heading, x, z)
        if not self.cyclic:
            return here, height
        turns = np.floor(phases).astype(np.intp)
        first, last = int(turns.min()), int(turns.max())
        moves = {0: Planar()}
        for way, step in ((1, self._step), (-1, self._step.inverse())):
            for n in range(way, (last if way > 0 else first) + way, way):
                moves[n] = step @ moves[n - way]
        chosen = [moves[n] for n in range(first, last + 1)]
        around = Planar(*(np.array([getattr(m, f) for m in chosen]) for f in ("angle", "x", "z")))
        return around[turns - first] @ here, height

    def contact(self, kind: str, phases: Array) -> Array:
        """How far ``(n,)``, in cycles, contact is from changing: positive while it holds.

        At most `FAR` either way.
        """
        last = len(self.motion) - 1
        held = constraint_tools.of_kind(self.motion.constraints, kind)
        spans = [(c.start / last, c.end / last) for c in held]
        inside = phases
        if self.cyclic:
            inside = phases - np.floor(phases)
            # A contact on both sides of the seam holds across it.
            spans = _through_seam(spans)
            spans = [(a + n, b + n) for a, b in spans for n in (-1, 0, 1)]
        else:
            # A contact at an end of the clip extends beyond it.
            edge = 0.5 / last
            spans = [
                (a - 1.0 if a < edge else a, b + 1.0 if b > 1.0 - edge else b) for a, b in spans
            ]
        signed = np.full(len(phases), -FAR)
        for start, end in spans:
            signed = np.maximum(signed, np.minimum(inside - start, end - inside))
        return np.minimum(signed, FAR)

    @cached_property
    def _facing(self) -> Array:
        return facing(self.motion)

    @cached_property
    def _step(self) -> Planar:
        """From one cycle to the next, with all full turns of a character that spins."""
        step = displacement(self.motion)
        whole = np.round((self._facing[-1] - self._facing[0] - step.angle) / (2.0 * np.pi))
        return replace(step, angle=step.angle + 2.0 * np.pi * whole)

    @cached_property
    def _heading(self) -> Array:
        """Heading of the guide ``(T,)``: the facing without its swaying to and fro."""
        turned = self._facing
        if self.cyclic:
            # Facing closes with the cycle, up to the cycle's own turn.
            turned = turned + np.linspace(0.0, 1.0, len(turned)) * (
                self._step.angle - (turned[-1] - turned[0])
            )
        for window in _WINDOWS:
            heading = _averaged(turned, window, self.cyclic)
            if np.abs(turned - heading).max() <= _MOST_TURNED:
                return heading
        return turned

    @cached_property
    def _relative(self) -> Array:
        rotations = np.array(self.motion.rotations)
        rotations[:, 0] = Planar(-self._heading).turn(rotations[:, 0])
        if self.cyclic:
            # The same pose by construction; rounding must not show at the seam.
            rotations[-1] = rotations[0]
        return rotations


def make_basis(
    motion: Motion,
    cyclic: bool | tuple[int, int] | None = None,
    events: EventTable | None = None,
) -> Basis:
    """A clip made ready.

    Parameters
    ----------
    motion
        The clip.
    cyclic
        Whether the clip repeats itself, or the first and last frame of the cycle to
        use; None to detect it. A clip that does not repeat is played once.
    events
        The clip's states, at frames of the clip; found by default.
    """
    if len(motion) < 3:
        raise MotionError(
            f"{motion.name or 'the clip'} has {len(motion)} frames: too few to interpolate"
        )
    ends: tuple[int, int] | None
    # A T-pose in front is not part of the motion.
    whole = tpose_frames(motion), len(motion) - 1
    if isinstance(cyclic, tuple):
        ends = cyclic
    elif cyclic is False:
        ends = None
    else:
        # Not more than one cycle; it may be exactly one.
        ends = _find_ends(motion, required=cyclic is True) or (whole if cyclic else None)
    if ends is None:
        first, last = whole
        played = motion[first:] if first else motion
        if events is None:
            table = find_events(played).rescaled(0, last - first)
        else:
            table = events.rescaled(first, last)
        return Basis(played, False, table, whole)
    cycle = extract_cycle(motion, ends)
    if events is None:
        table = find_events(cycle, cyclic=True).rescaled(0, len(cycle) - 1)
    else:
        table = events.rescaled(*ends)
    return Basis(cycle, True, table, ends)


def _find_ends(motion: Motion, required: bool) -> tuple[int, int] | None:
    """First and last frame of a cycle; one that is not sure only if it is required."""
    found = repetition(motion)
    if found is None or not (found.sure or required):
        return None
    return found.first, found.last


def _through_seam(spans: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Spans of a cycle, with one that ends at 1 and one that begins at 0 merged."""
    edge = 1e-6
    ending = [s for s in spans if s[1] >= 1.0 - edge]
    starting = [s for s in spans if s[0] <= edge]
    if not ending or not starting:
        return spans
    if ending == starting:
        return [(0.0, 1.0 + edge)]
    rest = [s for s in spans if s not in ending and s not in starting]
    return [*rest, (min(s[0] for s in ending), 1.0 + max(s[1] for s in starting))]


def _averaged(angle: Array, window: float, cyclic: bool) -> Array:
    """Moving average ``(T,)`` of an angle over a share of the clip."""
    last = len(angle) - 1
    if cyclic and window == 1.0:
        # The average over exactly one cycle turns evenly.
        turn = angle[-1] - angle[0]
        place = np.linspace(0.0, 1.0, last + 1)
        return np.asarray(np.mean((angle - place * turn)[:-1]) + place * turn)
    reach = max(1, round(0.5 * window * last))
    if cyclic:
        turn = angle[-1] - angle[0]
        padded = np.concatenate([angle[-reach - 1 : -1] - turn, angle, angle[1 : reach + 1] + turn])
    else:
        reach = min(reach, last)
        padded = np.concatenate(
            [2 * angle[0] - angle[reach:0:-1], angle, 2 * angle[-1] - angle[-2 : -reach - 2 : -1]]
        )
    box = np.full(2 * reach + 1, 1.0 / (2 * reach + 1))
    return np.convolve(padded, box, mode="valid")
