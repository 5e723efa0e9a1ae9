"""Framespace interpolation: poses, ways and timing of several clips mixed along a curve.

After Ashraf & Wong, "Dynamic Time Warp Based Framespace Interpolation for Motion
Editing" (2000). The clips' states are matched (`correspondence`), the warp says which
frames belong together (`warp`) and when they are shown (`track`), and here they are
blended (Eq. 11, 12) and moved over the floor (4.6).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from motionweave.contacts.states import EventTable
from motionweave.core.averaging import mean_rotations
from motionweave.core.motion import Motion
from motionweave.core.planar import Planar
from motionweave.errors import BlendError
from motionweave.methods.framespace.basis import Basis, make_basis
from motionweave.methods.framespace.contacts import blended_contacts
from motionweave.methods.framespace.interpolant import Interpolant, as_interpolant
from motionweave.methods.framespace.track import Matched, Track, match_bases
from motionweave.methods.framespace.trunk import Trunk
from motionweave.methods.framespace.warp import SMOOTHING
from motionweave.retargeting import on_common_skeleton

Cyclic = bool | tuple[int, int] | None
Item = TypeVar("Item")

DEFAULT_CYCLES = 6


class Framespace:
    """Two or four clips whose states are matched, ready to be interpolated.

    Parameters
    ----------
    motions
        2 clips (interpolants x, y) or 4 (x, y, z), of the same joints. The first
        clip's character performs the result; longer legs take longer steps.
    events
        For each clip its `EventTable`, at frames of the clip, or None to find it.
    cyclic
        For each clip, or for all, whether it repeats itself, or first and last frame
        of the cycle; None finds out. True for a clip that holds just one cycle takes all
        of it. A clip that does not repeat itself is played once.
    decoupled
        Whether upper and lower body follow correspondences of their own. Otherwise
        the whole body follows one, in which the feet count most.
    smoothing
        Half the time, in cycles, over which the clips' changes of speed at the states
        are spread; 0 for none.

    Attributes
    ----------
    bases
        The clips made ready: cycles, periods, events.
    """

    def __init__(
        self,
        motions: Sequence[Motion],
        *,
        events: Sequence[EventTable | None] | None = None,
        cyclic: bool | Sequence[Cyclic] | None = None,
        decoupled: bool = False,
        smoothing: float = SMOOTHING,
    ):
        if len(motions) not in (2, 4):
            raise BlendError(f"a framespace has 2 or 4 clips, got {len(motions)}")
        count = len(motions)
        tables = _one_each([None] * count if events is None else events, count, "event tables")
        ways = _ways(cyclic, count)
        clips = on_common_skeleton(motions)
        self.bases = tuple(
            make_basis(motion, way, table)
            for motion, way, table in zip(clips, ways, tables, strict=True)
        )
        self.decoupled = decoupled
        self.smoothing = smoothing
        self._once: dict[int, Matched] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The clips' names."""
        return tuple(b.motion.name or f"clip {i + 1}" for i, b in enumerate(self.bases))

    @property
    def cyclic(self) -> bool:
        """Whether the cycles of all clips go on for ever; otherwise all are played once."""
        return all(basis.cyclic for basis in self.bases)

    def matched(self, cycles: int = 1) -> Matched:
        """The correspondences, for so many cycles.

        Only where a clip is played once do the cycles make a difference: the clips
        that do repeat themselves are then matched to it as often as they are repeated.
        """
        key = 1 if self.cyclic else cycles
        if key not in self._once:
            bases = self.bases if self.cyclic else tuple(b.repeated(cycles) for b in self.bases)
            self._once[key] = match_bases(bases, self.names, self.decoupled, self.smoothing)
        return self._once[key]

    def interpolate(
        self,
        interpolant: Interpolant | str | ArrayLike,
        cycles: int = DEFAULT_CYCLES,
        fps: float | None = None,
        clean: bool = False,
    ) -> Motion:
        """The motion along an interpolant.

        Parameters
        ----------
        interpolant
            A curve, ``"concatenate"``, ``"blend"``, or control vertices.
        cycles
            How many cycles the interpolant is drawn over; clips that do not repeat
            themselves are played once in that time.
        fps
            Frames a second of the result; the first clip's by default.
        clean
            Whether to hold planted feet in place afterwards.
        """
        curve = as_interpolant(interpolant, len(self.bases))
        if not (isinstance(cycles, int | np.integer) and cycles >= 1):
            raise BlendError(f"cycles: expected a whole number, at least 1, got {cycles!r}")
        rate = self.bases[0].motion.fps if fps is None else float(fps)
        if not (np.isfinite(rate) and rate > 0.0):
            raise BlendError(f"frame rate {fps}: expected a positive number")
        matched = self.matched(int(cycles))
        track = matched.track(curve, int(cycles), rate)
        result = _render(matched, track, rate, "+".join(self.names))
        if clean:
            from motionweave.contacts.clean.footskate import clean_feet

            result = clean_feet(result)
        return result


def framespace(
    motions: Sequence[Motion],
    interpolant: Interpolant | str | ArrayLike = "concatenate",
    cycles: int = DEFAULT_CYCLES,
    *,
    decoupled: bool = False,
    clean: bool = False,
    fps: float | None = None,
    events: Sequence[EventTable | None] | None = None,
    cyclic: bool | Sequence[Cyclic] | None = None,
    smoothing: float = SMOOTHING,
) -> Motion:
    """Mix two or four clips along an interpolant, in step with their motion events.

    Parameters
    ----------
    motions
        2 or 4 clips of the same joints.
    interpolant
        How much of each clip is in the mix, when: an `Interpolant`, the name of a
        ready-made one (``"concatenate"``, ``"blend"``), or its control vertices.
    cycles
        How many cycles the interpolant is drawn over.
    decoupled, events, cyclic, smoothing
        As in `Framespace`.
    clean
        Whether to hold planted feet in place afterwards.
    fps
        Frames a second of the result; the first clip's by default.

    Examples
    --------
    >>> import motionweave as mw
    >>> walk, jog = mw.sample("walk"), mw.sample("jog")
    >>> joined = mw.framespace([jog, walk], "concatenate", cycles=6)  # doctest: +SKIP
    """
    space = Framespace(
        motions, events=events, cyclic=cyclic, decoupled=decoupled, smoothing=smoothing
    )
    return space.interpolate(interpolant, cycles, fps=fps, clean=clean)


def _render(matched: Matched, track: Track, fps: float, name: str) -> Motion:
    bases = matched.bases
    first = bases[0].motion
    weights = track.weights
    rotations = np.stack([b.poses(p) for b, p in zip(bases, track.lower.T, strict=True)])
    moved = None
    if any(b.motion.translations is not None for b in bases):
        moved = np.stack([b.translations(p) for b, p in zip(bases, track.lower.T, strict=True)])
    trunk: Trunk | None = None
    if track.upper is not track.lower:
        trunk = Trunk.of(first.skeleton)
        for i, basis in enumerate(bases):
            poses = basis.poses(track.upper[:, i])
            rotations[i][:, trunk.upper] = trunk.upright(poses)[:, trunk.upper]
            if moved is not None:
                moved[i][:, trunk.upper] = basis.translations(track.upper[:, i])[:, trunk.upper]
    # Eq. 11 and 12, with the mean of rotations in place of the mean of angles.
    blended = mean_rotations(rotations, weights)
    if trunk is not None:
        blended = trunk.seated(blended)
    way = _way(bases, track)
    blended[:, 0] = way.turn(blended[:, 0])
    # Heights are bounded like angles; adding up their changes would only let them drift.
    heights = np.stack([b.heights(p) for b, p in zip(bases, track.lower.T, strict=True)], axis=1)
    result = replace(
        first,
        fps=fps,
        root=np.stack([way.x, np.sum(weights * heights, axis=1), way.z], axis=1),
        rotations=blended,
        translations=None if moved is None else np.einsum("tk,ktjc->tjc", weights, moved),
        constraints=(),
        name=name,
    )
    return result.with_constraints(blended_contacts(bases, track.lower, weights, result))


def _way(bases: Sequence[Basis], track: Track) -> Planar:
    """Place and heading ``(n,)``, integrated from the blend of the clips' steps (4.6).

    A step is the planar move of a clip's guide from one output frame to the next, seen
    from the guide: its turn and its shift are blended, so that curved ways stay curved.
    """
    guides = [b.guide(phases) for b, phases in zip(bases, track.lower.T, strict=True)]
    start = guides[track.lead][0]
    if len(track.x) == 1:
        return Planar(*(np.array([value]) for value in (start.angle, start.x, start.z)))
    steps = [guide[:-1].inverse() @ guide[1:] for guide in guides]
    weights = 0.5 * (track.weights[:-1] + track.weights[1:])
    turn, x, z = (
        np.sum(weights * np.stack([getattr(s, field) for s in steps], axis=1), axis=1)
        for field in ("angle", "x", "z")
    )
    angle = start.angle + np.concatenate([[0.0], np.cumsum(turn)])
    shift = Planar(angle[:-1]).apply_xz(np.stack([x, z], axis=1))
    place = np.array([start.x, start.z]) + np.concatenate(
        [np.zeros((1, 2)), np.cumsum(shift, axis=0)]
    )
    return Planar(angle, place[:, 0], place[:, 1])


def _ways(cyclic: bool | Sequence[Cyclic] | None, count: int) -> list[Cyclic]:
    """Whether, and where, each clip repeats itself, from one answer for all or one for each."""
    if cyclic is None or isinstance(cyclic, bool):
        return [cyclic] * count
    ways = _one_each(cyclic, count, "answers to cyclic")
    for way in ways:
        if not (way is None or isinstance(way, bool) or (isinstance(way, tuple) and len(way) == 2)):
            raise BlendError(
                f"cyclic: expected True, False, None or (first, last) for each clip, got {way!r}"
            )
    return ways


def _one_each(values: Sequence[Item], count: int, what: str) -> list[Item]:
    if len(values) != count:
        raise BlendError(f"{what}: expected one for each of {count} clips, got {len(values)}")
    return list(values)
