"""Framespace interpolation: poses, paths and timing of several clips mixed along a curve.

After Ashraf & Wong, "Dynamic Time Warp Based Framespace Interpolation for Motion Editing" (2000).
The clips' states are matched (`correspondence`), the warp says which frames match (`warp`) and when
they are shown (`track`), and here they are blended (Eq. 11, 12) and moved over the floor (4.6).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from motionweave.contacts.states import EventTable
from motionweave.core.arguments import check_arguments
from motionweave.core.arrays import sealed
from motionweave.core.averaging import mean_rotations
from motionweave.core.motion import Motion
from motionweave.core.runtime.threads import one_thread
from motionweave.errors import BlendError, Remedy
from motionweave.methods.finish import finish
from motionweave.methods.framespace.basis import make_basis
from motionweave.methods.framespace.contacts import blended_contacts
from motionweave.methods.framespace.interpolant import Interpolant, as_interpolant
from motionweave.methods.framespace.track import FramespaceTrack, Matched, match_bases
from motionweave.methods.framespace.trunk import Trunk
from motionweave.methods.framespace.warp import SMOOTHING
from motionweave.methods.joining.splice import given_clips, integrated_path
from motionweave.retargeting import on_common_skeleton

Cyclic = bool | tuple[int, int] | None
Item = TypeVar("Item")

DEFAULT_CYCLES = 6


class Framespace:
    """Two or four clips whose states are matched, ready to be interpolated.

    Parameters
    ----------
    motions
        2 clips (interpolants x, y) or 4 (x, y, z), with the same joints. The first
        clip's character performs the result; longer legs take longer steps.
    events
        For each clip its `EventTable`, at frames of the clip, or None to detect the events.
    cyclic
        For each clip, or for all, whether it is cyclic, or the first and last frame of its cycle;
        None detects it. True for a clip that contains just one cycle uses all of it. A clip that is
        not cyclic is played once.
    decoupled
        Whether upper and lower body are matched separately. Otherwise there is one correspondence
        for the whole body, in which the feet count most.
    smoothing
        Half the time, in cycles, over which changes of speed at the states are spread; 0 for none.

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
        check_arguments(Framespace.__init__, locals(), BlendError)
        if len(motions) not in (2, 4):
            raise BlendError(f"a framespace has 2 or 4 clips, got {len(motions)}")
        count = len(motions)
        tables = _one_each([None] * count if events is None else events, count, "event tables")
        ways = _ways(cyclic, count)
        clips = on_common_skeleton(motions)
        # Many small products: what limits their threads is set once.
        with one_thread():
            self.bases = tuple(
                make_basis(motion, way, table)
                for motion, way, table in zip(clips, ways, tables, strict=True)
            )
        # What was recorded: the seam of a cycle may be no calmer than the result.
        self._recorded = tuple(
            clip[basis.ends[0] : basis.ends[1] + 1]
            for clip, basis in zip(clips, self.bases, strict=True)
        )
        self.decoupled = decoupled
        self.smoothing = smoothing
        self._once: dict[int, Matched] = {}

    def __repr__(self) -> str:
        return f"<Framespace of {', '.join(self.names)}>"

    @property
    def names(self) -> tuple[str, ...]:
        """The clips' names."""
        return tuple(b.motion.name or f"clip {i + 1}" for i, b in enumerate(self.bases))

    @property
    def cyclic(self) -> bool:
        """Whether all clips repeat forever; otherwise all are played once."""
        return all(basis.cyclic for basis in self.bases)

    @property
    def shape(self) -> Literal["concatenate", "blend"]:
        """The interpolant that suits the clips: from the first to the last, or a constant mix of
        four of which one is played once, because that leaves no time to visit all of them."""
        return "concatenate" if len(self.bases) == 2 or self.cyclic else "blend"

    def matched(self, cycles: int = 1) -> Matched:
        """The correspondences, for a number of ``cycles``.

        The number matters only if a clip is played once: the cyclic clips are then
        matched with it as often as they repeat.
        """
        key = 1 if self.cyclic else cycles
        if key not in self._once:
            bases = self.bases if self.cyclic else tuple(b.repeated(cycles) for b in self.bases)
            self._once[key] = match_bases(bases, self.names, self.decoupled, self.smoothing)
        return self._once[key]

    def rounds(self, cycles: int | None = None) -> int:
        """The number of cycles that an interpolant spans: ``cycles``, or as many as fit.

        Six if all clips are cyclic. If one is played once, the others repeat as often as they would
        in that time.
        """
        if cycles is not None:
            if not (isinstance(cycles, int | np.integer) and cycles >= 1):
                raise BlendError(f"cycles: expected a whole number, at least 1, got {cycles!r}")
            return int(cycles)
        once = [basis.period for basis in self.bases if not basis.cyclic]
        periods = [basis.period for basis in self.bases if basis.cyclic]
        if not once or not periods:
            return DEFAULT_CYCLES
        return max(1, round(float(np.mean(once)) / float(np.mean(periods))))

    def interpolate(
        self,
        interpolant: Interpolant | str | ArrayLike | None = None,
        cycles: int | None = None,
        fps: float | None = None,
        clean: bool = True,
    ) -> Motion:
        """The motion along an interpolant.

        Parameters
        ----------
        interpolant
            A curve, ``"concatenate"``, ``"blend"``, or control vertices; see `shape` for the
            default.
        cycles
            The number of cycles that the interpolant spans; clips that are not cyclic are played
            once in that time. None for as many as fit; see `rounds`.
        fps
            Frames per second of the result; the first clip's by default.
        clean
            Whether to plant the feet afterwards.

        Returns
        -------
        Motion
            Starts where the leading clip starts.

        Raises
        ------
        BlendError
            If interpolant, cycles or frame rate cannot be used.
        """
        check_arguments(Framespace.interpolate, locals(), BlendError)
        given = self.shape if interpolant is None else interpolant
        curve = as_interpolant(given, len(self.bases))
        rounds = self.rounds(cycles)
        rate = self.bases[0].motion.fps if fps is None else float(fps)
        if not (np.isfinite(rate) and rate > 0.0):
            raise BlendError(f"frame rate {fps}: expected a positive number")
        matched = self.matched(rounds)
        track = matched.track(curve, rounds, rate)
        result = _render(matched, track, rate, "+".join(self.names))
        return finish(result, self._recorded, clean=clean).reported((Remedy("events"),))


def framespace(
    *given: Motion | Iterable[Motion] | Interpolant | str | ArrayLike,
    interpolant: Interpolant | str | ArrayLike | None = None,
    cycles: int | None = None,
    decoupled: bool = False,
    clean: bool = True,
    fps: float | None = None,
    events: Sequence[EventTable | None] | None = None,
    cyclic: bool | Sequence[Cyclic] | None = None,
    smoothing: float = SMOOTHING,
    paper: bool = False,
) -> Motion:
    """Mix two or four clips along an interpolant, matched by their motion events.

    Parameters
    ----------
    *given
        2 or 4 clips with the same joints, as separate arguments or in one sequence; then the
        interpolant and the cycles, if they are not given by name.
    interpolant
        How much of each clip is in the mix at each moment: an `Interpolant`, the name of a
        ready-made one (``"concatenate"``, ``"blend"``), or its control vertices. By default from
        the first clip to the last, or a constant mix of four if one of them is played once.
    cycles
        The number of cycles that the interpolant spans. None for six, or, if a clip is played once,
        for as many as the others make in that time.
    decoupled, events, cyclic, smoothing
        As in `Framespace`.
    clean
        Whether to plant the feet afterwards.
    fps
        Frames per second of the result; the first clip's by default.
    paper
        The published settings: changes of speed at the states are not smoothed, upper and lower
        body are matched separately, and feet are not planted.

    Returns
    -------
    Motion
        Starts where the leading clip starts.

    Raises
    ------
    BlendError
        If the number of clips is not 2 or 4, or an option cannot be used.

    Examples
    --------
    >>> import motionweave as mw
    >>> walk, jog = mw.sample("walk"), mw.sample("jog")
    >>> mw.framespace(jog, walk, cycles=4).name
    'jog+walk'
    """
    check_arguments(framespace, locals(), BlendError)
    rest = list(given)
    if cycles is None and len(rest) > 2 and isinstance(rest[-1], int):
        cycles = rest.pop()  # type: ignore[assignment]
    if interpolant is None and len(rest) > 1 and not isinstance(rest[-1], Motion):
        interpolant = rest.pop()  # type: ignore[assignment]
    clips = given_clips(rest, 2, "a framespace")  # type: ignore[arg-type]
    if paper:
        decoupled, smoothing, clean = True, 0.0, False
    space = Framespace(
        clips, events=events, cyclic=cyclic, decoupled=decoupled, smoothing=smoothing
    )
    return space.interpolate(interpolant, cycles, fps=fps, clean=clean)


def _render(matched: Matched, track: FramespaceTrack, fps: float, name: str) -> Motion:
    bases = matched.bases
    first = bases[0].motion
    weights = track.weights
    rotations = np.empty((len(bases), len(weights), *first.rotations.shape[1:]))
    for basis, phases, poses in zip(bases, track.lower.T, rotations, strict=True):
        basis.poses(phases, out=poses)
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
    guides, heights = zip(
        *(b.guide(p) for b, p in zip(bases, track.lower.T, strict=True)), strict=True
    )
    # Place and heading, integrated from the blend of the clips' steps (4.6): a step is the planar
    # move of a clip's guide from one output frame to the next, seen from the guide.
    way = integrated_path(guides, weights)
    blended[:, 0] = way.turn(blended[:, 0])
    # Heights are bounded like angles; adding up their changes would only let them drift.
    height = np.sum(weights * np.stack(heights, axis=1), axis=1)
    result = replace(
        first,
        fps=fps,
        root=sealed(np.stack([way.x, height, way.z], axis=1)),
        rotations=sealed(blended),
        translations=None if moved is None else np.einsum("tk,ktjc->tjc", weights, moved),
        constraints=(),
        name=name,
    )
    return result.with_constraints(blended_contacts(bases, track.lower, weights, result))


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
        raise BlendError(f"{what}: expected one per clip, {count} in all, got {len(values)}")
    return list(values)
